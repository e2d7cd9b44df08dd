//! `x[…]` and `x[…] = v`, as PyTorch does it: integers, slices, None and Ellipsis make views;
//! integer tensors and masks choose elements.

use smallvec::smallvec;

use crate::op::Attr;
use crate::ops::{compare, movement, place};
use crate::shape;
use crate::var::Var;
use crate::{DType, Error, Result, Tensor};

/// One part of an index.
#[derive(Clone)]
pub enum Index {
    /// An integer: the dimension goes.
    Int(i64),
    /// `start:stop:step`.
    Slice(Option<i64>, Option<i64>, Option<i64>),
    /// A new dimension of size 1.
    NewAxis,
    /// All dimensions that are not named.
    Ellipsis,
    /// Integers to choose by, or a mask.
    Tensor(Tensor),
}

/// A view, and the tensors that choose from its dimensions (none where a dimension is kept).
struct Plan {
    view: Tensor,
    chosen: Vec<Option<Tensor>>,
}

impl Tensor {
    /// `self[parts]`. A view, unless a tensor is among the parts.
    ///
    /// # Errors
    /// When there are too many parts, or one is out of range.
    pub fn get(&self, parts: &[Index]) -> Result<Tensor> {
        let Plan { view, chosen } = self.plan_index(parts)?;
        if chosen.iter().all(Option::is_none) {
            return Ok(view);
        }
        let (front, order_back) = arrange(&view, &chosen)?;
        let indices: Vec<&Tensor> = chosen.iter().flatten().collect();
        let taken = front.index(&indices)?;
        match order_back(taken.shape().len()) {
            Some(order) => permuted(&taken, &order),
            None => Ok(taken),
        }
    }

    /// `self[parts] = value`, broadcast and cast.
    ///
    /// # Errors
    /// As [`Tensor::get`] and [`Tensor::assign`].
    pub fn set(&self, parts: &[Index], value: &Tensor) -> Result<()> {
        // A mask of the whole shape and one number need no positions.
        if let [Index::Tensor(mask)] = parts
            && mask.dtype() == DType::Bool
            && mask.shape() == self.shape()
            && value.numel() == 1
        {
            let value = value.reshape(&[])?;
            return self.apply_in_place(&compare::MASKED_FILL, &[mask.clone(), value], smallvec![]);
        }
        let Plan { view, chosen } = self.plan_index(parts)?;
        if chosen.iter().all(Option::is_none) {
            return view.assign(value);
        }
        view.put(&chosen, value)
    }

    /// Writes where index tensors point: the positions are known, so the write becomes a choice
    /// between the old element and one of the values. The last of two writes to one place wins.
    fn put(&self, chosen: &[Option<Tensor>], value: &Tensor) -> Result<()> {
        let engine = self.engine();
        let n = self.numel();
        let all: Vec<i64> = (0..n as i64).collect();
        let shape: Vec<usize> = self.shape().to_vec();
        let positions = Tensor::from_node(engine, engine.leaf_i64(&all, &shape)?);
        let parts: Vec<Index> = chosen
            .iter()
            .map(|c| {
                c.clone()
                    .map_or(Index::Slice(None, None, None), Index::Tensor)
            })
            .collect();
        let at = positions.get(&parts)?;
        let fits = shape::broadcast("index_put_", &value.shape(), &at.shape())
            .is_ok_and(|s| s == at.shape());
        if !fits {
            return Err(Error::runtime(format!(
                "shape mismatch: value tensor of shape {} cannot be broadcast to indexing result of shape {}",
                shape::show(&value.shape()),
                shape::show(&at.shape())
            )));
        }
        let mut from = vec![0i64; n];
        let mut written = vec![0u8; n];
        for (i, position) in at.to_scalars()?.into_iter().enumerate() {
            let position = position.as_i64() as usize;
            from[position] = i as i64;
            written[position] = 1;
        }
        let count = at.numel();
        if count == 0 {
            return Ok(());
        }
        let from = engine.leaf_i64(&from, &[n])?;
        let mask = engine.inside(|| engine.leaf_bytes(&written, &[n], DType::Bool))?;
        let next = engine.inside(|| {
            let old = self.var();
            let values = value
                .var()
                .to(self.dtype())
                .expand(&at.shape())
                .contiguous()
                .reshape(&[count, 1]);
            let spread = values
                .call(&place::TAKE, &[&Var::new(engine, from)], smallvec![])
                .reshape(&[n]);
            let flat = old.contiguous().reshape(&[n]);
            Var::new(engine, mask)
                .select(&spread, &flat)
                .reshape(old.shape())
        });
        self.assign(&Tensor::from_node(engine, engine.settle(next)?.into_node()))
    }

    /// Applies what makes views; collects what chooses.
    fn plan_index(&self, parts: &[Index]) -> Result<Plan> {
        let n_dims = self.shape().len();
        let used: usize = parts.iter().map(dims_used).sum();
        if used > n_dims {
            return Err(Error::index(format!(
                "too many indices for tensor of dimension {n_dims}"
            )));
        }
        if parts
            .iter()
            .filter(|p| matches!(p, Index::Ellipsis))
            .count()
            > 1
        {
            return Err(Error::index(
                "an index can only have a single ellipsis ('...')",
            ));
        }
        let mut view = self.clone();
        let mut chosen: Vec<Option<Tensor>> = Vec::new();
        for part in parts {
            let dim = chosen.len();
            let d = dim as i64;
            match part {
                Index::Int(i) => {
                    let attrs = smallvec![Attr::Int(d), Attr::Int(*i)];
                    view = Tensor::apply(self.engine(), &movement::SELECT, &[view], attrs)?;
                }
                Index::Slice(start, stop, step) => {
                    view = view.slice_dim(dim, *start, *stop, *step)?;
                    chosen.push(None);
                }
                Index::NewAxis => {
                    view = view.unsqueeze(d)?;
                    chosen.push(None);
                }
                Index::Ellipsis => chosen.extend((0..n_dims - used).map(|_| None)),
                Index::Tensor(tensor) if tensor.dtype() == DType::Bool => {
                    chosen.extend(view.mask_indices(dim, tensor)?.into_iter().map(Some));
                }
                Index::Tensor(tensor) => chosen.push(Some(tensor.clone())),
            }
        }
        chosen.resize(view.shape().len(), None);
        Ok(Plan { view, chosen })
    }

