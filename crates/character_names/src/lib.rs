//! Characters by their Unicode names, for `"\N{GREEK SMALL LETTER ALPHA}"`.
//!
//! Stands in for the crate `unicode_names2`, whose tables of all 150,000 names weigh several hundred
//! kilobytes in a page. Here are the names
//! of `names.txt`: Latin, Greek, Cyrillic, punctuation, arrows, mathematics, boxes, symbols, faces. Any
//! other name is a SyntaxError; `"\u2026"` and the character itself are always there.

use std::fmt;

static NAMES: &str = include_str!("names.txt");

/// A character's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name(&'static str);

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0)
    }
}

fn all() -> impl Iterator<Item = (char, &'static str)> {
    NAMES.lines().filter_map(|line| {
        let (code, name) = line.split_once(' ')?;
        Some((char::from_u32(u32::from_str_radix(code, 16).ok()?)?, name))
    })
}

/// The name of a character, where it is known here.
pub fn name(c: char) -> Option<Name> {
    all()
        .find(|(other, _)| *other == c)
        .map(|(_, name)| Name(name))
}

/// The character of a name, in letters of either case.
pub fn character(search_name: &str) -> Option<char> {
    all()
        .find(|(_, name)| name.eq_ignore_ascii_case(search_name))
        .map(|(c, _)| c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_there_and_back() {
        assert_eq!(character("greek small letter alpha"), Some('α'));
        assert_eq!(
            name('∂').map(|name| name.to_string()).as_deref(),
            Some("PARTIAL DIFFERENTIAL")
        );
        assert_eq!(character("NO SUCH NAME"), None);
        for (c, name) in all() {
            assert_eq!(character(name), Some(c), "{name}");
        }
    }
}
