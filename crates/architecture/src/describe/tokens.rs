//! A request in tokens: words, numbers, products such as 2×128, lists such as 784-256-10, and marks.
//!
//! Letters and digits are split where they meet (`resnet18` is a word and a number); a phrase of the table joins them again
//! by its key, the letters without what stands between them. Byte ranges are those of the text.

/// A piece of the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// What a piece of the text is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// Letters, in lower case and in American spelling.
    Word(String),
    /// A number, with its digits as a key has them.
    Number(Number),
    /// Numbers with × between them.
    Product(Vec<u64>),
    /// Whole numbers with - between them, at least two.
    Chain(Vec<u64>),
    /// A hyphen within a word, which no phrase looks at.
    Hyphen,
    /// `,` `.` `(` and so on; `>` is an arrow, `&` is "and".
    Mark(char),
}

/// A number.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Number {
    pub(super) value: f64,
    /// Whether % follows; the value is then a share already.
    pub(super) is_percent: bool,
    pub(super) digits: String,
}

impl Number {
    /// The value where it is a whole number.
    pub(super) fn whole(&self) -> Option<u64> {
        (self.value.fract() == 0.0 && (0.0..=1e12).contains(&self.value))
            .then_some(self.value as u64)
    }
}

const NUMBER_WORDS: &[(&str, u64)] = &[
    ("zero", 0),
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
    ("dozen", 12),
    ("twenty", 20),
    ("hundred", 100),
];

/// British spellings and short forms, by the letters they begin with or are.
fn american(word: &str) -> String {
    let mut word = word.to_owned();
    for (from, to) in [
        ("normalis", "normaliz"),
        ("regularis", "regulariz"),
        ("optimis", "optimiz"),
        ("colour", "color"),
        ("grey", "gray"),
        ("neurone", "neuron"),
        ("optimizater", "optimizer"),
        ("schedul", "schedul"),
    ] {
        if word.starts_with(from) && from != to {
            word = format!("{to}{}", &word[from.len()..]);
        }
    }
    word
}

/// Splits a text.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let letters: Vec<(usize, char)> = text.char_indices().collect();
    let at = |i: usize| letters.get(i).map_or('\0', |(_, c)| *c);
    let byte = |i: usize| letters.get(i).map_or(text.len(), |(start, _)| *start);
    let mut found: Vec<Token> = Vec::new();
    let mut i = 0;
    while i < letters.len() {
        let start = i;
        let c = at(i);
        let kind = if c.is_ascii_digit() || (c == '.' && at(i + 1).is_ascii_digit()) {
            let (number, next) = number(&at, i);
            i = next;
            Kind::Number(number)
        } else if c.is_alphabetic() || c == '\'' || c == '’' {
            // An apostrophe belongs to its word: "don't", "MNIST's".
            while at(i).is_alphabetic() || matches!(at(i), '\'' | '’') {
                i += 1;
            }
            let mut word: String = letters[start..i]
                .iter()
                .flat_map(|(_, c)| c.to_lowercase())
                .filter(|c| !matches!(c, '\'' | '’'))
                .collect();
            if word == "w" && at(i) == '/' && matches!(at(i + 1), 'o' | 'O') {
                i += 2;
                word.push('o');
            }
            match NUMBER_WORDS.iter().find(|(name, _)| *name == word) {
                Some((_, n)) => Kind::Number(Number {
                    value: *n as f64,
                    is_percent: false,
                    digits: word,
                }),
                None => Kind::Word(american(&word)),
            }
        } else {
            i += 1;
            match c {
                '-' | '–' | '—' | '=' if at(i) == '>' => {
                    i += 1;
                    Kind::Mark('>')
                }
                '→' | '⟶' | '⇒' | '>' => Kind::Mark('>'),
                '-' | '‐' | '‑' | '–' | '_' => Kind::Hyphen,
                '×' | '*' => Kind::Mark('×'),
                '&' | '+' => Kind::Mark('&'),
                '\n' => Kind::Mark(';'),
                c if c.is_whitespace() => continue,
                // Signs of no alphabet, such as emoji, are words that no phrase has.
                c if is_sign(c) => {
                    while is_sign(at(i)) {
                        i += 1;
                    }
                    Kind::Word(letters[start..i].iter().map(|(_, c)| *c).collect())
                }
                c => Kind::Mark(c),
            }
        };
        found.push(Token {
            kind,
            start: byte(start),
            end: byte(i),
        });
    }
    joined(text, found)
}

fn is_sign(c: char) -> bool {
    !c.is_ascii()
        && !c.is_alphabetic()
        && !c.is_whitespace()
        && !"«»„“”‘’…·•°¿¡×→⟶⇒‐‑–—".contains(c)
}

