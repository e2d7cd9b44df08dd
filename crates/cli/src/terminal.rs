//! Where `glow` writes: how wide it is, whether it has colour, and paragraphs that fit it.
//!
//! Colour only on a terminal, and never where `NO_COLOR` is set. Everything is written through
//! [`Terminal`] or [`complain`], so that a test can read it and a closed pipe is an error and not a panic.
//!
//! Invariant: a control character of a lesson, a name, an error or a traceback is shown as `\x1b`, so that
//! no text moves the cursor or changes the terminal. The one exception is what the learner's own script
//! prints under `glow python` ([`Terminal::pass`]): Python hands those bytes to the terminal too.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};

/// A role that text plays, which decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Plain,
    Heading,
    Strong,
    Emphasis,
    Quiet,
    Code,
    Link,
    /// A gradient is here. Nothing else has this colour (look.md).
    Glow,
    Good,
    Bad,
}

impl Role {
    fn escape(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Heading => "\x1b[1m",
            Self::Strong => "\x1b[1m",
            Self::Emphasis => "\x1b[3m",
            Self::Quiet => "\x1b[2m",
            Self::Code => "\x1b[36m",
            Self::Link => "\x1b[4m",
            Self::Glow => "\x1b[33m",
            Self::Good => "\x1b[32m",
            Self::Bad => "\x1b[31m",
        }
    }

    /// What stands for the role's colour in a line until [`Terminal::line`] writes it: a noncharacter of
    /// Unicode, which [`shown`] lets through nowhere.
    fn mark(self) -> char {
        MARKS[self as usize]
    }
}

/// Every role, in the order of [`MARKS`].
const ROLES: [Role; 10] = [
    Role::Plain,
    Role::Heading,
    Role::Strong,
    Role::Emphasis,
    Role::Quiet,
    Role::Code,
    Role::Link,
    Role::Glow,
    Role::Good,
    Role::Bad,
];
/// The last one ends a colour.
const MARKS: [char; 11] = [
    '\u{fdd0}', '\u{fdd1}', '\u{fdd2}', '\u{fdd3}', '\u{fdd4}', '\u{fdd5}', '\u{fdd6}', '\u{fdd7}',
    '\u{fdd8}', '\u{fdd9}', '\u{fdda}',
];
const END: char = MARKS[10];

/// Whether a terminal would obey the character, or draw the text around it in another order.
fn is_obeyed(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fdd0}'..='\u{fdef}')
}

/// The text with every character that a terminal would obey written out: `\x1b`, `\u{202e}`. Ends of lines
/// and tabs stay.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        show(c, &mut shown);
    }
    Cow::Owned(shown)
}

fn show(c: char, shown: &mut String) {
    // Writing to a string cannot fail.
    let _ = match u32::from(c) {
        _ if !is_obeyed(c) => shown.write_char(c),
        code @ ..=0xff => write!(shown, "\\x{code:02x}"),
        code => write!(shown, "\\u{{{code:x}}}"),
    };
}

/// Writes a line to standard error. Where standard error is closed or full, nothing is written: a message
/// that cannot be read is no reason to fail.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "{}", shown(text));
}

/// A stretch of text in one role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) role: Role,
    pub(crate) text: String,
}

impl Span {
    pub(crate) fn new(role: Role, text: impl Into<String>) -> Self {
        Self {
            role,
            text: shown(&text.into()).into_owned(),
        }
    }
}

/// What stands before the first and before the other lines of a paragraph.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Margin<'a> {
    pub(crate) first: &'a str,
    pub(crate) rest: &'a str,
}

/// An output with a width.
pub(crate) struct Terminal<'a> {
    out: Box<dyn Write + 'a>,
    width: usize,
    has_color: bool,
    is_live: bool,
    /// Whether another terminal writes what this one made: marks of colour stay marks.
    is_inner: bool,
    /// Whether the cursor stands at the beginning of a line.
    at_line_start: bool,
    /// The status line that is on screen, to be wiped before anything else is written.
    has_status: bool,
}

/// Lines longer than this are hard to read, however wide the window.
const MAX_WIDTH: usize = 88;

impl<'a> Terminal<'a> {
    /// Standard output, as wide as its window.
    pub(crate) fn stdout() -> Self {
        let is_live = io::stdout().is_terminal();
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        let window = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        Self {
            out: Box::new(io::stdout()),
            width: window.unwrap_or(80).clamp(24, MAX_WIDTH),
            has_color: is_live && !no_color && !is_dumb,
            is_live: is_live && !is_dumb,
            is_inner: false,
            at_line_start: true,
            has_status: false,
        }
    }

