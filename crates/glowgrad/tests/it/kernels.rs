//! What the scheduler says of its kernels: why each ends where it ends, the bytes, the source.
#![cfg(all(feature = "explain", not(target_arch = "wasm32")))]

use std::collections::HashMap;
use std::rc::Rc;

use glowgrad::codegen::{self, Line, Names};
use glowgrad::explain::{self, Reason, Scheduled};
use glowgrad::op::Attr;
use glowgrad::trace::{Event, NodeId};
use glowgrad::{DType, Engine, Result, Scalar, Tensor, ops};

use crate::suite;

/// Names of leaves, as the learner's variables.
#[derive(Default)]
pub(crate) struct Variables(pub(crate) HashMap<NodeId, &'static str>);

impl Names for Variables {
    fn name(&self, node: NodeId) -> Option<String> {
        self.0.get(&node).map(|name| (*name).to_owned())
    }
}

fn leaf(engine: &Engine, shape: &[usize]) -> Result<Tensor> {
    let n = shape.iter().product::<usize>();
    let values: Vec<f32> = (0..n).map(|i| i as f32 * 0.25 - 1.0).collect();
    Tensor::from_f32(engine, &values, shape)
}

fn number(engine: &Engine, x: f64) -> Tensor {
    Tensor::number(engine, Scalar::Float(x))
}

/// What was scheduled, each with its name and its reasons.
fn reasons(engine: &Engine) -> Vec<(&'static str, Vec<Reason>)> {
    let items = engine.scheduled();
    items
        .iter()
        .map(|item| (item.name, item.reasons().collect()))
        .collect()
}

#[test]
fn each_boundary_has_its_reason() -> Result<()> {
    use Reason::*;
    let engine = glowgrad::cpu();
    let x = leaf(&engine, &[2, 3])?;
    // One kernel, asked for.
    x.mul(&x)?.add(&x)?.tanh()?.to_bytes()?;
    assert_eq!(reasons(&engine), [("fused", vec![Asked])]);

    engine.begin_step();
    // A reduction that takes its producer along, and its reader.
    x.exp()?.sum()?.neg()?.to_bytes()?;
    assert_eq!(
        reasons(&engine),
        [("reduce", vec![Reduction]), ("fused", vec![Asked])]
    );

    engine.begin_step();
    // What a routine reads is stored; the routine is, too.
    let w = leaf(&engine, &[3, 2])?;
    x.exp()?.matmul(&w)?.tanh()?.to_bytes()?;
    assert_eq!(
        reasons(&engine),
        [
            ("fused", vec![ReadByRoutine]),
            ("matmul", vec![Routine]),
            ("fused", vec![Asked])
        ]
    );

    engine.begin_step();
    // Read twice.
    let h = x.exp()?;
    h.sum()?.add(&h.neg()?)?.to_bytes()?;
    let first = &engine.scheduled()[0];
    assert_eq!(first.reasons().collect::<Vec<_>>(), [Shared]);
    assert_eq!(first.n_readers, 2);

    engine.begin_step();
    // Nine buffers do not go into one kernel.
    let leaves: Result<Vec<Tensor>> = (0..9).map(|_| leaf(&engine, &[4])).collect();
    let mut sum = number(&engine, 0.0);
    for leaf in leaves? {
        sum = sum.add(&leaf)?;
    }
    sum.to_bytes()?;
    assert_eq!(
        reasons(&engine),
        [("fused", vec![Buffers]), ("fused", vec![Asked])]
    );

    engine.begin_step();
    let mut long = leaf(&engine, &[4])?;
    for _ in 0..100 {
        long = long.tanh()?;
    }
    long.to_bytes()?;
    let all = reasons(&engine);
    assert!(all.len() > 1, "100 ops fit one kernel");
    assert!(
        all[..all.len() - 1]
            .iter()
            .all(|(_, why)| why[..] == [Size])
    );

    engine.begin_step();
    // An in-place write rides along with what is asked for.
    let y = leaf(&engine, &[4])?;
    y.assign(&leaf(&engine, &[4])?.exp()?)?;
    leaf(&engine, &[2])?.exp()?.to_bytes()?;
    assert!(
        reasons(&engine)
            .iter()
            .any(|(_, why)| why.contains(&Written))
    );

    engine.begin_step();
    // A part of the first kernel is stored by the second one that reads it, and the third only reads it.
    let scaled = x.exp()?.mul(&x)?;
    scaled.neg()?.to_bytes()?;
    scaled.exp()?.to_bytes()?;
    scaled.neg()?.to_bytes()?;
    assert_eq!(
        reasons(&engine),
        [
            ("fused", vec![Asked]),
            ("fused", vec![ReadAgain]),
            ("fused", vec![Asked]),
            ("fused", vec![Asked])
        ]
    );
    let kernels = engine.scheduled();
    let computed = kernels.iter().map(|item| item.nodes.len());
    assert_eq!(computed.collect::<Vec<_>>(), [3, 2, 1, 1]);

    engine.begin_step();
    engine.set_fusion(false);
    x.mul(&x)?.tanh()?.to_bytes()?;
    engine.set_fusion(true);
    assert_eq!(
        reasons(&engine),
        [
            ("fused", vec![FusionOff]),
            ("fused", vec![Asked, FusionOff])
        ]
    );
    Ok(())
}

#[test]
fn bytes_are_those_of_the_trace_and_each_gradient_has_an_owner() -> Result<()> {
    let engine = glowgrad::cpu();
    let x = leaf(&engine, &[4, 3])?;
    let w = leaf(&engine, &[3, 2])?;
    w.set_requires_grad(true)?;
    let h = x.matmul(&w)?.tanh()?;
    let loss = h.mul(&h)?.softmax(1)?.sum()?;
    loss.backward(None, Default::default())?;
    let counted: usize = engine
        .trace()
        .events()
        .iter()
        .map(|event| match event {
            Event::Scheduled { bytes, .. } => *bytes,
            _ => 0,
        })
        .sum();
    let items = engine.scheduled();
    assert!(items.len() > 4, "{} items", items.len());
    let told: usize = items.iter().map(|item| item.read + item.written).sum();
    assert_eq!(told, counted);
    assert!(items.iter().all(|item| item.reasons().next().is_some()));

    // The nodes of every item lead to a call of the learner's.
    let owners = engine.owners();
    let made: Vec<NodeId> = engine.with_step(|step| step.made.iter().map(|n| n.id).collect());
    let gradients: Vec<NodeId> =
        engine.with_step(|step| step.gradients.iter().map(|n| n.id).collect());
    let mut backward = 0;
    for node in items.iter().flat_map(|item| &item.nodes) {
        let mut at = node.id;
        while !made.contains(&at) && !gradients.contains(&at) {
            let owner = owners.get(&at).copied();
            let owner = owner.unwrap_or_else(|| panic!("{} belongs to no item", node.op.name));
            assert!(owner.node < at);
            backward += usize::from(owner.backward);
            at = owner.node;
        }
    }
    assert!(backward > 0);
    Ok(())
}

#[test]
fn nothing_is_kept_while_nothing_is_recorded_and_what_is_kept_is_bounded() -> Result<()> {
    let engine = glowgrad::cpu();
    engine.trace().set_recording(false);
    leaf(&engine, &[3])?.exp()?.to_bytes()?;
    assert!(engine.scheduled().is_empty());
    engine.trace().set_recording(true);
    let x = leaf(&engine, &[1])?;
    for _ in 0..explain::MAX_ITEMS + 10 {
        x.exp()?.to_bytes()?;
    }
    let kept = engine.scheduled();
    assert!(kept.len() <= explain::MAX_ITEMS);
    assert_eq!(
        kept.len() + engine.scheduled_dropped(),
        explain::MAX_ITEMS + 10
    );
    let newest = kept.last().expect("a schedule item").number;
    assert_eq!(newest as usize, explain::MAX_ITEMS + 9);
    Ok(())
}

pub(crate) fn text(lines: &[Line]) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    lines.join("\n")
}

