//! Operands for every op of the registry, from its own parameters and domain; the few ops whose
//! operands must fit each other have a line of their own.

use glowgrad::op::{Attr, Attrs, Op, ParamKind};
use glowgrad::{DType, Engine, Tensor};

pub use glowgrad::samples::{Numbers, Sample};

/// Calls of an op that a test may make: several shapes and options.
pub fn samples(engine: &Engine, op: &'static Op, dtype: DType) -> Vec<Sample> {
    let seed = op.name.bytes().fold(7, |h, b| h * 31 + u64::from(b));
    let mut numbers = Numbers::new(seed);
    if !op.samples.is_empty() {
        let written = op.samples.iter();
        return written
            .map(|text| super::written::sample(engine, op, dtype, &mut numbers, text))
            .collect();
    }
    let mut t = |shape: &[usize]| {
        let tensor = numbers.tensor(engine, shape, op.domain, dtype);
        tensor.expect("a small shape")
    };
    let one = |operands: Vec<Tensor>, attrs: &[Attr]| Sample {
        operands,
        attrs: attrs.iter().cloned().collect(),
    };
    let ints = Attr::ints;
    let (none, no, yes) = (Attr::None, Attr::Bool(false), Attr::Bool(true));
    let words = |words: [&'static str; 3]| words.map(Attr::Str);
    let reductions = words(["mean", "sum", "none"]);
    match op.name {
        "pow_scalar" => [2.0, 3.0, 0.5, -1.0, 1.7]
            .iter()
            .map(|&e| one(vec![t(&[2, 3])], &[Attr::Float(e)]))
            .collect(),
        "clamp" => vec![
            one(vec![t(&[3, 4])], &[Attr::Float(-0.7), Attr::Float(0.9)]),
            one(vec![t(&[5])], &[none.clone(), Attr::Float(0.3)]),
        ],
        "gelu" => ["none", "tanh"]
            .iter()
            .map(|w| one(vec![t(&[3, 4])], &[Attr::Str(w)]))
            .collect(),
        "softplus" => vec![one(
            vec![t(&[3, 4])],
            &[Attr::Float(2.0), Attr::Float(20.0)],
        )],
        "leaky_relu" | "elu" => vec![one(vec![t(&[3, 4])], &[Attr::Float(0.3)])],
        "to" => DType::ALL
            .iter()
            .map(|d| one(vec![t(&[2, 3])], &[Attr::DType(*d)]))
            .collect(),
        "where" => {
            let (a, b) = (t(&[2, 3]), t(&[3]));
            vec![one(
                vec![numbers.mask(engine, &[2, 1]).expect("a small shape"), a, b],
                &[],
            )]
        }
        "masked_fill" => {
            let (x, value) = (t(&[2, 3]), t(&[]));
            vec![one(
                vec![x, numbers.mask(engine, &[3]).expect("a small shape"), value],
                &[],
            )]
        }
        "sum" | "mean" | "prod" | "amax" | "amin" | "any" | "all" => vec![
            one(vec![t(&[2, 3])], &[none.clone(), no.clone()]),
            one(vec![t(&[2, 3, 4])], &[ints(&[1]), yes.clone()]),
            one(vec![t(&[2, 3, 4])], &[ints(&[-1, 0]), no.clone()]),
            one(vec![t(&[])], &[none, no]),
        ],
        "var" | "std" => vec![
            one(vec![t(&[2, 3])], &[none.clone(), no.clone(), Attr::Int(1)]),
            one(vec![t(&[2, 3, 4])], &[ints(&[1]), yes, Attr::Int(0)]),
        ],
        "logsumexp" => vec![
            one(vec![t(&[2, 3])], &[ints(&[1]), no]),
            one(vec![t(&[2, 3])], &[ints(&[0, 1]), yes]),
        ],
        "argmax" | "argmin" => vec![
            one(vec![t(&[2, 3])], &[none, no.clone()]),
            one(vec![t(&[2, 3, 4])], &[Attr::Int(1), no]),
        ],
        "max_dim" | "min_dim" => vec![
            one(vec![t(&[2, 5])], &[Attr::Int(1), no]),
            one(vec![t(&[3, 2, 4])], &[Attr::Int(0), yes]),
        ],
        "softmax" | "log_softmax" => {
            vec![
                one(vec![t(&[2, 5])], &[Attr::Int(1)]),
                one(vec![t(&[3, 2, 2])], &[Attr::Int(0)]),
            ]
        }
        "reshape" => vec![
            one(vec![t(&[2, 6])], &[ints(&[3, -1])]),
            one(vec![t(&[4])], &[ints(&[2, 1, 2])]),
        ],
        "permute" => vec![one(vec![t(&[2, 3, 4])], &[ints(&[2, 0, 1])])],
        "transpose" => vec![one(vec![t(&[2, 3, 4])], &[Attr::Int(0), Attr::Int(-1)])],
        "expand" => vec![one(vec![t(&[3, 1])], &[ints(&[2, -1, 4])])],
        "squeeze" => vec![
            one(vec![t(&[1, 3, 1])], &[Attr::None]),
            one(vec![t(&[1, 3, 1])], &[ints(&[0])]),
        ],
        "unsqueeze" => vec![one(vec![t(&[2, 3])], &[Attr::Int(1)])],
        "flatten" => vec![one(vec![t(&[2, 3, 2])], &[Attr::Int(1), Attr::Int(-1)])],
        "narrow" => vec![one(
            vec![t(&[2, 5])],
            &[Attr::Int(1), Attr::Int(1), Attr::Int(3)],
        )],
        "select" => vec![one(vec![t(&[2, 5])], &[Attr::Int(1), Attr::Int(-2)])],
        "flip" => vec![one(vec![t(&[2, 3])], &[ints(&[0, 1])])],
        "cat" => vec![one(
            vec![t(&[2, 3]), t(&[1, 3]), t(&[2, 3])],
            &[Attr::Int(0)],
        )],
        "stack" => vec![one(vec![t(&[2, 3]), t(&[2, 3])], &[Attr::Int(1)])],
        "tril" | "triu" => [-1, 0, 1]
            .iter()
            .map(|&d| one(vec![t(&[3, 4])], &[Attr::Int(d)]))
            .collect(),
        "gather" => {
            let x = t(&[3, 4]);
            vec![one(
                vec![
                    x,
                    numbers.indices(engine, &[2, 4], 3).expect("a small shape"),
                ],
                &[Attr::Int(0)],
            )]
        }
        "scatter_add" => {
            let (x, source) = (t(&[3, 4]), t(&[2, 4]));
            vec![one(
                vec![
                    x,
                    numbers.indices(engine, &[2, 3], 3).expect("a small shape"),
                    source,
                ],
                &[Attr::Int(0)],
            )]
        }
        "index_select" => {
            let x = t(&[2, 4]);
            vec![one(
                vec![x, numbers.indices(engine, &[5], 4).expect("a small shape")],
                &[Attr::Int(1)],
            )]
        }
        "one_hot" => vec![one(
            vec![numbers.indices(engine, &[3], 4).expect("a small shape")],
            &[Attr::Int(4)],
        )],
        "matmul" => [
            (&[3][..], &[3][..]),
            (&[2, 3], &[3]),
            (&[3], &[3, 2]),
            (&[2, 3], &[3, 4]),
            (&[2, 2, 3], &[2, 3, 2]),
            (&[2, 2, 3], &[3, 2]),
            (&[2, 3], &[2, 3, 2]),
            (&[2, 1, 2, 3], &[3, 3, 1]),
        ]
        .iter()
        .map(|(a, b)| one(vec![t(a), t(b)], &[]))
        .collect(),
        "linear" => vec![
            one(vec![t(&[4, 3]), t(&[2, 3]), t(&[2])], &[]),
            one(vec![t(&[2, 2, 3]), t(&[2, 3])], &[]),
            one(vec![t(&[3]), t(&[2, 3]), t(&[2])], &[]),
        ],
        "layer_norm" => vec![
            one(
                vec![t(&[3, 4]), t(&[4]), t(&[4])],
                &[ints(&[4]), Attr::Float(1e-5)],
            ),
            one(vec![t(&[2, 2, 3])], &[ints(&[2, 3]), Attr::Float(1e-3)]),
        ],
        "mse_loss" | "l1_loss" | "binary_cross_entropy_with_logits" => reductions
            .into_iter()
            .map(|r| one(vec![t(&[2, 3]), t(&[2, 3])], &[r]))
            .collect(),
        "nll_loss" | "cross_entropy" => reductions
            .into_iter()
            .enumerate()
            .map(|(i, r)| {
                let mut attrs = vec![r, Attr::Int(2)];
                if op.name == "cross_entropy" {
                    attrs.push(Attr::Float([0.0, 0.1, 0.2][i]));
                }
                let mut numbers = Numbers::new(i as u64);
                let mut operands = vec![
                    numbers
                        .tensor(engine, &[4, 3, 2], op.domain, dtype)
                        .expect("a small shape"),
                    numbers.indices(engine, &[4, 2], 3).expect("a small shape"),
                ];
                if i != 1 {
                    operands.push(
                        numbers
                            .tensor(engine, &[3], (0.5, 1.5), dtype)
                            .expect("a small shape"),
                    );
                }
                one(operands, &attrs)
            })
            .collect(),
        _ => generic(op, &mut t),
    }
}

/// Ops of tensors that broadcast, without attributes.
fn generic(op: &'static Op, t: &mut dyn FnMut(&[usize]) -> Tensor) -> Vec<Sample> {
    assert!(
        op.params.iter().all(|p| p.kind == ParamKind::Tensor),
        "{} has options: give it samples in its definition",
        op.name
    );
    let shapes: &[&[&[usize]]] = match op.params.len() {
        1 => &[&[&[3, 4]], &[&[]], &[&[19]]],
        _ => &[&[&[2, 3], &[2, 3]], &[&[3, 1], &[2, 1, 4]], &[&[], &[2]]],
    };
    // A matrix is what `t` transposes; the others take any shape.
    shapes
        .iter()
        .map(|shapes| Sample {
            operands: shapes.iter().map(|shape| t(shape)).collect(),
            attrs: Attrs::new(),
        })
        .collect()
}
