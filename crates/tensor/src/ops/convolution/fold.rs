//! Patches of images as columns and back: `F.unfold` and `F.fold`, under PyTorch's inner names
//! (`Tensor.unfold` is another op).
//!
//! Blocks are windows, so unfolding is one copy; folding adds up what overlaps.

use smallvec::smallvec;

use crate::graph::GraphValue;
use crate::op::ParamKind::{Ints, Tensor};
use crate::op::{Attr, Infinities, Kind, Meta, Op, Param, Vjp, example, optional, param, samples};
use crate::op::{PythonFace, face};
use crate::ops::BASE;
use crate::ops::conv::per_dim;
use crate::ops::movement::ending;
use crate::ops::windows::Window;
use crate::shape::{self, Shape};
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&IM2COL, &COL2IM];

/// Blocks that slide over an image of two dimensions.
struct Blocks {
    kernel: Shape,
    dilation: Shape,
    padding: Shape,
    stride: Shape,
    /// The image, and how many blocks lie along each of its dimensions.
    image: Shape,
    count: Shape,
}

impl Blocks {
    fn new(op: &Op, list: &[Attr], image: &[usize]) -> Result<Blocks> {
        let kernel = per_dim(op, "kernel_size", &list[0], 2, 1)?;
        let dilation = per_dim(op, "dilation", &list[1], 2, 1)?;
        let padding = per_dim(op, "padding", &list[2], 2, 0)?;
        let stride = per_dim(op, "stride", &list[3], 2, 1)?;
        let blocks = |d: usize| {
            let padded = image[d] as u64 + 2 * padding[d] as u64;
            let reach = dilation[d] as u64 * (kernel[d] as u64 - 1) + 1;
            let rest = padded.checked_sub(reach);
            rest.map_or(0, |rest| (rest / stride[d] as u64 + 1) as usize)
        };
        let count: Shape = smallvec![blocks(0), blocks(1)];
        if count.contains(&0) {
            return Err(Error::runtime(format!(
                "{}: Given input with spatial size {}, kernel_size={:?}, dilation={:?}, padding={:?}, calculated shape of the array of sliding blocks as {:?}, but its components must be at least one; use a smaller kernel or more padding",
                op.name,
                shape::show(image),
                &kernel[..],
                &dilation[..],
                &padding[..],
                &count[..]
            )));
        }
        Ok(Blocks {
            kernel,
            dilation,
            padding,
            stride,
            image: Shape::from_slice(image),
            count,
        })
    }

    fn windows(&self) -> [Window; 2] {
        [0, 1].map(|d| Window {
            dim: d,
            size: self.kernel[d],
            step: self.stride[d],
            dilation: self.dilation[d],
            count: self.count[d],
        })
    }

    /// What lies around the image: at least the padding, and all that blocks cover.
    fn around(&self) -> [(usize, usize); 2] {
        [0, 1].map(|d| (self.padding[d], self.padding[d]))
    }
}

static UNFOLD_PARAMS: &[Param] = &[
    param("input", Tensor),
    param("kernel_size", Ints),
    optional("dilation", Ints, Attr::Int(1)),
    optional("padding", Ints, Attr::Int(0)),
    optional("stride", Ints, Attr::Int(1)),
];

/// `[N, C, H, W]` with a batch, whether there was one or not.
fn batched(x: &GraphValue, dims: usize) -> GraphValue {
    if x.shape().len() < dims {
        x.unsqueeze(0)
    } else {
        x.clone()
    }
}

