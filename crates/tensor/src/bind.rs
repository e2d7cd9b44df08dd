//! From a call as it is written, `sum(x, dim=0)`, to an op's operands and attributes.
//!
//! The op's parameters decide everything: defaults, PyTorch's other spellings (`axis`, `keepdims`), sizes
//! given one by one (`x.reshape(2, 3)`), numbers in the place of tensors, and the words of an error, which
//! names the op, the argument, what came and what was expected. A [`Caller`] says how its values are read:
//! Rust's are [`Arg`]s, the Python module reads Python's objects.

mod arg;

use std::fmt::Display;

use smallvec::SmallVec;

use crate::dtype::DType;
use crate::op::{Attr, Attrs, MultiOutputOp, Op, Param, ParamKind, Promote};
use crate::{Error, Result, Tensor};

pub use arg::{Arg, ToArg, call, call_multi};

/// What is called: an op, or a call with several results.
#[derive(Debug, Clone, Copy)]
pub struct Callee {
    /// Its name.
    pub name: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    promote: Promote,
    numbers: u8,
}

impl From<&'static Op> for Callee {
    fn from(op: &'static Op) -> Callee {
        Callee {
            name: op.name,
            params: op.params,
            promote: op.promote,
            numbers: op.numbers,
        }
    }
}

impl From<&'static MultiOutputOp> for Callee {
    fn from(op: &'static MultiOutputOp) -> Callee {
        Callee {
            name: op.name,
            params: op.params,
            promote: Promote::Keep,
            numbers: 0,
        }
    }
}

impl Callee {
    /// Whether the parameter at a position takes a number in a tensor's place.
    fn takes_number(&self, position: usize) -> bool {
        let is_tensor = |param: &&Param| param.kind == ParamKind::Tensor;
        if self.numbers & (1 << position) != 0 {
            return true;
        }
        position > 0
            && match self.promote {
                Promote::Keep => false,
                Promote::Common | Promote::Float => {
                    self.params.iter().filter(is_tensor).nth(1).is_some()
                }
                Promote::Rest => true,
            }
    }

    /// How it is called: `softmax(input, dim)`.
    fn usage(&self) -> String {
        format!("{}{}", self.name, signature(self.params))
    }
}

/// How the values of a call are read. `None` means a value of another kind.
pub trait Caller {
    /// An argument.
    type Value;
    /// An error as the caller raises it.
    type Error;

    /// An error of the binder, as the caller raises it.
    fn error(&self, error: Error) -> Self::Error;
    /// Whether the value is `None`.
    fn is_none(&self, value: &Self::Value) -> bool;
    /// Whether the value is a plain integer (or bool), and no tensor of one.
    fn is_int(&self, value: &Self::Value) -> bool;
    /// A tensor.
    fn tensor(&self, value: &Self::Value) -> Option<Tensor>;
    /// A number as a tensor without dimensions.
    fn number_tensor(&self, value: &Self::Value) -> Result<Option<Tensor>, Self::Error>;
    /// An integer.
    fn int(&self, value: &Self::Value) -> Result<Option<i64>, Self::Error>;
    /// A number, as an attribute that keeps whether it is whole.
    fn number(&self, value: &Self::Value) -> Result<Option<Attr>, Self::Error>;
    /// A bool.
    fn bool(&self, value: &Self::Value) -> Option<bool>;
    /// A dtype.
    fn dtype(&self, value: &Self::Value) -> Result<DType, Self::Error>;
    /// Hands a string to a reader.
    fn word<R>(&self, value: &Self::Value, read: impl FnOnce(&str) -> R) -> Option<R>;
    /// The elements of a list.
    fn elements(&self, value: &Self::Value) -> Option<Vec<Self::Value>>;
    /// Sizes that were given one by one, as a list.
    fn list(&self, elements: Vec<Self::Value>) -> Self::Value;
    /// What Python calls the value's type.
    fn type_name(&self, value: &Self::Value) -> String;
}

