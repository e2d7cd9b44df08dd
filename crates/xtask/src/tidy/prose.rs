//! What people read as sentences: the words of a Markdown file or of a page's markup, each with its line.
//!
//! Code, formulas, addresses and the directives of lessons are left out. What the words must be is said in `spelling` and
//! `voice`.

use glowgrad_lesson::markdown::{Event, Options, Parser, Tag, TagEnd};

use super::Source;

/// Stands in a prose's text where code or a formula stood, so that the ending in `` `node`s `` is no word of its own.
const CODE: u8 = b'`';

/// Keys of a lesson's front matter whose values are read by people.
const READ_KEYS: [&str; 3] = ["title: ", "part: ", "outcome: "];

/// The tables of this file list what people may say, in every spelling.
const SAID: &str = "docs/describe.md";

/// A word and the line it stands in, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Word<'a> {
    pub(crate) line: usize,
    pub(crate) text: &'a str,
}

/// The text of a file with all but its sentences blanked, line by line as in the file; none for a file that has none.
pub(crate) fn prose(source: &Source) -> Option<String> {
    let path = source.path;
    let lesson = path.starts_with("lessons/") && path.matches('/').count() == 2;
    match source.extension() {
        // Generated of the definitions of ops and of Python's docstrings.
        "md" if path.starts_with("lessons/reference/") => None,
        "md" if path == SAID => Some(markdown(&without_tables(source.text))),
        "md" if lesson => Some(markdown(&without_directives(source.text))),
        "md" => Some(markdown(source.text)),
        "svelte" => Some(markup(source.text)),
        _ => None,
    }
}

/// The words of a prose, in order. What has a digit, a path or an address in it is a name, not a word.
pub(crate) fn words(prose: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    for (index, line) in prose.lines().enumerate() {
        for chunk in line.split_whitespace().filter(|chunk| !is_name(chunk)) {
            let mut before = None;
            for text in chunk.split_inclusive(|c: char| !is_of_word(c)) {
                let after = text.chars().next_back().filter(|&c| !is_of_word(c));
                let word = text
                    .trim_end_matches(|c: char| !is_of_word(c))
                    .trim_matches(['\'', '’']);
                let at_code = [before, after].contains(&Some(char::from(CODE)));
                let is_entity = before == Some('&') && after == Some(';');
                if !word.is_empty() && !at_code && !is_entity && !word.chars().any(char::is_numeric)
                {
                    words.push(Word {
                        line: index + 1,
                        text: word,
                    });
                }
                before = after;
            }
        }
    }
    words
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '\'' || c == '’'
}

fn is_name(chunk: &str) -> bool {
    let inner = chunk.trim_end_matches(|c: char| !c.is_alphanumeric());
    let dotted = inner.match_indices('.').any(|(at, _)| {
        inner[at + 1..].starts_with(|c: char| c.is_alphanumeric()) || inner[at..].starts_with("./")
    });
    dotted || inner.contains(['_', '\\', '@']) || chunk.contains("://")
}

/// Blanks a lesson's lines for the parser and what its front matter says to programs.
fn without_directives(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut in_front_matter = false;
    let mut in_header = false;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let bare = line.trim_end();
        let fence = bare == "---" && (index == 0 || in_front_matter);
        let key = bare
            .split_once(':')
            .is_some_and(|(key, _)| !key.is_empty() && key.bytes().all(|b| b.is_ascii_lowercase()));
        if fence {
            in_front_matter = index == 0;
        }
        let read = READ_KEYS.iter().find(|key| line.starts_with(**key));
        let shown = if in_front_matter {
            read.map_or(line.len(), |key| key.len())
        } else if fence || bare.starts_with(":::") || in_header && key {
            line.len()
        } else {
            0
        };
        in_header = !in_front_matter && (bare.starts_with(":::") || in_header && key);
        let blanks = blank(&line[..shown]);
        match read {
            // A value far to the right would be code; a heading may stand anywhere in its line.
            Some(_) if in_front_matter => kept.push_str(&blanks.replacen(' ', "#", 1)),
            _ => kept.push_str(&blanks),
        }
        kept.push_str(&line[shown..]);
    }
    kept
}

fn without_tables(text: &str) -> String {
    let lines = text
        .split_inclusive('\n')
        .map(|line| match line.starts_with('|') {
            true => blank(line),
            false => line.to_owned(),
        });
    lines.collect()
}

/// As many blanks, in the same lines.
fn blank(text: &str) -> String {
    let blanks = text.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' });
    blanks.collect()
}

fn markdown(text: &str) -> String {
    let mut out = blank(text).into_bytes();
    let options = Options::ENABLE_MATH | Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut in_code = false;
    let mut links = Vec::new();
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            // What a link to another's page says is most often the title that it has there.
            Event::Start(Tag::Link { dest_url, .. }) => links.push(dest_url.starts_with("http")),
            Event::End(TagEnd::Link) => {
                links.pop();
            }
            Event::Text(_) if !in_code && !links.contains(&true) => {
                out[range.clone()].copy_from_slice(&text.as_bytes()[range]);
            }
            Event::Code(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {
                for byte in out[range].iter_mut().filter(|byte| **byte != b'\n') {
                    *byte = CODE;
                }
            }
            _ => {}
        }
    }
    String::from_utf8(out).unwrap_or_default()
}

