//! The format of Hugging Face: a header in JSON, then the bytes of all tensors.
//!
//! Eight bytes say how long the header is; the header says of each name its dtype, shape and place. Invariants: places
//! follow one another without a gap or an overlap, and end where the file ends; a tensor's place is as long as its
//! shape says. So nothing is copied, and a reader's memory is that of the header: at most 24 times its length.
//!
//! The crate `safetensors` is not used: its errors do not name the tensor at fault, its metadata comes out in the order
//! of a hash, and the format is little more than the JSON that `serde_json` reads. The order of tensors and the spaces
//! after the header are the reference implementation's, so that files are equal to the byte.
//!
//! ```
//! use glowgrad_files::{Array, safetensors};
//! use glowgrad_tensor::DType;
//!
//! # fn main() -> glowgrad_files::Result<()> {
//! let weight = Array::new(DType::U8, vec![2, 2], vec![1, 2, 3, 4])?;
//! let file = safetensors::write([("weight", &weight)], [("format", "pt")])?;
//! let read = safetensors::read(&file)?;
//! assert_eq!(read.tensors, [("weight".to_owned(), weight)]);
//! assert_eq!(read.metadata, [("format".to_owned(), "pt".to_owned())]);
//! # Ok(())
//! # }
//! ```

use std::collections::BTreeMap;
use std::fmt;

use glowgrad_tensor::DType;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde::{Deserialize as DeriveDeserialize, Serialize};

use crate::error::quoted;
use crate::{Array, Error, Result, strided};

/// The key of the header that is not a tensor.
const METADATA: &str = "__metadata__";

/// The longest header that the reference implementation reads.
const LONGEST_HEADER: usize = 100_000_000;

/// The format's dtypes that glowgrad has, in the order of the reference implementation's enumeration: tensors are
/// written from the last dtype to the first.
const DTYPES: [(&str, DType); 13] = [
    ("BOOL", DType::Bool),
    ("U8", DType::U8),
    ("I8", DType::I8),
    ("I16", DType::I16),
    ("U16", DType::U16),
    ("F16", DType::F16),
    ("BF16", DType::BF16),
    ("I32", DType::I32),
    ("U32", DType::U32),
    ("F32", DType::F32),
    ("F64", DType::F64),
    ("I64", DType::I64),
    ("U64", DType::U64),
];

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SafeTensors<'a> {
    /// Tensors by name, in the order of their bytes.
    pub tensors: Vec<(String, Array<'a>)>,
    /// Texts by name, in the order of the header.
    pub metadata: Vec<(String, String)>,
}

impl<'a> SafeTensors<'a> {
    /// The tensor of that name.
    pub fn get(&self, name: &str) -> Option<&Array<'a>> {
        let found = self.tensors.iter().find(|(other, _)| other == name);
        found.map(|(_, array)| array)
    }
}

