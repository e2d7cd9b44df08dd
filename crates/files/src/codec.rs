//! Files through a boundary that carries text and bytes alone: between a page's modules, and between Python and Rust.
//!
//! A request is a line of JSON with bytes beside it, and so is the answer: arrays are described in the text, and their
//! elements stand in the bytes, one array after another.
//!
//! ```
//! use glowgrad_files::codec;
//!
//! # fn main() -> glowgrad_files::Result<()> {
//! let arrays = r#"[{"name": "x", "dtype": "uint8", "shape": [2]}]"#;
//! let request = format!(r#"{{"encode": {{"format": "safetensors", "arrays": {arrays}}}}}"#);
//! let file = codec::answer(&request, &[1, 2])?;
//! let read = codec::answer(r#"{"decode": {"format": "safetensors"}}"#, &file.bytes)?;
//! assert_eq!(read.text, r#"{"arrays":[{"name":"x","dtype":"uint8","shape":[2]}]}"#);
//! assert_eq!(read.bytes, [1, 2]);
//! # Ok(())
//! # }
//! ```

use std::collections::BTreeMap;

use glowgrad_tensor::DType;
use serde::{Deserialize, Serialize};

use crate::csv_table::Options;
use crate::npz::Compression;
use crate::{Array, Error, Result, cifar, csv_table, idx, image, npy, npz, safetensors, strided};

/// What a request comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// JSON: of a decoded file its arrays, and what else it says; of an encoded one nothing.
    pub text: String,
    /// The elements of the arrays in row-major order, little-endian; of an encoded file the file.
    pub bytes: Vec<u8>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Request {
    Decode(Decode),
    Encode(Encode),
}

/// How a file's bytes are to be read.
#[derive(Deserialize)]
#[serde(tag = "format", rename_all = "lowercase")]
enum Decode {
    SafeTensors,
    Npy,
    Npz,
    Idx,
    Cifar {
        classes: u8,
    },
    /// Into [channels, height, width].
    Image,
    /// Columns of numbers as float64, others as labels.
    Csv {
        header: bool,
        delimiter: char,
    },
}

/// Arrays to write, and how.
#[derive(Deserialize)]
struct Encode {
    format: Target,
    arrays: Vec<Description>,
    #[serde(default)]
    metadata: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Target {
    SafeTensors,
    Npy,
    Npz,
    #[serde(rename = "npz-deflated")]
    NpzDeflated,
    Idx,
    /// Of [channels, height, width].
    Png,
}

/// An array whose elements are elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Description {
    #[serde(default)]
    name: String,
    dtype: String,
    shape: Vec<usize>,
}

/// A file that was read.
#[derive(Default, Serialize)]
struct Read {
    arrays: Vec<Description>,
    /// Texts of a safetensors file.
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<BTreeMap<String, String>>,
    /// Of a table's columns of text: which texts their numbers stand for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    labels: BTreeMap<String, Vec<String>>,
}

/// Reads or writes a file.
///
/// # Errors
/// When the request is none, and what the format's reader or writer refuses.
pub fn answer(request: &str, bytes: &[u8]) -> Result<Answer> {
    let request = serde_json::from_str(request).map_err(|error| {
        Error::new(format!(
            "the request cannot be read ({error}); expected {{\"decode\": {{\"format\": …}}}} or {{\"encode\": {{\"format\": …, \"arrays\": […]}}}}"
        ))
    })?;
    match request {
        Request::Decode(how) => decode(&how, bytes),
        Request::Encode(how) => encode(&how, bytes),
    }
}

