//! Names of characters and values of digits.

use rustpython_wtf8::CodePoint;

use crate::tables::ZEROS;

/// The character of a name, for `"\N{…}"`.
pub fn lookup_character(name: &str) -> Option<char> {
    unicode_names2::character(name)
}

/// The name of a character, for the error handler `namereplace`.
pub fn character_name(c: char) -> Option<String> {
    unicode_names2::name(c).map(|name| name.to_string())
}

/// Unicode's tables. There is one version of them here.
#[derive(Clone, Copy, Debug)]
pub struct Ucd(());

impl Ucd {
    /// The tables; what is asked for is the newest version.
    pub fn new(_newest: bool) -> Ucd {
        Ucd(())
    }

    /// The value of a decimal digit of any script.
    pub fn decimal(&self, c: CodePoint) -> Option<u64> {
        c.to_char().and_then(decimal)
    }
}

pub(crate) fn decimal(c: char) -> Option<u64> {
    let code = u32::from(c);
    let behind = ZEROS.partition_point(|zero| *zero <= code);
    let zero = ZEROS.get(behind.checked_sub(1)?)?;
    (code - zero < 10).then(|| u64::from(code - zero))
}
