//! Lesson files: any text is a lesson or an error that names a line of its file.
//!
//! What holds of a lesson that parses: its JSON can be read back, and its HTML has the tags and attributes
//! that the format makes and no others, so that no lesson runs code in the learner's page.

use glowgrad_lesson::{Block, Files, Lesson, Prediction, Rich, parse_lesson};

/// A line of the input that begins a further file, `=== exercises/add/start.py`.
const NEXT_FILE: &str = "=== ";
const FOLDER: &str = "01-fuzz";

/// The HTML's tags, and the attributes that each may have.
const TAGS: &[(&str, &[&str])] = &[
    ("a", &["href", "title"]),
    ("code", &["class"]),
    ("div", &["class", "data-tex"]),
    ("ol", &["start"]),
    ("span", &["class", "data-tex"]),
    ("td", &["style"]),
    ("th", &["style"]),
];
const PLAIN_TAGS: &[&str] = &[
    "blockquote",
    "br",
    "del",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "li",
    "p",
    "pre",
    "strong",
    "table",
    "tbody",
    "thead",
    "tr",
    "ul",
];

/// Parses the files in `data`.
pub fn hold(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let files = files(&text);
    match parse_lesson(FOLDER, &files) {
        Ok(lesson) => hold_lesson(&lesson, text.len()),
        Err(error) => {
            assert!(
                !error.found.is_empty() && !error.expected.is_empty(),
                "{error:?}"
            );
            let n_lines = files.get(&error.file).unwrap_or("").lines().count();
            // What is missing at the end is missing on the line after it.
            assert!(
                error.line <= n_lines + 1,
                "{error:?} in a file of {n_lines} lines"
            );
        }
    }
}

/// The lesson's text, then the files beside it.
fn files(text: &str) -> Files {
    let mut files = vec![(format!("{FOLDER}/lesson.md"), String::new())];
    for line in text.split_inclusive('\n') {
        if let Some(name) = line.strip_prefix(NEXT_FILE) {
            files.push((format!("{FOLDER}/{}", name.trim()), String::new()));
        } else if let Some((_, text)) = files.last_mut() {
            text.push_str(line);
        }
    }
    files.into_iter().collect()
}

fn hold_lesson(lesson: &Lesson, n_bytes: usize) {
    let json = serde_json::to_string(lesson).expect("a lesson has a JSON form");
    let read: serde_json::Value = serde_json::from_str(&json).expect("the JSON can be read");
    assert_eq!(
        read["blocks"].as_array().map(Vec::len),
        Some(lesson.blocks.len())
    );
    assert!(
        json.len() <= 64 * n_bytes + 4096,
        "{n_bytes} bytes became {} of JSON",
        json.len()
    );
    for link in lesson.links() {
        assert!(is_safe(&link.target), "a link to {:?}", link.target);
    }
    lesson.gaps(&[&lesson.slug]);
    for block in &lesson.blocks {
        match block {
            Block::Prose { html } => hold_html(html),
            Block::Predict { html, answer, .. } => {
                hold_html(html);
                if let Prediction::Choice { options } = answer {
                    options.iter().for_each(|option| hold_html(&option.html));
                }
            }
            Block::Exercise { html, hints, .. } => {
                hold_html(html);
                hints.iter().for_each(hold_html);
            }
            Block::Quiz { html, options, .. } => {
                hold_html(html);
                assert!(options.iter().any(|option| option.correct));
                for option in options {
                    hold_html(&option.html);
                    hold_html(&option.explanation);
                }
            }
            Block::Section { .. } | Block::Cell { .. } | Block::Widget { .. } => {}
        }
    }
}

fn is_safe(target: &str) -> bool {
    target.starts_with("https://") || target.starts_with("#/")
}

fn hold_html(rich: &Rich) {
    let html = rich.html();
    rich.events().for_each(drop);
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        rest = tag(rest).unwrap_or_else(|why| panic!("{why} at {rest:?} in {html:?}"));
    }
}

/// Reads one tag, after its `<`; gives what follows it.
fn tag(text: &str) -> Result<&str, String> {
    let closes = text.starts_with('/');
    let text = text.strip_prefix('/').unwrap_or(text);
    let end = text
        .find(|c: char| !c.is_ascii_alphanumeric())
        .ok_or("a tag that does not end")?;
    let (name, mut rest) = text.split_at(end);
    let known = TAGS.iter().find(|(tag, _)| *tag == name);
    if known.is_none() && !PLAIN_TAGS.contains(&name) {
        return Err(format!("a tag {name:?}"));
    }
    let attributes = known
        .filter(|_| !closes)
        .map_or(&[][..], |(_, known)| known);
    loop {
        rest = rest.trim_start_matches(' ');
        if let Some(after) = rest.strip_prefix('>').or_else(|| rest.strip_prefix("/>")) {
            return Ok(after);
        }
        let (attribute, after) = rest
            .split_once("=\"")
            .ok_or("an attribute without a value")?;
        let (value, after) = after.split_once('"').ok_or("a value that does not end")?;
        if !attributes.contains(&attribute) {
            return Err(format!("an attribute {attribute:?}"));
        }
        if attribute == "href" && !is_safe(&value.replace("&amp;", "&")) {
            return Err(format!("a link to {value:?}"));
        }
        rest = after;
    }
}
