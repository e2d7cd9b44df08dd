//! ReLU and its kin: `relu`, `relu6`, `leaky_relu`, `prelu`, `threshold`.

use smallvec::smallvec;

use crate::graph::GraphValue;
use crate::op::ParamKind::{Float, Tensor};
use crate::op::{
    Attr, Infinities, Kind, Op, Out, SAVE_A, SAVE_B, SAVE_Y, Vjp, example, optional, param, samples,
};
use crate::ops::hard::{CORNERS, inside};
use crate::ops::shared::{KEEP, check_option, floats_only, linked, not_bool, on, wide};
use crate::ops::{BASE, UNARY, grad1, same_as_first};
use crate::{Error, Result, body, shape};

/// The ops of this family.
pub static OPS: &[&Op] = &[&RELU, &RELU6, &LEAKY_RELU, &PRELU, &THRESHOLD];

/// max(x, 0); NaN stays, the gradient at 0 is 0.
pub static RELU: Op = Op {
    name: "relu",
    grad_fn: "ReluBackward0",
    symbol: "relu",
    formula: "y = max(a, 0)",
    rules: &["{gy} where {y} > 0, else 0"],
    doc: "Each element, or 0 where it is negative.",
    // Of equal operands `max` takes the second: −0 stays −0.
    check: not_bool,
    kind: Kind::Elementwise(body!(|x| x.constant(0.0).max(x))),
    vjp: Vjp::Rule(|b| {
        let zero = b.gy.number(0.0);
        grad1(linked(&b.y.le(&zero).select(&zero, &b.gy), &b.y))
    }),
    saves: [SAVE_Y; 3],
    out: Out::None,
    functional: true,
    infinities: Infinities::Chooses,
    ..KEEP
};

/// min(max(x, 0), 6)
pub static RELU6: Op = Op {
    name: "relu6",
    grad_fn: "HardtanhBackward0",
    symbol: "relu6",
    formula: "y = min(max(a, 0), 6)",
    rules: &["{gy} where 0 < {a} < 6, else 0"],
    doc: "Each element, or the nearer end where it lies outside 0 … 6.",
    check: not_bool,
    // Of equal operands `max` takes the second: −0 stays −0.
    kind: Kind::Elementwise(body!(|x| x.constant(6.0).min(&x.constant(0.0).max(x)))),
    vjp: Vjp::Rule(|b| grad1(inside(b, 0.0, 6.0))),
    exact: true,
    infinities: Infinities::Chooses,
    ..CORNERS
};

/// x where positive, slope · x elsewhere.
pub static LEAKY_RELU: Op = Op {
    name: "leaky_relu",
    grad_fn: "LeakyReluBackward0",
    symbol: "lrelu",
    formula: "y = a where a > 0, else slope · a",
    rules: &["{gy} where {a} > 0, else slope · {gy}"],
    doc: "Each element, or a small part of it where it is negative.",
    params: &[
        param("input", Tensor),
        optional("negative_slope", Float, Attr::Float(0.01)),
    ],
    check: floats_only,
    kind: Kind::Elementwise(body!(|x, slope| x
        .constant(0.0)
        .lt(x)
        .select(x, &x.mul(slope)))),
    vjp: Vjp::Rule(|b| {
        let positive = b.src[0].gt(&b.gy.number(0.0));
        let gradient = positive.select(&b.gy, &(&b.gy * b.attr(0).as_float()));
        grad1(linked(&gradient, &b.src[0]))
    }),
    saves: [SAVE_A; 3],
    samples: samples(&["[3,4]", "[3,4] 0.3"]),
    method: false,
    functional: true,
    ..UNARY
};

