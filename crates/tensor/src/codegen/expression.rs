//! A kernel's straight line of instructions as statements: one a node where that can be, with the
//! rest written into it.
//!
//! Invariant: an instruction has a name of its own if it is a load, if another node's instructions or
//! the kernel's end read it, or if it is read twice; every other is written where it is read. How an
//! operation is written is left to a [`Dialect`].

use std::collections::HashMap;

use super::name::{Words, word};
use super::{Names, Scheduled};
use crate::alu::AluOp;
use crate::dtype::{DType, Scalar};
use crate::kernel::{Instr, InstrIdx, Kernel};
use crate::trace::NodeId;

/// A piece of an expression and how tightly it holds together.
#[derive(Clone)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) rank: u8,
}

/// Names, numbers and calls hold together whatever stands around them.
pub(super) const ATOM: u8 = 20;

impl Piece {
    pub(super) fn atom(text: impl Into<String>) -> Piece {
        Piece {
            text: text.into(),
            rank: ATOM,
        }
    }

    /// In parentheses if it holds less tightly than this.
    pub(super) fn within(&self, rank: u8) -> String {
        if self.rank < rank {
            ["(", &self.text, ")"].concat()
        } else {
            self.text.clone()
        }
    }

    /// `f(a, b)`.
    pub(super) fn call(function: &str, operands: &[Piece]) -> Piece {
        let mut text = format!("{function}(");
        for (i, operand) in operands.iter().enumerate() {
            if i > 0 {
                text.push_str(", ");
            }
            text.push_str(&operand.text);
        }
        text.push(')');
        Piece::atom(text)
    }

    /// `a + b`: what stands on the right holds more tightly.
    pub(super) fn infix(a: &Piece, sign: &str, b: &Piece, rank: u8) -> Piece {
        let text = [&a.within(rank), " ", sign, " ", &b.within(rank + 1)].concat();
        Piece { text, rank }
    }

    /// `-a`.
    pub(super) fn prefix(sign: &str, a: &Piece, rank: u8) -> Piece {
        let text = [sign, &a.within(rank)].concat();
        Piece { text, rank }
    }
}

/// How operations are written.
pub(super) trait Dialect {
    fn number(&mut self, value: Scalar, dtype: DType) -> Piece;
    /// Run-time argument number `at`, which was `value` when the kernel was made.
    fn argument(&mut self, _at: usize, value: Scalar, dtype: DType) -> Piece {
        self.number(value, dtype)
    }
    /// `of` is the operands' dtype.
    fn apply(&mut self, op: AluOp, of: DType, operands: &[Piece]) -> Piece;
    fn cast(&mut self, from: DType, to: DType, operand: Piece) -> Piece;
    /// The name of a value, from the word for its node and its number among the statements.
    fn value(&self, word: &str, number: usize, words: &mut Words) -> String;
}

/// A value with a name.
pub(super) struct Statement {
    pub(super) at: InstrIdx,
    pub(super) name: String,
    pub(super) node: NodeId,
}

/// A kernel's body, cut into statements.
pub(super) struct Body<'a> {
    kernel: &'a Kernel,
    pub(super) statements: Vec<Statement>,
    named: HashMap<InstrIdx, usize>,
}

impl<'a> Body<'a> {
    pub(super) fn new(
        item: &Scheduled,
        kernel: &'a Kernel,
        names: &dyn Names,
        dialect: &dyn Dialect,
        words: &mut Words,
    ) -> Body<'a> {
        let origin = |at: usize| item.origins.get(at).copied().unwrap_or(0);
        let mut uses = vec![0usize; kernel.code.len()];
        let mut leaves = vec![false; kernel.code.len()];
        for (at, instr) in kernel.code.iter().enumerate() {
            for &src in reads(instr) {
                let src = usize::from(src);
                uses[src] += 1;
                leaves[src] |= origin(src) != origin(at);
            }
        }
        for &output in &kernel.outputs {
            leaves[usize::from(output)] = true;
        }
        let mut body = Body {
            kernel,
            statements: Vec::new(),
            named: HashMap::new(),
        };
        for (at, instr) in kernel.code.iter().enumerate() {
            let is_number = match instr {
                Instr::Arg { .. } => true,
                Instr::Cast { src, .. } => {
                    matches!(kernel.code[usize::from(*src)], Instr::Arg { .. })
                }
                _ => false,
            };
            let is_load = matches!(instr, Instr::Load { .. });
            if is_number || !(is_load || leaves[at] || uses[at] > 1) {
                continue;
            }
            let node = origin(at);
            let known = item.inputs.iter().chain(&item.nodes).find(|n| n.id == node);
            let word = match known {
                Some(operand) if is_load || leaves[at] => word(names, operand),
                _ => "t".to_owned(),
            };
            let name = dialect.value(&word, body.statements.len(), words);
            body.named.insert(at as InstrIdx, body.statements.len());
            body.statements.push(Statement {
                at: at as InstrIdx,
                name,
                node,
            });
        }
        body
    }

    /// A value where it is read.
    pub(super) fn value(&self, dialect: &mut dyn Dialect, at: InstrIdx) -> Piece {
        match self.named.get(&at) {
            Some(&statement) => Piece::atom(&*self.statements[statement].name),
            None => self.definition(dialect, at),
        }
    }

    /// What a value is. Bodies are a few operations deep, and what is read twice has a name, so the
    /// recursion is bounded by what the registry holds. Loads are the caller's.
    pub(super) fn definition(&self, dialect: &mut dyn Dialect, at: InstrIdx) -> Piece {
        let dtype = |at: InstrIdx| self.kernel.dtypes[usize::from(at)];
        match &self.kernel.code[usize::from(at)] {
            Instr::Load { .. } => Piece::atom(""),
            Instr::Arg { arg, dtype } => {
                let at = usize::from(*arg);
                let value = self.kernel.args[at];
                match self.kernel.is_fixed(at) {
                    true => dialect.number(value, *dtype),
                    false => dialect.argument(at, value, *dtype),
                }
            }
            Instr::Cast { src, to } => {
                let operand = self.value(dialect, *src);
                dialect.cast(dtype(*src), *to, operand)
            }
            Instr::Apply { op, src } => {
                let src = &src[..op.arity()];
                let operands: Vec<Piece> = src.iter().map(|&s| self.value(dialect, s)).collect();
                let of = src.last().map_or(DType::F32, |&s| dtype(s));
                dialect.apply(*op, of, &operands)
            }
        }
    }
}

/// The instructions that an instruction reads.
fn reads(instr: &Instr) -> &[InstrIdx] {
    match instr {
        Instr::Load { .. } | Instr::Arg { .. } => &[],
        Instr::Cast { src, .. } => std::slice::from_ref(src),
        Instr::Apply { op, src } => &src[..op.arity()],
    }
}
