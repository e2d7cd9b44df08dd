//! PyTorch's `.pt` and `.pth`: what `torch.save` writes of state dicts and checkpoints, since PyTorch 1.6.
//!
//! Such a file is a zip archive: `data.pkl` is a pickle of dicts, lists, texts and numbers, and `data/0`, `data/1` … are
//! the bytes of storages, which tensors view by offset, sizes and strides. Invariant: nothing of a pickle is executed.
//! `machine.rs` knows the few instructions and the few names that state dicts use, and refuses each other by its name;
//! `tensors.rs` makes the tree of its objects. Each instruction, each object and each copied tensor counts against a
//! [`Limit`], for a pickle may name one object many times. Tensors that lie in row-major order are parts of the file's
//! own bytes. What is dropped: attributes of an `OrderedDict` (a state dict's `_metadata`), `requires_grad`, the device.
//!
//! What is written has plain dicts, and loads with `torch.load(file, weights_only=True)`.
//!
//! ```
//! use glowgrad_files::{Array, pt};
//! use glowgrad_tensor::DType;
//!
//! # fn main() -> glowgrad_files::Result<()> {
//! let bias = Array::new(DType::F32, vec![2], vec![0; 8])?;
//! let checkpoint = pt::Value::dict([
//!     ("model", pt::Value::dict([("bias", pt::Value::Tensor(bias))])),
//!     ("epoch", pt::Value::Int(3)),
//! ]);
//! let file = pt::write(&checkpoint)?;
//! let read = pt::read(&file)?;
//! assert_eq!(read, checkpoint);
//! assert_eq!(read.get("epoch"), Some(&pt::Value::Int(3)));
//! assert_eq!(read.tensors()[0].0, "model.bias");
//! # Ok(())
//! # }
//! ```

mod machine;
mod tensors;
mod write;

use glowgrad_tensor::DType;

use crate::limit::{Budget, Limit};
use crate::{Array, Error, Kind, Result, archive};

pub use write::write;

/// How deep dicts and lists stand in one another at most.
const DEEPEST: usize = 64;

/// PyTorch's own bound on a tensor's dimensions.
const MOST_DIMENSIONS: usize = 64;

/// An object of Python as a checkpoint holds it.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// `None`
    None,
    /// `True` or `False`
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// A text.
    Str(String),
    /// A list.
    List(Vec<Value<'a>>),
    /// A tuple, or a `torch.Size`.
    Tuple(Vec<Value<'a>>),
    /// A dict or an `OrderedDict`, in its order.
    Dict(Vec<(Key, Value<'a>)>),
    /// A tensor or a parameter.
    Tensor(Array<'a>),
}

/// A key of a dict.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// An integer, as in an optimizer's state.
    Int(i64),
    /// A text.
    Str(String),
}

impl From<&str> for Key {
    fn from(text: &str) -> Key {
        Key::Str(text.to_owned())
    }
}

impl From<String> for Key {
    fn from(text: String) -> Key {
        Key::Str(text)
    }
}

impl From<i64> for Key {
    fn from(number: i64) -> Key {
        Key::Int(number)
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Key::Int(number) => number.fmt(f),
            Key::Str(text) => text.fmt(f),
        }
    }
}

impl<'a> Value<'a> {
    /// A dict with these entries.
    pub fn dict<K: Into<Key>>(entries: impl IntoIterator<Item = (K, Value<'a>)>) -> Value<'a> {
        let entries = entries.into_iter();
        Value::Dict(entries.map(|(key, value)| (key.into(), value)).collect())
    }

    /// The entry of a dict with this key; none where this is no dict.
    pub fn get(&self, key: impl Into<Key>) -> Option<&Value<'a>> {
        let Value::Dict(entries) = self else {
            return None;
        };
        let key = key.into();
        let found = entries.iter().find(|(other, _)| *other == key);
        found.map(|(_, value)| value)
    }

    /// Every tensor with its path, keys and places in lists joined by points: `model.layer.weight`.
    pub fn tensors(&self) -> Vec<(String, &Array<'a>)> {
        fn walk<'v, 'a>(
            value: &'v Value<'a>,
            path: &mut String,
            found: &mut Vec<(String, &'v Array<'a>)>,
        ) {
            let mut step = |name: &dyn std::fmt::Display, value: &'v Value<'a>| {
                let before = path.len();
                if before > 0 {
                    path.push('.');
                }
                *path += &name.to_string();
                walk(value, path, found);
                path.truncate(before);
            };
            match value {
                Value::Tensor(array) => found.push((path.clone(), array)),
                Value::Dict(entries) => {
                    for (key, value) in entries {
                        step(key, value);
                    }
                }
                Value::List(values) | Value::Tuple(values) => {
                    for (index, value) in values.iter().enumerate() {
                        step(&index, value);
                    }
                }
                _ => {}
            }
        }
        let mut found = Vec::new();
        walk(self, &mut String::new(), &mut found);
        found
    }
}

/// The object in the bytes of a file.
///
/// # Errors
/// When the archive or the pickle is damaged, names what no state dict needs, is of PyTorch's format from before 1.6, or
/// takes more than [`Limit::of`] the file.
pub fn read(bytes: &[u8]) -> Result<Value<'_>> {
    read_within(bytes, Limit::of(bytes))
}

/// The same within another limit.
///
/// # Errors
/// As [`read`].
pub fn read_within(bytes: &[u8], limit: Limit) -> Result<Value<'_>> {
    if Kind::of(bytes) == Some(Kind::LegacyPt) {
        return Err(refuse(
            "the file has the format from before PyTorch 1.6, a bare pickle or a tar archive; load it with PyTorch and save it again with torch.save",
        ));
    }
    let mut budget = Budget::new("pt", limit);
    let entries = archive::entries("pt", bytes)?;
    let Some(pickle) = (entries.iter())
        .find(|entry| entry.name == "data.pkl" || entry.name.ends_with("/data.pkl"))
    else {
        return Err(refuse(
            "the archive has no data.pkl, so torch.save did not write it; expected a file of torch.save",
        ));
    };
    let root = pickle.name.trim_end_matches("data.pkl");
    if entries
        .iter()
        .any(|entry| entry.name.strip_prefix(root) == Some("constants.pkl"))
    {
        return Err(refuse(
            "the file is a TorchScript program; save the model's weights instead, with torch.save(model.state_dict(), path)",
        ));
    }
    let text = pickle.bytes(&mut budget)?;
    let (objects, top) = machine::run(&text, &mut budget)?;
    tensors::tree(&objects, top, &entries, root, budget)
}

/// The names of storage classes for the dtypes that have one.
const STORAGES: [(&str, DType); 10] = [
    ("FloatStorage", DType::F32),
    ("DoubleStorage", DType::F64),
    ("HalfStorage", DType::F16),
    ("BFloat16Storage", DType::BF16),
    ("LongStorage", DType::I64),
    ("IntStorage", DType::I32),
    ("ShortStorage", DType::I16),
    ("CharStorage", DType::I8),
    ("ByteStorage", DType::U8),
    ("BoolStorage", DType::Bool),
];

fn refuse(what: impl std::fmt::Display) -> Error {
    Error::new(format!("pt: {what}"))
}
