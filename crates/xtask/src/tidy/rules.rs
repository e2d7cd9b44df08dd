//! The rules of tidy, one function each.
//!
//! A rule sees one file and returns what is wrong in it. Words that a rule forbids are put together
//! at run time, so that this file keeps its own rules.

use super::voice::voice;
use super::{Finding, Source};

/// All rules, in the order they report.
pub(crate) const ALL: [fn(&Source) -> Vec<Finding>; 9] = [
    length,
    header,
    leftovers,
    machine_paths,
    safety,
    quiet_heart,
    direction,
    javascript_in_web,
    voice,
];

/// Longer files need a reason in their header.
const MOST_LINES: usize = 600;

/// How far down a header may give its reason.
const HEADER_LINES: usize = 30;

fn is_code(source: &Source) -> bool {
    matches!(
        source.extension(),
        "rs" | "ts" | "svelte" | "js" | "mjs" | "css" | "wgsl" | "cu" | "py"
    )
}

/// What needs no header: what a learner reads (lesson files, the Python on the page), programs that
/// stand for a learner's, and the front end's unit tests, which are named after what they test.
fn is_content(source: &Source) -> bool {
    source.path.starts_with("lessons/")
        || source.path.starts_with("crates/cli/src/new_lesson/")
        || source.path.starts_with("tests/torch_programs/")
        || source.path.starts_with("tests/python_programs/")
        || source.path.starts_with("tests/numpy_programs/")
        || source.path.starts_with("tests/zoo_programs/")
        || source.path.ends_with(".test.ts")
        || (source.path.starts_with("www/") && source.extension() == "py")
}

fn length(source: &Source) -> Vec<Finding> {
    let lines = source.text.lines().count();
    let excused = source
        .text
        .lines()
        .take(HEADER_LINES)
        .any(|line| line.contains("Long because:"));
    if !is_code(source) || lines <= MOST_LINES || excused {
        return Vec::new();
    }
    let message = format!(
        "{lines} lines, more than {MOST_LINES}: split it, or say `Long because: …` in its header"
    );
    vec![Finding { line: 0, message }]
}

fn header(source: &Source) -> Vec<Finding> {
    if !is_code(source) || is_content(source) {
        return Vec::new();
    }
    let mut lines = source
        .text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with("#!"));
    let first = lines.next().unwrap_or("").trim_start();
    let opens_with_comment = match source.extension() {
        "rs" => first.starts_with("//!"),
        "py" => {
            first.starts_with('#') || first.starts_with("\"\"\"") || first.starts_with("r\"\"\"")
        }
        "css" => first.starts_with("/*"),
        // A component says it in its markup or at the top of its script.
        "svelte" => {
            first.starts_with("<!--")
                || (first.starts_with("<script")
                    && lines.next().is_some_and(|line| {
                        line.trim_start().starts_with("//") || line.trim_start().starts_with("/*")
                    }))
        }
        _ => first.starts_with("//") || first.starts_with("/*"),
    };
    if opens_with_comment || source.text.trim().is_empty() {
        return Vec::new();
    }
    vec![Finding {
        line: 1,
        message: "no header comment: say what this file is, and what it leaves to others"
            .to_owned(),
    }]
}

fn leftovers(source: &Source) -> Vec<Finding> {
    if !is_code(source) {
        return Vec::new();
    }
    let words: &[&[&str]] = match source.extension() {
        "rs" => &[
            &["dbg", "!("],
            &["todo", "!("],
            &["unimplemented", "!("],
            &["FIX", "ME"],
        ],
        // Browser tests report what they measured on the console.
        "mjs" if source.path.starts_with("tests/") || source.path.contains("/harness/") => {
            &[&["debugger", ";"], &["FIX", "ME"], &[".on", "ly("]]
        }
        "ts" | "svelte" | "js" | "mjs" => &[
            &["console.", "log("],
            &["debugger", ";"],
            &["FIX", "ME"],
            &[".on", "ly("],
        ],
        _ => &[&["FIX", "ME"]],
    };
    let words: Vec<String> = words.iter().map(|parts| parts.concat()).collect();
    let mut findings = Vec::new();
    for (line, text) in source.lines() {
        for word in &words {
            if contains_word(text, word) {
                findings.push(Finding {
                    line,
                    message: format!("`{word}` is left over: finish it or take it out"),
                });
            }
        }
    }
    findings
}

/// Whether `word` occurs and does not merely end a longer name.
fn contains_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        !word.starts_with(|char: char| char.is_alphanumeric())
            || !before.is_some_and(|char| char.is_alphanumeric() || char == '_')
    })
}

