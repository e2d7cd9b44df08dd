//! Spelling: every word of the prose is in a dictionary or in our own lists.
//!
//! The dictionaries are Hunspell's, as npm packages; the lists are `crates/xtask/words`. English is British with the
//! endings of Oxford, -ize and -ization, because PyTorch's names end so. Which text is prose is said in `prose`.

use std::collections::{HashMap, HashSet};
use std::fs;

use anyhow::{Context, Result, anyhow};
use spellbook::Dictionary;

use super::prose::{self, Word};
use super::{Finding, Source};
use crate::lab::Lab;

/// Our own words: what the dictionaries lack, for a reason that a comment above them gives.
const ENGLISH_WORDS: &str = "crates/xtask/words/english.txt";
const SPANISH_WORDS: &str = "crates/xtask/words/spanish.txt";

/// The dictionaries and our own words.
pub(crate) struct Speller {
    british: Dictionary,
    american: Dictionary,
    spanish: Dictionary,
    english_words: HashSet<String>,
    spanish_words: HashSet<String>,
}

impl Speller {
    /// Reads them from the npm packages, which must be installed.
    pub(crate) fn read(lab: &Lab) -> Result<Speller> {
        let dictionary = |language: &str| {
            let folder = lab.path(&format!("node_modules/dictionary-{language}"));
            let file = |name: &str| {
                let path = folder.join(name);
                fs::read_to_string(&path)
                    .with_context(|| format!("cannot read {}: run `npm ci`", path.display()))
            };
            Dictionary::new(&file("index.aff")?, &file("index.dic")?)
                .map_err(|error| anyhow!("the dictionary {language} is not as expected: {error}"))
        };
        let list = |path: &str| {
            let text = fs::read_to_string(lab.path(path));
            text.with_context(|| format!("cannot read {path}"))
        };
        Ok(Speller {
            british: dictionary("en-gb")?,
            american: dictionary("en")?,
            spanish: dictionary("es")?,
            english_words: entries(&list(ENGLISH_WORDS)?),
            spanish_words: entries(&list(SPANISH_WORDS)?),
        })
    }

    /// What is misspelled in a file, each word once a line.
    pub(crate) fn findings(&self, source: &Source) -> Vec<Finding> {
        if [ENGLISH_WORDS, SPANISH_WORDS].contains(&source.path) {
            return out_of_order(source);
        }
        let Some(prose) = prose::prose(source) else {
            return Vec::new();
        };
        let is_spanish = source.path.ends_with(".es.md");
        let mut known = HashMap::new();
        let mut findings = Vec::new();
        for Word { line, text } in prose::words(&prose) {
            let wrong = known.entry(text).or_insert_with(|| match is_spanish {
                true => self.wrong_in_spanish(text),
                false => self.wrong_in_english(text),
            });
            if let Some(message) = wrong.clone() {
                let finding = Finding { line, message };
                if !findings.contains(&finding) {
                    findings.push(finding);
                }
            }
        }
        findings
    }

    fn wrong_in_english(&self, word: &str) -> Option<String> {
        let stem = without_possessive(word);
        if is_abbreviation(stem) || is_listed(&self.english_words, stem) {
            return None;
        }
        // Of the American dictionary only words such as `tokenize`, and of the British one none such as `organise`.
        let with_z = stem.replace("is", "iz");
        let american = self.american.check(stem);
        let is_word = self.american.check(&with_z) || is_listed(&self.english_words, &with_z);
        if !american && with_z != stem && is_word {
            return Some(format!("`{word}` is written with z here: {with_z}"));
        }
        if self.british.check(stem) || american && stem.contains("iz") {
            return None;
        }
        Some(match american {
            true => format!("`{word}` is American: write it as in Britain"),
            false => unknown(word, ENGLISH_WORDS),
        })
    }

    fn wrong_in_spanish(&self, word: &str) -> Option<String> {
        let listed = is_listed(&self.spanish_words, word) || is_listed(&self.english_words, word);
        if is_abbreviation(word) || listed || self.spanish.check(word) {
            return None;
        }
        Some(unknown(word, SPANISH_WORDS))
    }
}

