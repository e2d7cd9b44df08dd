//! One call of an operator: its inputs and attributes as the engine's ops want them.

pub(crate) use glowgrad::args;
use glowgrad::bind::{self, Arg, ToArg};
use glowgrad::{DType, Engine, Error, Result, Scalar, Tensor};
use glowgrad_files::onnx::TensorProto;

use crate::graph::{Call, Graph, Row, Run};
use crate::scope::Scope;
use glowgrad_files::tensor::{from_array, of_file};

impl Call<'_> {
    /// Input `i`, which must be there.
    pub(crate) fn x(&self, i: usize) -> Result<&Tensor> {
        self.get(i).ok_or_else(|| {
            Error::value(format!(
                "input {i} is missing; the operator {} needs it",
                self.node.op
            ))
        })
    }

    /// Input `i`, if it is given.
    pub(crate) fn get(&self, i: usize) -> Option<&Tensor> {
        self.inputs.get(i)?.as_ref()
    }

    /// Every input that is given.
    pub(crate) fn all(&self) -> Vec<Tensor> {
        self.inputs.iter().flatten().cloned().collect()
    }

    /// How many outputs the node names.
    pub(crate) fn n_outputs(&self) -> usize {
        self.node.outputs.len()
    }

    /// Whether output `i` is wanted.
    pub(crate) fn wants(&self, i: usize) -> bool {
        self.node
            .outputs
            .get(i)
            .is_some_and(|name| !name.is_empty())
    }

    pub(crate) fn int(&self, name: &str) -> Option<i64> {
        self.node.attribute(name)?.i
    }

    pub(crate) fn int_or(&self, name: &str, default: i64) -> i64 {
        self.int(name).unwrap_or(default)
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        self.int_or(name, 0) != 0
    }

    pub(crate) fn float(&self, name: &str) -> Option<f64> {
        self.node.attribute(name)?.f.map(f64::from)
    }

    pub(crate) fn float_or(&self, name: &str, default: f32) -> f64 {
        self.float(name).unwrap_or(f64::from(default))
    }

    pub(crate) fn ints(&self, name: &str) -> Option<Vec<i64>> {
        Some(self.node.attribute(name)?.ints.clone())
    }

    pub(crate) fn floats(&self, name: &str) -> Option<Vec<f64>> {
        let list = &self.node.attribute(name)?.floats;
        Some(list.iter().map(|&x| f64::from(x)).collect())
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        std::str::from_utf8(self.node.attribute(name)?.s.as_ref()?).ok()
    }

    pub(crate) fn text_or<'t>(&'t self, name: &str, default: &'t str) -> &'t str {
        self.text(name).unwrap_or(default)
    }

    pub(crate) fn texts(&self, name: &str) -> Option<Vec<String>> {
        let list = &self.node.attribute(name)?.strings;
        let each = |s: &Vec<u8>| String::from_utf8_lossy(s).into_owned();
        Some(list.iter().map(each).collect())
    }

    pub(crate) fn proto(&self, name: &str) -> Option<&TensorProto> {
        self.node.attribute(name)?.t.as_ref()
    }

    /// Runs a graph among the attributes once, which sees the values around the node.
    pub(crate) fn run(&self, body: &Graph, inputs: Vec<Option<Tensor>>) -> Result<Vec<Tensor>> {
        self.run_within(body, inputs, &self.around(body)?)
    }

    /// The values around the node and the constants of a graph among its attributes, for all rounds of a loop.
    pub(crate) fn around(&self, body: &Graph) -> Result<Scope<'_>> {
        constants(self.engine, body, Some(self.scope))
    }

    /// Runs a graph within what [`Call::around`] made for it.
    pub(crate) fn run_within(
        &self,
        body: &Graph,
        inputs: Vec<Option<Tensor>>,
        around: &Scope<'_>,
    ) -> Result<Vec<Tensor>> {
        (self.run_body)(self.engine, body, inputs, around)
    }

    pub(crate) fn body(&self, name: &str) -> Result<&Graph> {
        self.node.bodies.get(name).ok_or_else(|| self.lacks(name))
    }

    /// The error for an attribute that must be given.
    pub(crate) fn lacks(&self, name: &str) -> Error {
        Error::value(format!(
            "the attribute {name:?} is missing; the operator {} needs it",
            self.node.op
        ))
    }

    /// The error for an attribute whose value is not supported.
    pub(crate) fn unknown(&self, name: &str, came: impl std::fmt::Display, known: &str) -> Error {
        Error::not_implemented(format!(
            "the attribute {name:?} is {came}; expected {known}"
        ))
    }

    /// The integers of input `i`, if it is given.
    pub(crate) fn list(&self, i: usize) -> Result<Option<Vec<i64>>> {
        self.get(i).map(integers).transpose()
    }

    /// The integers of input `i`, or of the attribute that older versions have in its place.
    pub(crate) fn list_or(&self, i: usize, name: &str) -> Result<Option<Vec<i64>>> {
        match self.list(i)? {
            Some(list) => Ok(Some(list)),
            None => Ok(self.ints(name)),
        }
    }

    /// Calls an op of the engine by name.
    pub(crate) fn op(&self, name: &'static str, args: Vec<Arg>) -> Result<Tensor> {
        op(self.engine, name, args)
    }

    /// A number beside a tensor, which takes its dtype.
    pub(crate) fn number(&self, x: f64) -> Tensor {
        Tensor::number(self.engine, Scalar::Float(x))
    }

    /// A whole number beside a tensor.
    pub(crate) fn whole(&self, i: i64) -> Tensor {
        Tensor::number(self.engine, Scalar::Int(i))
    }

    /// One number everywhere, in a tensor's shape and dtype.
    pub(crate) fn full_like(&self, x: &Tensor, value: f64) -> Result<Tensor> {
        full(self.engine, &x.shape(), value, x.dtype())
    }
}