fn decode(how: &Decode, bytes: &[u8]) -> Result<Answer> {
    let one = |array| vec![(String::new(), array)];
    match how {
        Decode::SafeTensors => {
            let file = safetensors::read(bytes)?;
            let metadata: BTreeMap<_, _> = file.metadata.into_iter().collect();
            answered(
                file.tensors,
                (!metadata.is_empty()).then_some(metadata),
                BTreeMap::new(),
            )
        }
        Decode::Npy => arrays(one(npy::read(bytes)?)),
        Decode::Npz => arrays(npz::read(bytes)?),
        Decode::Idx => arrays(one(idx::read(bytes)?)),
        Decode::Cifar { classes } => {
            let classes = match classes {
                10 => cifar::Classes::Ten,
                100 => cifar::Classes::Hundred,
                _ => {
                    return Err(Error::new(format!(
                        "cifar: there are sets of 10 and of 100 classes, not of {classes}"
                    )));
                }
            };
            let file = cifar::read(bytes, classes)?;
            let coarse = (file.coarse_labels).map(|labels| ("coarse_labels".to_owned(), labels));
            let mut read = vec![
                ("images".to_owned(), file.images),
                ("labels".to_owned(), file.labels),
            ];
            read.extend(coarse);
            arrays(read)
        }
        Decode::Image => arrays(one(image::read(bytes, image::Layout::Chw)?)),
        Decode::Csv { header, delimiter } => {
            let delimiter = u8::try_from(*delimiter).map_err(|_| {
                Error::new(format!(
                    "csv: a delimiter is one ASCII character, not {delimiter:?}"
                ))
            })?;
            table(&csv_table::read(
                bytes,
                Options {
                    header: *header,
                    delimiter,
                },
            )?)
        }
    }
}

/// A column is one of numbers where each of its fields is one.
fn table(table: &csv_table::Table) -> Result<Answer> {
    let (mut read, mut labels) = (Vec::new(), BTreeMap::new());
    for name in table.names() {
        if table.is_numeric(name, DType::F64)? {
            let column = table.numbers(&[name], DType::F64)?;
            let rows = vec![table.n_rows()];
            read.push((
                name.clone(),
                Array::new(DType::F64, rows, column.into_bytes())?,
            ));
        } else {
            let column = table.labels(name)?;
            read.push((name.clone(), column.index));
            labels.insert(name.clone(), column.names);
        }
    }
    answered(read, None, labels)
}

fn arrays(arrays: Vec<(String, Array<'_>)>) -> Result<Answer> {
    answered(arrays, None, BTreeMap::new())
}

fn answered(
    arrays: Vec<(String, Array<'_>)>,
    metadata: Option<BTreeMap<String, String>>,
    labels: BTreeMap<String, Vec<String>>,
) -> Result<Answer> {
    let mut bytes = Vec::with_capacity(arrays.iter().map(|(_, array)| array.bytes().len()).sum());
    let mut read = Read {
        metadata,
        labels,
        ..Read::default()
    };
    for (name, array) in arrays {
        bytes.extend_from_slice(array.bytes());
        read.arrays.push(Description {
            name,
            dtype: array.dtype().name().to_owned(),
            shape: array.shape().to_vec(),
        });
    }
    let text = serde_json::to_string(&read)
        .map_err(|error| Error::new(format!("the answer cannot be written: {error}")))?;
    Ok(Answer { text, bytes })
}

fn encode(how: &Encode, bytes: &[u8]) -> Result<Answer> {
    let mut rest = bytes;
    let mut arrays = Vec::with_capacity(how.arrays.len());
    for described in &how.arrays {
        let (array, after) = taken(described, rest)?;
        arrays.push((described.name.as_str(), array));
        rest = after;
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
    let bytes = match how.format {
        Target::SafeTensors => safetensors::write(named(), &how.metadata)?,
        Target::Npy => npy::write(only()?)?,
        Target::Npz => npz::write(named(), Compression::Stored)?,
        Target::NpzDeflated => npz::write(named(), Compression::Deflate)?,
        Target::Idx => idx::write(only()?)?,
        Target::Png => image::write_png(only()?, image::Layout::Chw)?,
    };
    Ok(Answer {
        text: String::new(),
        bytes,
    })
}

/// The described array at the beginning of the bytes, and the bytes after it.
fn taken<'a>(described: &Description, bytes: &'a [u8]) -> Result<(Array<'a>, &'a [u8])> {
    let dtype = (DType::ALL.iter().copied())
        .find(|dtype| dtype.name() == described.dtype)
        .ok_or_else(|| Error::new(format!("there is no dtype {:?}", described.dtype)))?;
    let length = strided::size_of(dtype.size(), &described.shape);
    let (mine, rest) = length
        .and_then(|length| bytes.split_at_checked(length))
        .ok_or_else(|| {
            Error::new(format!(
                "the array {:?} takes {}, and {} are left",
                described.name,
                strided::told(length),
                bytes.len()
            ))
        })?;
    Ok((Array::new(dtype, described.shape.clone(), mine)?, rest))
}
