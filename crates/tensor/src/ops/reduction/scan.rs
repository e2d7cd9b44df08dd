//! Running values along one dimension: sums, products, extremes.
//!
//! Each is written in the scheduler's scans (`SCAN_*`), which take a dtype of arithmetic and a
//! dimension that exists. Gradients need no division, so that zeros are no special case: those of
//! products and logarithms are linear recurrences from the end.

use smallvec::smallvec;

use crate::View;
use crate::dtype::DType;
use crate::graph::{GraphValue, routine};
use crate::kernel::ScanOp;
use crate::node::NodeRef;
use crate::op::ParamKind::{self, Int, Tensor};
use crate::op::{
    Attr, Attrs, Call, Infinities, Kind, Meta, MultiOutputOp, Op, Out, Param, RoutineKind, SAVE_A,
    SAVE_B, SAVE_Y, Vjp, example, optional, param, samples,
};
use crate::ops::sort::{CHOSEN, chosen};
use crate::ops::{BASE, dim_of, grad1};
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&CUMSUM, &CUMPROD, &LOGCUMSUMEXP];

/// Those that PyTorch also has in place: `x.cumsum_(0)`.
pub static IN_PLACE: &[&Op] = &[&CUMSUM, &CUMPROD];

/// The calls of this family that give several tensors.
pub static CALLS: &[&MultiOutputOp] = &[&CUMMAX, &CUMMIN];

macro_rules! scans {
    ($($name:ident $op:ident;)*) => {$(
        /// The scheduler's scan of that name; attribute 0 is the dimension.
        pub static $name: Op = Op {
            name: "scan",
            infer: |_, src, _| Ok(Meta {
                shape: src[0].shape.clone(),
                dtype: match ScanOp::$op {
                    ScanOp::ArgMax | ScanOp::ArgMin => DType::I64,
                    _ => src[0].dtype,
                },
            }),
            kind: Kind::Routine(RoutineKind::Of(|node, src| {
                routine::scan(ScanOp::$op, node, src)
            })),
            method: false,
            ..BASE
        };
    )*};
}
scans! {
    SCAN_SUM Sum;
    SCAN_PROD Prod;
    SCAN_LOGADDEXP LogAddExp;
    SCAN_ARGMAX ArgMax;
    SCAN_ARGMIN ArgMin;
}

/// `h[i] = a[i] · h[i − 1] + b[i]` along the dimension in attribute 0, from `h[0] = b[0]`.
pub(crate) static RECURRENCE: Op = Op {
    name: "recurrence",
    kind: Kind::Routine(RoutineKind::Of(|node, src| {
        routine::scan(ScanOp::Recurrence, node, src)
    })),
    vjp: Vjp::Rule(|b| {
        let dim = b.attr(0).as_int() as usize;
        // What reaches h[i]: its own gradient, and through h[i + 1] that one's.
        let reached = from_end(&before(&b.src[0], dim, 0.0), &b.gy, dim);
        let a = b.needs(0).then(|| &reached * after(&b.y, dim, 0.0));
        Ok(smallvec![a, b.needs(1).then(|| reached.clone())])
    }),
    saves: [SAVE_A | SAVE_Y; 3],
    method: false,
    ..BASE
};

/// The other way round along a dimension.
fn flip(x: &GraphValue, dim: usize) -> GraphValue {
    let n = x.shape()[dim];
    x.slice(dim, n.saturating_sub(1), n, -1)
}

/// Element `i − 1` at `i`; a number at the front.
pub(crate) fn after(x: &GraphValue, dim: usize, front: f64) -> GraphValue {
    let n = x.shape()[dim].saturating_sub(1);
    moved(x, (dim, front), (1.min(n), 0), n)
}

/// Element `i + 1` at `i`; a number at the end.
fn before(x: &GraphValue, dim: usize, end: f64) -> GraphValue {
    let n = x.shape()[dim].saturating_sub(1);
    moved(x, (dim, end), (0, 1.min(n)), n)
}

