//! The rows of layers, losses and optimizers: asked of Python, written as `layers.json`, and shown on their pages.
//!
//! `lab.catalog` makes them; a row's name is that of its entry in the reference.

use std::path::Path;

use anyhow::{Context, Result, bail};
use glowgrad_session::protocol::{LayerRow, LayerValue};

use super::{run_cell, write};
use crate::lab::Talk;

/// Prints the rows as JSON.
const LIST: &str = "import json\nfrom glowgrad import lab\nprint(json.dumps(lab.catalog()))";

/// The file beside the reference's JSON.
const NAME: &str = "layers.json";

/// Asks for the rows.
pub(super) fn list(talk: &mut Talk) -> Result<Vec<LayerRow>> {
    let (text, failure) = run_cell(talk, "layers", LIST)?;
    if let Some(why) = failure {
        bail!("lab.catalog() does not run: {why}");
    }
    serde_json::from_str(&text).context("lab.catalog() gives no rows as `LayerRow` has them")
}

/// Writes the rows beside the reference's JSON, one a line.
pub(super) fn write_json(beside: &Path, rows: &[LayerRow]) -> Result<()> {
    let lines: Result<Vec<String>, _> = rows.iter().map(serde_json::to_string).collect();
    let lines = lines.context("no JSON of the rows")?.join(",\n");
    write(&beside.with_file_name(NAME), &format!("[\n{lines}\n]\n"))
}

/// What a page says of a row, behind the docstring.
pub(super) fn section(row: &LayerRow) -> String {
    let mut text = String::new();
    if !row.arguments.is_empty() {
        text.push_str("\n| argument | type | default |\n| --- | --- | --- |\n");
    }
    for argument in &row.arguments {
        let default = match (argument.required, &argument.default) {
            (true, _) => String::new(),
            (false, value) => format!("`{}`", shown(value.as_ref())),
        };
        let kind = argument.kind.replace('|', "\\|");
        text.push_str(&format!("| `{}` | `{kind}` | {default} |\n", argument.name));
    }
    for (i, rule) in row.rules.iter().enumerate() {
        let word = if i == 0 { "Shape" } else { "or" };
        text.push_str(&format!("\n{word}: `{rule}`\n"));
    }
    for (name, body) in &row.definitions {
        text.push_str(&format!("\nwhere `{name} = {body}`\n"));
    }
    for (whole, divisor) in &row.divisible {
        text.push_str(&format!("\nwhere `{whole} % {divisor} == 0`\n"));
    }
    for (i, (name, body)) in row.state.iter().enumerate() {
        let word = if i == 0 {
            "\nRemembers of a parameter of the shape `[*]`:\n\n"
        } else {
            ""
        };
        text.push_str(&format!("{word}- `{name}`: `{body}`\n"));
    }
    if !row.operators.is_empty() || !row.onnx.is_empty() {
        text.push_str(&format!("\nONNX: {}.\n", onnx(row)));
    }
    text
}

/// `Gemm`, `MatMul`; a note.
fn onnx(row: &LayerRow) -> String {
    let operators: Vec<String> = row
        .operators
        .iter()
        .map(|each| format!("`{each}`"))
        .collect();
    match (operators.is_empty(), row.onnx.is_empty()) {
        (true, _) => format!("none, {}", row.onnx),
        (false, true) => operators.join(", "),
        (false, false) => format!("{}; {}", operators.join(", "), row.onnx),
    }
}

/// A value as Python writes it.
fn shown(value: Option<&LayerValue>) -> String {
    let all = |values: &[Option<LayerValue>]| {
        let texts: Vec<String> = values.iter().map(|each| shown(each.as_ref())).collect();
        texts.join(", ")
    };
    match value {
        None => "None".to_owned(),
        Some(LayerValue::Flag(true)) => "True".to_owned(),
        Some(LayerValue::Flag(false)) => "False".to_owned(),
        Some(LayerValue::Whole(value)) => value.to_string(),
        Some(LayerValue::Number(value)) => serde_json::to_string(value).unwrap_or_default(),
        Some(LayerValue::Text(value)) => format!("{value:?}"),
        Some(LayerValue::List(values)) => format!("({})", all(values)),
        Some(LayerValue::Module { kind, .. }) => kind.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: &str = r#"{"name": "nn.Pad", "kind": "layer", "torch": null, "doc": "Pads.", "arguments": [
        {"name": "padding", "type": "sizes | \"same\"", "words": ["sizes"], "choices": ["same"], "none": false,
         "keyword": false, "required": true, "default": null},
        {"name": "eps", "type": "numbers", "words": ["numbers"], "choices": [], "none": false, "keyword": false,
         "required": false, "default": [null, 0.001]}],
        "rules": ["[N] -> [wide(N)]"], "where": {"wide(n)": "n + 2"},
        "divisible": {"N": "eps ** 2", "padding": "eps"}, "dims": [1], "parameters": "0", "state": {},
        "operators": ["Pad"], "onnx": "mode is wrap", "examples": []}"#;

    #[test]
    fn a_row_is_a_table_a_rule_and_operators() {
        let row: LayerRow = serde_json::from_str(ROW).unwrap();
        assert_eq!(
            section(&row),
            "\n| argument | type | default |\n| --- | --- | --- |\n| `padding` | `sizes \\| \"same\"` |  |\n\
             | `eps` | `numbers` | `(None, 0.001)` |\n\nShape: `[N] -> [wide(N)]`\n\nwhere `wide(n) = n + 2`\n\n\
             where `N % eps ** 2 == 0`\n\nwhere `padding % eps == 0`\n\n\
             ONNX: `Pad`; mode is wrap.\n"
        );
    }
}
