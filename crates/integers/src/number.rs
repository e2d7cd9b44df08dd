//! What num-traits and num-integer say of an integer.

use num_bigint::ParseBigIntError;
use num_integer::Integer;
use num_traits::{Num, One, Pow, Signed, Zero};

use crate::{BigInt, Sign, Stored};

impl Zero for BigInt {
    #[inline]
    fn zero() -> BigInt {
        BigInt::word(0)
    }

    #[inline]
    fn is_zero(&self) -> bool {
        matches!(self.0, Stored::Word(0))
    }
}

impl One for BigInt {
    #[inline]
    fn one() -> BigInt {
        BigInt::word(1)
    }
}

impl Num for BigInt {
    type FromStrRadixErr = ParseBigIntError;

    fn from_str_radix(text: &str, radix: u32) -> Result<BigInt, ParseBigIntError> {
        num_bigint::BigInt::from_str_radix(text, radix).map(BigInt::long)
    }
}

impl Signed for BigInt {
    #[inline]
    fn abs(&self) -> BigInt {
        match self.is_negative() {
            true => -self,
            false => self.clone(),
        }
    }

    fn abs_sub(&self, other: &BigInt) -> BigInt {
        match self <= other {
            true => BigInt::zero(),
            false => self - other,
        }
    }

    fn signum(&self) -> BigInt {
        BigInt::word(match self.sign() {
            Sign::Minus => -1,
            Sign::NoSign => 0,
            Sign::Plus => 1,
        })
    }

    #[inline]
    fn is_positive(&self) -> bool {
        self.sign() == Sign::Plus
    }

    #[inline]
    fn is_negative(&self) -> bool {
        self.sign() == Sign::Minus
    }
}

impl Integer for BigInt {
    #[inline]
    fn div_floor(&self, other: &BigInt) -> BigInt {
        match self.words(other) {
            Some((a, b)) if is_safe(a, b) => BigInt::word(Integer::div_floor(&a, &b)),
            _ => BigInt::long(self.as_long().div_floor(&other.as_long())),
        }
    }

    #[inline]
    fn mod_floor(&self, other: &BigInt) -> BigInt {
        match self.words(other) {
            Some((a, b)) if is_safe(a, b) => BigInt::word(Integer::mod_floor(&a, &b)),
            _ => BigInt::long(self.as_long().mod_floor(&other.as_long())),
        }
    }

    fn gcd(&self, other: &BigInt) -> BigInt {
        if let Some((a, b)) = self.words(other) {
            return BigInt::from(a.unsigned_abs().gcd(&b.unsigned_abs()));
        }
        // num-bigint takes a bit away at a time: of integers of about the same length, not of a long and a short one.
        let (mut large, mut small) = (self.as_long(), other.as_long());
        if large.bits() < small.bits() {
            std::mem::swap(&mut large, &mut small);
        }
        match small.is_zero() {
            true => BigInt::long(large.abs()),
            false => BigInt::long(small.gcd(&(&*large % &*small))),
        }
    }

    fn lcm(&self, other: &BigInt) -> BigInt {
        match self.is_zero() || other.is_zero() {
            true => BigInt::zero(),
            false => (self / self.gcd(other) * other).abs(),
        }
    }

    fn is_multiple_of(&self, other: &BigInt) -> bool {
        match other.is_zero() {
            true => self.is_zero(),
            false => (self % other).is_zero(),
        }
    }

    #[inline]
    fn is_even(&self) -> bool {
        match &self.0 {
            Stored::Word(word) => word % 2 == 0,
            Stored::Long(long) => long.is_even(),
        }
    }

    #[inline]
    fn is_odd(&self) -> bool {
        !self.is_even()
    }

    #[inline]
    fn div_rem(&self, other: &BigInt) -> (BigInt, BigInt) {
        match self.words(other) {
            Some((a, b)) if is_safe(a, b) => (BigInt::word(a / b), BigInt::word(a % b)),
            _ => {
                let (quotient, remainder) = self.as_long().div_rem(&other.as_long());
                (BigInt::long(quotient), BigInt::long(remainder))
            }
        }
    }

    #[inline]
    fn div_mod_floor(&self, other: &BigInt) -> (BigInt, BigInt) {
        match self.words(other) {
            Some((a, b)) if is_safe(a, b) => {
                let (quotient, remainder) = a.div_mod_floor(&b);
                (BigInt::word(quotient), BigInt::word(remainder))
            }
            _ => {
                let (quotient, remainder) = self.as_long().div_mod_floor(&other.as_long());
                (BigInt::long(quotient), BigInt::long(remainder))
            }
        }
    }
}

/// Whether the quotient of two words is a word.
#[inline]
const fn is_safe(a: i64, b: i64) -> bool {
    b != 0 && !(a == i64::MIN && b == -1)
}

impl Pow<u64> for &BigInt {
    type Output = BigInt;

    fn pow(self, exponent: u64) -> BigInt {
        match u32::try_from(exponent) {
            Ok(exponent) => BigInt::pow(self, exponent),
            Err(_) => BigInt::long(Pow::pow(&*self.as_long(), exponent)),
        }
    }
}
