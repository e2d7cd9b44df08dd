//! Two integers' ratio as the nearest float, and a float as a ratio.
//!
//! RustPython divides integers and writes floats as ratios with `malachite-q`. This crate stands in for it, with the
//! names that RustPython uses, on the integers of `crates/integers`.

use std::cmp::Ordering;

use malachite_base::num::conversion::traits::RoundingFrom;
use malachite_base::rounding_modes::RoundingMode;
use malachite_bigint::{BigInt, BigUint};
use num_integer::Integer as _;
use num_traits::{Signed as _, ToPrimitive as _, Zero as _};

/// A ratio of two integers.
#[derive(Clone, Debug)]
pub struct Rational {
    numerator: BigInt,
    denominator: BigInt,
}

/// The float is an infinity or NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotFinite(());

impl Rational {
    /// `numerator / denominator`; the denominator is not 0.
    #[must_use]
    pub fn from_integers_ref(numerator: &BigInt, denominator: &BigInt) -> Rational {
        Rational {
            numerator: numerator.clone(),
            denominator: denominator.clone(),
        }
    }

    /// The magnitudes of numerator and denominator.
    #[must_use]
    pub fn into_numerator_and_denominator(self) -> (BigUint, BigUint) {
        (self.numerator.magnitude(), self.denominator.magnitude())
    }
}

/// In lowest terms.
impl TryFrom<f64> for Rational {
    type Error = NotFinite;

    fn try_from(value: f64) -> Result<Rational, NotFinite> {
        if !value.is_finite() {
            return Err(NotFinite(()));
        }
        let bits = value.abs().to_bits();
        let stored = bits >> MANTISSA_BITS;
        let fraction = bits & ((1 << MANTISSA_BITS) - 1);
        let mantissa = match stored {
            0 => fraction,
            _ => fraction | 1 << MANTISSA_BITS,
        };
        // The value is an odd integer times 2 to this power.
        let zeros = if mantissa == 0 {
            0
        } else {
            mantissa.trailing_zeros()
        };
        let exponent = stored.max(1).cast_signed() + LOWEST_POWER - 1 + i64::from(zeros);
        let odd = BigInt::from(mantissa >> zeros);
        let power = BigInt::from(1) << exponent.unsigned_abs().to_usize().unwrap_or(0);
        let (numerator, denominator) = match mantissa == 0 {
            true => (odd, BigInt::from(1)),
            false if exponent < 0 => (odd, power),
            false => (odd * power, BigInt::from(1)),
        };
        Ok(Rational {
            numerator: if value < 0.0 { -numerator } else { numerator },
            denominator,
        })
    }
}

const MANTISSA_BITS: u32 = 52;
/// The smallest float64 is 2 to this power.
const LOWEST_POWER: i64 = -1074;
/// A quotient with this many bits, and one more for what is below them, has enough to round from.
const QUOTIENT_BITS: i64 = 66;

/// To the nearest float64, ties to even, whatever mode is asked for: RustPython asks for no other. Past the largest, it
/// is the largest, and said to be less, or greater below 0; else the order is said to be `Equal`.
impl RoundingFrom<Rational> for f64 {
    fn rounding_from(ratio: Rational, _mode: RoundingMode) -> (f64, Ordering) {
        let is_negative = ratio.numerator.is_negative() != ratio.denominator.is_negative();
        let magnitude = nearest(&ratio.numerator.abs(), &ratio.denominator.abs());
        match (magnitude.is_finite(), is_negative) {
            (true, false) => (magnitude, Ordering::Equal),
            (true, true) => (-magnitude, Ordering::Equal),
            (false, false) => (f64::MAX, Ordering::Less),
            (false, true) => (f64::MIN, Ordering::Greater),
        }
    }
}

