//! Products that take the elementwise work after them along: the same bits in fewer tasks, on the processor
//! as a device that does so and on a GPU.
#![cfg(not(target_arch = "wasm32"))]

use std::rc::Rc;

use glowgrad::codegen::{self, Line};
use glowgrad::explain::Scheduled;
use glowgrad::op::{Kind, Op};
use glowgrad::replay::{Captured, Replay};
use glowgrad::{CpuBackend, DType, Engine, Index, Result, Scalar, Tensor, ops};
use serde_json::json;

use crate::suite;
use crate::suite::call::call;
use crate::suite::samples::Numbers;
use crate::suite::watched::{Bench, Takes};

#[cfg(feature = "gpu")]
pub(crate) fn gpu() -> Option<Rc<glowgrad::gpu::GpuBackend>> {
    match glowgrad::gpu::GpuBackend::open(glowgrad::gpu::block_on) {
        Ok(backend) => Some(Rc::new(backend)),
        Err(error) => {
            println!("SKIPPED: {error}");
            None
        }
    }
}

#[cfg(feature = "gpu")]
fn on_gpu() -> Option<[Bench; 2]> {
    let gpu = gpu()?;
    let joined = Bench::new(gpu.clone(), |gpu, routine, kernel| {
        gpu.takes_epilogue(routine, kernel)
    });
    joined.engine.set_strict(true);
    Some([joined, Bench::new(gpu, |_, _, _| false)])
}

#[cfg(not(feature = "gpu"))]
fn on_gpu() -> Option<[Bench; 2]> {
    None
}

/// Each device twice: with epilogues and without.
fn benches() -> Vec<[Bench; 2]> {
    let on_cpu = |takes: Takes| Bench::new(Rc::new(CpuBackend::new()), takes);
    let on_cpu = [on_cpu(|_, _, _| true), on_cpu(|_, _, _| false)];
    std::iter::once(on_cpu).chain(on_gpu()).collect()
}

/// The same on both engines of each device, bit for bit; returns what ran on the first, joined and apart.
fn compare(
    benches: &[[Bench; 2]],
    what: &str,
    compute: impl Fn(&Engine) -> Result<Vec<Tensor>>,
) -> Result<[Vec<String>; 2]> {
    let mut ran = Vec::new();
    for pair in benches {
        let [got, expected] = pair.each_ref().map(|bench| -> Result<Vec<Vec<u8>>> {
            let results = compute(&bench.engine)?;
            results.iter().map(Tensor::to_bytes).collect()
        });
        let engine = &pair[0].engine;
        let on = engine.device_name(engine.device());
        assert!(got? == expected?, "{what} on {on}: other bits");
        ran.push(pair.each_ref().map(Bench::ran));
    }
    // Layers aside, every device is asked for the same.
    let products = |ran: &[Vec<String>; 2]| {
        ran.each_ref()
            .map(|ran| ["matmul", "matmul+"].map(|name| count(ran, name)))
    };
    let first = ran.swap_remove(0);
    for other in ran {
        assert_eq!(products(&other), products(&first), "{what}");
    }
    Ok(first)
}

fn random(engine: &Engine, shape: &[usize], seed: u64) -> Result<Tensor> {
    Numbers::new(seed).tensor(engine, shape, (-1.0, 1.0), DType::F32)
}

fn number(engine: &Engine, x: f64) -> Tensor {
    Tensor::number(engine, Scalar::Float(x))
}

fn unary(name: &str, x: &Tensor) -> Result<Tensor> {
    Ok(call(x.engine(), name, std::slice::from_ref(x), &json!({}))?.remove(0))
}

/// What comes after a product of `[.., m, n]`.
type Chain = fn(&Tensor) -> Result<Tensor>;

const CHAINS: [(&str, Chain); 7] = [
    ("relu", |y| y.relu()),
    ("a bias and relu", |y| {
        let n = y.shape()[y.shape().len() - 1];
        y.add(&random(y.engine(), &[n], 3)?)?.relu()
    }),
    ("a number for each row", |y| {
        let m = y.shape()[y.shape().len() - 2];
        y.mul(&random(y.engine(), &[m, 1], 4)?)
    }),
    ("a sum with what was there", |y| {
        random(y.engine(), &y.shape(), 5)?.add(y)
    }),
    ("a transposed mask", |y| {
        let mut turned = y.shape().to_vec();
        let last = turned.len() - 1;
        turned.swap(last, last - 1);
        let mask = random(y.engine(), &turned, 6)?.transpose(-1, -2)?;
        y.mul(&mask)?.mul(&number(y.engine(), 1.25))
    }),
    ("gelu and tanh", |y| unary("tanh", &unary("gelu", y)?)),
    ("a comparison", |y| {
        call(
            y.engine(),
            "gt",
            &[y.clone(), number(y.engine(), 0.1)],
            &json!({}),
        )
        .map(|mut all| all.remove(0))
    }),
];

