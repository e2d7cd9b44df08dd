//! Random programs against naive models: chains of views, fused expressions, and in-place writes
//! through aliases with their gradients.
#![cfg(not(target_arch = "wasm32"))]

use glowgrad::interpret::interpret;
use glowgrad::op::{Attr, Attrs};
use glowgrad::{DType, Engine, Index, Result, Scalar, Tensor, ops};
use proptest::prelude::*;

use crate::suite::places::{Choices, Places, apply, move_once};

fn choices() -> impl Strategy<Value = Vec<u16>> {
    proptest::collection::vec(any::<u16>(), 1..240)
}

fn view_chain(list: Vec<u16>) -> Result<(), TestCaseError> {
    let fail = |error: glowgrad::Error| TestCaseError::fail(error.to_string());
    let engine = glowgrad::cpu();
    let mut choices = Choices(list.into());
    let shape = [[2, 3, 4], [6, 1, 2], [4, 4, 1]][choices.below(3)];
    let n: usize = shape.iter().product();
    let values: Vec<i64> = (0..n as i64).collect();
    let mut tensor = Tensor::from_i64(&engine, &values, &shape).map_err(fail)?;
    let mut places = Places::row_major(&shape);
    let mut scale = 1;
    while !choices.0.is_empty() && places.at.len() < 2_000 {
        if choices.below(6) == 0 {
            // A computation between movements: the next ones move its result.
            tensor = tensor
                .mul(&Tensor::number(&engine, Scalar::Int(3)))
                .map_err(fail)?;
            scale *= 3;
            if scale > 1_000_000 {
                break;
            }
        }
        (tensor, places) = move_once(&mut choices, &tensor, &places).map_err(fail)?;
    }
    prop_assert_eq!(&tensor.shape()[..], &places.shape[..]);
    let oracle = interpret(&engine, &tensor.node()).map_err(fail)?;
    let got: Vec<i64> = tensor
        .to_scalars()
        .map_err(fail)?
        .into_iter()
        .map(Scalar::as_i64)
        .collect();
    let expected: Vec<i64> = places.at.iter().map(|&at| at as i64 * scale).collect();
    prop_assert_eq!(&got, &expected);
    prop_assert_eq!(
        oracle
            .iter()
            .map(|v| v.scalar().as_i64())
            .collect::<Vec<_>>(),
        expected
    );
    Ok(())
}

/// Builds the same expressions twice and computes them fused, unfused and by definition. The
/// numbers are small integers, so that sums are exact in any order.
fn expressions(list: Vec<u16>) -> Result<(), TestCaseError> {
    let fail = |error: glowgrad::Error| TestCaseError::fail(error.to_string());
    type Values = Vec<Vec<f64>>;
    let run = |fused: bool| -> Result<(Values, Values)> {
        let engine = glowgrad::cpu();
        engine.set_fusion(fused);
        engine.set_retain_sources(true);
        let pool = build(&engine, &mut Choices(list.clone().into()))?;
        let roots = &pool[pool.len().saturating_sub(4)..];
        let mut oracle = Vec::new();
        for root in roots {
            oracle.push(
                interpret(&engine, &root.node())?
                    .iter()
                    .map(|v| v.scalar().as_f64())
                    .collect(),
            );
        }
        let nodes: Vec<_> = roots.iter().map(Tensor::node).collect();
        engine.realize(&nodes)?;
        Ok((
            roots.iter().map(Tensor::to_f64).collect::<Result<_>>()?,
            oracle,
        ))
    };
    let (fused, oracle) = run(true).map_err(fail)?;
    let (unfused, _) = run(false).map_err(fail)?;
    prop_assert_eq!(&fused, &oracle);
    prop_assert_eq!(&unfused, &oracle);
    Ok(())
}

