//! A leaf's `.grad`, and the hooks on the way to it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::Operand;
use crate::Result;
use crate::trace::NodeId;

/// Where a gradient ends up: a leaf's `.grad`.
#[derive(Default)]
pub struct GradSlot {
    grad: RefCell<Option<Operand>>,
    /// The first node of the leaf.
    first: Cell<Option<NodeId>>,
    name: RefCell<Option<Rc<str>>>,
    /// Whether the gradient of a result of an op is kept too.
    pub(crate) retains: Cell<bool>,
    hooks: RefCell<Vec<(u64, Hook)>>,
    after: RefCell<Vec<(u64, AfterHook)>>,
    next_hook: Cell<u64>,
}

/// Sees a gradient as it arrives; what it returns takes the gradient's place.
pub type Hook = Rc<dyn Fn(&Operand) -> Result<Option<Operand>>>;

/// Sees a leaf after its `.grad` has grown.
pub type AfterHook = Rc<dyn Fn() -> Result<()>>;

impl GradSlot {
    /// The gradient so far.
    pub(crate) fn held(&self) -> Option<Operand> {
        self.grad.borrow().clone()
    }

    /// Replaces the gradient.
    pub(crate) fn hold(&self, grad: Option<Operand>) {
        let old = self.grad.replace(grad);
        drop(old);
    }

    /// The number of the leaf's first node: an in-place write gives a leaf another.
    pub(crate) fn first(&self) -> Option<NodeId> {
        self.first.get()
    }

    /// Tells it of a node of the leaf.
    pub(crate) fn join(&self, node: NodeId) {
        self.first.set(self.first.get().or(Some(node)));
    }

    /// Adds a hook; returns its number.
    pub fn add_hook(&self, hook: Hook) -> u64 {
        let number = self.next_hook.get();
        self.next_hook.set(number + 1);
        self.hooks.borrow_mut().push((number, hook));
        number
    }

    /// Adds a hook that runs after a gradient was added to `.grad`; returns its number.
    pub fn add_after_hook(&self, hook: AfterHook) -> u64 {
        let number = self.next_hook.get();
        self.next_hook.set(number + 1);
        self.after.borrow_mut().push((number, hook));
        number
    }

    /// The hooks as they are now; one may remove itself while it runs.
    pub(crate) fn hooks(&self) -> Vec<Hook> {
        let hooks = self.hooks.borrow();
        hooks.iter().map(|(_, hook)| hook.clone()).collect()
    }

    /// Removes a hook of either kind; one that is gone already stays gone.
    pub fn remove_hook(&self, number: u64) {
        // What a hook holds may own tensors: it is dropped when nothing is borrowed any more.
        let hooks = self.hooks.take();
        let (gone, left): (Vec<_>, Vec<_>) = hooks.into_iter().partition(|(n, _)| *n == number);
        self.hooks.replace(left);
        drop(gone);
        let after = self.after.take();
        let (gone, left): (Vec<_>, Vec<_>) = after.into_iter().partition(|(n, _)| *n == number);
        self.after.replace(left);
        drop(gone);
    }

    /// Whether the gradient of a result of an op is kept.
    pub fn retains(&self) -> bool {
        self.retains.get()
    }

    /// Hands on what was kept of a tensor whose value is written in place: its gradient is that of
    /// the new value.
    pub(crate) fn hand_retention(&self, to: &GradSlot) {
        if self.retains.replace(false) {
            to.retains.set(true);
            to.hold(self.grad.take());
        }
    }

    pub(crate) fn run_after_hooks(&self) -> Result<()> {
        let hooks: Vec<AfterHook> = {
            let after = self.after.borrow();
            after.iter().map(|(_, hook)| hook.clone()).collect()
        };
        hooks.into_iter().try_for_each(|hook| hook())
    }

    /// What the session calls the leaf.
    pub fn name(&self) -> Option<Rc<str>> {
        self.name.borrow().clone()
    }

    /// Names the leaf.
    pub fn set_name(&self, name: &str) {
        *self.name.borrow_mut() = Some(name.into());
    }
}
