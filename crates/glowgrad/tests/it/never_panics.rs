//! Nothing that a learner can type panics: every op and every call of the registry with operands and
//! attributes that fit and that do not, their results read and their gradients taken, and once more in
//! place. What is refused says the op's name, or what PyTorch says; what is not has the interpreter's
//! value.
//!
//! `FUZZ_CALLS=1000` makes that many calls of each instead of the usual few.
#![cfg(not(target_arch = "wasm32"))]

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use glowgrad::autograd::BackwardOptions;
use glowgrad::interpret::interpret;
use glowgrad::op::{Attr, Attrs, Kind, MultiOutputOp, Op, Param, ParamKind};
use glowgrad::{DType, Engine, Error, Result, Scalar, Tensor, ops};

use glowgrad::samples::sample;

use crate::suite::parity;
use crate::suite::samples::{Numbers, Sample, samples};

const CALLS: usize = 150;
/// Larger results are not computed.
const LARGEST: usize = 1_000_000;

/// What is called: an op or a call with several results.
#[derive(Clone, Copy)]
enum Callee {
    One(&'static Op),
    Many(&'static MultiOutputOp),
}

impl Callee {
    fn name(self) -> &'static str {
        match self {
            Callee::One(op) => op.name,
            Callee::Many(several) => several.name,
        }
    }

    fn params(self) -> &'static [Param] {
        match self {
            Callee::One(op) => op.params,
            Callee::Many(several) => several.params,
        }
    }

    fn call(self, engine: &Engine, sample: &Sample) -> Result<Vec<Tensor>> {
        let (operands, attrs) = (&sample.operands, &sample.attrs);
        match self {
            Callee::One(op) => Ok(vec![Tensor::apply(engine, op, operands, attrs.clone())?]),
            Callee::Many(several) => Tensor::apply_multi(engine, several, operands, attrs),
        }
    }

    fn samples(self, engine: &Engine) -> Vec<Sample> {
        match self {
            Callee::One(op) => samples(engine, op, DType::F32),
            Callee::Many(several) => {
                let mut numbers = Numbers::new(1);
                let callee = several.into();
                let mut sample = |text: &&str| {
                    let numbers = &mut numbers;
                    sample(engine, callee, several.domain, DType::F32, numbers, text)
                        .expect("a sample")
                };
                several.samples.iter().map(&mut sample).collect()
            }
        }
    }
}

fn pick<T: Clone>(numbers: &mut Numbers, list: &[T]) -> T {
    list[numbers.below(list.len())].clone()
}

fn integer(numbers: &mut Numbers) -> i64 {
    const FAR: &[i64] = &[
        i64::MIN,
        i64::MIN + 1,
        -1 << 40,
        -1000,
        1 << 31,
        1 << 40,
        i64::MAX,
    ];
    match numbers.below(8) {
        0 => pick(numbers, FAR),
        1 => numbers.below(40) as i64 - 20,
        _ => numbers.below(7) as i64 - 2,
    }
}

fn number(numbers: &mut Numbers) -> f64 {
    const FAR: &[f64] = &[
        0.0,
        -0.0,
        1.0,
        -1.0,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        1e300,
    ];
    match numbers.below(3) {
        0 => pick(numbers, FAR),
        _ => numbers.unit() * 4.0 - 2.0,
    }
}

fn operand(engine: &Engine, numbers: &mut Numbers) -> Tensor {
    if numbers.below(16) == 0 {
        let number = match numbers.below(3) {
            0 => Scalar::Bool(true),
            1 => Scalar::Int(integer(numbers)),
            _ => Scalar::Float(number(numbers)),
        };
        return Tensor::number(engine, number);
    }
    let n_dims = pick(numbers, &[0, 0, 1, 1, 2, 2, 3, 4, 5]);
    let mut shape = || pick(numbers, &[0, 1, 1, 2, 2, 3, 3, 4]);
    let shape: Vec<usize> = (0..n_dims).map(|_| shape()).collect();
    let common = [DType::F32, DType::F32, DType::I64, DType::I64, DType::Bool];
    let dtype = match numbers.below(3) {
        0 => pick(numbers, &DType::ALL),
        _ => pick(numbers, &common),
    };
    let values: Vec<Scalar> = (0..shape.iter().product())
        .map(|_| match dtype.is_float() {
            true => Scalar::Float(number(numbers)),
            false if numbers.below(30) == 0 => Scalar::Int(integer(numbers)),
            false => Scalar::Int(numbers.below(5) as i64 - 1),
        })
        .collect();
    let tensor = Tensor::from_scalars(engine, &values, &shape, dtype).expect("a small shape");
    if dtype.is_float() && numbers.below(2) == 0 {
        tensor.set_requires_grad(true).expect("a leaf of floats");
    }
    if n_dims > 1 && numbers.below(4) == 0 {
        return tensor.transpose(0, -1).expect("two dimensions");
    }
    tensor
}

