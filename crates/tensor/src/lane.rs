//! The scalar body of an elementwise op, written once.
//!
//! [`Lane`] is the closed list of scalar operations. A body generic over it is instantiated twice:
//! with [`Value`] (the slow interpreter: the living definition, where NaN, ±0, ties and overflow
//! are decided) and with [`Expr`] (a tree that the scheduler turns into kernel instructions, which
//! backends run over tiles or print as shader code).

use std::rc::Rc;

use crate::dtype::{DType, Scalar};

/// What a backend must be able to compute on one element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it; Value::apply defines each")]
pub enum ScalarOp {
    Neg,
    Abs,
    Sign,
    Exp,
    Expm1,
    Log,
    Log1p,
    Sqrt,
    Sin,
    Cos,
    Tanh,
    Erf,
    Floor,
    Ceil,
    /// Half to even.
    Round,
    Trunc,
    Not,
    Add,
    Sub,
    Mul,
    /// True division; of integers, division rounded toward minus infinity, and x / 0 is 0.
    Div,
    /// Python's remainder: the sign of the divisor; of integers, x % 0 is 0.
    Rem,
    Pow,
    /// NaN if either is NaN; of equal operands the second.
    Max,
    /// NaN if either is NaN; of equal operands the second.
    Min,
    And,
    Or,
    Eq,
    Lt,
    Le,
    /// `src[0] ? src[1] : src[2]`.
    Select,
}

impl ScalarOp {
    /// How many operands it takes.
    pub const fn arity(self) -> usize {
        use ScalarOp::*;
        match self {
            Neg | Abs | Sign | Exp | Expm1 | Log | Log1p | Sqrt | Sin | Cos | Tanh | Erf
            | Floor | Ceil | Round | Trunc | Not => 1,
            Select => 3,
            _ => 2,
        }
    }

    /// Whether the result is a bool whatever the operands are.
    pub const fn is_predicate(self) -> bool {
        use ScalarOp::*;
        matches!(self, Not | And | Or | Eq | Lt | Le)
    }
}

/// A lane on which a scalar body computes.
pub trait Lane: Clone + Sized {
    /// A number in this lane's dtype.
    fn constant(&self, value: f64) -> Self;
    /// One scalar operation; `operands` has `op.arity()` entries.
    fn apply(op: ScalarOp, operands: &[&Self]) -> Self;
    /// In another dtype.
    fn cast(&self, to: DType) -> Self;
    /// The dtype.
    fn dtype(&self) -> DType;

    /// `self ? a : b`.
    fn select(&self, a: &Self, b: &Self) -> Self {
        Self::apply(ScalarOp::Select, &[self, a, b])
    }
}

macro_rules! lane_methods {
    ($trait:ident; unary: $($un:ident $uop:ident),*; binary: $($bin:ident $bop:ident),*) => {
        /// Method syntax for bodies; each is the [`ScalarOp`] of its name.
        #[allow(missing_docs, reason = "see ScalarOp")]
        pub trait $trait: Lane {
            $(fn $un(&self) -> Self { Self::apply(ScalarOp::$uop, &[self]) })*
            $(fn $bin(&self, other: &Self) -> Self { Self::apply(ScalarOp::$bop, &[self, other]) })*
        }
        impl<L: Lane> $trait for L {}
    };
}
lane_methods!(LaneOps;
    unary: neg Neg, abs Abs, sign Sign, exp Exp, expm1 Expm1, log Log, log1p Log1p, sqrt Sqrt, sin Sin, cos Cos,
        tanh Tanh, erf Erf, floor Floor, ceil Ceil, round Round, trunc Trunc, not Not;
    binary: add Add, sub Sub, mul Mul, div Div, rem Rem, pow Pow, max Max, min Min, and And, or Or,
        eq Eq, lt Lt, le Le);

/// One body in its two instantiations.
#[derive(Clone, Copy)]
pub struct Body {
    /// For the interpreter.
    pub scalar: fn(&[Value]) -> Value,
    /// For the scheduler.
    pub expr: fn(&[Expr]) -> Expr,
}

/// Writes a scalar body: `body!(|x, y| x.mul(y))`.
#[macro_export]
macro_rules! body {
    (|$($x:ident),+| $e:expr) => {{
        #[allow(unused_imports)]
        use $crate::lane::{Lane, LaneOps};
        fn body<L: Lane>(operands: &[L]) -> L {
            let [$($x),+] = operands else { unreachable!("the registry fixes the arity") };
            $e
        }
        $crate::lane::Body { scalar: body::<$crate::lane::Value>, expr: body::<$crate::lane::Expr> }
    }};
}

