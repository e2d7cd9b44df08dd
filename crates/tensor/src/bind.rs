//! From a call as it is written, `sum(x, dim=0)`, to an op's operands and attributes.
//!
//! The op's parameters decide everything, so that Python, the tests and any other caller agree on
//! defaults, on what counts as a list and on the words of an error.

use crate::dtype::{DType, Scalar};
use crate::op::{Attr, Attrs, Op, Param, ParamKind};
use crate::{Engine, Error, Result, Tensor};

/// What is called: its name and parameters.
pub type Callee<'a> = (&'a str, &'a [Param]);

/// An argument as the caller has it.
#[derive(Debug, Clone)]
pub enum Arg {
    /// `None`.
    None,
    /// A tensor.
    Tensor(Tensor),
    /// A list of tensors.
    Tensors(Vec<Tensor>),
    /// A number or a bool.
    Number(Scalar),
    /// A list of integers.
    Ints(Vec<i64>),
    /// A dtype.
    DType(DType),
    /// A string.
    Word(String),
}

impl Arg {
    /// What Python calls it.
    fn kind(&self) -> &'static str {
        match self {
            Arg::None => "None",
            Arg::Tensor(_) => "a tensor",
            Arg::Tensors(_) => "a list of tensors",
            Arg::Number(Scalar::Bool(_)) => "a bool",
            Arg::Number(Scalar::Int(_) | Scalar::UInt(_)) => "an int",
            Arg::Number(Scalar::Float(_)) => "a float",
            Arg::Ints(_) => "a list of ints",
            Arg::DType(_) => "a dtype",
            Arg::Word(_) => "a str",
        }
    }
}

/// Operands and attributes of a call. Positional arguments fill parameters in order; a run of
/// integers may stand for a list that must be given and comes last, as in `x.reshape(2, 3)`.
///
/// # Errors
/// A `TypeError` that names the parameter, or a `ValueError` for a word that is not among the
/// allowed ones.
pub fn bind(
    engine: &Engine,
    op: &Op,
    positional: &[Arg],
    keywords: &[(&str, Arg)],
) -> Result<(Vec<Tensor>, Attrs)> {
    bind_to(engine, (op.name, op.params), positional, keywords)
}

/// As [`bind`], for anything with a name and parameters.
///
/// # Errors
/// As [`bind`].
pub fn bind_to(
    engine: &Engine,
    op: Callee,
    positional: &[Arg],
    keywords: &[(&str, Arg)],
) -> Result<(Vec<Tensor>, Attrs)> {
    let (name, params) = op;
    let mut operands = Vec::new();
    let mut attrs = Attrs::new();
    let mut left_out: Option<&Param> = None;
    let mut rest = positional;
    for (keyword, _) in keywords {
        if !params.iter().any(|p| p.name == *keyword) {
            return Err(Error::type_(format!(
                "{}() got an unexpected keyword argument '{keyword}'; it takes {}",
                name,
                signature(op)
            )));
        }
    }
    for param in params {
        let keyword = keywords
            .iter()
            .find(|(keyword, _)| *keyword == param.name)
            .map(|(_, arg)| arg);
        let arg = match (rest, keyword) {
            ([_, ..], Some(_)) => {
                return Err(Error::type_(format!(
                    "{}() got multiple values for argument '{}'",
                    name, param.name
                )));
            }
            ([], given) => given.cloned(),
            ([_, ..], None) => {
                let is_last = std::ptr::eq(param, &params[params.len() - 1]);
                let (arg, used) = take(param, rest, is_last);
                rest = &rest[used..];
                Some(arg)
            }
        };
        let arg = match (arg, &param.default) {
            (Some(Arg::None), Some(Attr::None)) | (None, Some(Attr::None)) => Arg::None,
            (Some(arg), _) => arg,
            (None, Some(default)) => {
                attrs.push(default.clone());
                continue;
            }
            (None, None) => {
                return Err(Error::type_(format!(
                    "{}() missing required argument '{}'; it takes {}",
                    name,
                    param.name,
                    signature(op)
                )));
            }
        };
        match (param.kind, arg) {
            (ParamKind::Tensor, Arg::None) if param.default.is_some() => left_out = Some(param),
            (ParamKind::Tensor, arg) => {
                if let Some(missing) = left_out {
                    return Err(Error::not_implemented(format!(
                        "{}(): '{}' without '{}' is not supported; pass a '{}' of ones",
                        name, param.name, missing.name, missing.name
                    )));
                }
                operands.push(operand(engine, op, param, arg)?);
            }
            (ParamKind::Tensors, Arg::Tensors(list)) => {
                if list.is_empty() {
                    return Err(Error::value(format!(
                        "{}(): expected a non-empty list of tensors",
                        name
                    )));
                }
                operands.extend(list);
            }
            (_, arg) => attrs.push(attribute(op, param, arg)?),
        }
    }
    if !rest.is_empty() {
        return Err(Error::type_(format!(
            "{}() takes {} positional arguments but {} were given: {}",
            name,
            params.len(),
            positional.len(),
            signature(op)
        )));
    }
    Ok((operands, attrs))
}

