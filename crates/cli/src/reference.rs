//! `glow reference`: the reference as Markdown and as the page's JSON, with what examples print.
//!
//! What is said of an op comes from `glowgrad::reference`, of the names that Python's side defines from
//! `python_names`, and of a layer's arguments and shapes from `layers`; here examples run in Python. An example that does not run is an error that names its op,
//! so that no page shows one.

mod coverage;
mod layers;
mod python_names;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use glowgrad::DType;
use glowgrad::reference::{Backend, Entry, Family, build, imports};
use glowgrad_session::protocol::{
    EntryKind, Event, LayerRow, OpDtypes, OpEntry, OpFamily, OpGradient, Reference,
};

use crate::Ending;
use crate::lab::{NewLab, Talk};
use crate::terminal::Terminal;

/// Uses all that an example may take for granted.
const ALL_NAMES: &str = "F. lab. nn. optim.";

/// The first line of every page: it is not to be edited.
const NOTE: &str = "<!-- Written by `cargo lab reference` from the ops' definitions. -->";

/// An op with what its example prints.
struct Shown {
    entry: Entry,
    output: String,
}

struct Chapter {
    slug: &'static str,
    title: &'static str,
    ops: Vec<Shown>,
}

/// Writes a page for each family into a folder, everything as JSON into a file, and `layers.json` beside it.
pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    new_lab: NewLab<'_>,
    out: Option<&Path>,
    json: Option<&Path>,
) -> Result<Ending> {
    let families = build(&glowgrad::cpu()).context("the reference cannot be made")?;
    let mut talk = Talk::new(new_lab()?);
    let chapters = run_examples(&mut talk, families)?;
    let mut reference = for_page(&chapters);
    python_names::add(&mut talk, &chapters, &mut reference)?;
    let rows = layers::list(&mut talk)?;
    let (covered, share) = coverage::page(&mut talk)?;
    if let Some(folder) = out {
        write_pages(folder, &chapters, &reference, &rows)?;
        write(&folder.join(coverage::PAGE), &covered)?;
    }
    if let Some(file) = json {
        let text = serde_json::to_string(&reference).context("no JSON of it")?;
        write(file, &format!("{text}\n"))?;
        layers::write_json(file, &rows)?;
    }
    let count: usize = reference.families.iter().map(|each| each.ops.len()).sum();
    terminal.line(&format!(
        "{count} names in {} families; {share:.1} % of PyTorch's names in reach",
        reference.families.len()
    ))?;
    Ok(Ending::Good)
}

/// Runs every example; all that fail are named, not the first alone.
fn run_examples(talk: &mut Talk, families: Vec<Family>) -> Result<Vec<Chapter>> {
    let answer = talk.run("imports", &imports(ALL_NAMES), &mut |_| Ok(()))?;
    if let Some(why) = answer.failure() {
        bail!("the examples' imports do not run: {why}");
    }
    let mut failures = Vec::new();
    let mut chapters = Vec::new();
    for family in families {
        let mut ops = Vec::new();
        for entry in family.ops {
            let source = printing(&entry.example);
            let (output, failure) = run_cell(talk, &entry.name, &source)?;
            if let Some(why) = failure {
                failures.push(format!("{}: {}: {why}", entry.name, entry.example));
            }
            ops.push(Shown { entry, output });
        }
        chapters.push(Chapter {
            slug: family.slug,
            title: family.title,
            ops,
        });
    }
    if !failures.is_empty() {
        bail!(
            "{} examples do not run:\n{}",
            failures.len(),
            failures.join("\n")
        );
    }
    Ok(chapters)
}

/// Runs a cell: what it printed, and why it failed.
fn run_cell(talk: &mut Talk, cell: &str, source: &str) -> Result<(String, Option<String>)> {
    let mut output = String::new();
    let answer = talk.run(cell, source, &mut |event| {
        if let Event::Stdout { text, .. } = event {
            output.push_str(text);
        }
        Ok(())
    })?;
    if answer.was_stopped() {
        bail!("stopped");
    }
    Ok((output.trim_end().to_owned(), answer.failure()))
}

/// The example with its last line, an expression, printed.
fn printing(code: &str) -> String {
    match code.trim_end().rsplit_once('\n') {
        Some((before, last)) => format!("{before}\nprint({last})"),
        None => format!("print({})", code.trim_end()),
    }
}