/// One element.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs, reason = "one variant a dtype")]
pub enum Value {
    Bool(bool),
    I64(i64),
    F32(f32),
    F64(f64),
}

impl Value {
    /// Zero of a dtype.
    pub fn zero(dtype: DType) -> Value {
        Value::from_scalar(Scalar::Int(0), dtype)
    }

    /// A number in a dtype.
    pub fn from_scalar(scalar: Scalar, dtype: DType) -> Value {
        match dtype {
            DType::Bool => Value::Bool(scalar.as_f64() != 0.0),
            DType::I64 => Value::I64(scalar.as_i64()),
            DType::F32 => Value::F32(match scalar {
                Scalar::Int(i) => i as f32,
                other => other.as_f64() as f32,
            }),
            DType::F64 => Value::F64(scalar.as_f64()),
        }
    }

    /// As a number.
    pub fn scalar(self) -> Scalar {
        match self {
            Value::Bool(b) => Scalar::Bool(b),
            Value::I64(i) => Scalar::Int(i),
            Value::F32(x) => Scalar::Float(f64::from(x)),
            Value::F64(x) => Scalar::Float(x),
        }
    }

    /// Whether it counts as true.
    pub fn truth(self) -> bool {
        match self {
            Value::Bool(b) => b,
            Value::I64(i) => i != 0,
            Value::F32(x) => x != 0.0,
            Value::F64(x) => x != 0.0,
        }
    }
}

/// The float operations, the same for both widths.
macro_rules! float_apply {
    ($op:expr, $x:expr, $y:expr, $variant:ident, $erf:path) => {{
        let (x, y) = ($x, $y);
        use ScalarOp::*;
        match $op {
            Neg => Value::$variant(-x),
            Abs => Value::$variant(x.abs()),
            // NaN has no sign, and no zero has.
            Sign => Value::$variant(if x > 0.0 {
                1.0
            } else if x < 0.0 {
                -1.0
            } else {
                0.0
            }),
            Exp => Value::$variant(x.exp()),
            Expm1 => Value::$variant(x.exp_m1()),
            Log => Value::$variant(x.ln()),
            Log1p => Value::$variant(x.ln_1p()),
            Sqrt => Value::$variant(x.sqrt()),
            Sin => Value::$variant(x.sin()),
            Cos => Value::$variant(x.cos()),
            Tanh => Value::$variant(x.tanh()),
            Erf => Value::$variant($erf(x)),
            Floor => Value::$variant(x.floor()),
            Ceil => Value::$variant(x.ceil()),
            Round => Value::$variant(x.round_ties_even()),
            Trunc => Value::$variant(x.trunc()),
            Not => Value::Bool(x == 0.0),
            Add => Value::$variant(x + y),
            Sub => Value::$variant(x - y),
            Mul => Value::$variant(x * y),
            Div => Value::$variant(x / y),
            Rem => {
                let r = x % y;
                Value::$variant(if r != 0.0 && (r < 0.0) != (y < 0.0) {
                    r + y
                } else {
                    r
                })
            }
            Pow => Value::$variant(x.powf(y)),
            Max => Value::$variant(if x.is_nan() || x > y { x } else { y }),
            Min => Value::$variant(if x.is_nan() || x < y { x } else { y }),
            And => Value::Bool(x != 0.0 && y != 0.0),
            Or => Value::Bool(x != 0.0 || y != 0.0),
            Eq => Value::Bool(x == y),
            Lt => Value::Bool(x < y),
            Le => Value::Bool(x <= y),
            Select => unreachable!("handled before"),
        }
    }};
}

