//! Files through a boundary that carries text and bytes alone: between a page's modules, and between Python and Rust.
//!
//! A request is a text with bytes beside it, and so is the answer: arrays are described in the text, and their elements
//! stand in the bytes, one array after another. The text has a line for each thing, whose fields are separated by tabs;
//! a backslash, tab, line feed or carriage return in a field is written `\\`, `\t`, `\n`, `\r`.
//!
//! | Line | Where | Means |
//! |---|---|---|
//! | `decode` format | first of a request | the bytes are a file to read |
//! | `encode` format | first of a request | the bytes are arrays to write |
//! | `option` name value | request | how: `classes` of cifar, `header` (0, 1) and `delimiter` of csv |
//! | `array` name dtype sizes… | both | an array |
//! | `metadata` name text | both | a text of a safetensors file |
//! | `label` column text | answer | what the next number of a column of text stands for |
//!
//! ```
//! use glowgrad_files::codec;
//!
//! # fn main() -> glowgrad_files::Result<()> {
//! let file = codec::answer("encode\tsafetensors\narray\tx\tuint8\t2", &[1, 2])?;
//! let read = codec::answer("decode\tsafetensors", &file.bytes)?;
//! assert_eq!(read.text, "array\tx\tuint8\t2\n");
//! assert_eq!(read.bytes, [1, 2]);
//! # Ok(())
//! # }
//! ```

use glowgrad_tensor::DType;
use glowgrad_tensor::lines::{fields, push};

use crate::csv_table::Options;
use crate::error::quoted;
use crate::npz::Compression;
use crate::{Array, Error, Result, cifar, csv_table, idx, image, npy, npz, safetensors, strided};

/// What a request comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// Of a decoded file its arrays, and what else it says; of an encoded one nothing.
    pub text: String,
    /// The elements of the arrays in row-major order, little-endian; of an encoded file the file.
    pub bytes: Vec<u8>,
}

/// Reads or writes a file. Formats that are read: `safetensors`, `npy`, `npz`, `idx`, `cifar`, `image` (PNG and JPEG,
/// into [channels, height, width]) and `csv` (columns of numbers as float64, others as labels); that are written:
/// `safetensors`, `npy`, `npz`, `npz-deflated`, `idx` and `png`.
///
/// # Errors
/// When the request is none, and what the format's reader or writer refuses.
pub fn answer(request: &str, bytes: &[u8]) -> Result<Answer> {
    let lines: Vec<Vec<String>> = request.lines().map(fields).collect();
    let first: Vec<&str> = lines
        .first()
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    match first[..] {
        ["decode", format] => decode(format, &lines[1..], bytes),
        ["encode", format] => encode(format, &lines[1..], bytes),
        _ => Err(Error::new(format!(
            "the request cannot be read: it begins with {}; expected decode or encode, and a format",
            quoted(request.lines().next().unwrap_or(""))
        ))),
    }
}

/// The value of an option.
fn option<'a>(lines: &'a [Vec<String>], wanted: &str) -> Result<&'a str> {
    let found = lines.iter().find_map(|line| match &line[..] {
        [kind, name, value] if kind == "option" && name == wanted => Some(value.as_str()),
        _ => None,
    });
    found.ok_or_else(|| Error::new(format!("the request lacks the option {wanted}")))
}

fn decode(format: &str, lines: &[Vec<String>], bytes: &[u8]) -> Result<Answer> {
    let mut answer = Answer::default();
    match format {
        "safetensors" => {
            let file = safetensors::read(bytes)?;
            answer.add_all(&file.tensors);
            for (name, text) in &file.metadata {
                push(&mut answer.text, ["metadata", name, text]);
            }
        }
        "npy" => answer.add("", &npy::read(bytes)?),
        "npz" => answer.add_all(&npz::read(bytes)?),
        "idx" => answer.add("", &idx::read(bytes)?),
        "cifar" => {
            let classes = match option(lines, "classes")? {
                "10" => cifar::Classes::Ten,
                "100" => cifar::Classes::Hundred,
                other => {
                    return Err(Error::new(format!(
                        "cifar: there are sets of 10 and of 100 classes, not of {other}"
                    )));
                }
            };
            let file = cifar::read(bytes, classes)?;
            answer.add("images", &file.images);
            answer.add("labels", &file.labels);
            if let Some(coarse) = &file.coarse_labels {
                answer.add("coarse_labels", coarse);
            }
        }
        "image" => answer.add("", &image::read(bytes, image::Layout::Chw)?),
        "csv" => {
            let delimiter = option(lines, "delimiter")?;
            let [delimiter] = *delimiter.as_bytes() else {
                return Err(Error::new(format!(
                    "csv: a delimiter is one ASCII character, not {}",
                    quoted(delimiter)
                )));
            };
            let header = option(lines, "header")? == "1";
            answer.add_table(&csv_table::read(bytes, Options { header, delimiter })?)?;
        }
        other => {
            return Err(Error::new(format!(
                "no format {} is read; expected safetensors, npy, npz, idx, cifar, image or csv",
                quoted(other)
            )));
        }
    }
    Ok(answer)
}

