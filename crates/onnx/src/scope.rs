//! Values by name while a graph runs.

use std::cell::RefCell;
use std::collections::HashMap;

use glowgrad::Tensor;

/// Values by name, and those of the graph around.
pub(crate) struct Scope<'a> {
    values: RefCell<HashMap<String, Tensor>>,
    outer: Option<&'a Scope<'a>>,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(outer: Option<&'a Scope<'a>>) -> Scope<'a> {
        Scope {
            values: RefCell::default(),
            outer,
        }
    }

    /// Names a value.
    pub(crate) fn set(&self, name: &str, value: Tensor) {
        self.values.borrow_mut().insert(name.to_owned(), value);
    }

    /// The value of a name, here or around.
    pub(crate) fn get(&self, name: &str) -> Option<Tensor> {
        let own = self.values.borrow().get(name).cloned();
        own.or_else(|| self.outer?.get(name))
    }

    /// Lets go of values.
    pub(crate) fn forget(&self, names: &[String]) {
        let mut values = self.values.borrow_mut();
        for name in names {
            values.remove(name);
        }
    }
}
