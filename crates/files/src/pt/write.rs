//! A checkpoint as `torch.save` would write it: a pickle of protocol 2, and a file for each storage.
//!
//! Tensors whose bytes are one slice of memory share a storage, so that tied weights that were read from a file stay
//! tied. Storages begin at multiples of 64, as PyTorch maps them. Dtypes without a storage class of their own (uint16,
//! uint32, uint64) are rebuilt from bytes, as PyTorch does since 2.3.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use glowgrad_tensor::DType;

use super::{DEEPEST, Key, MOST_DIMENSIONS, STORAGES, Value, refuse};
use crate::archive::{self, Compression};
use crate::error::quoted;
use crate::{Array, Result, strided};

/// PyTorch's alignment of storages.
const ALIGNMENT: usize = 64;

/// The folder in the archive; PyTorch takes the file's name, and reads any.
const ROOT: &str = "archive";

/// The bytes of a file with this object, which `torch.load(file, weights_only=True)` reads.
///
/// # Errors
/// When a dict has a key twice, or lists and dicts stand more than 64 deep in one another.
pub fn write(value: &Value<'_>) -> Result<Vec<u8>> {
    let mut pickler = Pickler {
        pickle: vec![0x80, 2],
        keys: BTreeMap::new(),
        storages: Vec::new(),
    };
    pickler.value(value, 0)?;
    pickler.pickle.push(b'.');
    let mut files = vec![
        (format!("{ROOT}/data.pkl"), Cow::Owned(pickler.pickle)),
        (format!("{ROOT}/byteorder"), Cow::Borrowed(&b"little"[..])),
    ];
    for (key, bytes) in pickler.storages.into_iter().enumerate() {
        files.push((format!("{ROOT}/data/{key}"), Cow::Borrowed(bytes)));
    }
    files.push((format!("{ROOT}/version"), Cow::Borrowed(b"3\n")));
    archive::write("pt", &files, Compression::Stored, ALIGNMENT)
}

struct Pickler<'v> {
    pickle: Vec<u8>,
    /// Storages by the place and length of their bytes in memory.
    keys: BTreeMap<(usize, usize), usize>,
    storages: Vec<&'v [u8]>,
}

impl<'v> Pickler<'v> {
    fn value(&mut self, value: &'v Value<'_>, depth: usize) -> Result<()> {
        if depth == DEEPEST {
            return Err(refuse(format!(
                "lists and dicts stand more than {DEEPEST} deep in one another; write a flat dict"
            )));
        }
        match value {
            Value::None => self.pickle.push(b'N'),
            Value::Bool(truth) => self.bool(*truth),
            Value::Int(number) => self.int(*number),
            Value::Float(number) => {
                self.pickle.push(b'G');
                self.pickle.extend_from_slice(&number.to_be_bytes());
            }
            Value::Str(text) => self.text(text)?,
            Value::List(values) => {
                self.pickle.extend_from_slice(b"](");
                for value in values {
                    self.value(value, depth + 1)?;
                }
                self.pickle.push(b'e');
            }
            Value::Tuple(values) => {
                self.pickle.push(b'(');
                for value in values {
                    self.value(value, depth + 1)?;
                }
                self.pickle.push(b't');
            }
            Value::Dict(entries) => {
                let mut keys = BTreeSet::new();
                self.pickle.extend_from_slice(b"}(");
                for (key, value) in entries {
                    if !keys.insert(key) {
                        return Err(refuse(format!(
                            "a dict has the key {} twice; give each value a key of its own",
                            quoted(&key.to_string())
                        )));
                    }
                    match key {
                        Key::Int(number) => self.int(*number),
                        Key::Str(text) => self.text(text)?,
                    }
                    self.value(value, depth + 1)?;
                }
                self.pickle.push(b'u');
            }
            Value::Tensor(array) => self.tensor(array)?,
        }
        Ok(())
    }

    /// `torch._utils._rebuild_tensor_v2(storage, 0, size, stride, False, OrderedDict())`, or its later twin.
    fn tensor(&mut self, array: &'v Array<'_>) -> Result<()> {
        if array.shape().len() > MOST_DIMENSIONS {
            return Err(refuse(format!(
                "a tensor has {} dimensions, and PyTorch has at most {MOST_DIMENSIONS}; reshape it",
                array.shape().len()
            )));
        }
        let dtype = array.dtype();
        let class = STORAGES.iter().find(|&&(_, other)| other == dtype);
        let (rebuild, module, name, numel) = match class {
            Some((name, _)) => {
                let numel = array.bytes().len() / dtype.size();
                ("_rebuild_tensor_v2", "torch", *name, numel)
            }
            None => {
                let module = "torch.storage";
                (
                    "_rebuild_tensor_v3",
                    module,
                    "UntypedStorage",
                    array.bytes().len(),
                )
            }
        };
        self.global("torch._utils", rebuild);
        self.pickle.extend_from_slice(b"((");
        self.text("storage")?;
        self.global(module, name);
        let key = self.storage(array.bytes()).to_string();
        self.text(&key)?;
        self.text("cpu")?;
        self.int(numel as i64);
        self.pickle.extend_from_slice(b"tQ");
        self.int(0);
        self.sizes(array.shape());
        self.sizes(&strided::strides_of(array.shape()));
        self.bool(false);
        self.global("collections", "OrderedDict");
        self.pickle.extend_from_slice(b")R");
        if class.is_none() {
            self.dtype(dtype);
        }
        self.pickle.extend_from_slice(b"tR");
        Ok(())
    }

    /// The key of the storage with these bytes.
    fn storage(&mut self, bytes: &'v [u8]) -> usize {
        let next = self.storages.len();
        if bytes.is_empty() {
            self.storages.push(bytes);
            return next;
        }
        let place = (bytes.as_ptr() as usize, bytes.len());
        let key = *self.keys.entry(place).or_insert(next);
        if key == next {
            self.storages.push(bytes);
        }
        key
    }

    fn global(&mut self, module: &str, name: &str) {
        self.pickle
            .extend_from_slice(format!("c{module}\n{name}\n").as_bytes());
    }

    fn dtype(&mut self, dtype: DType) {
        self.global("torch", dtype.name());
    }

    fn bool(&mut self, truth: bool) {
        self.pickle.push(if truth { 0x88 } else { 0x89 });
    }

    fn int(&mut self, number: i64) {
        if let Ok(small) = i32::try_from(number) {
            self.pickle.push(b'J');
            self.pickle.extend_from_slice(&small.to_le_bytes());
        } else {
            self.pickle.extend_from_slice(&[0x8a, 8]);
            self.pickle.extend_from_slice(&number.to_le_bytes());
        }
    }

    fn sizes(&mut self, sizes: &[usize]) {
        self.pickle.push(b'(');
        for &n in sizes {
            self.int(n as i64);
        }
        self.pickle.push(b't');
    }

    fn text(&mut self, text: &str) -> Result<()> {
        let length = u32::try_from(text.len()).map_err(|_| {
            refuse(format!(
                "a text has {} bytes, and a pickle's at most 2**32 - 1; write it into a file of its own",
                text.len()
            ))
        })?;
        self.pickle.push(b'X');
        self.pickle.extend_from_slice(&length.to_le_bytes());
        self.pickle.extend_from_slice(text.as_bytes());
        Ok(())
    }
}
