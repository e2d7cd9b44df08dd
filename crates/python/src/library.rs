//! Python's library: the text that `glowgrad_pylib` makes, and what is said of modules that are in no part of Python here.
//!
//! The modules in [`crate::frozen`] are part of the program; these come from the host when the first of them is imported.

use std::cell::OnceCell;
use std::collections::HashMap;

use crate::host::Host;

/// What a module runs.
#[derive(Clone, Copy)]
pub(crate) enum Code {
    /// Compiled when it is first imported.
    Source(&'static str),
    /// Compiled when this crate was built, in the form of `marshal`.
    Compiled(&'static [u8]),
}

/// A Python module that is built in or in the library.
#[derive(Clone, Copy)]
pub(crate) struct Module {
    pub(crate) name: &'static str,
    pub(crate) code: Code,
    pub(crate) is_package: bool,
}

type Modules = HashMap<&'static str, Module>;

/// The library of a session: its modules by name, or why it cannot be had, once one of them was asked for.
#[derive(Default)]
pub(crate) struct Library(OnceCell<Result<Modules, String>>);

impl Library {
    /// The module with this name; none where the library has none, or there is no library.
    pub(crate) fn find(&self, host: &dyn Host, name: &str) -> Option<Module> {
        let modules = self.0.get_or_init(|| {
            let text = host.library()?;
            read(text).ok_or_else(|| "it is not in the form of this version".to_owned())
        });
        modules.as_ref().ok()?.get(name).copied()
    }

    /// The names of its modules, if it was asked for.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        match self.0.get() {
            Some(Ok(modules)) => modules.keys().copied().collect(),
            _ => Vec::new(),
        }
    }

    /// Why there is no library, if it was asked for.
    pub(crate) fn failure(&self) -> Option<&str> {
        self.0.get()?.as_ref().err().map(String::as_str)
    }
}

/// Reads the text; none if it has another form.
fn read(text: &'static str) -> Option<Modules> {
    let (index, mut sources) = text.split_once("\n\n")?;
    let mut modules = HashMap::new();
    for line in index.lines() {
        let mut words = line.split(' ');
        let (name, kind, length) = (words.next()?, words.next()?, words.next()?);
        let (source, rest) = sources.split_at_checked(length.parse().ok()?)?;
        sources = rest;
        let module = Module {
            name,
            code: Code::Source(source),
            is_package: kind == "package",
        };
        modules.insert(name, module);
    }
    Some(modules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_found_by_name() {
        let library = read("a module 3\na.b package 5\n\nx=1y = 2").unwrap();
        let is = |name: &str, expected: &str| matches!(library[name].code, Code::Source(source) if source == expected);
        assert!(is("a", "x=1") && is("a.b", "y = 2"));
        assert!(library["a.b"].is_package && !library["a"].is_package);
    }

    #[test]
    fn a_text_that_ends_early_is_refused() {
        assert!(read("a module 3\n\nx=").is_none());
        assert!(read("<!doctype html>").is_none());
        assert!(read("a module\n\nx").is_none());
    }
}
