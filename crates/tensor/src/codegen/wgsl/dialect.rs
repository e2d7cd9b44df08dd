//! Operations in WGSL, each as `Value::apply` defines it.

use super::super::expression::{ATOM, Dialect, Piece};
use super::super::name::Words;
use super::super::pseudo::function;
use super::super::shader::{SIGN, Used, infix, not, of_bools, prefix};
use super::helpers::Helper;
use super::local;
use crate::alu::{AluOp, Value};
use crate::dtype::{DType, Scalar};

#[derive(Default)]
pub(super) struct Wgsl {
    /// Functions that are used and WGSL lacks, each once.
    pub(super) helpers: Vec<Helper>,
    pub(super) used: Used,
    /// Whether the run-time numbers stand among a routine's sizes.
    pub(super) is_end: bool,
}

impl Wgsl {
    pub(super) fn helper(&mut self, helper: Helper) -> &'static str {
        for &needed in helper.needs() {
            self.helper(needed);
        }
        if !self.helpers.contains(&helper) {
            self.helpers.push(helper);
        }
        helper.name()
    }

    fn infinity(&mut self) -> String {
        [self.helper(Helper::Infinity), "()"].concat()
    }

    /// Whether a number is not zero; NaN is not.
    fn truth(&mut self, a: &Piece, float: bool) -> Piece {
        match float {
            true => self.with(Helper::IsTrue, std::slice::from_ref(a)),
            false => infix(a, "!=", &Piece::atom("0i")),
        }
    }

    fn with(&mut self, helper: Helper, operands: &[Piece]) -> Piece {
        Piece::call(self.helper(helper), operands)
    }
}

impl Dialect for Wgsl {
    fn number(&mut self, value: Scalar, dtype: DType) -> Piece {
        let piece = |text: String| Piece {
            rank: if text.starts_with('-') { SIGN } else { ATOM },
            text,
        };
        match Value::from_scalar(value, dtype) {
            Value::Bool(b) => Piece::atom(b.to_string()),
            Value::F32(x) if x.is_nan() => Piece::atom([self.helper(Helper::Nan), "()"].concat()),
            Value::F32(x) if x.is_infinite() => {
                let sign = if x < 0.0 { "-" } else { "" };
                piece([sign, &self.infinity()].concat())
            }
            Value::F32(x) => piece(format!("{x:?}f")),
            Value::I64(i) => match i32::try_from(i) {
                Ok(i32::MIN) => Piece::atom("i32(-2147483648)"),
                Ok(i) => piece(format!("{i}i")),
                Err(_) => {
                    self.used.problem =
                        Some(format!("The number {i} does not fit WGSL's 32 bits."));
                    Piece::atom("0i")
                }
            },
            Value::U64(_) | Value::F64(_) => {
                self.used.problem = Some(format!("WGSL has no {dtype}."));
                Piece::atom("0")
            }
        }
    }

    fn argument(&mut self, at: usize, _: Scalar, dtype: DType) -> Piece {
        let uniform = if self.is_end { "sizes" } else { "numbers" };
        let name = format!("{uniform}.{}", self.used.argument(at, dtype));
        match dtype {
            DType::Bool => Piece::atom(format!("({name} != 0u)")),
            _ => Piece::atom(name),
        }
    }

