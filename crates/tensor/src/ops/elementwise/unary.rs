//! Elementwise ops of one operand. The formula of each gradient stands beside the forward body.

use crate::alu::{Alu, AluOps};
use crate::body;
use crate::op::ParamKind::{Float, Int, Tensor};
use crate::op::{Attr, Kind, Op, Out, Promote, SAVE_A, SAVE_Y, Vjp, optional, param, samples};
use crate::ops::shared::{linked, narrow, not_bool, on2, wide};
use crate::ops::{UNARY, grad1};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &NEG,
    &ABS,
    &SIGN,
    &EXP,
    &EXPM1,
    &LOG,
    &LOG1P,
    &SQRT,
    &RSQRT,
    &RECIPROCAL,
    &SQUARE,
    &SIN,
    &COS,
    &TANH,
    &SIGMOID,
    &RELU,
    &ERF,
    &FLOOR,
    &CEIL,
    &ROUND,
    &TRUNC,
    &CLAMP,
    &ISNAN,
    &ISINF,
    &ISFINITE,
    &LOGICAL_NOT,
];

/// Keeps integers as they are.
const KEEP: Op = Op {
    promote: Promote::Keep,
    out: Out::Same,
    ..UNARY
};

/// A step function: its gradient is zero wherever it has one.
const STEP: Op = Op {
    vjp: Vjp::Rule(|b| grad1(b.gy.zeros_like())),
    rules: &["0"],
    ..KEEP
};

/// −x
pub static NEG: Op = Op {
    name: "neg",
    grad_fn: "NegBackward0",
    symbol: "−",
    formula: "y = −a",
    rules: &["−{gy}"],
    doc: "The negative of each element.",
    check: |_, src| match src[0].dtype {
        crate::DType::Bool => Err(crate::Error::not_implemented(
            "neg: the negative of a bool tensor is not defined; use logical_not, or convert it with .long()",
        )),
        _ => Ok(()),
    },
    kind: Kind::Elementwise(body!(|x| x.neg())),
    vjp: Vjp::Rule(|b| grad1(-&b.gy)),
    ..KEEP
};

/// |x|; the gradient at 0 is 0.
pub static ABS: Op = Op {
    name: "abs",
    grad_fn: "AbsBackward0",
    symbol: "|·|",
    formula: "y = |a|",
    rules: &["{gy} · sign({a})"],
    doc: "The distance of each element from zero.",
    check: not_bool,
    kind: Kind::Elementwise(body!(|x| x.abs())),
    vjp: Vjp::Rule(|b| grad1(&b.gy * b.src[0].sign())),
    saves: [SAVE_A; 3],
    ..KEEP
};

/// −1, 0 or 1.
pub static SIGN: Op = Op {
    name: "sign",
    grad_fn: "SignBackward0",
    symbol: "sign",
    formula: "y = sign(a)",
    doc: "−1, 0 or 1: the sign of each element.",
    kind: Kind::Elementwise(body!(|x| x.sign())),
    ..STEP
};

/// eˣ
pub static EXP: Op = Op {
    name: "exp",
    grad_fn: "ExpBackward0",
    symbol: "exp",
    formula: "y = e^a",
    rules: &["{gy} · {y}"],
    doc: "e to the power of each element.",
    kind: Kind::Elementwise(body!(|x| x.exp())),
    vjp: Vjp::Rule(|b| grad1(&b.gy * &b.y)),
    saves: [SAVE_Y; 3],
    ..UNARY
};

/// eˣ − 1
pub static EXPM1: Op = Op {
    name: "expm1",
    grad_fn: "Expm1Backward0",
    symbol: "expm1",
    formula: "y = e^a − 1",
    rules: &["{gy} · ({y} + 1)"],
    doc: "e to the power of each element, minus 1, exact near 0.",
    kind: Kind::Elementwise(body!(|x| x.expm1())),
    vjp: Vjp::Rule(|b| grad1(&b.gy * (&b.y + 1.0))),
    saves: [SAVE_Y; 3],
    ..UNARY
};

/// ln x
pub static LOG: Op = Op {
    name: "log",
    grad_fn: "LogBackward0",
    symbol: "log",
    formula: "y = ln a",
    rules: &["{gy} / {a}"],
    doc: "The natural logarithm of each element.",
    kind: Kind::Elementwise(body!(|x| x.log())),
    vjp: Vjp::Rule(|b| grad1(&b.gy / &b.src[0])),
    saves: [SAVE_A; 3],
    domain: (0.1, 3.0),
    ..UNARY
};