/// Operands and attributes of a call. Positional arguments fill parameters in order; integers at the end
/// may stand for a list that comes last, as in `x.reshape(2, 3)`. A keyword `dtype` that is no parameter
/// converts the operands first.
///
/// # Errors
/// A `TypeError` that names the parameter, or for a word that is not among the allowed ones what PyTorch
/// raises.
pub fn bind<C: Caller>(
    caller: &C,
    op: impl Into<Callee>,
    positional: Vec<C::Value>,
    keywords: Vec<(String, C::Value)>,
) -> Result<(Vec<Tensor>, Attrs), C::Error> {
    let op = op.into();
    let (given, cast) = match_parameters(caller, op, positional, keywords)?;
    let mut operands = Vec::with_capacity(3);
    let mut attrs = Attrs::new();
    let mut left_out: Option<&Param> = None;
    for (position, (param, value)) in op.params.iter().zip(given).enumerate() {
        let value =
            value.filter(|value| param.default != Some(Attr::None) || !caller.is_none(value));
        match (param.kind, value) {
            (ParamKind::Tensor, Some(value)) => {
                if let Some(missing) = left_out {
                    return Err(caller.error(Error::not_implemented(format!(
                        "{}(): '{}' without '{}' is not supported; pass a '{}' of ones",
                        op.name, param.name, missing.name, missing.name
                    ))));
                }
                operands.push(operand(caller, op, position, param, &value)?);
            }
            (ParamKind::Tensors, Some(value)) => {
                let wrong = |got: &C::Value| {
                    wrong(caller, op, param, " (position 1)", "tuple of Tensors", got)
                };
                for element in caller.elements(&value).ok_or_else(|| wrong(&value))? {
                    operands.push(caller.tensor(&element).ok_or_else(|| wrong(&element))?);
                }
            }
            (ParamKind::Tensor | ParamKind::Tensors, None) if param.default.is_some() => {
                left_out = Some(param);
            }
            (_, Some(value)) => attrs.push(attribute(caller, op, param, &value)?),
            (_, None) => match &param.default {
                Some(default) => attrs.push(default.clone()),
                None => {
                    return Err(caller.error(Error::type_(format!(
                        "{}() missing argument '{}': {}",
                        op.name,
                        param.name,
                        op.usage()
                    ))));
                }
            },
        }
    }
    if let Some(dtype) = cast {
        for operand in &mut operands {
            *operand = operand.to(dtype).map_err(|error| caller.error(error))?;
        }
    }
    Ok((operands, attrs))
}

/// The value given for each parameter, and the dtype to convert operands to.
type Given<V> = (SmallVec<[Option<V>; 8]>, Option<DType>);

fn match_parameters<C: Caller>(
    caller: &C,
    op: Callee,
    mut positional: Vec<C::Value>,
    keywords: Vec<(String, C::Value)>,
) -> Result<Given<C::Value>, C::Error> {
    let params = op.params;
    let refuse = |message: String| Err(caller.error(Error::type_(message)));
    if let Some(last) = params.last()
        && last.kind == ParamKind::Ints
        && positional.len() >= params.len()
        && caller.is_int(&positional[params.len() - 1])
    {
        let sizes = positional.split_off(params.len() - 1);
        positional.push(caller.list(sizes));
    }
    if positional.len() > params.len() {
        return refuse(format!(
            "{}() takes {} arguments, got {}: {}",
            op.name,
            params.len(),
            positional.len(),
            op.usage()
        ));
    }
    let mut given: SmallVec<[Option<C::Value>; 8]> = positional.into_iter().map(Some).collect();
    given.resize_with(params.len(), || None);
    let mut cast = None;
    for (name, value) in keywords {
        match params.iter().position(|param| is_named(param, &name)) {
            Some(position) if given[position].is_some() => {
                return refuse(format!(
                    "{}() got multiple values for argument '{name}'",
                    op.name
                ));
            }
            Some(position) => given[position] = Some(value),
            None if name == "dtype" => {
                if !caller.is_none(&value) {
                    cast = Some(caller.dtype(&value)?);
                }
            }
            None => {
                return refuse(format!(
                    "{}() got an unexpected keyword argument '{name}': {}",
                    op.name,
                    op.usage()
                ));
            }
        }
    }
    Ok((given, cast))
}

fn is_named(param: &Param, name: &str) -> bool {
    param.name == name
        || matches!(
            (param.name, name),
            ("dim" | "dims", "axis" | "dim" | "dims")
                | ("keepdim", "keepdims")
                | ("shape" | "size", "size" | "shape")
                | ("tensor", "input")
        )
}

/// A `TypeError` for a value of a kind that a parameter does not take.
fn wrong<C: Caller>(
    caller: &C,
    op: Callee,
    param: &Param,
    place: impl Display,
    expected: &str,
    value: &C::Value,
) -> C::Error {
    caller.error(Error::type_(format!(
        "{}(): argument '{}'{place} must be {expected}, not {}",
        op.name,
        param.name,
        caller.type_name(value)
    )))
}

