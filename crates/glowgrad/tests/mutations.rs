//! Planted mistakes in gradient rules: the suite must notice each.
//!
//! A mistake is put around an op's rule at run time ([`Engine::wrap_rules`]), then the op's samples
//! are held to finite differences. Every kind of mistake that can be made to an op is planted in a
//! spread of ops of all families; what is not noticed is named.
#![cfg(not(target_arch = "wasm32"))]

mod suite;

use std::rc::Rc;

use glowgrad::op::{Attr, Backprop, Grads};
use glowgrad::var::Var;
use glowgrad::{Engine, Result, ops};
use suite::differences;

/// What is done to a gradient.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Mistake {
    /// The sign of one operand's gradient.
    Sign(usize),
    /// A factor too many or too few.
    Factor(usize, f64),
    /// The gradient left out.
    Missing(usize),
    /// Operands' gradients exchanged.
    Swapped,
    /// Where an operand was broadcast, one of the copies' gradients instead of their sum.
    NotSummed(usize),
    /// Elements in another order along the last axis.
    WrongAxis(usize),
    /// A saved operand that was changed since.
    StaleOperand(usize),
    /// A saved result that was changed since.
    StaleResult,
    /// The incoming gradient forgotten.
    NoChainRule,
}
use Mistake::*;

/// Mistakes and the ops they are planted in.
const PLANTED: &[(Mistake, &str)] = &[
    (
        Sign(0),
        "neg cos sub sigmoid log_softmax mean cat reciprocal logsumexp",
    ),
    (Sign(1), "sub div mse_loss matmul"),
    (
        Factor(0, 2.0),
        "tanh sqrt var l1_loss square gelu linear transpose",
    ),
    (Factor(0, 0.5), "mse_loss amax std layer_norm prod"),
    (Factor(1, 1.0001), "embedding mul matmul pow"),
    (Missing(0), "add gather scatter_add expand masked_fill"),
    (Missing(1), "maximum linear where"),
    (Missing(2), "linear layer_norm where scatter_add"),
    (Swapped, "sub mul div pow minimum"),
    (NotSummed(0), "add mul div sub"),
    (NotSummed(1), "maximum pow"),
    (
        WrongAxis(0),
        "softmax cumsum permute flip sum tril index_select max_dim",
    ),
    (StaleOperand(0), "sin log matmul cross_entropy cos"),
    (StaleOperand(1), "mul div linear"),
    (StaleResult, "exp tanh sigmoid softmax sqrt"),
    (NoChainRule, "exp mul softmax cross_entropy relu"),
];

fn altered<'a>(b: &Backprop<'a>) -> Backprop<'a> {
    Backprop {
        node: b.node,
        src: b.src.clone(),
        y: b.y.clone(),
        gy: b.gy.clone(),
    }
}

/// Elements backwards along the last axis that has more than one.
fn backwards(x: &Var) -> Var {
    match x.shape().iter().rposition(|&n| n > 1) {
        Some(dim) => x.call(
            &ops::movement::FLIP,
            &[],
            [Attr::ints(&[dim as i64])].into_iter().collect(),
        ),
        None => x * 1.5,
    }
}

/// The first of the copies along every broadcast axis.
fn first_copy(x: &Var, target: &[usize]) -> Var {
    let added = x.shape().len() - target.len();
    let mut part = x.clone();
    for dim in 0..x.shape().len() {
        if dim < added || target[dim - added] == 1 {
            part = part.slice(dim, 0, 1.min(part.shape()[dim]), 1);
        }
    }
    part.reshape(target)
}

/// Changes an operand's gradient. A rule gives one for each operand that wants one; a sample may
/// have fewer operands than the op.
fn change(grads: &mut Grads, i: usize, change: impl Fn(&Var) -> Var) {
    if let Some(Some(grad)) = grads.get_mut(i) {
        *grad = change(grad);
    }
}

fn plant(
    mistake: Mistake,
    b: &Backprop,
    rule: &dyn Fn(&Backprop) -> Result<Grads>,
) -> Result<Grads> {
    let mut given = altered(b);
    match mistake {
        StaleOperand(i) if i < given.src.len() => given.src[i] = &given.src[i] * 1.01 + 0.01,
        StaleResult => given.y = &given.y * 1.01 + 0.01,
        NoChainRule => given.gy = given.gy.zeros_like() + 1.0,
        _ => {}
    }
    let mut grads = rule(&given)?;
    match mistake {
        Sign(i) => change(&mut grads, i, |g| -g),
        Factor(i, factor) => change(&mut grads, i, |g| g * factor),
        Missing(i) => change(&mut grads, i, |g| g * 0.0),
        Swapped => grads.swap(0, 1),
        NotSummed(i) => {
            let shape = b.src[i].shape().clone();
            change(&mut grads, i, |g| first_copy(g, &shape));
        }
        WrongAxis(i) => change(&mut grads, i, backwards),
        StaleOperand(_) | StaleResult | NoChainRule => {}
    }
    Ok(grads)
}

/// Whether the differences notice a mistake in an op.
fn is_caught(engine: &Engine, mistake: Mistake, name: &'static str) -> bool {
    engine.wrap_rules(Some(Rc::new(move |b, rule| {
        if b.node.op.name == name {
            plant(mistake, b, rule)
        } else {
            rule(b)
        }
    })));
    let op = ops::find(name).unwrap_or_else(|| panic!("{name} is not in the registry"));
    let failures = differences::failures_of(engine, op).1;
    engine.wrap_rules(None);
    !failures.is_empty()
}

#[test]
fn planted_mistakes_are_caught() {
    let engine = glowgrad::cpu();
    let mut planted = 0;
    let mut missed = Vec::new();
    for (mistake, names) in PLANTED {
        for name in names.split_whitespace() {
            planted += 1;
            if !is_caught(&engine, *mistake, name) {
                missed.push(format!("{mistake:?} in {name}"));
            }
        }
    }
    println!(
        "caught {} of {planted} planted mistakes",
        planted - missed.len()
    );
    assert!(planted >= 40, "only {planted} mistakes are planted");
    assert!(missed.is_empty(), "not caught: {}", missed.join("; "));
}

#[test]
fn without_a_mistake_nothing_is_caught() {
    let engine = glowgrad::cpu();
    engine.wrap_rules(Some(Rc::new(|b, rule| rule(b))));
    for (_, names) in PLANTED {
        for name in names.split_whitespace() {
            let op = ops::find(name).expect("in the registry");
            let failures = differences::failures_of(&engine, op).1;
            assert!(failures.is_empty(), "{failures:?}");
        }
    }
}
