//! Python's library: the text that `glowgrad_pylib` makes, and what is said of modules that are in no part of Python here.
//!
//! The modules in [`crate::frozen`] are part of the program; these come from the host when the first of them is imported.

use std::collections::HashMap;

use crate::frozen::Module;
use crate::runtime::Runtime;

/// The modules of the library by name.
pub(crate) struct Library(HashMap<&'static str, Module>);

impl Library {
    /// Reads the text; none if it has another form.
    fn read(text: &'static str) -> Option<Library> {
        let (index, mut sources) = text.split_once("\n\n")?;
        let mut modules = HashMap::new();
        for line in index.lines() {
            let mut words = line.split(' ');
            let (name, kind, length) = (words.next()?, words.next()?, words.next()?);
            let (source, rest) = sources.split_at_checked(length.parse().ok()?)?;
            sources = rest;
            let is_package = kind == "package";
            modules.insert(
                name,
                Module {
                    name,
                    source,
                    is_package,
                },
            );
        }
        Some(Library(modules))
    }
}

/// The module of the library with this name; none where it has none, or there is no library.
pub(crate) fn find(runtime: &Runtime, name: &str) -> Option<Module> {
    let library = runtime.library.get_or_init(|| {
        let text = runtime.host.library()?;
        Library::read(text).ok_or_else(|| "it is not in the form of this version".to_owned())
    });
    library.as_ref().ok()?.0.get(name).copied()
}

/// The names of its modules, if it was asked for.
pub(crate) fn names(runtime: &Runtime) -> Vec<&'static str> {
    match runtime.library.get() {
        Some(Ok(library)) => library.0.keys().copied().collect(),
        _ => Vec::new(),
    }
}

/// Why there is no library, if it was asked for.
pub(crate) fn failure(runtime: &Runtime) -> Option<&str> {
    runtime.library.get()?.as_ref().err().map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_found_by_name() {
        let library = Library::read("a module 3\na.b package 5\n\nx=1y = 2").unwrap();
        assert_eq!(library.0["a"].source, "x=1");
        assert_eq!(library.0["a.b"].source, "y = 2");
        assert!(library.0["a.b"].is_package && !library.0["a"].is_package);
    }

    #[test]
    fn a_text_that_ends_early_is_refused() {
        assert!(Library::read("a module 3\n\nx=").is_none());
        assert!(Library::read("<!doctype html>").is_none());
        assert!(Library::read("a module\n\nx").is_none());
    }
}