/// Reads a number: `128`, `0.3`, `1e-3`, `5,000`, `10k`, `30 %`.
fn number(at: &dyn Fn(usize) -> char, start: usize) -> (Number, usize) {
    let mut digits = String::new();
    let mut i = start;
    let take = |i: &mut usize, digits: &mut String| {
        while at(*i).is_ascii_digit() {
            digits.push(at(*i));
            *i += 1;
        }
    };
    take(&mut i, &mut digits);
    // A comma with three zeros after it parts thousands.
    while at(i) == ','
        && (1..=3).all(|k| at(i + k) == '0')
        && !at(i + 4).is_ascii_digit()
        && digits.len() <= 3
        && digits.as_str() != "0"
    {
        digits.push_str("000");
        i += 4;
    }
    if at(i) == '.' && at(i + 1).is_ascii_digit() {
        digits.push('.');
        i += 1;
        take(&mut i, &mut digits);
    }
    let signed = usize::from(matches!(at(i + 1), '-' | '+'));
    if matches!(at(i), 'e' | 'E') && at(i + 1 + signed).is_ascii_digit() {
        digits.push('e');
        if at(i + 1) == '-' {
            digits.push('-');
        }
        i += 1 + signed;
        take(&mut i, &mut digits);
    }
    let mut value: f64 = digits.parse().unwrap_or(f64::INFINITY);
    if matches!(at(i), 'k' | 'K') && !at(i + 1).is_alphanumeric() {
        value *= 1000.0;
        i += 1;
    }
    let mut next = i;
    while at(next) == ' ' {
        next += 1;
    }
    let is_percent = at(next) == '%';
    if is_percent {
        value /= 100.0;
        i = next + 1;
    }
    if !value.is_finite() {
        value = 1e300;
    }
    (
        Number {
            value,
            is_percent,
            digits,
        },
        i,
    )
}

/// Numbers with ×, x or "by" between them as products; several with - as chains; "a dozen" as one number.
fn joined(text: &str, tokens: Vec<Token>) -> Vec<Token> {
    let whole = |token: Option<&Token>| match token.map(|token| &token.kind) {
        Some(Kind::Number(number)) if !number.is_percent => number.whole(),
        _ => None,
    };
    let is_times = |token: Option<&Token>| match token.map(|token| &token.kind) {
        Some(Kind::Word(word)) => matches!(word.as_str(), "x" | "by"),
        Some(Kind::Mark('×')) => true,
        _ => false,
    };
    // A hyphen counts only where it touches both numbers, an arrow in any case.
    let is_dash = |at: usize| match tokens.get(at) {
        Some(token) if token.kind == Kind::Mark('>') => true,
        Some(token) if token.kind == Kind::Hyphen => {
            let touches = |one: Option<&Token>, other: Option<&Token>| matches!((one, other), (Some(one), Some(other)) if one.end == other.start);
            touches(tokens.get(at.wrapping_sub(1)), Some(token))
                && touches(Some(token), tokens.get(at + 1))
        }
        _ => false,
    };
    let mut found = Vec::with_capacity(tokens.len());
    let mut i = 0;
    while i < tokens.len() {
        // "50 percent" is 50 %.
        if let (Kind::Number(number), Some(Kind::Word(word))) =
            (&tokens[i].kind, tokens.get(i + 1).map(|token| &token.kind))
            && word == "percent"
            && !number.is_percent
        {
            found.push(Token {
                kind: Kind::Number(Number {
                    value: number.value / 100.0,
                    is_percent: true,
                    digits: number.digits.clone(),
                }),
                start: tokens[i].start,
                end: tokens[i + 1].end,
            });
            i += 2;
            continue;
        }
        let Some(first) = whole(tokens.get(i)) else {
            found.push(tokens[i].clone());
            i += 1;
            continue;
        };
        let mut all = vec![first];
        let mut end = i;
        while is_times(tokens.get(end + 1))
            && let Some(n) = whole(tokens.get(end + 2))
        {
            all.push(n);
            end += 2;
        }
        let is_product = all.len() > 1;
        if !is_product {
            while is_dash(end + 1)
                && let Some(n) = whole(tokens.get(end + 2))
            {
                all.push(n);
                end += 2;
            }
        }
        let kind = match all.len() {
            _ if is_product => Kind::Product(all),
            1 => {
                end = i;
                tokens[i].kind.clone()
            }
            // Two numbers are a network only where the first is no count: 784-10, but not 2-3.
            2 if all[0] < 16 => {
                end = i;
                tokens[i].kind.clone()
            }
            _ => Kind::Chain(all),
        };
        found.push(Token {
            kind,
            start: tokens[i].start,
            end: tokens[end].end,
        });
        i = end + 1;
    }
    debug_assert!(found.iter().all(|token| token.end <= text.len()));
    found
}

/// The letters and digits of a token in a key; none of a mark.
pub(super) fn key(token: &Token) -> Option<&str> {
    match &token.kind {
        Kind::Word(word) => Some(word),
        Kind::Number(number) => Some(&number.digits),
        _ => None,
    }
}
