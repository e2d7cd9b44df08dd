//! The layers of a crate: the files and folders directly in `crates/NAME/src`, its top modules, import one way.
//!
//! Invariant: no circle of imports leads from a top module back to itself. Every path that begins at the crate's
//! root counts: `crate::…`, with braces or without, and `super::…` that climbs to the root. A name that `lib.rs`
//! imports from a module stands for that module. What `lib.rs` and `main.rs` import or define counts for no
//! module, because they put the crate together; nor does what is compiled for tests alone. A glob of the root
//! (`use super::*`) names nothing and is not seen.

use std::collections::{BTreeMap, BTreeSet};

use super::layers::Layers;
use super::rust_tokens::{Token, tokens};

/// Reads the imports of sources given as path and text; what is not of a crate is passed by, and so
/// is a crate of one module.
pub(super) fn read<'a>(sources: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<Layers> {
    let mut crates: BTreeMap<&str, Vec<File>> = BTreeMap::new();
    for (path, text) in sources {
        if let Some(file) = File::read(path, text) {
            crates.entry(file.crate_name).or_default().push(file);
        }
    }
    let crates = crates.into_iter();
    let crates = crates.map(|(name, files)| layers(name, &files));
    crates.filter(|layers| !layers.is_empty()).collect()
}

fn layers(name: &str, files: &[File]) -> Layers {
    let tests: BTreeSet<Vec<&str>> = files.iter().flat_map(File::test_modules).collect();
    let is_test = |file: &&File| {
        let module = &file.module;
        module.contains(&"tests") || (0..=module.len()).any(|n| tests.contains(&module[..n]))
    };
    let (roots, modules): (Vec<&File>, Vec<&File>) = files
        .iter()
        .filter(|file| !is_test(file))
        .partition(|file| file.module.is_empty());
    let tops = modules.iter().map(|file| file.module[0]);
    let mut layers = Layers::new(format!("modules of crates/{name}/src"), tops);
    let imported = roots.iter().flat_map(|root| root.imported_names());
    let imported: BTreeMap<&str, &str> = imported.collect();
    for file in modules {
        for (head, line) in file.names_of_the_root() {
            let to = match layers.knows(head) {
                true => head,
                false => imported.get(head).copied().unwrap_or(head),
            };
            layers.import(file.module[0], to, file.path, line);
        }
    }
    layers
}

/// A source file of a crate, without what is compiled for tests alone.
struct File<'a> {
    crate_name: &'a str,
    path: &'a str,
    /// The way from the crate's root, which has none.
    module: Vec<&'a str>,
    tokens: Vec<Token<'a>>,
    /// Modules in files of their own that are compiled for tests alone.
    test_modules: Vec<&'a str>,
}