/// `n` elements from one place along a dimension to another, a number elsewhere.
fn moved(
    x: &GraphValue,
    (dim, fill): (usize, f64),
    (to, from): (usize, usize),
    n: usize,
) -> GraphValue {
    let rest = x.number(fill).expand(x.shape());
    if x.node().numel() == 0 || n == 0 {
        return rest;
    }
    let at = View::contiguous(x.shape()).slice(dim, to, n, 1);
    rest.write_at(&at, &x.slice(dim, from, n, 1))
}

/// `h[i] = a[i] · h[i + 1] + b[i]`, from `h[n − 1] = b[n − 1]`.
fn from_end(a: &GraphValue, b: &GraphValue, dim: usize) -> GraphValue {
    let wide = b.dtype().compute();
    let run = flip(&a.to(wide), dim).call(
        &RECURRENCE,
        &[&flip(&b.to(wide), dim)],
        smallvec![Attr::Int(dim as i64)],
    );
    flip(&run, dim).to(b.dtype())
}

/// The product of the other elements of each line along the last of two dimensions, without a
/// division: of those before and those behind.
pub(crate) fn product_of_others(lines: &GraphValue) -> GraphValue {
    let product = |x: &GraphValue| {
        let attrs = smallvec![Attr::Int(1), Attr::None];
        after(&x.call(&CUMPROD, &[], attrs), 1, 1.0)
    };
    product(lines) * flip(&product(&flip(lines, 1)), 1)
}

/// A scan of the scheduler's along the op's dimension, in a dtype of arithmetic.
fn lower(c: &Call, scan: &'static Op, dtype: DType) -> Result<GraphValue> {
    let x = c.src[0].to(dtype);
    if x.shape().is_empty() {
        return Ok(x.contiguous());
    }
    let dim = dim_of(c.node.op, x.shape(), c.attr(0))?;
    let wide = x.to(dtype.compute());
    let run = wide.call(scan, &[], smallvec![Attr::Int(dim as i64)]);
    Ok(run.to(dtype))
}

static RUNNING: &[Param] = &[
    param("input", Tensor),
    param("dim", Int),
    optional("dtype", ParamKind::DType, Attr::None),
];

/// Running totals of bools and integers are int64, unless a dtype is asked for.
fn infer_running(op: &Op, src: &[NodeRef], attrs: &Attrs) -> Result<Meta> {
    dim_of(op, &src[0].shape, &attrs[0])?;
    let dtype = crate::ops::reduce::asked(attrs, 1).unwrap_or(src[0].dtype.max(DType::I64));
    if dtype == DType::Bool {
        return Err(Error::not_implemented(format!(
            "{}: running totals in bool are not supported; leave dtype out for int64",
            op.name
        )));
    }
    Ok(Meta {
        shape: src[0].shape.clone(),
        dtype,
    })
}

/// Running sum.
pub static CUMSUM: Op = Op {
    name: "cumsum",
    grad_fn: "CumsumBackward0",
    symbol: "cumsum",
    formula: "y[i] = a[0] + … + a[i]",
    rules: &["the running sum of {gy} from the end"],
    doc: "The running sum along a dimension.",
    params: RUNNING,
    infer: infer_running,
    kind: Kind::Composite(|c| lower(c, &SCAN_SUM, c.node.dtype)),
    vjp: Vjp::Rule(|b| {
        let gy = b.gy.to(b.src[0].dtype());
        if gy.shape().is_empty() {
            return grad1(gy);
        }
        let dim = dim_of(b.node.op, gy.shape(), b.attr(0))?;
        let run = flip(&gy, dim).call(&CUMSUM, &[], smallvec![Attr::Int(dim as i64)]);
        grad1(flip(&run, dim))
    }),
    samples: samples(&[
        "[2,3,2] dim=1",
        "[4] -1",
        "[2,3]T dim=0",
        "[] 0",
        "[3] 0 dtype=float64",
    ]),
    example: example("torch.cumsum(torch.tensor([1.0, 2.0, 3.0]), dim=0)"),
    out: Out::Computes,
    ..BASE
};

