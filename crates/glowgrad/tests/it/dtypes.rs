//! Every elementwise op on every dtype that it accepts: the backend, fused and not, gives what the
//! interpreter gives on the edges of the dtype (zeros of both signs, extremes, subnormals, NaN,
//! infinities), bit for bit where the op rounds at most once; and the result has PyTorch's dtype.
#![cfg(not(target_arch = "wasm32"))]

use glowgrad::interpret::interpret;
use glowgrad::op::{Attr, Attrs, Kind, Op, ParamKind};
use glowgrad::{DType, Engine, ErrorKind, Scalar, Tensor, ops};

use crate::suite;
use crate::suite::parity::{is_exact, same};

/// Ops written in others whose elements are each made of one element of every operand.
const COMPOSITES: &[&str] = &[
    "gelu",
    "softsign",
    "clamp",
    "nan_to_num",
    "round_decimals",
    "isclose",
    "pow_scalar",
];

/// Of which integers give float32, as `promote` has it, and floats themselves.
const FLOAT_FUNCTIONS: &str = "exp exp2 expm1 log log2 log10 log1p sqrt rsqrt reciprocal sin cos \
    tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc sigmoid deg2rad rad2deg div atan2 \
    copysign xlogy softsign sinc entr xlog1py";
/// Of which the result is bool.
const PREDICATES: &str = "isnan isinf isfinite signbit logical_not logical_and logical_or \
    logical_xor eq ne lt le gt ge isclose";
/// That PyTorch has for floats only.
const FLOATS_ONLY: &str = "frac logsigmoid leaky_relu elu selu celu gelu silu mish softplus \
    softshrink hardshrink hardsigmoid hardswish round_decimals lerp hypot logaddexp addcdiv";
/// That PyTorch has for every number, but not for bools.
const NOT_BOOL: &str = "abs neg sub sub_scaled ceil floor round trunc relu relu6 hardtanh threshold \
    floor_divide div_floor div_trunc remainder fmod pow addcmul";
/// That PyTorch has for integers and bools.
const BITS: &str = "bitwise_and bitwise_or bitwise_xor bitwise_not";
/// That PyTorch has for integers.
const SHIFTS: &str = "bitwise_left_shift bitwise_right_shift";

/// That refuse an integer divisor of 0.
const DIVIDES: &[&str] = &[
    "floor_divide",
    "div_floor",
    "div_trunc",
    "remainder",
    "fmod",
];

fn listed(list: &str, op: &Op) -> bool {
    list.split_whitespace().any(|name| name == op.name)
}

/// Values at the edges of a dtype.
fn edges(dtype: DType) -> Vec<Scalar> {
    if dtype == DType::Bool {
        return vec![Scalar::Bool(false), Scalar::Bool(true)];
    }
    if dtype.is_int() {
        let (least, most) = dtype.int_range();
        let whole = [least, most, most - 1, -3, -1, 0, 1, 2, 7, 63, 64];
        return whole
            .iter()
            .filter(|n| (least..=most).contains(*n))
            .map(|&n| i64::try_from(n).map_or(Scalar::UInt(n as u64), Scalar::Int))
            .collect();
    }
    let (most, normal, least) = match dtype {
        DType::F16 => (65504.0, 6.103_515_625e-5, 5.960_464_477_539_063e-8),
        DType::BF16 => (
            3.389_531_389_251_535_5e38,
            f64::from(f32::MIN_POSITIVE),
            9.183_549_615_799_121e-41,
        ),
        DType::F32 => (
            f64::from(f32::MAX),
            f64::from(f32::MIN_POSITIVE),
            f64::from(f32::from_bits(1)),
        ),
        _ => (f64::MAX, f64::MIN_POSITIVE, f64::from_bits(1)),
    };
    let finite = [0.0, 1.0, 0.5, 2.5, 3.0, 6.0, 20.5, most, normal, least];
    finite
        .iter()
        .flat_map(|&x| [x, -x])
        .chain([f64::INFINITY, f64::NEG_INFINITY, f64::NAN])
        .map(Scalar::Float)
        .collect()
}

/// Every combination of edges: operand `i` varies along dimension `i`.
fn operands(engine: &Engine, dtype: DType, n: usize) -> Vec<Tensor> {
    (0..n)
        .map(|i| {
            let values = edges(dtype);
            let mut shape = vec![1; n];
            shape[i] = values.len();
            Tensor::from_scalars(engine, &values, &shape, dtype).expect("a small shape")
        })
        .collect()
}

