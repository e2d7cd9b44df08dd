//! Refuses source whose syntax tree would be too deep for a small stack, before it is parsed.
//!
//! Parser, tree and compiler recurse. What they recurse on is counted here in the tokens of the parser's own
//! lexer, so that strings, f-strings, comments and line ends are what the parser takes them for. Invariant: a
//! bracket counts until its own closes it, so that text that is no Python counts too. Limits are CPython's
//! where it has them.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{Mode, lexer};

/// Brackets within brackets, as in CPython; an f-string's `{` is one.
const MOST_BRACKETS: usize = 200;
/// Blocks within blocks, as in CPython.
const MOST_INDENTATION: usize = 100;
/// Operators that nest to the right (`-`, `not`, `**`, `lambda`, `else`, …) in one expression.
const MOST_PREFIXES: usize = 200;
/// Operands of one chained expression: `a + b`, `a.b`, `a()`.
const MOST_OPERATORS: usize = 1500;

const MISMATCH: &str = "closing bracket does not match the opening one";

/// Line, counted from 1, and message of what is too deep.
pub(crate) fn check(source: &str, mode: Mode) -> Result<(), (usize, &'static str)> {
    let Err(found) = check_tokens(source, mode, AtMismatch::GoOn) else {
        return Ok(());
    };
    // What does not match is the reason then, and stands further up.
    let (message, at_mismatch) = match found.after_mismatch {
        true => (MISMATCH, AtMismatch::Refuse),
        false => (found.message, AtMismatch::GoOn),
    };
    // The lexer keeps its places to itself: the first line without which nothing is too deep is found by
    // halving.
    let ends: Vec<usize> = source
        .match_indices('\n')
        .map(|(at, _)| at + 1)
        .chain([source.len()])
        .collect();
    let line = ends.partition_point(|&end| check_tokens(&source[..end], mode, at_mismatch).is_ok());
    Err(((line + 1).min(ends.len()), message))
}