fn build(engine: &Engine, choices: &mut Choices) -> Result<Vec<Tensor>> {
    let mut pool = Vec::new();
    for (i, shape) in [
        &[2, 3][..],
        &[3],
        &[2, 1],
        &[],
        &[4, 2, 3],
        &[3, 2],
        &[1, 3],
    ]
    .iter()
    .enumerate()
    {
        let n: usize = shape.iter().product();
        let values: Vec<f32> = (0..n).map(|k| ((k * 7 + i * 5) % 9) as f32 - 4.0).collect();
        pool.push(Tensor::from_f32(engine, &values, shape)?);
    }
    while !choices.0.is_empty() && pool.len() < 60 {
        let a = pool[choices.below(pool.len())].clone();
        let b = pool[choices.below(pool.len())].clone();
        let n_dims = a.shape().len();
        let dim = Attr::Int(choices.below(n_dims) as i64);
        let meets = glowgrad::shape::broadcast("test", &a.shape(), &b.shape())
            .is_ok_and(|s| s.iter().product::<usize>() < 500);
        // Keeps the numbers small: floats up to 2^24 are exact.
        let limited = |t: Tensor| apply("clamp", &[t], &[Attr::Float(-64.0), Attr::Float(64.0)]);
        let next = match choices.below(14) {
            0 if meets => limited(a.add(&b)?)?,
            1 if meets => limited(a.sub(&b)?)?,
            2 if meets => limited(a.mul(&b)?)?,
            3 if meets => apply("maximum", &[a, b], &[])?,
            4 if meets => apply(
                "where",
                &[apply("lt", &[a.clone(), b.clone()], &[])?, b, a],
                &[],
            )?,
            5 => a.relu()?,
            6 => a.neg()?,
            7 if n_dims > 0 => limited(apply(
                "sum",
                &[a],
                &[dim, Attr::Bool(choices.below(2) == 0)],
            )?)?,
            8 if n_dims > 0 => apply("amax", &[a], &[dim, Attr::Bool(true)])?,
            9 if n_dims > 1 => a.transpose(0, -1)?,
            10 if n_dims > 0 => a.reshape(&[-1])?,
            11 if n_dims == 2 && b.shape().len() == 2 && a.shape()[1] == b.shape()[0] => {
                limited(a.matmul(&b)?)?
            }
            12 if n_dims > 0 && a.shape()[0] > 1 => a.get(&[Index::Slice(Some(1), None, None)])?,
            13 if n_dims > 0 => apply("cumsum", &[a], &[dim]).and_then(limited)?,
            _ => apply("square", &[a], &[]).and_then(limited)?,
        };
        pool.push(next);
    }
    Ok(pool)
}

const LEAF: usize = 6;

/// A number that knows how it depends on the elements of a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Linear {
    value: f64,
    slopes: [f64; LEAF],
}

impl Linear {
    fn map(self, f: impl Fn(f64, bool) -> f64) -> Linear {
        Linear {
            value: f(self.value, false),
            slopes: self.slopes.map(|s| f(s, true)),
        }
    }
}

/// A tensor and its model: which storage, which places.
#[derive(Clone)]
struct Alias {
    tensor: Tensor,
    storage: usize,
    places: Places,
    /// Off the tape: reads have no slope, and writes leave the slopes as they are.
    detached: bool,
}

struct World {
    storages: Vec<Vec<Linear>>,
    aliases: Vec<Alias>,
}

impl World {
    fn read(&self, alias: &Alias) -> Vec<Linear> {
        let read = |&at: &usize| {
            let element = self.storages[alias.storage][at];
            if alias.detached {
                Linear {
                    slopes: [0.0; LEAF],
                    ..element
                }
            } else {
                element
            }
        };
        alias.places.at.iter().map(read).collect()
    }

    fn write(&mut self, alias: &Alias, values: &[Linear]) {
        for (&at, value) in alias.places.at.iter().zip(values) {
            let element = &mut self.storages[alias.storage][at];
            element.value = value.value;
            if !alias.detached {
                element.slopes = value.slopes;
            }
        }
    }

    fn own(&mut self, tensor: Tensor, values: Vec<Linear>) {
        let places = Places::row_major(&tensor.shape());
        self.storages.push(values);
        self.aliases.push(Alias {
            tensor,
            storage: self.storages.len() - 1,
            places,
            detached: false,
        });
    }
}

fn aliasing(list: Vec<u16>) -> Result<(), TestCaseError> {
    let fail = |error: glowgrad::Error| TestCaseError::fail(error.to_string());
    let engine = glowgrad::cpu();
    let mut choices = Choices(list.into());
    let values: Vec<f64> = (0..LEAF).map(|i| i as f64 + 1.0).collect();
    let leaf = Tensor::from_f64(&engine, &values, &[2, 3]).map_err(fail)?;
    leaf.set_requires_grad(true).map_err(fail)?;
    let mut world = World {
        storages: Vec::new(),
        aliases: Vec::new(),
    };
    let start: Vec<Linear> = (0..LEAF)
        .map(|i| Linear {
            value: values[i],
            slopes: std::array::from_fn(|k| f64::from(u8::from(i == k))),
        })
        .collect();
    world.own(leaf.clone_data().map_err(fail)?, start);
    let zeros = Tensor::full(&engine, &[3, 2], Scalar::Float(0.0), DType::F64).map_err(fail)?;
    world.own(
        zeros,
        vec![
            Linear {
                value: 0.0,
                slopes: [0.0; LEAF]
            };
            6
        ],
    );
    while !choices.0.is_empty() && world.aliases.len() < 40 {
        alias_step(&engine, &mut choices, &mut world).map_err(fail)?;
    }
    for alias in &world.aliases {
        let expected: Vec<f64> = world.read(alias).iter().map(|e| e.value).collect();
        prop_assert_eq!(alias.tensor.to_f64().map_err(fail)?, expected);
    }
    for alias in &world.aliases {
        leaf.set_grad(None).map_err(fail)?;
        let mut expected = [0.0; LEAF];
        for (i, element) in world.read(alias).iter().enumerate() {
            (0..LEAF).for_each(|k| expected[k] += element.slopes[k] * (i as f64 + 1.0));
        }
        if alias.tensor.requires_grad() {
            let shape = alias.tensor.shape();
            let weights: Vec<f64> = (0..alias.tensor.numel()).map(|i| i as f64 + 1.0).collect();
            let weights = Tensor::from_f64(&engine, &weights, &shape).map_err(fail)?;
            let options = glowgrad::autograd::BackwardOptions {
                retain_graph: true,
                create_graph: false,
            };
            alias
                .tensor
                .backward(Some(&weights), options)
                .map_err(fail)?;
        }
        let got = leaf
            .grad()
            .map_or(Ok(vec![0.0; LEAF]), |g| g.to_f64())
            .map_err(fail)?;
        prop_assert_eq!(&got[..], &expected[..]);
    }
    Ok(())
}

