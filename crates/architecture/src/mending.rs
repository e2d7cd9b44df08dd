//! Changes that may mend the fault of a node, beside those that sizes decide (`edit.rs`): a source, a dtype, an argument.
//!
//! Invariant: none of them is offered before the analysis of the changed network finds the node without a fault.

use serde_json::Value as Json;

use crate::analysis::analyse;
use crate::catalog;
use crate::edit::{Fix, free_id, with_examples};
use crate::model::{Architecture, Args, Node, Source};

/// Arguments that name a dimension.
const DIMENSIONS: [&str; 5] = ["dim", "dim0", "dim1", "start_dim", "end_dim"];
/// The most numbers that are tried for an argument, and sources for a node.
const MOST_NUMBERS: u64 = 16;
const MOST_SOURCES: usize = 3;

/// The most changes that are offered for a fault.
const MOST: usize = 4;

/// What would mend the fault of a node at a path of the analysis: what sizes decide, then other changes.
pub fn fixes(net: &Architecture, path: &str) -> Vec<Fix> {
    let mut all = net.fixes(path);
    let (block, id) = match path.split_once('/') {
        Some((name, id)) => {
            let block = net.blocks.iter().position(|block| block.name == name);
            let Some(block) = block else { return all };
            (Some(block), id)
        }
        None => (None, path),
    };
    let nodes = match block {
        Some(block) => &net.blocks[block].nodes,
        None => &net.nodes,
    };
    let Some(at) = nodes.iter().position(|node| node.id == id) else {
        return all;
    };
    let mending = Mending {
        net,
        block,
        at,
        path,
    };
    let mut found = Vec::new();
    mending.sources(&mut found);
    mending.dtypes(&mut found);
    mending.arguments(&mut found);
    for (title, net) in found {
        if all.len() < MOST && all.iter().all(|fix| fix.title != title) {
            all.push(Fix { title, net });
        }
    }
    all
}

struct Mending<'a> {
    net: &'a Architecture,
    block: Option<usize>,
    at: usize,
    path: &'a str,
}

type Found = Vec<(String, Architecture)>;

