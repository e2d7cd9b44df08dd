//! Dates without a time zone.

use crate::tz::TimeZone;
use crate::{Error, UNKNOWN, Zoned};

/// A date with its time: the epoch.
#[derive(Clone, Copy, Debug)]
pub struct DateTime(());

impl DateTime {
    pub(crate) const EPOCH: DateTime = DateTime(());

    /// # Errors
    /// Always.
    pub fn new(
        _year: i16,
        _month: i8,
        _day: i8,
        _hour: i8,
        _minute: i8,
        _second: i8,
        _nanosecond: i32,
    ) -> Result<DateTime, Error> {
        Err(Error(()))
    }

    /// # Errors
    /// Always.
    pub fn to_zoned(self, _zone: TimeZone) -> Result<Zoned, Error> {
        Err(Error(()))
    }

    pub fn strftime(&self, _format: &str) -> &'static str {
        UNKNOWN
    }
}

/// A day of the week: that of the epoch.
#[derive(Clone, Copy, Debug)]
pub enum Weekday {
    Thursday,
}

impl Weekday {
    pub fn to_sunday_zero_offset(self) -> i8 {
        4
    }
}
