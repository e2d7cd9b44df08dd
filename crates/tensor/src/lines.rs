//! Lines of tab-separated fields: what travels through a boundary that carries text and bytes alone.
//!
//! A backslash, tab, line feed or carriage return in a field is written `\\`, `\t`, `\n`, `\r`.

/// The fields of a line.
///
/// ```
/// use glowgrad_tensor::lines;
/// let mut text = String::new();
/// lines::push(&mut text, ["a", "b\tc"]);
/// assert_eq!(text, "a\tb\\tc\n");
/// assert_eq!(lines::fields(text.trim_end()), ["a", "b\tc"]);
/// ```
pub fn fields(line: &str) -> Vec<String> {
    let plain = |field: &str| {
        let mut text = String::with_capacity(field.len());
        let mut letters = field.chars();
        while let Some(letter) = letters.next() {
            text.push(match letter {
                '\\' => match letters.next() {
                    Some('t') => '\t',
                    Some('n') => '\n',
                    Some('r') => '\r',
                    other => other.unwrap_or('\\'),
                },
                letter => letter,
            });
        }
        text
    };
    line.split('\t').map(plain).collect()
}

/// Writes a line.
pub fn push<'a>(text: &mut String, fields: impl IntoIterator<Item = &'a str>) {
    for (at, field) in fields.into_iter().enumerate() {
        if at > 0 {
            text.push('\t');
        }
        for letter in field.chars() {
            match letter {
                '\\' => text.push_str("\\\\"),
                '\t' => text.push_str("\\t"),
                '\n' => text.push_str("\\n"),
                '\r' => text.push_str("\\r"),
                letter => text.push(letter),
            }
        }
    }
    text.push('\n');
}