/// Attributes whose values are read, by people or out to them.
const READ_ATTRIBUTES: [&str; 4] = [" title=\"", " aria-label=\"", " placeholder=\"", " alt=\""];

/// Elements whose content is no prose.
const MUTE: [&str; 5] = ["script", "style", "code", "pre", "kbd"];

/// The text of a component, and the attributes that are read. What stands in braces is code.
fn markup(text: &str) -> String {
    let mut out = blank(text).into_bytes();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        if rest.starts_with("<!--") {
            at += rest.find("-->").map_or(rest.len(), |end| end + 3);
        } else if rest.starts_with('<') {
            let end = at + tag_length(rest);
            for attribute in READ_ATTRIBUTES {
                if let Some(found) = text[at..end].find(attribute) {
                    let from = at + found + attribute.len();
                    let to = text[from..end]
                        .find('"')
                        .map_or(end, |length| from + length);
                    copy_text(&mut out, text, from, to);
                }
            }
            let mute = MUTE.iter().find(|name| {
                let after = rest[1..].strip_prefix(**name);
                after.is_some_and(|after| {
                    !after.starts_with(|c: char| c.is_alphanumeric() || c == '-')
                })
            });
            at = end;
            if let Some(name) = mute.filter(|_| !text[..end].ends_with("/>")) {
                let close = text[at..].find(&format!("</{name}"));
                at = close.map_or(text.len(), |close| at + close);
            }
        } else if rest.starts_with('{') {
            let end = at + braces_length(rest);
            out[at] = CODE;
            out[end - 1] = CODE;
            at = end;
        } else {
            let end = rest.find(['<', '{']).unwrap_or(rest.len());
            out[at..at + end].copy_from_slice(&bytes[at..at + end]);
            at += end;
        }
    }
    String::from_utf8(out).unwrap_or_default()
}

/// Copies an attribute's value but for its braces.
fn copy_text(out: &mut [u8], text: &str, from: usize, to: usize) {
    let mut at = from;
    while at < to {
        if text[at..].starts_with('{') {
            let end = (at + braces_length(&text[at..])).min(to);
            out[at] = CODE;
            out[end - 1] = CODE;
            at = end;
        } else {
            let end = text[at..to].find('{').map_or(to, |length| at + length);
            out[at..end].copy_from_slice(&text.as_bytes()[at..end]);
            at = end;
        }
    }
}

/// How long the tag is that a text begins with; an arrow in an attribute's braces does not end it.
fn tag_length(text: &str) -> usize {
    let mut at = 1;
    let mut quoted = false;
    while at < text.len() {
        match text.as_bytes()[at] {
            b'{' => at += braces_length(&text[at..]),
            b'"' => {
                quoted = !quoted;
                at += 1;
            }
            b'>' if !quoted => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// How long the expression in braces is that a text begins with. A brace in a string ends it too early or too late; what
/// is then read wrongly is code in the page, which a person sees.
fn braces_length(text: &str) -> usize {
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return at + 1,
            b'}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// For tests: the line of each finding, and the word that it begins with.
#[cfg(test)]
pub(super) fn lines_and_words(findings: Vec<super::Finding>) -> Vec<String> {
    let told = findings.iter().map(|finding| {
        let word = finding.message.split('`').nth(1).unwrap_or("");
        format!("{}: {word}", finding.line)
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words with their lines, as `1 word`.
    fn read(path: &str, text: &str) -> Vec<String> {
        let prose = prose(&Source { path, text }).expect("it has prose");
        let words = words(&prose).into_iter();
        words
            .map(|word| format!("{} {}", word.line, word.text))
            .collect()
    }

    #[test]
    fn code_formulas_and_addresses_are_no_words() {
        let text = "# One `two`\n\nThree $four$ [five](#/six) [six](https://six.org) `seven`s, <https://eight.org>\n\n\
                    ```python\nnine\n```\n| ten | `eleven` |\n| --- | --- |\n| don't | torch.nn a_b int8 |\n";
        assert_eq!(
            read("docs/a.md", text),
            ["1 One", "3 Three", "3 five", "8 ten", "10 don't"]
        );
    }

    #[test]
    fn of_a_lesson_what_the_parser_takes_is_left_out() {
        let text = "---\ntitle: One\npart: Two\nminutes: 3\noutcome: Four.\nstage: five of cell-1\n---\n\n\
                    :::predict number six\nof: seven\nvalue: eight\n\nNine: ten?\n:::\n";
        assert_eq!(
            read("lessons/01-x/lesson.md", text),
            ["2 One", "3 Two", "5 Four", "13 Nine", "13 ten"]
        );
    }

    #[test]
    fn of_a_component_its_text_is_read() {
        let text = "<!-- zero -->\n<script>let one;</script>\n<p class=\"two\" onclick={() => three}>\nFour {five} six\n\
                    <b title=\"Seven {eight}\">{nine}s</b> <code>ten</code>\n";
        assert_eq!(
            read("www/src/A.svelte", text),
            ["4 Four", "4 six", "5 Seven"]
        );
    }
}
