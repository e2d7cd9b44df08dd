//! The layers of the front end: folders of `www/src` import one way.
//!
//! Invariant: no circle of imports leads from a folder back to itself, so that each folder can be read and
//! tested with the folders below it alone. Every relative path in quotes counts: an `import`, a type, a lazy
//! `import()`, a worker's URL. Unit tests may import what they like. Files directly in `www/src` put the page
//! together and count as one folder, [`PAGE`].

use super::layers::Layers;

const ROOT: &str = "www/src/";
/// The files that stand in no folder.
const PAGE: &str = "page";

/// Reads the imports of sources given as path and text; what is not of the front end is passed by.
pub(super) fn read<'a>(sources: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> Layers {
    let modules = sources.filter(|(path, _)| is_module(path));
    let folders = modules.clone().map(|(path, _)| folder_of(path));
    let mut layers = Layers::new("folders of www/src".to_owned(), folders);
    for (path, text) in modules {
        for (index, line) in text.lines().enumerate() {
            for resolved in relative_paths(line).filter_map(|target| resolve(path, target)) {
                // `../protocol` names a folder, `./App.svelte` a file that stands in none.
                let first = resolved.split('/').next().unwrap_or("");
                let is_folder = resolved.contains('/') || layers.knows(first);
                let to = if is_folder { first } else { PAGE };
                layers.import(folder_of(path), to, path, index + 1);
            }
        }
    }
    layers
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
fn relative_paths(line: &str) -> impl Iterator<Item = &str> {
    let starts = line.match_indices(['"', '\'']).filter(|(at, _)| {
        let rest = &line[at + 1..];
        rest.starts_with("./") || rest.starts_with("../")
    });
    starts.filter_map(|(at, quote)| line[at + 1..].split(quote).next())
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

    #[test]
    fn imports_that_go_one_way_are_a_table() {
        let good = read(GOOD.into_iter());
        assert_eq!(good.findings(), []);
        assert_eq!(
            good.table(),
            "folders of www/src\n\n| Layer | Name | Imports |\n|---|---|---|\n\
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
        let found = read(sources.into_iter()).findings();
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
}
