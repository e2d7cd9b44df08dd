//! A graph as lines of text with bytes beside them, for a boundary that carries no more: written from nodes, read into
//! tensors, which may be on another engine.
//!
//! | Line | Means |
//! |---|---|
//! | `given` kind name dtype sizes… | a tensor that the reader has, or is given |
//! | `here` kind name dtype sizes… | the same, with its elements in the bytes |
//! | `tensor` dtype sizes… | a constant, whose elements are next in the bytes |
//! | `number` scalar dtype | a number; without a dtype one of the program, weak in promotion |
//! | `op` name scope dtype sizes operands attributes… | a call |
//! | `output` name value | a result |
//! | `look` value call | a value that was looked at while the graph was made, by a call or by the program |
//!
//! Each of the first five lines makes a value; values are counted from 0. Sizes and operands within a field are joined by
//! commas. An op's name is its own; an op that is one of the parts of a call with several results, which may share a name,
//! is named by the call and its place among those, `sort:1`. Invariants: a value is made before it is named; the reader
//! calls the very op that the writer met; and a call gives the shape and dtype that its line says, or the text is refused.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use crate::dtype::{DType, Scalar};
use crate::graph::Look;
use crate::lines::{fields, push};
use crate::node::NodeRef;
use crate::op::{Attr, Attrs, Kind};
use crate::trace::NodeId;
use crate::{Engine, Error, Result, Tensor, ops, shape};

/// A tensor that the graph begins with.
#[derive(Debug, Clone)]
pub struct Given {
    /// What it is: `input`, `weight`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// The node that it was before the graph was made.
    pub node: NodeRef,
    /// Whether its elements travel with the graph.
    pub is_here: bool,
}

/// The text and the bytes of a graph.
#[derive(Debug, Clone, Default)]
pub struct GraphText {
    /// Its lines.
    pub text: String,
    /// Elements, row-major and little-endian, one tensor after another.
    pub bytes: Vec<u8>,
}

/// The source that a node has the elements of: of an alias, a copy, or the same elements on another device.
pub fn alias(node: &NodeRef) -> Option<NodeRef> {
    let src = node.src();
    if matches!(node.op.kind, Kind::Leaf) {
        return src.last().cloned();
    }
    src.first()
        .filter(|source| node.op.same_elements && source.dtype == node.dtype)
        .cloned()
}

/// The nodes that stand for the same tensor as a node: it and what it is an alias of.
pub fn same_as(node: &NodeRef) -> Vec<NodeRef> {
    let mut same = vec![node.clone()];
    let mut at = node.clone();
    while let Some(next) = alias(&at).filter(|next| next.dtype == at.dtype) {
        same.push(next.clone());
        at = next;
    }
    same
}

/// Which of some nodes depend on given ones.
pub fn depending(nodes: &[NodeRef], given: &[NodeRef]) -> Vec<bool> {
    let given: HashSet<NodeId> = given.iter().flat_map(same_as).map(|node| node.id).collect();
    let depends = |root: &NodeRef| {
        let mut seen = HashSet::new();
        let mut stack = vec![root.clone()];
        while let Some(node) = stack.pop() {
            if given.contains(&node.id) {
                return true;
            }
            if seen.insert(node.id) {
                stack.extend(node.src());
            }
        }
        false
    };
    nodes.iter().map(depends).collect()
}

enum WriteTask {
    Visit(NodeRef),
    Same(NodeRef, NodeRef),
    Write(NodeRef),
}

struct Writer<'a> {
    engine: &'a Engine,
    written: GraphText,
    values: HashMap<NodeId, usize>,
    n: usize,
    /// The oldest of what is given.
    oldest: Option<NodeId>,
}

