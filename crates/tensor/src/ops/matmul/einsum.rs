//! Einstein's summation: `einsum("bij,bjk->bik", x, y)`.
//!
//! The equation is read once, when the call is made, into labels: letters, and numbers above them for
//! the dimensions of an ellipsis. One node holds the call; it is written in diagonals, sums, products
//! and `bmm`, operand by operand from the left, as PyTorch does without a contraction planner.

use smallvec::SmallVec;

use crate::dtype::{self, Rank};
use crate::graph::GraphValue;
use crate::node::Node;
use crate::op::{
    Attr, Attrs, Call, Kind, Meta, Op, Out, SAVE_A, SAVE_B, SAVE_C, SAVE_OPERANDS, Vjp,
};
use crate::ops::BASE;
use crate::ops::mm::{expect_product, expected_scalar};
use crate::shape::{self, Shape};
use crate::{DType, Error, Result, View};

/// Letters `A…Z` are 0 to 25, `a…z` 26 to 51; from here on dimensions of the ellipsis.
const FIRST_OF_ELLIPSIS: u8 = 52;

type Labels = SmallVec<[u8; 8]>;

fn wrong<T>(what: impl std::fmt::Display) -> Result<T> {
    Err(Error::runtime(format!("einsum(): {what}")))
}

fn label(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        _ => None,
    }
}

fn letter(label: u8) -> String {
    let byte = match label {
        0..26 => b'A' + label,
        26..FIRST_OF_ELLIPSIS => b'a' + label - 26,
        _ => return "...".to_owned(),
    };
    char::from(byte).to_string()
}

/// One operand's subscripts: labels, and before which of them the ellipsis stands.
#[derive(Default, Clone)]
struct Subscripts {
    labels: Labels,
    ellipsis: Option<usize>,
}

impl Subscripts {
    /// With the last `n` of the ellipsis' dimensions in its place.
    fn spread(&self, n: usize, widest: usize) -> Labels {
        let mut labels = self.labels.clone();
        if let Some(at) = self.ellipsis {
            let dims = (widest - n..widest).map(|i| FIRST_OF_ELLIPSIS + i as u8);
            labels.insert_many(at, dims);
        }
        labels
    }
}

/// Reads subscripts up to the end or a comma; returns how many bytes it took.
fn subscripts(text: &[u8], start: usize, place: &str) -> Result<(Subscripts, usize)> {
    let mut found = Subscripts::default();
    let mut at = start;
    while at < text.len() && text[at] != b',' {
        match text[at] {
            b' ' => {}
            b'.' => {
                if found.ellipsis.is_some() {
                    return match place {
                        "output" => {
                            wrong("found '.' for output but an ellipsis (...) was already found")
                        }
                        _ => wrong(format_args!(
                            "found '.' for {place} for which an ellipsis was already found"
                        )),
                    };
                }
                if text.get(at + 1..at + 3) != Some(b"..") {
                    return wrong(format_args!(
                        "found '.' for {place} that is not part of any ellipsis (...)"
                    ));
                }
                found.ellipsis = Some(found.labels.len());
                at += 2;
            }
            byte => match label(byte) {
                Some(label) => found.labels.push(label),
                None => {
                    return wrong(format_args!(
                        "invalid subscript given at index {at} in the equation string, subscripts must be in [a-zA-Z]"
                    ));
                }
            },
        }
        at += 1;
    }
    Ok((found, at))
}

/// What an equation says of operands of these shapes.
struct Equation {
    operands: Vec<Labels>,
    output: Labels,
}