/// The argument for a parameter and how many positional ones it took.
fn take(param: &Param, rest: &[Arg], is_last: bool) -> (Arg, usize) {
    if param.kind != ParamKind::Ints || param.default.is_some() || !is_last {
        return (rest[0].clone(), 1);
    }
    let run: Vec<i64> = rest
        .iter()
        .map_while(|arg| match arg {
            Arg::Number(Scalar::Int(i)) => Some(*i),
            _ => None,
        })
        .collect();
    let used = run.len();
    if used == 0 {
        (rest[0].clone(), 1)
    } else {
        (Arg::Ints(run), used)
    }
}

fn wrong(op: Callee, param: &Param, expected: &str, arg: &Arg) -> Error {
    Error::type_(format!(
        "{}(): argument '{}' must be {expected}, not {}",
        op.0,
        param.name,
        arg.kind()
    ))
}

fn operand(engine: &Engine, op: Callee, param: &Param, arg: Arg) -> Result<Tensor> {
    match arg {
        Arg::Tensor(tensor) => Ok(tensor),
        Arg::Number(number) => Ok(Tensor::number(engine, number)),
        arg => Err(wrong(op, param, "a tensor or a number", &arg)),
    }
}

fn attribute(op: Callee, param: &Param, arg: Arg) -> Result<Attr> {
    if let (Arg::None, Some(Attr::None)) = (&arg, &param.default) {
        return Ok(Attr::None);
    }
    match (param.kind, arg) {
        (ParamKind::Int, Arg::Number(Scalar::Int(i))) => Ok(Attr::Int(i)),
        (ParamKind::Int, Arg::Number(Scalar::Bool(b))) => Ok(Attr::Int(i64::from(b))),
        (ParamKind::Int, arg) => Err(wrong(op, param, "an int", &arg)),
        (ParamKind::Ints, Arg::Ints(list)) => Ok(Attr::ints(&list)),
        // One number is no list to `split`; to others it counts as one.
        (ParamKind::Ints, Arg::Number(Scalar::Int(i))) => Ok(Attr::Int(i)),
        (ParamKind::Ints, arg) => Err(wrong(op, param, "an int or a list of ints", &arg)),
        (ParamKind::Float, Arg::Number(Scalar::Float(x))) => Ok(Attr::Float(x)),
        (ParamKind::Float, Arg::Number(Scalar::Int(i))) => Ok(Attr::Int(i)),
        (ParamKind::Float, Arg::Number(Scalar::Bool(b))) => Ok(Attr::Bool(b)),
        (ParamKind::Float, arg) => Err(wrong(op, param, "a number", &arg)),
        (ParamKind::Bool, Arg::Number(Scalar::Float(x))) => {
            Err(wrong(op, param, "a bool", &Arg::Number(Scalar::Float(x))))
        }
        (ParamKind::Bool, Arg::Number(number)) => Ok(Attr::Bool(number.as_f64() != 0.0)),
        (ParamKind::Bool, arg) => Err(wrong(op, param, "a bool", &arg)),
        (ParamKind::DType, Arg::DType(dtype)) => Ok(Attr::DType(dtype)),
        (ParamKind::DType, arg) => Err(wrong(op, param, "a dtype such as torch.float32", &arg)),
        (ParamKind::Word(words), Arg::Word(word)) => match words.iter().find(|w| **w == word) {
            Some(word) => Ok(Attr::Str(word)),
            None => {
                let message = format!(
                    "{word} is not a valid value for {}; expected one of {}",
                    param.name,
                    words.join(", ")
                );
                // PyTorch checks reductions in Python, the rest in its kernels.
                Err(match param.name {
                    "reduction" => Error::value(message),
                    _ => Error::runtime(message),
                })
            }
        },
        (ParamKind::Word(_), arg) => Err(wrong(op, param, "a str", &arg)),
        (ParamKind::Tensors, arg) => Err(wrong(op, param, "a list of tensors", &arg)),
        (ParamKind::Tensor, arg) => Err(wrong(op, param, "a tensor", &arg)),
    }
}

/// `(input, dim=None, keepdim=False)`.
pub fn signature((_, params): Callee) -> String {
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
