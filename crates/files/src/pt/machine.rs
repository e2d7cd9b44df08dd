//! The instructions of pickles that state dicts consist of, in protocols 2 to 5.
//!
//! Invariants: an instruction makes at most one object, and counts for [`COST`] bytes of the budget before it runs; a
//! text is a part of the pickle; objects name each other by number, so that a loop among them is no loop of memory. A
//! name that is not in [`Global::of`] ends the reading with a refusal that says it. A call makes one of the objects
//! below and runs nothing.

use std::collections::BTreeMap;

use glowgrad_tensor::DType;

use super::{STORAGES, refuse};
use crate::error::quoted;
use crate::limit::Budget;
use crate::{Error, Result};

/// What an instruction may take of memory: an object, its places on the stack and in the memo, and vectors that double.
const COST: usize = 128;

/// The number of an object.
pub(super) type Id = u32;

pub(super) enum Object<'p> {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(&'p str),
    List(Vec<Id>),
    Tuple(Vec<Id>),
    Dict(Vec<(Id, Id)>),
    Global(Global),
    /// What a persistent id stands for.
    Storage {
        /// None of a storage without a type, whose tensor says it.
        dtype: Option<DType>,
        key: &'p str,
        /// Elements; of a storage without a type bytes.
        numel: u64,
    },
    Tensor(Box<Tensor>),
}

/// A view of a storage, its numbers not yet looked at.
pub(super) struct Tensor {
    pub(super) storage: Id,
    pub(super) offset: Id,
    pub(super) size: Id,
    pub(super) stride: Id,
    /// What `_rebuild_tensor_v3` says beside the storage.
    pub(super) dtype: Option<Id>,
}

impl Object<'_> {
    /// What to call it in a message.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Object::None => "None",
            Object::Bool(_) => "a bool",
            Object::Int(_) => "an integer",
            Object::Float(_) => "a float",
            Object::Str(_) => "a text",
            Object::List(_) => "a list",
            Object::Tuple(_) => "a tuple",
            Object::Dict(_) => "a dict",
            Object::Global(_) => "a class or function",
            Object::Storage { .. } => "a storage",
            Object::Tensor(_) => "a tensor",
        }
    }
}

/// A name that a pickle may say.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Global {
    OrderedDict,
    RebuildTensor,
    RebuildTensorV3,
    RebuildParameter,
    Size,
    Storage(DType),
    UntypedStorage,
    DType(DType),
}

impl Global {
    fn of(module: &str, name: &str) -> Result<Global> {
        let known = match (module, name) {
            ("collections", "OrderedDict") => Some(Global::OrderedDict),
            ("torch._utils", "_rebuild_tensor_v2") => Some(Global::RebuildTensor),
            ("torch._utils", "_rebuild_tensor_v3") => Some(Global::RebuildTensorV3),
            ("torch._utils", "_rebuild_parameter") => Some(Global::RebuildParameter),
            ("torch", "Size") => Some(Global::Size),
            ("torch.storage", "UntypedStorage") => Some(Global::UntypedStorage),
            ("torch", name) => {
                let storage = STORAGES.iter().find(|&&(other, _)| other == name);
                let dtype = || DType::ALL.into_iter().find(|dtype| dtype.name() == name);
                storage
                    .map(|&(_, dtype)| Global::Storage(dtype))
                    .or_else(|| dtype().map(Global::DType))
            }
            _ => None,
        };
        known.ok_or_else(|| {
            let full = quoted(&format!("{module}.{name}"));
            refuse(if module == "torch" && name.ends_with("Storage") {
                format!("the file has a {full}, whose dtype glowgrad lacks; convert the tensor to float32 and save it again")
            } else {
                format!("the pickle names {full}, which is none of the few names that state dicts use, and nothing of it is run; save model.state_dict() instead")
            })
        })
    }
}

/// Runs a pickle: its objects, and which of them is the result.
pub(super) fn run<'p>(pickle: &'p [u8], budget: &mut Budget) -> Result<(Vec<Object<'p>>, Id)> {
    let mut machine = Machine {
        pickle,
        at: 0,
        objects: Vec::new(),
        stack: Vec::new(),
        marks: Vec::new(),
        memo: BTreeMap::new(),
    };
    loop {
        budget.take(COST)?;
        let start = machine.at;
        let op = machine.byte()?;
        if let Some(top) = machine.step(op, start)? {
            return Ok((machine.objects, top));
        }
    }
}