impl Equation {
    fn parse(equation: &str, shapes: &[Shape]) -> Result<Equation> {
        let text = equation.as_bytes();
        let arrow = equation.find("->");
        let left = &text[..arrow.unwrap_or(text.len())];
        let mut written = Vec::new();
        let mut at = 0;
        loop {
            let place = format!("operand {}", written.len());
            let (found, end) = subscripts(left, at, &place)?;
            written.push(found);
            if end >= left.len() {
                break;
            }
            at = end + 1;
        }
        if written.len() > shapes.len() {
            return wrong(format_args!(
                "fewer operands were provided than specified in the equation: {} of {}",
                shapes.len(),
                written.len()
            ));
        }
        if written.len() < shapes.len() {
            return wrong(format_args!(
                "more operands were provided than specified in the equation: {} for {}",
                shapes.len(),
                written.len()
            ));
        }
        let mut widths = Vec::new();
        for (i, (found, shape)) in written.iter().zip(shapes).enumerate() {
            let (n, dims) = (found.labels.len(), shape.len());
            if found.ellipsis.is_none() && n != dims {
                return wrong(format_args!(
                    "the number of subscripts in the equation ({n}) does not match the number of dimensions ({dims}) for operand {i} and no ellipsis was given"
                ));
            }
            if n > dims {
                return wrong(format_args!(
                    "the number of subscripts in the equation ({n}) is more than the number of dimensions ({dims}) for operand {i}"
                ));
            }
            if dims - n > usize::from(u8::MAX - FIRST_OF_ELLIPSIS) {
                return wrong(format_args!("operand {i} has too many dimensions ({dims})"));
            }
            widths.push(dims - n);
        }
        let widest = widths.iter().copied().max().unwrap_or(0);
        let output = match arrow {
            Some(arrow) => {
                let (found, end) = subscripts(text, arrow + 2, "output")?;
                if end < text.len() {
                    return wrong(format_args!(
                        "invalid subscript given at index {end} in the equation string, subscripts must be in [a-zA-Z]"
                    ));
                }
                for (i, label) in found.labels.iter().enumerate() {
                    if found.labels[..i].contains(label) {
                        return wrong(format_args!(
                            "output subscript {} appears more than once in the output",
                            letter(*label)
                        ));
                    }
                    if !written.iter().any(|w| w.labels.contains(label)) {
                        return wrong(format_args!(
                            "output subscript {} does not appear in the equation for any input operand",
                            letter(*label)
                        ));
                    }
                }
                found.spread(widest, widest)
            }
            None => {
                // What the ellipses cover, then the letters that appear once.
                let mut labels: Labels = (0..widest).map(|i| FIRST_OF_ELLIPSIS + i as u8).collect();
                let times = |label: u8| -> usize {
                    let all = written.iter().flat_map(|w| &w.labels);
                    all.filter(|&&l| l == label).count()
                };
                labels.extend((0..FIRST_OF_ELLIPSIS).filter(|&l| times(l) == 1));
                labels
            }
        };
        let operands = written
            .iter()
            .zip(&widths)
            .map(|(found, &n)| found.spread(n, widest))
            .collect();
        Ok(Equation { operands, output })
    }

    /// The size of every label. Size 1 broadcasts.
    fn sizes(&self, shapes: &[Shape]) -> Result<[usize; 256]> {
        let mut sizes = [1usize; 256];
        for (i, (labels, shape)) in self.operands.iter().zip(shapes).enumerate() {
            for (d, (&label, &n)) in labels.iter().zip(shape).enumerate() {
                if let Some(first) = labels[..d].iter().position(|&l| l == label)
                    && shape[first] != n
                {
                    return wrong(format_args!(
                        "subscript {} is repeated for operand {i} but the sizes don't match, {n} != {}",
                        letter(label),
                        shape[first]
                    ));
                }
                let seen = &mut sizes[usize::from(label)];
                if *seen == 1 {
                    *seen = n;
                } else if n != 1 && n != *seen {
                    if label >= FIRST_OF_ELLIPSIS {
                        return wrong(format_args!(
                            "dimension {} covered by ellipsis in operand {i} has size {n} which does not broadcast with previously seen ellipsis with size {seen} for the respective dimension",
                            label - FIRST_OF_ELLIPSIS
                        ));
                    }
                    return wrong(format_args!(
                        "subscript {} has size {n} for operand {i} which does not broadcast with previously seen size {seen}",
                        letter(label)
                    ));
                }
            }
        }
        Ok(sizes)
    }

    fn attrs(&self) -> Attrs {
        let list = |labels: &Labels| Attr::Ints(labels.iter().map(|&l| i64::from(l)).collect());
        let mut attrs: Attrs = self.operands.iter().map(list).collect();
        attrs.push(list(&self.output));
        attrs
    }

    fn from_attrs(attrs: &Attrs) -> Equation {
        let labels = |attr: &Attr| attr.as_ints().iter().map(|&l| l as u8).collect();
        let mut operands: Vec<Labels> = attrs.iter().map(labels).collect();
        let output = operands.pop().unwrap_or_default();
        Equation { operands, output }
    }

    /// Whether a label is still wanted once the operands up to `i` are contracted.
    fn wanted_after(&self, i: usize, label: u8) -> bool {
        self.output.contains(&label) || self.operands[i + 1..].iter().any(|l| l.contains(&label))
    }