/// The memory that a workgroup has on every device of WebGPU.
const WORKGROUP_BYTES: u32 = 16 << 10;

/// What is wrong with a shader, if anything: naga reads it, judges it and writes it for Metal, DX12
/// and Vulkan.
pub(crate) fn judge(source: &str) -> Result<(), String> {
    let module = naga::front::wgsl::parse_str(source).map_err(|e| e.emit_to_string(source))?;
    let mut validator = naga::valid::Validator::new(
        naga::valid::ValidationFlags::all(),
        naga::valid::Capabilities::SHADER_FLOAT16,
    );
    let info = validator.validate(&module);
    let info = info.map_err(|e| e.emit_to_string(source))?;
    let globals = module.global_variables.iter().map(|(_, global)| global);
    let of_workgroups = globals.filter(|global| global.space == naga::AddressSpace::WorkGroup);
    let sizes = of_workgroups.map(|global| module.types[global.ty].inner.size(module.to_ctx()));
    let bytes: u32 = sizes.sum();
    if bytes > WORKGROUP_BYTES {
        return Err(format!("{bytes} bytes of memory for a workgroup"));
    }
    let options = naga::back::msl::Options {
        fake_missing_bindings: true,
        ..Default::default()
    };
    naga::back::msl::write_string(&module, &info, &options, &Default::default())
        .map_err(|e| e.to_string())?;
    let options = naga::back::hlsl::Options {
        fake_missing_bindings: true,
        ..Default::default()
    };
    let pipeline = Default::default();
    naga::back::hlsl::Writer::new(&mut String::new(), &options, &pipeline)
        .write(&module, &info, None)
        .map_err(|e| e.to_string())?;
    naga::back::spv::write_vec(&module, &info, &Default::default(), None)
        .map_err(|e| e.to_string())?;
    Ok(())
}

