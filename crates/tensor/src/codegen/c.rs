//! Operations in C++ as devices have it, each as `Value::apply` defines it: what CUDA C and MSL share.
//!
//! What differs between them is in a [`Flavour`]: the names of types, and what must be written out.

mod helpers;

use super::Line;
use super::expression::{ATOM, Dialect, Piece};
use super::name::Words;
use super::pseudo::{self, Page, function};
use super::shader::{
    self, Grid, LANES, Language, Module, SIGN, Used, infix, not, of_bools, prefix,
};
use crate::alu::{AluOp, Value};
use crate::dtype::{DType, Scalar};
use crate::view::View;

use helpers::Helper;

/// What tells a kind of C++ from another.
pub(super) struct Flavour {
    /// The type in which a dtype lies in a buffer.
    pub(super) storage: fn(DType) -> &'static str,
    /// The type in which a dtype is computed with.
    pub(super) local: fn(DType) -> &'static str,
    /// Whether int64 has 32 bits, as every element has.
    pub(super) words: bool,
    /// What stands before a function.
    pub(super) function: &'static str,
    /// What stands before an array that a group shares.
    pub(super) shared: &'static str,
    /// Where the threads of a group wait for each other.
    pub(super) barrier: &'static str,
    /// What a module begins with.
    pub(super) head: &'static [&'static str],
    /// What stands before the entry point.
    pub(super) entry: &'static str,
    /// A parameter that is a buffer: its number, the type of its elements, its name, whether it is
    /// written.
    pub(super) buffer: fn(usize, &str, &str, bool) -> String,
    /// A parameter that is a number.
    pub(super) number: fn(usize, &str, &str) -> String,
    /// Parameters that say which thread runs.
    pub(super) places: fn(Grid) -> &'static [&'static str],
    /// The entry point's first lines: `at`, of this type, and in a group `lane`.
    pub(super) place: fn(Grid, &str) -> Vec<String>,
}

/// How a kernel is written.
pub(super) struct C {
    flavour: &'static Flavour,
    /// The type that counts elements.
    index: &'static str,
    used: Used,
    /// Functions that are used and must be written out, each once.
    helpers: Vec<Helper>,
}

impl C {
    pub(super) fn new(flavour: &'static Flavour, index: &'static str) -> C {
        C {
            flavour,
            index,
            used: Used::default(),
            helpers: Vec::new(),
        }
    }

