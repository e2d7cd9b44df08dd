//! The names that Python's side of glowgrad defines: layers, optimizers, data sets, and what is neither an op nor theirs.
//!
//! `names.py` lists them with their signatures and docstrings; here the docstrings are read, their examples run, and
//! ops learn in which modules they stand. A name without a sentence or without an example that runs is an error.

use anyhow::{Context, Result, bail};
use glowgrad::reference::imports;
use glowgrad_session::protocol::{EntryKind, LayerRow, OpEntry, OpFamily, Reference};
use serde::Deserialize;

use super::{Chapter, NOTE, layers, run_cell, runnable};
use crate::lab::Talk;

/// Prints the names as JSON.
const LIST: &str = include_str!("names.py");

/// A line of `names.py`.
#[derive(Debug, Deserialize)]
struct Name {
    name: String,
    places: Vec<String>,
    kind: String,
    signature: Option<String>,
    doc: String,
    /// The name of the function in Rust that it is.
    native: Option<String>,
    /// The Python module that defines it.
    source: String,
}

/// Slug and title of the families, in their order on the page; [`slug`] says which names are in which.
const FAMILIES: [(&str, &str); 26] = [
    ("torch", "torch: tensors, random numbers, settings"),
    ("tensor", "Tensor: what every tensor has"),
    ("nn-activation", "nn: activations"),
    ("nn-conv", "nn: convolutions"),
    ("nn-loss", "nn: losses"),
    ("nn-normalization", "nn: normalization and dropout"),
    ("nn-pooling", "nn: pools and sizes"),
    ("nn-recurrent", "nn: recurrent layers"),
    ("nn-transformer", "nn: attention and transformers"),
    ("nn-padding", "nn: padding"),
    ("nn", "nn: layers and containers"),
    ("nn-module", "nn.Module: what every module has"),
    ("functional", "nn.functional: functions made of ops"),
    ("nn-init", "nn.init: first weights"),
    (
        "nn-utils",
        "nn.utils: gradients, parametrizations, packed sequences",
    ),
    ("optim", "optim: optimizers"),
    ("optim-lr-scheduler", "optim.lr_scheduler: learning rates"),
    ("utils-data", "utils.data: data sets and batches"),
    ("autograd", "autograd: the tape"),
    ("func", "func: functions of functions"),
    ("special", "special: special functions"),
    (
        "distributions",
        "distributions: random numbers and their densities",
    ),
    ("lab", "lab: what is beyond PyTorch"),
    ("linalg", "linalg: linear algebra"),
    ("models", "models: networks that are good to read"),
    ("other", "datasets, text and the rest"),
];

/// Adds the families of these names before those of the ops, and to each op the places where it stands.
pub(super) fn add(talk: &mut Talk, chapters: &[Chapter], reference: &mut Reference) -> Result<()> {
    let names = list(talk)?;
    let mut families = FAMILIES.map(|(slug, title)| OpFamily {
        slug: slug.to_owned(),
        title: title.to_owned(),
        ops: Vec::new(),
    });
    let mut failures = Vec::new();
    for name in &names {
        if name.kind == "value" {
            if name.places[0] == "torch" {
                reference.values.push(name.name.clone());
            }
        } else if !place_op(name, chapters, reference) && !is_internal(name) {
            match entry(talk, name)? {
                Ok(entry) => {
                    let family = families.iter_mut().find(|family| family.slug == slug(name));
                    family.context("a family for every name")?.ops.push(entry);
                }
                Err(why) => failures.push(why),
            }
        }
    }
    if !failures.is_empty() {
        let count = failures.len();
        bail!("{count} names lack something:\n{}", failures.join("\n"));
    }
    let families = families.into_iter().filter(|family| !family.ops.is_empty());
    reference.families.splice(..0, families);
    Ok(())
}

fn list(talk: &mut Talk) -> Result<Vec<Name>> {
    let (text, failure) = run_cell(talk, "names", LIST)?;
    if let Some(why) = failure {
        bail!("names.py does not run: {why}");
    }
    serde_json::from_str(&text).context("names.py prints no JSON of names")
}