fn machine_paths(source: &Source) -> Vec<Finding> {
    let folders = ["home", "Users", "root", "work", "tmp", "private"];
    let mut findings = Vec::new();
    for (line, text) in source.lines() {
        for folder in folders {
            let path = format!("/{folder}/");
            let found = text.match_indices(&path).any(|(at, _)| {
                // In the middle of a longer path or an address it is another's name.
                !text[..at]
                    .ends_with(|char: char| char.is_alphanumeric() || "._-/}>)*:".contains(char))
                    || text[..at].ends_with("file://")
            });
            if found {
                let message = format!(
                    "`{path}…` is a path of one machine: find it at run time, or relative to the repository"
                );
                findings.push(Finding { line, message });
            }
        }
    }
    findings
}

fn safety(source: &Source) -> Vec<Finding> {
    if source.extension() != "rs" {
        return Vec::new();
    }
    let lines: Vec<&str> = source.text.lines().collect();
    let mut findings = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if opens_unsafe(line) && !line.contains("SAFETY:") && !explained_above(&lines[..index]) {
            let message =
                "unsafe without a `// SAFETY:` comment that says why it is sound".to_owned();
            findings.push(Finding {
                line: index + 1,
                message,
            });
        }
    }
    findings
}

/// Whether a line of code, not of a comment or a string, opens an unsafe block or implementation.
fn opens_unsafe(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or("");
    ["unsafe {", "unsafe impl "].iter().any(|marker| {
        code.match_indices(marker).any(|(at, _)| {
            let before = &code[..at];
            let in_string = before.replace("\\\"", "").matches('"').count() % 2 == 1;
            !in_string && !before.ends_with(|char: char| char.is_alphanumeric() || char == '_')
        })
    })
}

/// Looks up through the statement's own first lines, attributes and comments.
fn explained_above(lines: &[&str]) -> bool {
    for line in lines.iter().rev().take(16) {
        let text = line.trim();
        if text.starts_with("//") {
            if text.contains("SAFETY:") {
                return true;
            }
        } else if text.is_empty() || text.ends_with([';', '{', '}']) && !text.starts_with("#[") {
            return false;
        }
    }
    false
}

/// `tensor` has no clock, threads, files, output or JavaScript.
fn quiet_heart(source: &Source) -> Vec<Finding> {
    if !source.path.starts_with("crates/tensor/src/") {
        return Vec::new();
    }
    let banned = [
        "std::time",
        "std::thread",
        "std::fs",
        "std::net",
        "std::process",
        "std::env",
        "std::io",
        "Instant::now",
        "SystemTime",
        "println!",
        "eprintln!",
        "print!(",
        "rayon::",
        "wasm_bindgen",
        "js_sys",
        "web_sys",
    ];
    code_containing(
        source,
        &banned,
        "the tensor crate has no clock, threads, files, output or JavaScript: hand it in from outside",
    )
}

/// Only `web` knows JavaScript.
fn javascript_in_web(source: &Source) -> Vec<Finding> {
    let elsewhere = source.path.starts_with("crates/")
        && source.path.contains("/src/")
        && !source.path.starts_with("crates/web/")
        && !source.path.starts_with("crates/xtask/");
    if !elsewhere || source.extension() != "rs" {
        return Vec::new();
    }
    code_containing(
        source,
        &["wasm_bindgen::", "js_sys::", "web_sys::"],
        "only crates/web knows JavaScript: put it behind a trait that web implements",
    )
}

fn code_containing(source: &Source, banned: &[&str], why: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, text) in source.lines() {
        let code = text.split("//").next().unwrap_or("");
        for word in banned.iter().filter(|word| contains_word(code, word)) {
            findings.push(Finding {
                line,
                message: format!("`{word}`: {why}"),
            });
        }
    }
    findings
}

/// Crates from the bottom up; a crate may use those below its own row. [`rows`] holds the names to the
/// crates that are there.
const ROWS: [&[&str]; 9] = [
    &[
        "tensor",
        "architecture",
        "character_names",
        "dates",
        "integers",
        "layout",
        "lesson",
    ],
    &["cpu", "characters", "pylib", "ratios"],
    &["gpu", "cuda", "data", "files"],
    &["nn"],
    &["glowgrad"],
    &["check", "onnx"],
    &["files_web", "python", "serve"],
    &["session"],
    &["web", "cli"],
];

