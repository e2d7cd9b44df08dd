//! The class that a network is.

mod forward;
mod made;

use std::collections::BTreeMap;

use crate::functions::function;
use crate::model::{Architecture, Block, Graph, Node};

use forward::forward;
pub(in crate::python) use made::names_in;
use made::{made, value};

/// The longest line that is written.
const WIDTH: usize = 100;

/// A network's code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The program.
    pub text: String,
    /// Of each node's path, the line where it stands, from 1.
    pub lines: BTreeMap<String, usize>,
}

/// The code of a network: a class for each block and one for the network, which runs under PyTorch and in the page.
///
/// ```
/// let net = glowgrad_architecture::presets::preset("mlp")?;
/// let code = glowgrad_architecture::python::write(&net);
/// assert!(code.text.contains("        x = torch.relu(self.fc1(x))\n"));
/// # Ok::<(), glowgrad_architecture::Error>(())
/// ```
pub fn write(net: &Architecture) -> Written {
    let mut writer = Writer {
        blocks: &net.blocks,
        lines: Vec::new(),
        places: BTreeMap::new(),
    };
    for block in &net.blocks {
        writer.class(&block.name, &block.note, &block.graph(), Some(block), &[]);
    }
    let names = net.input_names();
    let shapes: Vec<String> = (net.inputs.iter())
        .map(|input| {
            let sizes: Vec<String> = input.shape.iter().map(ToString::to_string).collect();
            let dtype = if input.dtype == "float32" {
                String::new()
            } else {
                format!("{} ", input.dtype)
            };
            format!("# {}: {dtype}[{}]", input.name, sizes.join(", "))
        })
        .collect();
    writer.class(&net.name, &net.note, &net.graph(&names), None, &shapes);
    let body = writer.lines.join("\n");
    let mut head = Vec::new();
    if body.contains("torch.") {
        head.push("import torch");
    }
    if body.contains("F.") {
        head.push("import torch.nn.functional as F");
    }
    head.push("from torch import nn");
    let n = head.len();
    let text = format!("{}\n{body}\n", head.join("\n"));
    let lines = writer
        .places
        .into_iter()
        .map(|(path, line)| (path, line + n))
        .collect();
    Written { text, lines }
}

struct Writer<'a> {
    blocks: &'a [Block],
    lines: Vec<String>,
    places: BTreeMap<String, usize>,
}

impl Writer<'_> {
    fn push(&mut self, indent: usize, text: &str) {
        let text = text.trim_end();
        self.lines.push(match text {
            "" => String::new(),
            text => format!("{}{text}", " ".repeat(4 * indent)),
        });
    }

    fn note(&mut self, indent: usize, note: &str) {
        for line in note.trim().lines() {
            self.push(indent, format!("# {line}").trim_end());
        }
    }

    fn class(
        &mut self,
        name: &str,
        note: &str,
        graph: &Graph<'_>,
        block: Option<&Block>,
        shapes: &[String],
    ) {
        self.push(0, "");
        self.push(0, "");
        self.push(0, &format!("class {name}(nn.Module):"));
        let note = note.trim();
        if !note.is_empty() {
            let note = note.replace('\\', "\\\\").replace("\"\"\"", "'''");
            let note = note.trim_end_matches('"');
            let lines: Vec<&str> = note.lines().collect();
            let n = lines.len();
            for (i, line) in lines.into_iter().enumerate() {
                let before = if i == 0 { "\"\"\"" } else { "" };
                let after = if i + 1 == n && n == 1 { "\"\"\"" } else { "" };
                self.push(1, &format!("{before}{}{after}", line.trim()));
            }
            if n > 1 {
                self.push(1, "\"\"\"");
            }
            self.push(0, "");
        }
        let prefix = block
            .map(|block| format!("{}/", block.name))
            .unwrap_or_default();
        let given: Vec<String> = block
            .map_or(&[][..], |block| &block.parameters[..])
            .iter()
            .map(|parameter| format!(", {}={}", parameter.name, value(&parameter.default)))
            .collect();
        self.push(1, &format!("def __init__(self{}):", given.concat()));
        self.push(2, "super().__init__()");
        if let Some(block) = block {
            for parameter in &block.parameters {
                let is_used = graph.nodes.iter().any(|node| {
                    function(&node.kind).is_some_and(|function| function.name != "parameter")
                        && node.args.values().any(|arg| {
                            names_in(arg)
                                .iter()
                                .any(|(_, name)| *name == parameter.name)
                        })
                });
                if is_used {
                    self.push(2, &format!("self.{0} = {0}", parameter.name));
                }
            }
        }
        for node in graph.nodes {
            self.attribute(node, &prefix);
        }
        self.push(0, "");
        self.push(
            1,
            &format!(
                "def forward(self{}):",
                graph
                    .inputs
                    .iter()
                    .map(|name| format!(", {name}"))
                    .collect::<String>()
            ),
        );
        for shape in shapes {
            self.push(2, shape);
        }
        for statement in forward(graph, &prefix) {
            self.note(2, &statement.note);
            self.push(2, &format!("{}{}", statement.target, statement.value));
            let line = self.lines.len();
            for path in statement.paths {
                self.places.entry(path).or_insert(line);
            }
        }
    }

    /// What a layer or a parameter is in `__init__`.
    fn attribute(&mut self, node: &Node, prefix: &str) {
        if node.same.is_some() || (function(&node.kind).is_some() && node.kind != "parameter") {
            return;
        }
        self.note(2, &node.note);
        let line = self.lines.len() + 1;
        let begin = format!("self.{} = ", node.id);
        for (i, text) in made(node, self.blocks, 8 + begin.len()).lines().enumerate() {
            let text = if i == 0 {
                format!("{begin}{text}")
            } else {
                text.to_owned()
            };
            self.push(2, &text);
        }
        self.places.insert(format!("{prefix}{}", node.id), line);
    }
}
