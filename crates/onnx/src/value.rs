//! What a model says of its inputs and outputs.

use glowgrad::{DType, Error, Result, Tensor};
use glowgrad_files::onnx::{DataType, DimensionValue, TypeValue, ValueInfoProto};

/// A size of an input or output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Size {
    /// A number.
    Fixed(usize),
    /// A name that stands for one: `batch`.
    Named(String),
    /// Open.
    Open,
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Size::Fixed(n) => write!(f, "{n}"),
            Size::Named(name) => f.write_str(name),
            Size::Open => f.write_str("?"),
        }
    }
}

/// An input or output of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// Its name.
    pub name: String,
    /// The type of its elements; none if the model leaves it open.
    pub dtype: Option<DType>,
    /// Its sizes; none if the model leaves even their number open.
    pub shape: Option<Vec<Size>>,
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let dtype = self.dtype.map_or("any type", DType::name);
        match &self.shape {
            None => write!(f, "{} {dtype} of any shape", self.name),
            Some(shape) => {
                let sizes: Vec<String> = shape.iter().map(Size::to_string).collect();
                write!(f, "{} {dtype} [{}]", self.name, sizes.join(", "))
            }
        }
    }
}

impl Value {
    /// The type of a value that is a tensor.
    ///
    /// # Errors
    /// For values of other kinds, and elements that the engine lacks.
    pub(crate) fn of(info: &ValueInfoProto) -> Result<Value> {
        let name = info.name().to_owned();
        let open = Value {
            name: name.clone(),
            dtype: None,
            shape: None,
        };
        let tensor = match info.r#type.as_ref().and_then(|kind| kind.value.as_ref()) {
            None => return Ok(open),
            Some(TypeValue::Tensor(tensor)) => tensor,
            Some(other) => {
                let kind = match other {
                    TypeValue::Sequence(_) => "a sequence",
                    TypeValue::Map(_) => "a map",
                    TypeValue::Optional(_) => "an optional value",
                    _ => "a sparse tensor",
                };
                return Err(Error::not_implemented(format!(
                    "{name:?} is {kind}; expected a tensor: export the model with tensors alone as inputs and outputs"
                )));
            }
        };
        let kind = DataType::of(tensor.elem_type);
        let dtype = match kind {
            Some(DataType::Undefined) => None,
            kind => match kind.and_then(DataType::dtype) {
                Some(dtype) => Some(dtype),
                None => {
                    return Err(Error::not_implemented(format!(
                        "{name:?} has elements of type {}, which the engine lacks; expected floats of 16 to 64 bits, integers of 8 to 64 bits or bool",
                        kind.map_or_else(|| "unknown".to_owned(), DataType::name)
                    )));
                }
            },
        };
        let size = |value: &Option<DimensionValue>| match value {
            Some(DimensionValue::Value(n)) => usize::try_from(*n).map_or(Size::Open, Size::Fixed),
            Some(DimensionValue::Param(name)) if !name.is_empty() => Size::Named(name.clone()),
            _ => Size::Open,
        };
        let shape = tensor.shape.as_ref();
        Ok(Value {
            name,
            dtype,
            shape: shape.map(|shape| shape.dim.iter().map(|dim| size(&dim.value)).collect()),
        })
    }

    /// Refuses a tensor of another type or size.
    pub(crate) fn check(&self, tensor: &Tensor) -> Result<()> {
        let shape = tensor.shape();
        let fits = |(size, &n): (&Size, &usize)| !matches!(size, Size::Fixed(want) if *want != n);
        let right = self.dtype.is_none_or(|dtype| dtype == tensor.dtype())
            && self.shape.as_ref().is_none_or(|sizes| {
                sizes.len() == shape.len() && sizes.iter().zip(&shape).all(fits)
            });
        if right {
            return Ok(());
        }
        Err(Error::value(format!(
            "the input {:?} is {} {}, and the model expects {self}; convert or reshape it",
            self.name,
            tensor.dtype(),
            glowgrad::shape::show(&shape)
        )))
    }
}