fn row(name: &str) -> Option<usize> {
    ROWS.iter().position(|row| row.contains(&name))
}

/// Every crate of the workspace has its row, but for `xtask`, which nothing uses; and a row names crates
/// alone.
pub(crate) fn rows(paths: &[&str]) -> Vec<(String, Finding)> {
    let crates: Vec<&str> = paths
        .iter()
        .filter_map(|path| path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml"))
        .filter(|name| !name.contains('/') && *name != "xtask")
        .collect();
    if crates.is_empty() {
        return Vec::new();
    }
    let without = crates.iter().filter(|name| row(name).is_none());
    let gone = ROWS.iter().copied().flatten();
    without
        .map(|name| format!("ROWS: crate {name} has no row"))
        .chain(
            gone.filter(|name| !crates.contains(name))
                .map(|name| format!("ROWS: {name} is in a row and is no crate")),
        )
        .map(|message| {
            (
                "crates/xtask/src/tidy/rules.rs".to_string(),
                Finding { line: 0, message },
            )
        })
        .collect()
}

/// Dependencies point one way, down the rows. Tests may look where they like.
fn direction(source: &Source) -> Vec<Finding> {
    let Some(name) = source
        .path
        .strip_prefix("crates/")
        .and_then(|path| path.strip_suffix("/Cargo.toml"))
    else {
        return Vec::new();
    };
    let Some(own) = row(name) else {
        return Vec::new();
    };
    let mut counted = false;
    let mut findings = Vec::new();
    for (line, text) in source.lines() {
        if text.starts_with('[') {
            counted = text.contains("dependencies") && !text.contains("dev-dependencies");
            continue;
        }
        let key = text.split(['.', '=', ' ']).next().unwrap_or("");
        let used = key.strip_prefix("glowgrad-").unwrap_or(key);
        if counted && key.starts_with("glowgrad") && row(used).is_none_or(|used| used >= own) {
            let message = format!(
                "{name} may not use {used}: dependencies go one way, {}",
                order()
            );
            findings.push(Finding { line, message });
        }
    }
    findings
}

fn order() -> String {
    ROWS.map(|row| row.join(", ")).join(" ← ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(rule: fn(&Source) -> Vec<Finding>, path: &str, text: &str) -> Vec<usize> {
        rule(&Source { path, text })
            .iter()
            .map(|finding| finding.line)
            .collect()
    }

    #[test]
    fn a_long_file_needs_a_reason() {
        let long = "x\n".repeat(MOST_LINES + 1);
        assert_eq!(lines_of(length, "a.rs", &long), [0]);
        assert_eq!(lines_of(length, "a.rs", &long[2..]), [0; 0]);
        assert_eq!(
            lines_of(
                length,
                "a.rs",
                &format!("//! Long because: a table.\n{long}")
            ),
            [0; 0]
        );
        assert_eq!(lines_of(length, "a.json", &long), [0; 0]);
    }

    #[test]
    fn a_source_opens_with_its_header() {
        let good = [
            ("a.rs", "//! It."),
            ("a.ts", "// It."),
            ("a.mjs", "#!/usr/bin/env node\n/* It. */"),
            ("a.css", "/* It. */"),
            ("a.py", "\"\"\"It.\"\"\""),
            ("a.svelte", "<!-- It. -->"),
            ("b.svelte", "<script lang=\"ts\">\n  // It."),
            ("a.wgsl", "// It."),
            ("a.cu", "// It."),
            ("lessons/01-x/start.py", "x = 1"),
            ("empty.py", ""),
            ("a.toml", "[x]"),
        ];
        for (path, text) in good {
            assert_eq!(lines_of(header, path, text), [0; 0], "{path}");
        }
        for (path, text) in [
            ("a.rs", "use x;"),
            ("a.rs", "// Not of the module."),
            ("a.ts", "import x"),
            ("a.svelte", "<script>\nlet x"),
            ("a.css", "p {}"),
        ] {
            assert_eq!(lines_of(header, path, text), [1], "{path}");
        }
    }

    #[test]
    fn leftovers_are_found_and_longer_names_are_not() {
        assert_eq!(
            lines_of(
                leftovers,
                "a.rs",
                concat!("x\ndb", "g!(x);\nmy_db", "g!(x)")
            ),
            [2]
        );
        assert_eq!(
            lines_of(leftovers, "a.ts", concat!("console.", "log(1)")),
            [1]
        );
        assert_eq!(
            lines_of(
                leftovers,
                "tests/browser/a.mjs",
                concat!("console.", "log(1)")
            ),
            [0; 0]
        );
        assert_eq!(
            lines_of(
                leftovers,
                "tests/browser/a.mjs",
                concat!("test.on", "ly('x')")
            ),
            [1]
        );
        assert_eq!(
            lines_of(leftovers, "a.css", concat!("/* FIX", "ME */")),
            [1]
        );
    }

    #[test]
    fn paths_of_one_machine_are_found_in_any_text() {
        for path in [
            "/ho|me/ada/x",
            "see /tm|p/x",
            "\"/Us|ers/ada\"/",
            "file:///wo|rk/x",
            "`/ro|ot/x`",
        ] {
            assert_eq!(
                lines_of(machine_paths, "README.md", &path.replace('|', "")),
                [1],
                "{path}"
            );
        }
        for path in [
            "https://example.org/ho|me/x",
            "www/ro|ot/x",
            "./wo|rk/x",
            "/usr/bin/x",
            "${base}/tm|p/x",
        ] {
            assert_eq!(
                lines_of(machine_paths, "README.md", &path.replace('|', "")),
                [0; 0],
                "{path}"
            );
        }
    }

    #[test]
    fn unsafe_code_says_why_it_is_sound() {
        let good = [
            "// SAFETY: in bounds.\nunsafe { x() }",
            "// SAFETY: in bounds,\n// as above.\n#[allow(unsafe_code)]\nlet y =\n    unsafe { x() };",
            "unsafe { x() } // SAFETY: in bounds.",
            "// unsafe { } in a comment",
            "let text = \"unsafe { }\";",
            "unsafe fn f() {}",
        ];
        for text in good {
            assert_eq!(lines_of(safety, "a.rs", text), [0; 0], "{text}");
        }
        assert_eq!(lines_of(safety, "a.rs", "let y = unsafe { x() };"), [1]);
        assert_eq!(
            lines_of(
                safety,
                "a.rs",
                "// SAFETY: of another.\nlet a = unsafe { x() };\nlet b = unsafe { y() };"
            ),
            [3]
        );
        assert_eq!(lines_of(safety, "a.rs", "unsafe impl Send for X {}"), [1]);
    }

    #[test]
    fn the_heart_has_no_clock() {
        let text = "use std::time::Instant;\n// std::time in words\nuse std::fmt;";
        assert_eq!(lines_of(quiet_heart, "crates/tensor/src/lib.rs", text), [1]);
        assert_eq!(lines_of(quiet_heart, "crates/cpu/src/lib.rs", text), [0; 0]);
    }

    #[test]
    fn javascript_stays_in_web() {
        let text = "use js_sys::Date;";
        assert_eq!(
            lines_of(javascript_in_web, "crates/session/src/lib.rs", text),
            [1]
        );
        assert_eq!(
            lines_of(javascript_in_web, "crates/web/src/lib.rs", text),
            [0; 0]
        );
        assert_eq!(
            lines_of(javascript_in_web, "crates/cpu/tests/wasm.rs", text),
            [0; 0]
        );
    }

    #[test]
    fn rows_name_the_crates_of_the_workspace() {
        let messages = |names: &[&str]| {
            let paths = names.iter().map(|name| format!("crates/{name}/Cargo.toml"));
            let paths: Vec<String> = paths.collect();
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            let found = rows(&paths).into_iter();
            found
                .map(|(_, finding)| finding.message)
                .collect::<Vec<_>>()
        };
        let crates = ROWS.iter().copied().flatten().copied();
        let mut names: Vec<&str> = crates.chain(["xtask", "python/tests/json"]).collect();
        assert_eq!(messages(&names), [""; 0]);
        names[0] = "new";
        assert_eq!(
            messages(&names),
            [
                "ROWS: crate new has no row",
                "ROWS: tensor is in a row and is no crate"
            ]
        );
    }

    #[test]
    fn dependencies_go_one_way() {
        let text = "[dependencies]\nglowgrad-tensor.workspace = true\nglowgrad-session = { path = \"x\" }\n[dev-dependencies]\nglowgrad-cli = \"1\"\n[target.'cfg(x)'.dependencies]\nglowgrad-cpu = \"1\"";
        assert_eq!(lines_of(direction, "crates/cpu/Cargo.toml", text), [3, 7]);
        assert_eq!(lines_of(direction, "crates/web/Cargo.toml", text), [0; 0]);
        assert_eq!(lines_of(direction, "crates/xtask/Cargo.toml", text), [0; 0]);
    }
}
