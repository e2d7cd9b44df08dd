//! Text of a lesson: CommonMark with math, and the HTML made from it.
//!
//! Raw HTML is dropped, so the HTML here is only ever what pulldown-cmark writes. Math stays TeX in
//! a `data-tex` attribute; the page's build renders it.

use pulldown_cmark::{CodeBlockKind, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd, html};
use serde::{Serialize, Serializer};

/// A link in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub text: String,
    pub target: String,
}

/// A text: its Markdown, for the terminal, and its HTML, for the page. Serialised as the HTML.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, type = "string"))]
pub struct Rich {
    markdown: String,
    html: String,
}

impl Serialize for Rich {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.html)
    }
}

/// What a lesson's Markdown may hold beyond CommonMark.
fn options() -> Options {
    Options::ENABLE_MATH | Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH
}

/// The parts of a text that a lesson must not hold, found while its HTML is made.
pub(crate) struct Refused {
    /// Byte offset in the Markdown.
    pub(crate) at: usize,
    pub(crate) found: String,
    pub(crate) expected: &'static str,
}

impl Rich {
    /// Renders a text, or says what it must not hold.
    pub(crate) fn new(markdown: &str) -> Result<Self, Refused> {
        let mut events = Vec::new();
        let mut in_paragraph = false;
        let mut unknown = None;
        let mut on_unknown = |link: pulldown_cmark::BrokenLink<'_>| {
            // `[2, 3]` is a shape; only `[text][name]` is meant as a reference.
            if !matches!(link.link_type, LinkType::Shortcut) {
                unknown.get_or_insert(Refused {
                    at: link.span.start,
                    found: format!("a link to [{}], which is not defined here", link.reference),
                    expected: "[text](target)",
                });
            }
            None
        };
        let parser =
            Parser::new_with_broken_link_callback(markdown, options(), Some(&mut on_unknown));
        for (event, range) in parser.into_offset_iter() {
            let refuse = |found: String, expected| Refused {
                at: range.start,
                found,
                expected,
            };
            match event {
                Event::Html(_) | Event::InlineHtml(_) => {}
                Event::Start(Tag::HtmlBlock) | Event::End(TagEnd::HtmlBlock) => {}
                Event::InlineMath(tex) => events.push(math("span", &tex)),
                Event::DisplayMath(tex) => {
                    // A block cannot stand in a paragraph: it ends one and begins the next.
                    let around = if in_paragraph {
                        ["</p>", "<p>"]
                    } else {
                        ["", ""]
                    };
                    events.push(Event::InlineHtml(around[0].into()));
                    events.push(math("div", &tex));
                    events.push(Event::InlineHtml(around[1].into()));
                }
                Event::Start(Tag::Paragraph) => {
                    in_paragraph = true;
                    events.push(event);
                }
                Event::End(TagEnd::Paragraph) => {
                    in_paragraph = false;
                    events.push(event);
                }
                Event::Start(Tag::Image { dest_url, .. }) => {
                    return Err(refuse(
                        format!("a picture ({dest_url})"),
                        "text, math or code: the stage draws the pictures",
                    ));
                }
                // HTML makes `mailto:` of an address in angle brackets, whatever it is.
                Event::Start(Tag::Link {
                    link_type,
                    ref dest_url,
                    ..
                }) if link_type == LinkType::Email || !is_safe(dest_url) => {
                    return Err(refuse(
                        format!("a link to {:?}", dest_url.as_ref()),
                        "https://… or a page of the lab such as #/lesson/<slug>",
                    ));
                }
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(ref info)))
                    if info.split_whitespace().nth(1).is_some() =>
                {
                    return Err(refuse(
                        format!("a fence marked {:?}", info.as_ref()),
                        "one language name; cells stand at the start of a line, in the lesson's own text",
                    ));
                }
                other => events.push(other),
            }
        }
        if let Some(unknown) = unknown {
            return Err(unknown);
        }
        let mut html = String::with_capacity(markdown.len() * 2);
        html::push_html(&mut html, events.into_iter());
        Ok(Self {
            markdown: markdown.to_string(),
            html: html.replace("<p></p>", "").trim().to_string(),
        })
    }

    /// The Markdown it came from.
    pub fn markdown(&self) -> &str {
        &self.markdown
    }

    /// The HTML made from it.
    pub fn html(&self) -> &str {
        &self.html
    }

    /// Its links, in order.
    pub fn links(&self) -> Vec<Link> {
        let mut links = Vec::new();
        let mut open: Option<Link> = None;
        for event in self.events() {
            match event {
                Event::Start(Tag::Link { dest_url, .. }) => {
                    open = Some(Link {
                        text: String::new(),
                        target: dest_url.to_string(),
                    });
                }
                Event::End(TagEnd::Link) => links.extend(open.take()),
                Event::Text(text) | Event::Code(text) => {
                    if let Some(link) = &mut open {
                        link.text.push_str(&text);
                    }
                }
                _ => {}
            }
        }
        links
    }

    /// The text as CommonMark events, raw HTML dropped: what a renderer other than the page's
    /// draws.
    pub fn events(&self) -> impl Iterator<Item = Event<'_>> {
        Parser::new_ext(&self.markdown, options()).filter(|event| {
            !matches!(
                event,
                Event::Html(_)
                    | Event::InlineHtml(_)
                    | Event::Start(Tag::HtmlBlock)
                    | Event::End(TagEnd::HtmlBlock)
            )
        })
    }
}

/// Only links that cannot run code: the text becomes HTML in the learner's page.
fn is_safe(target: &str) -> bool {
    target.starts_with("https://") || target.starts_with("#/")
}

fn math<'a>(element: &str, tex: &str) -> Event<'a> {
    let mut escaped = String::new();
    escape_attribute(tex.trim(), &mut escaped);
    Event::InlineHtml(CowStr::from(format!(
        r#"<{element} class="math" data-tex="{escaped}"></{element}>"#
    )))
}

fn escape_attribute(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push(' '),
            other => out.push(other),
        }
    }
}