    /// `start:stop:step` of a dimension.
    fn slice_dim(
        &self,
        dim: usize,
        start: Option<i64>,
        stop: Option<i64>,
        step: Option<i64>,
    ) -> Result<Tensor> {
        let n = self.shape()[dim] as i64;
        let step = step.unwrap_or(1);
        if step <= 0 {
            return Err(Error::value(format!(
                "step must be greater than zero, got {step}; use flip to read backwards"
            )));
        }
        let clip = |i: i64| if i < 0 { (i + n).max(0) } else { i.min(n) };
        let start = clip(start.unwrap_or(0));
        let stop = clip(stop.unwrap_or(n));
        let len = if stop > start {
            (stop - start - 1) / step + 1
        } else {
            0
        };
        if start == 0 && len == n && step == 1 {
            return Ok(self.clone());
        }
        let attrs = smallvec![Attr::ints(&[dim as i64, start, len, step])];
        Tensor::apply(
            self.engine(),
            &movement::SLICE,
            std::slice::from_ref(self),
            attrs,
        )
    }

    /// A mask as index tensors, one for each of its dimensions. Reads the mask: how many elements
    /// it chooses decides the result's shape.
    fn mask_indices(&self, dim: usize, mask: &Tensor) -> Result<Vec<Tensor>> {
        let (shape, mask_shape) = (self.shape(), mask.shape());
        for (i, &n) in mask_shape.iter().enumerate() {
            if shape.get(dim + i) != Some(&n) {
                return Err(Error::index(format!(
                    "The shape of the mask {} at index {i} does not match the shape of the indexed tensor {} at index {}",
                    shape::show(&mask_shape),
                    shape::show(&shape),
                    dim + i
                )));
            }
        }
        if mask_shape.is_empty() {
            return Err(Error::not_implemented(
                "index: a 0-dimensional mask is not supported; use torch.where",
            ));
        }
        mask.nonzero_tuple()
    }

    /// Indices of the elements that are not zero, one tensor for each dimension.
    ///
    /// # Errors
    /// What running the graph says.
    pub fn nonzero_tuple(&self) -> Result<Vec<Tensor>> {
        let shape = self.shape();
        let strides = shape::contiguous_strides(&shape);
        let flat: Vec<usize> = self
            .to_scalars()?
            .into_iter()
            .enumerate()
            .filter(|(_, v)| v.as_f64() != 0.0)
            .map(|(i, _)| i)
            .collect();
        let engine = self.engine();
        (0..shape.len())
            .map(|d| {
                let along: Vec<i64> = flat
                    .iter()
                    .map(|i| ((i / strides[d] as usize) % shape[d]) as i64)
                    .collect();
                Ok(Tensor::from_node(
                    engine,
                    engine.leaf_i64(&along, &[along.len()])?,
                ))
            })
            .collect()
    }
}

fn dims_used(part: &Index) -> usize {
    match part {
        Index::NewAxis | Index::Ellipsis => 0,
        Index::Tensor(t) if t.dtype() == DType::Bool => t.shape().len(),
        _ => 1,
    }
}

fn permuted(x: &Tensor, order: &[usize]) -> Result<Tensor> {
    if order.iter().enumerate().all(|(i, &d)| i == d) {
        return Ok(x.clone());
    }
    let attrs = smallvec![crate::var::dims_attr(order)];
    Tensor::apply(
        x.engine(),
        &movement::PERMUTE,
        std::slice::from_ref(x),
        attrs,
    )
}

type OrderBack = Box<dyn Fn(usize) -> Option<Vec<usize>>>;

/// The view with the chosen dimensions in front, and how to put the result's dimensions back:
/// where the chosen ones stood, if they stood together; else in front.
fn arrange(view: &Tensor, chosen: &[Option<Tensor>]) -> Result<(Tensor, OrderBack)> {
    let at: Vec<usize> = (0..chosen.len()).filter(|&d| chosen[d].is_some()).collect();
    let rest = (0..chosen.len()).filter(|&d| chosen[d].is_none());
    let order: Vec<usize> = at.iter().copied().chain(rest).collect();
    let front = permuted(view, &order)?;
    let first = at[0];
    let together = at.windows(2).all(|w| w[1] == w[0] + 1);
    let n_rest = chosen.len() - at.len();
    let order_back: OrderBack = Box::new(move |n_dims| {
        if !together || first == 0 {
            return None;
        }
        // Now [index dims…, rest…]; the index dims belong after `first` of the rest.
        let n_index = n_dims - n_rest;
        let before = n_index..n_index + first;
        Some(
            before
                .chain(0..n_index)
                .chain(n_index + first..n_dims)
                .collect(),
        )
    });
    Ok((front, order_back))
}