struct Machine<'p> {
    pickle: &'p [u8],
    at: usize,
    objects: Vec<Object<'p>>,
    stack: Vec<Id>,
    /// Heights of the stack at the marks.
    marks: Vec<usize>,
    memo: BTreeMap<u32, Id>,
}

impl<'p> Machine<'p> {
    /// One instruction; the result where it is the last.
    fn step(&mut self, op: u8, start: usize) -> Result<Option<Id>> {
        match op {
            // PROTO and FRAME say what is not needed.
            0x80 => drop(self.take(1)?),
            0x95 => drop(self.take(8)?),
            b'.' => return self.pop().map(Some),
            b'0' => drop(self.pop()?),
            b'1' => drop(self.pop_mark()?),
            b'(' => self.marks.push(self.stack.len()),

            b'N' => self.push(Object::None)?,
            0x88 => self.push(Object::Bool(true))?,
            0x89 => self.push(Object::Bool(false))?,
            b'J' => {
                let number = i32::from_le_bytes(self.chunk()?);
                self.push(Object::Int(number.into()))?;
            }
            b'K' => {
                let number = self.byte()?;
                self.push(Object::Int(number.into()))?;
            }
            b'M' => {
                let number = u16::from_le_bytes(self.chunk()?);
                self.push(Object::Int(number.into()))?;
            }
            0x8a => {
                let number = self.long()?;
                self.push(Object::Int(number))?;
            }
            b'G' => {
                let number = f64::from_be_bytes(self.chunk()?);
                self.push(Object::Float(number))?;
            }
            0x8c => {
                let length = self.byte()?;
                self.text(length.into())?;
            }
            b'X' => {
                let length = u32::from_le_bytes(self.chunk()?);
                self.text(length.into())?;
            }
            0x8d => {
                let length = u64::from_le_bytes(self.chunk()?);
                self.text(length)?;
            }

            b')' => self.push(Object::Tuple(Vec::new()))?,
            b']' => self.push(Object::List(Vec::new()))?,
            b'}' => self.push(Object::Dict(Vec::new()))?,
            b't' => {
                let items = self.pop_mark()?;
                self.push(Object::Tuple(items))?;
            }
            0x85..=0x87 => {
                let n = usize::from(op - 0x84);
                let from = self.stack.len().checked_sub(n);
                let from = from.filter(|&from| self.marks.last().is_none_or(|&mark| from >= mark));
                let from = from.ok_or_else(|| self.empty())?;
                let items = self.stack.split_off(from);
                self.push(Object::Tuple(items))?;
            }
            b'a' => {
                let item = self.pop()?;
                self.append(&[item])?;
            }
            b'e' => {
                let items = self.pop_mark()?;
                self.append(&items)?;
            }
            b's' => {
                let value = self.pop()?;
                let key = self.pop()?;
                self.set_items(&[key, value])?;
            }
            b'u' => {
                let items = self.pop_mark()?;
                self.set_items(&items)?;
            }

            b'q' => {
                let place = self.byte()?;
                self.memoize(place.into())?;
            }
            b'r' => {
                let place = u32::from_le_bytes(self.chunk()?);
                self.memoize(place)?;
            }
            0x94 => self.memoize(self.memo.len() as u32)?,
            b'h' => {
                let place = self.byte()?;
                self.recall(place.into())?;
            }
            b'j' => {
                let place = u32::from_le_bytes(self.chunk()?);
                self.recall(place)?;
            }

            b'c' => {
                let module = self.line()?;
                let name = self.line()?;
                self.push(Object::Global(Global::of(module, name)?))?;
            }
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?);
                let (Object::Str(module), Object::Str(name)) =
                    (self.object(module), self.object(name))
                else {
                    return Err(self.damaged(start, "a name that is no text"));
                };
                let global = Global::of(module, name)?;
                self.push(Object::Global(global))?;
            }
            b'Q' => {
                let id = self.pop()?;
                let storage = self.storage(id)?;
                self.push(storage)?;
            }
            b'R' => {
                let arguments = self.pop()?;
                let callee = self.pop()?;
                self.call(callee, arguments, start)?;
            }
            b'b' => {
                // An OrderedDict's attributes, which are a state dict's `_metadata`.
                self.pop()?;
                let object = self.top()?;
                if !matches!(self.object(object), Object::Dict(_)) {
                    let kind = self.object(object).kind();
                    return Err(self.damaged(start, &format!("attributes for {kind}")));
                }
            }
            other => {
                let printable = char::from(other);
                let shown = if printable.is_ascii_graphic() {
                    format!("{printable:?}")
                } else {
                    format!("{other:#04x}")
                };
                return Err(refuse(format!(
                    "byte {start} of the pickle is the instruction {shown}, which state dicts do not use; save model.state_dict() with torch.save"
                )));
            }
        }
        Ok(None)
    }

    fn object(&self, id: Id) -> &Object<'p> {
        &self.objects[id as usize]
    }

    fn damaged(&self, start: usize, what: &str) -> Error {
        refuse(format!(
            "the pickle is damaged: byte {start} asks for {what}; fetch the file again"
        ))
    }

    fn cut(&self, wanted: u64) -> Error {
        refuse(format!(
            "the pickle is cut short: from byte {} on {wanted} more are needed, and {} are left; fetch the file again",
            self.at,
            self.pickle.len() - self.at
        ))
    }

    fn empty(&self) -> Error {
        self.damaged(self.at - 1, "an object of an empty stack")
    }

    fn take(&mut self, n: u64) -> Result<&'p [u8]> {
        let rest = &self.pickle[self.at..];
        if n > rest.len() as u64 {
            return Err(self.cut(n));
        }
        self.at += n as usize;
        Ok(&rest[..n as usize])
    }

    fn byte(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    fn chunk<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut chunk = [0; N];
        chunk.copy_from_slice(self.take(N as u64)?);
        Ok(chunk)
    }

    /// Up to a line break, which ends the names of GLOBAL.
    fn line(&mut self) -> Result<&'p str> {
        let start = self.at;
        let rest = &self.pickle[start..];
        let Some(length) = rest.iter().position(|&byte| byte == b'\n') else {
            return Err(self.cut(rest.len() as u64 + 1));
        };
        self.at += length + 1;
        std::str::from_utf8(&rest[..length])
            .map_err(|_| self.damaged(start, "a name that is not UTF-8"))
    }

    fn text(&mut self, length: u64) -> Result<()> {
        let start = self.at;
        let text = std::str::from_utf8(self.take(length)?)
            .map_err(|_| self.damaged(start, "a text that is not UTF-8"))?;
        self.push(Object::Str(text))
    }

    fn long(&mut self) -> Result<i64> {
        let n = self.byte()?;
        let bytes = self.take(n.into())?;
        if n > 8 {
            return Err(refuse(format!(
                "the pickle has an integer of {n} bytes, and at most 8 are read; save it as a text"
            )));
        }
        let sign = bytes
            .last()
            .map_or(0, |&top| if top > 127 { 0xff } else { 0 });
        let mut wide = [sign; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        Ok(i64::from_le_bytes(wide))
    }

    fn push(&mut self, object: Object<'p>) -> Result<()> {
        // The budget ends long before on a machine of 32 bits.
        let id = Id::try_from(self.objects.len())
            .map_err(|_| refuse("the pickle has more than 2**32 objects; save fewer"))?;
        self.objects.push(object);
        self.stack.push(id);
        Ok(())
    }

    fn top(&self) -> Result<Id> {
        let above = self.marks.last().copied().unwrap_or(0);
        let top = self.stack.get(above..).and_then(|stack| stack.last());
        top.copied().ok_or_else(|| self.empty())
    }

    fn pop(&mut self) -> Result<Id> {
        let top = self.top()?;
        self.stack.pop();
        Ok(top)
    }

    fn pop_mark(&mut self) -> Result<Vec<Id>> {
        let mark = self.marks.pop().ok_or_else(|| self.empty())?;
        Ok(self.stack.split_off(mark))
    }

    fn append(&mut self, items: &[Id]) -> Result<()> {
        let list = self.top()?;
        match &mut self.objects[list as usize] {
            Object::List(list) => {
                list.extend_from_slice(items);
                Ok(())
            }
            other => {
                let kind = other.kind();
                Err(self.damaged(self.at - 1, &format!("items appended to {kind}")))
            }
        }
    }

    fn set_items(&mut self, items: &[Id]) -> Result<()> {
        let dict = self.top()?;
        match &mut self.objects[dict as usize] {
            Object::Dict(dict) if items.len().is_multiple_of(2) => {
                dict.extend(items.as_chunks().0.iter().map(|&[key, value]| (key, value)));
                Ok(())
            }
            Object::Dict(_) => Err(self.damaged(self.at - 1, "a key without a value")),
            other => {
                let kind = other.kind();
                Err(self.damaged(self.at - 1, &format!("entries set in {kind}")))
            }
        }
    }

    fn memoize(&mut self, place: u32) -> Result<()> {
        let top = self.top()?;
        self.memo.insert(place, top);
        Ok(())
    }

    fn recall(&mut self, place: u32) -> Result<()> {
        let Some(&id) = self.memo.get(&place) else {
            return Err(self.damaged(
                self.at - 1,
                &format!("object {place} of the memo, which is not there"),
            ));
        };
        self.stack.push(id);
        Ok(())
    }

    /// `("storage", torch.FloatStorage, "0", "cpu", 6)`
    fn storage(&self, id: Id) -> Result<Object<'p>> {
        let wrong = || {
            refuse(
                "the pickle has a persistent id that names no storage; save model.state_dict() with torch.save",
            )
        };
        let Object::Tuple(parts) = self.object(id) else {
            return Err(wrong());
        };
        let [tag, class, key, _, numel] = parts[..] else {
            return Err(wrong());
        };
        let dtype = match (self.object(tag), self.object(class)) {
            (Object::Str("storage"), Object::Global(Global::Storage(dtype))) => Some(*dtype),
            (Object::Str("storage"), Object::Global(Global::UntypedStorage)) => None,
            _ => return Err(wrong()),
        };
        let (Object::Str(key), Object::Int(numel)) = (self.object(key), self.object(numel)) else {
            return Err(wrong());
        };
        Ok(Object::Storage {
            dtype,
            key,
            numel: u64::try_from(*numel).map_err(|_| wrong())?,
        })
    }

    /// REDUCE, for the few callables that there are.
    fn call(&mut self, callee: Id, arguments: Id, start: usize) -> Result<()> {
        let (Object::Global(callee), Object::Tuple(arguments)) =
            (self.object(callee), self.object(arguments))
        else {
            let kind = self.object(callee).kind();
            return Err(self.damaged(start, &format!("a call of {kind}")));
        };
        let object = match (callee, &arguments[..]) {
            (Global::OrderedDict, []) => Object::Dict(Vec::new()),
            (Global::OrderedDict, &[pairs]) => Object::Dict(self.pairs(pairs, start)?),
            (Global::RebuildTensor, &[storage, offset, size, stride, ..])
                if (6..=7).contains(&arguments.len()) =>
            {
                Object::Tensor(Box::new(Tensor {
                    storage,
                    offset,
                    size,
                    stride,
                    dtype: None,
                }))
            }
            (Global::RebuildTensorV3, &[storage, offset, size, stride, _, _, dtype, ..])
                if arguments.len() <= 8 =>
            {
                Object::Tensor(Box::new(Tensor {
                    storage,
                    offset,
                    size,
                    stride,
                    dtype: Some(dtype),
                }))
            }
            // The tensor itself; its twin on the stack has the same number.
            (Global::RebuildParameter, &[tensor, _, _]) => {
                if !matches!(self.object(tensor), Object::Tensor(_)) {
                    let kind = self.object(tensor).kind();
                    return Err(self.damaged(start, &format!("a parameter made of {kind}")));
                }
                self.stack.push(tensor);
                return Ok(());
            }
            (Global::Size, &[sizes]) if matches!(self.object(sizes), Object::Tuple(_)) => {
                self.stack.push(sizes);
                return Ok(());
            }
            _ => {
                let n = arguments.len();
                return Err(self.damaged(start, &format!("a call with {n} arguments")));
            }
        };
        self.push(object)
    }

    /// The list of pairs that older pickles make an OrderedDict of.
    fn pairs(&self, pairs: Id, start: usize) -> Result<Vec<(Id, Id)>> {
        let wrong = || self.damaged(start, "an OrderedDict of what are no pairs");
        let (Object::List(pairs) | Object::Tuple(pairs)) = self.object(pairs) else {
            return Err(wrong());
        };
        let pair = |&pair: &Id| match self.object(pair) {
            Object::List(two) | Object::Tuple(two) if two.len() == 2 => Ok((two[0], two[1])),
            _ => Err(wrong()),
        };
        pairs.iter().map(pair).collect()
    }
}