    fn apply(&mut self, op: AluOp, of: DType, operands: &[Piece]) -> Piece {
        use AluOp::*;
        let a = &operands[0];
        let b = operands.get(1).unwrap_or(a);
        if op == Select {
            return Piece::call("select", &[operands[2].clone(), b.clone(), a.clone()]);
        }
        let kind = local(of);
        if kind == "bool" {
            return of_bools(op, a, b);
        }
        let float = kind == "f32";
        let helper = match (op, float) {
            (Exp, true) => Some(Helper::Exp),
            (Exp2, true) => Some(Helper::Exp2),
            (Log, true) => Some(Helper::Log),
            (Log2, true) => Some(Helper::Log2),
            (Expm1, true) => Some(Helper::Expm1),
            (Log1p, true) => Some(Helper::Log1p),
            (Log10, true) => Some(Helper::Log10),
            (Erf, true) => Some(Helper::Erf),
            (Erfc, true) => Some(Helper::Erfc),
            (Hypot, true) => Some(Helper::Hypot),
            (Copysign, true) => Some(Helper::Copysign),
            (Tanh, true) => Some(Helper::Tanh),
            (Sin, true) => Some(Helper::Sin),
            (Cos, true) => Some(Helper::Cos),
            (Tan, true) => Some(Helper::Tan),
            (Sinh, true) => Some(Helper::Sinh),
            (Cosh, true) => Some(Helper::Cosh),
            (Asinh, true) => Some(Helper::Asinh),
            (Acosh, true) => Some(Helper::Acosh),
            (Atanh, true) => Some(Helper::Atanh),
            (Asin, true) => Some(Helper::Asin),
            (Acos, true) => Some(Helper::Acos),
            (Atan, true) => Some(Helper::Atan),
            (Atan2, true) => Some(Helper::Atan2),
            (Fmod, true) => Some(Helper::FmodF),
            (Rem, true) => Some(Helper::RemainderF),
            (Pow, true) => Some(Helper::PowerF),
            (Max, true) => Some(Helper::MaxF),
            (Min, true) => Some(Helper::MinF),
            (Div, false) => Some(Helper::DivideI),
            (Rem, false) => Some(Helper::RemainderI),
            (Fmod, false) => Some(Helper::FmodI),
            (Pow, false) => Some(Helper::PowerI),
            (Shl, false) => Some(Helper::ShiftLeft),
            (Shr, false) => Some(Helper::ShiftRight),
            _ => None,
        };
        if let Some(helper) = helper {
            return self.with(helper, operands);
        }
        let sign = match op {
            Neg | BitNot if float || op == Neg => return prefix("-", a),
            BitNot => return Piece::atom(["~", &a.within(ATOM)].concat()),
            Not if float => return not(&self.truth(a, float)),
            Not => return infix(a, "==", &Piece::atom("0i")),
            And | Or => {
                let sign = if op == And { "&&" } else { "||" };
                return infix(&self.truth(a, float), sign, &self.truth(b, float));
            }
            Add => "+",
            Sub => "-",
            Mul => "*",
            Div => "/",
            Eq => "==",
            Lt => "<",
            Le => "<=",
            BitAnd => "&",
            BitOr => "|",
            BitXor => "^",
            // Floats have no bits here, and integers no functions: the registry refuses both.
            Shl | Shr | Fmod => return a.clone(),
            _ if !float && !matches!(op, Abs | Sign | Max | Min) => return a.clone(),
            _ => return Piece::call(function(op), operands),
        };
        if float && matches!(op, BitAnd | BitOr | BitXor) {
            return a.clone();
        }
        infix(a, sign, b)
    }

    fn cast(&mut self, from: DType, to: DType, operand: Piece) -> Piece {
        let bits = |n: u8| {
            let text = format!("({} << {n}u) >> {n}u", operand.within(ATOM));
            Piece { text, rank: SIGN }
        };
        match (local(from), to) {
            ("bool", DType::Bool) => operand,
            (kind, DType::Bool) => self.truth(&operand, kind == "f32"),
            ("i32", DType::U8) => infix(&operand, "&", &Piece::atom("255i")),
            ("i32", DType::U16) => infix(&operand, "&", &Piece::atom("65535i")),
            ("i32", DType::I8) => bits(24),
            ("i32", DType::I16) => bits(16),
            (kind, to) if kind == local(to) => operand,
            (_, DType::F16) => self.with(Helper::ToFloat16, &[operand]),
            (_, to) => Piece::call(local(to), &[operand]),
        }
    }

    fn value(&self, word: &str, number: usize, _: &mut Words) -> String {
        format!("{word}_{number}")
    }
}
