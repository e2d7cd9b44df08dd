//! A lesson's text in the terminal: the same Markdown that the page shows as HTML.
//!
//! Every block ends with an empty line, so that blocks can be written one after another.

use std::io;

use glowgrad_lesson::Rich;
use glowgrad_lesson::markdown::{Event, Tag, TagEnd};

use crate::terminal::{Margin, Role, Span, Terminal};
use crate::tex;

/// Writes a text, indented by `indent` blanks.
pub(crate) fn write(terminal: &mut Terminal<'_>, indent: usize, text: &Rich) -> io::Result<()> {
    let mut writer = Writer {
        terminal,
        base: " ".repeat(indent),
        spans: Vec::new(),
        roles: Vec::new(),
        items: Vec::new(),
        quotes: 0,
        link: None,
        is_code: false,
        cells: 0,
    };
    for event in text.events() {
        writer.event(event)?;
    }
    writer.flush()
}

/// Writes code as it stands, behind a bar.
pub(crate) fn write_code(terminal: &mut Terminal<'_>, indent: usize, code: &str) -> io::Result<()> {
    let bar = terminal.paint(Role::Quiet, "│ ");
    for line in code.trim_end().lines() {
        let code = terminal.paint(Role::Code, line);
        terminal.line(&format!("{}{bar}{code}", " ".repeat(indent)))?;
    }
    terminal.line("")
}

/// A list item that is open.
struct Item {
    /// `Some` in a numbered list: the number of the next item.
    number: Option<u64>,
    /// What stands before its first line; blanks once that is written.
    mark: String,
}

struct Writer<'a, 'b> {
    terminal: &'a mut Terminal<'b>,
    base: String,
    spans: Vec<Span>,
    roles: Vec<Role>,
    items: Vec<Item>,
    quotes: usize,
    link: Option<String>,
    is_code: bool,
    /// Cells of the table row that is open.
    cells: usize,
}

impl Writer<'_, '_> {
    fn event(&mut self, event: Event<'_>) -> io::Result<()> {
        match event {
            Event::Start(tag) => self.start(tag)?,
            Event::End(tag) => self.end(tag)?,
            Event::Text(text) if self.is_code => {
                let indent = self.margins().1.chars().count();
                write_code(self.terminal, indent, &text)?;
            }
            Event::Text(text) => self.push(&text),
            Event::Code(code) => self.spans.push(Span::new(Role::Code, code.as_ref())),
            Event::InlineMath(math) => {
                self.spans
                    .push(Span::new(Role::Emphasis, tex::plain(&math)));
            }
            Event::DisplayMath(math) => {
                self.flush()?;
                let text = tex::plain(&math);
                let painted = self.terminal.paint(Role::Emphasis, &text);
                let margin = self.margins().1;
                self.terminal.line(&format!("{margin}    {painted}"))?;
            }
            Event::SoftBreak => self.push(" "),
            Event::HardBreak => self.push("\n"),
            Event::Rule => self.terminal.line("")?,
            Event::TaskListMarker(done) => self.push(if done { "[x] " } else { "[ ] " }),
            Event::Html(_) | Event::InlineHtml(_) | Event::FootnoteReference(_) => {}
        }
        Ok(())
    }