/// ln(1 + x)
pub static LOG1P: Op = Op {
    name: "log1p",
    grad_fn: "Log1PBackward0",
    symbol: "log1p",
    formula: "y = ln(1 + a)",
    rules: &["{gy} / ({a} + 1)"],
    doc: "The natural logarithm of 1 plus each element, exact near 0.",
    kind: Kind::Elementwise(body!(|x| x.log1p())),
    vjp: Vjp::Rule(|b| grad1(&b.gy / (&b.src[0] + 1.0))),
    saves: [SAVE_A; 3],
    domain: (-0.9, 3.0),
    ..UNARY
};

/// √x
pub static SQRT: Op = Op {
    name: "sqrt",
    grad_fn: "SqrtBackward0",
    symbol: "√",
    formula: "y = √a",
    rules: &["{gy} / (2 · {y})"],
    doc: "The square root of each element.",
    kind: Kind::Elementwise(body!(|x| x.sqrt())),
    vjp: Vjp::Rule(|b| grad1(&b.gy / (&b.y * 2.0))),
    saves: [SAVE_Y; 3],
    domain: (0.1, 3.0),
    ..UNARY
};

/// 1 / √x
pub static RSQRT: Op = Op {
    name: "rsqrt",
    grad_fn: "RsqrtBackward0",
    symbol: "1/√",
    formula: "y = 1 / √a",
    rules: &["−½ · {gy} · {y}³"],
    doc: "One over the square root of each element.",
    kind: Kind::Elementwise(body!(|x| x.constant(1.0).div(&x.sqrt()))),
    vjp: Vjp::Rule(|b| {
        let y = wide(&b.y);
        grad1(&b.gy * -0.5 * narrow(b, &(&y * &y * &y)))
    }),
    saves: [SAVE_Y; 3],
    domain: (0.1, 3.0),
    ..UNARY
};

/// 1 / x
pub static RECIPROCAL: Op = Op {
    name: "reciprocal",
    grad_fn: "ReciprocalBackward0",
    symbol: "1/·",
    formula: "y = 1 / a",
    rules: &["−{gy} · {y}²"],
    doc: "One over each element.",
    kind: Kind::Elementwise(body!(|x| x.constant(1.0).div(x))),
    vjp: Vjp::Rule(|b| grad1(-(&b.gy * (&b.y * &b.y)))),
    saves: [SAVE_Y; 3],
    domain: (0.3, 3.0),
    ..UNARY
};

/// x²
pub static SQUARE: Op = Op {
    name: "square",
    grad_fn: "PowBackward0",
    symbol: "²",
    formula: "y = a²",
    rules: &["{gy} · 2 · {a}"],
    doc: "Each element times itself.",
    // A bool's square is a number.
    infer: |op, src, attrs| {
        let mut meta = crate::ops::same_as_first(op, src, attrs)?;
        if meta.dtype == crate::DType::Bool {
            meta.dtype = crate::DType::I64;
        }
        Ok(meta)
    },
    kind: Kind::Elementwise(body!(|x| x.mul(x))),
    vjp: Vjp::Rule(|b| grad1(&b.gy * (&b.src[0] * 2.0))),
    saves: [SAVE_A; 3],
    out: Out::Cast,
    ..KEEP
};

/// sin x
pub static SIN: Op = Op {
    name: "sin",
    grad_fn: "SinBackward0",
    symbol: "sin",
    formula: "y = sin a",
    rules: &["{gy} · cos({a})"],
    doc: "The sine of each element, in radians.",
    kind: Kind::Elementwise(body!(|x| x.sin())),
    vjp: Vjp::Rule(|b| grad1(&b.gy * b.src[0].cos())),
    saves: [SAVE_A; 3],
    ..UNARY
};

/// cos x
pub static COS: Op = Op {
    name: "cos",
    grad_fn: "CosBackward0",
    symbol: "cos",
    formula: "y = cos a",
    rules: &["−{gy} · sin({a})"],
    doc: "The cosine of each element, in radians.",
    kind: Kind::Elementwise(body!(|x| x.cos())),
    vjp: Vjp::Rule(|b| grad1(&b.gy * -b.src[0].sin())),
    saves: [SAVE_A; 3],
    ..UNARY
};