/// Writes a graph from its outputs back to what is given.
///
/// # Errors
/// For an op that is not in the text's vocabulary, a value whose sources the graph has let go of, and what computing a
/// constant meets.
pub fn write(
    engine: &Engine,
    given: &[Given],
    outputs: &[(String, NodeRef)],
    looks: &[Look],
) -> Result<GraphText> {
    let mut writer = Writer {
        engine,
        written: GraphText::default(),
        values: HashMap::new(),
        n: 0,
        oldest: given.iter().map(|given| given.node.id).min(),
    };
    for each in given {
        writer.given(each)?;
    }
    for (name, node) in outputs {
        let value = writer.visit(node)?.to_string();
        push(&mut writer.written.text, ["output", name, &value]);
    }
    for look in looks {
        let value = writer.visit(&look.node)?.to_string();
        push(
            &mut writer.written.text,
            ["look", &value, look.by.unwrap_or("")],
        );
    }
    Ok(writer.written)
}

impl Writer<'_> {
    fn made(&mut self, node: &NodeRef) {
        self.values.insert(node.id, self.n);
        self.n += 1;
    }

    fn given(&mut self, given: &Given) -> Result<()> {
        let node = &given.node;
        let mut line = vec![
            if given.is_here { "here" } else { "given" },
            given.kind,
            &given.name,
            node.dtype.name(),
        ];
        let sizes: Vec<String> = node.shape.iter().map(usize::to_string).collect();
        line.extend(sizes.iter().map(String::as_str));
        push(&mut self.written.text, line);
        if given.is_here {
            self.written.bytes.extend(self.engine.read(node)?);
        }
        for same in same_as(node) {
            self.values.entry(same.id).or_insert(self.n);
        }
        self.n += 1;
        Ok(())
    }

    fn visit(&mut self, root: &NodeRef) -> Result<usize> {
        let mut stack = vec![WriteTask::Visit(root.clone())];
        while let Some(step) = stack.pop() {
            match step {
                WriteTask::Visit(node) if self.values.contains_key(&node.id) => {}
                WriteTask::Visit(node) => {
                    let src = node.src();
                    if let Some(same) = alias(&node) {
                        stack.push(WriteTask::Same(node, same.clone()));
                        stack.push(WriteTask::Visit(same));
                    } else if node.number.is_some() || src.is_empty() {
                        self.constant(&node)?;
                    } else {
                        stack.push(WriteTask::Write(node));
                        stack.extend(src.into_iter().rev().map(WriteTask::Visit));
                    }
                }
                WriteTask::Same(node, other) => {
                    let value = self.value(&other)?;
                    self.values.insert(node.id, value);
                }
                WriteTask::Write(node) => self.call(&node)?,
            }
        }
        self.value(root)
    }

    fn value(&self, node: &NodeRef) -> Result<usize> {
        self.values.get(&node.id).copied().ok_or_else(|| {
            Error::runtime(format!(
                "{}: internal error: a source was not written; please report this",
                node.op.name
            ))
        })
    }

    fn constant(&mut self, node: &NodeRef) -> Result<()> {
        if let Some(number) = node.number {
            let dtype = if node.is_python_number {
                ""
            } else {
                node.dtype.name()
            };
            push(
                &mut self.written.text,
                ["number", &scalar_text(number), dtype],
            );
            self.made(node);
            return Ok(());
        }
        if !matches!(node.op.kind, Kind::Leaf) && self.oldest.is_some_and(|oldest| node.id > oldest)
        {
            return Err(Error::value(format!(
                "the graph has a value of {:?} that was computed after the inputs were made, and does not know any more of what",
                node.op.name
            )));
        }
        let mut line = vec!["tensor".to_owned(), node.dtype.name().to_owned()];
        line.extend(node.shape.iter().map(usize::to_string));
        push(&mut self.written.text, line.iter().map(String::as_str));
        self.written.bytes.extend(self.engine.read(node)?);
        self.made(node);
        Ok(())
    }

    fn call(&mut self, node: &NodeRef) -> Result<()> {
        let Some(name) = ops::name_in_graph(node.op) else {
            return Err(Error::not_implemented(format!(
                "{} cannot be handed over here; run the program with glow python, which writes it",
                node.op.name
            )));
        };
        let operands = node
            .src()
            .iter()
            .map(|source| self.value(source))
            .collect::<Result<Vec<_>>>()?;
        let mut line = vec![
            "op".to_owned(),
            name,
            node.scope.as_deref().unwrap_or("").to_owned(),
            node.dtype.name().to_owned(),
            joined(&node.shape),
            joined(&operands),
        ];
        line.extend(node.attrs.iter().map(attr_text));
        push(&mut self.written.text, line.iter().map(String::as_str));
        self.made(node);
        Ok(())
    }
}

