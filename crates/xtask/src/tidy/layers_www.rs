//! The layers of the front end: folders of `www/src` import one way.
//!
//! Invariant: no circle of imports leads from a folder back to itself, so that each folder can be read and
//! tested with the folders below it alone. Every relative path in quotes counts: an `import`, a type, a lazy
//! `import()`, a worker's URL. Unit tests may import what they like. Files directly in `www/src` put the page
//! together and count as one folder, [`PAGE`].

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::Finding;

const ROOT: &str = "www/src/";
/// The files that stand in no folder.
const PAGE: &str = "page";

/// A folder's imports: by imported folder, the places (path and line) that import it.
type Imports = BTreeMap<String, Vec<(String, usize)>>;

/// The folders and what they import.
pub(crate) struct Layers(BTreeMap<String, Imports>);

impl Layers {
    /// Reads the imports of sources given as path and text; what is not of the front end is passed by.
    pub(crate) fn read<'a>(sources: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> Layers {
        let modules = sources.filter(|(path, _)| is_module(path));
        let mut folders: BTreeMap<String, Imports> = modules
            .clone()
            .map(|(path, _)| (folder_of(path).to_owned(), Imports::new()))
            .collect();
        let known: BTreeSet<String> = folders.keys().cloned().collect();
        for (path, text) in modules {
            let from = folder_of(path);
            for (index, line) in text.lines().enumerate() {
                for target in relative_paths(line) {
                    let Some(resolved) = resolve(path, target) else {
                        continue;
                    };
                    // `../protocol` names a folder, `./App.svelte` a file that stands in none.
                    let first = resolved.split('/').next().unwrap_or("");
                    let is_folder = resolved.contains('/') || known.contains(first);
                    let to = if is_folder { first } else { PAGE };
                    if to == from || !known.contains(to) {
                        continue;
                    }
                    let imports = folders.entry(from.to_owned()).or_default();
                    let places = imports.entry(to.to_owned()).or_default();
                    places.push((path.to_owned(), index + 1));
                }
            }
        }
        Layers(folders)
    }

    /// The imports of the shortest circle; none when imports go one way.
    pub(crate) fn findings(&self) -> Vec<(String, Finding)> {
        let circles = self.0.keys().filter_map(|folder| self.circle(folder));
        let Some(circle) = circles.min_by_key(Vec::len) else {
            return Vec::new();
        };
        let message = format!(
            "imports between folders of www/src go in a circle: {}; move what both need into the lower of them",
            circle.join(" → ")
        );
        let steps = circle.windows(2);
        steps
            .flat_map(|step| self.0[&step[0]][&step[1]].iter())
            .map(|(path, line)| {
                let message = message.clone();
                (
                    path.clone(),
                    Finding {
                        line: *line,
                        message,
                    },
                )
            })
            .collect()
    }

    /// The shortest way along imports from a folder back to itself, with the folder at both ends.
    fn circle(&self, folder: &str) -> Option<Vec<String>> {
        let mut before: BTreeMap<&str, &str> = BTreeMap::new();
        let mut pending = VecDeque::from([folder]);
        while let Some(at) = pending.pop_front() {
            for next in self.0[at].keys() {
                if next == folder {
                    let mut way = vec![folder.to_owned()];
                    let mut step = at;
                    while step != folder {
                        way.push(step.to_owned());
                        step = before[step];
                    }
                    way.push(folder.to_owned());
                    way.reverse();
                    return Some(way);
                }
                if !before.contains_key(next.as_str()) {
                    before.insert(next, at);
                    pending.push_back(next);
                }
            }
        }
        None
    }

    /// The order of the layers as a Markdown table, the highest first. A folder stands one layer above the highest
    /// that it imports. Only where imports go one way.
    pub(crate) fn table(&self) -> String {
        let mut layer: BTreeMap<&str, usize> = BTreeMap::new();
        while layer.len() < self.0.len() {
            let placed = layer.len();
            for (folder, imports) in &self.0 {
                let below: Option<Vec<usize>> = imports
                    .keys()
                    .map(|below| layer.get(below.as_str()).copied())
                    .collect();
                if let Some(below) = below {
                    layer.insert(folder, below.into_iter().max().map_or(0, |top| top + 1));
                }
            }
            if layer.len() == placed {
                break;
            }
        }
        let mut rows: Vec<(usize, &str)> = layer
            .iter()
            .map(|(folder, layer)| (*layer, *folder))
            .collect();
        rows.sort_by_key(|(layer, folder)| (std::cmp::Reverse(*layer), *folder));
        let mut table = String::from("| Layer | Folder | Imports |\n|---|---|---|\n");
        for (layer, folder) in rows {
            let imports: Vec<String> = self.0[folder].keys().map(|to| format!("`{to}`")).collect();
            table += &format!("| {layer} | `{folder}` | {} |\n", imports.join(", "));
        }
        table
    }
}

