//! The kinds of characters, as the methods `is…` of Python's `str` tell them.

use crate::data::decimal;
use crate::tables::{DIGITS, LETTERS, NUMBER_WORDS};

/// `str.isalpha`: a letter.
pub fn is_alpha(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphabetic();
    }
    // Rust counts marks and Roman numerals too.
    c.is_alphabetic() && is_in(LETTERS, c)
}

/// `str.isalnum`: a letter or a number.
pub fn is_alnum(c: char) -> bool {
    is_alpha(c) || c.is_numeric()
}

/// `str.isdecimal`: a digit that `int` reads.
pub fn is_decimal(c: char) -> bool {
    decimal(c).is_some()
}

/// `str.isdigit`: a digit, also a raised or a circled one.
pub fn is_digit(c: char) -> bool {
    is_decimal(c) || is_in(DIGITS, c)
}

/// `str.isnumeric`: a character that stands for a number.
pub fn is_numeric(c: char) -> bool {
    c.is_numeric() || is_in(NUMBER_WORDS, c)
}

/// `str.isspace`: white space, and the four separators of ASCII.
pub fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\x1c'..='\x1f').contains(&c)
}

/// `str.isprintable`: what `repr` shows as it is, and the space.
pub fn is_printable(c: char) -> bool {
    c == ' ' || is_repr_printable(c)
}

/// Whether `repr` shows a character as it is: no control, format, private or unknown one, no separator.
pub fn is_repr_printable(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_graphic();
    }
    // Characters without a picture, such as what makes an emoji of a sign: Rust escapes them, Python does not.
    if matches!(c,
        '\u{34F}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180D}' | '\u{180F}'
        | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FFA0}' | '\u{E0100}'..='\u{E01EF}')
    {
        return true;
    }
    // Rust's `Debug` for texts has this table. It escapes a mark too, but only at the beginning of a text.
    let mut text = [b'a'; 5];
    let end = 1 + c.encode_utf8(&mut text[1..]).len();
    std::str::from_utf8(&text[..end]).is_ok_and(|text| text.escape_debug().nth(1) == Some(c))
}

fn is_in(ranges: &[(u32, u32)], c: char) -> bool {
    let code = u32::from(c);
    let behind = ranges.partition_point(|(first, _)| *first <= code);
    behind > 0 && code <= ranges[behind - 1].1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row for each character: what CPython answers to the eight questions below.
    const ANSWERS: &[(char, &str)] = &[
        ('a', "yy-----y"),
        ('7', "-yyyy--y"),
        (' ', "-----yy-"),
        ('\n', "-----y--"),
        ('\x1c', "-----y--"),
        ('\u{A0}', "-----y--"),
        ('é', "yy-----y"),
        ('²', "-y-yy--y"),
        ('½', "-y--y--y"),
        ('Ⅷ', "-y--y--y"),
        ('一', "yy--y--y"),
        ('٣', "-yyyy--y"),
        ('\u{301}', "-------y"),
        ('\u{FE0F}', "-------y"),
        ('\u{200B}', "--------"),
        ('\u{E000}', "--------"),
        ('\u{378}', "--------"),
        ('🙂', "-------y"),
        ('Ⓐ', "-------y"),
    ];

    #[test]
    fn characters_are_of_the_kinds_that_cpython_says() {
        for (c, answers) in ANSWERS {
            let kinds = [
                is_alpha(*c),
                is_alnum(*c),
                is_decimal(*c),
                is_digit(*c),
                is_numeric(*c),
                is_space(*c),
                *c == ' ' && is_printable(*c),
                is_repr_printable(*c),
            ];
            let found = kinds.map(|is| if is { 'y' } else { '-' });
            assert_eq!(&found.iter().collect::<String>(), answers, "{c:?}");
        }
    }
}