impl<'a> File<'a> {
    fn read(path: &'a str, text: &'a str) -> Option<File<'a>> {
        let (crate_name, inside) = path.strip_prefix("crates/")?.split_once("/src/")?;
        let mut module: Vec<&str> = inside.strip_suffix(".rs")?.split('/').collect();
        let is_root = matches!(module[..], ["lib" | "main"]);
        if is_root || module.last() == Some(&"mod") {
            module.pop();
        }
        let mut test_modules = Vec::new();
        let tokens = without_tests(tokens(text), &mut test_modules);
        let is_crate = !crate_name.contains('/');
        is_crate.then_some(File {
            crate_name,
            path,
            module,
            tokens,
            test_modules,
        })
    }

    /// The ways from the crate's root to the modules that this file declares for tests alone.
    fn test_modules(&self) -> impl Iterator<Item = Vec<&'a str>> {
        let names = self.test_modules.iter();
        names.map(|name| [&self.module[..], &[*name]].concat())
    }

    /// What a file at the root imports from the crate's modules: name and module.
    fn imported_names(&self) -> Vec<(&'a str, &'a str)> {
        let mut names = Vec::new();
        for (index, token) in self.tokens.iter().enumerate() {
            if token.text == "use" {
                let mut leaves = Vec::new();
                read_tree(&self.tokens, index + 1, None, &mut leaves);
                names.extend(leaves.iter().map(|leaf| (leaf.name, leaf.head)));
            }
        }
        names
    }

    /// The first names of all paths from the crate's root, with their lines.
    fn names_of_the_root(&self) -> Vec<(&'a str, usize)> {
        let mut leaves = Vec::new();
        // Modules in braces around the current token, by the depth of braces inside of them.
        let mut inner: Vec<usize> = Vec::new();
        let mut depth = 0;
        let text = |index: usize| self.tokens.get(index).map_or("", |token| token.text);
        let mut index = 0;
        while index < self.tokens.len() {
            match text(index) {
                "{" => {
                    depth += 1;
                    if index >= 2 && text(index - 2) == "mod" {
                        inner.push(depth);
                    }
                }
                "}" => {
                    if inner.last() == Some(&depth) {
                        inner.pop();
                    }
                    depth -= 1;
                }
                "crate" if text(index + 1) == "::" => {
                    read_tree(&self.tokens, index + 2, None, &mut leaves);
                }
                "super" => {
                    let mut climbed = 0;
                    while text(index) == "super" && text(index + 1) == "::" {
                        climbed += 1;
                        index += 2;
                    }
                    if climbed == self.module.len() + inner.len() {
                        read_tree(&self.tokens, index, None, &mut leaves);
                    }
                    // The token that ended the climb is looked at in its turn.
                    if climbed > 0 {
                        continue;
                    }
                }
                _ => {}
            }
            index += 1;
        }
        let heads = leaves.into_iter().map(|leaf| (leaf.head, leaf.line));
        heads.collect()
    }
}

/// A name at the end of a tree of paths, and the name with which its path begins.
struct Leaf<'a> {
    head: &'a str,
    name: &'a str,
    line: usize,
}

/// Reads `a::b`, `a::{b, c as d}` and the like; returns where it ends. `crate` and `self` before a path are
/// passed by.
fn read_tree<'a>(
    tokens: &[Token<'a>],
    mut at: usize,
    mut head: Option<&'a str>,
    leaves: &mut Vec<Leaf<'a>>,
) -> usize {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
    let mut name = None;
    loop {
        let token = text(at);
        if token == "{" {
            at += 1;
            while !matches!(text(at), "}" | "") {
                let end = read_tree(tokens, at, head, leaves);
                // Whatever is no path is passed by.
                at = end.max(at + usize::from(end == at));
            }
            return at + 1;
        }
        if matches!(token, "crate" | "self") && head.is_none() && text(at + 1) == "::" {
            at += 2;
            continue;
        }
        if token != "::" && !is_name(token) {
            break;
        }
        if token != "::" {
            head = head.or(Some(token));
            name = Some(token);
            if text(at + 1) != "::" {
                at += 1;
                break;
            }
        }
        at += 1;
    }
    if text(at) == "as" {
        name = Some(text(at + 1));
        at += 2;
    }
    if let (Some(head), Some(name)) = (head, name) {
        let line = tokens[at - 1].line;
        leaves.push(Leaf { head, name, line });
    }
    at
}

fn is_name(token: &str) -> bool {
    token.starts_with(|char: char| char.is_alphabetic() || char == '_')
}

/// Leaves out what follows `#[cfg(test)]`; what it says is a module in a file of its own goes to `modules`.
fn without_tests<'a>(tokens: Vec<Token<'a>>, modules: &mut Vec<&'a str>) -> Vec<Token<'a>> {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let inner = usize::from(text(at + 1) == "!");
        let opens = at + 1 + inner;
        if text(at) != "#" || text(opens) != "[" {
            kept.push(tokens[at]);
            at += 1;
            continue;
        }
        let end = after_brackets(&tokens, opens);
        let is_for_tests = is_cfg_test(&tokens[opens + 1..end - 1]);
        at = end;
        if is_for_tests && inner == 1 {
            // The whole file.
            return Vec::new();
        }
        if is_for_tests {
            let item = at;
            at = after_item(&tokens, at);
            let declared = &tokens[item..at];
            if let [.., word, name, end] = declared
                && word.text == "mod"
                && end.text == ";"
            {
                modules.push(name.text);
            }
        }
    }
    kept
}