    fn start(&mut self, tag: Tag<'_>) -> io::Result<()> {
        match tag {
            Tag::Heading { .. } => self.roles.push(Role::Heading),
            Tag::Emphasis => self.roles.push(Role::Emphasis),
            Tag::Strong => self.roles.push(Role::Strong),
            Tag::Strikethrough => self.roles.push(Role::Quiet),
            Tag::Link { dest_url, .. } => {
                self.roles.push(Role::Link);
                self.link = Some(dest_url.to_string());
            }
            Tag::BlockQuote(_) => self.quotes += 1,
            Tag::CodeBlock(_) => self.is_code = true,
            Tag::List(number) => {
                self.flush()?;
                self.items.push(Item {
                    number,
                    mark: String::new(),
                });
            }
            Tag::Item => {
                if let Some(item) = self.items.last_mut() {
                    item.mark = match &mut item.number {
                        Some(number) => {
                            *number += 1;
                            format!("{}. ", *number - 1)
                        }
                        None => "• ".to_string(),
                    };
                }
            }
            Tag::TableCell => {
                if self.cells > 0 {
                    self.push("  │  ");
                }
                self.cells += 1;
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, tag: TagEnd) -> io::Result<()> {
        match tag {
            TagEnd::Paragraph => {
                self.flush()?;
                if self.items.is_empty() {
                    self.terminal.line("")?;
                }
            }
            TagEnd::Heading(_) => {
                self.roles.pop();
                self.flush()?;
                self.terminal.line("")?;
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.roles.pop();
            }
            TagEnd::Link => {
                self.roles.pop();
                if let Some(target) = self.link.take() {
                    let there = match target.strip_prefix("#/lesson/") {
                        Some(slug) => format!(" (glow lesson run {slug})"),
                        None if target.starts_with("#/") => " (in the page)".to_string(),
                        None => format!(" <{target}>"),
                    };
                    self.spans.push(Span::new(Role::Quiet, there));
                }
            }
            TagEnd::BlockQuote(_) => {
                self.flush()?;
                self.quotes -= 1;
            }
            TagEnd::CodeBlock => self.is_code = false,
            TagEnd::Item => {
                self.flush()?;
            }
            TagEnd::List(_) => {
                self.items.pop();
                if self.items.is_empty() {
                    self.terminal.line("")?;
                }
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                self.cells = 0;
                self.flush()?;
            }
            TagEnd::Table => self.terminal.line("")?,
            _ => {}
        }
        Ok(())
    }

    fn push(&mut self, text: &str) {
        let role = self.roles.last().copied().unwrap_or(Role::Plain);
        self.spans.push(Span::new(role, text));
    }

    /// What stands before the first line and before the others.
    fn margins(&mut self) -> (String, String) {
        let quote = "▏ ".repeat(self.quotes);
        let (mut first, mut rest) = (self.base.clone() + &quote, self.base.clone() + &quote);
        for item in &mut self.items {
            let blanks = " ".repeat(item.mark.chars().count());
            first.push_str(&item.mark);
            rest.push_str(&blanks);
            // Only the item's first line has the mark.
            item.mark = blanks;
        }
        (first, rest)
    }

    /// Writes the paragraph that is open.
    fn flush(&mut self) -> io::Result<()> {
        if self.spans.is_empty() {
            return Ok(());
        }
        let spans = std::mem::take(&mut self.spans);
        let (first, rest) = self.margins();
        let margin = Margin {
            first: &first,
            rest: &rest,
        };
        self.terminal.paragraph(margin, &spans)
    }
}

#[cfg(test)]
mod tests {
    use glowgrad_lesson::{Block, Files, parse_lesson};

    use super::*;

    fn written(markdown: &str) -> String {
        let front = "---\ntitle: t\npart: p\nminutes: 1\noutcome: o\n---\n";
        let files: Files = [("01-a/lesson.md", format!("{front}{markdown}"))]
            .into_iter()
            .collect();
        let lesson = parse_lesson("01-a", &files).unwrap();
        let mut bytes = Vec::new();
        let mut terminal = Terminal::plain(&mut bytes, 40);
        for block in &lesson.blocks {
            if let Block::Prose { html } = block {
                write(&mut terminal, 0, html).unwrap();
            }
        }
        drop(terminal);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn text_is_wrapped_and_math_is_text() {
        assert_eq!(
            written("The slope of `tanh` is\n$1 - y^2$, **as you** know by now.\n"),
            "The slope of tanh is 1 − y², as you know\nby now.\n\n"
        );
    }

    #[test]
    fn lists_code_and_links_keep_their_form() {
        assert_eq!(
            written(
                "### Do\n\n1. one\n2. two words that run over the line, see\n   - [x](#/lesson/y)\n\n\
                 ```python\na = 1\n\nb\n```\n\n$$\na^2\n$$\n"
            ),
            "Do\n\n1. one\n2. two words that run over the line, see\n   • x (glow lesson run y)\n\n\
             │ a = 1\n│\n│ b\n\n    a²\n\n"
        );
    }
}