/// The tensors in the bytes of a file.
///
/// # Errors
/// When the header is damaged, claims other bytes than there are, or names a dtype that glowgrad lacks.
pub fn read(bytes: &[u8]) -> Result<SafeTensors<'_>> {
    let (header, data) = split(bytes)?;
    let Entries { infos, metadata } = serde_json::from_slice(header).map_err(|error| {
        refuse(format!(
            "the header cannot be read ({error}); expected the JSON object of a safetensors file, so this one is damaged or of another format"
        ))
    })?;
    let mut infos = infos;
    infos.sort_by_key(|(_, info)| info.data_offsets);
    let mut tensors = Vec::with_capacity(infos.len());
    let mut end_before = 0;
    for (name, info) in infos {
        let dtype = dtype_of(&name, &info.dtype)?;
        let (start, end) = info.data_offsets;
        if start != end_before || end < start {
            return Err(refuse(format!(
                "tensor {} has the bytes from {start} to {end}, and the tensor before it ends at {end_before}; tensors follow one another without a gap, so write the file again",
                quoted(&name)
            )));
        }
        end_before = end;
        let place = usize::try_from(start).ok().zip(usize::try_from(end).ok());
        let Some(tensor) = place.and_then(|(start, end)| data.get(start..end)) else {
            return Err(refuse(format!(
                "tensor {} has the bytes from {start} to {end}, and {} follow the header; the file is cut short, so fetch it again",
                quoted(&name),
                data.len()
            )));
        };
        let sizes = info.shape.iter().map(|&n| usize::try_from(n));
        let shape: std::result::Result<Vec<usize>, _> = sizes.collect();
        let wanted = (shape.as_ref().ok()).and_then(|shape| strided::size_of(dtype.size(), shape));
        let (Ok(shape), true) = (shape, wanted == Some(tensor.len())) else {
            let takes = strided::told(wanted);
            return Err(refuse(format!(
                "tensor {} has {} bytes, and shape {} of {} takes {}; write the file again",
                quoted(&name),
                tensor.len(),
                shortened(&info.shape),
                info.dtype,
                takes
            )));
        };
        tensors.push((name, Array::new(dtype, shape, tensor)?));
    }
    if end_before != data.len() as u64 {
        return Err(refuse(format!(
            "tensors end at byte {end_before}, and {} bytes follow the header; write the file again",
            data.len()
        )));
    }
    Ok(SafeTensors { tensors, metadata })
}

/// The bytes of a file with these tensors and texts, equal to those of the reference implementation: tensors by
/// dtype, wide ones first, then by name; texts by name.
///
/// # Errors
/// When a name comes twice, or is that of the metadata.
pub fn write<'a, Name: AsRef<str>, Key: Into<String>, Text: Into<String>>(
    tensors: impl IntoIterator<Item = (Name, &'a Array<'a>)>,
    metadata: impl IntoIterator<Item = (Key, Text)>,
) -> Result<Vec<u8>> {
    let rank = |dtype| DTYPES.iter().position(|&(_, other)| other == dtype);
    let mut tensors: Vec<(Name, &Array<'_>)> = tensors.into_iter().collect();
    tensors.sort_by(|(a, x), (b, y)| {
        let ranks = rank(y.dtype()).cmp(&rank(x.dtype()));
        ranks.then_with(|| a.as_ref().cmp(b.as_ref()))
    });
    let metadata: BTreeMap<String, String> = (metadata.into_iter())
        .map(|(key, text)| (key.into(), text.into()))
        .collect();

    let mut header = String::from("{");
    if !metadata.is_empty() {
        header += &format!("{}:{},", json(METADATA)?, json(&metadata)?);
    }
    let mut names = std::collections::BTreeSet::new();
    let mut end = 0;
    for (name, array) in &tensors {
        let name = name.as_ref();
        if name == METADATA || !names.insert(name) {
            return Err(refuse(format!(
                "the name {} is taken already; give each tensor a name of its own",
                quoted(name)
            )));
        }
        let start = end;
        end += array.bytes().len() as u64;
        let info = Info {
            dtype: name_of(array.dtype()).to_owned(),
            shape: array.shape().iter().map(|&n| n as u64).collect(),
            data_offsets: (start, end),
        };
        header += &format!("{}:{},", json(name)?, json(&info)?);
    }
    if header.ends_with(',') {
        header.pop();
    }
    header.push('}');
    while !header.len().is_multiple_of(8) {
        header.push(' ');
    }
    let mut file = Vec::with_capacity(8 + header.len() + end as usize);
    file.extend_from_slice(&(header.len() as u64).to_le_bytes());
    file.extend_from_slice(header.as_bytes());
    for (_, array) in &tensors {
        file.extend_from_slice(array.bytes());
    }
    Ok(file)
}

fn refuse(what: String) -> Error {
    Error::new(format!("safetensors: {what}"))
}

fn json(value: &(impl Serialize + ?Sized)) -> Result<String> {
    serde_json::to_string(value).map_err(|error| refuse(error.to_string()))
}

/// The header's bytes, and those that follow it.
fn split(bytes: &[u8]) -> Result<(&[u8], &[u8])> {
    let Some((length, rest)) = bytes.split_first_chunk() else {
        return Err(refuse(format!(
            "the file has {} bytes, and its first 8 say how long the header is; it is cut short or of another format",
            bytes.len()
        )));
    };
    let length = u64::from_le_bytes(*length);
    if length > LONGEST_HEADER as u64 {
        return Err(refuse(format!(
            "the file claims a header of {length} bytes, and the format allows {LONGEST_HEADER}; it is damaged or of another format"
        )));
    }
    rest.split_at_checked(length as usize).ok_or_else(|| {
        refuse(format!(
            "the file claims a header of {length} bytes, and {} follow; it is cut short, so fetch it again",
            rest.len()
        ))
    })
}

/// A shape for a message: a file may claim any number of sizes.
fn shortened(shape: &[u64]) -> String {
    let shown = format!("{:?}", &shape[..shape.len().min(8)]);
    if shape.len() > 8 {
        format!("{} … of {} sizes", shown, shape.len())
    } else {
        shown
    }
}

fn name_of(dtype: DType) -> &'static str {
    let found = DTYPES.iter().find(|&&(_, other)| other == dtype);
    found.map_or("", |&(name, _)| name)
}

