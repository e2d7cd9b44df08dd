//! Upper and lower case, as the methods of Python's `str` change it.
//!
//! Rust's tables have upper and lower case. Title case and folding are derived from these two, with the
//! exceptions that stand here: ligatures, Greek with a iota below, Georgian, Cherokee.

use rustpython_wtf8::{Wtf8, Wtf8Buf, Wtf8Chunk};

/// The lower case of a character, where it is one character.
pub fn simple_lowercase(c: char) -> char {
    only(c.to_lowercase()).unwrap_or(match c {
        'İ' => 'i',
        _ => c,
    })
}

/// The upper case of a character, where it is one character.
pub fn simple_uppercase(c: char) -> char {
    only(c.to_uppercase()).unwrap_or_else(|| with_iota_below(c).unwrap_or(c))
}

/// Whether it is a small letter.
pub fn is_lowercase(c: char) -> bool {
    c.is_lowercase()
}

/// Whether it is a capital letter.
pub fn is_uppercase(c: char) -> bool {
    c.is_uppercase()
}

/// Whether it is one of the 31 characters that show a capital letter and a small one, such as `ǅ`.
pub fn is_titlecase(c: char) -> bool {
    matches!(c, 'ǅ' | 'ǈ' | 'ǋ' | 'ǲ') || with_iota_below(c) == Some(c)
}

/// Whether it has a case.
pub fn is_cased(c: char) -> bool {
    c.is_lowercase() || c.is_uppercase() || is_titlecase(c)
}

/// `str.casefold`.
pub fn casefold_str(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\0'..='\x7f' => folded.push(c.to_ascii_lowercase()),
            'ı' => folded.push(c),
            'ẞ' => folded.push_str("ss"),
            // Cherokee folds to capital letters.
            '\u{13A0}'..='\u{13FD}' | '\u{AB70}'..='\u{ABBF}' => folded.extend(c.to_uppercase()),
            _ => folded.extend(c.to_uppercase().flat_map(char::to_lowercase)),
        }
    }
    folded
}

/// `str.casefold`, of a text that may have lone surrogates.
pub fn casefold_wtf8(text: &Wtf8) -> Wtf8Buf {
    by_chunks(text, |part, _| casefold_str(part))
}

/// `str.capitalize`.
pub fn capitalize_str(text: &str) -> String {
    title_where(text, |at, _| at == 0)
}

/// `str.capitalize`, of a text that may have lone surrogates.
pub fn capitalize_wtf8(text: &Wtf8) -> Wtf8Buf {
    by_chunks(text, |part, is_first| {
        title_where(part, |at, _| is_first && at == 0)
    })
}

/// `str.title`.
pub fn title_str(text: &str) -> String {
    title_where(text, |_, before| !before.is_some_and(is_cased))
}

/// `str.title`, of a text that may have lone surrogates.
pub fn title_wtf8(text: &Wtf8) -> Wtf8Buf {
    by_chunks(text, |part, _| title_str(part))
}

/// `str.swapcase`.
pub fn swapcase_str(text: &str) -> String {
    change_each(text, |swapped, c, lower| {
        if c.is_uppercase() {
            swapped.push_str(lower);
        } else if c.is_lowercase() {
            swapped.extend(c.to_uppercase());
        } else {
            swapped.push(c);
        }
    })
}

/// `str.swapcase`, of a text that may have lone surrogates.
pub fn swapcase_wtf8(text: &Wtf8) -> Wtf8Buf {
    by_chunks(text, |part, _| swapcase_str(part))
}

fn only(mut characters: impl Iterator<Item = char>) -> Option<char> {
    let first = characters.next();
    first.filter(|_| characters.next().is_none())
}

/// Changes each run between lone surrogates, which stay; the run at the text's beginning is told.
fn by_chunks(text: &Wtf8, change: impl Fn(&str, bool) -> String) -> Wtf8Buf {
    let mut changed = Wtf8Buf::with_capacity(text.len());
    let mut is_first = true;
    for chunk in text.chunks() {
        match chunk {
            Wtf8Chunk::Utf8(part) => changed.push_str(&change(part, is_first)),
            Wtf8Chunk::Surrogate(surrogate) => changed.push(surrogate),
        }
        is_first = false;
    }
    changed
}

