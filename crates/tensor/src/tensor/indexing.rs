//! `x[…]` and `x[…] = v`, as PyTorch does it: integers, slices, None and Ellipsis make views;
//! integer tensors and masks choose elements.

use smallvec::smallvec;

use crate::graph::{GraphValue, Operand};
use crate::op::Attr;
use crate::ops::index::{self, INDEX_PUT};
use crate::ops::nonzero::NONZERO_TUPLE;
use crate::ops::{check, convert, masked, permute, slice, strided};
use crate::shape::{self, Shape};
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
struct IndexedView {
    view: Tensor,
    chosen: Vec<Option<Tensor>>,
}

impl Tensor {
    /// `self[parts]`. A view, unless a tensor is among the parts.
    ///
    /// # Errors
    /// When there are too many parts, or one is out of range.
    pub fn get(&self, parts: &[Index]) -> Result<Tensor> {
        let IndexedView { view, chosen } = self.resolve_index(parts)?;
        if chosen.iter().all(Option::is_none) {
            // A view of everything is a tensor of its own all the same, with hooks of its own.
            if !view.is(self) {
                return Ok(view);
            }
            let slices = |part: &Index| matches!(part, Index::Slice(..));
            let (op, attrs) = match parts.iter().position(slices) {
                Some(_) => {
                    let all = [0, 0, self.shape()[0] as i64, 1];
                    (&slice::SLICE, smallvec![Attr::ints(&all)])
                }
                None => (&strided::ALIAS, smallvec![]),
            };
            return Tensor::apply(self.engine(), op, &[view], attrs);
        }
        let choice = Choice::new(&view, &chosen)?;
        let mut operands = vec![permuted(&view, &choice.order)?];
        operands.extend(chosen.iter().flatten().cloned());
        let named = crate::ops::formula::dims_attr(&choice.order[..operands.len() - 1]);
        let taken = Tensor::apply(self.engine(), &index::INDEX, &operands, smallvec![named])?;
        permuted(&taken, &choice.back)
    }

    /// `self[parts] = value`, broadcast; numbers are cast.
    ///
    /// # Errors
    /// As [`Tensor::get`] and [`Tensor::assign`].
    pub fn set(&self, parts: &[Index], value: &Tensor) -> Result<()> {
        // A mask of the whole shape and one number need no positions.
        if let [Index::Tensor(mask)] = parts
            && mask.dtype() == DType::Bool
            && mask.shape() == self.shape()
            && value.node().is_python_number
        {
            let others = [mask.clone(), value.clone()];
            return self.apply_in_place(&masked::MASKED_FILL, &others, smallvec![]);
        }
        if let Some(number) = value
            .node()
            .number
            .filter(|_| value.node().is_python_number)
        {
            number.check_fits_or_half("index", self.dtype())?;
        }
        let IndexedView { view, chosen } = self.resolve_index(parts)?;
        if chosen.iter().all(Option::is_none) {
            return view.assign(&without_ones(value, view.shape().len())?);
        }
        view.put(&chosen, value, false)
    }

    /// A copy with a value written at `parts`, or added up there: `x.index_put((i, j), v, True)`.
    ///
    /// # Errors
    /// As [`Tensor::set`].
    pub fn index_put(&self, parts: &[Index], value: &Tensor, accumulate: bool) -> Result<Tensor> {
        let copy = self
            .engine()
            .internal_scope(|| self.var().call(&convert::CLONE, &[], smallvec![]));
        let copy = Tensor::from_node(self.engine(), self.engine().settle(copy)?.into_node());
        copy.index_put_(parts, value, accumulate)?;
        Ok(copy)
    }