    /// The dtype of the result: integers that are summed alone become int64, products that are summed
    /// want one dtype, others meet in their common one.
    fn dtype(&self, dtypes: &[DType], shapes: &[Shape], sizes: &[usize; 256]) -> Result<DType> {
        let present = |i: usize| -> Vec<u8> {
            let labels = self.operands[i].iter().zip(&shapes[i]);
            labels
                .filter(|&(&l, &n)| n == sizes[usize::from(l)])
                .map(|(&l, _)| l)
                .collect()
        };
        let alone = |sums: bool, dtype: DType| if sums { dtype.max(DType::I64) } else { dtype };
        let mut labels = present(0);
        let sums = labels.iter().any(|&l| !self.wanted_after(0, l));
        let mut dtype = alone(sums, dtypes[0]);
        labels.retain(|&l| self.wanted_after(0, l));
        for (i, &other) in dtypes.iter().enumerate().skip(1) {
            let right = present(i);
            let goes = |l: &&u8| !self.wanted_after(i, **l);
            let sums = |of: &[u8], with: &[u8]| of.iter().filter(goes).any(|l| !with.contains(l));
            let other = alone(sums(&right, &labels), other);
            dtype = alone(sums(&labels, &right), dtype);
            if labels.iter().filter(goes).any(|l| right.contains(l)) {
                if dtype != other {
                    return Err(expected_scalar(dtype, other));
                }
                expect_product("bmm", dtype)?;
            } else {
                let tensors = [dtype, other].map(|d| (d, Rank::Tensor));
                dtype = dtype::promote(tensors.into_iter())?;
            }
            labels.extend(right);
            labels.retain(|&l| self.wanted_after(i, l));
        }
        Ok(dtype)
    }
}

/// A value on the way, with what its dimensions are called.
struct Part {
    value: GraphValue,
    labels: Labels,
}

impl Part {
    /// An operand with each label once: diagonals where it is repeated, without the dimensions of
    /// size 1 that others stretch.
    fn new(x: &GraphValue, labels: &Labels, sizes: &[usize; 256]) -> Part {
        let mut view = View::contiguous(x.shape());
        let mut kept = Labels::new();
        let mut d = 0;
        for &label in labels {
            let n = view.shape[d];
            if let Some(first) = kept.iter().position(|&l| l == label) {
                view.strides[first] += view.strides[d];
            } else if n == sizes[usize::from(label)] {
                kept.push(label);
                d += 1;
                continue;
            }
            view.shape.remove(d);
            view.strides.remove(d);
        }
        let value = if kept.len() == labels.len() {
            x.clone()
        } else {
            x.through(&view)
        };
        Part {
            value,
            labels: kept,
        }
    }

    /// Summed over the labels that do not hold.
    fn keep(self, holds: impl Fn(u8) -> bool) -> Part {
        let dims: SmallVec<[usize; 6]> = (0..self.labels.len())
            .filter(|&d| !holds(self.labels[d]))
            .collect();
        Part {
            value: self.value.sum(&dims, false),
            labels: self.labels.into_iter().filter(|&l| holds(l)).collect(),
        }
    }

    /// Dimensions in this order.
    fn ordered(&self, order: &[u8]) -> GraphValue {
        if self.labels[..] == *order {
            return self.value.clone();
        }
        let at = |l: &u8| self.labels.iter().position(|m| m == l);
        let order: SmallVec<[usize; 6]> = order.iter().filter_map(at).collect();
        self.value.permute(&order)
    }

    /// The product, summed over labels of both that do not hold.
    fn times(&self, other: &Part, holds: impl Fn(u8) -> bool, sizes: &[usize; 256]) -> Part {
        let (mut both, mut summed, mut left) = (Labels::new(), Labels::new(), Labels::new());
        for &label in &self.labels {
            match other.labels.contains(&label) {
                true if holds(label) => both.push(label),
                true => summed.push(label),
                false => left.push(label),
            }
        }
        let is_new = |l: &&u8| !self.labels.contains(l);
        let right: Labels = other.labels.iter().filter(is_new).copied().collect();
        let join = |parts: [&Labels; 3]| -> Labels {
            parts.into_iter().flat_map(|p| p.iter().copied()).collect()
        };
        let count =
            |labels: &Labels| -> usize { labels.iter().map(|&l| sizes[usize::from(l)]).product() };
        let labels = join([&both, &left, &right]);
        let shape: Shape = labels.iter().map(|&l| sizes[usize::from(l)]).collect();
        let (b, m, n, k) = (count(&both), count(&left), count(&right), count(&summed));
        let first = self.ordered(&join([&both, &left, &summed]));
        let second = other.ordered(&join([&both, &summed, &right]));
        let value = if summed.is_empty() {
            let mut ones = first.shape().clone();
            ones.extend(right.iter().map(|_| 1));
            let mut between = Shape::from_slice(&second.shape()[..both.len()]);
            between.extend(left.iter().map(|_| 1));
            between.extend_from_slice(&second.shape()[both.len()..]);
            let tensors = [first.dtype(), second.dtype()].map(|d| (d, Rank::Tensor));
            let dtype = dtype::promote(tensors.into_iter()).unwrap_or(first.dtype());
            first.to(dtype).reshape(&ones) * second.to(dtype).reshape(&between)
        } else {
            let product = first
                .reshape(&[b, m, k])
                .matmul(&second.reshape(&[b, k, n]));
            product.reshape(&shape)
        };
        Part { value, labels }
    }
}