impl Mending<'_> {
    fn nodes(&self) -> &[Node] {
        match self.block {
            Some(block) => &self.net.blocks[block].nodes,
            None => &self.net.nodes,
        }
    }

    fn node(&self) -> &Node {
        &self.nodes()[self.at]
    }

    fn inputs(&self) -> Vec<String> {
        match self.block {
            Some(block) => self.net.blocks[block].inputs.clone(),
            None => self.net.input_names(),
        }
    }

    fn changed(&self, edit: impl FnOnce(&mut Vec<Node>)) -> Architecture {
        let mut net = self.net.clone();
        edit(match self.block {
            Some(block) => &mut net.blocks[block].nodes,
            None => &mut net.nodes,
        });
        net
    }

    /// Notes a change that mends; whether it does.
    fn take(&self, found: &mut Found, title: String, changed: Architecture) -> bool {
        let analysis = analyse(&changed);
        let facts = analysis.nodes.get(self.path);
        let is_mended = facts.is_some_and(|facts| facts.fault.is_none() && !facts.is_waiting);
        if is_mended {
            found.push((title, changed));
        }
        is_mended
    }

    fn set(&self, name: &str, value: Json) -> Architecture {
        self.changed(|nodes| drop(nodes[self.at].args.insert(name.to_owned(), value)))
    }

    /// A source in the place of one that is gone, or one more: the nearest before it.
    fn sources(&self, found: &mut Found) {
        let inputs = self.inputs();
        let before: Vec<String> = (self.nodes()[..self.at].iter().rev())
            .map(|node| node.id.clone())
            .chain(inputs.iter().rev().cloned())
            .filter(|name| !self.node().inputs.contains(name))
            .take(MOST_SOURCES)
            .collect();
        let is_there = |source: &String| {
            let name = Source::parse(source).name;
            inputs.iter().any(|input| input == name)
                || self.nodes().iter().any(|node| node.id == name)
        };
        let gone = self
            .node()
            .inputs
            .iter()
            .position(|source| !is_there(source));
        for name in before {
            match gone {
                Some(place) => self.take(
                    found,
                    format!(
                        "Wire {name} to it, instead of {}",
                        self.node().inputs[place]
                    ),
                    self.changed(|nodes| nodes[self.at].inputs[place].clone_from(&name)),
                ),
                None => self.take(
                    found,
                    format!("Wire {name} to it"),
                    self.changed(|nodes| nodes[self.at].inputs.push(name.clone())),
                ),
            };
        }
    }

    /// An input of the network with the dtype that the node takes.
    fn dtypes(&self, found: &mut Found) {
        for source in self.node().inputs.iter().filter(|_| self.block.is_none()) {
            let place = (self.net.inputs.iter()).position(|input| input.name == *source);
            let Some(place) = place else { continue };
            for dtype in ["int64", "float32"] {
                if self.net.inputs[place].dtype == dtype {
                    continue;
                }
                let mut net = self.net.clone();
                dtype.clone_into(&mut net.inputs[place].dtype);
                self.take(found, format!("Make {source} {dtype}"), net);
            }
        }
    }

    fn arguments(&self, found: &mut Found) {
        let node = self.node();
        let lacking: Args = (with_examples(&node.kind, &node.args).into_iter())
            .filter(|(name, _)| !node.args.contains_key(name))
            .collect();
        if !lacking.is_empty() {
            let texts: Vec<String> = lacking
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            let changed = self.changed(|nodes| nodes[self.at].args.extend(lacking));
            self.take(found, format!("Set {}", texts.join(", ")), changed);
        }
        let number = |name: &str| {
            node.args
                .get(name)
                .and_then(Json::as_u64)
                .filter(|n| *n > 0)
        };
        if let Some(n) = number("kernel_size") {
            self.take(
                found,
                format!("Set padding={}", n / 2),
                self.set("padding", (n / 2).into()),
            );
            let _ = (1..n.min(MOST_NUMBERS)).rev().any(|n| {
                self.take(
                    found,
                    format!("Set kernel_size={n}"),
                    self.set("kernel_size", n.into()),
                )
            });
        }
        for name in catalog::layer(&node.kind)
            .iter()
            .flat_map(|row| row.divisible.values())
        {
            let Some(n) = node.args.get(name).and_then(Json::as_u64) else {
                continue;
            };
            let _ = (1..n)
                .rev()
                .take(MOST_NUMBERS as usize)
                .any(|n| self.take(found, format!("Set {name}={n}"), self.set(name, n.into())));
        }
        for name in DIMENSIONS
            .iter()
            .filter(|name| node.args.get(**name).is_some_and(Json::is_i64))
        {
            self.take(found, format!("Set {name}=-1"), self.set(name, (-1).into()));
        }
        for name in ["shape", "sizes"] {
            let Some(Json::Array(sizes)) = node.args.get(name) else {
                continue;
            };
            for place in (0..sizes.len()).rev() {
                let mut sizes = sizes.clone();
                sizes[place] = (-1).into();
                let text = Json::from(sizes.clone());
                if self.take(
                    found,
                    format!("Set {name}={text}"),
                    self.set(name, sizes.into()),
                ) {
                    break;
                }
            }
        }
        if node.kind == "matmul" && node.inputs.len() == 2 {
            let second = node.inputs[1].clone();
            let turned = Node {
                id: free_id(self.nodes(), &self.inputs(), "transpose"),
                kind: "transpose".to_owned(),
                args: [
                    ("dim0".to_owned(), (-2).into()),
                    ("dim1".to_owned(), (-1).into()),
                ]
                .into_iter()
                .collect(),
                inputs: vec![second.clone()],
                ..Node::default()
            };
            let changed = self.changed(|nodes| {
                nodes[self.at].inputs[1].clone_from(&turned.id);
                nodes.insert(self.at, turned);
            });
            self.take(
                found,
                format!("Exchange the last two dimensions of {second} before it"),
                changed,
            );
        }
    }
}