    /// Plain text of a given width, into `out`.
    #[cfg(test)]
    pub(crate) fn plain(out: impl Write + 'a, width: usize) -> Self {
        Self {
            out: Box::new(out),
            width,
            has_color: false,
            is_live: false,
            is_inner: false,
            at_line_start: true,
            has_status: false,
        }
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Whether the output is a terminal: a status line may be drawn over.
    pub(crate) fn is_live(&self) -> bool {
        self.is_live
    }

    /// A text in its role's colour, for [`Terminal::line`].
    pub(crate) fn paint(&self, role: Role, text: &str) -> String {
        let text = shown(text);
        if self.has_color && role != Role::Plain && !text.is_empty() {
            format!("{}{text}{END}", role.mark())
        } else {
            text.into_owned()
        }
    }

    /// What is written for a text: control characters shown, marks of colour as the terminal's escapes.
    fn rendered<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !text.contains(is_obeyed) {
            return Cow::Borrowed(text);
        }
        let mut rendered = String::with_capacity(text.len() + 16);
        for c in text.chars() {
            match MARKS.iter().position(|mark| *mark == c) {
                Some(_) if self.is_inner => rendered.push(c),
                Some(_) if !self.has_color => show(c, &mut rendered),
                Some(at) => {
                    rendered.push_str(ROLES.get(at).map_or("\x1b[0m", |role| role.escape()))
                }
                None => show(c, &mut rendered),
            }
        }
        Cow::Owned(rendered)
    }

    /// Writes one line.
    pub(crate) fn line(&mut self, text: &str) -> io::Result<()> {
        self.clear_status()?;
        if !self.at_line_start {
            self.out.write_all(b"\n")?;
        }
        self.at_line_start = true;
        let text = self.rendered(text.trim_end()).into_owned();
        writeln!(self.out, "{text}")
    }

    /// Writes text as it comes, lines or parts of lines, each line behind a margin.
    pub(crate) fn stream(&mut self, margin: &str, text: &str) -> io::Result<()> {
        let text = self.rendered(text).into_owned();
        self.write_through(margin, &text)
    }

    /// Writes what the learner's own script prints, control characters too, as Python does.
    pub(crate) fn pass(&mut self, text: &str) -> io::Result<()> {
        self.write_through("", text)
    }

    /// Writes what a script writes to its standard error.
    pub(crate) fn pass_errors(&mut self, text: &str) -> io::Result<()> {
        self.clear_status()?;
        // As `complain`: a stream that is closed or full is no reason to fail.
        let _ = io::stderr().write_all(text.as_bytes());
        Ok(())
    }

    fn write_through(&mut self, margin: &str, text: &str) -> io::Result<()> {
        self.clear_status()?;
        for piece in text.split_inclusive('\n') {
            if self.at_line_start {
                self.out.write_all(margin.as_bytes())?;
            }
            self.out.write_all(piece.as_bytes())?;
            self.at_line_start = piece.ends_with('\n');
        }
        self.out.flush()
    }

    /// Shows a line that the next text wipes. Nothing where the output is no terminal.
    pub(crate) fn status(&mut self, text: &str) -> io::Result<()> {
        if !self.is_live || !self.at_line_start {
            return Ok(());
        }
        write!(self.out, "\r\x1b[2K{}", shown(text).replace('\n', " "))?;
        self.has_status = true;
        self.out.flush()
    }

    fn clear_status(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.has_status) {
            write!(self.out, "\r\x1b[2K")?;
        }
        Ok(())
    }

    /// Lets something be written into `bytes`, as on this terminal but narrower by `indent`.
    pub(crate) fn beside(
        &self,
        bytes: &mut Vec<u8>,
        indent: usize,
        write: impl FnOnce(&mut Terminal<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        write(&mut Terminal {
            out: Box::new(bytes),
            width: self.width.saturating_sub(indent),
            has_color: self.has_color,
            is_live: false,
            is_inner: true,
            at_line_start: true,
            has_status: false,
        })
    }

    /// Writes a paragraph, wrapped to the width. A newline in a span ends a line.
    pub(crate) fn paragraph(&mut self, margin: Margin<'_>, spans: &[Span]) -> io::Result<()> {
        for (index, line) in wrap(spans, self.width, margin).iter().enumerate() {
            let mut text = String::from(if index == 0 {
                margin.first
            } else {
                margin.rest
            });
            for stretch in line.chunk_by(|a, b| a.role == b.role) {
                let words: String = stretch.iter().map(|span| span.text.as_str()).collect();
                text.push_str(&self.paint(stretch[0].role, &words));
            }
            self.line(&text)?;
        }
        Ok(())
    }
}

/// Breaks spans into lines at blanks. A word may consist of several spans.
fn wrap(spans: &[Span], width: usize, margin: Margin<'_>) -> Vec<Vec<Span>> {
    let mut wrapper = Wrapper {
        lines: vec![Vec::new()],
        used: margin.first.chars().count(),
        indent: margin.rest.chars().count(),
        width,
        word: Vec::new(),
        blank: None,
    };
    for span in spans {
        let mut rest = span.text.as_str();
        while let Some(c) = rest.chars().next() {
            let length = rest.find([' ', '\n']).unwrap_or(rest.len());
            if length > 0 {
                wrapper.word.push(Span::new(span.role, &rest[..length]));
                rest = &rest[length..];
                continue;
            }
            wrapper.place_word();
            if c == '\n' {
                wrapper.new_line();
            } else {
                wrapper.blank = Some(span.role);
            }
            rest = &rest[1..];
        }
    }
    wrapper.place_word();
    wrapper.lines
}

