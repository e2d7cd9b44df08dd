//! Why a value is stored, and which node an inner node belongs to.
//!
//! Invariant: nothing is kept while the trace is off, and builds without the feature `explain` keep
//! nothing at all. [`super::record`] keeps the notes.

/// Why a value gets a buffer of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u16)]
#[allow(unreachable_pub, reason = "public where `explain` is on")]
pub enum Reason {
    /// It is a reduction, which ends its kernel.
    Reduction = 1,
    /// It is a routine, which has a loop of its own.
    Routine = 1 << 1,
    /// It was asked for.
    Asked = 1 << 2,
    /// It is what an in-place write put there.
    Written = 1 << 3,
    /// A routine reads it, and routines read buffers.
    ReadByRoutine = 1 << 4,
    /// Several read it.
    Shared = 1 << 5,
    /// The kernel would have more instructions than one may have.
    Size = 1 << 6,
    /// The kernel would read more buffers than one may read.
    Buffers = 1 << 7,
    /// A movement between it and its reader is no matter of strides.
    Strides = 1 << 8,
    /// A routine wants it row-major.
    RowMajor = 1 << 9,
    /// Fusion is off.
    FusionOff = 1 << 10,
    /// It goes to another device, or comes from one.
    OtherDevice = 1 << 11,
    /// An earlier plan computed it as a part of a kernel, and it is read again.
    #[cfg(feature = "full")]
    ReadAgain = 1 << 12,
}

/// Which way a node that an op makes inside belongs to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// As a part of what it is written in.
    Forward,
    /// As a part of its gradient.
    Backward,
}

#[cfg(feature = "explain")]
mod kept {
    use super::Side;
    use crate::graph::{Engine, NodeRef};
    use crate::op::Kind;
    use crate::trace::NodeId;

    impl Engine {
        /// Notes that a node belongs to another.
        pub(crate) fn owns(&self, node: NodeId, owner: &NodeRef, side: Side) {
            if self.trace().is_recording() {
                self.0.recorder.record.own(node..node + 1, owner.id, side);
            }
        }

        /// Notes that a node's value is another's, as a composite's is that of what it is written in;
        /// movements between do not count.
        pub(crate) fn stands_for(&self, node: &NodeRef, other: &NodeRef) {
            if !self.trace().is_recording() {
                return;
            }
            let mut base = node.clone();
            while let (Kind::Movement(_), Some(next)) = (&base.op.kind, base.src().first()) {
                base = next.clone();
            }
            self.0.recorder.record.same(base.id, other.id);
        }

        /// Runs something whose nodes belong to another node.
        pub(crate) fn owned<T>(&self, owner: &NodeRef, side: Side, run: impl FnOnce() -> T) -> T {
            let first = self.next_node_id();
            let result = run();
            if self.trace().is_recording() {
                let nodes = first..self.next_node_id();
                self.0.recorder.record.own(nodes, owner.id, side);
            }
            result
        }
    }
}

#[cfg(not(feature = "explain"))]
mod nothing {
    use super::Side;
    use crate::graph::{Engine, NodeRef};
    use crate::trace::NodeId;

    impl Engine {
        pub(crate) fn owns(&self, _: NodeId, _: &NodeRef, _: Side) {}
        pub(crate) fn stands_for(&self, _: &NodeRef, _: &NodeRef) {}
        pub(crate) fn owned<T>(&self, _: &NodeRef, _: Side, run: impl FnOnce() -> T) -> T {
            run()
        }
    }
}
