//! The tree of a pickle's objects, with tensors made of their storages.
//!
//! Invariants: an object that is named in two places is made twice, and each time counted; a tree is at most
//! [`DEEPEST`](super::DEEPEST) deep, so that an object within itself ends with a refusal; a storage is as long as the
//! pickle says; a view lies within its storage.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use glowgrad_tensor::DType;

use super::machine::{Global, Id, Object, Tensor};
use super::{DEEPEST, Key, MOST_DIMENSIONS, Value, refuse};
use crate::archive::Entry;
use crate::error::quoted;
use crate::limit::Budget;
use crate::{Array, Error, Result, strided};

/// What a place in a list or a dict takes, vectors that double included.
const PLACE: usize = 2 * size_of::<(Key, Value<'_>)>();

pub(super) fn tree<'a>(
    objects: &[Object<'_>],
    top: Id,
    entries: &[Entry<'a>],
    root: &str,
    budget: Budget,
) -> Result<Value<'a>> {
    let storages = (entries.iter()).filter_map(|entry| {
        let rest = entry.name.strip_prefix(root)?;
        Some((rest.strip_prefix("data/")?, entry))
    });
    let byteorder =
        (entries.iter()).find(|entry| entry.name.strip_prefix(root) == Some("byteorder"));
    let mut maker = Maker {
        objects,
        entries: storages.collect(),
        unpacked: BTreeMap::new(),
        big_endian: false,
        budget,
    };
    if let Some(entry) = byteorder {
        maker.big_endian = match &entry.bytes(&mut maker.budget)?[..] {
            b"little" => false,
            b"big" => true,
            other => {
                return Err(refuse(format!(
                    "the file's byte order is {}, and little and big are read; the file is damaged, so fetch it again",
                    quoted(&String::from_utf8_lossy(&other[..other.len().min(80)]))
                )));
            }
        };
    }
    maker.value(top, 0)
}

struct Maker<'o, 'p, 'a> {
    objects: &'o [Object<'p>],
    /// Entries of the archive by the key of their storage.
    entries: BTreeMap<&'o str, &'o Entry<'a>>,
    unpacked: BTreeMap<&'p str, Cow<'a, [u8]>>,
    big_endian: bool,
    budget: Budget,
}

