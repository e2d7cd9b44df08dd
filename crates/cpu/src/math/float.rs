//! What the functions of float32 are written in: computed on the spot, or written down as code.

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Sub};

/// A float32: a number, or a value of code that is being written (`jit`). Comparisons with NaN are false.
pub(crate) trait Float:
    Copy
    + Add<Output = Self>
    + Add<f32, Output = Self>
    + Sub<Output = Self>
    + Sub<f32, Output = Self>
    + Mul<Output = Self>
    + Mul<f32, Output = Self>
    + Div<Output = Self>
{
    type Bits: Bits<Float = Self>;
    /// What a comparison gives.
    type Mask: Copy;

    /// A number, where `self` is computed.
    fn constant(self, number: f32) -> Self;
    fn absolute(self) -> Self;
    /// A number, where that is less. NaN stays.
    fn at_most(self, number: f32) -> Self;
    /// A number, where that is more. NaN stays.
    fn at_least(self, number: f32) -> Self;
    fn bits(self) -> Self::Bits;
    fn less(self, other: Self) -> Self::Mask;
    fn equal(self, other: Self) -> Self::Mask;
    /// `yes` where the mask is set, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// Every bit set, which as a float is a NaN, or none.
    fn spread(mask: Self::Mask) -> Self::Bits;
}

/// The bits of a float32, as a number of 32 bits. Sums and differences wrap.
pub(crate) trait Bits: Copy + BitAnd<Output = Self> + BitOr<Output = Self> {
    type Float: Float<Bits = Self>;

    fn and(self, number: u32) -> Self;
    fn plus(self, number: u32) -> Self;
    fn minus(self, other: Self) -> Self;
    fn up(self, places: u32) -> Self;
    fn down(self, places: u32) -> Self;
    fn float(self) -> Self::Float;
    /// The integer with sign that these bits are, as a float.
    fn number(self) -> Self::Float;
}

impl Float for f32 {
    type Bits = u32;
    type Mask = bool;

    #[inline(always)]
    fn constant(self, number: f32) -> f32 {
        number
    }

    #[inline(always)]
    fn absolute(self) -> f32 {
        self.abs()
    }

    #[inline(always)]
    fn at_most(self, number: f32) -> f32 {
        if number < self { number } else { self }
    }

    #[inline(always)]
    fn at_least(self, number: f32) -> f32 {
        if self < number { number } else { self }
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        self.to_bits()
    }

    #[inline(always)]
    fn less(self, other: f32) -> bool {
        self < other
    }

    #[inline(always)]
    fn equal(self, other: f32) -> bool {
        self == other
    }

    #[inline(always)]
    fn select(mask: bool, yes: f32, no: f32) -> f32 {
        if mask { yes } else { no }
    }

    #[inline(always)]
    fn spread(mask: bool) -> u32 {
        if mask { u32::MAX } else { 0 }
    }
}

impl Bits for u32 {
    type Float = f32;

    #[inline(always)]
    fn and(self, number: u32) -> u32 {
        self & number
    }

    #[inline(always)]
    fn plus(self, number: u32) -> u32 {
        self.wrapping_add(number)
    }

    #[inline(always)]
    fn minus(self, other: u32) -> u32 {
        self.wrapping_sub(other)
    }

    #[inline(always)]
    fn up(self, places: u32) -> u32 {
        self << places
    }

    #[inline(always)]
    fn down(self, places: u32) -> u32 {
        self >> places
    }

    #[inline(always)]
    fn float(self) -> f32 {
        f32::from_bits(self)
    }

    #[inline(always)]
    fn number(self) -> f32 {
        self as i32 as f32
    }
}
