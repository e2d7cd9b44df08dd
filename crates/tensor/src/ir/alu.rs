//! The scalar body of an elementwise op, written once.
//!
//! [`Alu`] is the closed list of scalar operations. A body generic over it is instantiated twice:
//! with [`Value`] (the slow interpreter: the living definition, where NaN, ±0, ties and overflow
//! are decided) and with [`Expr`] (a tree that the scheduler turns into kernel instructions, which
//! backends run over tiles or print as shader code).

use std::rc::Rc;

use crate::dtype::{DType, Scalar};

/// What a backend must be able to compute on one element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it; Value::apply defines each")]
pub enum AluOp {
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
    Erfc,
    Exp2,
    Log2,
    Log10,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Asinh,
    Acosh,
    Atanh,
    Floor,
    Ceil,
    /// Half to even.
    Round,
    Trunc,
    Not,
    /// Of integers, every bit turned over; of a bool, its opposite.
    BitNot,
    Add,
    Sub,
    Mul,
    /// True division; of integers, division rounded toward minus infinity, and x / 0 is 0 (a call that divides
    /// integers by 0 is refused before, `ops::division::check_divisor`).
    Div,
    /// Python's remainder: the sign of the divisor; of integers, x % 0 is 0.
    Rem,
    /// C's remainder: the sign of the dividend; of integers, x % 0 is 0.
    Fmod,
    Pow,
    Atan2,
    Hypot,
    /// The first operand's size with the second's sign.
    Copysign,
    /// NaN if either is NaN; of equal operands the second.
    Max,
    /// NaN if either is NaN; of equal operands the second.
    Min,
    And,
    Or,
    /// Of integers and bools.
    BitAnd,
    /// Of integers and bools.
    BitOr,
    /// Of integers and bools.
    BitXor,
    /// Bits moved up; by a negative number of places or more than there are, 0.
    Shl,
    /// Bits moved down, filled with the sign; by a negative number of places or more than there
    /// are, all sign.
    Shr,
    Eq,
    Lt,
    Le,
    /// `src[0] ? src[1] : src[2]`.
    Select,
}

impl AluOp {
    /// How many operands it takes.
    pub const fn arity(self) -> usize {
        use AluOp::*;
        match self {
            Neg | Abs | Sign | Floor | Ceil | Round | Trunc | Not | BitNot => 1,
            op if op.is_float_function() => 1,
            Select => 3,
            _ => 2,
        }
    }

    /// Whether it is a function of one float that integers have no use for.
    pub const fn is_float_function(self) -> bool {
        use AluOp::*;
        matches!(
            self,
            Exp | Expm1
                | Log
                | Log1p
                | Sqrt
                | Sin
                | Cos
                | Tanh
                | Erf
                | Erfc
                | Exp2
                | Log2
                | Log10
                | Tan
                | Asin
                | Acos
                | Atan
                | Sinh
                | Cosh
                | Asinh
                | Acosh
                | Atanh
        )
    }

    /// Whether the result is a bool whatever the operands are.
    pub const fn is_predicate(self) -> bool {
        use AluOp::*;
        matches!(self, Not | And | Or | Eq | Lt | Le)
    }
}

/// A lane on which a scalar body computes.
pub trait Alu: Clone + Sized {
    /// A number in this lane's dtype.
    fn constant(&self, value: f64) -> Self;
    /// One scalar operation; `operands` has `op.arity()` entries.
    fn apply(op: AluOp, operands: &[&Self]) -> Self;
    /// In another dtype.
    fn cast(&self, to: DType) -> Self;
    /// The dtype.
    fn dtype(&self) -> DType;

    /// `self ? a : b`.
    fn select(&self, a: &Self, b: &Self) -> Self {
        Self::apply(AluOp::Select, &[self, a, b])
    }
}

