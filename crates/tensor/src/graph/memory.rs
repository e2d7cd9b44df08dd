//! Memory of nodes: allocated, filled, read.

use smallvec::smallvec;

use super::{Engine, NodeParts, NodeRef, primitive};
use crate::backend::Buffer;
use crate::device::Device;
use crate::dtype::{DType, Scalar};
use crate::op::Attrs;
use crate::shape::{self, Shape};
use crate::trace::Purpose;
#[cfg(feature = "explain")]
use crate::trace::Trace;
use crate::{Error, Result};

impl Engine {
    /// Memory on a device.
    pub(crate) fn allocate(
        &self,
        on: Device,
        bytes: usize,
        dtype: DType,
        purpose: impl FnOnce() -> Purpose,
    ) -> Result<Buffer> {
        let device = self.backend(on).allocate(bytes, dtype);
        #[cfg(feature = "full")]
        let device = device.or_else(|_| {
            // What only the picture needs goes before a tensor is refused.
            self.trim_step(0);
            self.backend(on).allocate(bytes, dtype)
        });
        let device = device?;
        self.count_allocated(bytes);
        let id = self.0.devices.next_buffer.get();
        self.0.devices.next_buffer.set(id + 1);
        let trace = self.0.recorder.trace.clone();
        Ok(Buffer::new(id, bytes, dtype, on, device, trace, purpose))
    }

    /// Memory on a device that the trace is not told of.
    #[cfg(feature = "explain")]
    pub(crate) fn scratch(&self, on: Device, bytes: usize, dtype: DType) -> Result<Buffer> {
        let device = self.backend(on).allocate(bytes, dtype)?;
        let id = self.0.devices.next_buffer.get();
        self.0.devices.next_buffer.set(id + 1);
        let trace = Trace::default();
        trace.set_recording(false);
        let purpose = || Purpose {
            node: 0,
            op: "",
            shape: Shape::new(),
            dtype,
            span: Default::default(),
        };
        Ok(Buffer::new(id, bytes, dtype, on, device, trace, purpose))
    }

    /// A leaf from little-endian row-major bytes, on the current device.
    pub fn leaf_bytes(&self, bytes: &[u8], shape: &[usize], dtype: DType) -> Result<NodeRef> {
        shape::check_bytes("tensor", shape, dtype)?;
        self.trim_if_due();
        let expected = shape::numel(shape) * dtype.size();
        if bytes.len() != expected {
            return Err(Error::value(format!(
                "tensor: {} bytes do not fill shape {} of {dtype}, which needs {expected}",
                bytes.len(),
                shape::show(shape)
            )));
        }
        // The node made below is the next one.
        let device = self.device();
        let buffer = self.allocate(device, bytes.len(), dtype, || Purpose {
            node: self.next_node_id(),
            op: primitive::LEAF.name,
            shape: Shape::from_slice(shape),
            dtype,
            span: self.0.position.span.get(),
        })?;
        self.backend(device).upload(&buffer, bytes)?;
        #[cfg(feature = "full")]
        self.observe(|observer| observer.filled(&buffer, bytes));
        let parts = NodeParts {
            value: Some(buffer),
            ..NodeParts::default()
        };
        Ok(self.node(
            &primitive::LEAF,
            smallvec![],
            Attrs::new(),
            Shape::from_slice(shape),
            dtype,
            false,
            parts,
        ))
    }

    /// An int64 leaf that is not the learner's.
    pub(crate) fn leaf_i64(&self, values: &[i64], shape: &[usize]) -> Result<NodeRef> {
        let mut bytes = shape::reserve("index", values.len().saturating_mul(8))?;
        bytes.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        self.internal_scope(|| self.leaf_bytes(&bytes, shape, DType::I64))
    }

    /// `0 … n − 1` in int64, not the learner's.
    pub(crate) fn arange(&self, n: usize) -> Result<NodeRef> {
        let mut values = shape::reserve("arange", n)?;
        values.extend(0..n as i64);
        self.leaf_i64(&values, &[n])
    }

    /// The bytes of a node, computed if need be. A step that asks for them while it is captured cannot run again
    /// by itself, since nothing would wait for its values.
    ///
    /// # Errors
    /// What the device met.
    pub fn read(&self, node: &NodeRef) -> Result<Vec<u8>> {
        self.stop_capturing(
            "it looks at a value (item, tolist, print, if, a tensor as a bound, nonzero, a mask as an index)",
        );
        #[cfg(feature = "full")]
        self.looked(node);
        self.bytes(node)
    }

    /// The elements of a node, row-major, computed if need be.
    ///
    /// # Errors
    /// As [`Engine::read`]; when memory is short.
    pub(crate) fn scalars(&self, node: &NodeRef) -> Result<Vec<Scalar>> {
        let bytes = self.read(node)?;
        // A scalar takes more memory than most elements.
        shape::reserve::<Scalar>("tolist", node.numel()).map(drop)?;
        Ok(Scalar::of_bytes(&bytes, node.dtype))
    }

    /// As [`Engine::read`], for those who may look while a step is captured.
    pub(crate) fn bytes(&self, node: &NodeRef) -> Result<Vec<u8>> {
        self.read_buffer(&self.whole(node)?)
    }

    /// Memory with all of a node's elements, row-major and nothing else; computed if need be.
    pub(crate) fn whole(&self, node: &NodeRef) -> Result<Buffer> {
        let whole = self.internal_scope(|| {
            self.apply(
                &primitive::CONTIGUOUS,
                std::slice::from_ref(node),
                Attrs::new(),
            )
        })?;
        self.realize(std::slice::from_ref(&whole))?;
        let Some((base, _)) = self.base(&whole) else {
            return Err(Error::runtime(
                "read: the value was let go; run the line that made it again",
            ));
        };
        base.value().ok_or_else(|| {
            Error::runtime("read: the value is not there; run the line that made it again")
        })
    }
}
