//! From and to Rust's numbers, bytes and digits.

use std::fmt;

use num_bigint::{BigInt as Long, BigUint, Sign};
use num_traits::{FromPrimitive, ToPrimitive};

use crate::{BigInt, Stored};

/// What can be an integer of any size: an integer, and a finite float without its fraction.
pub trait ToBigInt {
    /// The integer; `None` for infinities and NaN.
    fn to_bigint(&self) -> Option<BigInt>;
}

impl ToBigInt for f64 {
    fn to_bigint(&self) -> Option<BigInt> {
        BigInt::from_f64(*self)
    }
}

impl ToBigInt for i8 {
    fn to_bigint(&self) -> Option<BigInt> {
        Some(BigInt::from(*self))
    }
}

/// The integer is out of the type's range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TryFromBigIntError(());

impl fmt::Display for TryFromBigIntError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("out of range conversion regarding big integer attempted")
    }
}

impl std::error::Error for TryFromBigIntError {}

macro_rules! primitive {
    ($($primitive:ident $to:ident;)*) => {$(
        impl From<$primitive> for BigInt {
            #[inline]
            fn from(value: $primitive) -> BigInt {
                match i64::try_from(value) {
                    Ok(word) => BigInt::word(word),
                    Err(_) => BigInt::long(Long::from(value)),
                }
            }
        }

        impl TryFrom<&BigInt> for $primitive {
            type Error = TryFromBigIntError;

            #[inline]
            fn try_from(value: &BigInt) -> Result<$primitive, TryFromBigIntError> {
                match &value.0 {
                    Stored::Word(word) => $primitive::try_from(*word).ok(),
                    Stored::Long(long) => long.$to(),
                }
                .ok_or(TryFromBigIntError(()))
            }
        }

        impl TryFrom<BigInt> for $primitive {
            type Error = TryFromBigIntError;

            #[inline]
            fn try_from(value: BigInt) -> Result<$primitive, TryFromBigIntError> {
                $primitive::try_from(&value)
            }
        }
    )*};
}

primitive! {
    i8 to_i8; i16 to_i16; i32 to_i32; i64 to_i64; i128 to_i128; isize to_isize;
    u8 to_u8; u16 to_u16; u32 to_u32; u64 to_u64; u128 to_u128; usize to_usize;
}

macro_rules! to_primitive {
    ($($to:ident $primitive:ident;)*) => {$(
        #[inline]
        fn $to(&self) -> Option<$primitive> {
            self.try_into().ok()
        }
    )*};
}

impl ToPrimitive for BigInt {
    to_primitive! {
        to_i8 i8; to_i16 i16; to_i32 i32; to_i64 i64; to_i128 i128; to_isize isize;
        to_u8 u8; to_u16 u16; to_u32 u32; to_u64 u64; to_u128 u128; to_usize usize;
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "the nearest float is what is asked for"
    )]
    fn to_f32(&self) -> Option<f32> {
        match &self.0 {
            Stored::Word(word) => Some(*word as f32),
            Stored::Long(long) => long.to_f32().filter(|float| float.is_finite()),
        }
    }

    /// The nearest float64; `None` past the largest one.
    #[expect(
        clippy::cast_precision_loss,
        reason = "the nearest float is what is asked for"
    )]
    #[inline]
    fn to_f64(&self) -> Option<f64> {
        match &self.0 {
            Stored::Word(word) => Some(*word as f64),
            Stored::Long(long) => long.to_f64().filter(|float| float.is_finite()),
        }
    }
}

impl FromPrimitive for BigInt {
    fn from_i64(value: i64) -> Option<BigInt> {
        Some(BigInt::word(value))
    }

    fn from_u64(value: u64) -> Option<BigInt> {
        Some(BigInt::from(value))
    }

    fn from_i128(value: i128) -> Option<BigInt> {
        Some(BigInt::from(value))
    }

    fn from_u128(value: u128) -> Option<BigInt> {
        Some(BigInt::from(value))
    }

