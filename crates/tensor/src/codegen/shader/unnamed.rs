//! A kernel of which nothing but itself is known, as what runs on a device is printed.

use std::rc::Rc;

use super::{Language, Names, NodeInfo, Scheduled, Shader, print};
use crate::device::Device;
use crate::dtype::DType;
use crate::graph::primitive;
use crate::kernel::{InPlace, Kernel, Work};
use crate::trace::NodeId;

/// Names of its buffers: `x1` is its first input, `out` its first result, `out1` the one after.
pub(in crate::codegen) struct Unnamed;

/// Inputs count from 1; results behind the first one count down from here.
const LAST: NodeId = NodeId::MAX;

impl Names for Unnamed {
    fn name(&self, node: NodeId) -> Option<String> {
        Some(match node {
            0 => "out".to_owned(),
            node if node > LAST / 2 => format!("out{}", LAST - node + 1),
            node => format!("x{node}"),
        })
    }
}

/// A kernel by itself.
pub(in crate::codegen) fn unnamed<L: Language>(
    kernel: &Rc<Kernel>,
    language: L,
    in_place: InPlace,
) -> Result<Shader, String> {
    let item = Scheduled::unnamed(kernel);
    print(&item, kernel, &Unnamed, language, in_place)
}

impl Scheduled {
    /// A kernel of which nothing else is known.
    pub(in crate::codegen) fn unnamed(kernel: &Rc<Kernel>) -> Scheduled {
        let operand = |id: NodeId, shape: &[usize], dtype: DType| NodeInfo {
            id,
            op: &primitive::LEAF,
            shape: shape.into(),
            dtype,
            device: Device::FIRST,
        };
        let inputs = kernel.inputs.iter().zip(1..);
        let shape = kernel.output_shape();
        let result = |i: usize| {
            let id = i.checked_sub(1).map_or(0, |later| LAST - later as NodeId);
            operand(id, &shape, kernel.output_dtype(i))
        };
        Scheduled {
            number: 0,
            name: "fused",
            work: Work::Kernel(kernel.clone()),
            nodes: (0..kernel.outputs.len()).map(result).collect(),
            inputs: inputs
                .map(|(input, id)| operand(id, &input.view.shape, input.dtype))
                .collect(),
            origins: vec![0; kernel.code.len()],
            reasons: 0,
            n_readers: 0,
            read: 0,
            written: 0,
            buffers: Vec::new(),
            nanos: std::cell::Cell::new(None),
        }
    }
}