/// A value of the kind that binding lets through.
fn attribute(numbers: &mut Numbers, param: &Param) -> Attr {
    if let Some(default) = &param.default
        && numbers.below(3) == 0
    {
        return default.clone();
    }
    match param.kind {
        ParamKind::Int => Attr::Int(integer(numbers)),
        ParamKind::Ints if numbers.below(3) == 0 => Attr::Int(integer(numbers)),
        ParamKind::Ints => {
            let n = numbers.below(5);
            Attr::ints(&(0..n).map(|_| integer(numbers)).collect::<Vec<_>>())
        }
        ParamKind::Float if numbers.below(3) == 0 => Attr::Int(integer(numbers)),
        ParamKind::Float => Attr::Float(number(numbers)),
        ParamKind::Bool => Attr::Bool(numbers.below(2) == 0),
        ParamKind::DType => Attr::DType(pick(numbers, &DType::ALL)),
        ParamKind::Word(words) => Attr::Str(pick(numbers, words)),
        ParamKind::Tensor | ParamKind::Tensors => unreachable!("operands are no attributes"),
    }
}

fn is_operand(param: &&Param) -> bool {
    matches!(param.kind, ParamKind::Tensor | ParamKind::Tensors)
}

/// A call out of nothing, or one that fits but for an operand or an attribute.
fn draw(engine: &Engine, numbers: &mut Numbers, callee: Callee) -> Sample {
    let params = callee.params();
    let attr_params: Vec<&Param> = params.iter().filter(|p| !is_operand(p)).collect();
    let fitting = callee.samples(engine);
    if numbers.below(3) > 0 && !fitting.is_empty() {
        let at = numbers.below(fitting.len());
        let mut sample = fitting.into_iter().nth(at).expect("below the length");
        let (n, m) = (sample.operands.len(), sample.attrs.len());
        for _ in 0..=numbers.below(2) {
            match numbers.below(n + m + 1) {
                i if i < n => sample.operands[i] = operand(engine, numbers),
                i if i < n + m => sample.attrs[i - n] = attribute(numbers, attr_params[i - n]),
                _ => {
                    let dtype = pick(numbers, &DType::ALL);
                    for operand in sample.operands.iter_mut() {
                        if operand.dtype().is_float() {
                            *operand = operand.detach().to(dtype).expect("any cast");
                        }
                    }
                }
            }
        }
        return sample;
    }
    let mut operands = Vec::new();
    for param in params.iter().filter(is_operand) {
        if param.kind == ParamKind::Tensors {
            let n = 1 + numbers.below(3);
            operands.extend((0..n).map(|_| operand(engine, numbers)));
        } else if param.default.is_none() || numbers.below(2) == 0 {
            operands.push(operand(engine, numbers));
        } else {
            // Binding refuses the next one without this one.
            break;
        }
    }
    let attrs: Attrs = attr_params.iter().map(|p| attribute(numbers, p)).collect();
    Sample { operands, attrs }
}

/// Whether a matrix with NaN, infinities or squares that overflow is factored: which of them comes out is a matter of
/// the order of the steps.
fn is_order_of_steps(callee: Callee, sample: &Sample) -> bool {
    const FACTORS: &[&str] = &["qr", "inv", "det", "solve", "cholesky", "matrix_power"];
    let moderate = |t: &Tensor| {
        let values = t.to_scalars().unwrap_or_default();
        values.iter().all(|x| x.as_f64().abs() < 1e15)
    };
    FACTORS.iter().any(|name| callee.name().starts_with(name))
        && !sample.operands.iter().all(moderate)
}