    /// Writes a value at `parts`, or adds it up there.
    ///
    /// # Errors
    /// As [`Tensor::set`].
    pub fn index_put_(&self, parts: &[Index], value: &Tensor, accumulate: bool) -> Result<()> {
        let IndexedView { view, chosen } = self.resolve_index(parts)?;
        match chosen.iter().all(Option::is_none) {
            true => Err(Error::index(
                "index_put: expected at least one index tensor, got none; write x[…] = value",
            )),
            false => view.put(&chosen, value, accumulate),
        }
    }

    /// Writes where index tensors point; the last of two writes to one place wins, unless they add
    /// up.
    fn put(&self, chosen: &[Option<Tensor>], value: &Tensor, accumulate: bool) -> Result<()> {
        let engine = self.engine();
        let choice = Choice::new(self, chosen)?;
        if !value.node().is_python_number && value.dtype() != self.dtype() {
            return Err(Error::runtime(format!(
                "Index put requires the source and destination dtypes match, got {} for the destination and {} for the source; convert the value with .to({}).",
                self.dtype().scalar_name(),
                value.dtype().scalar_name(),
                self.dtype()
            )));
        }
        let value = without_ones(value, choice.shape.len())?;
        let fits = shape::broadcast("index_put_", &value.shape(), &choice.shape)
            .is_ok_and(|s| s == choice.shape);
        if !fits {
            return Err(Error::runtime(format!(
                "shape mismatch: value tensor of shape {} cannot be broadcast to indexing result of shape {}",
                shape::show(&value.shape()),
                shape::show(&choice.shape)
            )));
        }
        let sizes = self.shape();
        let indices = chosen.iter().enumerate();
        let indices = indices.filter_map(|(d, index)| Some((d, sizes[d], index.clone()?)));
        check::check_leading(indices.map(|(d, n, index)| (d, n, Operand::new(index))))?;
        // The result's dimensions back to where the indexed ones are in front.
        let mut front = vec![0; choice.back.len()];
        choice
            .back
            .iter()
            .enumerate()
            .for_each(|(i, &d)| front[d] = i);
        let values = engine.internal_scope(|| {
            let value = value.var();
            let value = match value.node().is_python_number {
                true => GraphValue::new(engine, engine.cast(value.node(), self.dtype())?),
                false => value,
            };
            engine.settle(value.expand(&choice.shape).permute(&front))
        })?;
        let mut others = vec![Tensor::from_node(engine, values.into_node())];
        others.extend(chosen.iter().flatten().cloned());
        let order = crate::ops::formula::dims_attr(&choice.order);
        self.apply_in_place(
            &INDEX_PUT,
            &others,
            smallvec![Attr::Bool(accumulate), order],
        )
    }