/// One statement of a program with aliases.
fn alias_step(engine: &Engine, choices: &mut Choices, world: &mut World) -> Result<()> {
    let a = world.aliases[choices.below(world.aliases.len())].clone();
    let b = world.aliases[choices.below(world.aliases.len())].clone();
    let in_place = |op: &str, others: &[Tensor]| {
        a.tensor
            .apply_in_place(ops::find(op).expect("an op"), others, Attrs::new())
    };
    let mut sorted = a.places.at.clone();
    sorted.sort_unstable();
    sorted.dedup();
    let overlaps = sorted.len() < a.places.at.len();
    let fits = a.places.shape == b.places.shape;
    match choices.below(9) {
        // A view, or what `flip` and some reshapes make: a copy.
        0..=2 => {
            let (tensor, places) = move_once(choices, &a.tensor, &a.places)?;
            if tensor.numel() == 0 || tensor.numel() > 200 {
                return Ok(());
            }
            if tensor.storage_id() == a.tensor.storage_id() {
                world.aliases.push(Alias {
                    tensor,
                    places,
                    ..a
                });
            } else {
                let values = places.at.iter().map(|&at| world.storages[a.storage][at]);
                let cut = |e: Linear| {
                    if a.detached {
                        Linear {
                            slopes: [0.0; LEAF],
                            ..e
                        }
                    } else {
                        e
                    }
                };
                let values = values.map(cut).collect();
                world.own(tensor, values);
            }
        }
        3 if !overlaps => {
            in_place("mul", &[Tensor::number(engine, Scalar::Float(2.0))])?;
            let values: Vec<Linear> = world
                .read(&a)
                .into_iter()
                .map(|e| e.map(|x, _| x * 2.0))
                .collect();
            world.write(&a, &values);
        }
        4 if !overlaps => {
            in_place("add", &[Tensor::number(engine, Scalar::Int(3))])?;
            let values: Vec<Linear> = world
                .read(&a)
                .into_iter()
                .map(|e| e.map(|x, slope| if slope { x } else { x + 3.0 }))
                .collect();
            world.write(&a, &values);
        }
        5 if !overlaps && fits && !a.detached => {
            in_place("add", std::slice::from_ref(&b.tensor))?;
            let sum: Vec<Linear> = world
                .read(&a)
                .into_iter()
                .zip(world.read(&b))
                .map(|(x, y)| Linear {
                    value: x.value + y.value,
                    slopes: std::array::from_fn(|k| x.slopes[k] + y.slopes[k]),
                })
                .collect();
            world.write(&a, &sum);
        }
        6 if !overlaps && fits && !a.detached => {
            a.tensor.assign(&b.tensor)?;
            let values = world.read(&b);
            world.write(&a, &values);
        }
        7 => {
            let values = world
                .read(&a)
                .into_iter()
                .map(|e| e.map(|x, _| x * 3.0))
                .collect();
            world.own(
                a.tensor.mul(&Tensor::number(engine, Scalar::Float(3.0)))?,
                values,
            );
        }
        8 => match choices.below(3) {
            0 => a.tensor.realize()?,
            1 => world.aliases.push(Alias {
                tensor: a.tensor.detach(),
                detached: true,
                ..a
            }),
            _ => {}
        },
        _ => {}
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn view_chains_read_what_the_index_model_reads(list in choices()) {
        view_chain(list)?;
    }

    #[test]
    fn fused_expressions_are_unfused_ones(list in choices()) {
        expressions(list)?;
    }

    #[test]
    fn writes_through_aliases_are_seen_and_differentiated(list in choices()) {
        aliasing(list)?;
    }
}