/// The op's defaults, and a number where it has none.
pub(crate) fn attrs(op: &Op, dtype: DType) -> Attrs {
    let number = match dtype.is_float() {
        true => Attr::Float(0.75),
        false => Attr::Int(2),
    };
    op.attr_params()
        .map(|param| match (&param.default, param.kind) {
            _ if op.name == "clamp" => number.clone(),
            (Some(default), _) => default.clone(),
            (None, ParamKind::Int) => Attr::Int(1),
            (None, _) => number.clone(),
        })
        .collect()
}

fn elementwise() -> impl Iterator<Item = &'static Op> {
    ops::all().filter(|op| {
        let converts = op.params.iter().any(|p| p.kind == ParamKind::DType);
        (matches!(op.kind, Kind::Elementwise(_)) || COMPOSITES.contains(&op.name)) && !converts
    })
}

/// Tensors for every operand, the condition of `where` a mask.
fn call(
    engine: &Engine,
    op: &'static Op,
    dtype: DType,
    second: Option<Scalar>,
) -> glowgrad::Result<Tensor> {
    let n = op.n_operands().expect("a fixed number of operands");
    let mut src = operands(engine, dtype, n);
    if dtype.is_int() && DIVIDES.contains(&op.name) {
        // Zeros are refused; `integers_are_not_divided_by_zero` says so.
        let values = edges(dtype);
        let divisors: Vec<Scalar> = values.into_iter().filter(|v| v.as_i64() != 0).collect();
        src[1] = Tensor::from_scalars(engine, &divisors, &[1, divisors.len()], dtype)?;
    }
    if let (Some(number), Some(last)) = (second, src.last_mut()) {
        *last = Tensor::number(engine, number);
    }
    if op.name == "where" {
        src[0] = operands(engine, DType::Bool, n).remove(0);
    }
    Tensor::apply(engine, op, &src, attrs(op, dtype))
}

/// What differs between the interpreter and the backend, in words.
fn compare(engine: &Engine, op: &'static Op, dtype: DType, y: &Tensor) -> Option<String> {
    let expected = interpret(engine, &y.node()).expect("the sources are kept");
    let bytes = y.to_bytes().expect("a value");
    let got = glowgrad::Scalar::of_bytes(&bytes, y.dtype());
    assert_eq!(got.len(), expected.len(), "{} of {dtype}", op.name);
    let at = (0..got.len()).find(|&i| {
        let (x, y_) = (got[i], expected[i].scalar());
        let whole = !y.dtype().is_float() && x != y_;
        whole || !same(x.as_f64(), y_.as_f64(), y.dtype(), is_exact(op.name))
    })?;
    let at_edges = format!("element {at} of {:?}", &y.shape()[..]);
    Some(format!(
        "{} of {dtype}, {at_edges}: {:?}, expected {:?}",
        op.name,
        got[at],
        expected[at].scalar()
    ))
}