impl Answer {
    fn add_all(&mut self, arrays: &[(String, Array<'_>)]) {
        let size = |(_, array): &(String, Array<'_>)| array.bytes().len();
        self.bytes.reserve_exact(arrays.iter().map(size).sum());
        for (name, array) in arrays {
            self.add(name, array);
        }
    }

    fn add(&mut self, name: &str, array: &Array<'_>) {
        let sizes: Vec<String> = array.shape().iter().map(usize::to_string).collect();
        let sizes = sizes.iter().map(String::as_str);
        let described = ["array", name, array.dtype().name()].into_iter();
        push(&mut self.text, described.chain(sizes));
        self.bytes.extend_from_slice(array.bytes());
    }

    /// A column is one of numbers where each of its fields is one.
    fn add_table(&mut self, table: &csv_table::Table) -> Result<()> {
        for name in table.names() {
            if table.is_numeric(name, DType::F64)? {
                let column = table.numbers(&[name], DType::F64)?;
                let rows = vec![table.n_rows()];
                self.add(name, &Array::new(DType::F64, rows, column.into_bytes())?);
                continue;
            }
            let column = table.labels(name)?;
            self.add(name, &column.index);
            for text in &column.names {
                push(&mut self.text, ["label", name, text]);
            }
        }
        Ok(())
    }
}

fn encode(format: &str, lines: &[Vec<String>], bytes: &[u8]) -> Result<Answer> {
    let (mut arrays, mut metadata) = (Vec::new(), Vec::new());
    let mut rest = bytes;
    for line in lines {
        let line: Vec<&str> = line.iter().map(String::as_str).collect();
        match line[..] {
            ["array", name, dtype, ref sizes @ ..] => {
                let (array, after) = taken(name, dtype, sizes, rest)?;
                arrays.push((name, array));
                rest = after;
            }
            ["metadata", name, text] => metadata.push((name, text)),
            _ => {
                return Err(Error::new(format!(
                    "the request's line {line:?} says nothing"
                )));
            }
        }
    }
    if !rest.is_empty() {
        return Err(Error::new(format!(
            "{} bytes are left after the last of {} arrays; describe all that come",
            rest.len(),
            arrays.len()
        )));
    }
    let named = || arrays.iter().map(|(name, array)| (*name, array));
    let only = || match &arrays[..] {
        [(_, array)] => Ok(array),
        _ => Err(Error::new(format!(
            "a file of this format has one array, and {} came",
            arrays.len()
        ))),
    };
    let bytes = match format {
        "safetensors" => safetensors::write(named(), metadata)?,
        "npy" => npy::write(only()?)?,
        "npz" => npz::write(named(), Compression::Stored)?,
        "npz-deflated" => npz::write(named(), Compression::Deflate)?,
        "idx" => idx::write(only()?)?,
        "png" => image::write_png(only()?, image::Layout::Chw)?,
        other => {
            return Err(Error::new(format!(
                "no format {} is written; expected safetensors, npy, npz, npz-deflated, idx or png",
                quoted(other)
            )));
        }
    };
    Ok(Answer {
        text: String::new(),
        bytes,
    })
}

/// The described array at the beginning of the bytes, and the bytes after it.
fn taken<'a>(
    name: &str,
    dtype: &str,
    sizes: &[&str],
    bytes: &'a [u8],
) -> Result<(Array<'a>, &'a [u8])> {
    let found = DType::ALL
        .iter()
        .copied()
        .find(|other| other.name() == dtype);
    let dtype = found.ok_or_else(|| Error::new(format!("there is no dtype {}", quoted(dtype))))?;
    let shape: std::result::Result<Vec<usize>, _> = sizes.iter().map(|size| size.parse()).collect();
    let shape = shape.map_err(|_| {
        Error::new(format!(
            "the array {} has the sizes {sizes:?}",
            quoted(name)
        ))
    })?;
    let length = strided::size_of(dtype.size(), &shape);
    let (mine, rest) = length
        .and_then(|length| bytes.split_at_checked(length))
        .ok_or_else(|| {
            Error::new(format!(
                "the array {} takes {}, and {} are left",
                quoted(name),
                strided::told(length),
                bytes.len()
            ))
        })?;
    Ok((Array::new(dtype, shape, mine)?, rest))
}
