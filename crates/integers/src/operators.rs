//! `+`, `-`, `*`, `/`, `%`, `&`, `|`, `^`, `<<`, `>>`, `-` and `!`.

use std::ops::{
    Add, AddAssign, BitAnd, BitOr, BitXor, Div, Mul, MulAssign, Neg, Not, Rem, Shl, Shr, Sub,
};

use crate::{BigInt, Stored};

macro_rules! binary {
    ($($trait:ident $method:ident: $on_words:expr;)*) => {$(
        impl $trait<&BigInt> for &BigInt {
            type Output = BigInt;

            #[inline]
            fn $method(self, other: &BigInt) -> BigInt {
                let on_words: fn(i64, i64) -> Option<i64> = $on_words;
                if let Some((a, b)) = self.words(other)
                    && let Some(word) = on_words(a, b)
                {
                    return BigInt::word(word);
                }
                BigInt::long($trait::$method(&*self.as_long(), &*other.as_long()))
            }
        }

        impl $trait<BigInt> for &BigInt {
            type Output = BigInt;

            #[inline]
            fn $method(self, other: BigInt) -> BigInt {
                $trait::$method(self, &other)
            }
        }

        impl $trait<&BigInt> for BigInt {
            type Output = BigInt;

            #[inline]
            fn $method(self, other: &BigInt) -> BigInt {
                $trait::$method(&self, other)
            }
        }

        impl $trait<BigInt> for BigInt {
            type Output = BigInt;

            #[inline]
            fn $method(self, other: BigInt) -> BigInt {
                $trait::$method(&self, &other)
            }
        }

        with_primitive! { $trait $method: i32 i64 u64 usize }
    )*};
}

macro_rules! with_primitive {
    ($trait:ident $method:ident: $($primitive:ident)*) => {$(
        impl $trait<$primitive> for &BigInt {
            type Output = BigInt;

            #[inline]
            fn $method(self, other: $primitive) -> BigInt {
                $trait::$method(self, &BigInt::from(other))
            }
        }

        impl $trait<$primitive> for BigInt {
            type Output = BigInt;

            #[inline]
            fn $method(self, other: $primitive) -> BigInt {
                $trait::$method(&self, &BigInt::from(other))
            }
        }
    )*};
}

// Division by 0 is `None` on words, and num-bigint's panic then.
binary! {
    Add add: i64::checked_add;
    Sub sub: i64::checked_sub;
    Mul mul: i64::checked_mul;
    Div div: i64::checked_div;
    Rem rem: i64::checked_rem;
    BitAnd bitand: |a, b| Some(a & b);
    BitOr bitor: |a, b| Some(a | b);
    BitXor bitxor: |a, b| Some(a ^ b);
}

impl<T> AddAssign<T> for BigInt
where
    for<'a> &'a BigInt: Add<T, Output = BigInt>,
{
    #[inline]
    fn add_assign(&mut self, other: T) {
        *self = &*self + other;
    }
}

impl<T> MulAssign<T> for BigInt
where
    for<'a> &'a BigInt: Mul<T, Output = BigInt>,
{
    #[inline]
    fn mul_assign(&mut self, other: T) {
        *self = &*self * other;
    }
}

macro_rules! shifts {
    ($($count:ident)*) => {$(
        impl Shl<$count> for &BigInt {
            type Output = BigInt;

            #[inline]
            fn shl(self, bits: $count) -> BigInt {
                if let Stored::Word(word) = self.0
                    && bits < 63
                    && (word << bits) >> bits == word
                {
                    return BigInt::word(word << bits);
                }
                BigInt::long(&*self.as_long() << bits)
            }
        }

        /// Towards negative infinity, as Python's.
        impl Shr<$count> for &BigInt {
            type Output = BigInt;

            #[inline]
            fn shr(self, bits: $count) -> BigInt {
                match &self.0 {
                    Stored::Word(word) => BigInt::word(word >> bits.min(63)),
                    Stored::Long(long) => BigInt::long(&**long >> bits),
                }
            }
        }

        impl Shl<$count> for BigInt {
            type Output = BigInt;

            #[inline]
            fn shl(self, bits: $count) -> BigInt {
                &self << bits
            }
        }

        impl Shr<$count> for BigInt {
            type Output = BigInt;

            #[inline]
            fn shr(self, bits: $count) -> BigInt {
                &self >> bits
            }
        }
    )*};
}

shifts! { u32 usize }

impl Neg for &BigInt {
    type Output = BigInt;

    #[inline]
    fn neg(self) -> BigInt {
        if let Stored::Word(word) = self.0
            && let Some(negative) = word.checked_neg()
        {
            return BigInt::word(negative);
        }
        BigInt::long(-&*self.as_long())
    }
}

impl Neg for BigInt {
    type Output = BigInt;

    #[inline]
    fn neg(self) -> BigInt {
        -&self
    }
}

impl Not for &BigInt {
    type Output = BigInt;

    #[inline]
    fn not(self) -> BigInt {
        match &self.0 {
            Stored::Word(word) => BigInt::word(!word),
            Stored::Long(long) => BigInt::long(!&**long),
        }
    }
}

impl Not for BigInt {
    type Output = BigInt;

    #[inline]
    fn not(self) -> BigInt {
        !&self
    }
}
