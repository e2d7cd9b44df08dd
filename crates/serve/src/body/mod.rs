//! Bodies of requests and answers: which form has which type, and the arrays in it.
//!
//! Invariant: what a body becomes in memory is bounded by its length: at most eight bytes for each number of a JSON text,
//! which takes two there, and for a picture the limit that its reader compares with the sizes in its head.

mod image;
mod json;

use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, header};
use glowgrad::DType;
use glowgrad_files::{Array, npy, safetensors};

pub use self::image::Picture;
pub(crate) use self::image::picture;
use crate::Problem;
use crate::model::{Arrays, Served, Size, Value};

/// A form of arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Json,
    SafeTensors,
    Npy,
    Image,
}

/// The types by which forms are asked for.
const TYPES: [(&str, Form); 7] = [
    ("application/json", Form::Json),
    ("application/octet-stream", Form::SafeTensors),
    ("application/vnd.safetensors", Form::SafeTensors),
    ("application/x-npy", Form::Npy),
    ("application/vnd.numpy", Form::Npy),
    ("image/png", Form::Image),
    ("image/jpeg", Form::Image),
];

impl Form {
    fn of(kind: &str) -> Option<Form> {
        let essence = kind.split(';').next().unwrap_or("").trim();
        let found = TYPES
            .iter()
            .find(|(name, _)| essence.eq_ignore_ascii_case(name));
        found.map(|&(_, form)| form)
    }

    /// The form of a request's body.
    pub(crate) fn of_request(headers: &HeaderMap, model: &dyn Served) -> Result<Form, Problem> {
        let unsupported = |came: String| {
            let mut expected = vec!["application/json", "application/octet-stream (safetensors)"];
            if let [input] = model.inputs() {
                expected.push("application/x-npy");
                if picture(input).is_some() {
                    expected.push("image/png");
                    expected.push("image/jpeg");
                }
            }
            let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
            let remedy = format!("send the header Content-Type: {}", expected.join(", or "));
            Problem::new(status, came, remedy)
        };
        if let Some(coding) = headers.get(header::CONTENT_ENCODING)
            && coding != "identity"
        {
            let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
            let came = "the body is compressed, and compressed bodies are not read";
            return Err(Problem::new(
                status,
                came,
                "send it without Content-Encoding",
            ));
        }
        let Some(kind) = headers.get(header::CONTENT_TYPE) else {
            return Err(unsupported("the request has no Content-Type".to_owned()));
        };
        let kind = String::from_utf8_lossy(kind.as_bytes()).into_owned();
        let form = Form::of(&kind).filter(|form| match form {
            Form::Json | Form::SafeTensors => true,
            Form::Npy => model.inputs().len() == 1,
            Form::Image => matches!(model.inputs(), [input] if picture(input).is_some()),
        });
        form.ok_or_else(|| {
            unsupported(format!(
                "a body of type {kind:?} is not read for this model"
            ))
        })
    }

    /// The form of an answer: the first that is asked for and can be given; JSON if anything may come.
    pub(crate) fn of_answer(headers: &HeaderMap, n_outputs: usize) -> Result<Form, Problem> {
        let asked: Vec<&str> = (headers.get_all(header::ACCEPT).iter())
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .filter(|one| !one.replace(' ', "").ends_with(";q=0"))
            .collect();
        if asked.is_empty() {
            return Ok(Form::Json);
        }
        let given = asked.iter().find_map(|one| {
            let essence = one.split(';').next().unwrap_or("").trim();
            match Form::of(essence) {
                Some(Form::Image) => None,
                Some(Form::Npy) if n_outputs != 1 => None,
                None if matches!(essence, "*/*" | "application/*") => Some(Form::Json),
                form => form,
            }
        });
        given.ok_or_else(|| {
            let mut can = "application/json or application/octet-stream".to_owned();
            if n_outputs == 1 {
                can.push_str(" or application/x-npy");
            }
            let came = format!("an answer of type {:?} cannot be given", asked.join(","));
            let remedy = format!("send the header Accept: {can}");
            Problem::new(StatusCode::NOT_ACCEPTABLE, came, remedy)
        })
    }

    /// The type of an answer of this form.
    pub(crate) fn kind(self) -> &'static str {
        let named = TYPES.iter().find(|(_, form)| *form == self);
        named.map_or("application/octet-stream", |(name, _)| name)
    }
}

