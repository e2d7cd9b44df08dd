//! Integers of any size.
//!
//! RustPython computes with `malachite-bigint`, whose product of very long integers by Fourier transform weighs more in
//! a page than the parser and the compiler together. This crate stands in for it, with the names that RustPython
//! uses. An integer of 64 bits is stored in place, without an allocation; a longer one is num-bigint's. Invariant: an
//! integer that fits 64 bits is never stored as a long one, so that equal integers are stored alike.

mod convert;
mod number;
mod operators;
mod text;

use std::borrow::Cow;
use std::cmp::Ordering;

use num_bigint::BigInt as Long;
pub use num_bigint::{BigUint, ParseBigIntError, Sign};
use num_traits::ToPrimitive as _;

pub use convert::{ToBigInt, TryFromBigIntError};

/// An integer of any size.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct BigInt(Stored);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Stored {
    Word(i64),
    Long(Box<Long>),
}

impl BigInt {
    #[inline]
    const fn word(word: i64) -> BigInt {
        BigInt(Stored::Word(word))
    }

    fn long(long: Long) -> BigInt {
        match long.to_i64() {
            Some(word) => BigInt::word(word),
            None => BigInt(Stored::Long(Box::new(long))),
        }
    }

    /// The same integer as num-bigint has it.
    fn as_long(&self) -> Cow<'_, Long> {
        match &self.0 {
            Stored::Word(word) => Cow::Owned(Long::from(*word)),
            Stored::Long(long) => Cow::Borrowed(long),
        }
    }

    /// Both, where each is a word.
    #[inline]
    const fn words(&self, other: &BigInt) -> Option<(i64, i64)> {
        match (&self.0, &other.0) {
            (Stored::Word(a), Stored::Word(b)) => Some((*a, *b)),
            _ => None,
        }
    }

    /// Whether the integer is negative, 0 or positive.
    #[inline]
    #[must_use]
    pub fn sign(&self) -> Sign {
        match &self.0 {
            Stored::Word(word) => match word.cmp(&0) {
                Ordering::Less => Sign::Minus,
                Ordering::Equal => Sign::NoSign,
                Ordering::Greater => Sign::Plus,
            },
            Stored::Long(long) => long.sign(),
        }
    }

    /// The integer without its sign.
    #[must_use]
    pub fn magnitude(&self) -> BigUint {
        match &self.0 {
            Stored::Word(word) => BigUint::from(word.unsigned_abs()),
            Stored::Long(long) => long.magnitude().clone(),
        }
    }

    /// How many bits the magnitude has: 0 for 0.
    #[inline]
    #[must_use]
    pub fn bits(&self) -> u64 {
        match &self.0 {
            Stored::Word(word) => u64::from(u64::BITS - word.unsigned_abs().leading_zeros()),
            Stored::Long(long) => long.bits(),
        }
    }

    /// How many bits below the lowest one that is set; `None` for 0.
    #[must_use]
    pub fn trailing_zeros(&self) -> Option<u64> {
        match &self.0 {
            Stored::Word(0) => None,
            Stored::Word(word) => Some(u64::from(word.trailing_zeros())),
            Stored::Long(long) => long.trailing_zeros(),
        }
    }

    /// The power with this exponent.
    #[must_use]
    pub fn pow(&self, exponent: u32) -> BigInt {
        let word = match &self.0 {
            Stored::Word(word) => word.checked_pow(exponent),
            Stored::Long(_) => None,
        };
        word.map_or_else(|| BigInt::long(self.as_long().pow(exponent)), BigInt::word)
    }

    /// The remainder of the power, with the sign of the modulus.
    #[must_use]
    pub fn modpow(&self, exponent: &BigInt, modulus: &BigInt) -> BigInt {
        BigInt::long(
            self.as_long()
                .modpow(&exponent.as_long(), &modulus.as_long()),
        )
    }

    /// The largest integer whose square is at most this one.
    #[must_use]
    pub fn sqrt(&self) -> BigInt {
        BigInt::long(self.as_long().sqrt())
    }
}

impl Ord for BigInt {
    #[inline]
    fn cmp(&self, other: &BigInt) -> Ordering {
        match self.words(other) {
            Some((a, b)) => a.cmp(&b),
            None => self.as_long().cmp(&other.as_long()),
        }
    }
}

impl PartialOrd for BigInt {
    #[inline]
    fn partial_cmp(&self, other: &BigInt) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Default for BigInt {
    fn default() -> BigInt {
        BigInt::word(0)
    }
}

#[cfg(test)]
mod tests;