/// The float64 that is nearest to a quotient of two integers, of which neither is negative.
#[expect(
    clippy::cast_precision_loss,
    reason = "what is cast has at most 53 bits"
)]
fn nearest(numerator: &BigInt, denominator: &BigInt) -> f64 {
    if numerator.is_zero() {
        return 0.0;
    }
    let (Ok(above), Ok(below)) = (
        i64::try_from(numerator.bits()),
        i64::try_from(denominator.bits()),
    ) else {
        return f64::NAN;
    };
    if above <= 53
        && below <= 53
        && let (Some(above), Some(below)) = (numerator.to_f64(), denominator.to_f64())
    {
        // Both are exact, and one division rounds once.
        return above / below;
    }

    let shift = below - above + QUOTIENT_BITS;
    let count = shift.unsigned_abs().to_usize().unwrap_or(0);
    let (quotient, rest) = match shift >= 0 {
        true => (numerator << count).div_rem(denominator),
        false => numerator.div_rem(&(denominator << count)),
    };
    let quotient = quotient.to_u128().unwrap_or(0) << 1 | u128::from(!rest.is_zero());
    // The ratio is the quotient times 2 to this power, the bits below it gathered in the lowest one.
    let power = -shift - 1;

    let length = i64::from(u128::BITS - quotient.leading_zeros());
    let dropped = (length - 53).max(LOWEST_POWER - power);
    let Some(dropped_bits) = dropped.to_u32().filter(|bits| *bits < u128::BITS) else {
        return 0.0;
    };
    let half = 1_u128 << dropped_bits >> 1;
    let below = quotient & ((1 << dropped_bits) - 1);
    let mut kept = quotient >> dropped_bits;
    if below > half || (below == half && kept % 2 == 1) {
        kept += 1;
    }
    kept as f64 * two_to(power + dropped)
}

/// 2 to a power, from the smallest float64 up; infinity past the largest.
fn two_to(power: i64) -> f64 {
    let bits = match power {
        ..-1022 => 1 << (power - LOWEST_POWER).max(0),
        -1022..=1023 => (power + 1023) << MANTISSA_BITS,
        _ => return f64::INFINITY,
    };
    f64::from_bits(bits.cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn divided(numerator: BigInt, denominator: BigInt) -> f64 {
        f64::rounding_from(
            Rational::from_integers_ref(&numerator, &denominator),
            RoundingMode::Nearest,
        )
        .0
    }

    fn power(bits: usize) -> BigInt {
        BigInt::from(1) << bits
    }

    #[test]
    fn small_integers_divide_as_floats_do() {
        assert_eq!(divided(1.into(), 3.into()), 1.0 / 3.0);
        assert_eq!(divided((-7).into(), 2.into()), -3.5);
        assert_eq!(divided(0.into(), (-2).into()), 0.0);
    }

    /// CPython 3.13 gives these.
    #[test]
    fn large_quotients_round_once_to_the_nearest() {
        assert_eq!(divided(power(2000) + 1, power(1999)), 2.0);
        assert_eq!(divided(power(53) + 1, 1.into()), 9_007_199_254_740_992.0);
        assert_eq!(divided(power(54) + 3, 2.into()), 9_007_199_254_740_994.0);
        let tie: BigInt = (power(53) + 1) * power(60);
        assert_eq!(divided(tie.clone(), power(60)), 9_007_199_254_740_992.0);
        assert_eq!(divided(tie + 1, power(60)), 9_007_199_254_740_994.0);
    }

    #[test]
    fn subnormal_quotients_round_once() {
        assert_eq!(divided(1.into(), power(1074)), 5e-324);
        assert_eq!(divided(1.into(), power(1075)), 0.0);
        assert_eq!(divided(3.into(), power(1075)), 1e-323);
        assert_eq!(divided(power(1000) + 1, power(2075)), 5e-324);
        assert_eq!(divided(1.into(), power(3000)), 0.0);
    }

    #[test]
    fn past_the_largest_float_is_told() {
        let of = |numerator| {
            f64::rounding_from(
                Rational::from_integers_ref(&numerator, &1.into()),
                RoundingMode::Nearest,
            )
        };
        assert_eq!(of(power(1024)), (f64::MAX, Ordering::Less));
        assert_eq!(of(-power(1024)), (f64::MIN, Ordering::Greater));
        // Half a unit past the largest rounds up, anything less rounds down.
        let middle = power(1024) - power(970);
        assert_eq!(of(middle.clone()), (f64::MAX, Ordering::Less));
        assert_eq!(of(middle - 1), (f64::MAX, Ordering::Equal));
    }

    #[test]
    fn a_float_is_a_ratio_in_lowest_terms() {
        let of =
            |value: f64| Rational::try_from(value).map(Rational::into_numerator_and_denominator);
        let ratio = |numerator: u64, denominator: u64| {
            Ok((BigUint::from(numerator), BigUint::from(denominator)))
        };
        assert_eq!(of(0.75), ratio(3, 4));
        assert_eq!(of(-12.0), ratio(12, 1));
        assert_eq!(of(0.0), ratio(0, 1));
        assert_eq!(of(f64::NAN), Err(NotFinite(())));
        let smallest = of(5e-324).unwrap();
        assert_eq!(smallest, (1_u32.into(), power(1074).magnitude()));
        let largest = of(f64::MAX).unwrap();
        assert_eq!(largest.0, (power(1024) - power(971)).magnitude());
    }
}