fn unknown(word: &str, list: &str) -> String {
    format!("`{word}` is in no dictionary: mend it, mark it as code, or add it to {list}")
}

/// The words of a list: one a line, `#` begins a comment.
fn entries(list: &str) -> HashSet<String> {
    let lines = list
        .lines()
        .map(|line| line.split('#').next().unwrap_or(""));
    let words = lines.map(str::trim).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// A list's entries stand as they are written, small ones at the beginning of a sentence too, and for a plural.
fn is_listed(list: &HashSet<String>, word: &str) -> bool {
    let singular = word.strip_suffix('s').unwrap_or(word);
    let small = |word: &str| {
        let mut chars = word.chars();
        let first = chars.next().map(char::to_lowercase);
        first.into_iter().flatten().chain(chars).collect::<String>()
    };
    [word, singular]
        .iter()
        .any(|form| list.contains(*form) || list.contains(&small(form)))
}

/// `GPU`, `GPUs` and the letters of formulas.
fn is_abbreviation(word: &str) -> bool {
    let letters = word.strip_suffix('s').unwrap_or(word);
    word.chars().nth(1).is_none() || letters.chars().all(char::is_uppercase)
}

fn without_possessive(word: &str) -> &str {
    let stem = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s"));
    stem.unwrap_or(word)
}

/// Each paragraph of a list is sorted, so that two who add a word rarely meet in a line.
fn out_of_order(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut before = "";
    for (line, text) in source.lines() {
        if text.is_empty() || text.starts_with('#') {
            before = "";
            continue;
        }
        if (before.to_lowercase(), before) >= (text.to_lowercase(), text) {
            let message = format!("`{text}` stands after `{before}`: words are sorted, each once");
            findings.push(Finding { line, message });
        }
        before = text;
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dictionary(words: &[&str]) -> Dictionary {
        let list = format!("{}\n{}\n", words.len(), words.join("\n"));
        Dictionary::new("SET UTF-8\n", &list).expect("it is a dictionary")
    }

    fn speller() -> Speller {
        Speller {
            british: dictionary(&["the", "colour", "optimise", "promise", "of", "gradient"]),
            american: dictionary(&["the", "color", "optimize", "promise", "of", "gradient"]),
            spanish: dictionary(&["el", "paso"]),
            english_words: entries("# Ours.\nsoftmax\nPyTorch # a name\n"),
            spanish_words: entries("tensorial\n"),
        }
    }

    fn found(path: &str, text: &str) -> Vec<String> {
        prose::lines_and_words(speller().findings(&Source { path, text }))
    }

    #[test]
    fn a_misspelled_word_of_a_lesson_is_found_with_its_line() {
        let text = "---\ntitle: The colour\nstage: graph of cell-1\n---\n\nThe gradient\nof the gradeint.\n";
        assert_eq!(found("lessons/01-x/lesson.md", text), ["7: gradeint"]);
        assert_eq!(found("crates/x/src/lib.rs", text), [""; 0]);
    }

    #[test]
    fn english_is_british_with_z() {
        let text = "optimize color\n\noptimise colour promise";
        assert_eq!(found("README.md", text), ["1: color", "3: optimise"]);
    }

    #[test]
    fn our_own_words_have_plurals_and_possessives() {
        let text = "PyTorch's Softmax, softmaxs: GPUs, x\n\npytorch";
        assert_eq!(found("docs/a.md", text), ["3: pytorch"]);
    }

    #[test]
    fn a_translation_has_the_dictionary_of_its_language() {
        let text = "El paso tensorial, softmax\n\nthe";
        assert_eq!(found("lessons/01-x/lesson.es.md", text), ["3: the"]);
    }

    #[test]
    fn lists_are_sorted_in_paragraphs() {
        let text = "# Names\nAda\nbob\nBob\n\n# Terms\narc\nant\n";
        assert_eq!(found(ENGLISH_WORDS, text), ["4: Bob", "8: ant"]);
    }
}
