//! Elementwise ops without a row: the scalar body that defines an op, written node by node.
//!
//! The body is the expression that kernels are made of (`glowgrad::alu`), so an op that is added to the engine is written
//! with no further word. Invariant: arithmetic is in the dtypes in which the engine computes (bool, int64, uint64,
//! float32, float64), with a cast before and after, unless a narrow type gives the same bits. Where ONNX's operator means
//! something else than the engine's (division of integers, remainders, rounding toward zero, shifts), several nodes say
//! what is meant. Left as runtimes have it: float to integer out of range, and x / 0 of integers, which the engine refuses.

use std::collections::HashMap;
use std::rc::Rc;

use glowgrad::alu::{Alu, AluOp, Body, Expr, ExprNode};
use glowgrad::{DType, Scalar};

use super::call::{Call, Result1, scalar};
use super::writer::{Id, Writer};

/// Writes the body of an elementwise op.
pub(super) fn write(c: &mut Call, body: Body) -> Result1 {
    let mut leaves = Vec::new();
    let mut operands = Vec::new();
    let leaf = |leaves: &mut Vec<Id>, id: Id, dtype: DType| {
        leaves.push(id);
        let index = (leaves.len() - 1) as u16;
        Expr(Rc::new(ExprNode::Instr { index, dtype }))
    };
    for i in 0..c.src.len() {
        let source = &c.src[i];
        let dtype = source.dtype;
        let wide = dtype.compute();
        // Beside half-width floats some ops keep a number's digits.
        if let Some(number) = source.number
            && c.node.op.wide_numbers
            && dtype.is_float()
        {
            let id = c.number(number, wide);
            operands.push(leaf(&mut leaves, id, wide));
            continue;
        }
        let id = c.x(i)?;
        operands.push(leaf(&mut leaves, id, dtype).cast(wide));
    }
    let lane = operands.first().map_or(c.node.dtype.compute(), Alu::dtype);
    for number in c.node.attrs.iter().filter_map(scalar) {
        let id = c.number(number, lane);
        operands.push(leaf(&mut leaves, id, lane));
    }
    let to = c.node.dtype;
    let expr = (body.expr)(&operands).cast(to);
    if let Some(id) = narrow(c, &expr, &leaves) {
        return Ok(id.into());
    }
    let mut translation = Translation {
        writer: c.writer,
        leaves,
        known: HashMap::new(),
    };
    Ok(translation.expr(&expr).into())
}

/// One operation on narrow elements that needs no wider ones: rounding the exact result of these once, or wrapping it,
/// gives the same bits.
fn narrow(c: &mut Call, expr: &Expr, leaves: &[Id]) -> Option<Id> {
    use AluOp::*;
    let to = c.node.dtype;
    let ExprNode::Cast { operand, .. } = &*expr.0 else {
        return None;
    };
    let ExprNode::Apply { op, operands, .. } = &*operand.0 else {
        return None;
    };
    let fits = match to {
        DType::F16 => matches!(op, Add | Sub | Mul | Div | Neg | Abs | Sqrt | Floor | Ceil),
        DType::I32 => matches!(op, Add | Sub | Mul | Neg | Abs | Max | Min),
        _ => false,
    };
    let mut inputs = Vec::new();
    for operand in operands {
        let ExprNode::Cast { operand, .. } = &*operand.0 else {
            return None;
        };
        match &*operand.0 {
            ExprNode::Instr { index, dtype } if *dtype == to => {
                inputs.push(leaves[usize::from(*index)]);
            }
            _ => return None,
        }
    }
    if !fits {
        return None;
    }
    Some(c.make(plain(*op)?).on(&inputs).one(to))
}

/// ONNX's operator, where it has the same meaning on floats, or on what it takes.
fn plain(op: AluOp) -> Option<&'static str> {
    use AluOp::*;
    Some(match op {
        Neg => "Neg",
        Abs => "Abs",
        Sign => "Sign",
        Exp => "Exp",
        Log => "Log",
        Sqrt => "Sqrt",
        Sin => "Sin",
        Cos => "Cos",
        Tanh => "Tanh",
        Erf => "Erf",
        Tan => "Tan",
        Asin => "Asin",
        Acos => "Acos",
        Atan => "Atan",
        Sinh => "Sinh",
        Cosh => "Cosh",
        Asinh => "Asinh",
        Acosh => "Acosh",
        Atanh => "Atanh",
        Floor => "Floor",
        Ceil => "Ceil",
        Round => "Round",
        Add => "Add",
        Sub => "Sub",
        Mul => "Mul",
        Div => "Div",
        Pow => "Pow",
        Max => "Max",
        Min => "Min",
        _ => return None,
    })
}