struct TooDeep {
    message: &'static str,
    /// Whether a bracket before it was closed by another's end.
    after_mismatch: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum AtMismatch {
    GoOn,
    Refuse,
}

fn check_tokens(source: &str, mode: Mode, at_mismatch: AtMismatch) -> Result<(), TooDeep> {
    let mut lexer = lexer::lex(source, mode);
    let mut depth = Depth::default();
    loop {
        let token = lexer.next_token();
        if token == TokenKind::EndOfFile {
            return Ok(());
        }
        let result = match depth.add(token) {
            Ok(()) if depth.mismatched && at_mismatch == AtMismatch::Refuse => Err(MISMATCH),
            result => result,
        };
        result.map_err(|message| TooDeep {
            message,
            after_mismatch: depth.mismatched,
        })?;
    }
}

/// What is open around a token.
#[derive(Default)]
struct Depth {
    /// Around the first one stands the statement.
    levels: Vec<Level>,
    /// What is counted in the innermost level.
    inner: Counts,
    /// And in all levels.
    total: Counts,
    brackets: usize,
    indentation: usize,
    /// A line has ended within brackets, which the lexer took for closed: the parser may not.
    mismatched: bool,
    last: Option<TokenKind>,
}

/// A bracket, or the parameters of a `lambda`.
struct Level {
    /// What ends it.
    end: TokenKind,
    /// What was counted around it.
    outer: Counts,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    prefixes: usize,
    operators: usize,
}

impl Depth {
    fn add(&mut self, token: TokenKind) -> Result<(), &'static str> {
        use TokenKind as T;
        let after_operand = self.last.is_some_and(ends_operand);
        match token {
            T::Comment | T::NonLogicalNewline => return Ok(()),
            T::Indent => self.indentation += 1,
            T::Dedent => self.indentation = self.indentation.saturating_sub(1),
            T::Newline => {
                // A `lambda` without its `:` ends here.
                while matches!(self.levels.last(), Some(level) if level.end == T::Colon) {
                    self.pop();
                }
                if self.levels.is_empty() {
                    (self.inner, self.total) = Default::default();
                } else {
                    self.mismatched = true;
                }
            }
            // Elements are siblings, not children.
            T::Comma | T::Semi => self.forget_inner(),
            T::Lpar => self.open(T::Rpar),
            T::Lsqb => self.open(T::Rsqb),
            T::Lbrace => self.open(T::Rbrace),
            T::Rpar | T::Rsqb | T::Rbrace => self.close(token),
            T::Lambda => {
                self.count(1, 0);
                self.push(T::Colon);
            }
            T::Colon
                if self
                    .levels
                    .last()
                    .is_some_and(|level| level.end == T::Colon) =>
            {
                self.pop()
            }
            T::Plus | T::Minus | T::Star => self.count(usize::from(!after_operand), 1),
            T::Not if after_operand || self.last == Some(T::Is) => self.count(0, 1),
            T::Not | T::Await | T::Else | T::Yield | T::Tilde | T::DoubleStar => self.count(1, 1),
            T::Dot
            | T::At
            | T::And
            | T::Or
            | T::In
            | T::Is
            | T::If
            | T::For
            | T::Equal
            | T::ColonEqual
            | T::Slash
            | T::DoubleSlash
            | T::Percent
            | T::Amper
            | T::Vbar
            | T::CircumFlex
            | T::LeftShift
            | T::RightShift
            | T::Less
            | T::LessEqual
            | T::Greater
            | T::GreaterEqual
            | T::EqEqual
            | T::NotEqual => self.count(0, 1),
            _ => {}
        }
        self.last = Some(token);
        if self.indentation >= MOST_INDENTATION {
            return Err("too many levels of indentation");
        }
        if self.brackets > MOST_BRACKETS {
            return Err("too many nested parentheses");
        }
        if self.total.prefixes > MOST_PREFIXES || self.total.operators > MOST_OPERATORS {
            return Err("expression nests too deeply; split it into several lines");
        }
        Ok(())
    }

    fn count(&mut self, prefixes: usize, operators: usize) {
        for counts in [&mut self.inner, &mut self.total] {
            counts.prefixes += prefixes;
            counts.operators += operators;
        }
    }

    fn forget_inner(&mut self) {
        self.total.prefixes -= self.inner.prefixes;
        self.total.operators -= self.inner.operators;
        self.inner = Counts::default();
    }

    fn push(&mut self, end: TokenKind) {
        let outer = std::mem::take(&mut self.inner);
        self.levels.push(Level { end, outer });
    }

    fn pop(&mut self) {
        if let Some(level) = self.levels.pop() {
            self.forget_inner();
            self.inner = level.outer;
            self.brackets -= usize::from(level.end != TokenKind::Colon);
        }
    }

    /// A bracket may follow an operand, as a call does: `a()()` is a chain.
    fn open(&mut self, end: TokenKind) {
        self.count(0, 1);
        self.push(end);
        self.brackets += 1;
    }

    /// Ends the bracket, and a `lambda` within that has no `:`.
    fn close(&mut self, end: TokenKind) {
        let bracket = self
            .levels
            .iter()
            .rposition(|level| level.end != TokenKind::Colon);
        if let Some(at) = bracket.filter(|at| self.levels[*at].end == end) {
            while self.levels.len() > at {
                self.pop();
            }
        }
    }
}

/// Whether an operator after this token has an operand on its left.
fn ends_operand(token: TokenKind) -> bool {
    use TokenKind as T;
    matches!(
        token,
        T::Name
            | T::Int
            | T::Float
            | T::Complex
            | T::String
            | T::FStringEnd
            | T::TStringEnd
            | T::Rpar
            | T::Rsqb
            | T::Rbrace
            | T::Ellipsis
            | T::True
            | T::False
            | T::None
            | T::Match
            | T::Case
            | T::Type
    )
}
