//! Integers of one word and of several, each operation beside num-bigint's own.

use num_bigint::BigInt as Long;
use num_integer::Integer;
use num_traits::{FromPrimitive, Num, Signed, ToPrimitive, Zero};

use super::*;

/// Words, the ends of what a word is, and what is past them.
fn samples() -> Vec<Long> {
    let word = |value: i64| Long::from(value);
    let mut samples = vec![word(0), word(1), word(2), word(7), word(10), word(i64::MAX)];
    samples.push(Long::from(u64::MAX));
    samples.push(Long::from(1_u64 << 63));
    samples.push((Long::from(1) << 63) + 1);
    samples.push((Long::from(1) << 64) + 12_345);
    samples.push(Long::from(3).pow(200));
    let negative: Vec<_> = samples.iter().map(|sample| -sample).collect();
    samples.extend(negative);
    samples
}

fn ours(long: &Long) -> BigInt {
    BigInt::long(long.clone())
}

#[track_caller]
fn check(got: &BigInt, expected: &Long) {
    assert_eq!(&*got.as_long(), expected);
    assert_eq!(
        matches!(got.0, Stored::Word(_)),
        expected.to_i64().is_some()
    );
}

#[test]
fn operators_give_what_long_integers_give() {
    for a in &samples() {
        let x = ours(a);
        check(&-&x, &-a);
        check(&!&x, &!a);
        check(&x.abs(), &a.abs());
        for bits in [0_usize, 1, 31, 62, 63, 64, 200] {
            check(&(&x << bits), &(a << bits));
            check(&(&x >> bits), &(a >> bits));
        }
        for b in &samples() {
            let y = ours(b);
            check(&(&x + &y), &(a + b));
            check(&(&x - &y), &(a - b));
            check(&(&x * &y), &(a * b));
            check(&(&x & &y), &(a & b));
            check(&(&x | &y), &(a | b));
            check(&(&x ^ &y), &(a ^ b));
            check(&x.gcd(&y), &a.gcd(b));
            check(&x.lcm(&y), &a.lcm(b));
            assert_eq!(x.cmp(&y), a.cmp(b));
            assert_eq!(x == y, a == b);
            if b.is_zero() {
                continue;
            }
            check(&(&x / &y), &(a / b));
            check(&(&x % &y), &(a % b));
            check(&x.div_floor(&y), &a.div_floor(b));
            check(&x.mod_floor(&y), &a.mod_floor(b));
            let (quotient, remainder) = x.div_mod_floor(&y);
            check(&quotient, &a.div_floor(b));
            check(&remainder, &a.mod_floor(b));
        }
    }
}

#[test]
fn texts_bytes_and_numbers_are_those_of_long_integers() {
    for a in &samples() {
        let x = ours(a);
        assert_eq!(x.to_string(), a.to_string());
        assert_eq!(format!("{x:#x}"), format!("{a:#x}"));
        assert_eq!(x.to_str_radix(7), a.to_str_radix(7));
        check(&BigInt::from_str_radix(&a.to_string(), 10).unwrap(), a);
        check(&BigInt::from_signed_bytes_le(&x.to_signed_bytes_le()), a);
        assert!(x.iter_u32_digits().eq(a.iter_u32_digits()), "{a}");
        assert!(x.iter_u64_digits().eq(a.iter_u64_digits()), "{a}");
        assert_eq!(x.bits(), a.bits());
        assert_eq!(x.sign(), a.sign());
        assert_eq!(x.trailing_zeros(), a.trailing_zeros());
        assert_eq!(x.to_i64(), a.to_i64());
        assert_eq!(x.to_u64(), a.to_u64());
        assert_eq!(x.to_u8(), a.to_u8());
        assert_eq!(x.to_f64(), a.to_f64());
        assert_eq!(x.is_even(), a.is_even());
        check(&x.pow(3), &a.pow(3));
    }
}

#[test]
fn floats_become_integers_without_their_fraction() {
    check(&1e300.to_bigint().unwrap(), &Long::from_f64(1e300).unwrap());
    check(&(-2.9).to_bigint().unwrap(), &Long::from(-2));
    assert_eq!(f64::NAN.to_bigint(), None);
    assert_eq!(f64::INFINITY.to_bigint(), None);
    // Past the largest float there is none, where num-bigint says infinity.
    assert_eq!(ours(&(Long::from(1) << 1024)).to_f64(), None);
}
