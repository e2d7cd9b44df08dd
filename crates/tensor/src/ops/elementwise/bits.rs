//! Bits of integers, and of bools as one bit: what `&`, `|`, `^`, `~`, `<<` and `>>` are. None has a
//! gradient.

use crate::Result;
use crate::body;
use crate::dtype::DType;
use crate::node::NodeRef;
use crate::op::ParamKind::Tensor;
use crate::op::{Kind, Op, Promote, Vjp, example, param, samples};
use crate::ops::BINARY;
use crate::ops::shared::not_implemented_for;

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &BITWISE_AND,
    &BITWISE_OR,
    &BITWISE_XOR,
    &BITWISE_NOT,
    &BITWISE_LEFT_SHIFT,
    &BITWISE_RIGHT_SHIFT,
];

/// Integers and bools.
fn has_bits(op: &Op, src: &[NodeRef]) -> Result<()> {
    match src.iter().find(|s| s.dtype.is_float()) {
        Some(float) => Err(not_implemented_for(
            op,
            float.dtype,
            "it works on the bits of integers and bools; convert it with .long()",
        )),
        None => Ok(()),
    }
}

/// Integers: of a tensor and a bool there is a shift, of two bools there is none.
fn shifts(op: &Op, src: &[NodeRef]) -> Result<()> {
    has_bits(op, src)?;
    if src.iter().all(|s| s.dtype == DType::Bool) {
        return Err(not_implemented_for(
            op,
            DType::Bool,
            "convert one of them with .long()",
        ));
    }
    Ok(())
}

const BITS: Op = Op {
    check: has_bits,
    vjp: Vjp::None("integers have no gradient"),
    exact: true,
    samples: samples(&["[5]<7 [5]<7", "[2,1]<9 [3]<4", "[3]? [3]?"]),
    ..BINARY
};

const SHIFT: Op = Op {
    check: shifts,
    samples: samples(&["[5]<70 [5]<7", "[2,1]<9 [3]<70", "[3]<5 2"]),
    ..BITS
};

/// a ∧ b, bit by bit
pub static BITWISE_AND: Op = Op {
    name: "bitwise_and",
    symbol: "&",
    formula: "y = a & b",
    doc: "The bits that two tensors of integers have in common; of bools, where both are true.",
    kind: Kind::Elementwise(body!(|a, b| a.bit_and(b))),
    example: example("torch.bitwise_and(torch.tensor([12, 10]), torch.tensor([10, 6]))"),
    ..BITS
};

/// a ∨ b, bit by bit
pub static BITWISE_OR: Op = Op {
    name: "bitwise_or",
    symbol: "|",
    formula: "y = a | b",
    doc: "The bits that at least one of two tensors of integers has; of bools, where one is true.",
    kind: Kind::Elementwise(body!(|a, b| a.bit_or(b))),
    example: example("torch.bitwise_or(torch.tensor([12, 10]), torch.tensor([10, 6]))"),
    ..BITS
};

/// a ⊻ b, bit by bit
pub static BITWISE_XOR: Op = Op {
    name: "bitwise_xor",
    symbol: "^",
    formula: "y = a ^ b",
    doc: "The bits in which two tensors of integers differ; of bools, where they differ.",
    kind: Kind::Elementwise(body!(|a, b| a.bit_xor(b))),
    example: example("torch.bitwise_xor(torch.tensor([12, 10]), torch.tensor([10, 6]))"),
    ..BITS
};

/// Every bit turned over
pub static BITWISE_NOT: Op = Op {
    name: "bitwise_not",
    symbol: "~",
    formula: "y = ~a",
    doc: "Every bit of each integer turned over: −a − 1 where it has a sign; of bools, the opposite.",
    params: &[param("input", Tensor)],
    promote: Promote::Keep,
    kind: Kind::Elementwise(body!(|x| x.bit_not())),
    samples: samples(&["[5]<7", "[2,3]?"]),
    example: example("torch.bitwise_not(torch.tensor([0, 1, -1]))"),
    ..BITS
};

/// a · 2ᵇ
pub static BITWISE_LEFT_SHIFT: Op = Op {
    name: "bitwise_left_shift",
    symbol: "<<",
    formula: "y = a << b",
    doc: "The bits of each integer moved up; those that leave are lost, and zeros come in.",
    kind: Kind::Elementwise(body!(|a, b| a.shl(b))),
    example: example("torch.bitwise_left_shift(torch.tensor([1, 3]), torch.tensor([4, 2]))"),
    ..SHIFT
};

/// ⌊a / 2ᵇ⌋
pub static BITWISE_RIGHT_SHIFT: Op = Op {
    name: "bitwise_right_shift",
    symbol: ">>",
    formula: "y = a >> b",
    doc: "The bits of each integer moved down; its sign comes in at the top.",
    kind: Kind::Elementwise(body!(|a, b| a.shr(b))),
    example: example("torch.bitwise_right_shift(torch.tensor([16, -3]), torch.tensor([4, 1]))"),
    ..SHIFT
};