/// The same call in place, `x.add_(y)`, where PyTorch has it.
fn write(callee: Callee, sample: &Sample) -> Result<()> {
    let Callee::One(op) = callee else {
        return Ok(());
    };
    let listed = ops::scatter::IN_PLACE.iter().any(|o| std::ptr::eq(*o, op));
    let each = matches!(op.kind, Kind::Elementwise(_)) && op.method;
    let (first, others) = sample.operands.split_first().expect("an operand");
    if !(listed || each) || first.node().is_python_number {
        return Ok(());
    }
    let x = first.clone_data()?;
    x.apply_in_place(op, others, sample.attrs.clone())?;
    x.to_scalars()?;
    Ok(())
}

/// Calls, reads the results, takes the gradient of the first.
fn run(engine: &Engine, callee: Callee, sample: &Sample) -> Result<(), (&'static str, Error)> {
    write(callee, sample).map_err(|e| ("writing", e))?;
    let results = callee.call(engine, sample).map_err(|e| ("call", e))?;
    let small = |t: &Tensor| t.shape().iter().product::<usize>() <= LARGEST;
    for result in results.iter().filter(|t| small(t)) {
        let oracle = interpret(engine, &result.node()).map_err(|e| ("interpretation", e))?;
        let values = result.to_scalars().map_err(|e| ("read", e))?;
        assert_eq!(values.len(), result.shape().iter().product::<usize>());
        for (got, expected) in values.iter().zip(oracle) {
            let (x, y) = (got.as_f64(), expected.scalar().as_f64());
            // Where 0 and -0 tie, as in a maximum, their order decides; the oracle holds other signs.
            let agree = x == y || parity::same(x, y, result.dtype(), false);
            assert!(
                agree || is_order_of_steps(callee, sample),
                "read {got:?}, interpreted {expected:?}"
            );
        }
    }
    let wanted: Vec<Tensor> = sample
        .operands
        .iter()
        .filter(|t| t.requires_grad())
        .cloned()
        .collect();
    let Some(result) = results.first().filter(|t| t.requires_grad() && small(t)) else {
        return Ok(());
    };
    let grads = result
        .sum()
        .and_then(|y| Tensor::grad_of(&[y], &wanted, &[None], BackwardOptions::default()))
        .map_err(|e| ("gradient", e))?;
    for (grad, operand) in grads.iter().zip(&wanted) {
        if let Some(grad) = grad {
            assert_eq!(grad.shape(), operand.shape(), "the gradient's shape");
            assert_eq!(grad.dtype(), operand.dtype(), "the gradient's dtype");
            grad.to_scalars().map_err(|e| ("gradient", e))?;
        }
    }
    Ok(())
}

/// What PyTorch says without naming the op.
const WORDS: &[&str] = &[
    "\"addmm_impl_cpu_\" not implemented for",
    "\"dot\" not implemented for",
    "D tensors expected, but got",
    "vector + matrix @ vector expected, got",
    "size mismatch, got",
    "must be a 3D tensor",
    "no dimension of size 3 in input",
    "must have the same dtype",
    "result type ",
    "both inputs should have same dtype",
    "both dimension lists should have same length",
    "contracted dimensions need to match",
    "appears multiple times in the list of dims",
    "Expected attn_mask dtype to be bool or to match query dtype",
    "Expected query, key, and value to",
    "Expected more than 1 ",
    "Expected number of channels in input to be divisible by num_groups",
    "Expected size for first two dimensions of batch2 tensor to be",
    "Given normalized_shape=",
    "Halving dimension must be even",
    "Promotion for uint16, uint32, uint64 types is not supported",
    "Target size (",
    "The anchor, positive, and negative tensors are expected to have the same number of dimensions",
    "expected m1 and m2 to have the same dtype",
    "expected both vectors to have same dtype",
    "expected scalar type",
    "inconsistent tensor size, expected tensor",
    "label_smoothing must be between 0.0 and 1.0",
    "out of bounds for dimension",
    "The QR decomposition is not differentiable",
];