/// The reference as the page reads it.
fn for_page(chapters: &[Chapter]) -> Reference {
    let family = |chapter: &Chapter| OpFamily {
        slug: chapter.slug.to_owned(),
        title: chapter.title.to_owned(),
        ops: chapter.ops.iter().map(op_for_page).collect(),
    };
    Reference {
        families: chapters.iter().map(family).collect(),
        values: Vec::new(),
    }
}

fn op_for_page(Shown { entry, output }: &Shown) -> OpEntry {
    let gradients = entry.gradients.iter().map(|gradient| OpGradient {
        operand: gradient.operand.clone(),
        rule: gradient.rule.clone(),
    });
    let dtypes = entry.dtypes.iter().map(|(from, to)| OpDtypes {
        from: from.to_string(),
        to: to.to_string(),
    });
    OpEntry {
        kind: EntryKind::Op,
        name: entry.name.clone(),
        places: Vec::new(),
        signature: entry.signature.clone(),
        aliases: entry.aliases.clone(),
        doc: entry.doc.clone(),
        formula: entry.formula.clone(),
        gradients: gradients.collect(),
        grad_fn: entry.grad_fn.clone(),
        not_differentiable: entry.not_differentiable.clone(),
        method: entry.method,
        in_place: entry.in_place,
        shapes: entry.shapes.clone(),
        dtypes: dtypes.collect(),
        dtypes_refused: names(&entry.dtypes_refused),
        imports: imports(&entry.example),
        example: entry.example.clone(),
        output: output.clone(),
        backends: backends(entry),
    }
}

fn backends(entry: &Entry) -> Vec<String> {
    entry.backends.iter().map(Backend::to_string).collect()
}

fn names(dtypes: &[DType]) -> Vec<String> {
    dtypes.iter().map(DType::to_string).collect()
}

