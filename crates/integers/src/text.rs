//! Integers as text.

use std::fmt;
use std::str::FromStr;

use num_bigint::ParseBigIntError;

use crate::{BigInt, Stored};

impl BigInt {
    /// The digits in that radix, from 2 to 36, in lower case, after `-` where the integer is negative.
    #[must_use]
    pub fn to_str_radix(&self, radix: u32) -> String {
        self.as_long().to_str_radix(radix)
    }
}

impl FromStr for BigInt {
    type Err = ParseBigIntError;

    fn from_str(text: &str) -> Result<BigInt, ParseBigIntError> {
        num_bigint::BigInt::from_str(text).map(BigInt::long)
    }
}

macro_rules! shown {
    ($($trait:ident)*) => {$(
        impl fmt::$trait for BigInt {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::$trait::fmt(&*self.as_long(), formatter)
            }
        }
    )*};
}

shown! { Binary LowerHex Octal UpperHex }

impl fmt::Display for BigInt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Stored::Word(word) => fmt::Display::fmt(word, formatter),
            Stored::Long(long) => fmt::Display::fmt(long, formatter),
        }
    }
}

impl fmt::Debug for BigInt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}