/// Shaders whose `const` lines change sizes or what is called, with the values they take.
#[cfg(feature = "gpu")]
const VARIANTS: &[(&str, &str, &[&str])] = &[
    ("convolution", "WANTED", &["RESULT", "INPUT", "WEIGHT"]),
    ("convolution", "EACH", &["4u", "8u"]),
    (
        "convolution",
        "LANE_ROWS",
        &["2u", "4u", "8u", "16u", "32u"],
    ),
    ("softmax", "IS_LOG", &["false", "true"]),
    ("softmax", "LANES", &["1u", "8u", "64u"]),
    ("softmax_gradient", "IS_LOG", &["false", "true"]),
    ("softmax_gradient", "LANES", &["1u", "8u", "64u"]),
    ("layer_norm", "HAS_WEIGHT", &["false", "true"]),
    ("layer_norm", "HAS_BIAS", &["false", "true"]),
    ("layer_norm", "LANES", &["1u", "8u", "64u"]),
    ("layer_norm_gradient", "HAS_WEIGHT", &["false", "true"]),
    ("layer_norm_gradient", "LANES", &["1u", "8u", "64u"]),
    ("attention", "IS_CAUSAL", &["false", "true"]),
    ("attention", "WIDTH", &["16u", "128u"]),
    ("avg_pool", "DIVISOR", &["0", "1", "2"]),
    ("avg_pool_gradient", "DIVISOR", &["0", "1", "2"]),
];

/// Whether a variant is ever run: large tiles are square.
#[cfg(feature = "gpu")]
fn is_run(source: &str) -> bool {
    !source.contains("const EACH = 8u;") || source.contains("const LANE_ROWS = 8u;")
}

/// A shader with every combination of those values.
#[cfg(feature = "gpu")]
fn variants(name: &str, source: &str) -> Vec<String> {
    let mut all = vec![source.to_owned()];
    let file = name.split(',').next().unwrap_or(name);
    for (_, constant, values) in VARIANTS.iter().filter(|(of, ..)| *of == file) {
        let start = format!("const {constant} = ");
        let with = |source: &String, value: &str| {
            let (before, after) = source.split_once(&start).expect("the constant is there");
            let (_, after) = after.split_once(';').expect("its line ends");
            format!("{before}{start}{value};{after}")
        };
        let each = |source: &String| values.iter().map(|value| with(source, value)).collect();
        all = all
            .iter()
            .flat_map(|source| -> Vec<String> { each(source) })
            .collect();
    }
    all
}