struct Translation<'w> {
    writer: &'w mut Writer,
    leaves: Vec<Id>,
    /// Shared parts are written once.
    known: HashMap<*const ExprNode, Id>,
}

impl Translation<'_> {
    fn expr(&mut self, expr: &Expr) -> Id {
        let key = Rc::as_ptr(&expr.0);
        if let Some(&id) = self.known.get(&key) {
            return id;
        }
        let id = match &*expr.0 {
            ExprNode::Instr { index, .. } => self.leaves[usize::from(*index)],
            ExprNode::Constant { value, dtype } => {
                self.writer.number(Scalar::Float(*value), *dtype)
            }
            ExprNode::Cast { operand, to } => {
                let x = self.expr(operand);
                self.writer.cast(x, *to)
            }
            ExprNode::Apply {
                op,
                operands,
                dtype,
            } => {
                if let [one, x] = &operands[..]
                    && *op == AluOp::Div
                    && dtype.is_float()
                    && matches!(&*one.0, ExprNode::Constant { value, .. } if *value == 1.0)
                {
                    let x = self.expr(x);
                    let reciprocal = self.writer.unary("Reciprocal", x);
                    self.known.insert(key, reciprocal);
                    return reciprocal;
                }
                let operands: Vec<Id> = operands.iter().map(|x| self.expr(x)).collect();
                self.writer.alu(*op, &operands)
            }
        };
        self.known.insert(key, id);
        id
    }
}

impl Writer {
    /// One scalar operation, on each element.
    fn alu(&mut self, op: AluOp, x: &[Id]) -> Id {
        match self.dtype(x[usize::from(op == AluOp::Select)]) {
            DType::Bool => self.of_bools(op, x),
            dtype if dtype.is_float() => self.of_floats(op, x),
            _ => self.of_ints(op, x),
        }
    }

    fn constant_like(&mut self, value: f64, like: Id) -> Id {
        let dtype = self.dtype(like);
        self.float(value, dtype)
    }

    /// An op of two operands with a bool as its result.
    pub(super) fn compare(&mut self, op: &'static str, a: Id, b: Id) -> Id {
        self.make(op).on(&[a, b]).one(DType::Bool)
    }

    /// `condition ? a : b`. Of bools by logic: not every runtime has a choice of them.
    pub(super) fn choose(&mut self, condition: Id, a: Id, b: Id) -> Id {
        let condition = self.cast(condition, DType::Bool);
        let dtype = self.dtype(a);
        if dtype == DType::Bool {
            let other = self.not(condition);
            let (a, b) = (
                self.compare("And", condition, a),
                self.compare("And", other, b),
            );
            return self.compare("Or", a, b);
        }
        self.make("Where").on(&[condition, a, b]).one(dtype)
    }

    fn below_zero(&mut self, x: Id) -> Id {
        let zero = self.constant_like(0.0, x);
        self.compare("Less", x, zero)
    }

    fn not(&mut self, x: Id) -> Id {
        self.unary("Not", x)
    }

    /// What is the same whatever the elements are.
    fn of_any(&mut self, op: AluOp, x: &[Id]) -> Option<Id> {
        use AluOp::*;
        Some(match op {
            Select => self.choose(x[0], x[1], x[2]),
            Eq => self.compare("Equal", x[0], x[1]),
            And | Or => {
                let [a, b] = [x[0], x[1]].map(|x| self.cast(x, DType::Bool));
                self.compare(if op == And { "And" } else { "Or" }, a, b)
            }
            _ => return None,
        })
    }

    /// What both kinds of numbers have.
    fn of_numbers(&mut self, op: AluOp, x: &[Id]) -> Option<Id> {
        use AluOp::*;
        if let Some(id) = self.of_any(op, x) {
            return Some(id);
        }
        Some(match op {
            Lt => self.compare("Less", x[0], x[1]),
            Le => self.compare("LessOrEqual", x[0], x[1]),
            Not => {
                let zero = self.constant_like(0.0, x[0]);
                self.compare("Equal", x[0], zero)
            }
            // With the sign of the dividend.
            Fmod => {
                let dtype = self.dtype(x[0]);
                self.make("Mod").on(x).int("fmod", 1).one(dtype)
            }
            _ => return None,
        })
    }