struct Wrapper {
    lines: Vec<Vec<Span>>,
    /// Width of the last line.
    used: usize,
    indent: usize,
    width: usize,
    /// The word that is being read.
    word: Vec<Span>,
    /// The role of the blank before it.
    blank: Option<Role>,
}

impl Wrapper {
    fn new_line(&mut self) {
        self.lines.push(Vec::new());
        self.used = self.indent;
        self.blank = None;
    }

    fn place_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let length: usize = self.word.iter().map(|span| span.text.chars().count()).sum();
        let is_first = self.lines.last().is_none_or(Vec::is_empty);
        if !is_first && self.used + 1 + length > self.width {
            self.new_line();
        }
        let is_first = self.lines.last().is_none_or(Vec::is_empty);
        let blank = self.blank.take().filter(|_| !is_first);
        if let Some(line) = self.lines.last_mut() {
            if let Some(role) = blank {
                line.push(Span::new(role, " "));
                self.used += 1;
            }
            line.append(&mut self.word);
        }
        self.used += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(width: usize, write: impl FnOnce(&mut Terminal<'_>)) -> String {
        let mut bytes = Vec::new();
        write(&mut Terminal::plain(&mut bytes, width));
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn paragraphs_are_wrapped_behind_their_margin() {
        let spans = [
            Span::new(Role::Plain, "one two "),
            Span::new(Role::Code, "thr"),
            Span::new(Role::Plain, "ee, four"),
        ];
        let margin = Margin {
            first: "- ",
            rest: "  ",
        };
        let text = written(12, |terminal| terminal.paragraph(margin, &spans).unwrap());
        assert_eq!(text, "- one two\n  three,\n  four\n");
    }

    #[test]
    fn a_word_longer_than_the_line_stays_whole() {
        let spans = [Span::new(Role::Plain, "a abcdefghijklmnop b")];
        let text = written(8, |t| t.paragraph(Margin::default(), &spans).unwrap());
        assert_eq!(text, "a\nabcdefghijklmnop\nb\n");
    }

    #[test]
    fn streamed_text_keeps_its_margin_and_its_last_line_is_ended() {
        let text = written(20, |terminal| {
            terminal.stream("| ", "a").unwrap();
            terminal.stream("| ", "b\nc").unwrap();
            terminal.line("end").unwrap();
        });
        assert_eq!(text, "| ab\n| c\nend\n");
    }

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        assert_eq!(shown("plain\ttext\n"), "plain\ttext\n");
        let hostile = "a\x1b]0;title\x07b\r\u{9b}2J\u{7f}\u{202e}\u{fdd9}c";
        let harmless = "a\\x1b]0;title\\x07b\\x0d\\x9b2J\\x7f\\u{202e}\\u{fdd9}c";
        assert_eq!(shown(hostile), harmless);
        let text = written(80, |terminal| {
            terminal.line(hostile).unwrap();
            terminal.stream("| ", hostile).unwrap();
            let painted = terminal.paint(Role::Bad, hostile);
            terminal.line(&painted).unwrap();
            let spans = [Span::new(Role::Code, hostile)];
            terminal.paragraph(Margin::default(), &spans).unwrap();
        });
        let shown = [harmless, &format!("| {harmless}"), harmless, harmless];
        assert_eq!(text, shown.map(|line| format!("{line}\n")).concat());
    }

    #[test]
    fn only_paint_colours_and_what_is_painted_is_shown_too() {
        let mut bytes = Vec::new();
        let mut terminal = Terminal {
            has_color: true,
            ..Terminal::plain(&mut bytes, 80)
        };
        let painted = terminal.paint(Role::Bad, "no\x1b[32m");
        terminal.line(&format!("{painted} \x1b[1m")).unwrap();
        let mut inner = Vec::new();
        terminal
            .beside(&mut inner, 0, |inner| {
                inner.paragraph(Margin::default(), &[Span::new(Role::Code, "x\x1b")])
            })
            .unwrap();
        terminal
            .stream("", &String::from_utf8(inner).unwrap())
            .unwrap();
        drop(terminal);
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            "\x1b[31mno\\x1b[32m\x1b[0m \\x1b[1m\n\x1b[36mx\\x1b\x1b[0m\n"
        );
    }

    #[test]
    fn what_a_script_prints_is_passed_through() {
        let text = written(20, |terminal| terminal.pass("\x1b[1mbold\r\n").unwrap());
        assert_eq!(text, "\x1b[1mbold\r\n");
    }

    #[test]
    fn colour_is_off_without_a_terminal() {
        let text = written(20, |terminal| {
            let painted = terminal.paint(Role::Bad, "no");
            terminal.line(&painted).unwrap();
            terminal.status("50 %").unwrap();
        });
        assert_eq!(text, "no\n");
    }
}
