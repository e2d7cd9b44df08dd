//! The tokens of a Rust source, as far as a rule looks at them: names, `::` and single characters.
//!
//! Comments are left out, and so are texts, numbers' values and lifetimes, in which a rule has nothing to read.

/// A token and its line, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    pub(super) line: usize,
}

/// The tokens of a source that compiles.
pub(super) fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = source;
    let mut line = 1;
    while let Some(first) = rest.chars().next() {
        let (length, is_token) = match first {
            _ if rest.starts_with("//") => (rest.find('\n').unwrap_or(rest.len()), false),
            _ if rest.starts_with("/*") => (block_comment(rest), false),
            '"' => (text(rest), false),
            '\'' => (character_or_lifetime(rest), false),
            _ if rest.starts_with("::") => (2, true),
            _ if is_word(first) => match word(rest) {
                ("r" | "br" | "cr", length) if is_raw_text(&rest[length..]) => {
                    (length + raw_text(&rest[length..]), false)
                }
                (word, length) => (length, !word.starts_with(|c: char| c.is_ascii_digit())),
            },
            _ => (first.len_utf8(), !first.is_whitespace()),
        };
        let (token, after) = rest.split_at(length);
        if is_token {
            tokens.push(Token { text: token, line });
        }
        line += token.matches('\n').count();
        rest = after;
    }
    tokens
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

fn word(rest: &str) -> (&str, usize) {
    let length = rest.find(|char| !is_word(char)).unwrap_or(rest.len());
    (&rest[..length], length)
}

fn block_comment(rest: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        let bytes = &rest.as_bytes()[at..];
        match bytes {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// A text in quotes, with its escapes.
fn text(rest: &str) -> usize {
    let mut is_escaped = false;
    let end = rest[1..].find(|char| {
        let ends = char == '"' && !is_escaped;
        is_escaped = char == '\\' && !is_escaped;
        ends
    });
    end.map_or(rest.len(), |end| end + 2)
}

/// Whether `#"` or `"` follows, with any number of `#`; else it is a name such as `r#type`.
fn is_raw_text(after: &str) -> bool {
    after.trim_start_matches('#').starts_with('"')
}

fn raw_text(after: &str) -> usize {
    let hashes = after.len() - after.trim_start_matches('#').len();
    let end = format!("\"{}", "#".repeat(hashes));
    let body = hashes + 1;
    let found = after[body..].find(&end);
    found.map_or(after.len(), |at| body + at + end.len())
}

/// `'x'`, `'\n'`, or the quote of `'a`.
fn character_or_lifetime(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), Some((escaped, char))) => {
            let behind = escaped + char.len_utf8();
            let end = rest[behind..].find('\'');
            end.map_or(rest.len(), |end| behind + end + 1)
        }
        (Some(_), Some((end, '\''))) => end + 1,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        tokens(source).iter().map(|token| token.text).collect()
    }

    #[test]
    fn names_and_signs_are_tokens() {
        assert_eq!(
            texts("use a::{b as c_2};"),
            ["use", "a", "::", "{", "b", "as", "c_2", "}", ";"]
        );
        assert_eq!(texts("x.0 + 1u8"), ["x", ".", "+"]);
    }

    #[test]
    fn comments_and_texts_are_none() {
        for source in [
            "a // b\nc",
            "a /* b /* c */ d\n */ c",
            "a \"b\\\" d\\\\\"\n c",
            "a r##\"b\"# d\"##\nc",
            "a '\"'\nc",
            "a '\\''\nc",
            "a '\\u{22}'\nc",
            "a 'é'\nc",
        ] {
            assert_eq!(texts(source), ["a", "c"], "{source}");
            assert_eq!(tokens(source)[1].line, 2, "{source}");
        }
    }

    #[test]
    fn a_lifetime_ends_no_text() {
        assert_eq!(
            texts("f<'a, 'b>(c: &'a str)"),
            [
                "f", "<", "a", ",", "b", ">", "(", "c", ":", "&", "a", "str", ")"
            ]
        );
        assert_eq!(texts("r#type"), ["r", "#", "type"]);
    }
}