fn lower(c: &Call) -> Result<GraphValue> {
    let equation = Equation::from_attrs(&c.node.attrs);
    let shapes: Vec<Shape> = c.src.iter().map(|x| x.shape().clone()).collect();
    let sizes = equation.sizes(&shapes)?;
    let part = |i: usize| {
        let part = Part::new(&c.src[i], &equation.operands[i], &sizes);
        let known = |l: u8| {
            let before = equation.operands[..i].iter().any(|o| o.contains(&l));
            before || equation.wanted_after(i, l)
        };
        part.keep(known)
    };
    let mut result = part(0);
    for i in 1..c.src.len() {
        let holds = |l: u8| equation.wanted_after(i, l);
        let next = part(i);
        let first = result.keep(|l| holds(l) || next.labels.contains(&l));
        // A label that an operand before has only with size 1 stands alone here.
        let next = next.keep(|l| holds(l) || first.labels.contains(&l));
        result = first.times(&next, holds, &sizes);
    }
    Ok(result
        .ordered(&equation.output)
        .reshape(&c.node.shape)
        .to(c.node.dtype))
}

fn last_step(node: &Node) -> Option<&'static str> {
    let equation = Equation::from_attrs(&node.attrs);
    let last = equation.operands.len() - 1;
    let sums = |labels: &Labels| labels.iter().any(|&l| !equation.output.contains(&l));
    let contracts = sums(&equation.operands[last]);
    Some(match (last, contracts) {
        (0, true) => "SumBackward1",
        (0, false) => "PermuteBackward0",
        (_, true) => "ViewBackward0",
        (_, false) => "MulBackward0",
    })
}

/// A call of [`crate::Tensor::einsum`]: attributes are the labels of each operand, then those of the result.
pub static EINSUM: Op = Op {
    name: "einsum",
    grad_fn: "ViewBackward0",
    grad_fn_for: last_step,
    symbol: "einsum",
    formula: "y = Σ a · b …, over the letters that the result does not name",
    rules: &[
        "Σ {gy} times the others, over the letters that {a} does not have",
        "Σ {gy} times the others, over the letters that {b} does not have",
        "Σ {gy} times the others, over the letters that {c} does not have",
    ],
    doc: "Products of elements, summed over letters: Einstein's notation.",
    infer: |op, src, attrs| {
        let equation = Equation::from_attrs(attrs);
        let shapes: Vec<Shape> = src.iter().map(|s| s.shape.clone()).collect();
        let dtypes: Vec<DType> = src.iter().map(|s| s.dtype).collect();
        let sizes = equation.sizes(&shapes)?;
        let dtype = equation.dtype(&dtypes, &shapes, &sizes)?;
        let shape: Shape = equation
            .output
            .iter()
            .map(|&l| sizes[usize::from(l)])
            .collect();
        shape::check_size(op.name, &shape)?;
        Ok(Meta { shape, dtype })
    },
    kind: Kind::Composite(lower),
    vjp: Vjp::Lowered,
    saves: [
        SAVE_OPERANDS & !SAVE_A,
        SAVE_OPERANDS & !SAVE_B,
        SAVE_OPERANDS & !SAVE_C,
    ],
    method: false,
    out: Out::None,
    ..BASE
};

/// The attributes of an equation over operands of these sizes.
///
/// # Errors
/// When the equation cannot be read or does not fit the operands; the message names the letter
/// and its sizes.
pub(crate) fn einsum_attrs(equation: &str, shapes: &[Shape]) -> Result<Attrs> {
    if shapes.is_empty() {
        return Err(Error::value(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its subscripts list",
        ));
    }
    Ok(Equation::parse(equation, shapes)?.attrs())
}