    fn helper(&mut self, helper: Helper) -> &'static str {
        for &needed in helper.needs() {
            self.helper(needed);
        }
        if !self.helpers.contains(&helper) {
            self.helpers.push(helper);
        }
        helper.name()
    }

    fn with(&mut self, helper: Helper, operands: &[Piece]) -> Piece {
        Piece::call(self.helper(helper), operands)
    }

    /// Writes the functions that are used.
    fn write_helpers(&self, page: &mut Page) {
        let (int, uint, bits) = match self.flavour.words {
            true => ("int", "uint", "32"),
            false => ("long long", "unsigned long long", "64"),
        };
        for helper in &self.helpers {
            let text = helper
                .text()
                .replace("FN ", self.flavour.function)
                .replace("UINT", uint)
                .replace("INT ", &format!("{int} "))
                .replace("(INT)", &format!("({int})"))
                .replace("BITS", bits);
            for line in text.lines() {
                page.line(&[], line);
            }
        }
        if !self.helpers.is_empty() {
            page.line(&[], "");
        }
    }

    /// An infinity or NaN, which MSL has a word for.
    fn special(&mut self, helper: Helper, dtype: DType) -> String {
        let word = match self.flavour.words {
            true => helper.name(),
            false => self.helper(helper),
        };
        match dtype {
            DType::F64 => format!("(double){word}"),
            _ => word.to_owned(),
        }
    }

    fn float(&mut self, x: f64, text: String, dtype: DType) -> String {
        if x.is_nan() {
            self.special(Helper::Nan, dtype)
        } else if x.is_infinite() {
            let sign = if x < 0.0 { "-" } else { "" };
            [sign, &self.special(Helper::Infinity, dtype)].concat()
        } else {
            text
        }
    }

    fn of_floats(&mut self, op: AluOp, of: DType, operands: &[Piece]) -> Piece {
        use AluOp::*;
        let helper = match op {
            Sign => Helper::SignOf,
            Max => Helper::MaxOrNan,
            Min => Helper::MinOrNan,
            Rem => Helper::Modulo,
            Expm1 if self.flavour.words => Helper::Expm1,
            Log1p if self.flavour.words => Helper::Log1p,
            Erf if self.flavour.words => Helper::Erf,
            Erfc if self.flavour.words => Helper::Erfc,
            Hypot if self.flavour.words => Helper::Hypot,
            // Floats have no bits here: the registry refuses them.
            BitNot | BitAnd | BitOr | BitXor | Shl | Shr => return operands[0].clone(),
            _ => {
                let name = match op {
                    Abs => "fabs",
                    Round => "rint",
                    Pow => "pow",
                    op => function(op),
                };
                let single = of == DType::F32 && !self.flavour.words;
                let name = [name, if single { "f" } else { "" }].concat();
                return Piece::call(&name, operands);
            }
        };
        self.with(helper, operands)
    }

    fn of_integers(&mut self, op: AluOp, signed: bool, operands: &[Piece]) -> Piece {
        use AluOp::*;
        let helper = match (op, signed) {
            (Neg, true) => Helper::WrapNeg,
            (Add, true) => Helper::WrapAdd,
            (Sub, true) => Helper::WrapSub,
            (Mul, true) => Helper::WrapMul,
            (Abs, true) => Helper::WrapAbs,
            (Div, true) => Helper::FloorDivide,
            (Rem, true) => Helper::ModuloInt,
            (Fmod, true) => Helper::FmodInt,
            (Pow, true) => Helper::PowerInt,
            (Shl, true) => Helper::ShiftLeft,
            (Shr, true) => Helper::ShiftRight,
            (Div, false) => Helper::DivideUint,
            (Rem | Fmod, false) => Helper::ModuloUint,
            (Pow, false) => Helper::PowerUint,
            (Shl, false) => Helper::ShiftLeftUint,
            (Shr, false) => Helper::ShiftRightUint,
            (Sign, _) => Helper::SignOf,
            (Max | Min, _) => return Piece::call(function(op), operands),
            (BitNot, _) => return prefix("~", &operands[0]),
            (Neg, false) => return prefix("-", &operands[0]),
            // Integers have no functions: the registry promotes first.
            _ => return operands[0].clone(),
        };
        self.with(helper, operands)
    }
}

/// Whether a number is not zero; NaN is not.
fn truth(a: &Piece, of: DType) -> Piece {
    let zero = match of {
        DType::F32 => "0.0f",
        DType::F64 => "0.0",
        _ => "0",
    };
    infix(a, "!=", &Piece::atom(zero))
}

impl Dialect for C {
    fn number(&mut self, value: Scalar, dtype: DType) -> Piece {
        let words = self.flavour.words;
        let text = match Value::from_scalar(value, dtype) {
            Value::Bool(b) => b.to_string(),
            Value::F32(x) => self.float(f64::from(x), format!("{x:?}f"), dtype),
            Value::F64(x) => self.float(x, format!("{x:?}"), dtype),
            Value::I64(i64::MIN) => "(-9223372036854775807LL - 1)".to_owned(),
            Value::I64(i) if !words => format!("{i}LL"),
            Value::I64(i) => match i32::try_from(i) {
                Ok(i32::MIN) => "(-2147483647 - 1)".to_owned(),
                Ok(i) => i.to_string(),
                Err(_) => {
                    let problem = format!("The number {i} does not fit 32 bits.");
                    self.used.problem = Some(problem);
                    String::new()
                }
            },
            Value::U64(i) => format!("{i}ULL"),
        };
        let rank = if text.starts_with('-') { SIGN } else { ATOM };
        Piece { text, rank }
    }