impl Row {
    /// Runs a call.
    pub(crate) fn run(&self, call: &Call) -> Result<Vec<Tensor>> {
        match self.run {
            Run::Same(op) => {
                let args = call.all().iter().map(ToArg::arg).collect();
                Ok(vec![call.op(op, args)?])
            }
            Run::One(run) => Ok(vec![run(call)?]),
            Run::Many(run) => run(call),
        }
    }
}

/// A scope with the constants of a graph.
pub(crate) fn constants<'a>(
    engine: &Engine,
    graph: &Graph,
    outer: Option<&'a Scope<'a>>,
) -> Result<Scope<'a>> {
    let scope = Scope::new(outer);
    for proto in &graph.constants {
        let array = proto.to_array().map_err(of_file)?;
        scope.set(proto.name(), from_array(engine, &array)?);
    }
    Ok(scope)
}

/// One number everywhere; whole where the dtype is.
pub(crate) fn full(engine: &Engine, shape: &[usize], value: f64, dtype: DType) -> Result<Tensor> {
    let value = match dtype.is_float() {
        true => Scalar::Float(value),
        false => Scalar::Int(value as i64),
    };
    Tensor::full(engine, shape, value, dtype)
}

/// The integers of a tensor.
pub(crate) fn integers(tensor: &Tensor) -> Result<Vec<i64>> {
    Ok((tensor.to_scalars()?.into_iter())
        .map(Scalar::as_i64)
        .collect())
}

/// Most numbers of a list that is made here and not by the engine: 2 GiB of indices.
const MOST_LISTED: usize = 1 << 28;

/// Numbers by their place, of a list that has room in memory.
pub(crate) fn listed<T>(n: usize, of: impl FnMut(usize) -> T) -> Result<Vec<T>> {
    let mut list = Vec::new();
    if n > MOST_LISTED || list.try_reserve_exact(n).is_err() {
        return Err(Error::runtime(format!(
            "{n} numbers are to be listed, more than the {MOST_LISTED} that are allowed, or than memory has room for; use a smaller shape"
        )));
    }
    list.extend((0..n).map(of));
    Ok(list)
}

/// How many operations a round of a loop counts for.
const ROUND: usize = 1 << 14;