/// Appends what becomes of each character, given with its lower case: that of a sigma depends on where it stands.
fn change_each(text: &str, mut append: impl FnMut(&mut String, char, &str)) -> String {
    let lower = text.to_lowercase();
    let mut rest = &lower[..];
    let mut changed = String::with_capacity(text.len());
    for c in text.chars() {
        // Both small forms of sigma have as many bytes.
        let bytes: usize = c.to_lowercase().map(char::len_utf8).sum();
        let (own, after) = rest.split_at_checked(bytes).unwrap_or((rest, ""));
        append(&mut changed, c, own);
        rest = after;
    }
    changed
}

/// Title case for the characters that are chosen by their place and the character before; lower case for the
/// others.
fn title_where(text: &str, is_chosen: impl Fn(usize, Option<char>) -> bool) -> String {
    let (mut at, mut before) = (0, None);
    change_each(text, |titled, c, lower| {
        if is_chosen(at, before) {
            push_title(titled, c);
        } else {
            titled.push_str(lower);
        }
        (at, before) = (at + 1, Some(c));
    })
}

/// Appends a character in title case: of several characters, the first is a capital letter.
fn push_title(text: &mut String, c: char) {
    match c {
        '\u{1C4}'..='\u{1C6}' => text.push('\u{1C5}'),
        '\u{1C7}'..='\u{1C9}' => text.push('\u{1C8}'),
        '\u{1CA}'..='\u{1CC}' => text.push('\u{1CB}'),
        '\u{1F1}'..='\u{1F3}' => text.push('\u{1F2}'),
        '\u{149}' => text.push_str("\u{2BC}N"),
        // Georgian has capital letters for whole words alone.
        '\u{10D0}'..='\u{10FF}' => text.push(c),
        // Greek with a iota and an accent.
        '\u{1FB2}' => text.push_str("\u{1FBA}\u{345}"),
        '\u{1FB4}' => text.push_str("\u{386}\u{345}"),
        '\u{1FB7}' => text.push_str("\u{391}\u{342}\u{345}"),
        '\u{1FC2}' => text.push_str("\u{1FCA}\u{345}"),
        '\u{1FC4}' => text.push_str("\u{389}\u{345}"),
        '\u{1FC7}' => text.push_str("\u{397}\u{342}\u{345}"),
        '\u{1FF2}' => text.push_str("\u{1FFA}\u{345}"),
        '\u{1FF4}' => text.push_str("\u{38F}\u{345}"),
        '\u{1FF7}' => text.push_str("\u{3A9}\u{342}\u{345}"),
        _ => {
            if let Some(capital) = with_iota_below(c) {
                return text.push(capital);
            }
            let mut upper = c.to_uppercase();
            text.extend(upper.next());
            text.extend(upper.flat_map(char::to_lowercase));
        }
    }
}

/// The capital letter with a iota below, of a Greek letter that has one as a single character.
fn with_iota_below(c: char) -> Option<char> {
    match c {
        '\u{1F80}'..='\u{1FAF}' => char::from_u32(u32::from(c) | 8),
        '\u{1FB3}' | '\u{1FC3}' | '\u{1FF3}' => char::from_u32(u32::from(c) + 9),
        '\u{1FBC}' | '\u{1FCC}' | '\u{1FFC}' => Some(c),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_change_as_in_cpython() {
        for (text, title, capital, swapped, folded) in [
            ("isn't IT", "Isn'T It", "Isn't it", "ISN'T it", "isn't it"),
            ("ΟΔΟΣ σΑΣ", "Οδος Σας", "Οδος σας", "οδος Σας", "οδοσ σασ"),
            ("straße", "Straße", "Straße", "STRASSE", "strasse"),
            ("ﬁn ǆ ŉ", "Fin ǅ ʼN", "Fin ǆ ŉ", "FIN Ǆ ʼN", "fin ǆ ʼn"),
            ("ა ꭰ", "ა Ꭰ", "ა ꭰ", "Ა Ꭰ", "ა Ꭰ"),
            (
                "\u{1FB3}x",
                "\u{1FBC}x",
                "\u{1FBC}x",
                "\u{391}\u{399}X",
                "\u{3B1}\u{3B9}x",
            ),
        ] {
            assert_eq!(title_str(text), title);
            assert_eq!(capitalize_str(text), capital);
            assert_eq!(swapcase_str(text), swapped);
            assert_eq!(casefold_str(text), folded);
        }
        assert!(is_titlecase('ǅ') && is_cased('ǅ') && !is_titlecase('A') && !is_cased('1'));
        assert_eq!((simple_lowercase('İ'), simple_uppercase('ß')), ('i', 'ß'));
    }
}