/// Blocks as columns. `torch.nn.functional.unfold`; the method of that name is another.
pub static IM2COL: Op = Op {
    name: "im2col",
    python: face(&PythonFace {
        name: "unfold",
        ..PythonFace::PLAIN
    }),
    grad_fn: "Im2ColBackward0",
    symbol: "unfold",
    formula: "y[:, l] = block l of a",
    rules: &["{gy}, each block added up in its place"],
    doc: "The blocks of an image that a kernel slides over, as columns: F.unfold.",
    params: UNFOLD_PARAMS,
    infer: |op, src, attrs| {
        let x = &src[0];
        let n = x.shape.len();
        if !(n == 3 || n == 4) || x.shape[n - 3..].contains(&0) {
            return Err(Error::runtime(format!(
                "unfold: Expected 3D or 4D (batch mode) tensor with non-zero dimensions but the first, but got input of shape {}",
                shape::show(&x.shape)
            )));
        }
        let blocks = Blocks::new(op, attrs, &x.shape[n - 2..])?;
        let rows = x.shape[n - 3] * shape::numel(&blocks.kernel);
        let shape = ending(&x.shape, 3, &[rows, shape::numel(&blocks.count)]);
        shape::check_size(op.name, &shape)?;
        Ok(Meta {
            shape,
            dtype: x.dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let x = batched(&c.src[0], 4);
        let blocks = Blocks::new(c.node.op, &c.node.attrs, &x.shape()[2..])?;
        let padded = x.padded(&blocks.around(), &x.number(0.0));
        let windows = padded.windows_of_last(&blocks.windows());
        Ok(windows.permute(&[0, 1, 4, 5, 2, 3]).reshape(&c.node.shape))
    }),
    vjp: Vjp::Lowered,
    exact: true,
    samples: samples(&[
        "[1,2,3,4] (2,3) padding=(1,0)",
        "[2,4,4] 2 stride=2",
        "[1,1,4,3]T 2 dilation=2",
    ]),
    example: example("F.unfold(torch.arange(9.0).reshape(1, 1, 3, 3), 2)"),
    method: false,
    infinities: Infinities::Chooses,
    ..BASE
};

/// Columns laid out as blocks. `torch.nn.functional.fold`.
pub static COL2IM: Op = Op {
    name: "col2im",
    python: face(&PythonFace {
        name: "fold",
        ..PythonFace::PLAIN
    }),
    grad_fn: "Col2ImBackward0",
    symbol: "fold",
    formula: "block l of y += a[:, l]",
    rules: &["the blocks of {gy} as columns"],
    doc: "Columns laid out as the blocks of an image, overlaps added up: F.fold.",
    params: &[
        param("input", Tensor),
        param("output_size", Ints),
        param("kernel_size", Ints),
        optional("dilation", Ints, Attr::Int(1)),
        optional("padding", Ints, Attr::Int(0)),
        optional("stride", Ints, Attr::Int(1)),
    ],
    infer: |op, src, attrs| {
        let (x, n) = (&src[0], src[0].shape.len());
        if !(n == 2 || n == 3) {
            return Err(Error::runtime(format!(
                "fold: Expected 2D or 3D (batch mode) tensor for input, but got input of shape {}",
                shape::show(&x.shape)
            )));
        }
        let image = per_dim(op, "output_size", &attrs[0], 2, 1)?;
        let blocks = Blocks::new(op, &attrs[1..], &image)?;
        let (rows, columns) = (x.shape[n - 2], x.shape[n - 1]);
        let (size, count) = (shape::numel(&blocks.kernel), shape::numel(&blocks.count));
        if rows == 0 || !rows.is_multiple_of(size) {
            return Err(Error::runtime(format!(
                "fold: Expected size of input's dimension {} to be divisible by the product of kernel_size, but got {rows} and kernel_size={:?}",
                n - 2,
                &blocks.kernel[..]
            )));
        }
        if columns != count {
            return Err(Error::runtime(format!(
                "fold: Given output_size={:?}, kernel_size={:?}, dilation={:?}, padding={:?}, stride={:?}, expected size of input's dimension {} to match the calculated number of sliding blocks {count}, but got {columns}",
                &image[..],
                &blocks.kernel[..],
                &blocks.dilation[..],
                &blocks.padding[..],
                &blocks.stride[..],
                n - 1
            )));
        }
        let mut sizes: Shape = smallvec![rows / size];
        sizes.extend(image);
        let shape = ending(&x.shape, 2, &sizes);
        shape::check_size(op.name, &shape)?;
        Ok(Meta {
            shape,
            dtype: x.dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let x = batched(&c.src[0], 3);
        let n = c.node.shape.len();
        let blocks = Blocks::new(c.node.op, &c.node.attrs[1..], &c.node.shape[n - 2..])?;
        let (k, l) = (&blocks.kernel, &blocks.count);
        let channels = c.node.shape[n - 3];
        let apart = x
            .reshape(&[x.shape()[0], channels, k[0], k[1], l[0], l[1]])
            .permute(&[0, 1, 4, 5, 2, 3]);
        let sides = blocks.around();
        let sizes = [0, 1].map(|d| blocks.image[d] + sides[d].0 + sides[d].1);
        let laid = apart.overlap_added(2, &blocks.windows(), &sizes);
        let inside = (0..2).fold(laid, |y, d| y.slice(2 + d, sides[d].0, blocks.image[d], 1));
        Ok(inside.reshape(&c.node.shape))
    }),
    vjp: Vjp::Lowered,
    samples: samples(&[
        "[1,4,4] (3,3) 2",
        "[8,6] (2,1) 2 padding=1",
        "[2,4,1] (3,3) 2 dilation=2",
    ]),
    example: example("F.fold(torch.ones(1, 4, 4), (3, 3), 2)"),
    method: false,
    ..BASE
};