fn is_module(path: &str) -> bool {
    let is_code = path.ends_with(".svelte") || path.ends_with(".ts");
    path.starts_with(ROOT) && is_code && !path.ends_with(".test.ts")
}

fn folder_of(path: &str) -> &str {
    let inside = path.strip_prefix(ROOT).unwrap_or(path);
    inside.split_once('/').map_or(PAGE, |(folder, _)| folder)
}

/// The relative paths in quotes on a line.
fn relative_paths(line: &str) -> Vec<&str> {
    let starts = line.match_indices(['"', '\'']).filter(|(at, _)| {
        let rest = &line[at + 1..];
        rest.starts_with("./") || rest.starts_with("../")
    });
    starts
        .filter_map(|(at, quote)| line[at + 1..].split(quote).next())
        .collect()
}

/// Where a relative path leads, from `www/src`; none where it leads out of it.
fn resolve(from: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.strip_prefix(ROOT)?.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: [(&str, &str); 6] = [
        ("www/src/main.ts", "import \"./routes/Page.svelte\";"),
        (
            "www/src/routes/Page.svelte",
            "<script>\nconst view = () => import(\"../view/View.svelte\");\n</script>",
        ),
        (
            "www/src/view/View.svelte",
            "import type { Model } from '../model/model';\nimport { one } from \"./own\";",
        ),
        (
            "www/src/model/model.ts",
            "import type { Event } from \"../protocol\";",
        ),
        (
            "www/src/model/model.test.ts",
            "import View from \"../view/View.svelte\";",
        ),
        (
            "www/src/protocol/index.ts",
            "export type { E } from \"./generated/E\";",
        ),
    ];

    fn layers(sources: &[(&'static str, &'static str)]) -> Layers {
        Layers::read(sources.iter().copied())
    }

    #[test]
    fn imports_that_go_one_way_are_a_table() {
        let good = layers(&GOOD);
        assert_eq!(good.findings(), []);
        assert_eq!(
            good.table(),
            "| Layer | Folder | Imports |\n|---|---|---|\n\
             | 4 | `page` | `routes` |\n\
             | 3 | `routes` | `view` |\n\
             | 2 | `view` | `model` |\n\
             | 1 | `model` | `protocol` |\n\
             | 0 | `protocol` |  |\n"
        );
    }

    #[test]
    fn a_circle_is_named_with_the_files_that_make_it() {
        let mut sources = GOOD.to_vec();
        sources.push((
            "www/src/model/place.ts",
            "// Of the page.\nimport type { Route } from \"../routes/router\";",
        ));
        let found = layers(&sources).findings();
        let places: Vec<(&str, usize)> = found
            .iter()
            .map(|(path, finding)| (path.as_str(), finding.line))
            .collect();
        assert_eq!(
            places,
            [
                ("www/src/model/place.ts", 2),
                ("www/src/routes/Page.svelte", 2),
                ("www/src/view/View.svelte", 1),
            ]
        );
        let message = &found[0].1.message;
        assert!(
            message.contains("model → routes → view → model"),
            "{message}"
        );
    }

    #[test]
    fn the_shortest_circle_comes_first() {
        let mut sources = GOOD.to_vec();
        sources.push(("www/src/model/a.ts", "import \"../routes/b\";"));
        sources.push(("www/src/model/c.ts", "import \"../view/d\";"));
        let found = layers(&sources).findings();
        assert!(found[0].1.message.contains("model → view → model"));
        assert_eq!(found.len(), 2);
    }
}