fn operand<C: Caller>(
    caller: &C,
    op: Callee,
    position: usize,
    param: &Param,
    value: &C::Value,
) -> Result<Tensor, C::Error> {
    if let Some(tensor) = caller.tensor(value) {
        return Ok(tensor);
    }
    if op.takes_number(position)
        && let Some(number) = caller.number_tensor(value)?
    {
        return Ok(number);
    }
    let place = format_args!(" (position {})", position + 1);
    Err(wrong(caller, op, param, place, "Tensor", value))
}

fn attribute<C: Caller>(
    caller: &C,
    op: Callee,
    param: &Param,
    value: &C::Value,
) -> Result<Attr, C::Error> {
    let wrong = |expected: &str| wrong(caller, op, param, "", expected, value);
    let ints = "int or tuple of ints";
    Ok(match param.kind {
        ParamKind::Int => Attr::Int(caller.int(value)?.ok_or_else(|| wrong("int"))?),
        // One number is no list to `split`; to others it counts as one.
        ParamKind::Ints if caller.is_int(value) => {
            Attr::Int(caller.int(value)?.ok_or_else(|| wrong(ints))?)
        }
        ParamKind::Ints => {
            let list = match caller.int(value)? {
                Some(one) => Some(vec![one]),
                None => integers(caller, value)?,
            };
            Attr::ints(&list.ok_or_else(|| wrong(ints))?)
        }
        ParamKind::Float => caller.number(value)?.ok_or_else(|| wrong("a number"))?,
        ParamKind::Bool => Attr::Bool(caller.bool(value).ok_or_else(|| wrong("bool"))?),
        ParamKind::DType => Attr::DType(caller.dtype(value)?),
        ParamKind::Word(words) => {
            let found = caller.word(value, |given| {
                let found = words.iter().find(|word| **word == given);
                found.ok_or_else(|| no_such_word(op, param, words, given))
            });
            match found.ok_or_else(|| wrong("str"))? {
                Ok(word) => Attr::Str(word),
                Err(error) => return Err(caller.error(error)),
            }
        }
        ParamKind::Tensor | ParamKind::Tensors => return Err(wrong("Tensor")),
    })
}

fn integers<C: Caller>(caller: &C, list: &C::Value) -> Result<Option<Vec<i64>>, C::Error> {
    let Some(elements) = caller.elements(list) else {
        return Ok(None);
    };
    elements.iter().map(|element| caller.int(element)).collect()
}

fn no_such_word(op: Callee, param: &Param, words: &[&str], given: &str) -> Error {
    let message = format!(
        "{}(): argument '{}' must be one of {}, not '{given}'",
        op.name,
        param.name,
        words.join(", ")
    );
    // PyTorch checks reductions in Python, the rest in its kernels.
    match param.name {
        "reduction" => Error::value(message),
        _ => Error::runtime(message),
    }
}

/// `(input, dim=None, keepdim=False)`.
pub fn signature(params: &[Param]) -> String {
    let each = |p: &Param| match &p.default {
        None => p.name.to_owned(),
        Some(default) => {
            let value = match default {
                Attr::None => "None".to_owned(),
                Attr::Bool(true) => "True".to_owned(),
                Attr::Bool(false) => "False".to_owned(),
                Attr::Int(i) => i.to_string(),
                Attr::Float(x) => python_float(*x),
                Attr::Ints(list) => format!("{:?}", &list[..]),
                Attr::DType(dtype) => format!("torch.{dtype}"),
                Attr::Str(word) => format!("'{word}'"),
            };
            format!("{}={value}", p.name)
        }
    };
    format!(
        "({})",
        params.iter().map(each).collect::<Vec<_>>().join(", ")
    )
}

/// A float as Python writes it: `1.0`, `1e-05`.
pub fn python_float(x: f64) -> String {
    if x.is_finite() && x != 0.0 && !(1e-4..1e16).contains(&x.abs()) {
        let text = format!("{x:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, exponent) = match exponent.strip_prefix('-') {
            Some(exponent) => ('-', exponent),
            None => ('+', exponent),
        };
        return format!("{digits}e{sign}{exponent:0>2}");
    }
    format!("{x:?}")
}

#[cfg(test)]
mod tests {
    use super::python_float;

    #[test]
    fn floats_are_written_as_in_python() {
        let written = [1.0, 0.0, -0.5, 0.0001, 1e-5, 1.5e-12, 1e16, 2.5e300].map(python_float);
        let python = [
            "1.0", "0.0", "-0.5", "0.0001", "1e-05", "1.5e-12", "1e+16", "2.5e+300",
        ];
        assert_eq!(written, python);
    }
}