/// tanh x
pub static TANH: Op = Op {
    name: "tanh",
    grad_fn: "TanhBackward0",
    symbol: "tanh",
    formula: "y = tanh a",
    rules: &["{gy} · (1 − {y}²)"],
    doc: "The hyperbolic tangent of each element: squeezes every number into −1 … 1.",
    kind: Kind::Elementwise(body!(|x| x.tanh())),
    vjp: Vjp::Rule(|b| {
        let y = wide(&b.y);
        grad1(narrow(b, &(wide(&b.gy) * (1.0 - &y * &y))))
    }),
    saves: [SAVE_Y; 3],
    ..UNARY
};

/// 1 / (1 + e⁻ˣ)
pub static SIGMOID: Op = Op {
    name: "sigmoid",
    grad_fn: "SigmoidBackward0",
    symbol: "σ",
    formula: "y = 1 / (1 + e^−a)",
    rules: &["{gy} · (1 − {y}) · {y}"],
    doc: "Squeezes every number into 0 … 1.",
    kind: Kind::Elementwise(body!(|x| {
        let one = x.constant(1.0);
        one.div(&one.add(&x.neg().exp()))
    })),
    vjp: Vjp::Rule(|b| {
        let y = wide(&b.y);
        grad1(narrow(b, &(wide(&b.gy) * (1.0 - &y) * &y)))
    }),
    saves: [SAVE_Y; 3],
    ..UNARY
};

/// max(x, 0); NaN stays, the gradient at 0 is 0.
pub static RELU: Op = Op {
    name: "relu",
    grad_fn: "ReluBackward0",
    symbol: "relu",
    formula: "y = max(a, 0)",
    rules: &["{gy} where {y} > 0, else 0"],
    doc: "Each element, or 0 where it is negative.",
    // Of equal operands `max` takes the second: −0 stays −0.
    check: not_bool,
    kind: Kind::Elementwise(body!(|x| x.constant(0.0).max(x))),
    vjp: Vjp::Rule(|b| {
        let zero = b.gy.number(0.0);
        grad1(linked(&b.y.le(&zero).select(&zero, &b.gy), &b.y))
    }),
    saves: [SAVE_Y; 3],
    out: Out::None,
    ..KEEP
};

/// (2/√π) ∫ e^(−t²)
pub static ERF: Op = Op {
    name: "erf",
    grad_fn: "ErfBackward0",
    symbol: "erf",
    formula: "y = erf a",
    rules: &["{gy} · 2/√π · exp(−{a}²)"],
    doc: "The error function of each element.",
    kind: Kind::Elementwise(body!(|x| x.erf())),
    vjp: Vjp::Rule(|b| {
        let x = &b.src[0];
        grad1(&b.gy * ((-(x * x)).exp() * std::f64::consts::FRAC_2_SQRT_PI))
    }),
    saves: [SAVE_A; 3],
    ..UNARY
};

/// ⌊x⌋
pub static FLOOR: Op = Op {
    name: "floor",
    grad_fn: "FloorBackward0",
    symbol: "⌊·⌋",
    formula: "y = ⌊a⌋",
    doc: "The largest integer not above each element.",
    check: not_bool,
    kind: Kind::Elementwise(body!(|x| x.floor())),
    ..STEP
};

/// ⌈x⌉
pub static CEIL: Op = Op {
    name: "ceil",
    grad_fn: "CeilBackward0",
    symbol: "⌈·⌉",
    formula: "y = ⌈a⌉",
    doc: "The smallest integer not below each element.",
    check: not_bool,
    kind: Kind::Elementwise(body!(|x| x.ceil())),
    ..STEP
};

/// Nearest integer, ties to even.
pub static ROUND: Op = Op {
    name: "round",
    grad_fn: "RoundBackward0",
    symbol: "round",
    formula: "y = round(a)",
    doc: "The nearest integer, or the nearest number with so many decimals; halves go to the even one.",
    params: &[
        param("input", Tensor),
        optional("decimals", Int, Attr::Int(0)),
    ],
    variant: |op, attrs| crate::ops::rounding::with_decimals(op, attrs),
    samples: samples(&["[3,4]", "[]", "[19]"]),
    check: not_bool,
    kind: Kind::Elementwise(body!(|x| x.round())),
    ..STEP
};

/// Toward zero.
pub static TRUNC: Op = Op {
    name: "trunc",
    grad_fn: "TruncBackward0",
    symbol: "trunc",
    formula: "y = trunc(a)",
    doc: "Each element without its fraction.",
    check: not_bool,
    kind: Kind::Elementwise(body!(|x| x.trunc())),
    ..STEP
};

