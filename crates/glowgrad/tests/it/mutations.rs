//! Planted mistakes in gradient rules: the suite must notice each.
//!
//! A mistake is put around an op's rule at run time ([`Engine::wrap_rules`]), then the op's samples
//! are held to finite differences. Every kind of mistake that can be made to an op is planted in a
//! spread of ops of all families; what is not noticed is named, and so is what changed no gradient.
#![cfg(not(target_arch = "wasm32"))]

use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

use glowgrad::GraphValue;
use glowgrad::op::{Attr, Backprop, Grads};
use glowgrad::{Engine, Result, Tensor, ops};

use crate::suite::differences;

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

/// Mistakes and the ops (or calls of several results) they are planted in, family by family.
const PLANTED: &[(Mistake, &str)] = &[
    // Elementwise.
    (
        Sign(0),
        "neg cos sub sigmoid reciprocal acos cosh atan2 erfc",
    ),
    (Sign(0), "softsign hardshrink relu6 elu xlogy frac"),
    (Sign(1), "sub div atan2 fmod lerp addcdiv logaddexp"),
    (
        Factor(0, 2.0),
        "tanh sqrt square gelu asin tan log2 selu hardtanh",
    ),
    (
        Factor(0, 0.5),
        "exp2 log10 sinh asinh celu softplus hardswish",
    ),
    (
        Factor(0, 1.0001),
        "atan acosh atanh mish logsigmoid silu deg2rad",
    ),
    (Factor(1, 1.0001), "mul pow hypot addcmul"),
    (Missing(0), "add masked_fill clamp threshold nan_to_num"),
    (Missing(1), "maximum where prelu fmin clamp_min"),
    (Missing(2), "where lerp addcmul clamp_tensor"),
    (Swapped, "sub mul div pow minimum atan2 fmax"),
    (NotSummed(0), "add mul div sub hypot"),
    (NotSummed(1), "maximum pow atan2 logaddexp xlogy"),
    (StaleOperand(0), "sin log cos elu log1p"),
    (StaleOperand(1), "mul div remainder xlogy"),
    (StaleResult, "exp tanh sigmoid sqrt expm1 rsqrt"),
    (NoChainRule, "exp mul relu erf hardsigmoid softshrink"),
    // Reductions, scans, order.
    (Sign(0), "mean logsumexp cumprod norm sort"),
    (Factor(0, 2.0), "var median var_mean"),
    (Factor(0, 0.5), "amax std prod vector_norm topk kthvalue"),
    (Missing(0), "amin logcumsumexp cummax aminmax"),
    (
        WrongAxis(0),
        "cumsum sum max_dim cummin sort topk kthvalue mode",
    ),
    (StaleOperand(0), "norm logcumsumexp"),
    (NoChainRule, "cumsum logsumexp std_mean"),
    // Movement, padding, copies.
    (Sign(0), "cat roll diag_embed hstack"),
    (Factor(0, 2.0), "transpose pad repeat_interleave tile"),
    (Missing(0), "expand repeat broadcast_to movedim unflatten"),
    (Missing(1), "stack block_diag cartesian_prod"),
    (Swapped, "cat column_stack"),
    (
        WrongAxis(0),
        "permute flip tril roll pad repeat rot90 diagonal fliplr",
    ),
    (NoChainRule, "pad narrow as_strided tensor_unfold"),
    // Picking and placing.
    (Sign(0), "scatter index_add take masked_scatter"),
    (Factor(0, 2.0), "scatter_reduce index_copy take_along_dim"),
    (Factor(1, 1.0001), "embedding"),
    (Missing(0), "gather scatter_add masked_select index_fill"),
    (Missing(2), "scatter_add scatter index_add masked_scatter"),
    (
        WrongAxis(0),
        "index_select gather take_along_dim scatter_reduce",
    ),
    // Products and small matrices.
    (Sign(1), "matmul bmm cross solve"),
    (Factor(0, 2.0), "linear det trace mv"),
    (Factor(1, 1.0001), "matmul kron tensordot"),
    (Missing(1), "linear addmm baddbmm outer inner"),
    (Missing(2), "linear addmv addr"),
    (WrongAxis(0), "inv cholesky solve matrix_power mm"),
    (StaleOperand(0), "matmul mm bmm"),
    (StaleOperand(1), "linear addmm dot"),
    (StaleResult, "inv cholesky"),
    // Convolutions, pools, patches, sizes.
    (Sign(0), "conv2d avg_pool2d"),
    (
        Factor(0, 2.0),
        "conv_transpose2d adaptive_avg_pool2d upsample",
    ),
    (Factor(1, 1.0001), "conv1d conv_transpose1d"),
    (Missing(0), "max_pool2d im2col pixel_shuffle"),
    (Missing(2), "conv2d conv3d"),
    (
        WrongAxis(0),
        "max_pool1d avg_pool1d col2im adaptive_max_pool2d",
    ),
    (WrongAxis(1), "conv1d conv2d"),
    (StaleOperand(1), "conv2d conv_transpose1d"),
    (StaleOperand(0), "conv1d conv3d"),
    (NoChainRule, "avg_pool3d max_pool3d pixel_unshuffle"),
    // Norms, softmax, attention.
    (Sign(0), "log_softmax group_norm normalize"),
    (Factor(0, 0.5), "layer_norm batch_norm rms_norm"),
    (Factor(1, 1.0001), "batch_norm instance_norm"),
    (Missing(2), "layer_norm group_norm"),
    (WrongAxis(0), "softmax batch_norm softmin glu"),
    (StaleOperand(0), "rms_norm batch_norm"),
    (StaleResult, "softmax log_softmax"),
    (NoChainRule, "softmax instance_norm"),
    (Swapped, "scaled_dot_product_attention"),
    (Sign(1), "scaled_dot_product_attention cosine_similarity"),
    (Factor(2, 0.5), "scaled_dot_product_attention"),
    // Losses.
    (Factor(0, 2.0), "l1_loss smooth_l1_loss kl_div nll_loss"),
    (Factor(0, 0.5), "mse_loss huber_loss poisson_nll_loss"),
    (Sign(1), "mse_loss pairwise_distance margin_ranking_loss"),
    (Missing(0), "triplet_margin_loss hinge_embedding_loss"),
    (
        WrongAxis(0),
        "cross_entropy multi_margin_loss soft_cross_entropy",
    ),
    (StaleOperand(0), "cross_entropy binary_cross_entropy"),
    (NoChainRule, "cross_entropy soft_margin_loss"),
    (
        NoChainRule,
        "binary_cross_entropy_with_logits cosine_embedding_loss",
    ),
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
fn backwards(x: &GraphValue) -> GraphValue {
    match x.shape().iter().rposition(|&n| n > 1) {
        Some(dim) => x.call(
            &ops::flip::FLIP,
            &[],
            [Attr::ints(&[dim as i64])].into_iter().collect(),
        ),
        None => x * 1.5,
    }
}

/// The first of the copies along every broadcast axis.
fn first_copy(x: &GraphValue, target: &[usize]) -> GraphValue {
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
fn change(grads: &mut Grads, i: usize, change: impl Fn(&GraphValue) -> GraphValue) {
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
        Swapped if grads.len() > 1 => grads.swap(0, 1),
        NotSummed(i) if i < b.src.len() => {
            let shape = b.src[i].shape().clone();
            change(&mut grads, i, |g| first_copy(g, &shape));
        }
        WrongAxis(i) => change(&mut grads, i, backwards),
        _ => {}
    }
    Ok(grads)
}

/// Whether a mistake made any difference so far: elsewhere it is none. Until it has, the rule's own
/// gradients are read beside the planted ones.
fn differs(b: &Backprop, right: &Grads, planted: &Grads) -> Result<bool> {
    // As the walk takes it: summed where the operand was broadcast; none is zero.
    let values = |grad: Option<&Option<GraphValue>>, operand: &GraphValue| match grad {
        Some(Some(grad)) => {
            let grad = match grad.shape() == operand.shape() {
                true => grad.clone(),
                false => grad.sum_to(operand.shape()),
            };
            Tensor::from_node(grad.engine(), grad.node().clone()).to_f64()
        }
        _ => Ok(vec![0.0; operand.node().numel()]),
    };
    for (i, operand) in b.src.iter().enumerate().filter(|&(i, _)| b.needs(i)) {
        let same = |(x, y): (&f64, &f64)| x == y || x.is_nan() && y.is_nan();
        let (right, planted) = (
            values(right.get(i), operand)?,
            values(planted.get(i), operand)?,
        );
        if !right.iter().zip(&planted).all(same) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What became of a planted mistake.
#[derive(Debug, PartialEq)]
enum Fate {
    Caught,
    Missed,
    /// It changed no gradient: it was no mistake.
    Vacuous,
}

/// What the differences say of an op, or of a call of several results.
fn failures_of(engine: &Engine, name: &str) -> Vec<String> {
    let op = ops::all().find(|op| op.name == name);
    let several = ops::multi_output().find(|several| several.name == name);
    match (op, several) {
        (Some(op), _) => differences::failures_of(engine, op).1,
        (None, Some(several)) => differences::failures_of_multi_output(engine, several).1,
        (None, None) => panic!("{name} is not in the registry"),
    }
}

fn fate(engine: &Engine, mistake: Mistake, name: &'static str) -> Fate {
    let changed = Rc::new(Cell::new(false));
    let noted = changed.clone();
    engine.wrap_rules(Some(Rc::new(move |b, rule| {
        if b.node.op.name != name {
            return rule(b);
        }
        let planted = plant(mistake, b, rule)?;
        if !noted.get() {
            noted.set(differs(b, &rule(b)?, &planted)?);
        }
        Ok(planted)
    })));
    let failures = failures_of(engine, name);
    engine.wrap_rules(None);
    match (changed.get(), failures.is_empty()) {
        (false, _) => Fate::Vacuous,
        (true, true) => Fate::Missed,
        (true, false) => Fate::Caught,
    }
}

fn all_planted() -> impl Iterator<Item = (Mistake, &'static str)> {
    PLANTED
        .iter()
        .flat_map(|&(mistake, names)| names.split_whitespace().map(move |name| (mistake, name)))
}

#[test]
fn planted_mistakes_are_caught() {
    let engine = glowgrad::cpu();
    let (mut caught, mut missed, mut vacuous) = (0, Vec::new(), Vec::new());
    for (mistake, name) in all_planted() {
        match fate(&engine, mistake, name) {
            Fate::Caught => caught += 1,
            Fate::Missed => missed.push(format!("{mistake:?} in {name}")),
            Fate::Vacuous => vacuous.push(format!("{mistake:?} in {name}")),
        }
    }
    let planted = caught + missed.len();
    println!("caught {caught} of {planted} planted mistakes");
    assert!(missed.is_empty(), "not caught: {}", missed.join("; "));
    assert!(vacuous.is_empty(), "change nothing: {}", vacuous.join("; "));
    assert!(planted >= 140, "only {planted} mistakes are planted");
}

#[test]
fn a_mistake_that_changes_nothing_does_not_count() {
    let engine = glowgrad::cpu();
    for (mistake, name) in [
        (Factor(0, 1.0), "mul"),
        // It has no second operand.
        (Sign(1), "neg"),
        // The rule does not read it.
        (StaleOperand(1), "add"),
    ] {
        assert_eq!(
            fate(&engine, mistake, name),
            Fate::Vacuous,
            "{mistake:?} in {name}"
        );
    }
}

#[test]
fn without_a_mistake_nothing_is_caught() {
    let engine = glowgrad::cpu();
    engine.wrap_rules(Some(Rc::new(|b, rule| rule(b))));
    let names: BTreeSet<&str> = all_planted().map(|(_, name)| name).collect();
    for name in names {
        let failures = failures_of(&engine, name);
        assert!(failures.is_empty(), "{failures:?}");
    }
}
