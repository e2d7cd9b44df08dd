//! The end of a kernel that reduces: by one thread for each element of the result, or, where many
//! elements become one, by a group of threads.

use super::super::expression::Piece;
use super::{LANES, Language, Printer, Variable};
use crate::alu::AluOp;
use crate::dtype::{DType, Scalar};
use crate::kernel::{Reduce, ReduceOp};

fn finds(op: ReduceOp) -> bool {
    matches!(op, ReduceOp::ArgMax | ReduceOp::ArgMin)
}

impl<L: Language> Printer<'_, L> {
    /// The dtype of what is reduced.
    fn reduced(&self) -> DType {
        self.kernel.dtypes[usize::from(self.kernel.outputs[0])]
    }

    /// One thread runs over all elements of its result.
    pub(super) fn alone(&mut self, reduce: &Reduce) {
        let of = self.reduced();
        self.start(reduce, of);
        let outside = self.page.depth;
        for axis in self.long_axes(reduce) {
            let (name, zero) = (self.indices[axis].clone(), self.language.count(0));
            self.repeat(&name, &zero, self.kernel.shape[axis], 1);
        }
        let value = self.statements().swap_remove(0);
        self.join(reduce, of, value);
        while self.page.depth > outside {
            self.close();
        }
        self.store(0, if finds(reduce.op) { "best_at" } else { "total" });
    }

    /// A group for each element of the result: each thread takes every 256th of `n` elements, then
    /// halves join halves.
    pub(super) fn together(&mut self, reduce: &Reduce, n: usize) {
        let of = self.reduced();
        let finds = finds(reduce.op);
        self.share("part", of);
        if finds {
            self.share("part_at", DType::I64);
        }
        self.start(reduce, of);
        self.repeat("step", "lane", n, LANES);
        let axes = self.long_axes(reduce);
        self.unravel("step", &axes);
        let value = self.statements().swap_remove(0);
        self.join(reduce, of, value);
        self.close();
        let total = self.language.pack(of, "total");
        self.end_line(&format!("part[lane] = {total};"));
        if finds {
            self.end_line("part_at[lane] = best_at;");
        }
        let barrier = self.language.barrier();
        self.line(barrier);
        let language = &self.language;
        let half = language.count(LANES / 2);
        let begin = language.variable(language.index(), "width", &half);
        let (zero, one) = (language.count(0), language.count(1));
        self.open(&format!("for ({begin} width > {zero}; width >>= {one}) {{"));
        self.open("if (lane < width) {");
        if finds {
            self.join_found(reduce, of);
        } else {
            let side = |at: &str| {
                let packed = format!("part[{at}]");
                let text = self.language.unpack(of, packed.clone());
                let whole = text == packed;
                Piece::atom(if whole { text } else { format!("({text})") })
            };
            let sides = [side("lane"), side("lane + width")];
            let sum = self.language.apply(scalar(reduce.op), of, &sides);
            let sum = self.language.pack(of, &sum.text);
            self.end_line(&format!("part[lane] = {sum};"));
        }
        self.close();
        self.line(barrier);
        self.close();
        let zero = self.language.count(0);
        self.open(&format!("if (lane == {zero}) {{"));
        if finds {
            self.store(0, "part_at[0]");
        } else {
            let first = self.language.unpack(of, "part[0]".to_owned());
            self.store(0, &first);
        }
        self.close();
    }

    fn share(&mut self, name: &str, dtype: DType) {
        self.shared.push(Variable {
            name: name.to_owned(),
            dtype,
            shape: String::new(),
            nodes: self.stored.clone(),
        });
    }

    /// The reduced dimensions that are longer than one.
    fn long_axes(&self, reduce: &Reduce) -> Vec<usize> {
        let axes = reduce.axes.iter().copied();
        axes.filter(|&axis| self.kernel.shape[axis] != 1).collect()
    }

    /// Of two findings the better one, and of equal ones the first.
    fn join_found(&mut self, reduce: &Reduce, of: DType) {
        let stored = self.stored.clone();
        let kind = self.language.local(of);
        let truth = self.language.local(DType::Bool);
        for (name, at) in [("mine", "lane"), ("other", "lane + width")] {
            let value = self.language.unpack(of, format!("part[{at}]"));
            self.constant(&stored, kind, name, &value);
        }
        let before = "part_at[lane + width] < part_at[lane]";
        self.constant(&stored, truth, "first", before);
        let (mine, other) = (Piece::atom("mine"), Piece::atom("other"));
        let mut wins = self.wins(reduce, of, &mine, &other);
        let mut ties = Piece::atom("(mine == other)");
        if of.is_float() {
            let [mine, other] = ["mine", "other"].map(|value| self.language.is_nan(value));
            wins = format!("(({wins} || {other}) && !{mine})");
            ties = Piece::atom(format!("(mine == other || ({mine} && {other}))"));
        } else {
            wins = format!("({wins})");
        }
        let choice = [ties, Piece::atom("first"), Piece::atom(wins)];
        let wins = self
            .language
            .apply(AluOp::Select, DType::Bool, &choice)
            .text;
        self.constant(&stored, truth, "wins", &wins);
        let other = self.language.pack(of, "other");
        self.end_line(&format!(
            "if (wins) {{ part[lane] = {other}; part_at[lane] = part_at[lane + width]; }}"
        ));
    }

    /// Whether of two elements the second is the better one.
    fn wins(&mut self, reduce: &Reduce, of: DType, one: &Piece, other: &Piece) -> String {
        let operands = match reduce.op {
            ReduceOp::ArgMax => [one.clone(), other.clone()],
            _ => [other.clone(), one.clone()],
        };
        self.language.apply(AluOp::Lt, of, &operands).text
    }

    /// What a reduction begins with.
    fn start(&mut self, reduce: &Reduce, of: DType) {
        let extreme = |smallest: bool| match of {
            DType::Bool => Scalar::Bool(!smallest),
            DType::I64 => self.language.extreme(smallest),
            DType::U64 => Scalar::UInt(if smallest { 0 } else { u64::MAX }),
            _ if smallest => Scalar::Float(f64::NEG_INFINITY),
            _ => Scalar::Float(f64::INFINITY),
        };
        let first = match reduce.op {
            ReduceOp::Sum => Scalar::Int(0),
            ReduceOp::Prod => Scalar::Int(1),
            ReduceOp::Max | ReduceOp::ArgMax => extreme(true),
            ReduceOp::Min | ReduceOp::ArgMin => extreme(false),
        };
        let first = self.language.number(first, of).text;
        let total = self
            .language
            .variable(self.language.local(of), "total", &first);
        self.end_line(&total);
        if finds(reduce.op) {
            let zero = self.language.number(Scalar::Int(0), DType::I64).text;
            let kind = self.language.local(DType::I64);
            let best = self.language.variable(kind, "best_at", &zero);
            self.end_line(&best);
        }
    }

    /// An element joins what is there.
    fn join(&mut self, reduce: &Reduce, of: DType, value: Piece) {
        let total = Piece::atom("total");
        if !finds(reduce.op) {
            let sum = self
                .language
                .apply(scalar(reduce.op), of, &[total, value])
                .text;
            return self.end_line(&format!("total = {sum};"));
        }
        let stored = self.stored.clone();
        let kind = self.language.local(of);
        self.constant(&stored, kind, "element", &value.text);
        let mut wins = self.wins(reduce, of, &total, &Piece::atom("element"));
        if of.is_float() {
            let [total, element] = ["total", "element"].map(|value| self.language.is_nan(value));
            wins = format!("({wins} || {element}) && !{total}");
        }
        let axis = self.long_axes(reduce).first().copied();
        let here = match axis {
            Some(axis) => self.language.position(&self.indices[axis]),
            None => self.language.number(Scalar::Int(0), DType::I64).text,
        };
        self.end_line(&format!(
            "if ({wins}) {{ total = element; best_at = {here}; }}"
        ));
    }
}

/// The operation that joins two.
fn scalar(op: ReduceOp) -> AluOp {
    match op {
        ReduceOp::Sum => AluOp::Add,
        ReduceOp::Prod => AluOp::Mul,
        ReduceOp::Max | ReduceOp::ArgMax => AluOp::Max,
        ReduceOp::Min | ReduceOp::ArgMin => AluOp::Min,
    }
}
