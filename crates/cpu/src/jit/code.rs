//! Code that is being written, and its values: four elements each, in a local.

use std::cell::{Cell, RefCell};
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Sub};

use wasm_encoder::InstructionSink;

use crate::math::{Bits, Float};
use crate::simd;

/// An [`Instruction`].
macro_rules! write {
    ($name:ident) => {
        |code| code.$name()
    };
}
pub(super) use write;

/// The instructions of a function.
pub(super) struct Code {
    /// Whether the browser knows relaxed SIMD, which chooses by whole masks in one instruction.
    is_relaxed: bool,
    bytes: RefCell<Vec<u8>>,
    /// Locals so far, parameters too.
    locals: Cell<u32>,
    /// The bits of numbers, and the locals that hold them.
    constants: RefCell<Vec<(u32, u32)>>,
}

/// Writes one instruction. A pointer, so that what writes operands and results is compiled once.
pub(super) type Instruction =
    for<'a, 'b> fn(&'a mut InstructionSink<'b>) -> &'a mut InstructionSink<'b>;

/// A vector in a local: four float32, or what comparing them gives, every bit set or none.
#[derive(Clone, Copy)]
pub(super) struct Value<'c> {
    code: &'c Code,
    local: u32,
}

impl Code {
    /// No instructions, where that many locals are taken.
    pub(super) fn new(locals: u32) -> Code {
        Code {
            is_relaxed: simd::relaxed().is_some(),
            bytes: RefCell::default(),
            locals: Cell::new(locals),
            constants: RefCell::default(),
        }
    }

    /// Writes instructions.
    pub(super) fn write(
        &self,
        instructions: impl for<'a, 'b> FnOnce(
            &'a mut InstructionSink<'b>,
        ) -> &'a mut InstructionSink<'b>,
    ) {
        instructions(&mut InstructionSink::new(&mut self.bytes.borrow_mut()));
    }

    /// Takes a vector off the stack.
    pub(super) fn value(&self) -> Value<'_> {
        let local = self.new_local();
        self.write(|code| code.local_set(local));
        Value { code: self, local }
    }

    /// A number in each lane: a local that [`Code::finish`] sets before everything else.
    pub(super) fn constant(&self, bits: u32) -> Value<'_> {
        let known = self
            .constants
            .borrow()
            .iter()
            .find(|c| c.0 == bits)
            .copied();
        let local = known.map_or_else(|| self.new_local(), |(_, local)| local);
        if known.is_none() {
            self.constants.borrow_mut().push((bits, local));
        }
        Value { code: self, local }
    }

    /// The number of locals, the instructions that set constants, and all others.
    pub(super) fn finish(self) -> (u32, Vec<u8>, Vec<u8>) {
        let mut before = Vec::new();
        let mut code = InstructionSink::new(&mut before);
        for (bits, local) in self.constants.into_inner() {
            let bits = i128::from(bits);
            code.v128_const(bits | bits << 32 | bits << 64 | bits << 96);
            code.local_set(local);
        }
        (self.locals.get(), before, self.bytes.into_inner())
    }

    fn new_local(&self) -> u32 {
        let local = self.locals.get();
        self.locals.set(local + 1);
        local
    }
}

impl<'c> Value<'c> {
    /// Puts it on the stack.
    pub(super) fn get(self) {
        self.code.write(|code| code.local_get(self.local));
    }

    /// What an instruction gives of it.
    #[inline(never)]
    pub(super) fn unary(self, instruction: Instruction) -> Value<'c> {
        self.get();
        self.code.write(instruction);
        self.code.value()
    }

    /// What an instruction gives of it and another.
    #[inline(never)]
    pub(super) fn binary(self, other: Value<'c>, instruction: Instruction) -> Value<'c> {
        self.get();
        other.unary(instruction)
    }

    /// `yes` where the bits of `self` are set, else `no`.
    pub(super) fn choose(self, yes: Value<'c>, no: Value<'c>) -> Value<'c> {
        yes.get();
        match self.code.is_relaxed {
            true => no.binary(self, write!(i32x4_relaxed_laneselect)),
            false => no.binary(self, write!(v128_bitselect)),
        }
    }

    #[inline(never)]
    fn shift(self, places: u32, instruction: Instruction) -> Value<'c> {
        self.get();
        self.code.write(|code| code.i32_const(places as i32));
        self.code.write(instruction);
        self.code.value()
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $instruction:ident),*) => {$(
        impl<'c> $trait for Value<'c> {
            type Output = Value<'c>;

            fn $method(self, other: Value<'c>) -> Value<'c> {
                self.binary(other, write!($instruction))
            }
        }
    )*};
}
operators!(Add add f32x4_add, Sub sub f32x4_sub, Mul mul f32x4_mul, Div div f32x4_div);
operators!(BitAnd bitand v128_and, BitOr bitor v128_or);

macro_rules! operators_with_numbers {
    ($($trait:ident $method:ident),*) => {$(
        impl<'c> $trait<f32> for Value<'c> {
            type Output = Value<'c>;

            fn $method(self, number: f32) -> Value<'c> {
                self.$method(Float::constant(self, number))
            }
        }
    )*};
}
operators_with_numbers!(Add add, Sub sub, Mul mul);

impl<'c> Float for Value<'c> {
    type Bits = Value<'c>;
    type Mask = Value<'c>;

    fn constant(self, number: f32) -> Value<'c> {
        self.code.constant(number.to_bits())
    }

    fn absolute(self) -> Value<'c> {
        self.unary(write!(f32x4_abs))
    }

    fn at_most(self, number: f32) -> Value<'c> {
        self.binary(Float::constant(self, number), write!(f32x4_pmin))
    }

    fn at_least(self, number: f32) -> Value<'c> {
        self.binary(Float::constant(self, number), write!(f32x4_pmax))
    }

    fn bits(self) -> Value<'c> {
        self
    }

    fn less(self, other: Value<'c>) -> Value<'c> {
        self.binary(other, write!(f32x4_lt))
    }

    fn equal(self, other: Value<'c>) -> Value<'c> {
        self.binary(other, write!(f32x4_eq))
    }

    fn select(mask: Value<'c>, yes: Value<'c>, no: Value<'c>) -> Value<'c> {
        mask.choose(yes, no)
    }

    fn spread(mask: Value<'c>) -> Value<'c> {
        mask
    }
}

impl<'c> Bits for Value<'c> {
    type Float = Value<'c>;

    fn and(self, number: u32) -> Value<'c> {
        self & self.code.constant(number)
    }

    fn plus(self, number: u32) -> Value<'c> {
        self.binary(self.code.constant(number), write!(i32x4_add))
    }

    fn minus(self, other: Value<'c>) -> Value<'c> {
        self.binary(other, write!(i32x4_sub))
    }

    fn up(self, places: u32) -> Value<'c> {
        self.shift(places, write!(i32x4_shl))
    }

    fn down(self, places: u32) -> Value<'c> {
        self.shift(places, write!(i32x4_shr_u))
    }

    fn float(self) -> Value<'c> {
        self
    }

    fn number(self) -> Value<'c> {
        self.unary(write!(f32x4_convert_i32x4_s))
    }
}
