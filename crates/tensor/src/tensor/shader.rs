//! A shader that the user wrote, run on tensors.

use smallvec::smallvec;

use super::{Engine, NodeParts};
use crate::backend::Buffer;
use crate::dtype::DType;
use crate::node::NodeRef;
use crate::op::Attrs;
use crate::ops;
use crate::shape::{self, Shape};
use crate::trace::Purpose;
use crate::{Error, Result};

impl Engine {
    /// Runs a shader on the device of its inputs, and gives what it wrote: a leaf of this shape.
    ///
    /// Inputs come row by row as bindings 0, 1, …; the result, zeros at first, is the binding after them.
    /// `groups` workgroups run in each of three dimensions.
    ///
    /// # Errors
    /// When the device runs no shaders, when the shader does not compile (with the line), when its bindings
    /// are others than these, and what computing the inputs says.
    pub fn run_shader(
        &self,
        source: &str,
        inputs: &[NodeRef],
        (shape, dtype): (&[usize], DType),
        groups: [u32; 3],
    ) -> Result<NodeRef> {
        shape::check_size("shader", shape)?;
        let device = self.device_of(inputs);
        if let Some(other) = inputs.iter().find(|input| input.device != device) {
            return Err(Error::runtime(format!(
                "shader: expected all tensors on one device, but found {} and {}; move one with .to()",
                self.device_kind(device),
                self.device_kind(other.device)
            )));
        }
        let whole = inputs
            .iter()
            .map(|input| {
                let clone = &ops::convert::CLONE;
                self.internal_scope(|| self.apply(clone, std::slice::from_ref(input), Attrs::new()))
            })
            .collect::<Result<Vec<NodeRef>>>()?;
        self.realize(&whole)?;
        let buffers = whole
            .iter()
            .map(|node| {
                node.value().ok_or_else(|| {
                    Error::runtime("shader: an input has no value; please report this")
                })
            })
            .collect::<Result<Vec<Buffer>>>()?;
        let bytes = shape::numel(shape) * dtype.size();
        let output = self.allocate(device, bytes, dtype, || Purpose {
            node: self.next_node_id(),
            op: "shader",
            shape: Shape::from_slice(shape),
            dtype,
            span: self.span(),
        })?;
        let backend = self.backend(device);
        backend.upload(&output, &vec![0; bytes])?;
        backend.run_source(source, &buffers, &output, groups)?;
        let parts = NodeParts {
            value: Some(output),
            ..NodeParts::default()
        };
        let shape = Shape::from_slice(shape);
        Ok(self.node(
            &ops::LEAF,
            smallvec![],
            Attrs::new(),
            shape,
            dtype,
            false,
            parts,
        ))
    }
}