fn joined<T: ToString>(list: &[T]) -> String {
    list.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

fn scalar_text(scalar: Scalar) -> String {
    match scalar {
        Scalar::Bool(b) => format!("b{}", u8::from(b)),
        Scalar::Int(i) => format!("i{i}"),
        Scalar::UInt(i) => format!("u{i}"),
        Scalar::Float(x) => format!("f{:x}", x.to_bits()),
    }
}

fn attr_text(attr: &Attr) -> String {
    match attr {
        Attr::None => "n".to_owned(),
        Attr::Bool(b) => scalar_text(Scalar::Bool(*b)),
        Attr::Int(i) => scalar_text(Scalar::Int(*i)),
        Attr::Float(x) => scalar_text(Scalar::Float(*x)),
        Attr::Ints(list) => format!("l{}", joined(list)),
        Attr::DType(dtype) => format!("d{}", dtype.name()),
        Attr::Str(word) => format!("s{word}"),
    }
}

/// What a text was read into.
#[derive(Debug, Default)]
pub struct Read {
    /// Results by name.
    pub outputs: Vec<(String, Tensor)>,
    /// What was looked at while the graph was made.
    pub looks: Vec<Look>,
}

fn refused(line: &str) -> Error {
    let short: String = line.chars().take(80).collect();
    Error::value(format!(
        "the graph's text cannot be read at {short:?}; it is of another version, or cut short"
    ))
}

/// Reads a graph: makes its calls anew. `give` has the tensors that are given: of a kind, name, dtype and shape, and
/// where they travel along, their elements as a tensor.
///
/// # Errors
/// For a text in another form, what `give` refuses, and what a call says of its operands.
pub fn read(
    engine: &Engine,
    graph: &str,
    bytes: &[u8],
    mut give: impl FnMut(&str, &str, DType, &[usize], Option<Tensor>) -> Result<Tensor>,
) -> Result<Read> {
    let mut read = Read::default();
    let mut values: Vec<Tensor> = Vec::new();
    let mut bytes = bytes;
    for line in graph.lines() {
        let all = fields(line);
        let parts: Vec<&str> = all.iter().map(String::as_str).collect();
        let fault = || refused(line);
        match &parts[..] {
            [how @ ("given" | "here"), kind, name, dtype, sizes @ ..] => {
                let (dtype, sizes) = (DType::parse(dtype)?, whole(sizes).ok_or_else(fault)?);
                let here = match *how {
                    "here" => {
                        Some(next_tensor(engine, &mut bytes, dtype, &sizes).ok_or_else(fault)??)
                    }
                    _ => None,
                };
                values.push(give(kind, name, dtype, &sizes, here)?);
            }
            ["tensor", dtype, sizes @ ..] => {
                let (dtype, sizes) = (DType::parse(dtype)?, whole(sizes).ok_or_else(fault)?);
                values.push(next_tensor(engine, &mut bytes, dtype, &sizes).ok_or_else(fault)??);
            }
            ["number", number, dtype] => {
                let number = scalar(number).ok_or_else(fault)?;
                let node = match *dtype {
                    "" => engine.python_number(number),
                    dtype => engine.number(number, DType::parse(dtype)?),
                };
                values.push(Tensor::from_node(engine, node));
            }
            ["op", name, scope, dtype, sizes, operands, attributes @ ..] => {
                let op = ops::in_graph(name).ok_or_else(fault)?;
                let operand = |at: usize| values.get(at).cloned();
                let operands: Option<Vec<Tensor>> = list(operands)
                    .ok_or_else(fault)?
                    .into_iter()
                    .map(operand)
                    .collect();
                let attrs: Option<Attrs> = attributes.iter().map(|text| attr(text)).collect();
                let (operands, attrs) = (operands.ok_or_else(fault)?, attrs.ok_or_else(fault)?);
                engine.push_scope(scope);
                let made = Tensor::apply(engine, op, &operands, attrs);
                engine.pop_scope();
                let made = made?;
                if made.dtype().name() != *dtype || Some(made.shape().to_vec()) != list(sizes) {
                    return Err(Error::runtime(format!(
                        "{name} gave {} of shape {}, and the graph's text says {dtype} of [{sizes}]",
                        made.dtype().name(),
                        shape::show(&made.shape())
                    )));
                }
                values.push(made);
            }
            ["output", name, value] => {
                let value = value
                    .parse()
                    .ok()
                    .and_then(|at: usize| values.get(at))
                    .ok_or_else(fault)?;
                read.outputs.push(((*name).to_owned(), value.clone()));
            }
            ["look", value, by] => {
                let value = value
                    .parse()
                    .ok()
                    .and_then(|at: usize| values.get(at))
                    .ok_or_else(fault)?;
                read.looks.push(Look {
                    node: value.node(),
                    by: (!by.is_empty()).then(|| word(by)),
                });
            }
            _ => return Err(fault()),
        }
    }
    Ok(read)
}

fn next_tensor(
    engine: &Engine,
    bytes: &mut &[u8],
    dtype: DType,
    sizes: &[usize],
) -> Option<Result<Tensor>> {
    let n = sizes
        .iter()
        .try_fold(dtype.size(), |n, size| n.checked_mul(*size))?;
    let (own, rest) = bytes.split_at_checked(n)?;
    *bytes = rest;
    let node = engine.leaf_bytes(own, sizes, dtype);
    Some(node.map(|node| Tensor::from_node(engine, node)))
}

fn whole(fields: &[&str]) -> Option<Vec<usize>> {
    fields.iter().map(|field| field.parse().ok()).collect()
}

fn list<T: std::str::FromStr>(field: &str) -> Option<Vec<T>> {
    let each = field.split(',').filter(|part| !part.is_empty());
    each.map(|part| part.parse().ok()).collect()
}

fn scalar(text: &str) -> Option<Scalar> {
    let (kind, value) = text.split_at_checked(1)?;
    Some(match kind {
        "b" => Scalar::Bool(value == "1"),
        "i" => Scalar::Int(value.parse().ok()?),
        "u" => Scalar::UInt(value.parse().ok()?),
        "f" => Scalar::Float(f64::from_bits(u64::from_str_radix(value, 16).ok()?)),
        _ => return None,
    })
}

fn attr(text: &str) -> Option<Attr> {
    let (kind, value) = text.split_at_checked(1)?;
    Some(match kind {
        "n" => Attr::None,
        "l" => Attr::ints(&list::<i64>(value)?),
        "d" => Attr::DType(DType::parse(value).ok()?),
        "s" => Attr::Str(word(value)),
        _ => match scalar(text)? {
            Scalar::Bool(b) => Attr::Bool(b),
            Scalar::Int(i) => Attr::Int(i),
            Scalar::Float(x) => Attr::Float(x),
            Scalar::UInt(_) => return None,
        },
    })
}

/// A word of an op's vocabulary, kept once.
fn word(text: &str) -> &'static str {
    thread_local! {
        static WORDS: RefCell<HashSet<&'static str>> = RefCell::default();
    }
    WORDS.with_borrow_mut(|words| match words.get(text) {
        Some(word) => word,
        None => {
            let word: &'static str = Box::leak(text.to_owned().into_boxed_str());
            words.insert(word);
            word
        }
    })
}