    fn argument(&mut self, at: usize, _: Scalar, dtype: DType) -> Piece {
        let name = self.used.argument(at, dtype);
        match self.storage(dtype) == self.local(dtype) {
            true => Piece::atom(name),
            false => Piece::atom(format!("({name} != 0)")),
        }
    }

    fn apply(&mut self, op: AluOp, of: DType, operands: &[Piece]) -> Piece {
        use AluOp::*;
        let a = &operands[0];
        let b = operands.get(1).unwrap_or(a);
        if op == Select {
            let [a, b, c] = [a, b, &operands[2]].map(|piece| piece.within(ATOM));
            let text = format!("{a} ? {b} : {c}");
            return Piece { text, rank: SIGN };
        }
        if of == DType::Bool {
            return of_bools(op, a, b);
        }
        let wraps = of == DType::I64;
        let sign = match op {
            Not => return not(&truth(a, of)),
            And => return infix(&truth(a, of), "&&", &truth(b, of)),
            Or => return infix(&truth(a, of), "||", &truth(b, of)),
            Eq => "==",
            Lt => "<",
            Le => "<=",
            Add if !wraps => "+",
            Sub if !wraps => "-",
            Mul if !wraps => "*",
            Div if of.is_float() => "/",
            Neg if of.is_float() => return prefix("-", a),
            BitAnd if !of.is_float() => "&",
            BitOr if !of.is_float() => "|",
            BitXor if !of.is_float() => "^",
            _ if of.is_float() => return self.of_floats(op, of, operands),
            _ => return self.of_integers(op, of == DType::I64, operands),
        };
        infix(a, sign, b)
    }

    fn cast(&mut self, from: DType, to: DType, operand: Piece) -> Piece {
        let cast = |kind: &str| Piece::atom(format!("({kind}){}", operand.within(ATOM)));
        match (from, to) {
            (from, to) if from == to => operand,
            (_, DType::Bool) => truth(&operand, from),
            (_, DType::U8) if self.flavour.words => infix(&operand, "&", &Piece::atom("255")),
            (_, DType::U16) if self.flavour.words => infix(&operand, "&", &Piece::atom("65535")),
            (_, DType::I8) if self.flavour.words => cast("char"),
            (_, DType::I16) if self.flavour.words => cast("short"),
            (from, to)
                if self.flavour.words && (self.flavour.local)(from) == (self.flavour.local)(to) =>
            {
                operand
            }
            (DType::F16 | DType::BF16, to) if !self.flavour.words => {
                let helper = match from {
                    DType::F16 => Helper::Float16,
                    _ => Helper::BFloat16,
                };
                self.helper(helper);
                let wide = Piece::call("to_float", &[operand]);
                self.cast(DType::F32, to, wide)
            }
            (DType::F32, DType::F16) if !self.flavour.words => {
                self.with(Helper::Float16, &[operand])
            }
            (DType::F32, DType::BF16) => self.with(Helper::BFloat16, &[operand]),
            (from, DType::I64) if from.is_float() && !self.flavour.words => {
                self.with(Helper::ToInt64, &[operand])
            }
            (from, DType::U64) if from.is_float() => self.with(Helper::ToUint64, &[operand]),
            (_, to) => cast((self.flavour.local)(to)),
        }
    }

    fn value(&self, word: &str, number: usize, _: &mut Words) -> String {
        format!("{word}_{number}")
    }
}

impl Language for C {
    const GROUP: usize = 256;

