//! The text of an expression becomes its tree: Python's precedence, for the constructs of [`Expr`] alone.

use super::Fault;
use super::tree::{Comparison, Expr, Operator};

/// The longest text of an expression, in bytes.
const LONGEST: usize = 2_000;
/// How deep expressions may stand in each other.
const DEEPEST: usize = 100;

const NO_SUCH: &str =
    "an expression here has numbers, texts, lists, arithmetic and conditions alone";

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Int(i64),
    Float(f64),
    Text(String),
    /// A name or a word of the language.
    Word(String),
    Sign(&'static str),
}

/// Longer signs stand before those that they begin with.
const SIGNS: [&str; 24] = [
    "**", "//", "==", "!=", "<=", ">=", "+", "-", "*", "/", "%", "<", ">", "(", ")", "[", "]", ",",
    ":", "=", ".", "@", "{", "}",
];

impl Expr {
    /// The tree of a text.
    ///
    /// ```
    /// use glowgrad_architecture::expression::{Expr, Operator};
    ///
    /// let one = |n| Box::new(Expr::Int(n));
    /// assert_eq!(Expr::parse("2 + 3")?, Expr::Binary(one(2), Operator::Add, one(3)));
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    /// For a text that is no expression of these.
    pub fn parse(text: &str) -> Result<Expr, Fault> {
        if text.len() > LONGEST {
            return Err("the expression is too long".to_owned());
        }
        let tokens = tokens(text).map_err(|fault| format!("{text:?} is no expression: {fault}"))?;
        let mut parser = Parser {
            tokens,
            at: 0,
            depth: 0,
        };
        let parsed =
            parser
                .list_without_brackets()
                .and_then(|expr| match parser.tokens.get(parser.at) {
                    None => Ok(expr),
                    Some(Token::Sign("." | "@" | "{" | "=")) => Err(NO_SUCH.to_owned()),
                    Some(Token::Word(word)) if word == "for" => Err(NO_SUCH.to_owned()),
                    Some(_) => Err("it goes on after its end".to_owned()),
                });
        parsed.map_err(|fault| format!("{text:?} is no expression: {fault}"))
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, Fault> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() {
            rest = rest.trim_start();
        } else if first == '#' {
            rest = rest.split_once('\n').map_or("", |(_, after)| after);
        } else if first.is_ascii_digit() || first == '.' && digits(&rest[1..]) > 0 {
            let (token, length) = number(rest)?;
            found.push(token);
            rest = &rest[length..];
        } else if first.is_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
            found.push(Token::Word(word.to_owned()));
            rest = after;
        } else if first == '"' || first == '\'' {
            let (token, after) = quoted(&rest[1..], first)?;
            found.push(token);
            rest = after;
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
            let sign = sign.ok_or_else(|| format!("{first:?} has no meaning here"))?;
            found.push(Token::Sign(sign));
            rest = &rest[sign.len()..];
        }
    }
    Ok(found)
}

/// How many bytes of digits a text begins with.
fn digits(text: &str) -> usize {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '_');
    end.unwrap_or(text.len())
}

/// A number, and its length.
fn number(text: &str) -> Result<(Token, usize), Fault> {
    let mut length = digits(text);
    let mut is_whole = true;
    if text[length..].starts_with('.') {
        is_whole = false;
        length += 1 + digits(&text[length + 1..]);
    }
    let after = &text[length..];
    if after.starts_with(['e', 'E']) {
        let sign = usize::from(after[1..].starts_with(['+', '-']));
        let power = digits(&after[1 + sign..]);
        if power > 0 {
            is_whole = false;
            length += 1 + sign + power;
        }
    }
    let written = text[..length].replace('_', "");
    let wrong = || format!("{written} is no number of Python");
    if text[length..].starts_with(|c: char| c.is_alphanumeric() || c == '_') {
        return Err(wrong());
    }
    let token = match is_whole {
        true => Token::Int(written.parse().map_err(|_| "a number is too large")?),
        false => Token::Float(written.parse().map_err(|_| wrong())?),
    };
    Ok((token, length))
}