    fn from_f64(value: f64) -> Option<BigInt> {
        Long::from_f64(value).map(BigInt::long)
    }
}

impl From<bool> for BigInt {
    fn from(value: bool) -> BigInt {
        BigInt::word(i64::from(value))
    }
}

impl From<BigUint> for BigInt {
    fn from(value: BigUint) -> BigInt {
        BigInt::long(Long::from(value))
    }
}

impl BigInt {
    /// The integer with that sign and that magnitude.
    #[must_use]
    pub fn from_biguint(sign: Sign, magnitude: BigUint) -> BigInt {
        BigInt::long(Long::from_biguint(sign, magnitude))
    }

    /// The integer with that sign, its magnitude as words of 32 bits, the lowest first.
    #[must_use]
    pub fn from_slice(sign: Sign, words: &[u32]) -> BigInt {
        BigInt::long(Long::from_slice(sign, words))
    }

    /// The integer with that sign, its magnitude as bytes, the highest first.
    #[must_use]
    pub fn from_bytes_be(sign: Sign, bytes: &[u8]) -> BigInt {
        BigInt::long(Long::from_bytes_be(sign, bytes))
    }

    /// The integer with that sign, its magnitude as bytes, the lowest first.
    #[must_use]
    pub fn from_bytes_le(sign: Sign, bytes: &[u8]) -> BigInt {
        BigInt::long(Long::from_bytes_le(sign, bytes))
    }

    /// The integer with these bytes in two's complement, the highest first.
    #[must_use]
    pub fn from_signed_bytes_be(bytes: &[u8]) -> BigInt {
        BigInt::long(Long::from_signed_bytes_be(bytes))
    }

    /// The integer with these bytes in two's complement, the lowest first.
    #[must_use]
    pub fn from_signed_bytes_le(bytes: &[u8]) -> BigInt {
        BigInt::long(Long::from_signed_bytes_le(bytes))
    }

    /// Sign, and magnitude as bytes, the highest first.
    #[must_use]
    pub fn to_bytes_be(&self) -> (Sign, Vec<u8>) {
        self.as_long().to_bytes_be()
    }

    /// Sign, and magnitude as bytes, the lowest first.
    #[must_use]
    pub fn to_bytes_le(&self) -> (Sign, Vec<u8>) {
        self.as_long().to_bytes_le()
    }

    /// The fewest bytes in two's complement, the highest first.
    #[must_use]
    pub fn to_signed_bytes_be(&self) -> Vec<u8> {
        self.as_long().to_signed_bytes_be()
    }

    /// The fewest bytes in two's complement, the lowest first.
    #[must_use]
    pub fn to_signed_bytes_le(&self) -> Vec<u8> {
        self.as_long().to_signed_bytes_le()
    }

    /// The magnitude as words of 32 bits, the lowest first, up to the highest that is not 0.
    pub fn iter_u32_digits(&self) -> impl Iterator<Item = u32> {
        let (word, long) = self.digits();
        let halves = word.map(|word| [word as u32, (word >> 32) as u32]);
        let count = match word {
            None => 0,
            Some(word) => 2 - word.leading_zeros() as usize / 32,
        };
        halves
            .into_iter()
            .flatten()
            .take(count)
            .chain(long.into_iter().flat_map(Long::iter_u32_digits))
    }

    /// The magnitude as words of 64 bits, the lowest first, up to the highest that is not 0.
    pub fn iter_u64_digits(&self) -> impl Iterator<Item = u64> {
        let (word, long) = self.digits();
        word.filter(|word| *word != 0)
            .into_iter()
            .chain(long.into_iter().flat_map(Long::iter_u64_digits))
    }

    /// The magnitude of a word, or a long integer.
    fn digits(&self) -> (Option<u64>, Option<&Long>) {
        match &self.0 {
            Stored::Word(word) => (Some(word.unsigned_abs()), None),
            Stored::Long(long) => (None, Some(long)),
        }
    }
}