/// Notes the places of a name that is an op's; whether it is one.
fn place_op(name: &Name, chapters: &[Chapter], reference: &mut Reference) -> bool {
    let shown = chapters.iter().flat_map(|chapter| &chapter.ops);
    let called = |text: &str| {
        shown
            .clone()
            .find(|each| each.entry.name == text)
            .or_else(|| {
                let mut named = shown.clone();
                named.find(|each| each.entry.aliases.iter().any(|alias| alias == text))
            })
    };
    let place = name.places[0].as_str();
    if !matches!(place, "torch" | "Tensor" | "F" | "linalg") {
        return false;
    }
    let bare = name.name.trim_end_matches('_');
    let native = name.native.as_deref();
    let found = called(&format!("{place}.{}", name.name))
        .or_else(|| called(&name.name))
        .or_else(|| native.and_then(called));
    // The twin that writes into its tensor is said with its op.
    let twin = || name.name.ends_with('_').then(|| called(bare)).flatten();
    let Some(op) = found.or_else(twin) else {
        return false;
    };
    if name.name == format!("{}_", op.entry.name) && op.entry.in_place {
        return true;
    }
    let is_leaked = place == "torch" && name.native.is_some() && !op.entry.of_torch;
    let families = reference.families.iter_mut();
    let mut entries = families.flat_map(|family| &mut family.ops);
    let Some(entry) = entries.find(|entry| entry.name == op.entry.name) else {
        return false;
    };
    // The engine's function by that name is not PyTorch's; where else it stands is.
    for place in name.places.iter().skip(usize::from(is_leaked)) {
        // Under another name than its own it stands there as an alias.
        let is_own = entry.name.rsplit('.').next() == Some(name.name.as_str());
        let place = if is_own {
            place.clone()
        } else {
            format!("{place}.{}", name.name)
        };
        if !entry.places.contains(&place) {
            entry.places.push(place);
        }
    }
    true
}

/// A function in Rust that Python's side calls, and learners do not.
fn is_internal(name: &Name) -> bool {
    name.places[0] == "torch" && name.signature.is_none() && name.doc.is_empty()
}

/// The family of a name, by its place and the module that defines it.
fn slug(name: &Name) -> &'static str {
    let is_from = |module: &str| name.source.ends_with(module);
    match name.places[0].as_str() {
        "torch" | "random" => "torch",
        "Tensor" => "tensor",
        "nn" if is_from("activation") => "nn-activation",
        "nn" if is_from("conv") => "nn-conv",
        "nn" if is_from("loss") => "nn-loss",
        "nn" if is_from("normalization") => "nn-normalization",
        "nn" if is_from("pooling") => "nn-pooling",
        "nn" if is_from("recurrent") => "nn-recurrent",
        "nn" if is_from("attention") || is_from("transformer") || is_from("positions") => {
            "nn-transformer"
        }
        "nn" if is_from("padding") => "nn-padding",
        "nn" => "nn",
        "Module" => "nn-module",
        "F" => "functional",
        "nn.init" => "nn-init",
        "optim.lr_scheduler" => "optim-lr-scheduler",
        "optim" | "optim.swa_utils" | "Optimizer" => "optim",
        "nn.utils" | "nn.utils.rnn" => "nn-utils",
        place if place.starts_with("nn.utils") => "nn-utils",
        "func" => "func",
        "special" => "special",
        "distributions" => "distributions",
        "linalg" => "linalg",
        "utils.data" => "utils-data",
        "autograd" | "autograd.functional" | "utils.checkpoint" => "autograd",
        "lab" => "lab",
        "models" => "models",
        _ => "other",
    }
}