#[test]
fn every_op_agrees_with_the_interpreter_on_every_dtype() {
    let engine = glowgrad::cpu();
    engine.set_retain_sources(true);
    let (mut compared, mut failures) = (0, Vec::new());
    for op in elementwise() {
        for dtype in DType::ALL {
            let two = op.n_operands() == Some(2);
            let numbers = [Some(Scalar::Int(3)), Some(Scalar::Float(0.3))];
            let seconds = numbers.into_iter().filter(|_| two).chain([None]);
            for second in seconds {
                for fused in [true, false] {
                    engine.set_fusion(fused);
                    let Ok(y) = call(&engine, op, dtype, second) else {
                        continue;
                    };
                    compared += y.numel();
                    failures.extend(compare(&engine, op, dtype, &y).map(|why| {
                        let beside = second.map_or(String::new(), |n| format!(", beside {n:?}"));
                        format!("{why}{beside}, fused {fused}")
                    }));
                }
            }
        }
    }
    println!("{compared} elements compared");
    assert!(compared > 500_000, "only {compared} elements were compared");
    assert!(
        failures.is_empty(),
        "{} differ:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn results_have_pytorchs_dtypes() {
    let engine = glowgrad::cpu();
    let mut failures = Vec::new();
    for op in elementwise() {
        for dtype in DType::ALL {
            let (float, bool) = (dtype.is_float(), dtype == DType::Bool);
            // None where PyTorch raises.
            let expected = match op {
                op if listed(FLOAT_FUNCTIONS, op) => Some(if float { dtype } else { DType::F32 }),
                op if listed(PREDICATES, op) => Some(DType::Bool),
                op if listed(FLOATS_ONLY, op) => float.then_some(dtype),
                op if listed(NOT_BOOL, op) => (!bool).then_some(dtype),
                op if listed(BITS, op) => (!float).then_some(dtype),
                op if listed(SHIFTS, op) => (!float && !bool).then_some(dtype),
                op if ["square", "clamp", "pow_scalar"].contains(&op.name) && bool => {
                    Some(DType::I64)
                }
                _ => Some(dtype),
            };
            match (call(&engine, op, dtype, None), expected) {
                (Ok(y), Some(expected)) if y.dtype() == expected => {}
                // NotImplementedError is a RuntimeError.
                (Err(error), None)
                    if matches!(error.kind, ErrorKind::NotImplemented | ErrorKind::Runtime) => {}
                (got, expected) => {
                    let got = got.map(|y| y.dtype());
                    failures.push(format!(
                        "{} of {dtype}: {got:?}, expected {expected:?}",
                        op.name
                    ));
                }
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} differ:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn integers_are_not_divided_by_zero() {
    let engine = glowgrad::cpu();
    for name in DIVIDES {
        let op = ops::find(name).expect("an op");
        for dtype in DType::ALL.into_iter().filter(|dtype| dtype.is_int()) {
            let ints = |list: &[i64]| {
                let values: Vec<Scalar> = list.iter().map(|&i| Scalar::Int(i)).collect();
                Tensor::from_scalars(&engine, &values, &[list.len()], dtype).expect("a vector")
            };
            let x = ints(&[7, 5]);
            let divided = |x: &Tensor, by: &Tensor| {
                Tensor::apply(&engine, op, &[x.clone(), by.clone()], Attrs::new())
            };
            let refused = [ints(&[1, 0]), Tensor::number(&engine, Scalar::Int(0))];
            for by in &refused {
                let error = divided(&x, by).expect_err("a divisor of 0");
                assert_eq!(error.kind, ErrorKind::Runtime);
                let text = error.to_string();
                assert!(
                    text.contains("ZeroDivisionError"),
                    "{name} of {dtype}: {text}"
                );
                assert!(
                    x.apply_in_place(op, std::slice::from_ref(by), Attrs::new())
                        .is_err()
                );
            }
            assert_eq!(x.to_scalars().expect("unharmed")[0].as_i64(), 7);
            // Nothing is divided, or floats are.
            let nothing = ints(&[]);
            assert!(divided(&nothing, &refused[1]).is_ok());
            let zero = Tensor::number(&engine, Scalar::Float(0.0));
            assert!(divided(&x, &zero).is_ok());
        }
    }
}

/// Calls on `int8 [1, 0]` with a number in the place of `N`, and whether PyTorch takes 127, 128, -129 and 1.5.
#[test]
fn numbers_that_do_not_fit_are_refused_where_pytorch_refuses_them() {
    let engine = glowgrad::cpu();
    let vector = |values: &[i64], dtype| {
        let values: Vec<Scalar> = values.iter().map(|&i| Scalar::Int(i)).collect();
        Tensor::from_scalars(&engine, &values, &[values.len()], dtype).expect("a vector")
    };
    let small = vector(&[1, 0], DType::I8);
    let (mask, index) = (vector(&[1, 0], DType::Bool), vector(&[0], DType::I64));
    let [first, second] = [mask, index];
    let call = |name: &str, number: Scalar| {
        let value = Tensor::number(&engine, number);
        let (x, mask, index) = (small.clone(), first.clone(), second.clone());
        let json = match number {
            Scalar::Float(x) => serde_json::json!(x),
            other => serde_json::json!(other.as_i64()),
        };
        let (inputs, attrs) = match name {
            "masked_fill" => (vec![x, mask, value], serde_json::json!({})),
            "where" => (vec![mask, x, value], serde_json::json!({})),
            "index_fill" => (vec![x, index, value], serde_json::json!({"dim": 0})),
            "scatter" => (vec![x, index], serde_json::json!({"dim": 0, "value": json})),
            "pad" => (vec![x], serde_json::json!({"pad": [1, 0], "value": json})),
            "clamp min" => (vec![x], serde_json::json!({"min": json})),
            "clamp max" => (vec![x], serde_json::json!({"max": json})),
            "add" | "mul" => (vec![x, value], serde_json::json!({})),
            _ => {
                let full = Tensor::full(&engine, &[1], number, DType::I8);
                return full.map(|y| y.dtype());
            }
        };
        let name = name.split(' ').next().expect("a name");
        suite::call::call(&engine, name, &inputs, &attrs).map(|y| y[0].dtype())
    };
    let numbers = [
        Scalar::Int(127),
        Scalar::Int(128),
        Scalar::Int(-129),
        Scalar::Float(1.5),
    ];
    for (name, taken) in [
        ("full", [true, false, false, true]),
        ("masked_fill", [true, false, false, true]),
        ("where", [true, false, false, true]),
        ("scatter", [true, false, false, true]),
        ("index_fill", [true, false, false, true]),
        ("pad", [true, false, false, true]),
        ("clamp min", [true, false, true, true]),
        ("clamp max", [true, true, false, true]),
        // Arithmetic wraps.
        ("add", [true; 4]),
        ("mul", [true; 4]),
    ] {
        for (number, taken) in numbers.into_iter().zip(taken) {
            let got = call(name, number);
            assert_eq!(got.is_ok(), taken, "{name} of int8 and {number:?}: {got:?}");
            let kind = got.err().map(|error| error.kind);
            assert!(kind.is_none_or(|kind| kind == ErrorKind::Runtime));
        }
    }
    let kept = small.clone_data().expect("a copy");
    let at = [glowgrad::Index::Int(0)];
    assert!(
        kept.set(&at, &Tensor::number(&engine, Scalar::Int(300)))
            .is_err()
    );
    assert!(
        kept.set(&at, &Tensor::number(&engine, Scalar::Int(100)))
            .is_ok()
    );
}

#[test]
fn casts_agree_with_the_interpreter_between_all_dtypes() {
    let engine = glowgrad::cpu();
    engine.set_retain_sources(true);
    for from in DType::ALL {
        for to in DType::ALL {
            let x = operands(&engine, from, 1).remove(0);
            let y = x.to(to).expect("every cast is there");
            let expected = interpret(&engine, &y.node()).expect("the sources are kept");
            let got = y.to_scalars().expect("a value");
            for (got, expected) in got.iter().zip(expected) {
                let expected = expected.scalar();
                let equal = same(got.as_f64(), expected.as_f64(), to, true);
                assert!(equal, "{from} to {to}: {got:?}, expected {expected:?}");
            }
        }
    }
}

/// A number of PyTorch's, of bfloat16 elements beside a Python number that bfloat16 has not.
#[test]
fn a_number_beside_halves_is_rounded_where_pytorch_rounds_it() {
    let engine = glowgrad::cpu();
    let values = [1.1, 2.2, 3.3, 0.7, 10.0, 100.0].map(Scalar::Float);
    let x = Tensor::from_scalars(&engine, &values, &[6], DType::BF16).expect("a small shape");
    let expected: &[(&str, f64, [f64; 6])] = &[
        (
            "add",
            0.1,
            [1.203125, 2.296875, 3.390625, 0.80078125, 10.125, 100.0],
        ),
        (
            "mul",
            0.1,
            [
                0.1103515625,
                0.220703125,
                0.330078125,
                0.06982421875,
                1.0,
                10.0,
            ],
        ),
        (
            "div",
            0.3,
            [3.671875, 7.34375, 11.0, 2.328125, 33.25, 334.0],
        ),
        ("floor_divide", 0.3, [3.0, 7.0, 10.0, 2.0, 33.0, 332.0]),
        (
            "fmod",
            0.3,
            [
                0.19921875, 0.09765625, 0.2890625, 0.09765625, 0.07421875, 0.140625,
            ],
        ),
        ("lt", 0.7, [0.0; 6]),
        ("eq", 1.1, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    ];
    for (name, number, expected) in expected {
        let op = ops::find(name).expect("in the registry");
        let number = Tensor::number(&engine, Scalar::Float(*number));
        let y = Tensor::apply(&engine, op, &[x.clone(), number], Attrs::new());
        let got = y.and_then(|y| y.to_f64()).expect("a value");
        assert_eq!(got, expected, "{name}");
    }
}
