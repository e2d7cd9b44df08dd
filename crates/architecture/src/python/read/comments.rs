//! Comments of a program, and the statements they belong to.

use std::collections::BTreeMap;

use ruff_python_ast::ModModule;
use ruff_python_ast::token::TokenKind;
use ruff_python_parser::Parsed;
use ruff_text_size::Ranged;

use super::Source;
use crate::model::{Input, Size};

/// Comments by line.
pub(super) struct Comments {
    /// Those that have a line of their own.
    own: BTreeMap<usize, String>,
    /// Those behind code.
    behind: BTreeMap<usize, String>,
}

impl Comments {
    pub(super) fn of(text: &str, parsed: &Parsed<ModModule>, source: &Source<'_>) -> Comments {
        let mut comments = Comments {
            own: BTreeMap::new(),
            behind: BTreeMap::new(),
        };
        for token in parsed
            .tokens()
            .iter()
            .filter(|token| token.kind() == TokenKind::Comment)
        {
            let line = source.line(token.start());
            let said = source.of(token).trim_start_matches('#').trim().to_owned();
            let start = source.starts.get(line - 1).copied().unwrap_or(0);
            let is_alone = text
                .get(start..token.start().to_usize())
                .is_some_and(|head| head.trim().is_empty());
            let place = if is_alone {
                &mut comments.own
            } else {
                &mut comments.behind
            };
            place.insert(line, said);
        }
        comments
    }

    /// The comment of a statement from one line to another: the lines above it without a gap, and what stands behind it.
    pub(super) fn about(&self, from: usize, to: usize) -> String {
        let mut lines = Vec::new();
        let mut at = from;
        while let Some(text) = at.checked_sub(1).and_then(|above| self.own.get(&above)) {
            lines.insert(0, text.as_str());
            at -= 1;
        }
        lines.retain(|line| shape_of(line).is_none());
        lines.extend(
            (from..=to)
                .filter_map(|line| self.behind.get(&line))
                .map(String::as_str),
        );
        lines.join("\n").trim().to_owned()
    }

    /// What a comment after a line says of an input: `# x: float32 [N, 3, 32, 32]`.
    pub(super) fn shape(&self, name: &str, after: usize) -> Option<Input> {
        let lines = self.own.range(after..).map(|(_, text)| text);
        let mut all = lines.filter_map(|line| shape_of(line));
        all.find(|input| input.name == name)
    }
}

/// The input that a comment describes.
fn shape_of(text: &str) -> Option<Input> {
    let (name, rest) = text.split_once(':')?;
    let (dtype, sizes) = rest.trim().strip_suffix(']')?.split_once('[')?;
    let dtype = match dtype.trim() {
        "" => "float32",
        dtype @ ("float32" | "int64" | "bool") => dtype,
        _ => return None,
    };
    if !crate::check::is_name(name.trim()) {
        return None;
    }
    let sizes: Option<Vec<Size>> = sizes
        .split(',')
        .map(str::trim)
        .filter(|size| !size.is_empty())
        .map(|size| match size.parse() {
            Ok(n) => Some(Size::Number(n)),
            Err(_) => crate::check::is_name(size).then(|| Size::Open(size.to_owned())),
        })
        .collect();
    Some(Input {
        name: name.trim().to_owned(),
        shape: sizes?,
        dtype: dtype.to_owned(),
        at: None,
    })
}