/// A name as the page shows it, or what it lacks.
fn entry(talk: &mut Talk, name: &Name) -> Result<Result<OpEntry, String>> {
    let place = &name.places[0];
    let full = match place.as_str() {
        "torch" => name.name.clone(),
        place => format!("{place}.{}", name.name),
    };
    let (doc, example) = read(&name.doc);
    if doc.is_empty() || example.is_empty() {
        return Ok(Err(format!(
            "{full}: its docstring has no sentence, or no example after `>>>`"
        )));
    }
    let (output, failure) = run_cell(talk, &full, &in_a_function(&example))?;
    if let Some(why) = failure {
        return Ok(Err(format!("{full}: {example}: {why}")));
    }
    let kind = match name.kind.as_str() {
        "class" => EntryKind::Class,
        "property" => EntryKind::Property,
        _ => EntryKind::Function,
    };
    let signature = name.signature.as_deref().unwrap_or("(…)");
    Ok(Ok(OpEntry {
        kind,
        signature: format!("{full}{signature}"),
        aliases: if *place == "torch" {
            Vec::new()
        } else {
            vec![name.name.clone()]
        },
        name: full,
        places: name.places.clone(),
        doc,
        formula: String::new(),
        gradients: Vec::new(),
        grad_fn: None,
        not_differentiable: None,
        method: place == "Tensor",
        in_place: false,
        shapes: Vec::new(),
        dtypes: Vec::new(),
        dtypes_refused: Vec::new(),
        imports: imports(&example),
        example,
        output,
        backends: Vec::new(),
    }))
}

/// The first paragraph of a docstring, and its example.
fn read(doc: &str) -> (String, String) {
    let (words, _) = doc.split_once(">>>").unwrap_or((doc, ""));
    let paragraph = words.trim().split("\n\n").next().unwrap_or_default();
    let sentence: Vec<&str> = paragraph.split_whitespace().collect();
    let mut example = Vec::new();
    for (at, _) in doc.match_indices(">>>") {
        let rest = &doc[at + 3..];
        let line = rest.split(['\n']).next().unwrap_or_default();
        example.push(line.strip_prefix(' ').unwrap_or(line).trim_end());
    }
    (sentence.join(" "), example.join("\n").trim_end().to_owned())
}

/// Runs an example where its names disturb no other, and prints what its last line gives.
fn in_a_function(example: &str) -> String {
    let (before, last) = match example.rsplit_once('\n') {
        Some((before, last)) => (format!("{before}\n"), last),
        None => (String::new(), example),
    };
    let body = format!("{before}return ({last}\n)");
    // Only code is moved to the right, no line of a text in it.
    let mut in_text = false;
    let mut lines = Vec::new();
    for line in body.lines() {
        lines.push(if in_text {
            line.to_owned()
        } else {
            format!("    {line}")
        });
        in_text ^= line.matches("\"\"\"").count() % 2 == 1;
    }
    format!(
        "torch.manual_seed(0)\ndef _example():\n{}\n_shown = _example()\nif _shown is not None: print(_shown)",
        lines.join("\n")
    )
}

/// A family's page in Markdown.
pub(super) fn page(family: &OpFamily, rows: &[LayerRow]) -> String {
    let note = NOTE.replace("the ops' definitions", "Python's docstrings");
    let mut text = format!("{note}\n\n# {}\n", family.title);
    for entry in &family.ops {
        let OpEntry {
            name,
            signature,
            doc,
            example,
            output,
            ..
        } = entry;
        text.push_str(&format!("\n## {name}\n\n`{signature}`\n\n{doc}\n"));
        if let Some(row) = rows.iter().find(|row| row.name == *name) {
            text.push_str(&layers::section(row));
        }
        text.push_str(&runnable(example));
        if !output.is_empty() {
            text.push_str(&format!("\n```text\n{output}\n```\n"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_docstring_is_a_sentence_and_an_example() {
        let (doc, example) = read("As float32. >>> torch.tensor([1]).float()");
        assert_eq!(
            (doc.as_str(), example.as_str()),
            ("As float32.", "torch.tensor([1]).float()")
        );
        let (doc, example) =
            read("One\n    sentence.\n\n    More.\n\n    >>> for i in x:\n    >>>     i\n    ");
        assert_eq!(
            (doc.as_str(), example.as_str()),
            ("One sentence.", "for i in x:\n    i")
        );
    }

    #[test]
    fn an_example_runs_by_itself_and_shows_its_last_line() {
        let source = in_a_function("x = 1\nx + 1");
        assert!(
            source.contains("\n    x = 1\n    return (x + 1\n"),
            "{source}"
        );
    }
}