/// What a learner calls an op of the registry that the Python module chooses by the arguments.
const CALLED: &[(&str, &str)] = &[
    ("adaptive_max_pool", "adaptive_max_pool"),
    ("broadcast_to", "expand"),
    ("col2im", "fold"),
    ("im2col", "unfold"),
    ("eigvals", "linalg.eig"),
    ("inv", "linalg.inv"),
    ("lu_factor", "linalg.lu"),
    ("lu_factor", "linalg.solve"),
    ("matrix_power", "linalg.inv"),
    ("max_pool", "max_pool"),
    ("median_dim", "median"),
    ("nanmedian_dim", "nanmedian"),
    ("pinv", "linalg.svd"),
    ("pow_scalar", "pow"),
    ("qr", "linalg.qr"),
    ("qr", "linalg.solve"),
    ("round_decimals", "round"),
    ("rsub", "sub"),
    ("soft_cross_entropy", "cross_entropy"),
    ("sub_scaled", "sub"),
    ("svdvals", "linalg.svd"),
    ("tensor_unfold", "unfold"),
    ("upsample", "interpolate"),
];

fn is_helpful(callee: Callee, message: &str) -> bool {
    let name = callee.name();
    let mut called = CALLED.iter().filter(|(stem, _)| name.starts_with(stem));
    if called.any(|(_, words)| message.contains(words)) {
        return true;
    }
    let alias = ops::aliases().iter().find(|(_, op)| *op == name);
    message.contains(name)
        || alias.is_some_and(|(alias, _)| message.contains(alias))
        || WORDS.iter().any(|words| message.contains(words))
}

fn show(sample: &Sample) -> String {
    let tensor = |t: &Tensor| match t.node().number {
        Some(number) => format!("{number:?}"),
        None => format!(
            "{} {:?} {:?}",
            t.dtype(),
            &t.shape()[..],
            t.detach().to_scalars()
        ),
    };
    let operands: Vec<String> = sample.operands.iter().map(tensor).collect();
    format!("({}; {:?})", operands.join(", "), sample.attrs)
}

thread_local! {
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

#[test]
fn no_call_panics_and_every_error_says_what_was_called() {
    std::panic::set_hook(Box::new(|info| {
        PANIC.with_borrow_mut(|text| *text = info.to_string());
    }));
    let calls = std::env::var("FUZZ_CALLS").ok();
    let calls = calls.and_then(|n| n.parse().ok()).unwrap_or(CALLS);
    let all = ops::all()
        .map(Callee::One)
        .chain(ops::multi_output().map(Callee::Many));
    let (mut passed, mut refused) = (0, 0);
    let mut failures: Vec<String> = Vec::new();
    for callee in all {
        let seed = callee
            .name()
            .bytes()
            .fold(11, |h: u64, b| h.wrapping_mul(31) + u64::from(b));
        let mut numbers = Numbers::new(seed);
        let mut engine = glowgrad::cpu();
        engine.set_retain_sources(true);
        for _ in 0..calls {
            let sample = draw(&engine, &mut numbers, callee);
            let text = show(&sample);
            match catch_unwind(AssertUnwindSafe(|| run(&engine, callee, &sample))) {
                Ok(Ok(())) => passed += 1,
                Ok(Err((when, error))) => {
                    refused += 1;
                    if !is_helpful(callee, &error.message) {
                        failures.push(format!("{}{text}: in {when}: {error}", callee.name()));
                    }
                }
                Err(_) => {
                    let why = PANIC.with_borrow(Clone::clone).replace('\n', " ");
                    failures.push(format!("{}{text}: PANIC {why}", callee.name()));
                    // What it had borrowed stays borrowed.
                    engine = glowgrad::cpu();
                    engine.set_retain_sources(true);
                }
            }
        }
    }
    let _ = std::panic::take_hook();
    println!("{passed} calls passed, {refused} were refused");
    assert!(
        passed > calls && refused > calls,
        "{passed} passed, {refused} were refused"
    );
    assert!(
        failures.is_empty(),
        "{} fail:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
