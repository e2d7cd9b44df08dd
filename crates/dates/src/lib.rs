//! No dates.
//!
//! RustPython's own module `time` reads dates with the crate `jiff`, which carries the history of the world's
//! time zones and weighs as much in a page as a third of the parser and the compiler. A learner's code never
//! reaches that module: the lab has a `time` of its own, without dates. So this crate stands in for `jiff`, with the
//! names that RustPython uses. Invariant: every date is the epoch, whose text is [`UNKNOWN`]; what can refuse a date
//! refuses it. RustPython's build script asks too, for the date of its build: that it always gets the same one makes
//! builds alike.

pub mod civil;
pub mod tz;

use std::fmt;

use civil::{DateTime, Weekday};
use tz::{Offset, TimeZone};

/// What a date is written as.
pub const UNKNOWN: &str = "unknown";

/// There are no dates.
#[derive(Clone, Debug)]
pub struct Error(());

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("there are no dates here")
    }
}

impl std::error::Error for Error {}

/// A point in time: the epoch.
#[derive(Clone, Copy, Debug)]
pub struct Timestamp(());

impl Timestamp {
    /// # Errors
    /// Always.
    pub fn from_second(_second: i64) -> Result<Timestamp, Error> {
        Err(Error(()))
    }

    pub fn as_second(self) -> i64 {
        0
    }

    pub fn to_zoned(self, _zone: TimeZone) -> Zoned {
        Zoned(())
    }
}

/// A point in time in a time zone: the epoch.
#[derive(Clone, Debug)]
pub struct Zoned(());

impl Zoned {
    pub fn new(_timestamp: Timestamp, _zone: TimeZone) -> Zoned {
        Zoned(())
    }

    pub fn now() -> Zoned {
        Zoned(())
    }

    pub fn with_time_zone(&self, _zone: TimeZone) -> Zoned {
        Zoned(())
    }

    pub fn timestamp(&self) -> Timestamp {
        Timestamp(())
    }

    pub fn datetime(&self) -> DateTime {
        DateTime::EPOCH
    }

    pub fn year(&self) -> i16 {
        1970
    }

    pub fn month(&self) -> i8 {
        1
    }

    pub fn day(&self) -> i8 {
        1
    }

    pub fn hour(&self) -> i8 {
        0
    }

    pub fn minute(&self) -> i8 {
        0
    }

    pub fn second(&self) -> i8 {
        0
    }

    pub fn weekday(&self) -> Weekday {
        Weekday::Thursday
    }

    pub fn day_of_year(&self) -> i16 {
        1
    }

    pub fn offset(&self) -> Offset {
        Offset::UTC
    }

    pub fn strftime(&self, _format: &str) -> &'static str {
        UNKNOWN
    }
}

impl From<Zoned> for DateTime {
    fn from(_zoned: Zoned) -> DateTime {
        DateTime::EPOCH
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_none() {
        assert!(Timestamp::from_second(0).is_err());
        assert!(DateTime::new(2026, 1, 1, 0, 0, 0, 0).is_err());
        assert_eq!(Zoned::now().strftime("%Y"), UNKNOWN);
    }
}