/// The arrays of a body, checked against the model and in its order.
pub(crate) fn read(
    form: Form,
    body: &Bytes,
    model: &dyn Served,
    scale: &Picture,
) -> Result<Arrays, Problem> {
    let damaged = |error: glowgrad_files::Error| {
        let remedy = "write the body again, in the form that its Content-Type names";
        Problem::new(StatusCode::BAD_REQUEST, error.to_string(), remedy)
    };
    let one = |array: Array<'_>| -> Arrays {
        let name = model.inputs().first().map(|input| input.name.clone());
        vec![(name.unwrap_or_default(), array.into_owned())]
    };
    let arrays = match form {
        Form::Json => json::read(body, model)?,
        Form::SafeTensors => {
            let file = safetensors::read(body).map_err(damaged)?;
            let tensors = file.tensors.into_iter();
            tensors
                .map(|(name, array)| (name, array.into_owned()))
                .collect()
        }
        Form::Npy => one(npy::read(body).map_err(damaged)?),
        Form::Image => match model.inputs() {
            [input] => one(image::read(body, input, scale)?),
            _ => Vec::new(),
        },
    };
    checked(arrays, model)
}

/// Outputs in a form.
pub(crate) fn write(form: Form, outputs: &Arrays) -> Result<Vec<u8>, Problem> {
    let cannot = |error: glowgrad_files::Error| {
        let remedy = "ask for application/json or application/octet-stream";
        Problem::new(StatusCode::NOT_ACCEPTABLE, error.to_string(), remedy)
    };
    match (form, &outputs[..]) {
        (Form::Npy, [(_, array)]) => npy::write(array).map_err(cannot),
        (Form::SafeTensors, _) => {
            let tensors = outputs.iter().map(|(name, array)| (name, array));
            safetensors::write(tensors, std::iter::empty::<(String, String)>()).map_err(cannot)
        }
        _ => Ok(json::write(outputs)),
    }
}

/// A request's fault of names, dtypes or sizes.
fn unfit(detail: impl Into<String>, remedy: impl Into<String>) -> Problem {
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, detail, remedy)
}

/// The inputs of a model as a sentence has them.
fn named(model: &dyn Served) -> String {
    let each: Vec<String> = model.inputs().iter().map(Value::to_string).collect();
    each.join("; ")
}

/// Inputs that are the model's, in its order, of its dtypes and sizes.
fn checked(mut arrays: Arrays, model: &dyn Served) -> Result<Arrays, Problem> {
    let mut inputs: Arrays = Vec::new();
    let mut sizes: Vec<(&str, usize, &str)> = Vec::new();
    for input in model.inputs() {
        let Some(at) = arrays.iter().position(|(name, _)| *name == input.name) else {
            return Err(unfit(
                format!("the input {:?} is missing", input.name),
                format!("send every input of the model: {}", named(model)),
            ));
        };
        let (name, array) = arrays.swap_remove(at);
        check(input, &array)?;
        for (size, &n) in input.shape.iter().flatten().zip(array.shape()) {
            let Size::Named(size) = size else { continue };
            match sizes.iter().find(|(name, ..)| name == size) {
                Some(&(_, other, first)) if other != n => {
                    return Err(unfit(
                        format!("{size} is {other} in the input {first:?} and {n} in {name:?}"),
                        format!("send inputs with one size for {size}"),
                    ));
                }
                Some(_) => {}
                None => sizes.push((size, n, &input.name)),
            }
        }
        inputs.push((name, array));
    }
    match arrays.first() {
        None => Ok(inputs),
        Some((name, _)) => Err(unfit(
            format!("the model has no input {:?}", shortened(name)),
            format!("send its inputs alone: {}", named(model)),
        )),
    }
}

/// A text of the client's for a sentence.
fn shortened(text: &str) -> String {
    text.chars().take(60).collect()
}

fn check(input: &Value, array: &Array<'_>) -> Result<(), Problem> {
    let shape = array.shape();
    if let Some(dtype) = input.dtype
        && dtype != array.dtype()
    {
        return Err(unfit(
            format!(
                "the input {:?} came as {}, and the model takes {dtype}",
                input.name,
                array.dtype()
            ),
            format!("convert it to {dtype}"),
        ));
    }
    let Some(sizes) = &input.shape else {
        return Ok(());
    };
    let fits = |sizes: &[Size]| {
        let same = |(size, &n): (&Size, &usize)| !matches!(size, Size::Fixed(want) if *want != n);
        sizes.len() == shape.len() && sizes.iter().zip(shape).all(same)
    };
    if fits(sizes) {
        return Ok(());
    }
    let remedy = match sizes.get(1..) {
        Some(rest) if fits(rest) => "put it into one more list: the first size counts samples",
        _ => "reshape it",
    };
    Err(unfit(
        format!(
            "the input {:?} has the shape {}, and the model takes {input}",
            input.name,
            glowgrad::shape::show(&shape[..shape.len().min(16)])
        ),
        remedy,
    ))
}

/// The dtype in which numbers of a text are read.
fn dtype(input: &Value) -> DType {
    input.dtype.unwrap_or(DType::F32)
}