    fn of_floats(&mut self, op: AluOp, x: &[Id]) -> Id {
        use AluOp::*;
        if let Some(id) = self.of_numbers(op, x) {
            return id;
        }
        let dtype = self.dtype(x[0]);
        match op {
            // eˣ − 1 = tanh(x / 2) · (eˣ + 1), which keeps the digits of small results.
            Expm1 => {
                let half = self.constant_like(0.5, x[0]);
                let half = self.pair("Mul", x[0], half);
                let tanh = self.unary("Tanh", half);
                let one = self.constant_like(1.0, x[0]);
                let exp = self.unary("Exp", x[0]);
                let sum = self.pair("Add", exp, one);
                self.pair("Mul", tanh, sum)
            }
            Log1p => self.log1p(x[0]),
            Erfc => {
                let one = self.constant_like(1.0, x[0]);
                let erf = self.unary("Erf", x[0]);
                self.pair("Sub", one, erf)
            }
            Exp2 => {
                let two = self.constant_like(2.0, x[0]);
                self.pair("Pow", two, x[0])
            }
            Log2 | Log10 => {
                let base: f64 = if op == Log2 { 2.0 } else { 10.0 };
                let scale = self.constant_like(1.0 / base.ln(), x[0]);
                let log = self.unary("Log", x[0]);
                self.pair("Mul", log, scale)
            }
            Trunc => {
                let below = self.below_zero(x[0]);
                let (up, down) = (self.unary("Ceil", x[0]), self.unary("Floor", x[0]));
                self.choose(below, up, down)
            }
            Rem => {
                let left = self.make("Mod").on(x).int("fmod", 1).one(dtype);
                let zero = self.constant_like(0.0, left);
                let nothing = self.compare("Equal", left, zero);
                let (a, b) = (self.below_zero(left), self.below_zero(x[1]));
                let same = self.compare("Equal", a, b);
                let stays = self.compare("Or", nothing, same);
                let moved = self.pair("Add", left, x[1]);
                self.choose(stays, left, moved)
            }
            Atan2 => self.atan2(x[0], x[1]),
            Hypot => self.hypot(x[0], x[1]),
            Copysign => self.copysign(x[0], x[1]),
            op => match plain(op) {
                Some(name) => self.make(name).on(x).one(dtype),
                // Floats have no bits: the engine refuses such a call.
                None => x[0],
            },
        }
    }

    /// ln(1 + x); near 0 as 2 · artanh(x / (x + 2)), which keeps the digits of small results.
    fn log1p(&mut self, x: Id) -> Id {
        let [one, two] = [1.0, 2.0].map(|v| self.constant_like(v, x));
        let size = self.unary("Abs", x);
        let half = self.constant_like(0.5, x);
        let near = self.compare("Less", size, half);
        let sum = self.pair("Add", x, two);
        let share = self.pair("Div", x, sum);
        let small = self.unary("Atanh", share);
        let small = self.pair("Mul", small, two);
        let sum = self.pair("Add", x, one);
        let large = self.unary("Log", sum);
        self.choose(near, small, large)
    }

    /// Whether the sign is set: 1 / −0 is below zero, too.
    fn is_negative(&mut self, x: Id) -> Id {
        let inverse = self.unary("Reciprocal", x);
        let (a, b) = (self.below_zero(x), self.below_zero(inverse));
        self.compare("Or", a, b)
    }

    fn is_infinite(&mut self, x: Id) -> Id {
        self.make("IsInf").on(&[x]).one(DType::Bool)
    }

    /// The size of a with the sign of b.
    fn copysign(&mut self, a: Id, b: Id) -> Id {
        let negative = self.is_negative(b);
        let size = self.unary("Abs", a);
        let opposite = self.unary("Neg", size);
        self.choose(negative, opposite, size)
    }

    /// The angle of (x, y): that of their sizes, mirrored where x or y is negative.
    fn atan2(&mut self, y: Id, x: Id) -> Id {
        let [zero, one, turn] = [0.0, 1.0, std::f64::consts::PI].map(|v| self.constant_like(v, x));
        let (high, wide) = (self.unary("Abs", y), self.unary("Abs", x));
        // Of two infinities the slope is 1, of two zeros 0.
        let slope = self.pair("Div", high, wide);
        let (a, b) = (self.is_infinite(high), self.is_infinite(wide));
        let both = self.compare("And", a, b);
        let slope = self.choose(both, one, slope);
        let (a, b) = (
            self.compare("Equal", high, zero),
            self.compare("Equal", wide, zero),
        );
        let both = self.compare("And", a, b);
        let slope = self.choose(both, zero, slope);
        let angle = self.unary("Atan", slope);
        let mirrored = self.pair("Sub", turn, angle);
        let left = self.is_negative(x);
        let angle = self.choose(left, mirrored, angle);
        self.copysign(angle, y)
    }