/// Running product.
pub static CUMPROD: Op = Op {
    name: "cumprod",
    grad_fn: "CumprodBackward0",
    symbol: "cumprod",
    formula: "y[i] = a[0] · … · a[i]",
    rules: &["Σ from the end of {gy} · the products without this element"],
    doc: "The running product along a dimension.",
    params: RUNNING,
    infer: infer_running,
    kind: Kind::Composite(|c| lower(c, &SCAN_PROD, c.node.dtype)),
    vjp: Vjp::Rule(|b| {
        // In a dtype of arithmetic throughout: half precision is rounded once.
        let (gy, to) = (b.gy.to(b.gy.dtype().compute()), b.src[0].dtype());
        if gy.shape().is_empty() {
            return grad1(gy.to(to));
        }
        let dim = dim_of(b.node.op, gy.shape(), b.attr(0))?;
        let x = b.src[0].to(gy.dtype());
        let y = match b.y.dtype() == gy.dtype() {
            true => b.y.clone(),
            false => x.call(&CUMPROD, &[], smallvec![Attr::Int(dim as i64), Attr::None]),
        };
        // dy[j]/da[i] = (a[0] … a[i−1]) · (a[i+1] … a[j]); the second factors, weighted with gy and
        // summed over j, are a recurrence from the end.
        let earlier = after(&y, dim, 1.0);
        let later = from_end(&before(&x, dim, 0.0), &gy, dim);
        // + 0 makes a zero's sign PyTorch's, whose sums begin at 0.
        grad1((earlier * later + 0.0).to(to))
    }),
    saves: [SAVE_A | SAVE_Y; 3],
    domain: (0.5, 2.0),
    samples: samples(&[
        "[2,3,2] dim=1",
        "[4]@-2..2 -1",
        "[2,3]T dim=0",
        "[] 0",
        "[3] 0 dtype=float64",
    ]),
    example: example("torch.cumprod(torch.tensor([1.0, 2.0, 3.0]), dim=0)"),
    out: Out::Computes,
    ..BASE
};

/// Running logarithm of summed exponentials.
pub static LOGCUMSUMEXP: Op = Op {
    name: "logcumsumexp",
    grad_fn: "LogcumsumexpBackward0",
    symbol: "logcumsumexp",
    formula: "y[i] = ln(e^a[0] + … + e^a[i])",
    rules: &["Σ over j ≥ i of {gy}[j] · e^({a}[i] − {y}[j])"],
    doc: "The logarithm of the running sum of exponentials, safe from overflow.",
    params: &[param("input", Tensor), param("dim", Int)],
    infer: |op, src, attrs| {
        if !src[0].dtype.is_float() {
            return Err(Error::not_implemented(format!(
                "logcumsumexp: expected a floating-point tensor, got {}; convert it with .float()",
                src[0].dtype
            )));
        }
        dim_of(op, &src[0].shape, &attrs[0])?;
        crate::ops::same_as_first(op, src, attrs)
    },
    kind: Kind::Composite(|c| lower(c, &SCAN_LOGADDEXP, c.node.dtype)),
    vjp: Vjp::Rule(|b| {
        if b.gy.shape().is_empty() {
            return grad1(b.gy.clone());
        }
        let dim = dim_of(b.node.op, b.gy.shape(), b.attr(0))?;
        // Differences of large logarithms: in float64, or their rounding would be the gradient's.
        let x = b.src[0].to(DType::F64);
        let y = match b.y.dtype() {
            DType::F64 => b.y.clone(),
            _ => x.call(&LOGCUMSUMEXP, &[], smallvec![Attr::Int(dim as i64)]),
        };
        // y grows along the dimension, so no factor is above 1; equal infinities differ by 0.
        let next = before(&y, dim, 0.0);
        let infinite = y.abs().eq(&y.number(f64::INFINITY));
        let same = infinite.call(
            &crate::ops::compare::LOGICAL_AND,
            &[&y.eq(&next)],
            smallvec![],
        );
        let ratio = same.select(&y.number(0.0), &(&y - next)).exp();
        let total = from_end(&ratio, &b.gy.to(DType::F64), dim);
        grad1(((x - y).exp() * total).to(b.src[0].dtype()))
    }),
    saves: [SAVE_A | SAVE_Y; 3],
    samples: samples(&["[2,3,2] dim=1", "[4] -1", "[2,3]T dim=0", "[] 0"]),
    example: example("torch.logcumsumexp(torch.tensor([1.0, 2.0, 3.0]), dim=0)"),
    out: Out::Cast,
    infinities: Infinities::Chooses,
    ..BASE
};

