//! Expressions that make layers and parameters, and arguments as Python has them.

use serde_json::Value as Json;

use super::WIDTH;
use crate::arguments::expression;
use crate::catalog;
use crate::expression::{Value, quoted};
use crate::model::{Block, Node};

/// The expression that makes a module or a parameter, which begins at a column.
pub(super) fn made(node: &Node, blocks: &[Block], column: usize) -> String {
    if node.kind == "parameter" {
        let text = |name: &str| node.args.get(name);
        let shape = text("shape").map(list).unwrap_or_default();
        let made = match text("init").and_then(Json::as_str) {
            Some("normal") => {
                let std = text("std").map_or_else(|| "0.02".to_owned(), value);
                format!("torch.randn({shape}) * {std}")
            }
            Some("ones") => format!("torch.ones({shape})"),
            _ => format!("torch.zeros({shape})"),
        };
        return format!("nn.Parameter({made})");
    }
    let one = match node.kind.as_str() {
        "Sequential" => {
            let children: Vec<String> = node
                .children
                .iter()
                .map(|child| made(child, blocks, 12))
                .collect();
            let line = format!("nn.Sequential({})", children.join(", "));
            if column + line.len() <= 88 || children.is_empty() {
                line
            } else {
                let lines: String = children
                    .iter()
                    .map(|child| format!("    {},\n", child.replace('\n', "\n    ")))
                    .collect();
                format!("nn.Sequential(\n{lines})")
            }
        }
        kind => {
            let row = catalog::layer(kind);
            let (name, args) = match row {
                Some(row) => (
                    format!("nn.{}", row.short()),
                    row.settings()
                        .filter_map(|argument| {
                            let given = node.args.get(&argument.name)?;
                            let is_alone = argument.required && argument.name != "kernel_size";
                            Some(if is_alone {
                                value(given)
                            } else {
                                format!("{}={}", argument.name, value(given))
                            })
                        })
                        .collect::<Vec<String>>(),
                ),
                None => {
                    let block = blocks.iter().find(|block| block.name == kind);
                    let order = block
                        .map_or(&[][..], |block| &block.parameters[..])
                        .iter()
                        .map(|one| one.name.as_str());
                    let given = order.filter_map(|name| Some((name, node.args.get(name)?)));
                    (
                        kind.to_owned(),
                        given
                            .map(|(name, given)| format!("{name}={}", value(given)))
                            .collect(),
                    )
                }
            };
            call(&name, &args, column)
        }
    };
    match node.repeat {
        None => one,
        Some(n) => {
            let line = format!("nn.Sequential(*[{one} for _ in range({n})])");
            if column + line.len() <= WIDTH && !line.contains('\n') {
                return line;
            }
            format!(
                "nn.Sequential(\n    *[\n        {}\n        for _ in range({n})\n    ]\n)",
                one.replace('\n', "\n        ")
            )
        }
    }
}

/// A call, in lines where it is long.
fn call(name: &str, args: &[String], column: usize) -> String {
    let line = format!("{name}({})", args.join(", "));
    if column + line.len() <= WIDTH {
        return line;
    }
    let lines: String = args.iter().map(|arg| format!("    {arg},\n")).collect();
    format!("{name}(\n{lines})")
}

/// An argument as Python has it in `__init__`.
pub(super) fn value(json: &Json) -> String {
    if let Some(text) = expression(json) {
        return text.trim().to_owned();
    }
    match json {
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(value).collect();
            match &items[..] {
                [one] => format!("({one},)"),
                _ => format!("({})", items.join(", ")),
            }
        }
        Json::String(text) => quoted(text),
        json => Value::from_json(json).to_string(),
    }
}

/// Sizes without parentheses.
fn list(json: &Json) -> String {
    match json {
        Json::Array(items) => items.iter().map(value).collect::<Vec<_>>().join(", "),
        json => value(json),
    }
}

/// The names in an argument's expression, with where they stand.
pub(in crate::python) fn names_in(json: &Json) -> Vec<(usize, String)> {
    match json {
        Json::Array(items) => items.iter().flat_map(names_in).collect(),
        json => expression(json).map(words).unwrap_or_default(),
    }
}

/// The names of an expression: words that stand neither in a text nor behind a point.
fn words(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut at = 0;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if !is_word(bytes[at]) {
            at += 1;
            continue;
        }
        let end = (at..bytes.len())
            .find(|&i| !is_word(bytes[i]))
            .unwrap_or(bytes.len());
        let word = &text[at..end];
        let is_behind_point = at > 0 && bytes[at - 1] == b'.';
        if !word.starts_with(|c: char| c.is_ascii_digit()) && !is_behind_point {
            found.push((at, word.to_owned()));
        }
        at = end;
    }
    found
}

/// An argument as `forward` has it: a block's parameters are attributes there.
pub(super) fn value_in_forward(json: &Json) -> String {
    match json {
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(value_in_forward).collect();
            match &items[..] {
                [one] => format!("({one},)"),
                _ => format!("({})", items.join(", ")),
            }
        }
        json => match expression(json) {
            Some(text) => {
                let mut text = text.to_owned();
                for (at, word) in words(&text.clone()).into_iter().rev() {
                    if !matches!(
                        word.as_str(),
                        "if" | "else" | "and" | "or" | "not" | "None" | "True" | "False"
                    ) {
                        text.insert_str(at, "self.");
                    }
                }
                text.trim().to_owned()
            }
            None => value(json),
        },
    }
}