impl<'p, 'a> Maker<'_, 'p, 'a> {
    fn value(&mut self, id: Id, depth: usize) -> Result<Value<'a>> {
        if depth == DEEPEST {
            return Err(refuse(format!(
                "lists and dicts stand more than {DEEPEST} deep in one another, or one holds itself; save a state dict, which is flat"
            )));
        }
        self.budget.take(PLACE)?;
        let objects = self.objects;
        Ok(match &objects[id as usize] {
            Object::None => Value::None,
            Object::Bool(truth) => Value::Bool(*truth),
            Object::Int(number) => Value::Int(*number),
            Object::Float(number) => Value::Float(*number),
            Object::Str(text) => {
                self.budget.take(text.len())?;
                Value::Str((*text).to_owned())
            }
            Object::List(items) => Value::List(self.values(items, depth)?),
            Object::Tuple(items) => Value::Tuple(self.values(items, depth)?),
            Object::Dict(entries) => {
                let mut keys = BTreeSet::new();
                let mut values = Vec::new();
                for &(key, value) in entries {
                    let key = self.key(key)?;
                    self.budget.take(PLACE)?;
                    if !keys.insert(key.clone()) {
                        let text = quoted(&key.to_string());
                        return Err(refuse(format!(
                            "a dict has the key {text} twice; the file is damaged, so save it again"
                        )));
                    }
                    values.push((key, self.value(value, depth + 1)?));
                }
                Value::Dict(values)
            }
            Object::Tensor(tensor) => Value::Tensor(self.tensor(tensor)?),
            other @ (Object::Global(_) | Object::Storage { .. }) => {
                return Err(refuse(format!(
                    "the file holds {} by itself; save tensors, numbers, texts, lists and dicts",
                    other.kind()
                )));
            }
        })
    }

    fn values(&mut self, items: &[Id], depth: usize) -> Result<Vec<Value<'a>>> {
        let mut values = Vec::new();
        for &item in items {
            values.push(self.value(item, depth + 1)?);
        }
        Ok(values)
    }

    fn key(&mut self, id: Id) -> Result<Key> {
        match &self.objects[id as usize] {
            Object::Int(number) => Ok(Key::Int(*number)),
            Object::Str(text) => {
                // Twice: one copy stands in the set of the dict's keys.
                self.budget.take(2 * text.len())?;
                Ok(Key::Str((*text).to_owned()))
            }
            other => Err(refuse(format!(
                "a key of a dict is {}, and texts and integers are read; name the entry with a text",
                other.kind()
            ))),
        }
    }

    fn tensor(&mut self, tensor: &Tensor) -> Result<Array<'a>> {
        let Object::Storage { dtype, key, numel } = &self.objects[tensor.storage as usize] else {
            return Err(wrong("no storage"));
        };
        let (dtype, numel) = self.dtype(*dtype, tensor.dtype, *numel)?;
        let offset = self.size(tensor.offset)?;
        let shape = self.sizes(tensor.size)?;
        let strides = self.sizes(tensor.stride)?;
        let named = quoted(key);
        if shape.len() != strides.len() {
            return Err(refuse(format!(
                "a tensor of storage {named} has {} sizes and {} strides; the file is damaged, so fetch it again",
                shape.len(),
                strides.len()
            )));
        }
        let last = last_element(offset, &shape, &strides);
        if last.is_none_or(|end| end > numel) {
            return Err(refuse(format!(
                "a tensor of shape {shape:?}, strides {strides:?} and offset {offset} lies outside its storage {named} of {numel} elements; the file is damaged, so fetch it again"
            )));
        }
        let item = dtype.size();
        let Some(size) = strided::size_of(item, &shape) else {
            return Err(self.budget.exceeded());
        };
        self.budget.take(shape.len() * size_of::<usize>())?;
        if size == 0 {
            return Array::new(dtype, shape, Vec::new());
        }
        self.open(key, item, numel)?;
        let big_endian = self.big_endian && item > 1;
        let storage = &self.unpacked[key];
        let contiguous = strided::strides_of(&shape);
        let in_order = (shape.iter().zip(&strides).zip(&contiguous))
            .all(|((&n, stride), wanted)| n == 1 || stride == wanted);
        if let (Cow::Borrowed(storage), true, false) = (storage, in_order, big_endian) {
            let bytes = &storage[offset * item..][..size];
            if dtype == DType::Bool && bytes.iter().any(|&byte| byte > 1) {
                self.budget.take(size)?;
            }
            return Array::new(dtype, shape, bytes);
        }
        self.budget.take(size)?;
        let mut bytes = strided::row_major(&storage[offset * item..], item, &shape, &strides);
        if big_endian {
            strided::swap_bytes(&mut bytes, item);
        }
        Array::new(dtype, shape, bytes)
    }

    /// The dtype of a view, and how many elements of it its storage has.
    fn dtype(
        &self,
        storage: Option<DType>,
        view: Option<Id>,
        numel: u64,
    ) -> Result<(DType, usize)> {
        let many = || wrong("a storage beyond all memory");
        let numel = usize::try_from(numel).map_err(|_| many())?;
        match (storage, view.map(|id| &self.objects[id as usize])) {
            (Some(dtype), None) => Ok((dtype, numel)),
            // A storage without a type counts bytes.
            (None, Some(Object::Global(Global::DType(dtype)))) => {
                Ok((*dtype, numel / dtype.size()))
            }
            _ => Err(wrong("no dtype")),
        }
    }

    /// A size, a stride or an offset.
    fn size(&self, id: Id) -> Result<usize> {
        match &self.objects[id as usize] {
            Object::Int(number) => usize::try_from(*number)
                .map_err(|_| wrong(&format!("{number} as a size, a stride or an offset"))),
            other => Err(wrong(&format!(
                "{} as a size, a stride or an offset",
                other.kind()
            ))),
        }
    }

    fn sizes(&self, id: Id) -> Result<Vec<usize>> {
        match &self.objects[id as usize] {
            Object::Tuple(items) if items.len() <= MOST_DIMENSIONS => {
                items.iter().map(|&item| self.size(item)).collect()
            }
            Object::Tuple(items) => Err(wrong(&format!(
                "{} dimensions, and PyTorch has at most {MOST_DIMENSIONS}",
                items.len()
            ))),
            other => Err(wrong(&format!("{} as sizes or strides", other.kind()))),
        }
    }

    /// Unpacks a storage once, and compares its length with what the pickle says of it.
    fn open(&mut self, key: &'p str, item: usize, numel: usize) -> Result<()> {
        if !self.unpacked.contains_key(key) {
            let Some(entry) = self.entries.get(key) else {
                return Err(refuse(format!(
                    "the archive has no storage {}, which the pickle names; the file is damaged, so fetch it again",
                    quoted(key)
                )));
            };
            let bytes = entry.bytes(&mut self.budget)?;
            self.unpacked.insert(key, bytes);
        }
        let length = self.unpacked[key].len();
        match numel.checked_mul(item) {
            Some(wanted) if wanted <= length => Ok(()),
            _ => Err(refuse(format!(
                "storage {} has {length} bytes, and the pickle claims {numel} elements of {item} bytes; the file is damaged, so fetch it again",
                quoted(key)
            ))),
        }
    }
}

fn wrong(what: &str) -> Error {
    refuse(format!(
        "a tensor of the file has {what}; the file is damaged, so fetch it again"
    ))
}

/// One more than the place of a view's last element; none where no memory has it.
fn last_element(offset: usize, shape: &[usize], strides: &[usize]) -> Option<usize> {
    if shape.contains(&0) {
        return Some(offset);
    }
    let steps = shape.iter().zip(strides);
    let last = steps.into_iter().try_fold(offset, |last, (&n, &stride)| {
        last.checked_add((n - 1).checked_mul(stride)?)
    });
    last?.checked_add(1)
}