fn apply_i64(op: ScalarOp, x: i64, y: i64) -> Value {
    use ScalarOp::*;
    match op {
        Neg => Value::I64(x.wrapping_neg()),
        Abs => Value::I64(x.wrapping_abs()),
        Sign => Value::I64(x.signum()),
        Floor | Ceil | Round | Trunc => Value::I64(x),
        Not => Value::Bool(x == 0),
        Add => Value::I64(x.wrapping_add(y)),
        Sub => Value::I64(x.wrapping_sub(y)),
        Mul => Value::I64(x.wrapping_mul(y)),
        Div if y == 0 => Value::I64(0),
        Div => {
            let q = x.wrapping_div(y);
            Value::I64(if x.wrapping_rem(y) != 0 && (x < 0) != (y < 0) {
                q - 1
            } else {
                q
            })
        }
        Rem if y == 0 => Value::I64(0),
        Rem => {
            let r = x.wrapping_rem(y);
            Value::I64(if r != 0 && (r < 0) != (y < 0) {
                r + y
            } else {
                r
            })
        }
        Pow => Value::I64(if y < 0 {
            match x {
                1 => 1,
                -1 => 1 - 2 * (y & 1),
                _ => 0,
            }
        } else {
            x.wrapping_pow(y.min(i64::from(u32::MAX)) as u32)
        }),
        Max => Value::I64(x.max(y)),
        Min => Value::I64(x.min(y)),
        And => Value::Bool(x != 0 && y != 0),
        Or => Value::Bool(x != 0 || y != 0),
        Eq => Value::Bool(x == y),
        Lt => Value::Bool(x < y),
        Le => Value::Bool(x <= y),
        // Ops with a float rule get floats: the registry promotes first.
        Exp | Expm1 | Log | Log1p | Sqrt | Sin | Cos | Tanh | Erf | Select => Value::I64(x),
    }
}

impl Lane for Value {
    fn constant(&self, value: f64) -> Value {
        Value::from_scalar(Scalar::Float(value), Lane::dtype(self))
    }

    fn apply(op: ScalarOp, operands: &[&Value]) -> Value {
        if op == ScalarOp::Select {
            return if operands[0].truth() {
                *operands[1]
            } else {
                *operands[2]
            };
        }
        let second = operands.get(1).map_or(*operands[0], |v| **v);
        match (*operands[0], second) {
            (Value::F32(x), Value::F32(y)) => float_apply!(op, x, y, F32, libm::erff),
            (Value::F64(x), Value::F64(y)) => float_apply!(op, x, y, F64, libm::erf),
            (Value::I64(x), Value::I64(y)) => apply_i64(op, x, y),
            (x, y) => match apply_i64(op, i64::from(x.truth()), i64::from(y.truth())) {
                Value::I64(v) => Value::Bool(v != 0),
                predicate => predicate,
            },
        }
    }

    fn cast(&self, to: DType) -> Value {
        match (*self, to) {
            (Value::F32(x), DType::I64) => Value::I64(x as i64),
            (value, to) => match value {
                Value::Bool(_) | Value::I64(_) | Value::F32(_) | Value::F64(_)
                    if to == DType::Bool =>
                {
                    Value::Bool(value.truth())
                }
                value => Value::from_scalar(value.scalar(), to),
            },
        }
    }

    fn dtype(&self) -> DType {
        match self {
            Value::Bool(_) => DType::Bool,
            Value::I64(_) => DType::I64,
            Value::F32(_) => DType::F32,
            Value::F64(_) => DType::F64,
        }
    }
}

/// A scalar expression as a tree; shared subtrees stay shared.
#[derive(Debug, Clone)]
pub struct Expr(pub Rc<ExprNode>);

/// A node of an [`Expr`].
#[derive(Debug)]
#[allow(missing_docs, reason = "fields named in Expr's methods")]
pub enum ExprNode {
    /// An instruction that exists already.
    Instr {
        index: u16,
        dtype: DType,
    },
    Constant {
        value: f64,
        dtype: DType,
    },
    Apply {
        op: ScalarOp,
        operands: Vec<Expr>,
        dtype: DType,
    },
    Cast {
        operand: Expr,
        to: DType,
    },
}

impl Lane for Expr {
    fn constant(&self, value: f64) -> Expr {
        let dtype = Lane::dtype(self);
        Expr(Rc::new(ExprNode::Constant { value, dtype }))
    }

    fn apply(op: ScalarOp, operands: &[&Expr]) -> Expr {
        let dtype = match op {
            ScalarOp::Select => operands[1].dtype(),
            op if op.is_predicate() => DType::Bool,
            _ => operands[0].dtype(),
        };
        let operands = operands.iter().map(|e| (*e).clone()).collect();
        Expr(Rc::new(ExprNode::Apply {
            op,
            operands,
            dtype,
        }))
    }

    fn cast(&self, to: DType) -> Expr {
        if Lane::dtype(self) == to {
            return self.clone();
        }
        Expr(Rc::new(ExprNode::Cast {
            operand: self.clone(),
            to,
        }))
    }

    fn dtype(&self) -> DType {
        match &*self.0 {
            ExprNode::Instr { dtype, .. }
            | ExprNode::Constant { dtype, .. }
            | ExprNode::Apply { dtype, .. } => *dtype,
            ExprNode::Cast { to, .. } => *to,
        }
    }
}