    /// Applies what makes views; collects what chooses.
    fn resolve_index(&self, parts: &[Index]) -> Result<IndexedView> {
        let parts: Vec<Index> = parts.iter().map(as_chosen).collect::<Result<_>>()?;
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
        for part in &parts {
            let dim = chosen.len();
            let d = dim as i64;
            match part {
                Index::Int(i) => {
                    let attrs = smallvec![Attr::Int(d), Attr::Int(*i)];
                    view = Tensor::apply(self.engine(), &slice::SELECT, &[view], attrs)?;
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
                // One truth value: a new dimension with one element or none.
                Index::Tensor(mask) if mask.dtype() == DType::Bool && mask.shape().is_empty() => {
                    view = view.unsqueeze(d)?;
                    let on = mask.item()?.as_f64() != 0.0;
                    let zero: &[i64] = if on { &[0] } else { &[] };
                    let index = self.engine().leaf_i64(zero, &[zero.len()])?;
                    chosen.push(Some(Tensor::from_node(self.engine(), index)));
                }
                Index::Tensor(tensor) if tensor.dtype() == DType::Bool => {
                    chosen.extend(view.mask_indices(dim, tensor)?.into_iter().map(Some));
                }
                Index::Tensor(tensor) => chosen.push(Some(tensor.clone())),
            }
        }
        chosen.resize(view.shape().len(), None);
        Ok(IndexedView { view, chosen })
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
            &slice::SLICE,
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
        let mask = std::slice::from_ref(mask);
        Tensor::apply_multi(self.engine(), &NONZERO_TUPLE, mask, &smallvec![])
    }
}

/// An index as the plan takes it: a tensor of one integer is an integer, uint8 is a mask, int32 is
/// int64.
fn as_chosen(part: &Index) -> Result<Index> {
    let Index::Tensor(tensor) = part else {
        return Ok(part.clone());
    };
    let engine = tensor.engine();
    match tensor.dtype() {
        DType::Bool => Ok(part.clone()),
        DType::U8 => Ok(Index::Tensor(
            engine.internal_scope(|| tensor.to(DType::Bool))?,
        )),
        DType::I64 | DType::I32 if tensor.shape().is_empty() => {
            Ok(Index::Int(tensor.item()?.as_i64()))
        }
        DType::I64 => Ok(part.clone()),
        DType::I32 => Ok(Index::Tensor(
            engine.internal_scope(|| tensor.to(DType::I64))?,
        )),
        other => Err(Error::index(format!(
            "tensors used as indices must be long, int, byte or bool tensors, got {other}; convert it with .long()"
        ))),
    }
}

/// A value without leading dimensions of size 1 that its target does not have.
fn without_ones(value: &Tensor, n_dims: usize) -> Result<Tensor> {
    let shape = value.shape();
    let extra = shape.len().saturating_sub(n_dims);
    if extra == 0 || shape[..extra].iter().any(|&n| n != 1) {
        return Ok(value.clone());
    }
    let rest: Vec<i64> = shape[extra..].iter().map(|&n| n as i64).collect();
    value.engine().internal_scope(|| value.reshape(&rest))
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
    let attrs = smallvec![crate::ops::formula::dims_attr(order)];
    Tensor::apply(
        x.engine(),
        &permute::PERMUTE,
        std::slice::from_ref(x),
        attrs,
    )
}

/// Where chosen dimensions go: to the front, and in the result to where they stood if they stood
/// together.
struct Choice {
    /// The view's dimensions, chosen ones in front.
    order: Vec<usize>,
    /// For each dimension of the result, which one of `[index dimensions…, rest…]` it is.
    back: Vec<usize>,
    /// The result's sizes.
    shape: Shape,
}

impl Choice {
    fn new(view: &Tensor, chosen: &[Option<Tensor>]) -> Result<Choice> {
        let at: Vec<usize> = (0..chosen.len()).filter(|&d| chosen[d].is_some()).collect();
        let rest: Vec<usize> = (0..chosen.len()).filter(|&d| chosen[d].is_none()).collect();
        let mut index = Shape::new();
        for tensor in chosen.iter().flatten() {
            index = shape::broadcast("index", &index, &tensor.shape()).map_err(|_| {
                let shapes = chosen.iter().flatten().map(|t| shape::show(&t.shape()));
                Error::index(format!(
                    "shape mismatch: indexing tensors could not be broadcast together with shapes {}",
                    shapes.collect::<Vec<_>>().join(", ")
                ))
            })?;
        }
        let first = at.first().copied().unwrap_or(0);
        let together = at.windows(2).all(|w| w[1] == w[0] + 1);
        // Now [index dims…, rest…]; the index dims belong after `first` of the rest.
        let (n_index, n_dims) = (index.len(), index.len() + rest.len());
        let before = if together { first } else { 0 };
        let back: Vec<usize> = (n_index..n_index + before)
            .chain(0..n_index)
            .chain(n_index + before..n_dims)
            .collect();
        let sizes = view.shape();
        let front: Shape = (index.iter().copied())
            .chain(rest.iter().map(|&d| sizes[d]))
            .collect();
        shape::check_size("index", &front)?;
        Ok(Choice {
            order: at.into_iter().chain(rest).collect(),
            shape: back.iter().map(|&d| front[d]).collect(),
            back,
        })
    }
}