macro_rules! lane_methods {
    ($trait:ident; unary: $($un:ident $uop:ident),*; binary: $($bin:ident $bop:ident),*) => {
        /// Method syntax for bodies; each is the [`AluOp`] of its name.
        #[allow(missing_docs, reason = "see AluOp")]
        pub trait $trait: Alu {
            $(fn $un(&self) -> Self { Self::apply(AluOp::$uop, &[self]) })*
            $(fn $bin(&self, other: &Self) -> Self { Self::apply(AluOp::$bop, &[self, other]) })*
        }
        impl<L: Alu> $trait for L {}
    };
}
lane_methods!(AluOps;
    unary: neg Neg, abs Abs, sign Sign, exp Exp, expm1 Expm1, log Log, log1p Log1p, sqrt Sqrt, sin Sin, cos Cos,
        tanh Tanh, erf Erf, erfc Erfc, exp2 Exp2, log2 Log2, log10 Log10, tan Tan, asin Asin, acos Acos,
        atan Atan, sinh Sinh, cosh Cosh, asinh Asinh, acosh Acosh, atanh Atanh, floor Floor, ceil Ceil,
        round Round, trunc Trunc, not Not, bit_not BitNot;
    binary: add Add, sub Sub, mul Mul, div Div, rem Rem, fmod Fmod, pow Pow, atan2 Atan2, hypot Hypot,
        copysign Copysign, max Max, min Min, and And, or Or, bit_and BitAnd, bit_or BitOr, bit_xor BitXor,
        shl Shl, shr Shr, eq Eq, lt Lt, le Le);

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
        use $crate::alu::{Alu, AluOps};
        fn body<L: Alu>(operands: &[L]) -> L {
            let [$($x),+] = operands else { unreachable!("the registry fixes the arity") };
            $e
        }
        $crate::alu::Body { scalar: body::<$crate::alu::Value>, expr: body::<$crate::alu::Expr> }
    }};
}

/// One element, in the dtype that arithmetic on it is done in ([`DType::compute`]).
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs, reason = "one variant a dtype of arithmetic")]
pub enum Value {
    Bool(bool),
    I64(i64),
    U64(u64),
    F32(f32),
    F64(f64),
}

impl Value {
    /// Zero of a dtype.
    pub fn zero(dtype: DType) -> Value {
        Value::from_scalar(Scalar::Int(0), dtype)
    }

    /// A number in a dtype: rounded or wrapped as that dtype does.
    pub fn from_scalar(scalar: Scalar, dtype: DType) -> Value {
        let value = match scalar {
            Scalar::Bool(b) => Value::Bool(b),
            Scalar::Int(i) => Value::I64(i),
            Scalar::UInt(i) => Value::U64(i),
            Scalar::Float(f) => Value::F64(f),
        };
        value.cast(dtype)
    }

    /// As a number.
    pub fn scalar(self) -> Scalar {
        match self {
            Value::Bool(b) => Scalar::Bool(b),
            Value::I64(i) => Scalar::Int(i),
            Value::U64(i) => i64::try_from(i).map_or(Scalar::UInt(i), Scalar::Int),
            Value::F32(x) => Scalar::Float(f64::from(x)),
            Value::F64(x) => Scalar::Float(x),
        }
    }

    /// Whether it counts as true.
    pub fn truth(self) -> bool {
        match self {
            Value::Bool(b) => b,
            Value::I64(i) => i != 0,
            Value::U64(i) => i != 0,
            Value::F32(x) => x != 0.0,
            Value::F64(x) => x != 0.0,
        }
    }

    /// As 64 bits of two's complement; floats are cut toward zero and saturate, NaN is 0.
    fn bits(self) -> i64 {
        match self {
            Value::Bool(b) => i64::from(b),
            Value::I64(i) => i,
            Value::U64(i) => i as i64,
            Value::F32(x) => x as i64,
            Value::F64(x) => x as i64,
        }
    }

    fn to_f32(self) -> f32 {
        match self {
            Value::Bool(b) => f32::from(u8::from(b)),
            Value::I64(i) => i as f32,
            Value::U64(i) => i as f32,
            Value::F32(x) => x,
            Value::F64(x) => x as f32,
        }
    }

