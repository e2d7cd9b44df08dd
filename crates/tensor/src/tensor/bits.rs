//! The same bytes as elements of another dtype: `x.view(torch.int32)`.
//!
//! The invariant: both share their memory. The [`Storage`] of the other dtype is made anew from the
//! root's whenever the root was written, and a write to it is a write to the root. What an element's
//! bits mean has no slope, so nothing here is on the tape.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use smallvec::smallvec;

use super::{Storage, Tensor};
use crate::dtype::DType;
use crate::engine::Engine;
use crate::graph::{GraphValue, routine};
use crate::node::NodeRef;
use crate::op::{Attr, Attrs, Kind, Meta, Op, RoutineKind};
use crate::ops;
use crate::shape::Shape;
use crate::view::View;
use crate::{Error, Result};

/// Whose bytes a storage shows, and after how many writes it last did.
pub(crate) struct Bits {
    root: Rc<Storage>,
    at: Cell<u64>,
}

/// The first elements of a row of bytes: dtype and count are attributes.
static BITS: Op = Op {
    name: "view",
    symbol: "bits",
    formula: "y = the bytes of a, as another dtype",
    doc: "The same bytes as elements of another dtype.",
    infer: |_, _, attrs| match attrs[..] {
        [Attr::DType(dtype), Attr::Int(len)] => Ok(Meta {
            shape: Shape::from_slice(&[len.unsigned_abs() as usize]),
            dtype,
        }),
        _ => Err(Error::type_("view: expected a dtype and a count")),
    },
    kind: Kind::Routine(RoutineKind::Of(routine::bits)),
    exact: true,
    ..ops::BASE
};

fn reinterpreted(engine: &Engine, node: &NodeRef, dtype: DType) -> GraphValue {
    let len = node.numel() * node.dtype.size() / dtype.size();
    let attrs: Attrs = smallvec![Attr::DType(dtype), Attr::Int(len as i64)];
    GraphValue::new(engine, node.clone()).call(&BITS, &[], attrs)
}

fn off_tape<T>(engine: &Engine, make: impl FnOnce() -> T) -> T {
    let grad = engine.set_grad_enabled(false);
    let made = engine.internal_scope(make);
    engine.set_grad_enabled(grad);
    made
}

impl Storage {
    /// The node that it stands for now.
    pub(crate) fn now(&self, engine: &Engine) -> NodeRef {
        if let Some(bits) = &self.bits
            && bits.at.get() != self.writes.get()
        {
            let dtype = self.current.borrow().dtype;
            let root = bits.root.now(engine);
            let node = off_tape(engine, || reinterpreted(engine, &root, dtype).into_node());
            self.show(node, bits);
        }
        self.current.borrow().clone()
    }

    fn show(&self, node: NodeRef, bits: &Bits) {
        bits.at.set(self.writes.get());
        let old = self.current.replace(node);
        drop(old);
    }

    /// The storage whose memory this is.
    pub(crate) fn root(self: &Rc<Storage>) -> &Rc<Storage> {
        self.bits.as_ref().map_or(self, |bits| &bits.root)
    }
}

impl Tensor {
    /// The same bytes as elements of another dtype: `x.view(torch.int32)`. Where the sizes of the
    /// elements differ, the last dimension has more elements, or fewer.
    ///
    /// # Errors
    /// When the last dimension is not contiguous, or sizes, strides or offset do not divide.
    pub fn view_dtype(&self, dtype: DType) -> Result<Tensor> {
        let from = self.dtype();
        if dtype == from {
            let shape = self.shape().iter().map(|&n| n as i64).collect();
            return Tensor::apply(
                self.engine(),
                &ops::reshape::VIEW,
                std::slice::from_ref(self),
                smallvec![Attr::Ints(shape)],
            );
        }
        let view = resized(&self.view(), from, dtype)?;
        let engine = self.engine();
        let root = self.0.storage.root();
        let base = root.now(engine);
        let current = engine.settle(off_tape(engine, || reinterpreted(engine, &base, dtype)))?;
        let storage = Rc::new(Storage {
            current: RefCell::new(current.into_node()),
            version: root.version.clone(),
            writes: root.writes.clone(),
            inference: root.inference,
            bits: Some(Bits {
                root: root.clone(),
                at: Cell::new(root.writes.get()),
            }),
        });
        let tape = Some(Rc::default());
        Ok(Tensor::on(engine, storage, Some(view), tape, None))
    }

    /// Writes what its storage now stands for into the memory that it shows.
    pub(super) fn write_root(&self, bits: &Bits, next: NodeRef) -> Result<()> {
        let engine = self.engine();
        let base = bits.root.now(engine);
        let written = off_tape(engine, || {
            let part = reinterpreted(engine, &next, base.dtype);
            if part.node().numel() == base.numel() {
                return part.reshape(&base.shape);
            }
            // Bytes at the end that fill no element of this dtype stay as they are.
            let at = View::contiguous(part.shape());
            GraphValue::new(engine, base.clone()).write_at(&at, &part)
        });
        let written = engine.settle(written)?.into_node();
        let tape = Some(Rc::default());
        let root = Tensor::on(engine, bits.root.clone(), None, tape, None);
        root.replace_value(written)?;
        self.0.storage.show(next, bits);
        Ok(())
    }
}

/// How the same elements are seen when each takes another number of bytes (ATen's `view_dtype`).
fn resized(view: &View, from: DType, to: DType) -> Result<View> {
    let (old, new) = (from.size(), to.size());
    if old == new {
        return Ok(view.clone());
    }
    let names = format!(
        "to view {} as {} (different element sizes)",
        from.scalar_name(),
        to.scalar_name()
    );
    let Some(last) = view.shape.len().checked_sub(1) else {
        return Err(Error::runtime(format!(
            "self.dim() cannot be 0 {names}; give it a dimension with .reshape(1)"
        )));
    };
    if view.strides[last] != 1 {
        return Err(Error::runtime(format!(
            "self.stride(-1) must be 1 {names}, but got {}; call .contiguous() first",
            view.strides[last]
        )));
    }
    let mut out = view.clone();
    let others = (out.strides.iter_mut().enumerate()).filter(|(d, _)| *d != last);
    if new < old {
        let ratio = old / new;
        others.for_each(|(_, stride)| *stride *= ratio as isize);
        out.shape[last] *= ratio;
        out.offset *= ratio as isize;
        return Ok(out);
    }
    let ratio = (new / old) as isize;
    let divided = |what: &str, n: isize| {
        if n % ratio == 0 {
            return Ok(n / ratio);
        }
        Err(Error::runtime(format!(
            "self.{what} must be divisible by {ratio} {names}, but got {n}; call .clone() on a part that fits first"
        )))
    };
    out.shape[last] = divided("size(-1)", view.shape[last] as isize)? as usize;
    out.offset = divided("storage_offset()", view.offset)?;
    for (d, stride) in others {
        *stride = divided(&format!("stride({d})"), *stride)?;
    }
    Ok(out)
}