#[cfg(feature = "gpu")]
#[test]
fn hand_written_shaders_are_valid() {
    let (mut n, mut failures) = (0, Vec::new());
    for (name, source) in glowgrad::gpu::sources() {
        for source in variants(&name, &source)
            .into_iter()
            .filter(|source| is_run(source))
        {
            n += 1;
            if let Err(why) = judge(&source) {
                failures.push(format!("{name}: {why}"));
            }
        }
    }
    println!("{n} shaders");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[cfg(feature = "gpu")]
#[test]
fn hand_written_shaders_with_an_epilogue_are_valid() -> Result<()> {
    let engine = glowgrad::cpu();
    let half = Tensor::number(&engine, glowgrad::Scalar::Float(0.5));
    let (mut n, mut failures) = (0, Vec::new());
    for dtype in [DType::F32, DType::F16, DType::Bool] {
        engine.begin_step();
        let y = leaf(&engine, &[4, 6])?.add(&leaf(&engine, &[6])?)?;
        call("tanh", &[&y.mul(&half)?], &[])?
            .to(dtype)?
            .to_bytes()?;
        let items = engine.scheduled();
        let glowgrad::kernel::Work::Kernel(kernel) = &items[0].work else {
            unreachable!("elementwise work is a kernel")
        };
        for (name, source) in glowgrad::gpu::with_epilogue(kernel).expect("WGSL has its words") {
            n += 1;
            assert!(source.contains("  f0: f32,\n}"), "{source}");
            if let Err(why) = judge(&source) {
                failures.push(format!("{name}, {dtype}: {why}\n{source}"));
            }
        }
    }
    assert_eq!(n, 9, "three shaders take one");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    Ok(())
}

/// Prints a schedule item both ways; returns whether it has a shader.
fn prints(item: &Rc<Scheduled>, what: &str, failures: &mut Vec<String>) -> bool {
    let names = Variables::default();
    let pseudo = codegen::pseudo_code(item, &names);
    let stored = item.stored().expect("a result").id;
    let stores = |line: &Line| line.nodes.contains(&stored) && line.text.contains(" = ");
    if !pseudo.iter().any(stores) {
        failures.push(format!("{what}: nothing is stored in\n{}", text(&pseudo)));
    }
    match codegen::wgsl(item, &names) {
        Err(why) => {
            if !why.ends_with('.') {
                failures.push(format!("{what}: no sentence: {why}"));
            }
            false
        }
        Ok(lines) => {
            let source = text(&lines);
            if let Err(why) = judge(&source) {
                failures.push(format!("{what}: {why}\n{source}"));
            }
            true
        }
    }
}

#[test]
fn every_op_prints_and_its_shaders_are_valid() -> Result<()> {
    let engine = glowgrad::cpu();
    let mut failures = Vec::new();
    let (mut shaders, mut routines, mut refused) = (0, 0, 0);
    for op in ops::all() {
        for dtype in [DType::F32, DType::F16, DType::I32, DType::Bool, DType::F64] {
            let float = matches!(dtype, DType::F32 | DType::F16);
            if !float && !matches!(op.kind, glowgrad::op::Kind::Elementwise(_)) {
                continue;
            }
            for sample in suite::samples::samples(&engine, op, dtype) {
                engine.begin_step();
                for operand in &sample.operands {
                    if op.is_differentiable() && operand.dtype().is_float() {
                        operand.detach().set_requires_grad(true)?;
                    }
                }
                // An op may refuse a dtype.
                let Ok(result) = Tensor::apply(&engine, op, &sample.operands, sample.attrs) else {
                    continue;
                };
                if result.to_bytes().is_err() {
                    continue;
                }
                for item in engine.scheduled() {
                    let what = format!("{} {dtype}", op.name);
                    match prints(&item, &what, &mut failures) {
                        true => shaders += 1,
                        false if matches!(item.work, glowgrad::kernel::Work::Routine(_)) => {
                            routines += 1;
                        }
                        false => refused += 1,
                    }
                }
            }
        }
    }
    println!("{shaders} shaders, {routines} routines, {refused} that WGSL cannot express");
    assert!(shaders > 500, "only {shaders} shaders");
    assert!(routines > 50, "only {routines} routines");
    let n = failures.len();
    failures.truncate(6);
    assert!(n == 0, "{n} fail:\n{}", failures.join("\n\n"));
    Ok(())
}

/// One expression's kernels, in both languages, where every composite is its formula.
fn shown(build: impl Fn(&Engine, &mut Variables) -> Result<Tensor>) -> Result<String> {
    let engine = suite::layered::formulas();
    let mut names = Variables::default();
    let result = build(&engine, &mut names)?;
    result.to_bytes()?;
    let mut out = Vec::new();
    for item in engine.scheduled() {
        let reasons: Vec<Reason> = item.reasons().collect();
        out.push(format!("== {} {} {reasons:?}", item.number, item.name));
        out.push(text(&codegen::pseudo_code(&item, &names)));
        out.push("--".to_owned());
        out.push(match codegen::wgsl(&item, &names) {
            Ok(lines) => text(&lines),
            Err(why) => why,
        });
    }
    Ok(out.join("\n"))
}

fn named(
    engine: &Engine,
    names: &mut Variables,
    name: &'static str,
    shape: &[usize],
) -> Result<Tensor> {
    let tensor = leaf(engine, shape)?;
    names.0.insert(tensor.node().id, name);
    Ok(tensor)
}

fn call(name: &str, operands: &[&Tensor], attrs: &[Attr]) -> Result<Tensor> {
    let op = ops::find(name).expect("an op of that name");
    let owned: Vec<Tensor> = operands.iter().map(|&t| t.clone()).collect();
    Tensor::apply(
        owned[0].engine(),
        op,
        &owned,
        attrs.iter().cloned().collect(),
    )
}

#[test]
fn printed_kernels_read_well() -> Result<()> {
    assert_snapshot!(
        "affine",
        shown(|engine, names| {
            let (x, b) = (
                named(engine, names, "x", &[64, 32])?,
                named(engine, names, "b", &[32])?,
            );
            x.mul(&number(engine, 0.5))?.add(&b)?.tanh()
        })?
    );
    assert_snapshot!(
        "transposed",
        shown(|engine, names| {
            let (x, y) = (
                named(engine, names, "x", &[2, 3])?,
                named(engine, names, "y", &[3, 2])?,
            );
            x.reversed()?.sub(&y)
        })?
    );
    assert_snapshot!(
        "mean_square",
        shown(|engine, names| {
            let x = named(engine, names, "x", &[4, 8])?;
            x.mul(&x)?.sum_dim(&[1], false)?.div(&number(engine, 8.0))
        })?
    );
    assert_snapshot!(
        "softmax",
        shown(|engine, names| { named(engine, names, "scores", &[4, 10])?.softmax(1) })?
    );
    assert_snapshot!(
        "linear",
        shown(|engine, names| {
            let (x, w) = (
                named(engine, names, "x", &[8, 3])?,
                named(engine, names, "w", &[3, 4])?,
            );
            x.matmul(&w)?.relu()
        })?
    );
    assert_snapshot!(
        "argmax",
        shown(|engine, names| { named(engine, names, "scores", &[5, 10])?.argmax(1) })?
    );
    assert_snapshot!(
        "gelu",
        shown(|engine, names| {
            let x = named(engine, names, "x", &[3])?;
            call("gelu", &[&x], &[Attr::Str("none")])
        })?
    );
    assert_snapshot!(
        "integers",
        shown(|engine, names| {
            let x = Tensor::from_i64(engine, &[7, -7, 3], &[3])?;
            names.0.insert(x.node().id, "n");
            call(
                "remainder",
                &[&x, &Tensor::number(engine, Scalar::Int(4))],
                &[],
            )
        })?
    );
    assert_snapshot!(
        "choice",
        shown(|engine, names| {
            let x = named(engine, names, "x", &[6])?;
            let positive = call("gt", &[&x, &number(engine, 0.0)], &[])?;
            x.where_(&positive, &number(engine, f64::NEG_INFINITY))
        })?
    );
    assert_snapshot!(
        "flipped",
        shown(|engine, names| {
            let x = named(engine, names, "x", &[4])?;
            call("flip", &[&x], &[Attr::ints(&[0])])?.exp()
        })?
    );
    Ok(())
}
