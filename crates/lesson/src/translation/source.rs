//! What a translation was made from: a hash of each piece of the English text.
//!
//! The pieces are the head (title, part, outcome, and text before the first section) and each `##` section with all that
//! stands in it, cells too. Blanks at the ends of lines and empty lines around a piece do not count. The hash is FNV-1a of
//! 32 bits (Fowler, Noll and Vo), written as eight hexadecimal digits.

use crate::lesson::Block;
use crate::parse::Parsed;

/// The pieces of a lesson's English text: name and hash.
pub(super) struct Source(Vec<(String, String)>);

impl Source {
    pub(super) fn of(english: &Parsed, text: &str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let lesson = &english.lesson;
        let begins: Vec<(usize, &str)> = lesson
            .blocks
            .iter()
            .zip(&english.lines)
            .filter_map(|(block, line)| match block {
                Block::Section { title, .. } => Some((*line - 1, title.as_str())),
                _ => None,
            })
            .collect();
        let first = begins.first().map_or(lines.len(), |(line, _)| *line);
        let mut head = vec![&*lesson.title, &*lesson.part, &*lesson.outcome];
        head.extend(&lines[english.n_front..first]);
        let mut pieces = vec![("the title, part or outcome".to_owned(), hash(&head))];
        for (index, (begin, title)) in begins.iter().enumerate() {
            let end = begins.get(index + 1).map_or(lines.len(), |(line, _)| *line);
            let name = format!("the section “{title}”");
            pieces.push((name, hash(&lines[*begin..end])));
        }
        Self(pieces)
    }

    /// The hashes as the line `sections:` has them.
    pub(super) fn marks(&self) -> String {
        let hashes: Vec<&str> = self.0.iter().map(|(_, hash)| hash.as_str()).collect();
        hashes.join(" ")
    }

    /// What has changed since a translation was marked, a sentence each.
    pub(super) fn stale(&self, marked: Option<&str>, slug: &str, language: &str) -> Vec<String> {
        let command = format!("`glow lesson translate {slug} {language}` marks it");
        let Some(marked) = marked else {
            return vec![format!(
                "it does not say which English text it was made from; when it is translated, {command}"
            )];
        };
        let marked: Vec<&str> = marked.split_whitespace().collect();
        if marked.len() != self.0.len() {
            return vec![format!(
                "{} hashes in its line `sections:`; expected {}; when it is up to date, {command}",
                marked.len(),
                self.0.len()
            )];
        }
        let changed = self
            .0
            .iter()
            .zip(marked)
            .filter(|((_, now), then)| now != then);
        changed
            .map(|((name, _), _)| {
                format!("{name} of lesson.md has changed since it was translated")
            })
            .collect()
    }
}

fn hash(lines: &[&str]) -> String {
    let text = lines
        .iter()
        .map(|line| line.trim_end())
        .collect::<Vec<_>>()
        .join("\n");
    let mut hash: u32 = 0x811c_9dc5;
    for byte in text.trim_matches('\n').bytes() {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    format!("{hash:08x}")
}

#[cfg(test)]
mod tests {
    use super::hash;

    #[test]
    fn the_hash_is_fnv_1a_and_does_not_see_blanks_at_the_end() {
        assert_eq!(hash(&["foobar"]), "bf9cf968");
        assert_eq!(hash(&["", "foobar  ", ""]), "bf9cf968");
        assert_ne!(hash(&["foo", "bar"]), hash(&["foobar"]));
    }
}
