//! Every scalar operation for every dtype, against `alu::Value`, on edge values and random ones.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use glowgrad_tensor::DType;
use glowgrad_tensor::alu::{Alu, AluOp, Value};

use super::{ARITHMETIC, Random, decode, encode, encode_as, every_level, same, ulps_f32, zeros};
use crate::ops;

use AluOp::*;
const ALL: [AluOp; 54] = [
    Neg, Abs, Sign, Exp, Expm1, Log, Log1p, Sqrt, Sin, Cos, Tanh, Erf, Erfc, Exp2, Log2, Log10,
    Tan, Asin, Acos, Atan, Sinh, Cosh, Asinh, Acosh, Atanh, Floor, Ceil, Round, Trunc, Not, BitNot,
    Add, Sub, Mul, Div, Rem, Fmod, Pow, Atan2, Hypot, Copysign, Max, Min, And, Or, BitAnd, BitOr,
    BitXor, Shl, Shr, Eq, Lt, Le, Select,
];

/// Values that break careless code: zeros, ties, NaN, infinities, subnormals, extremes.
pub(super) fn edges(dtype: DType) -> Vec<Value> {
    let floats = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        1.5,
        2.5,
        -2.5,
        3.0,
        0.1,
        1e-10,
        -1e-10,
        1e-40,
        -1e-40,
        1e-45,
        87.0,
        88.8,
        -87.5,
        -103.5,
        1e9,
        3e9,
        -1e20,
        1e38,
        8_388_609.0,
        16_777_217.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        f64::MIN_POSITIVE,
        5e-324,
        f64::MAX,
        9.3e18,
        -9.3e18,
        4_503_599_627_370_497.5,
        0.999_999_99,
        22.0,
        0.625,
    ];
    match dtype {
        DType::Bool => vec![Value::Bool(false), Value::Bool(true)],
        DType::I64 => [
            0,
            1,
            -1,
            2,
            3,
            -3,
            7,
            -8,
            63,
            64,
            1 << 40,
            (1 << 53) + 1,
            i64::MAX,
            i64::MIN,
            i64::MIN + 1,
        ]
        .map(Value::I64)
        .to_vec(),
        DType::F64 => floats.iter().map(|&x| Value::F64(x)).collect(),
        dtype if dtype.is_float() => floats.iter().map(|&x| Value::F64(x).cast(dtype)).collect(),
        dtype => edges(DType::I64).iter().map(|x| x.cast(dtype)).collect(),
    }
}

/// Every pair of edge values, then random ones.
fn pairs(dtype: DType) -> (Vec<Value>, Vec<Value>) {
    let edges = edges(dtype);
    let mut random = Random(7);
    let mut pairs: Vec<(Value, Value)> = edges
        .iter()
        .flat_map(|&x| edges.iter().map(move |&y| (x, y)))
        .collect();
    // A number that no vector length divides, so that tails are run too.
    while pairs.len() < 2029 {
        pairs.push((random.value(dtype), random.value(dtype)));
    }
    pairs.into_iter().unzip()
}

/// What float64 gives for a float32 operation that is not exact.
fn in_f64(op: AluOp, operands: &[Value]) -> f64 {
    let wide: Vec<Value> = operands.iter().map(|v| v.cast(DType::F64)).collect();
    match Value::apply(op, &wide.iter().collect::<Vec<_>>()) {
        Value::F64(x) => x,
        other => panic!("float64 stays float64, got {other:?}"),
    }
}

fn check(op: AluOp, dtype: DType, operands: &[Value], got: Value) {
    let expected = Value::apply(op, &operands.iter().collect::<Vec<_>>());
    let inexact =
        matches!(op, Exp | Expm1 | Log | Log1p | Sin | Cos | Tanh | Erf | Pow) && dtype.is_float();
    let fine = match (got, expected) {
        _ if same(got, expected) => true,
        (Value::F32(got), Value::F32(expected)) if inexact => {
            ulps_f32(got, in_f64(op, operands)) <= 2.0
                && (got != 0.0 || got.is_sign_negative() == expected.is_sign_negative())
        }
        (Value::F64(got), Value::F64(expected)) if inexact => {
            (got - expected).abs() <= 4.0 * f64::EPSILON * expected.abs() + 1e-320
        }
        _ => false,
    };
    assert!(
        fine,
        "{op:?} of {operands:?}: expected {expected:?}, got {got:?}"
    );
}

#[test]
fn every_operation_is_what_the_oracle_says() {
    every_level(|level| {
        for dtype in ARITHMETIC {
            let (x, y) = pairs(dtype);
            let (x_bytes, y_bytes) = (encode(&x), encode(&y));
            let n = x.len();
            let conditions: Vec<Value> = (0..n).map(|i| Value::Bool(i % 3 == 0)).collect();
            let c_bytes = encode(&conditions);
            for op in ALL {
                let out_dtype = if op.is_predicate() {
                    DType::Bool
                } else {
                    dtype
                };
                let mut out = zeros(n * out_dtype.size());
                let (x_in, y_in) = (&x_bytes[..n * dtype.size()], &y_bytes[..n * dtype.size()]);
                let src = if op == Select {
                    [&c_bytes[..n], x_in, y_in]
                } else {
                    [x_in, y_in, y_in]
                };
                ops::apply(level, op, dtype, src, &mut out[..n * out_dtype.size()]);
                for (i, got) in decode(out_dtype, &out, n).into_iter().enumerate() {
                    match op.arity() {
                        1 => check(op, dtype, &[x[i]], got),
                        2 => check(op, dtype, &[x[i], y[i]], got),
                        _ => check(op, dtype, &[conditions[i], x[i], y[i]], got),
                    }
                }
            }
        }
    });
}

#[test]
fn every_cast_is_what_the_oracle_says() {
    every_level(|level| {
        for from in DType::ALL {
            let (x, _) = pairs(from);
            let bytes = encode_as(from, &x);
            // Backends convert between dtypes of arithmetic, and to and from a narrow one.
            let narrow = from.compute() != from;
            for to in DType::ALL {
                if (narrow || to.compute() != to) && from.compute() != to.compute()
                    || narrow && to.compute() != to && from != to
                {
                    continue;
                }
                let mut out = zeros(x.len() * to.size());
                ops::cast(
                    level,
                    from,
                    to,
                    &bytes[..x.len() * from.size()],
                    &mut out[..x.len() * to.size()],
                );
                for (x, got) in x.iter().zip(decode(to, &out, x.len())) {
                    assert!(same(got, x.cast(to)), "{x:?} to {to}: {got:?}");
                }
            }
        }
    });
}