    fn barrier(&self) -> &'static str {
        self.flavour.barrier
    }

    fn used(&mut self) -> &mut Used {
        &mut self.used
    }

    fn storage(&self, dtype: DType) -> &'static str {
        (self.flavour.storage)(dtype)
    }

    fn local(&self, dtype: DType) -> &'static str {
        (self.flavour.local)(dtype)
    }

    fn index(&self) -> &'static str {
        self.index
    }

    fn count(&self, n: usize) -> String {
        n.to_string()
    }

    fn constant(&self, kind: &str, name: &str, value: &str) -> String {
        format!("const {kind} {name} = {value};")
    }

    fn variable(&self, kind: &str, name: &str, value: &str) -> String {
        format!("{kind} {name} = {value};")
    }

    fn address(&self, view: &View, indices: &[String]) -> String {
        pseudo::address(view, indices).replace('*', " * ")
    }

    fn reinterpret(&self, kind: &str, element: &str) -> String {
        format!("*(const {kind}*)&{element}")
    }

    fn unpack(&self, dtype: DType, text: String) -> String {
        match self.storage(dtype) == self.local(dtype) {
            true => text,
            false => format!("{text} != 0"),
        }
    }

    fn pack(&self, dtype: DType, text: &str) -> String {
        let storage = self.storage(dtype);
        match storage == self.local(dtype) {
            true => text.to_owned(),
            false => format!("{storage}({text})"),
        }
    }

    fn position(&self, index: &str) -> String {
        index.to_owned()
    }

    fn is_nan(&mut self, value: &str) -> String {
        format!("isnan({value})")
    }

    fn extreme(&self, smallest: bool) -> Scalar {
        Scalar::Int(match (self.flavour.words, smallest) {
            (true, true) => i32::MIN.into(),
            (true, false) => i32::MAX.into(),
            (false, true) => i64::MIN,
            (false, false) => i64::MAX,
        })
    }

    fn place(&self, grid: Grid) -> Vec<String> {
        (self.flavour.place)(grid, self.index)
    }

    fn module(&mut self, module: Module) -> Vec<Line> {
        let flavour = self.flavour;
        // What is only moved has a type all the same.
        let moved = module.kernel.inputs.iter().map(|input| input.dtype);
        let own = moved.chain(module.outputs.iter().map(|output| output.dtype));
        for dtype in own.filter(|_| !flavour.words) {
            match dtype {
                DType::F16 => self.helper(Helper::Float16),
                DType::BF16 => self.helper(Helper::BFloat16),
                _ => continue,
            };
        }
        let mut page = Page::default();
        for line in flavour.head {
            page.line(&[], line);
        }
        if let Some(note) = shader::narrow(module.kernel, "int").filter(|_| flavour.words) {
            page.line(&[], &note);
            page.line(&[], "");
        }
        self.write_helpers(&mut page);
        // Each parameter with its nodes and what is said of it.
        let mut parameters: Vec<(&[_], String, String)> = Vec::new();
        let variables = module.inputs.iter().map(|input| (input, false));
        let written = module.outputs.iter().map(|output| (output, true));
        for (variable, written) in variables.chain(written) {
            let kind = self.storage(variable.dtype);
            let text = (flavour.buffer)(parameters.len(), kind, &variable.name, written);
            let comment = format!(" // {} {}", variable.shape, variable.dtype);
            parameters.push((&variable.nodes, text, comment));
        }
        for &(at, dtype) in &self.used.arguments {
            let name = shader::argument(at, dtype);
            let text = (flavour.number)(parameters.len(), self.storage(dtype), &name);
            let value = pseudo::number(module.kernel.args[at], dtype);
            parameters.push((&[], text, format!(" // {value}")));
        }
        for place in (flavour.places)(module.grid) {
            parameters.push((&[], (*place).to_owned(), String::new()));
        }
        page.line(&[], &[flavour.entry, " void compute("].concat());
        page.depth = 1;
        let last = parameters.len() - 1;
        for (i, (nodes, text, comment)) in parameters.into_iter().enumerate() {
            let comma = if i == last { "" } else { "," };
            page.line(nodes, &[&text, comma, &comment].concat());
        }
        page.depth = 0;
        page.line(&[], ") {");
        page.depth = 1;
        for variable in &module.shared {
            let (shared, kind) = (flavour.shared, self.storage(variable.dtype));
            let text = format!("{shared} {kind} {}[{LANES}];", variable.name);
            page.line(&variable.nodes, &text);
        }
        page.depth = 0;
        page.lines.extend(module.body);
        page.line(&[], "}");
        page.lines
    }
}