#[test]
fn products_of_every_size_keep_their_bits() -> Result<()> {
    let sizes: [(&[usize], &[usize]); 8] = [
        (&[1, 1], &[1, 1]),
        (&[7, 13], &[13, 5]),
        (&[65, 33], &[33, 129]),
        // Few elements, long sums.
        (&[3, 5000], &[5000, 2]),
        // Many tiles.
        (&[530, 9], &[9, 515]),
        (&[3, 20, 11], &[3, 11, 34]),
        (&[2, 3, 17, 8], &[8, 40]),
        (&[2, 1, 9, 4], &[5, 4, 6]),
    ];
    let benches = benches();
    for (a, b) in sizes {
        for (name, chain) in CHAINS {
            let what = format!("{a:?} @ {b:?}, {name}");
            let [joined, mut apart] = compare(&benches, &what, |engine| {
                let (a, b) = (random(engine, a, 1)?, random(engine, b, 2)?);
                Ok(vec![chain(&a.matmul(&b)?)?])
            })?;
            assert_eq!(
                apart.split_off(apart.len() - 2),
                ["matmul", "fused"],
                "{what}"
            );
            assert_eq!(joined[..apart.len()], apart, "{what}");
            assert_eq!(joined[apart.len()..], ["matmul+"], "{what}");
        }
    }
    Ok(())
}

#[test]
fn operands_may_be_views_and_what_is_added_a_product() -> Result<()> {
    let benches = benches();
    let [joined, _] = compare(&benches, "views", |engine| {
        let (a, b) = (random(engine, &[70, 31], 1)?, random(engine, &[33, 70], 2)?);
        let product = a.transpose(0, 1)?.matmul(&b.transpose(0, 1)?)?;
        Ok(vec![product.relu()?])
    })?;
    assert_eq!(joined, ["matmul+"]);
    // As in a recurrent layer: one product is an operand of the other's epilogue.
    let [joined, _] = compare(&benches, "two products", |engine| {
        let x = [1, 2, 3, 4].map(|seed| random(engine, &[20, 20], seed));
        let [a, b, c, d] = x;
        let sum = a?.matmul(&b?)?.add(&c?.matmul(&d?)?)?;
        Ok(vec![unary("tanh", &sum)?])
    })?;
    assert_eq!(joined, ["matmul", "matmul+"]);
    // Seven buffers are read, those of the product among them, but not eight.
    for (n, expected) in [(5, ["matmul+"].as_slice()), (6, &["matmul", "fused"])] {
        let [joined, _] = compare(&benches, "many operands", |engine| {
            let x = random(engine, &[20, 20], 1)?;
            let mut sum = x.matmul(&x)?;
            for seed in 0..n {
                sum = sum.mul(&random(engine, &[20, 20], seed)?)?;
            }
            Ok(vec![sum])
        })?;
        assert_eq!(joined, expected, "{n} more operands");
    }
    Ok(())
}

#[test]
fn products_of_integers_and_of_halves_are_joined_too() -> Result<()> {
    let benches = benches();
    let [joined, _] = compare(&benches, "integers", |engine| {
        let x = Tensor::from_i64(engine, &[1, -2, 3, 4, 5, -6], &[2, 3])?;
        let one = Tensor::number(engine, Scalar::Int(1));
        Ok(vec![x.matmul(&x.transpose(0, 1)?)?.add(&one)?])
    })?;
    assert_eq!(joined, ["matmul+"]);
    #[cfg(feature = "gpu")]
    let benches: Vec<_> = match gpu() {
        Some(gpu) if gpu.has_f16() => benches,
        _ => benches.into_iter().take(1).collect(),
    };
    // The product is float32's, rounded to float16 before anything else.
    let [joined, _] = compare(&benches, "halves", |engine| {
        let x = random(engine, &[40, 40], 1)?.to(DType::F16)?;
        x.realize()?;
        Ok(vec![x.matmul(&x)?.add(&x)?.relu()?])
    })?;
    assert_eq!(joined.last().map(String::as_str), Some("matmul+"));
    Ok(())
}

