//! How much of PyTorch is here: its public names (`tests/coverage/names.json`) against ours.
//!
//! A name that is not here is out of reach, with a reason in `tests/coverage/absent.json`, or it is lacking. A reason for a
//! name that is here, or that PyTorch does not have, is an error.

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::{NOTE, run_cell};
use crate::lab::Talk;

const NAMES: &str = include_str!("../../../../tests/coverage/names.json");
const ABSENT: &str = include_str!("../../../../tests/coverage/absent.json");
const LIST: &str = include_str!("coverage.py");

/// The page's name in the reference.
pub(super) const PAGE: &str = "coverage.md";

type ByModule<T> = BTreeMap<String, T>;

#[derive(Deserialize)]
struct Public {
    torch: String,
    names: ByModule<Vec<String>>,
}

#[derive(Deserialize)]
struct Absent {
    reasons: BTreeMap<String, String>,
    names: ByModule<BTreeMap<String, String>>,
}

/// A module's names, counted.
struct Row {
    module: String,
    present: usize,
    lacking: Vec<String>,
    /// By reason.
    absent: BTreeMap<String, Vec<String>>,
}

/// The page, and the share of the names in reach that are here, in percent.
pub(super) fn page(talk: &mut Talk) -> Result<(String, f64)> {
    let public: Public = serde_json::from_str(NAMES).context("names.json cannot be read")?;
    let absent: Absent = serde_json::from_str(ABSENT).context("absent.json cannot be read")?;
    let names = serde_json::to_string(&public.names).context("no JSON of the names")?;
    let (text, failure) = run_cell(talk, "coverage", &format!("NAMES = {names}\n{LIST}"))?;
    if let Some(why) = failure {
        bail!("coverage.py does not run: {why}");
    }
    let lacking: ByModule<Vec<String>> =
        serde_json::from_str(&text).context("coverage.py prints no JSON")?;
    let rows = rows(&public, &absent, &lacking)?;
    let present: usize = rows.iter().map(|row| row.present).sum();
    let in_reach: usize = rows.iter().map(|row| row.present + row.lacking.len()).sum();
    let share = 100.0 * present as f64 / in_reach.max(1) as f64;
    Ok((written(&public, &absent, &rows, share), share))
}

fn rows(public: &Public, absent: &Absent, lacking: &ByModule<Vec<String>>) -> Result<Vec<Row>> {
    let none = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut rows = Vec::new();
    for (module, names) in &public.names {
        let missing = lacking.get(module).map_or(&[][..], Vec::as_slice);
        let reasons = absent.names.get(module).unwrap_or(&none);
        for (name, reason) in reasons {
            if !missing.contains(name) {
                wrong.push(format!("{module}.{name} has a reason to be absent, and is here or is no name of PyTorch"));
            }
            if !absent.reasons.contains_key(reason) {
                wrong.push(format!(
                    "{module}.{name}: absent.json has no reason `{reason}`"
                ));
            }
        }
        let mut row = Row {
            module: module.clone(),
            present: names.len() - missing.len(),
            lacking: Vec::new(),
            absent: BTreeMap::new(),
        };
        for name in missing {
            match reasons.get(name) {
                Some(reason) => row
                    .absent
                    .entry(reason.clone())
                    .or_default()
                    .push(name.clone()),
                None => row.lacking.push(name.clone()),
            }
        }
        rows.push(row);
    }
    if !wrong.is_empty() {
        bail!("tests/coverage/absent.json: {}", wrong.join("\n"));
    }
    Ok(rows)
}

fn written(public: &Public, absent: &Absent, rows: &[Row], share: f64) -> String {
    let note = NOTE.replace("the ops' definitions", "what glowgrad has");
    let mut text = format!(
        "{note}\n\n# How much of PyTorch is here\n\nThe public names of PyTorch {}, against those of glowgrad: {share:.1} % of \
         those that make sense for dense tensors of real numbers on one machine. `tests/coverage/make_names.py` lists \
         PyTorch's; a name that is out of reach has its reason in `tests/coverage/absent.json`.\n\n\
         | module | here | lacking | out of reach |\n|---|---:|---:|---:|\n",
        public.torch
    );
    for row in rows {
        let absent: usize = row.absent.values().map(Vec::len).sum();
        let lacking = row.lacking.len();
        let _ = writeln!(
            text,
            "| `{}` | {} | {lacking} | {absent} |",
            row.module, row.present
        );
    }
    text.push_str("\n## Lacking\n\n");
    for row in rows.iter().filter(|row| !row.lacking.is_empty()) {
        let _ = writeln!(text, "- `{}`: {}", row.module, listed(&row.lacking));
    }
    text.push_str("\n## Out of reach\n");
    for (reason, sentence) in &absent.reasons {
        let places: Vec<_> = rows
            .iter()
            .filter_map(|row| Some((row, row.absent.get(reason)?)))
            .collect();
        if places.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n{sentence}\n");
        for (row, names) in places {
            let _ = writeln!(text, "- `{}`: {}", row.module, listed(names));
        }
    }
    text
}

fn listed(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}
