//! A request in items: the longest phrases of the table, numbers, and words that are not known.
//!
//! A word of five letters and more that is not known, with one letter otherwise than a known one (two from eight letters on),
//! is read as that one; it is told. What a word such as "without" takes out is marked here.

use std::collections::HashSet;
use std::sync::OnceLock;

use super::slots::Slot;
use super::tokens::{Kind, Number, Token, key, tokens};
use super::words::{FILLERS, Meaning, key_of, meanings, vocabulary};

/// The most tokens of a phrase.
const LONGEST_PHRASE: usize = 7;

/// A part of a request.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) what: What,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether "without" or its like takes it out; then it begins there.
    pub(super) is_negated: bool,
    /// Whether something took it already.
    pub(super) is_used: bool,
}

/// What a part of a request is.
#[derive(Debug, Clone)]
pub(super) enum What {
    Phrase(Meaning),
    Number(Number),
    Product(Vec<u64>),
    Chain(Vec<u64>),
    Mark(char),
    Unknown(String),
}

impl Item {
    /// The phrase's meaning.
    pub(super) fn meaning(&self) -> Option<Meaning> {
        match &self.what {
            What::Phrase(meaning) => Some(*meaning),
            _ => None,
        }
    }

    /// The number.
    pub(super) fn number(&self) -> Option<&Number> {
        match &self.what {
            What::Number(number) => Some(number),
            _ => None,
        }
    }

    /// Whether it means nothing.
    pub(super) fn is_filler(&self) -> bool {
        matches!(self.what, What::Phrase(Meaning::Filler))
    }
}

/// A word that was read as another one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Corrected {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) word: String,
}

/// All words that phrases have.
fn known() -> &'static HashSet<String> {
    static KNOWN: OnceLock<HashSet<String>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        (meanings().keys().cloned())
            .chain(vocabulary().iter().cloned())
            .chain(FILLERS.split_whitespace().map(key_of))
            // "MobileNetV2" begins with a word that stands before a digit.
            .chain(
                meanings()
                    .keys()
                    .map(|key| key.chars().take_while(|c| c.is_alphabetic()).collect()),
            )
            .collect()
    })
}

fn is_known(word: &str) -> bool {
    known().contains(word)
        || word
            .strip_suffix('s')
            .is_some_and(|word| known().contains(word))
}

/// How many letters are changed, added, taken out or exchanged with the next; `most + 1` where there are more.
pub(super) fn distance(a: &[char], b: &[char], most: usize) -> usize {
    if a.len().abs_diff(b.len()) > most {
        return most + 1;
    }
    let mut rows = [
        vec![0; b.len() + 1],
        (0..=b.len()).collect::<Vec<usize>>(),
        vec![0; b.len() + 1],
    ];
    for i in 1..=a.len() {
        let [before, last, next] = &mut rows;
        next[0] = i;
        for j in 1..=b.len() {
            let change = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            next[j] = change.min(last[j] + 1).min(next[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                next[j] = next[j].min(before[j - 2] + 1);
            }
        }
        rows.rotate_left(1);
    }
    rows[1][b.len()]
}

/// The known word that a word is a slip of.
fn slip(word: &str) -> Option<&'static str> {
    let letters: Vec<char> = word.chars().collect();
    let most = match letters.len() {
        0..=3 => return None,
        4..=7 => 1,
        _ => 2,
    };
    let mut best: Option<(usize, &'static str)> = None;
    for candidate in known() {
        if candidate.len() < 4 || candidate.chars().next() != letters.first().copied() {
            continue;
        }
        let other: Vec<char> = candidate.chars().collect();
        let found = distance(&letters, &other, most);
        if found > most {
            continue;
        }
        // Of four letters only an exchange counts: LTSM. So it does for words that mean nothing: "users" is not "uses".
        let is_filler = matches!(meanings().get(candidate), Some(Meaning::Filler));
        if letters.len() == 4 || is_filler {
            let sorted = |letters: &[char]| {
                let mut letters = letters.to_vec();
                letters.sort_unstable();
                letters
            };
            if sorted(&letters) != sorted(&other) {
                continue;
            }
        }
        // Of two that are as near the longer one: "clases" is "classes", not "class".
        let rank = |found: usize, name: &'static str| (found, usize::MAX - name.len(), name);
        if best.is_none_or(|(least, name)| rank(found, candidate) < rank(least, name)) {
            best = Some((found, candidate));
        }
    }
    best.map(|(_, name)| name)
}

/// The nearest known word, for a suggestion.
pub(super) fn nearest(word: &str) -> Option<&'static str> {
    let letters: Vec<char> = word.chars().take(24).collect();
    let most = 1 + letters.len() / 4;
    (vocabulary().iter())
        .filter(|other| other.chars().next() == letters.first().copied())
        .map(|other| {
            let other_letters: Vec<char> = other.chars().collect();
            (
                distance(&letters, &other_letters, most),
                other.len(),
                other.as_str(),
            )
        })
        .filter(|(found, ..)| *found <= most)
        .min()
        .map(|(_, _, name)| name)
}