/// x where positive, weight · x elsewhere; the weight is one number or one for each channel.
pub static PRELU: Op = Op {
    name: "prelu",
    grad_fn: "PreluKernelBackward0",
    symbol: "prelu",
    formula: "y = a where a > 0, else b · a",
    rules: &[
        "{gy} where {a} > 0, else {b} · {gy}",
        "0 where {a} > 0, else {a} · {gy}, summed over a channel",
    ],
    doc: "Each element, or a learned part of it where it is negative: one weight, or one for each channel.",
    params: &[param("input", Tensor), param("weight", Tensor)],
    check: floats_only,
    infer: |op, src, attrs| {
        let (x, weight) = (&src[0], &src[1]);
        if weight.dtype != x.dtype {
            return Err(Error::runtime(format!(
                "prelu: expected weight in the dtype of input, {}, got {}; convert one of them with .to()",
                x.dtype, weight.dtype
            )));
        }
        if weight.shape.len() > 1 {
            return Err(Error::runtime(format!(
                "prelu: expected weight to be a scalar or a 1-dimensional tensor, got shape {}",
                shape::show(&weight.shape)
            )));
        }
        if weight.numel() != 1 {
            channels(&x.shape, weight.numel())?;
        }
        same_as_first(op, src, attrs)
    },
    kind: Kind::Composite(|c| {
        let (x, weight) = (&c.src[0], &c.src[1]);
        let n = weight.node().numel();
        let mut sizes = shape::Shape::from_elem(1, x.shape().len());
        if n != 1 {
            // One dimension without elements has no channels.
            let channels = usize::from(sizes.len() > 1);
            sizes[channels] = n;
        }
        let weight = weight.reshape(&sizes);
        Ok(x.call(&PRELU_KERNEL, &[&weight], smallvec![]))
    }),
    vjp: Vjp::Lowered,
    saves: [SAVE_A | SAVE_B; 3],
    domain: (-2.0, 2.0),
    samples: samples(&["[2,3] [3]", "[2,3,2] [1]", "[4] [1]"]),
    example: example("torch.prelu(torch.tensor([-2.0, 1.0]), torch.tensor([0.25]))"),
    out: Out::None,
    functional: true,
    ..BASE
};

fn channels(input: &[usize], weights: usize) -> Result<()> {
    let Some(&first) = input.first() else {
        return Err(Error::runtime(format!(
            "prelu: {weights} weights do not fit a tensor without dimensions; use one weight"
        )));
    };
    let n = if input.len() > 1 {
        input[1]
    } else {
        first.min(1)
    };
    if n != weights {
        return Err(Error::runtime(format!(
            "prelu: {weights} weights do not fit {n} channels of an input of shape {}; use one weight, or one for each channel (dimension 1)",
            shape::show(input)
        )));
    }
    Ok(())
}

/// `prelu` of a weight that broadcasts.
static PRELU_KERNEL: Op = Op {
    name: "prelu_kernel",
    grad_fn: "PreluKernelBackward0",
    promote: crate::op::Promote::Keep,
    infer: same_as_first,
    kind: Kind::Elementwise(body!(|x, weight| {
        x.constant(0.0).lt(x).select(x, &weight.mul(x))
    })),
    vjp: Vjp::Rule(|b| {
        let (x, weight) = (&b.src[0], &b.src[1]);
        let zero = b.gy.number(0.0);
        let positive = x.gt(&zero);
        // At 0 both slopes are those of the lower side, and do not bend any more.
        let straight = |v: &GraphValue| {
            let flat = on(v, &crate::ops::convert::DETACH);
            x.ge(&zero).select(&flat, v)
        };
        Ok(smallvec![
            b.needs(0)
                .then(|| positive.select(&b.gy, &(straight(weight) * &b.gy))),
            b.needs(1)
                .then(|| positive.select(&zero, &(straight(x) * &b.gy))),
        ])
    }),
    saves: [SAVE_A | SAVE_B; 3],
    ..PRELU
};

/// x above the threshold, a number elsewhere.
pub static THRESHOLD: Op = Op {
    name: "threshold",
    grad_fn: "ThresholdBackward0",
    symbol: "threshold",
    formula: "y = a where a > threshold, else value",
    rules: &["{gy} where {a} > threshold, else 0"],
    doc: "Each element, or a value where it is not above a threshold.",
    params: &[
        param("input", Tensor),
        param("threshold", Float),
        param("value", Float),
    ],
    check: not_bool,
    infer: |op, src, attrs| {
        for number in attrs {
            check_option(op, number, src[0].dtype)?;
        }
        same_as_first(op, src, attrs)
    },
    kind: Kind::Elementwise(body!(|x, threshold, value| {
        x.le(threshold).select(value, x)
    })),
    vjp: Vjp::Rule(|b| {
        let x = wide(&b.src[0]);
        let low = x.le(&x.number(b.attr(0).as_float()));
        let above = low.select(&b.gy.number(0.0), &b.gy);
        grad1(linked(&above, &b.src[0]))
    }),
    exact: true,
    samples: samples(&["[3,4] 0.3 20", "[5] -0.25 0.5"]),
    example: example("torch.nn.functional.threshold(torch.tensor([0.2, 0.7]), 0.5, 0.0)"),
    infinities: Infinities::Chooses,
    ..CORNERS
};