/// Whether the inside of an attribute is `cfg(test)` or `cfg(all(…, test, …))`.
fn is_cfg_test(attribute: &[Token]) -> bool {
    let texts: Vec<&str> = attribute.iter().map(|token| token.text).collect();
    match texts[..] {
        ["cfg", "(", "test", ")"] => true,
        ["cfg", "(", "all", "(", ref all @ .., ")", ")"] => {
            let mut depth = 0;
            all.iter().any(|token| {
                depth += i32::from(*token == "(") - i32::from(*token == ")");
                depth == 0 && *token == "test"
            })
        }
        _ => false,
    }
}

/// Where an item ends: behind its block or its semicolon, or before the end of what it stands in.
fn after_item(tokens: &[Token], mut at: usize) -> usize {
    while let Some(token) = tokens.get(at) {
        match token.text {
            ";" => return at + 1,
            "}" => return at,
            "{" => {
                at = after_brackets(tokens, at);
                // `use a::{b, c};` goes on behind its braces.
                if tokens.get(at).is_none_or(|token| token.text != ";") {
                    return at;
                }
            }
            "(" | "[" => at = after_brackets(tokens, at),
            _ => at += 1,
        }
    }
    at
}

/// Where the brackets end that open here.
fn after_brackets(tokens: &[Token], mut at: usize) -> usize {
    let mut depth = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What module `a` of a crate with the modules `a`, `b`, `c` and `d` imports, as `b:line`.
    fn imports_of(path: &str, text: &str, lib: &str) -> Vec<String> {
        let sources = [
            ("crates/x/src/lib.rs", lib),
            (path, text),
            ("crates/x/src/b.rs", ""),
            ("crates/x/src/c/mod.rs", ""),
            ("crates/x/src/d.rs", ""),
        ];
        let files = sources
            .iter()
            .filter_map(|(path, text)| File::read(path, text));
        let layers = layers("x", &files.collect::<Vec<_>>());
        layers.places("a")
    }

    fn imports(text: &str) -> Vec<String> {
        imports_of("crates/x/src/a.rs", text, "")
    }

    #[test]
    fn a_use_of_the_crate_is_an_import() {
        assert_eq!(imports("use crate::b;"), ["b:1"]);
        assert_eq!(imports("\npub(crate) use crate::b::{C, d};"), ["b:2"]);
        assert_eq!(imports("use crate::b::C as D;"), ["b:1"]);
        assert_eq!(imports("use std::b;\nuse b::C;"), [""; 0]);
    }

    #[test]
    fn braces_are_looked_into() {
        assert_eq!(
            imports("use crate::{\n    b::{self, X, y::{Z}},\n    c,\n    d::*, };"),
            ["b:2", "c:3", "d:4"]
        );
    }

    #[test]
    fn a_path_in_code_is_an_import() {
        assert_eq!(
            imports("fn f() {\n    crate::b::g::<u8>(crate::c::D, $crate::d::E)\n}"),
            ["b:2", "c:2", "d:2"]
        );
        assert_eq!(imports("pub(crate) fn b() {}"), [""; 0]);
    }

    #[test]
    fn comments_and_strings_are_no_imports() {
        let text = "//! [`crate::b`]\n/// `crate::c`\n/* crate::d /* crate::b */ crate::c */\n\
                    const A: &str = \"crate::b \\\" crate::c\";\nconst B: &str = r#\"crate::d\"#;\n\
                    const C: char = '\"';\nuse crate::b; fn f<'a>(c: &'a u8) {}";
        assert_eq!(imports(text), ["b:7"]);
    }

    #[test]
    fn super_counts_where_it_climbs_to_the_root() {
        assert_eq!(
            imports("use super::b;\nuse super::{c, d};"),
            ["b:1", "c:2", "d:2"]
        );
        let below = |text| imports_of("crates/x/src/a/e.rs", text, "");
        assert_eq!(below("use super::b;"), [""; 0]);
        assert_eq!(below("use super::super::b;"), ["b:1"]);
        let folder = |text| imports_of("crates/x/src/a/mod.rs", text, "");
        assert_eq!(folder("use super::b;"), ["b:1"]);
        assert_eq!(
            imports("mod inner {\n    use super::b;\n    use super::super::c;\n}\nuse super::d;"),
            ["c:3", "d:5"]
        );
    }

    #[test]
    fn a_name_that_the_root_imports_stands_for_its_module() {
        let lib = "mod a;\npub use b::{Tensor, x::y as Z};\nuse crate::c::C;\npub use self::d::*;\n\
                   pub struct Own;";
        let of = |text| imports_of("crates/x/src/a.rs", text, lib);
        assert_eq!(of("use crate::Tensor;"), ["b:1"]);
        assert_eq!(of("use crate::{Own, Z, C};"), ["b:1", "c:1"]);
        assert_eq!(of("use super::C;"), ["c:1"]);
        assert_eq!(of("use crate::Own;"), [""; 0]);
    }

    #[test]
    fn what_is_compiled_for_tests_alone_may_import_anything() {
        for text in [
            "#[cfg(test)]\nmod tests {\n    use crate::b;\n}",
            "#[cfg(test)]\n#[allow(unused)]\nuse crate::{b, c};",
            "#[cfg(all(test, feature = \"x\"))]\nfn f() { crate::b::g([1; 2]); }",
            "#![cfg(test)]\nuse crate::b;",
        ] {
            assert_eq!(imports(text), [""; 0], "{text}");
        }
        assert_eq!(
            imports("#[cfg(test)]\nuse crate::b;\nuse crate::c;"),
            ["c:3"]
        );
        assert_eq!(
            imports(
                "#[cfg(any(test, feature = \"x\"))]\nuse crate::b;\n#[cfg(not(test))]\nuse crate::c;"
            ),
            ["b:2", "c:4"]
        );
        let file = |path| imports_of(path, "use crate::b;", "#[cfg(test)] mod a;");
        assert_eq!(file("crates/x/src/a/e.rs"), [""; 0]);
        assert_eq!(
            imports_of("crates/x/src/a/tests.rs", "use crate::b;", ""),
            [""; 0]
        );
    }

    #[test]
    fn a_circle_fails_and_other_crates_are_apart() {
        let sources = [
            ("crates/x/src/lib.rs", "mod a; mod b; use a::f; use b::g;"),
            ("crates/x/src/a.rs", "use crate::b;"),
            ("crates/x/src/b/mod.rs", "mod c;"),
            ("crates/x/src/b/c.rs", "\nfn f() { super::super::a::g() }"),
            ("crates/y/src/main.rs", "mod a; mod b;"),
            ("crates/y/src/a.rs", "use crate::b;"),
            ("crates/y/src/b.rs", ""),
            ("crates/y/vendor/z/src/a.rs", "use crate::b;"),
            ("www/src/a.ts", ""),
        ];
        let crates = read(sources.into_iter());
        let found: Vec<_> = crates.iter().map(Layers::findings).collect();
        assert_eq!(found.len(), 2);
        let places = found[0]
            .iter()
            .map(|(path, finding)| (path.as_str(), finding.line));
        assert_eq!(
            places.collect::<Vec<_>>(),
            [("crates/x/src/a.rs", 1), ("crates/x/src/b/c.rs", 2)]
        );
        assert!(
            found[0][0]
                .1
                .message
                .contains("modules of crates/x/src go in a circle: a → b → a")
        );
        assert_eq!(found[1], []);
    }
}