/// A text up to its closing quote, and what comes after it.
fn quoted(text: &str, quote: char) -> Result<(Token, &str), Fault> {
    let mut value = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            _ if letter == quote => return Ok((Token::Text(value), &text[at + 1..])),
            '\\' => match letters.next() {
                Some((_, escaped @ ('\\' | '\'' | '"'))) => value.push(escaped),
                Some((_, 'n')) => value.push('\n'),
                Some((_, 't')) => value.push('\t'),
                _ => return Err("a text has an escape that is not read here".to_owned()),
            },
            '\n' => break,
            letter => value.push(letter),
        }
    }
    Err("a text has no closing quote".to_owned())
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn takes(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.tokens.get(self.at), Some(Token::Sign(next)) if *next == sign);
        self.at += usize::from(is_next);
        is_next
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let is_next = matches!(self.tokens.get(self.at), Some(Token::Word(next)) if next == word);
        self.at += usize::from(is_next);
        is_next
    }

    fn expects(&mut self, sign: &str) -> Result<(), Fault> {
        match self.takes(sign) {
            true => Ok(()),
            false => Err(match self.tokens.get(self.at) {
                Some(Token::Sign("=" | "." | "@" | "{")) => NO_SUCH.to_owned(),
                Some(Token::Word(word)) if word == "for" => NO_SUCH.to_owned(),
                _ => format!("{sign} is missing"),
            }),
        }
    }

    /// `a`, or the tuple `a, b`.
    fn list_without_brackets(&mut self) -> Result<Expr, Fault> {
        let first = self.starred()?;
        if !self.takes(",") {
            return match first {
                Expr::Starred(_) => Err("a star stands before no list".to_owned()),
                single => Ok(single),
            };
        }
        let mut items = vec![first];
        while self.at < self.tokens.len() {
            items.push(self.starred()?);
            if !self.takes(",") {
                break;
            }
        }
        Ok(Expr::Tuple(items))
    }

    fn starred(&mut self) -> Result<Expr, Fault> {
        match self.takes("*") {
            true => Ok(Expr::Starred(Box::new(self.choice()?))),
            false => self.choice(),
        }
    }

    /// Items up to a closing bracket; whether a comma stood among them.
    fn items(&mut self, close: &str) -> Result<(Vec<Expr>, bool), Fault> {
        let (mut items, mut has_comma) = (Vec::new(), false);
        while !self.takes(close) {
            items.push(self.starred()?);
            if self.takes(",") {
                has_comma = true;
            } else {
                self.expects(close)?;
                break;
            }
        }
        Ok((items, has_comma))
    }

    fn choice(&mut self) -> Result<Expr, Fault> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("it is nested too deep".to_owned());
        }
        let body = self.either()?;
        let made = if self.takes_word("if") {
            let test = self.either()?;
            if !self.takes_word("else") {
                return Err("else is missing".to_owned());
            }
            Expr::If {
                test: Box::new(test),
                body: Box::new(body),
                otherwise: Box::new(self.choice()?),
            }
        } else {
            body
        };
        self.depth -= 1;
        Ok(made)
    }

    fn either(&mut self) -> Result<Expr, Fault> {
        let mut left = self.both()?;
        while self.takes_word("or") {
            left = Expr::Or(Box::new(left), Box::new(self.both()?));
        }
        Ok(left)
    }

    fn both(&mut self) -> Result<Expr, Fault> {
        let mut left = self.negation()?;
        while self.takes_word("and") {
            left = Expr::And(Box::new(left), Box::new(self.negation()?));
        }
        Ok(left)
    }

    fn negation(&mut self) -> Result<Expr, Fault> {
        let mut count = 0;
        while self.takes_word("not") {
            count += 1;
        }
        if count > DEEPEST {
            return Err("it is nested too deep".to_owned());
        }
        let value = self.comparison()?;
        Ok((0..count).fold(value, |value, _| Expr::Not(Box::new(value))))
    }

    fn comparison(&mut self) -> Result<Expr, Fault> {
        let left = self.sum()?;
        let mut others = Vec::new();
        while let Some(op) = self.comparison_sign()? {
            others.push((op, self.sum()?));
        }
        Ok(match others.is_empty() {
            true => left,
            false => Expr::Compare(Box::new(left), others),
        })
    }

    fn comparison_sign(&mut self) -> Result<Option<Comparison>, Fault> {
        for (sign, op) in [
            ("==", Comparison::Eq),
            ("!=", Comparison::NotEq),
            ("<=", Comparison::LtE),
            (">=", Comparison::GtE),
            ("<", Comparison::Lt),
            (">", Comparison::Gt),
        ] {
            if self.takes(sign) {
                return Ok(Some(op));
            }
        }
        if self.takes_word("is") {
            return Ok(Some(match self.takes_word("not") {
                true => Comparison::IsNot,
                false => Comparison::Is,
            }));
        }
        if self.takes_word("in") {
            return Ok(Some(Comparison::In));
        }
        if self.takes_word("not") {
            return match self.takes_word("in") {
                true => Ok(Some(Comparison::NotIn)),
                false => Err("in is missing".to_owned()),
            };
        }
        Ok(None)
    }

    fn sum(&mut self) -> Result<Expr, Fault> {
        let mut left = self.product()?;
        loop {
            let op = match () {
                () if self.takes("+") => Operator::Add,
                () if self.takes("-") => Operator::Sub,
                () => return Ok(left),
            };
            left = Expr::Binary(Box::new(left), op, Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Result<Expr, Fault> {
        let mut left = self.signed()?;
        loop {
            let op = match () {
                () if self.takes("*") => Operator::Mul,
                () if self.takes("//") => Operator::FloorDiv,
                () if self.takes("/") => Operator::Div,
                () if self.takes("%") => Operator::Mod,
                () => return Ok(left),
            };
            left = Expr::Binary(Box::new(left), op, Box::new(self.signed()?));
        }
    }

    fn signed(&mut self) -> Result<Expr, Fault> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("it is nested too deep".to_owned());
        }
        let made = match () {
            () if self.takes("-") => Expr::Minus(Box::new(self.signed()?)),
            () if self.takes("+") => Expr::Plus(Box::new(self.signed()?)),
            () => {
                let base = self.item()?;
                match self.takes("**") {
                    true => Expr::Binary(Box::new(base), Operator::Pow, Box::new(self.signed()?)),
                    false => base,
                }
            }
        };
        self.depth -= 1;
        Ok(made)
    }

    fn item(&mut self) -> Result<Expr, Fault> {
        let mut value = self.atom()?;
        loop {
            if self.takes("[") {
                value = self.subscript(value)?;
            } else if self.takes("(") {
                let Expr::Name(name) = value else {
                    return Err("only functions by name are called here".to_owned());
                };
                value = Expr::Call(name, self.items(")")?.0);
            } else {
                return Ok(value);
            }
        }
    }

    fn subscript(&mut self, value: Expr) -> Result<Expr, Fault> {
        let value = Box::new(value);
        let from = match self.takes(":") {
            true => None,
            false => {
                let index = Box::new(self.choice()?);
                if self.takes("]") {
                    return Ok(Expr::Item(value, index));
                }
                self.expects(":")?;
                Some(index)
            }
        };
        let to = match self.takes("]") {
            true => return Ok(Expr::Slice(value, from, None)),
            false => Box::new(self.choice()?),
        };
        self.expects("]")?;
        Ok(Expr::Slice(value, from, Some(to)))
    }

    fn atom(&mut self) -> Result<Expr, Fault> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        Ok(match token.ok_or("it ends too early")? {
            Token::Int(n) => Expr::Int(n),
            Token::Float(x) => Expr::Float(x),
            Token::Text(text) => Expr::Text(text),
            Token::Word(word) => match word.as_str() {
                "None" => Expr::None,
                "True" => Expr::Bool(true),
                "False" => Expr::Bool(false),
                "and" | "or" | "not" | "if" | "else" | "is" | "in" | "lambda" | "for" | "await"
                | "yield" => return Err(NO_SUCH.to_owned()),
                _ => Expr::Name(word),
            },
            Token::Sign("[") => Expr::List(self.items("]")?.0),
            Token::Sign("(") => {
                let (mut items, has_comma) = self.items(")")?;
                match items.pop() {
                    Some(Expr::Starred(_)) if !has_comma => {
                        return Err("a star stands before no list".to_owned());
                    }
                    Some(single) if !has_comma => single,
                    last => {
                        items.extend(last);
                        Expr::Tuple(items)
                    }
                }
            }
            Token::Sign("{" | "." | "@" | "=") => return Err(NO_SUCH.to_owned()),
            Token::Sign(sign) => return Err(format!("{sign} stands in the wrong place")),
        })
    }
}
