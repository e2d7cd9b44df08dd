//! Arguments of a call from Rust: `call(&engine, "sum", args![x, 0], &[("keepdim", true.arg())])`.

use super::{Caller, bind};
use crate::dtype::{DType, Scalar};
use crate::op::Attr;
use crate::{Engine, Error, Result, Tensor, ops};

/// An argument of a call from Rust.
#[derive(Debug, Clone)]
pub enum Arg {
    /// `None`.
    None,
    /// A tensor.
    Tensor(Tensor),
    /// A number or a bool.
    Number(Scalar),
    /// A list.
    List(Vec<Arg>),
    /// A dtype.
    DType(DType),
    /// A string.
    Word(String),
}

impl Arg {
    /// A list of integers.
    pub fn ints(list: &[i64]) -> Arg {
        Arg::List(list.iter().map(|i| Arg::Number(Scalar::Int(*i))).collect())
    }

    /// A list of tensors.
    pub fn tensors(list: impl IntoIterator<Item = Tensor>) -> Arg {
        Arg::List(list.into_iter().map(Arg::Tensor).collect())
    }
}

/// A call from Rust.
impl Caller for Engine {
    type Value = Arg;
    type Error = Error;

    fn error(&self, error: Error) -> Error {
        error
    }

    fn is_none(&self, value: &Arg) -> bool {
        matches!(value, Arg::None)
    }

    fn is_int(&self, value: &Arg) -> bool {
        matches!(value, Arg::Number(Scalar::Int(_) | Scalar::Bool(_)))
    }

    fn tensor(&self, value: &Arg) -> Option<Tensor> {
        match value {
            Arg::Tensor(tensor) => Some(tensor.clone()),
            _ => None,
        }
    }

    fn number_tensor(&self, value: &Arg) -> Result<Option<Tensor>> {
        Ok(match value {
            Arg::Number(number) => Some(Tensor::number(self, *number)),
            _ => None,
        })
    }

    fn int(&self, value: &Arg) -> Result<Option<i64>> {
        Ok(match value {
            Arg::Number(Scalar::Int(i)) => Some(*i),
            Arg::Number(Scalar::Bool(b)) => Some(i64::from(*b)),
            _ => None,
        })
    }

    fn number(&self, value: &Arg) -> Result<Option<Attr>> {
        Ok(match value {
            Arg::Number(Scalar::Bool(b)) => Some(Attr::Bool(*b)),
            Arg::Number(Scalar::Int(i)) => Some(Attr::Int(*i)),
            Arg::Number(Scalar::UInt(i)) => Some(Attr::Float(*i as f64)),
            Arg::Number(Scalar::Float(x)) => Some(Attr::Float(*x)),
            _ => None,
        })
    }

    fn bool(&self, value: &Arg) -> Option<bool> {
        match value {
            Arg::Number(Scalar::Bool(b)) => Some(*b),
            _ => None,
        }
    }

    fn dtype(&self, value: &Arg) -> Result<DType> {
        match value {
            Arg::DType(dtype) => Ok(*dtype),
            other => Err(Error::type_(format!(
                "expected a dtype such as torch.float32, not {}",
                self.type_name(other)
            ))),
        }
    }

    fn word<R>(&self, value: &Arg, read: impl FnOnce(&str) -> R) -> Option<R> {
        match value {
            Arg::Word(word) => Some(read(word)),
            _ => None,
        }
    }

    fn elements(&self, value: &Arg) -> Option<Vec<Arg>> {
        match value {
            Arg::List(list) => Some(list.clone()),
            _ => None,
        }
    }

    fn list(&self, elements: Vec<Arg>) -> Arg {
        Arg::List(elements)
    }

    fn type_name(&self, value: &Arg) -> String {
        let name = match value {
            Arg::None => "NoneType",
            Arg::Tensor(_) => "Tensor",
            Arg::List(_) => "list",
            Arg::Number(Scalar::Bool(_)) => "bool",
            Arg::Number(Scalar::Int(_) | Scalar::UInt(_)) => "int",
            Arg::Number(Scalar::Float(_)) => "float",
            Arg::DType(_) => "dtype",
            Arg::Word(_) => "str",
        };
        name.to_owned()
    }
}

/// What an argument of an op is made of.
pub trait ToArg {
    /// The value as an argument.
    fn arg(&self) -> Arg;
}

macro_rules! to_arg {
    ($($kind:ty: |$x:ident| $arg:expr;)*) => {
        $(impl ToArg for $kind { fn arg(&self) -> Arg { let $x = self; $arg } })*
    };
}
to_arg! {
    Arg: |x| x.clone();
    Tensor: |x| Arg::Tensor(x.clone());
    i64: |x| Arg::Number(Scalar::Int(*x));
    usize: |x| Arg::Number(Scalar::Int(*x as i64));
    f64: |x| Arg::Number(Scalar::Float(*x));
    bool: |x| Arg::Number(Scalar::Bool(*x));
    DType: |x| Arg::DType(*x);
    str: |x| Arg::Word(x.to_owned());
    String: |x| Arg::Word(x.clone());
    [i64]: |x| Arg::ints(x);
    Vec<i64>: |x| Arg::ints(x);
    [Tensor]: |x| Arg::tensors(x.iter().cloned());
    (): |_x| Arg::None;
}
impl<T: ToArg + ?Sized> ToArg for &T {
    fn arg(&self) -> Arg {
        (**self).arg()
    }
}
impl<T: ToArg> ToArg for Option<T> {
    fn arg(&self) -> Arg {
        self.as_ref().map_or(Arg::None, ToArg::arg)
    }
}

/// Arguments of a [`call`](crate::bind::call), by position.
///
/// ```
/// use glowgrad_tensor::args;
/// assert_eq!(args![2.0, true].len(), 2);
/// ```
#[macro_export]
macro_rules! args {
    ($($x:expr),* $(,)?) => { vec![$($crate::bind::ToArg::arg(&$x)),*] };
}

/// Calls an op by PyTorch's name for it.
///
/// # Errors
/// When no op has the name, and what the op says of its arguments.
pub fn call(
    engine: &Engine,
    name: &str,
    positional: Vec<Arg>,
    keywords: Vec<(&str, Arg)>,
) -> Result<Tensor> {
    let op = ops::find(name).ok_or_else(|| lacks(name))?;
    let keywords = (keywords.into_iter())
        .map(|(name, arg)| (name.to_owned(), arg))
        .collect();
    let (operands, attrs) = bind(engine, op, positional, keywords)?;
    Tensor::apply(engine, op, &operands, attrs)
}

/// Calls what gives several tensors, by PyTorch's name for it.
///
/// # Errors
/// When no such call has the name, and what it says of its arguments.
pub fn call_multi(engine: &Engine, name: &str, positional: Vec<Arg>) -> Result<Vec<Tensor>> {
    let op = (ops::multi_output())
        .find(|op| op.name == name)
        .ok_or_else(|| lacks(name))?;
    let (operands, attrs) = bind(engine, op, positional, Vec::new())?;
    Tensor::apply_multi(engine, op, &operands, &attrs)
}

fn lacks(name: &str) -> Error {
    Error::not_implemented(format!("the engine has no op {name}"))
}