fn dtype_of(tensor: &str, name: &str) -> Result<DType> {
    let found = DTYPES.iter().find(|&&(other, _)| other == name);
    found.map(|&(_, dtype)| dtype).ok_or_else(|| {
        refuse(format!(
            "tensor {} has dtype {}, which glowgrad lacks; convert it to float32 and save it again",
            quoted(tensor),
            quoted(name)
        ))
    })
}

/// What the header says of a tensor.
#[derive(DeriveDeserialize, Serialize)]
#[serde(expecting = "an object with dtype, shape and data_offsets")]
struct Info {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: (u64, u64),
}

/// The header. A map of serde's would let the second of two equal names win.
struct Entries {
    infos: Vec<(String, Info)>,
    metadata: Vec<(String, String)>,
}

/// Pairs of a JSON object in the order of the text.
struct Pairs<T>(Vec<(String, T)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(
        deserializer: D,
    ) -> std::result::Result<Entries, D::Error> {
        struct Header;
        impl<'de> Visitor<'de> for Header {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with a tensor for each name")
            }

            fn visit_map<A: MapAccess<'de>>(
                self,
                mut map: A,
            ) -> std::result::Result<Entries, A::Error> {
                let mut infos = Vec::new();
                let mut metadata = None;
                while let Some(key) = map.next_key::<String>()? {
                    if key == METADATA {
                        let Pairs(texts) = map.next_value()?;
                        if metadata.replace(texts).is_some() {
                            return Err(A::Error::custom("the metadata comes twice"));
                        }
                    } else {
                        infos.push((key, map.next_value::<Info>()?));
                    }
                }
                let metadata = metadata.unwrap_or_default();
                distinct::<_, A::Error>(&infos)?;
                Ok(Entries { infos, metadata })
            }
        }
        deserializer.deserialize_map(Header)
    }
}

impl<'de> Deserialize<'de> for Pairs<String> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Texts;
        impl<'de> Visitor<'de> for Texts {
            type Value = Pairs<String>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with a text for each name")
            }

            fn visit_map<A: MapAccess<'de>>(
                self,
                mut map: A,
            ) -> std::result::Result<Self::Value, A::Error> {
                let mut texts = Vec::new();
                while let Some(pair) = map.next_entry::<String, String>()? {
                    texts.push(pair);
                }
                distinct::<_, A::Error>(&texts)?;
                Ok(Pairs(texts))
            }
        }
        deserializer.deserialize_map(Texts)
    }
}

fn distinct<T, E: serde::de::Error>(pairs: &[(String, T)]) -> std::result::Result<(), E> {
    let mut names: Vec<&str> = pairs.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(E::custom(format_args!(
            "the name {} comes twice",
            quoted(pair[0])
        ))),
        None => Ok(()),
    }
}