#[test]
fn a_product_with_another_reader_is_stored() -> Result<()> {
    let benches = benches();
    let product = |engine: &Engine| -> Result<Tensor> {
        random(engine, &[9, 20], 1)?.matmul(&random(engine, &[20, 30], 2)?)
    };
    let apart = ["matmul", "fused"];
    let [ran, _] = compare(&benches, "a product with a name", |engine| {
        let y = product(engine)?;
        let z = y.relu()?;
        z.realize()?;
        Ok(vec![z, y])
    })?;
    assert_eq!(ran, apart);
    let [ran, _] = compare(&benches, "a sum with a name", |engine| {
        let y = product(engine)?.add(&number(engine, 1.0))?;
        let z = y.relu()?;
        z.realize()?;
        Ok(vec![z, y])
    })?;
    assert_eq!(ran, ["matmul", "fused", "fused"]);
    let [ran, _] = compare(&benches, "two readers", |engine| {
        let y = product(engine)?;
        Ok(vec![y.sum()?.add(&y.relu()?)?])
    })?;
    assert_eq!(ran, ["matmul", "reduce", "fused"]);
    let [ran, _] = compare(&benches, "other places", |engine| {
        Ok(vec![product(engine)?.transpose(0, 1)?.relu()?])
    })?;
    assert_eq!(ran, apart);
    let [ran, _] = compare(&benches, "a part", |engine| {
        let first = Index::Slice(None, Some(4), None);
        Ok(vec![product(engine)?.get(&[first])?.relu()?])
    })?;
    assert_eq!(ran, apart);
    let [ran, _] = compare(&benches, "a sum of squares", |engine| {
        let y = product(engine)?;
        Ok(vec![y.mul(&y)?.sum()?])
    })?;
    assert_eq!(ran, ["matmul", "reduce"]);
    let [ran, _] = compare(&benches, "fusion off", |engine| {
        engine.set_fusion(false);
        let y = product(engine)?.relu();
        Ok(vec![y?])
    })?;
    assert_eq!(ran, apart);
    Ok(())
}

/// A layer of units and one of classes; what `act` makes of the first is dropped by hand.
fn network(engine: &Engine, act: &str, seen: bool) -> Result<Vec<Tensor>> {
    let x = random(engine, &[20, 12], 1)?;
    let shapes: [&[usize]; 4] = [&[33, 12], &[33], &[5, 33], &[5]];
    let mut parameters = Vec::new();
    for (seed, shape) in (2..).zip(shapes) {
        let parameter = random(engine, shape, seed)?;
        parameter.set_requires_grad(true)?;
        parameters.push(parameter);
    }
    let target = Numbers::new(9).indices(engine, &[20], 5)?;
    let mask = random(engine, &[20, 33], 8)?;
    // No variable names what is in between.
    let units = unary(act, &x.linear(&parameters[0], Some(&parameters[1]))?)?;
    let units = { units }.mul(&mask)?;
    let classes = { units }.linear(&parameters[2], Some(&parameters[3]))?;
    let loss = classes.cross_entropy(&target)?;
    if seen {
        loss.item()?;
    }
    loss.backward(None, Default::default())?;
    let mut results = vec![loss, classes];
    results.extend(parameters.iter().filter_map(Tensor::grad));
    Ok(results)
}

fn count(ran: &[String], name: &str) -> usize {
    ran.iter().filter(|task| *task == name).count()
}

#[test]
fn a_training_step_joins_both_ways_and_multiplies_nothing_twice() -> Result<()> {
    let benches = benches();
    for act in ["relu", "gelu", "sigmoid", "silu"] {
        for seen in [false, true] {
            let what = format!("{act}, the loss looked at before: {seen}");
            let [joined, apart] = compare(&benches, &what, |engine| network(engine, act, seen))?;
            let more = if act == "relu" && !seen { 2 } else { 1 };
            assert!(count(&joined, "matmul+") > more, "{what}: {joined:?}");
            // Two forward, the gradients of two weights and of the units.
            assert_eq!(
                count(&joined, "matmul") + count(&joined, "matmul+"),
                5,
                "{what}"
            );
            assert_eq!(count(&apart, "matmul"), 5, "{what}");
        }
    }
    Ok(())
}