/// One page for each family and an index. Pages of families that are gone go too.
fn write_pages(
    folder: &Path,
    chapters: &[Chapter],
    reference: &Reference,
    rows: &[LayerRow],
) -> Result<()> {
    let mut index = format!(
        "{NOTE}\n\n# Reference\n\nWhat Python's side defines stands first, from the docstrings in \
         `crates/python/src/lib/glowgrad`; then every op, from its one definition in `crates/tensor/src/ops`. \
         `gy` is the gradient that arrives at the result `y`; `a`, `b` and `c` are the operands in \
         the order of the signature. An op runs on the device of its operands: `cpu`, `wgpu` (WebGPU in \
         the page; its float16 needs an adapter with `shader-f16`) or `cuda`. Where a device has no word \
         for a dtype, or no kernel for an op, the CPU computes it and the value goes back to the device. \
         `layers.json` has what is known of each layer, loss and optimizer as data.\n"
    );
    let mut files = vec!["README.md".to_owned()];
    for family in &reference.families {
        let name = format!("{}.md", family.slug);
        index.push_str(&format!("\n## [{}]({name})\n\n", family.title));
        let links = family.ops.iter().map(|entry| {
            let op = &entry.name;
            format!("[`{op}`]({name}#{})", anchor(op))
        });
        index.push_str(&links.collect::<Vec<_>>().join(", "));
        index.push('\n');
        let chapter = chapters.iter().find(|chapter| chapter.slug == family.slug);
        let text = chapter.map_or_else(|| python_names::page(family, rows), page);
        write(&folder.join(&name), &text)?;
        files.push(name);
    }
    write(&folder.join("README.md"), &index)?;
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?
    {
        let path = entry
            .with_context(|| format!("cannot list {}", folder.display()))?
            .path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(".md") && !files.iter().any(|file| *file == name) {
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}

/// The address that Markdown gives a heading.
fn anchor(op: &str) -> String {
    op.to_lowercase().replace('.', "")
}

fn page(chapter: &Chapter) -> String {
    let mut text = format!("{NOTE}\n\n# {}\n", chapter.title);
    for shown in &chapter.ops {
        text.push_str(&section(shown));
    }
    text
}

fn section(Shown { entry, output }: &Shown) -> String {
    let mut text = format!("\n## {}\n\n`{}`", entry.name, entry.signature);
    if !entry.aliases.is_empty() {
        let aliases: Vec<String> = entry.aliases.iter().map(|a| format!("`{a}`")).collect();
        text.push_str(&format!(" — also {}", aliases.join(", ")));
    }
    text.push_str(&format!("\n\n{}\n", entry.doc));
    if !entry.formula.is_empty() {
        text.push_str(&format!("\n    {}\n", entry.formula));
    }
    text.push_str(&gradients(entry));
    let calls = match (entry.method, entry.in_place) {
        (true, true) => " Also a method, and in place with `_`.",
        (true, false) => " Also a method.",
        (false, _) => "",
    };
    text.push_str(&format!(
        "\nRuns on {}.{calls}\n",
        backends(entry).join(", ")
    ));
    text.push_str("\nShapes:\n\n");
    for line in &entry.shapes {
        text.push_str(&format!("- `{line}`\n"));
    }
    text.push_str("\n| from | to |\n| --- | --- |\n");
    for (results, from) in grouped(&entry.dtypes) {
        text.push_str(&format!("| {from} | {results} |\n"));
    }
    if !entry.dtypes_refused.is_empty() {
        let refused = names(&entry.dtypes_refused).join(", ");
        text.push_str(&format!("| {refused} | refused |\n"));
    }
    text.push_str(&runnable(&entry.example));
    text.push_str(&format!("\n```text\n{output}\n```\n"));
    text
}

/// An example in Markdown, with the imports that it lacks.
fn runnable(example: &str) -> String {
    let imports = imports(example);
    let gap = if imports.is_empty() { "" } else { "\n\n" };
    format!("\n```python\n{imports}{gap}{example}\n```\n")
}

fn gradients(entry: &Entry) -> String {
    if let Some(reason) = &entry.not_differentiable {
        return format!("\nNo gradient: {reason}.\n");
    }
    let mut text = String::new();
    if let Some(grad_fn) = &entry.grad_fn {
        text.push_str(&format!("\nOn the tape: `{grad_fn}`.\n"));
    }
    if !entry.gradients.is_empty() {
        text.push_str("\nGradients:\n\n");
    }
    for gradient in &entry.gradients {
        text.push_str(&format!("- `{}`: {}\n", gradient.operand, gradient.rule));
    }
    text
}

/// Dtypes by what they become, in the order of the first of each.
fn grouped(dtypes: &[(DType, DType)]) -> Vec<(String, String)> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for (from, to) in dtypes {
        let result = if from == to {
            "the same".to_owned()
        } else {
            to.to_string()
        };
        match groups.iter_mut().find(|(known, _)| *known == result) {
            Some((_, list)) => list.push(from.to_string()),
            None => groups.push((result, vec![from.to_string()])),
        }
    }
    groups
        .into_iter()
        .map(|(result, list)| (result, list.join(", ")))
        .collect()
}

/// Writes a file and the folders above it.
fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use glowgrad_session::protocol::Command;

    use super::*;
    use crate::lab::scripted::{ScriptedLab, done, error};

    #[test]
    fn the_last_line_of_an_example_is_printed() {
        assert_eq!(printing("torch.ones(2)\n"), "print(torch.ones(2))");
        assert_eq!(printing("x = 1\nx + 1"), "x = 1\nprint(x + 1)");
    }

    #[test]
    fn an_op_whose_example_fails_is_named() {
        let mut talk = Talk::new(ScriptedLab::boxed(|command| match command {
            Command::RunCell { id, cell, .. } if cell == "tanh" => {
                vec![error(*id, "NameError", "no torch"), done(*id, false)]
            }
            Command::RunCell { id, .. } => vec![done(*id, true)],
            other => panic!("unexpected {other:?}"),
        }));
        let families = build(&glowgrad::cpu()).unwrap();
        let why = run_examples(&mut talk, families).err().unwrap().to_string();
        assert!(
            why.starts_with("1 examples do not run:\ntanh: torch.tanh("),
            "{why}"
        );
    }

    #[test]
    fn dtypes_are_grouped_by_what_they_become() {
        let dtypes = [
            (DType::F32, DType::F32),
            (DType::I64, DType::F32),
            (DType::F64, DType::F64),
            (DType::Bool, DType::F32),
        ];
        let row = |result: &str, from: &str| (result.to_owned(), from.to_owned());
        assert_eq!(
            grouped(&dtypes),
            [
                row("the same", "float32, float64"),
                row("float32", "int64, bool")
            ]
        );
    }
}