    /// Its little-endian bytes in a dtype.
    pub fn write(self, dtype: DType, bytes: &mut Vec<u8>) {
        match self.cast(dtype) {
            Value::Bool(b) => bytes.push(u8::from(b)),
            Value::I64(i) => bytes.extend(&i.to_le_bytes()[..dtype.size()]),
            Value::U64(i) => bytes.extend(i.to_le_bytes()),
            Value::F64(x) => bytes.extend(x.to_le_bytes()),
            Value::F32(x) => match dtype {
                DType::F16 => bytes.extend(half::f16::from_f32(x).to_le_bytes()),
                DType::BF16 => bytes.extend(half::bf16::from_f32(x).to_le_bytes()),
                _ => bytes.extend(x.to_le_bytes()),
            },
        }
    }
}

/// Functions that `std` has not, or computes by the system's library: float32 through float64.
fn function(op: AluOp, x: f64) -> Option<f64> {
    use AluOp::*;
    Some(match op {
        Erfc => libm::erfc(x),
        Exp2 => libm::exp2(x),
        Log2 => libm::log2(x),
        Log10 => libm::log10(x),
        Tan => libm::tan(x),
        Asin => libm::asin(x),
        Acos => libm::acos(x),
        Atan => libm::atan(x),
        Sinh => libm::sinh(x),
        Cosh => libm::cosh(x),
        Asinh => libm::asinh(x),
        Acosh => libm::acosh(x),
        Atanh => libm::atanh(x),
        _ => return None,
    })
}

/// The float operations, the same for both widths.
macro_rules! float_apply {
    ($op:expr, $x:expr, $y:expr, $variant:ident, $erf:path) => {{
        let (x, y) = ($x, $y);
        use AluOp::*;
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
            Fmod => Value::$variant(x % y),
            Atan2 => Value::$variant(libm::atan2(f64::from(x), f64::from(y)) as _),
            Hypot => Value::$variant(libm::hypot(f64::from(x), f64::from(y)) as _),
            Copysign => Value::$variant(x.copysign(y)),
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
            Erfc | Exp2 | Log2 | Log10 | Tan | Asin | Acos | Atan | Sinh | Cosh | Asinh | Acosh
            | Atanh => Value::$variant(function($op, f64::from(x)).unwrap_or(f64::NAN) as _),
            // Floats have no bits here: the registry refuses them.
            BitNot | BitAnd | BitOr | BitXor | Shl | Shr => Value::$variant(x),
            Select => unreachable!("handled before"),
        }
    }};
}

fn apply_u64(op: AluOp, x: u64, y: u64) -> Value {
    use AluOp::*;
    match op {
        Abs => Value::U64(x),
        Sign => Value::U64(u64::from(x > 0)),
        Div => Value::U64(x.checked_div(y).unwrap_or(0)),
        Rem | Fmod => Value::U64(x.checked_rem(y).unwrap_or(0)),
        Pow => Value::U64(wrapping_power(x, y)),
        Max => Value::U64(x.max(y)),
        Min => Value::U64(x.min(y)),
        Shl => Value::U64(if y < 64 { x << y } else { 0 }),
        Shr => Value::U64(if y < 64 { x >> y } else { 0 }),
        Lt => Value::Bool(x < y),
        Le => Value::Bool(x <= y),
        // The rest is the same on bits.
        _ => match apply_i64(op, x as i64, y as i64) {
            Value::I64(bits) => Value::U64(bits as u64),
            predicate => predicate,
        },
    }
}

/// A power modulo 2⁶⁴, with an exponent of any size.
pub fn wrapping_power(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1u64;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    result
}