    /// √(a² + b²), by the larger of both, so that no square overflows; an infinity makes it infinite.
    fn hypot(&mut self, a: Id, b: Id) -> Id {
        let infinite = {
            let (a, b) = (self.is_infinite(a), self.is_infinite(b));
            self.compare("Or", a, b)
        };
        let [zero, one, infinity] = [0.0, 1.0, f64::INFINITY].map(|v| self.constant_like(v, a));
        let (a, b) = (self.unary("Abs", a), self.unary("Abs", b));
        let (most, least) = (self.pair("Max", a, b), self.pair("Min", a, b));
        let share = self.pair("Div", least, most);
        let square = self.pair("Mul", share, share);
        let sum = self.pair("Add", square, one);
        let root = self.unary("Sqrt", sum);
        let size = self.pair("Mul", most, root);
        let nothing = self.compare("Equal", most, zero);
        let size = self.choose(nothing, most, size);
        self.choose(infinite, infinity, size)
    }

    fn of_ints(&mut self, op: AluOp, x: &[Id]) -> Id {
        use AluOp::*;
        if let Some(id) = self.of_numbers(op, x) {
            return id;
        }
        let dtype = self.dtype(x[0]);
        match op {
            // ONNX divides toward zero: without the remainder the division is exact.
            Div => {
                let left = self.pair("Mod", x[0], x[1]);
                let whole = self.pair("Sub", x[0], left);
                self.pair("Div", whole, x[1])
            }
            // Of integers with the sign of the divisor.
            Rem => self.pair("Mod", x[0], x[1]),
            Floor | Ceil | Round | Trunc => x[0],
            Abs if !dtype.is_signed() => x[0],
            BitNot => self.unary("BitwiseNot", x[0]),
            BitAnd => self.pair("BitwiseAnd", x[0], x[1]),
            BitOr => self.pair("BitwiseOr", x[0], x[1]),
            BitXor => self.pair("BitwiseXor", x[0], x[1]),
            Shl | Shr => self.shift(op == Shl, x[0], x[1]),
            Neg if !dtype.is_signed() => {
                let zero = self.constant_like(0.0, x[0]);
                self.pair("Sub", zero, x[0])
            }
            op => match plain(op) {
                Some(name) => self.make(name).on(x).one(dtype),
                None => x[0],
            },
        }
    }

    /// Bits moved; ONNX moves those of unsigned integers, and fewer places than there are.
    fn shift(&mut self, up: bool, x: Id, by: Id) -> Id {
        let dtype = self.dtype(x);
        let direction = if up { "LEFT" } else { "RIGHT" };
        let number = |writer: &mut Writer, i: i64| writer.number(Scalar::Int(i), dtype);
        let (zero, most) = (number(self, 0), number(self, 64));
        let fits = self.compare("Less", by, most);
        let fits = match dtype.is_signed() {
            true => {
                let not_below = self.compare("GreaterOrEqual", by, zero);
                self.compare("And", fits, not_below)
            }
            false => fits,
        };
        let places = self.choose(fits, by, zero);
        // What is below 0 moves down with its bits turned over, so that ones come in.
        let below = (!up && dtype.is_signed()).then(|| self.compare("Less", x, zero));
        let bits = match below {
            Some(below) => {
                let turned = self.unary("BitwiseNot", x);
                self.choose(below, turned, x)
            }
            None => x,
        };
        let [bits, places] = [bits, places].map(|v| self.cast(v, DType::U64));
        let moved = (self.make("BitShift").on(&[bits, places]))
            .text("direction", direction)
            .one(DType::U64);
        let moved = self.cast(moved, dtype);
        let moved = self.choose(fits, moved, zero);
        match below {
            Some(below) => {
                let turned = self.unary("BitwiseNot", moved);
                self.choose(below, turned, moved)
            }
            None => moved,
        }
    }

    fn of_bools(&mut self, op: AluOp, x: &[Id]) -> Id {
        use AluOp::*;
        if let Some(id) = self.of_any(op, x) {
            return id;
        }
        match op {
            Not | BitNot => self.not(x[0]),
            Add | Max | BitOr => self.compare("Or", x[0], x[1]),
            Mul | Min | BitAnd => self.compare("And", x[0], x[1]),
            BitXor => self.compare("Xor", x[0], x[1]),
            Lt => {
                let a = self.not(x[0]);
                self.compare("And", a, x[1])
            }
            Le => {
                let a = self.not(x[0]);
                self.compare("Or", a, x[1])
            }
            op if op.arity() == 1 => x[0],
            op => {
                let wide: Vec<Id> = x.iter().map(|&x| self.cast(x, DType::I64)).collect();
                let y = self.of_ints(op, &wide);
                self.cast(y, DType::Bool)
            }
        }
    }
}
