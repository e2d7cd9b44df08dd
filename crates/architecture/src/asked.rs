//! What a page asks about networks: JSON in, JSON out.
//!
//! | `ask` | Beside it | Answer |
//! |---|---|---|
//! | `catalog` | | `layers`, `functions`, `losses`, `optimizers`, `presets`, `data`, `schedules`, `objectives` |
//! | `preset` | `name` | `net`, `analysis` |
//! | `edit` | `net`, and the network `before` a change | `net` with sizes that follow, its `analysis` |
//! | `add` | `net`, `after` (a source or ""), `kind`, `args` | `net`, `id`, `analysis` |
//! | `fixes` | `net`, `path` | `fixes`: `title`, `net` |
//! | `python` | `net` | `text`, and `lines`: of each node's path, where it stands |
//! | `read_python` | `text`, and the network `before` | `net`, `analysis`, and what was `left_out` |
//! | `rust` | `net` | `text` |
//! | `crate_files` | `net` | `files` of a crate that has it in Rust: `name`, `text` |
//! | `project` | `net` | `files` of a PyTorch project: `name`, `text` |
//! | `training` | `net` | `training`: its settings or the usual ones, the program's `text`, and as `setup` the part that trains nothing yet |
//! | `describe` | `text` | `net` and its `analysis` or null; `understood`, `assumed`, `unclear`, `contradictions` |
//!
//! What cannot be answered is `{"error": ..}`, with the `line` of the code that it is about.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::analysis::{Analysis, analyse};
use crate::catalog::{self, Row};
use crate::error::{Error, Result};
use crate::families::family;
use crate::functions::FUNCTIONS;
use crate::model::{Architecture, Args};
use crate::objective::OBJECTIVES;
use crate::python;
use crate::training::{DATA, SCHEDULES};

#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
enum Request {
    Catalog,
    Preset {
        name: String,
    },
    Edit {
        net: Value,
        #[serde(default)]
        before: Value,
    },
    Add {
        net: Value,
        after: String,
        kind: String,
        #[serde(default)]
        args: Args,
    },
    Fixes {
        net: Value,
        path: String,
    },
    Python {
        net: Value,
    },
    Rust {
        net: Value,
    },
    Training {
        net: Value,
    },
    CrateFiles {
        net: Value,
    },
    Project {
        net: Value,
    },
    ReadPython {
        text: String,
        #[serde(default)]
        before: Value,
    },
    Describe {
        text: String,
    },
}

/// Answers a request.
///
/// ```
/// let answer = glowgrad_architecture::asked::answer(r#"{"ask": "catalog"}"#);
/// assert!(answer.starts_with('{') && answer.contains("Conv2d"));
/// ```
pub fn answer(request: &str) -> String {
    answered(request)
        .unwrap_or_else(|error| json!({"error": error.message, "line": error.line}))
        .to_string()
}

