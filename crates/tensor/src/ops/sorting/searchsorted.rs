//! Positions in a sorted sequence: `searchsorted`, `bucketize`.

use smallvec::smallvec;

use crate::dtype::{self, DType};
use crate::graph::{GraphValue, routine};
use crate::node::NodeRef;
use crate::op::ParamKind::{Bool, Tensor, Word};
use crate::op::{
    Attr, Attrs, Infinities, Kind, Meta, Op, RoutineKind, Vjp, example, optional, param, samples,
};
use crate::ops::BASE;
use crate::ops::sort::sortable;
use crate::{Error, Result, shape};

/// The ops of this family.
pub static OPS: &[&Op] = &[&SEARCHSORTED, &BUCKETIZE];

/// The scheduler's search: sorted `[rows, n]`, values `[rows, m]`; attribute 0: after equal ones.
static SEARCH: Op = Op {
    name: "search",
    infer: |_, src, _| {
        Ok(Meta {
            shape: src[1].shape.clone(),
            dtype: DType::I64,
        })
    },
    kind: Kind::Routine(RoutineKind::Of(routine::search_sorted)),
    method: false,
    infinities: Infinities::Asks,
    ..BASE
};

/// Searches along the last dimension of values, in the dtype in which they meet the sequences.
fn search(sorted: &GraphValue, values: &GraphValue, right: bool) -> Result<GraphValue> {
    let rank = |v: &GraphValue| (v.dtype(), v.node().rank());
    let dtype = sortable(dtype::promote([rank(sorted), rank(values)].into_iter())?);
    let n = sorted.shape()[sorted.shape().len() - 1];
    let (rows, m) = match sorted.shape().len() {
        1 => (1, values.node().numel()),
        _ => (
            shape::numel(&sorted.shape()[..sorted.shape().len() - 1]),
            values.shape()[values.shape().len() - 1],
        ),
    };
    let as_rows = |v: &GraphValue, n: usize| v.to(dtype).reshape(&[rows, n]);
    let found = as_rows(sorted, n).call(
        &SEARCH,
        &[&as_rows(values, m)],
        smallvec![Attr::Bool(right)],
    );
    Ok(found.reshape(values.shape()))
}

/// Whether values go after elements that equal them: `right`, or `side` where that is given.
fn goes_right(right: &Attr, side: &Attr) -> bool {
    right.as_bool() || side.as_str() == "right"
}

fn index_dtype(int32: &Attr) -> DType {
    if int32.as_bool() {
        DType::I32
    } else {
        DType::I64
    }
}

/// Where values go into a sorted sequence.
pub static SEARCHSORTED: Op = Op {
    name: "searchsorted",
    symbol: "search",
    formula: "a[y[i] − 1] < b[i] ≤ a[y[i]]",
    doc: "Where values go into a sorted sequence so that it stays sorted.",
    params: &[
        param("sorted_sequence", Tensor),
        param("input", Tensor),
        optional("out_int32", Bool, Attr::Bool(false)),
        optional("right", Bool, Attr::Bool(false)),
        optional("side", Word(&["left", "right"]), Attr::None),
        optional("sorter", Tensor, Attr::None),
    ],
    infer: infer_search,
    kind: Kind::Composite(|c| {
        let sorted = match c.src.get(2) {
            None => c.src[0].clone(),
            Some(sorter) => {
                let last = c.src[0].shape().len() - 1;
                let along = smallvec![Attr::Int(last as i64)];
                c.src[0].call(&crate::ops::gather::GATHER, &[sorter], along)
            }
        };
        let right = goes_right(c.attr(1), c.attr(2));
        Ok(search(&sorted, &c.src[1], right)?.to(c.node.dtype))
    }),
    vjp: Vjp::None("its result is an index"),
    samples: samples(&[
        "[5] [2,3]",
        "[2,4] [2,3] right=true",
        "[4] [3] sorter=[4]<4",
    ]),
    example: example("torch.searchsorted(torch.tensor([1.0, 3.0, 5.0]), torch.tensor([2.0, 3.0]))"),
    method: false,
    infinities: Infinities::Asks,
    ..BASE
};

fn infer_search(_: &Op, src: &[NodeRef], attrs: &Attrs) -> Result<Meta> {
    let (sorted, values) = (&src[0], &src[1]);
    let wrong = |why: String| Err(Error::runtime(format!("torch.searchsorted(): {why}")));
    if attrs[1].as_bool() && attrs[2].as_str() == "left" {
        return wrong(
            "side and right can't be set to opposites, got side of left while right was True"
                .into(),
        );
    }
    dtype::promote(src[..2].iter().map(|s| (s.dtype, s.rank())))?;
    let n_dims = sorted.shape.len();
    if n_dims == 0 {
        return wrong(
            "boundaries tensor should have positive dimension, but got 0 dimension".into(),
        );
    }
    if n_dims > 1 && values.shape.is_empty() {
        return wrong(format!(
            "input value can be a scalar only when boundaries tensor dimension is 1, but we got boundaries tensor dim({n_dims})"
        ));
    }
    let leading = |shape: &[usize]| shape[..shape.len().max(1) - 1].to_vec();
    let fits = n_dims == 1
        || values.shape.len() == n_dims && leading(&values.shape) == leading(&sorted.shape);
    if !fits {
        return wrong(format!(
            "boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input value tensor must match, but we got boundaries tensor {} and input value tensor {}",
            shape::show(&sorted.shape),
            shape::show(&values.shape)
        ));
    }
    if let Some(sorter) = src.get(2) {
        if sorter.dtype != DType::I64 {
            return wrong(format!(
                "sorter must be a tensor of long dtype but got dtype {}; make it with torch.argsort",
                sorter.dtype.scalar_name()
            ));
        }
        if sorter.shape != sorted.shape {
            return wrong(format!(
                "boundary and sorter must have the same size, but got boundary tensor {} and sorter tensor {}",
                shape::show(&sorted.shape),
                shape::show(&sorter.shape)
            ));
        }
    }
    Ok(Meta {
        shape: values.shape.clone(),
        dtype: index_dtype(&attrs[0]),
    })
}

/// The bucket of each value.
pub static BUCKETIZE: Op = Op {
    name: "bucketize",
    symbol: "bucket",
    formula: "b[y − 1] < a ≤ b[y]",
    doc: "The number of the bucket, between ascending boundaries, that each element lies in.",
    params: &[
        param("input", Tensor),
        param("boundaries", Tensor),
        optional("out_int32", Bool, Attr::Bool(false)),
        optional("right", Bool, Attr::Bool(false)),
    ],
    infer: |_, src, attrs| {
        if src[1].shape.len() != 1 {
            return Err(Error::runtime(format!(
                "bucketize: boundaries tensor must be 1 dimension, but got dim({})",
                src[1].shape.len()
            )));
        }
        dtype::promote(src.iter().map(|s| (s.dtype, s.rank())))?;
        Ok(Meta {
            shape: src[0].shape.clone(),
            dtype: index_dtype(&attrs[0]),
        })
    },
    kind: Kind::Composite(|c| {
        let found = search(&c.src[1], &c.src[0], c.attr(1).as_bool())?;
        Ok(found.to(c.node.dtype))
    }),
    samples: samples(&["[2,3] [5]", "[4] [3] right=true"]),
    example: example("torch.bucketize(torch.tensor([1.5, 3.0]), torch.tensor([1.0, 2.0, 3.0]))"),
    ..SEARCHSORTED
};