/// Where the running extreme is.
const RUNNING_INDEX: Op = Op {
    params: &[param("input", Tensor), param("dim", Int)],
    infer: |op, src, attrs| {
        dim_of(op, &src[0].shape, &attrs[0])?;
        Ok(Meta {
            shape: src[0].shape.clone(),
            dtype: DType::I64,
        })
    },
    vjp: Vjp::None("its result is an index"),
    method: false,
    infinities: Infinities::Asks,
    ..BASE
};

fn positions(c: &Call, scan: &'static Op) -> Result<GraphValue> {
    let x = &c.src[0];
    if x.shape().is_empty() {
        return Ok(x.to(DType::I64).zeros_like().contiguous());
    }
    let dim = dim_of(c.node.op, x.shape(), c.attr(0))?;
    let keys = x.to(crate::ops::sort::sortable(x.dtype()));
    Ok(keys.call(scan, &[], smallvec![Attr::Int(dim as i64)]))
}

static CUMMAX_INDICES: Op = Op {
    name: "cummax",
    symbol: "cummax",
    kind: Kind::Composite(|c| positions(c, &SCAN_ARGMAX)),
    ..RUNNING_INDEX
};

static CUMMIN_INDICES: Op = Op {
    name: "cummin",
    symbol: "cummin",
    kind: Kind::Composite(|c| positions(c, &SCAN_ARGMIN)),
    ..RUNNING_INDEX
};

static CUMMAX_VALUES: Op = Op {
    name: "cummax",
    grad_fn: "CummaxBackward0",
    symbol: "cummax",
    formula: "y[i] = max(a[0], …, a[i])",
    saves: [SAVE_A | SAVE_B; 3],
    ..CHOSEN
};

static CUMMIN_VALUES: Op = Op {
    name: "cummin",
    grad_fn: "CumminBackward0",
    symbol: "cummin",
    formula: "y[i] = min(a[0], …, a[i])",
    saves: [SAVE_A | SAVE_B; 3],
    ..CHOSEN
};

/// Running maximum.
pub static CUMMAX: MultiOutputOp = MultiOutputOp {
    name: "cummax",
    doc: "The largest element so far along a dimension, and where it is: the last one on ties.",
    params: &[param("input", Tensor), param("dim", Int)],
    fields: &["values", "indices"],
    parts: &[&CUMMAX_INDICES, &CUMMAX_VALUES],
    call: |engine, src, attrs| chosen(engine, src, attrs, &CUMMAX_INDICES, &CUMMAX_VALUES, 0),
    samples: samples(&["[2,5] 1", "[3,2,4] dim=0", "[] 0"]),
    example: example("torch.cummax(torch.tensor([1.0, 3.0, 2.0]), dim=0)"),
    ..crate::ops::multi_output::MULTI_OUTPUT
};

/// Running minimum.
pub static CUMMIN: MultiOutputOp = MultiOutputOp {
    name: "cummin",
    doc: "The smallest element so far along a dimension, and where it is: the last one on ties.",
    parts: &[&CUMMIN_INDICES, &CUMMIN_VALUES],
    call: |engine, src, attrs| chosen(engine, src, attrs, &CUMMIN_INDICES, &CUMMIN_VALUES, 0),
    example: example("torch.cummin(torch.tensor([3.0, 1.0, 2.0]), dim=0)"),
    ..CUMMAX
};