fn apply_i64(op: AluOp, x: i64, y: i64) -> Value {
    use AluOp::*;
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
            wrapping_power(x as u64, y as u64) as i64
        }),
        Fmod if y == 0 => Value::I64(0),
        Fmod => Value::I64(x.wrapping_rem(y)),
        BitNot => Value::I64(!x),
        BitAnd => Value::I64(x & y),
        BitOr => Value::I64(x | y),
        BitXor => Value::I64(x ^ y),
        Shl => Value::I64(if (0..64).contains(&y) { x << y } else { 0 }),
        Shr => Value::I64(x >> if (0..64).contains(&y) { y } else { 63 }),
        Max => Value::I64(x.max(y)),
        Min => Value::I64(x.min(y)),
        And => Value::Bool(x != 0 && y != 0),
        Or => Value::Bool(x != 0 || y != 0),
        Eq => Value::Bool(x == y),
        Lt => Value::Bool(x < y),
        Le => Value::Bool(x <= y),
        // Ops with a float rule get floats: the registry promotes first.
        _ => Value::I64(x),
    }
}

impl Alu for Value {
    fn constant(&self, value: f64) -> Value {
        Value::from_scalar(Scalar::Float(value), Alu::dtype(self))
    }

    fn apply(op: AluOp, operands: &[&Value]) -> Value {
        if op == AluOp::Select {
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
            (Value::U64(x), Value::U64(y)) => apply_u64(op, x, y),
            (x, _) if op == AluOp::BitNot => Value::Bool(!x.truth()),
            (x, y) => match apply_i64(op, i64::from(x.truth()), i64::from(y.truth())) {
                Value::I64(v) => Value::Bool(v != 0),
                predicate => predicate,
            },
        }
    }

    fn cast(&self, to: DType) -> Value {
        match to {
            DType::Bool => Value::Bool(self.truth()),
            DType::I64 => Value::I64(self.bits()),
            DType::U8 => Value::I64(i64::from(self.bits() as u8)),
            DType::I8 => Value::I64(i64::from(self.bits() as i8)),
            DType::I16 => Value::I64(i64::from(self.bits() as i16)),
            DType::I32 => Value::I64(i64::from(self.bits() as i32)),
            DType::U16 => Value::I64(i64::from(self.bits() as u16)),
            DType::U32 => Value::I64(i64::from(self.bits() as u32)),
            DType::U64 => Value::U64(match *self {
                Value::F32(x) if x >= 0.0 => x as u64,
                Value::F64(x) if x >= 0.0 => x as u64,
                other => other.bits() as u64,
            }),
            DType::F32 => Value::F32(self.to_f32()),
            DType::F16 => Value::F32(half::f16::from_f32(self.to_f32()).to_f32()),
            DType::BF16 => Value::F32(half::bf16::from_f32(self.to_f32()).to_f32()),
            DType::F64 => Value::F64(match *self {
                Value::F64(x) => x,
                other => other.scalar().as_f64(),
            }),
        }
    }

    fn dtype(&self) -> DType {
        match self {
            Value::Bool(_) => DType::Bool,
            Value::I64(_) => DType::I64,
            Value::U64(_) => DType::U64,
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
        op: AluOp,
        operands: Vec<Expr>,
        dtype: DType,
    },
    Cast {
        operand: Expr,
        to: DType,
    },
}

impl Alu for Expr {
    fn constant(&self, value: f64) -> Expr {
        let dtype = Alu::dtype(self);
        Expr(Rc::new(ExprNode::Constant { value, dtype }))
    }

    fn apply(op: AluOp, operands: &[&Expr]) -> Expr {
        let dtype = match op {
            AluOp::Select => operands[1].dtype(),
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

    /// Between narrow dtypes the way leads through those of arithmetic, so that a backend has few
    /// conversions to know.
    fn cast(&self, to: DType) -> Expr {
        let step = |operand: &Expr, to: DType| {
            if Alu::dtype(operand) == to {
                return operand.clone();
            }
            Expr(Rc::new(ExprNode::Cast {
                operand: operand.clone(),
                to,
            }))
        };
        if Alu::dtype(self) == to {
            return self.clone();
        }
        let from = step(self, Alu::dtype(self).compute());
        // Narrow types hold truth too; a bool is neither wide nor narrow.
        step(&step(&from, to.compute()), to)
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