fn answered(request: &str) -> Result<Value> {
    let request: Request = serde_json::from_str(request)
        .map_err(|error| Error::new(format!("the request cannot be read: {error}")))?;
    Ok(match request {
        Request::Catalog => catalog(),
        Request::Preset { name } => told(crate::presets::preset(&name)?),
        Request::Edit { net, before } => {
            let net = read(&net)?.sorted()?;
            let before = match before.is_null() {
                true => Analysis::default(),
                false => read(&before).map(|net| analyse(&net)).unwrap_or_default(),
            };
            told(net.settled(&before))
        }
        Request::Add {
            net,
            after,
            kind,
            args,
        } => {
            let mut net = read(&net)?;
            if !crate::edit::is_kind(&net, &kind) {
                return Err(Error::new(format!(
                    "there is no layer, function or block {kind}"
                )));
            }
            let args: Vec<(&str, Value)> = args
                .iter()
                .map(|(name, value)| (name.as_str(), value.clone()))
                .collect();
            let id = net.add_after(&after, &kind, &args);
            let mut answer = told(net.sorted()?);
            answer["id"] = id.into();
            answer
        }
        Request::Fixes { net, path } => {
            let fixes = crate::mending::fixes(&read(&net)?, &path);
            let fixes: Vec<Value> = fixes
                .into_iter()
                .map(|fix| json!({"title": fix.title, "net": fix.net}))
                .collect();
            json!({"fixes": fixes})
        }
        Request::Python { net } => {
            let code = python::write(&read(&net)?);
            json!({"text": code.text, "lines": code.lines})
        }
        Request::Rust { net } => json!({"text": crate::rust::write(&read(&net)?)?}),
        Request::CrateFiles { net } => files(crate::rust::package(&read(&net)?)?),
        Request::Project { net } => files(crate::project::files(&read(&net)?)?),
        Request::Training { net } => {
            let net = read(&net)?;
            let (setup, fit) = crate::training::program_in_two(&net)?;
            json!({"training": net.training_or_usual(), "text": format!("{setup}{fit}"), "setup": setup})
        }
        Request::ReadPython { text, before } => {
            let before = if before.is_null() {
                None
            } else {
                Some(read(&before)?)
            };
            let reading = python::read(&text, before.as_ref())?;
            let mut answer = told(reading.net);
            answer["left_out"] = reading.left_out.into();
            answer
        }
        Request::Describe { text } => {
            let found = crate::describe::describe(&text);
            let analysis = found.net.as_ref().map(analyse);
            let mut answer = json!(found);
            answer["analysis"] = json!(analysis);
            answer
        }
    })
}

fn files(files: Vec<(&'static str, String)>) -> Value {
    let files: Vec<Value> = files
        .into_iter()
        .map(|(name, text)| json!({"name": name, "text": text}))
        .collect();
    json!({"files": files})
}

fn read(net: &Value) -> Result<Architecture> {
    Architecture::parse(&net.to_string())
}

fn told(net: Architecture) -> Value {
    let analysis = analyse(&net);
    json!({"net": net, "analysis": analysis})
}

fn catalog() -> Value {
    let of_kind = |kind: &'static str| catalog::rows().iter().filter(move |row| row.kind == kind);
    let layers: Vec<Value> = of_kind("layer").map(row).collect();
    let losses: Vec<Value> = of_kind("loss").map(row).collect();
    let optimizers: Vec<Value> = of_kind("optimizer").map(row).collect();
    let functions: Vec<Value> = (FUNCTIONS.iter())
        .map(|function| {
            let arguments: Vec<Value> = (function.arguments.iter())
                .map(|setting| json!({
                    "name": setting.name, "type": setting.kind, "required": setting.default.is_none(),
                    "default": setting.default_value(),
                    "choices": if setting.kind.contains('|') { setting.kind.split('|').collect() } else { Vec::new() },
                }))
                .collect();
            json!({
                "name": function.name, "family": function.family, "doc": function.doc, "operands": function.operands,
                "variadic": function.is_variadic(), "arguments": arguments,
            })
        })
        .collect();
    let presets: Vec<Value> = (crate::presets::names())
        .map(|(name, note)| json!({"name": name, "note": note}))
        .collect();
    let data: Vec<Value> = DATA
        .iter()
        .map(|data| json!({"name": data.name, "note": data.note, "needs_files": data.needs_files}))
        .collect();
    let objectives: Vec<Value> = OBJECTIVES
        .iter()
        .map(|each| json!({"name": each.name, "label": each.label, "note": each.note, "losses": each.losses}))
        .collect();
    json!({
        "objectives": objectives, "layers": layers, "functions": functions, "losses": losses, "optimizers": optimizers, "presets": presets,
        "data": data, "schedules": SCHEDULES,
    })
}

fn row(row: &Row) -> Value {
    let arguments: Vec<Value> = row
        .settings()
        .map(|argument| json!({
            "name": argument.name, "type": argument.type_text, "words": argument.words, "choices": argument.choices,
            "none": argument.none, "required": argument.required, "default": argument.default,
        }))
        .collect();
    let operands = row
        .rules
        .first()
        .and_then(|rule| rule.split_once(" -> "))
        .map_or(0, |(left, _)| crate::shapes::patterns(left).len());
    json!({
        "name": row.short(), "family": family(row), "doc": row.doc, "torch": row.torch.is_some(),
        "rules": row.rules, "operands": operands, "arguments": arguments,
    })
}