#[test]
fn a_joined_job_names_all_its_nodes_and_its_lines_come_from_them() -> Result<()> {
    for [bench, _] in benches() {
        let engine = &bench.engine;
        engine.trace().set_recording(true);
        let x = random(engine, &[9, 20], 1)?;
        let w = random(engine, &[30, 20], 2)?;
        let bias = random(engine, &[30], 3)?;
        let y = x
            .linear(&w, Some(&bias))?
            .relu()?
            .mul(&number(engine, 0.5))?;
        y.realize()?;
        assert_eq!(bench.ran(), ["matmul+"], "on stage as elsewhere");
        let items = engine.scheduled();
        let ops =
            |item: &Scheduled| -> Vec<&str> { item.nodes.iter().map(|n| n.op.name).collect() };
        assert_eq!(ops(&items[0]), ["product", "add", "relu", "mul"]);
        let read: Vec<_> = items[0].inputs.iter().map(|n| n.id).collect();
        assert_eq!(read, [&x, &w, &bias].map(|t| t.node().id));
        let text = |lines: &[Line]| -> String {
            lines
                .iter()
                .map(|line| format!("{}\n", line.text))
                .collect()
        };
        assert_snapshot!("joined", text(&codegen::pseudo_code(&items[0], &())));
        let Ok(lines) = engine.wgsl(&items[0], &()) else {
            assert!(engine.device_kind(engine.device()).starts_with("cpu"));
            continue;
        };
        let shown = text(&lines);
        let end = lines
            .iter()
            .position(|line| line.text.starts_with("// The epilogue"));
        assert_snapshot!("joined_wgsl", text(&lines[end.expect("it has one")..]));
        assert!(
            shown.contains("  f1: f32,\n}"),
            "numbers stand behind the sizes: {shown}"
        );
        let comes_from = |part: &str, op: &str| {
            let line = lines.iter().rev().find(|line| line.text.contains(part));
            let node = items[0].nodes.iter().find(|node| node.op.name == op);
            line.is_some_and(|line| line.nodes == [node.map_or(0, |node| node.id)])
        };
        assert!(comes_from("total[i][j] +=", "product"), "{shown}");
        assert!(comes_from("let add_", "add"), "{shown}");
        assert!(comes_from("let relu_", "relu"), "{shown}");
    }
    Ok(())
}

#[test]
fn convolutions_and_their_gradients_are_joined_too() -> Result<()> {
    let compute = |engine: &Engine| -> Result<Vec<Tensor>> {
        let x = random(engine, &[2, 3, 11, 9], 1)?;
        let w = random(engine, &[6, 3, 3, 3], 2)?;
        let v = random(engine, &[5, 6, 2, 2], 3)?;
        let bias = random(engine, &[6], 4)?;
        w.set_requires_grad(true)?;
        bias.set_requires_grad(true)?;
        let attrs = json!({ "padding": 1, "stride": 2 });
        let first = [x, w.clone(), bias.clone()];
        // No variable names what is in between.
        let units = unary("relu", &call(engine, "conv2d", &first, &attrs)?.remove(0))?;
        let loss = {
            let result = call(engine, "conv2d", &[units, v], &json!({}))?.remove(0);
            unary("tanh", &result)?.sum()?
        };
        loss.backward(None, Default::default())?;
        Ok(vec![
            w.grad().expect("it has one"),
            bias.grad().expect("it has one"),
        ])
    };
    let [joined, apart] = compare(&benches(), "convolutions", compute)?;
    let plain = ["convolution", "convolution input gradient"];
    assert_eq!(plain.map(|name| count(&apart, name)), [2, 1], "{apart:?}");
    let end = ["convolution+", "convolution input gradient+"];
    assert_eq!(end.map(|name| count(&joined, name)), [2, 1], "{joined:?}");
    Ok(())
}

