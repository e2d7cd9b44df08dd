//! Which module imports which, and whether imports go one way.
//!
//! A module is a folder of the front end or a top module of a crate: `layers_www` and `layers_crates` read the
//! imports from the sources. Here are the search for circles, and the table.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use super::Finding;

/// A module's imports: by imported module, the places (path and line) that import it.
type Imports = BTreeMap<String, Vec<(String, usize)>>;

/// Modules and what they import.
pub(crate) struct Layers {
    /// What the modules are, in the plural.
    of: String,
    modules: BTreeMap<String, Imports>,
}

impl Layers {
    /// Modules that import nothing yet. `of` says what they are: `modules of crates/cpu/src`.
    pub(super) fn new<'a>(of: String, modules: impl Iterator<Item = &'a str>) -> Layers {
        let modules = modules.map(|module| (module.to_owned(), Imports::new()));
        Layers {
            of,
            modules: modules.collect(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.modules.is_empty()
    }

    /// Whether the modules are these: as in [`Layers::new`].
    pub(super) fn is_of(&self, of: &str) -> bool {
        self.of == of
    }

    /// The imports, as pairs, without those that another way stands for. Only where imports go one way.
    pub(super) fn direct(&self) -> Vec<(&str, &str)> {
        let mut pairs = Vec::new();
        for (from, imports) in &self.modules {
            let detour = |to: &str| imports.keys().any(|by| by != to && self.leads(by, to));
            let direct = imports.keys().filter(|to| !detour(to));
            pairs.extend(direct.map(|to| (from.as_str(), to.as_str())));
        }
        pairs
    }

    /// Whether imports lead from one module to another.
    fn leads(&self, from: &str, to: &str) -> bool {
        let imports = &self.modules[from];
        imports.contains_key(to) || imports.keys().any(|next| self.leads(next, to))
    }

    pub(super) fn knows(&self, module: &str) -> bool {
        self.modules.contains_key(module)
    }

    /// Adds an import; a module's imports of itself, and names that are no module, do not count.
    pub(super) fn import(&mut self, from: &str, to: &str, path: &str, line: usize) {
        if from == to || !self.knows(to) {
            return;
        }
        if let Some(imports) = self.modules.get_mut(from) {
            let places = imports.entry(to.to_owned()).or_default();
            let place = (path.to_owned(), line);
            // `{a, b}` of one module is one import.
            if places.last() != Some(&place) {
                places.push(place);
            }
        }
    }

    /// The imports of the shortest circle; none when imports go one way.
    pub(crate) fn findings(&self) -> Vec<(String, Finding)> {
        let circles = self.modules.keys().filter_map(|module| self.circle(module));
        let Some(circle) = circles.min_by_key(Vec::len) else {
            return Vec::new();
        };
        let message = format!(
            "imports between {} go in a circle: {}; move what both need into the lower of them",
            self.of,
            circle.join(" → ")
        );
        let finding = |(path, line): &(String, usize)| {
            let message = message.clone();
            let line = *line;
            (path.clone(), Finding { line, message })
        };
        let steps = circle.windows(2);
        let places = steps.flat_map(|step| &self.modules[&step[0]][&step[1]]);
        places.map(finding).collect()
    }

    /// The shortest way along imports from a module back to itself, with the module at both ends.
    fn circle(&self, module: &str) -> Option<Vec<String>> {
        let mut before: BTreeMap<&str, &str> = BTreeMap::new();
        let mut pending = VecDeque::from([module]);
        while let Some(at) = pending.pop_front() {
            for next in self.modules[at].keys() {
                if next == module {
                    let mut way = vec![module.to_owned()];
                    let mut step = at;
                    while step != module {
                        way.push(step.to_owned());
                        step = before[step];
                    }
                    way.push(module.to_owned());
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

    /// The order of the layers as a Markdown table, the highest first. A module stands one layer above the highest
    /// that it imports; one in a circle, or above a circle, has no layer and comes last.
    pub(crate) fn table(&self) -> String {
        let mut layer: BTreeMap<&str, usize> = BTreeMap::new();
        loop {
            let placed = layer.len();
            for (module, imports) in &self.modules {
                let below = imports.keys().map(|below| layer.get(below.as_str()));
                if let Some(below) = below.collect::<Option<Vec<_>>>() {
                    let own = below.into_iter().max().map_or(0, |top| top + 1);
                    layer.insert(module, own);
                }
            }
            if layer.len() == placed {
                break;
            }
        }
        let mut rows: Vec<&String> = self.modules.keys().collect();
        rows.sort_by_key(|module| Reverse(layer.get(module.as_str())));
        let mut table = format!("{}\n\n| Layer | Name | Imports |\n|---|---|---|\n", self.of);
        for module in rows {
            let layer = layer.get(module.as_str());
            let layer = layer.map_or("circle".to_owned(), usize::to_string);
            let imports = self.modules[module].keys().map(|to| format!("`{to}`"));
            let imports = imports.collect::<Vec<_>>().join(", ");
            table += &format!("| {layer} | `{module}` | {imports} |\n");
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Layers {
        /// What a module imports, as `module:line`.
        pub(in crate::tidy) fn places(&self, module: &str) -> Vec<String> {
            let imports = self.modules.get(module).into_iter().flatten();
            let place = |(to, places): (&String, &Vec<(String, usize)>)| {
                let lines = places.iter().map(|(_, line)| format!("{to}:{line}"));
                lines.collect::<Vec<_>>()
            };
            imports.flat_map(place).collect()
        }
    }

    /// Imports `from → to`, each on a line of its own of `from.rs`.
    fn layers(imports: &[(&str, &str)]) -> Layers {
        let names = imports.iter().flat_map(|&(from, to)| [from, to]);
        let mut layers = Layers::new("modules of a".to_owned(), names);
        for (index, (from, to)) in imports.iter().enumerate() {
            layers.import(from, to, &format!("{from}.rs"), index + 1);
        }
        layers
    }

    #[test]
    fn imports_that_go_one_way_are_a_table() {
        let good = layers(&[("top", "middle"), ("top", "low"), ("middle", "low")]);
        assert_eq!(good.findings(), []);
        assert_eq!(
            good.table(),
            "modules of a\n\n| Layer | Name | Imports |\n|---|---|---|\n\
             | 2 | `top` | `low`, `middle` |\n\
             | 1 | `middle` | `low` |\n\
             | 0 | `low` |  |\n"
        );
    }

    #[test]
    fn the_shortest_circle_comes_first_with_its_places() {
        let bad = layers(&[("a", "b"), ("b", "c"), ("c", "a"), ("c", "b")]);
        let found = bad.findings();
        let places: Vec<(&str, usize)> = found
            .iter()
            .map(|(path, finding)| (path.as_str(), finding.line))
            .collect();
        assert_eq!(places, [("b.rs", 2), ("c.rs", 4)]);
        assert_eq!(
            found[0].1.message,
            "imports between modules of a go in a circle: b → c → b; move what both need into the lower of them"
        );
    }

    #[test]
    fn a_module_in_a_circle_or_above_one_has_no_layer() {
        let bad = layers(&[("above", "a"), ("a", "b"), ("b", "a"), ("b", "low")]);
        assert_eq!(
            bad.table(),
            "modules of a\n\n| Layer | Name | Imports |\n|---|---|---|\n\
             | 0 | `low` |  |\n\
             | circle | `a` | `b` |\n\
             | circle | `above` | `a` |\n\
             | circle | `b` | `a`, `low` |\n"
        );
    }

    #[test]
    fn a_module_may_import_itself() {
        assert_eq!(layers(&[("a", "a")]).findings(), []);
    }
}