/// Into an interval; the gradient at its ends is 0.
pub static CLAMP: Op = Op {
    name: "clamp",
    element_by_element: true,
    grad_fn: "ClampBackward1",
    symbol: "clamp",
    formula: "y = min(max(a, min), max)",
    rules: &["{gy} where min < {a} < max, else 0"],
    doc: "Each element, moved to the nearer end where it lies outside an interval.",
    params: &[
        param("input", Tensor),
        optional("min", Float, Attr::None),
        optional("max", Float, Attr::None),
    ],
    infer: |op, src, attrs| {
        if attrs.iter().all(|a| *a == Attr::None) {
            return Err(crate::Error::runtime(
                "clamp: at least one of 'min' or 'max' must not be None",
            ));
        }
        let floats = attrs.iter().any(|a| matches!(a, Attr::Float(_)));
        let dtype = match src[0].dtype {
            dtype if dtype.is_float() => dtype,
            _ if floats => crate::DType::F32,
            crate::DType::Bool => crate::DType::I64,
            dtype => dtype,
        };
        crate::ops::bounds::check_bounds(op, attrs, dtype)?;
        Ok(crate::op::Meta {
            shape: src[0].shape.clone(),
            dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let mut y = c.src[0].to(c.node.dtype);
        let bound = |at: usize| crate::ops::bounds::bound(c.attr(at), c.node.dtype);
        if let Some(low) = bound(0) {
            let low = y.engine().number(low, y.dtype());
            // Of equal zeros the operand's own stays.
            y = crate::GraphValue::new(y.engine(), low).maximum(&y);
        }
        if let Some(high) = bound(1) {
            let high = y.engine().number(high, y.dtype());
            y = on2(
                &crate::GraphValue::new(y.engine(), high),
                &crate::ops::binary::MINIMUM,
                &y,
            );
        }
        Ok(y)
    }),
    vjp: Vjp::Rule(|b| {
        let x = &b.src[0];
        let zero = b.gy.number(0.0);
        let mut grad = b.gy.clone();
        if *b.attr(0) != Attr::None {
            grad = x.gt(&x.number(b.attr(0).as_float())).select(&grad, &zero);
        }
        if *b.attr(1) != Attr::None {
            grad = x.lt(&x.number(b.attr(1).as_float())).select(&grad, &zero);
        }
        grad1(grad)
    }),
    saves: [SAVE_A; 3],
    samples: samples(&["[3,4] -0.7 0.9", "[5] max=0.3", "[5] min=-0.3"]),
    out: Out::Same,
    ..KEEP
};

/// A predicate of one operand.
const PREDICATE: Op = Op {
    infer: |op, src, attrs| crate::ops::broadcast_bool(op, src, attrs),
    vjp: Vjp::None("its result is true or false"),
    ..KEEP
};

/// x ≠ x
pub static ISNAN: Op = Op {
    name: "isnan",
    symbol: "nan?",
    formula: "y = a is NaN",
    doc: "Where an element is not a number.",
    kind: Kind::Elementwise(body!(|x| x.eq(x).not())),
    out: Out::None,
    ..PREDICATE
};

/// |x| = ∞
pub static ISINF: Op = Op {
    name: "isinf",
    symbol: "inf?",
    formula: "y = |a| is ∞",
    doc: "Where an element is infinite.",
    kind: Kind::Elementwise(body!(|x| is_infinite(x))),
    out: Out::None,
    ..PREDICATE
};

fn is_infinite<L: Alu>(x: &L) -> L {
    if !x.dtype().is_float() {
        return x.eq(x).not();
    }
    x.abs().eq(&x.constant(f64::INFINITY))
}

/// Neither NaN nor infinite.
pub static ISFINITE: Op = Op {
    name: "isfinite",
    symbol: "finite?",
    formula: "y = a is finite",
    doc: "Where an element is neither infinite nor NaN.",
    kind: Kind::Elementwise(body!(|x| is_finite(x))),
    out: Out::None,
    ..PREDICATE
};

fn is_finite<L: Alu>(x: &L) -> L {
    is_infinite(x).or(&x.eq(x).not()).not()
}

/// x = 0
pub static LOGICAL_NOT: Op = Op {
    name: "logical_not",
    symbol: "not",
    formula: "y = not a",
    doc: "Where an element is zero or false.",
    kind: Kind::Elementwise(body!(|x| x.not())),
    out: Out::Cast,
    ..PREDICATE
};
