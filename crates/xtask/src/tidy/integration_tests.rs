//! A crate's integration tests are modules of one program, `crates/NAME/tests/it`, so that they are linked once.
//!
//! Invariant: each file there is a module of the program, because the compiler does not see one that `main.rs`
//! leaves out, and its tests would be lost without a word. A test that needs a program of its own says why.

use std::collections::BTreeMap;

use super::Finding;

/// How a file directly in `tests` begins its reason.
const REASON: &str = "Own program because:";

/// What is wrong in sources given as path and text.
pub(super) fn findings<'a>(
    sources: impl Iterator<Item = (&'a str, &'a str)>,
) -> Vec<(String, Finding)> {
    let tests: BTreeMap<&str, &str> = sources
        .filter(|(path, _)| path.starts_with("crates/") && path.ends_with(".rs"))
        .filter(|(path, _)| path.contains("/tests/") && !path.contains("/src/"))
        .collect();
    let wrong = tests.iter().filter_map(|(path, text)| {
        let (folder, file) = path.split_once("/tests/")?;
        let module = match file.strip_prefix("it/") {
            None if file.contains('/') || text.contains(REASON) => return None,
            None => {
                return Some((
                    path,
                    format!(
                        "move it into {folder}/tests/it, or say `{REASON} …` in its header: programs are linked one by one"
                    ),
                ));
            }
            Some(file) => file
                .strip_suffix("/mod.rs")
                .or(file.strip_suffix(".rs"))
                .filter(|module| !module.contains('/') && *module != "main")?,
        };
        let main = tests.get(format!("{folder}/tests/it/main.rs").as_str());
        let declaration = format!("mod {module};");
        let is_declared = main.is_some_and(|main| main.lines().any(|line| line == declaration));
        let message = format!("its tests do not run: add `{declaration}` to {folder}/tests/it/main.rs");
        (!is_declared).then_some((path, message))
    });
    let wrong = wrong.map(|(path, message)| ((*path).to_owned(), Finding { line: 0, message }));
    wrong.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths_of(sources: &[(&'static str, &'static str)]) -> Vec<String> {
        let found = findings(sources.iter().copied());
        found.into_iter().map(|(path, _)| path).collect()
    }

    #[test]
    fn a_file_that_is_no_module_of_the_program_is_found() {
        let mut sources = vec![
            ("crates/a/tests/it/main.rs", "mod one;\nmod shared;\n"),
            ("crates/a/tests/it/one.rs", ""),
            ("crates/a/tests/it/one/part.rs", ""),
            ("crates/a/tests/it/shared/mod.rs", ""),
            ("crates/a/tests/own.rs", "//! Own program because: it ends."),
            ("crates/a/src/tests/of_the_crate.rs", ""),
            ("tests/browser/page.test.mjs", ""),
        ];
        assert_eq!(paths_of(&sources), [""; 0]);
        sources.push(("crates/a/tests/it/two.rs", ""));
        sources.push(("crates/a/tests/three.rs", ""));
        sources.push(("crates/b/tests/it/one.rs", ""));
        assert_eq!(
            paths_of(&sources),
            [
                "crates/a/tests/it/two.rs",
                "crates/a/tests/three.rs",
                "crates/b/tests/it/one.rs"
            ]
        );
    }
}
