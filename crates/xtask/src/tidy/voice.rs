//! The voice of the prose: words that say nothing, or tell a learner that something is easy.
//!
//! Only words with few honest uses are here: a rule must not force a worse sentence. What a lesson's text must be beside
//! that is tested in `crates/lesson/tests/it/course.rs`.

use super::prose::{self, Word};
use super::{Finding, Source};

/// What a word does wrong, and the words that do.
const BANNED: [(&str, &[&str]); 5] = [
    (
        "it tells readers that they ought to find it easy: take it out",
        &[
            "simply",
            "just",
            "obviously",
            "of course",
            "easily",
            "trivially",
            "needless to say",
            "clearly",
        ],
    ),
    (
        "it adds no fact: take it out, or say how much",
        &[
            "very",
            "really",
            "basically",
            "actually",
            "essentially",
            "extremely",
            "a lot of",
            "lots of",
            "various",
            "etc",
            "and so forth",
        ],
    ),
    (
        "it names no actor: say which part does it, or turn the sentence",
        &["nobody", "somebody", "someone", "no one"],
    ),
    (
        "it is longer than what it says: write `to`, `because`, `if` or `now`",
        &[
            "in order to",
            "due to the fact",
            "in the event that",
            "at this point in time",
            "it should be noted",
            "it is worth noting",
            "note that",
            "please note",
        ],
    ),
    (
        "it praises: say what the thing does",
        &[
            "powerful",
            "seamless",
            "seamlessly",
            "robust",
            "blazing",
            "blazingly",
            "leverage",
            "cutting-edge",
            "state-of-the-art",
            "game-changing",
            "delve",
        ],
    ),
];

/// The banned words of a file's English prose.
pub(super) fn voice(source: &Source) -> Vec<Finding> {
    if source.path.ends_with(".es.md") {
        return Vec::new();
    }
    let Some(prose) = prose::prose(source) else {
        return Vec::new();
    };
    let words = prose::words(&prose);
    let small: Vec<String> = words.iter().map(|word| word.text.to_lowercase()).collect();
    let mut findings = Vec::new();
    for (at, Word { line, .. }) in words.iter().enumerate() {
        for (why, banned) in BANNED {
            let stands_here = |phrase: &&&str| {
                let mut parts = phrase.split([' ', '-']).enumerate();
                parts.all(|(index, part)| small.get(at + index).is_some_and(|word| word == part))
            };
            if let Some(phrase) = banned.iter().find(stands_here) {
                let message = format!("`{phrase}`: {why}");
                findings.push(Finding {
                    line: *line,
                    message,
                });
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        prose::lines_and_words(voice(&Source { path, text }))
    }

    #[test]
    fn a_banned_word_of_a_lesson_is_found_with_its_line() {
        let text = "---\ntitle: A\n---\n\nThat is the\nwhole rule. Simply add them, of\ncourse. `just(x)` is code, an adjustment no word.\n";
        let expected = ["6: simply", "6: of course"];
        assert_eq!(found("lessons/01-x/lesson.md", text), expected);
        assert_eq!(found("lessons/01-x/lesson.es.md", text), [""; 0]);
        assert_eq!(found("lessons/01-x/start.py", text), [""; 0]);
    }
}