/// Reads a text in items.
pub(super) fn items(text: &str) -> (Vec<Item>, Vec<Corrected>) {
    let mut tokens = tokens(text);
    let mut slips: Vec<Corrected> = Vec::new();
    for token in &mut tokens {
        if let Kind::Word(word) = &mut token.kind
            && !is_known(word)
            && let Some(other) = slip(word)
        {
            slips.push(Corrected {
                start: token.start,
                end: token.end,
                word: other.to_owned(),
            });
            other.clone_into(word);
        }
    }
    let mut found: Vec<Item> = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        let token = &tokens[i];
        let (what, next) = match phrase(&tokens, i) {
            Some((meaning, next)) => (What::Phrase(meaning), next),
            None => (
                match &token.kind {
                    Kind::Number(number) => What::Number(number.clone()),
                    Kind::Product(all) => What::Product(all.clone()),
                    Kind::Chain(all) => What::Chain(all.clone()),
                    Kind::Mark(mark) => What::Mark(*mark),
                    Kind::Hyphen => {
                        i += 1;
                        continue;
                    }
                    Kind::Word(_) => What::Unknown(text[token.start..token.end].to_owned()),
                },
                i + 1,
            ),
        };
        found.push(Item {
            what,
            start: token.start,
            end: tokens[next - 1].end,
            is_negated: false,
            is_used: false,
        });
        i = next;
    }
    slips.retain(|slip| {
        found.iter().any(|item| {
            item.start <= slip.start
                && slip.end <= item.end
                && matches!(item.what, What::Phrase(_))
                && !item.is_filler()
        })
    });
    negate(text, &mut found);
    (found, slips)
}

/// The longest phrase at a token, and where the text goes on.
fn phrase(tokens: &[Token], at: usize) -> Option<(Meaning, usize)> {
    let mut joined = String::new();
    let mut best = None;
    let mut count = 0;
    for (i, token) in tokens.iter().enumerate().skip(at) {
        if token.kind == Kind::Hyphen && i > at {
            continue;
        }
        let part = match (&token.kind, key(token)) {
            (_, Some(part)) => part,
            // "&" and "+" are words of their own.
            (Kind::Mark('&'), None) if i == at => {
                return Some((Meaning::And, i + 1));
            }
            (Kind::Mark('>'), None) if i == at => {
                return Some((Meaning::Then, i + 1));
            }
            _ => break,
        };
        count += 1;
        if count > LONGEST_PHRASE {
            break;
        }
        joined.push_str(part);
        let found = meanings().get(&joined).or_else(|| {
            let singular = joined.strip_suffix('s').filter(|one| one.len() > 2)?;
            meanings().get(singular)
        });
        if let Some(meaning) = found {
            best = Some((*meaning, i + 1));
        }
    }
    best
}

/// Marks what words such as "without" take out: the next phrase, and after "or" and "and" others that can be taken out.
fn negate(text: &str, items: &mut [Item]) {
    let mut from: Option<usize> = None;
    let mut has_one = false;
    let mut is_joined = false;
    for item in items {
        match &item.what {
            What::Phrase(Meaning::Not) => {
                from = Some(item.start);
                has_one = false;
                is_joined = true;
            }
            What::Phrase(Meaning::Filler) => {
                // "without dropout and with batch norm": here it ends.
                let word = text[item.start..item.end].to_lowercase();
                if has_one
                    && matches!(
                        word.as_str(),
                        "with" | "using" | "uses" | "use" | "has" | "but"
                    )
                {
                    from = None;
                }
            }
            What::Phrase(Meaning::And) => is_joined = true,
            What::Phrase(Meaning::Then) if !has_one => {}
            What::Phrase(meaning)
                if from.is_some() && is_joined && (!has_one || can_be_joined(meaning)) =>
            {
                item.is_negated = true;
                if let (Some(start), false) = (from, has_one) {
                    item.start = start;
                }
                has_one = true;
                is_joined = false;
            }
            _ => from = None,
        }
    }
}

/// Whether "without a or b" goes on with it.
fn can_be_joined(meaning: &Meaning) -> bool {
    match meaning {
        Meaning::Is(slot, _) => matches!(slot, Slot::Norm | Slot::Pool | Slot::Schedule),
        Meaning::Says(all) => all.iter().all(|(slot, _)| {
            matches!(
                slot,
                Slot::Residual | Slot::Bidirectional | Slot::Bias | Slot::Attention | Slot::Global
            )
        }),
        Meaning::Unit(unit) => matches!(unit.slot(), Slot::Dropout | Slot::Padding | Slot::Decay),
        Meaning::Layer(name) => name.contains("Norm") || name.contains("Pool"),
        _ => false,
    }
}