/// Hears Stop in a loop that the model may make as long as it likes.
pub(crate) fn heard() -> Result<()> {
    match glowgrad::interrupt::spend(ROUND) {
        true => glowgrad::interrupt::check(),
        false => Ok(()),
    }
}

/// An axis that may count from the end. A tensor without dimensions has none, not even 0.
pub(crate) fn axis(axis: i64, n_dims: usize) -> Result<usize> {
    if n_dims == 0 {
        return Err(Error::index(format!(
            "the axis is {axis}, and the input has no dimensions; expected one or more"
        )));
    }
    glowgrad::shape::dim("axis", axis, n_dims)
}

/// Axes that may count from the end, each named once.
pub(crate) fn axes(list: &[i64], n_dims: usize) -> Result<Vec<usize>> {
    let mut axes = Vec::with_capacity(list.len());
    for &given in list {
        let at = axis(given, n_dims)?;
        if axes.contains(&at) {
            return Err(Error::value(format!(
                "the axes {list:?} name axis {at} twice; name each once"
            )));
        }
        axes.push(at);
    }
    Ok(axes)
}

/// Numbers for the places of one axis, beside a tensor of so many dimensions.
pub(crate) fn beside(each: &Tensor, n_dims: usize, at: usize) -> Result<Tensor> {
    let mut line = vec![1; n_dims];
    let Some(size) = line.get_mut(at) else {
        return Err(Error::value(format!(
            "there are numbers for each place of axis {at}, and the tensor beside has {n_dims} dimensions"
        )));
    };
    *size = each.numel();
    each.shaped(&line)
}

/// Sizes as the engine's arguments.
pub(crate) fn sizes(shape: &[usize]) -> Vec<i64> {
    shape.iter().map(|&n| n as i64).collect()
}

/// Calls an op of the engine by name.
pub(crate) fn op(engine: &Engine, name: &str, args: Vec<Arg>) -> Result<Tensor> {
    bind::call(engine, name, args, Vec::new())
}

/// A tensor's methods as operators want them.
pub(crate) trait Methods: Sized {
    /// An op of this tensor and further arguments.
    fn with(&self, name: &'static str, more: Vec<Arg>) -> Result<Tensor>;
    /// An op of this tensor alone.
    fn one(&self, name: &'static str) -> Result<Tensor> {
        self.with(name, Vec::new())
    }
    /// An op of this tensor and another.
    fn pair(&self, name: &'static str, other: &Tensor) -> Result<Tensor> {
        self.with(name, args![other])
    }
    /// Plus a number.
    fn plus(&self, x: f64) -> Result<Tensor>;
    /// Times a number.
    fn times(&self, x: f64) -> Result<Tensor>;
    /// In another shape.
    fn shaped(&self, shape: &[usize]) -> Result<Tensor>;
    /// A part of a dimension.
    fn narrow(&self, dim: usize, start: usize, len: usize) -> Result<Tensor>;
    /// The axes in another order.
    fn permute(&self, order: &[usize]) -> Result<Tensor>;
    /// The number of dimensions.
    fn rank(&self) -> usize;
}

impl Methods for Tensor {
    fn with(&self, name: &'static str, more: Vec<Arg>) -> Result<Tensor> {
        let mut args = args![self];
        args.extend(more);
        op(self.engine(), name, args)
    }

    fn plus(&self, x: f64) -> Result<Tensor> {
        self.add(&Tensor::number(self.engine(), Scalar::Float(x)))
    }

    fn times(&self, x: f64) -> Result<Tensor> {
        self.mul(&Tensor::number(self.engine(), Scalar::Float(x)))
    }

    fn shaped(&self, shape: &[usize]) -> Result<Tensor> {
        self.reshape(&sizes(shape))
    }

    fn narrow(&self, dim: usize, start: usize, len: usize) -> Result<Tensor> {
        self.with("narrow", args![dim as i64, start as i64, len as i64])
    }

    fn permute(&self, order: &[usize]) -> Result<Tensor> {
        self.with("permute", args![sizes(order)])
    }

    fn rank(&self) -> usize {
        self.shape().len()
    }
}