/// What a shader and its epilogue call things must not meet.
#[test]
fn every_op_can_be_an_epilogue() -> Result<()> {
    let benches = benches();
    let is_alone = |op: &&'static Op| {
        matches!(op.kind, Kind::Elementwise(_)) && op.params.len() == 1 && op.method
    };
    let mut n = 0;
    for op in ops::all().filter(is_alone) {
        for product in ["matmul", "conv1d"] {
            let shapes: [&[usize]; 2] = match product {
                "matmul" => [&[5, 7], &[7, 6]],
                _ => [&[2, 3, 9], &[4, 3, 2]],
            };
            let [joined, _] = compare(&benches, op.name, |engine| {
                let (a, b) = (random(engine, shapes[0], 1)?, random(engine, shapes[1], 2)?);
                let y = call(engine, product, &[a, b], &json!({}))?.remove(0);
                Ok(match Tensor::apply(engine, op, &[y], Default::default()) {
                    Ok(y) => vec![y],
                    // Of integers alone.
                    Err(_) => Vec::new(),
                })
            })?;
            n += usize::from(joined.last().is_some_and(|last| last.ends_with('+')));
        }
    }
    assert!(n > 80, "only {n}");
    Ok(())
}

#[test]
fn every_reference_case_holds_where_everything_is_joined() {
    let mut n = 0;
    for (file, text) in suite::golden::FILES {
        let bench = Bench::new(Rc::new(CpuBackend::new()), |_, _, _| true);
        let report = suite::golden::run(&bench.engine, text);
        assert!(report.failed.is_empty(), "{file}: {:?}", report.failed);
        n += bench
            .ran()
            .iter()
            .filter(|task| task.ends_with('+'))
            .count();
    }
    println!("{n} routines with an epilogue");
    assert!(n > 500, "only {n}");
}

/// What a step reads of the one before as an epilogue's operand alone.
#[test]
fn a_step_with_an_epilogue_runs_again() -> Result<()> {
    for [joined, apart] in benches() {
        let start = |engine: &Engine| -> Result<[Tensor; 3]> {
            let state = random(engine, &[9, 8], 3)?;
            Ok([
                random(engine, &[9, 20], 1)?,
                random(engine, &[20, 8], 2)?,
                state,
            ])
        };
        let step = |[x, w, state]: &[Tensor; 3], factor: f64| -> Result<()> {
            let add = ops::find("add").expect("an op");
            let more = x.matmul(w)?.mul(&number(state.engine(), factor))?;
            state.apply_in_place(add, &[more], Default::default())
        };
        let engine = &joined.engine;
        let here = start(engine)?;
        joined.ran();
        let capture = |before: Option<&Captured>, factor: f64| {
            let device = engine.device();
            let (done, _, captured) =
                engine.capture(before, &[], device, |_| step(&here, factor))?;
            done.map(|()| captured)
        };
        let first = capture(None, 0.5)?;
        let second = capture(Some(&first), 0.5)?;
        assert_eq!(joined.ran(), ["matmul+", "matmul+"]);
        let replay = Replay::of(engine, &first, &second)?;
        replay.run(|| Ok(()))?;
        replay.run(|| Ok(()))?;
        let there = start(&apart.engine)?;
        for _ in 0..4 {
            step(&there, 0.5)?;
        }
        assert_eq!(here[2].to_f64()?, there[2].to_f64()?);
        let Err(error) = Replay::of(engine, &second, &capture(Some(&second), 0.25)?) else {
            panic!("it multiplies by another number");
        };
        assert!(
            error.message.contains("a number changes from step to step"),
            "{error}"
        );
    }
    Ok(())
}

#[cfg(feature = "gpu")]
#[test]
fn numbers_that_change_make_no_pipeline_and_a_lost_device_no_difference() -> Result<()> {
    let Some(backend) = gpu() else { return Ok(()) };
    let engine = Engine::new(Box::new(backend.clone()));
    let x = random(&engine, &[9, 20], 1)?;
    let w = random(&engine, &[20, 30], 2)?;
    let product = x.matmul(&w)?.to_f64()?;
    let mut n_pipelines = 0;
    for step in 1..5 {
        let factor = 0.5_f64.powi(step);
        let before = backend.dispatches();
        let y = x.matmul(&w)?.mul(&number(&engine, factor))?;
        y.realize()?;
        assert_eq!(backend.dispatches(), before + 1);
        if step > 2 {
            backend.destroy_device();
        } else if step > 1 {
            assert_eq!(backend.pipelines(), n_pipelines);
        }
        n_pipelines = backend.pipelines();
        let expected: Vec<f64> = product.iter().map(|y| y * factor).collect();
        assert_eq!(y.to_f64()?, expected);
    }
    Ok(())
}
