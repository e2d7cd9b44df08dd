//! A finding in words: the op, the element, and the numbers that it was made from.
//!
//! The numbers are those that the engine read and wrote; a sum or a row is looked through for what tells most.

use glowgrad::op::{Infinities, Op, Poles};
use glowgrad::shape;

use crate::describe::{rename, replace_word};
use crate::protocol::{GraphNode, Ingredient, NodeKind, NonFiniteKind, Preview};

use super::{Finder, Operand, broadcast_place};

/// The sentence of a finding, and the values that made it.
pub(super) type Told = (String, Vec<Ingredient>);

const LETTERS: [&str; 3] = ["a", "b", "c"];

pub(super) fn kind(kind: NonFiniteKind) -> &'static str {
    match kind {
        NonFiniteKind::Nan => "NaN",
        NonFiniteKind::Inf => "inf",
        NonFiniteKind::MinusInf => "−inf",
    }
}

/// A node's variable, or its op.
pub(super) fn title(node: &GraphNode) -> String {
    node.name.clone().unwrap_or_else(|| node.op.clone())
}

/// The subject of a sentence about an element.
pub(super) fn element(index: Option<Vec<usize>>) -> String {
    match index {
        Some(index) if !index.is_empty() => format!("element {} is", shape::show(&index)),
        Some(_) => "the result is".to_owned(),
        None => "an element is".to_owned(),
    }
}

/// The coordinates of the element at a row-major place.
pub(super) fn index(place: usize, shape: &[usize]) -> Vec<usize> {
    let mut rest = place;
    let mut index: Vec<usize> = shape
        .iter()
        .rev()
        .map(|&size| {
            let position = rest % size.max(1);
            rest /= size.max(1);
            position
        })
        .collect();
    index.reverse();
    index
}

/// A number as the page writes it.
pub(super) fn number(x: f64) -> String {
    if x.is_nan() {
        return "NaN".to_owned();
    }
    let size = x.abs();
    let text = match size {
        _ if size.is_infinite() => "inf".to_owned(),
        _ if size != 0.0 && !(1e-4..1e6).contains(&size) => {
            let text = format!("{size:.3e}");
            let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
            format!(
                "{}e{power}",
                digits.trim_end_matches('0').trim_end_matches('.')
            )
        }
        _ => {
            let text = format!("{size:.4}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    };
    if x < 0.0 && text != "0" {
        format!("−{text}")
    } else {
        text
    }
}

/// A number within a formula.
fn enclosed(x: f64) -> String {
    let text = number(x);
    if text.starts_with('−') || text.contains('e') {
        format!("({text})")
    } else {
        text
    }
}

/// The largest number of a dtype, for a sentence.
fn limit(dtype: &str) -> Option<&'static str> {
    Some(match dtype {
        "float16" => "65504",
        "bfloat16" => "3.39e38",
        "float32" => "3.4e38",
        "float64" => "1.8e308",
        _ => return None,
    })
}

impl Finder<'_> {
    /// What the op of a node made.
    pub(super) fn forward(
        &self,
        node: &GraphNode,
        what: NonFiniteKind,
        place: Option<usize>,
    ) -> Told {
        let subject = element(place.map(|place| index(place, &node.shape)));
        if node.src.is_empty() {
            let name = node.name.as_deref().unwrap_or("data");
            let since = match node.kind {
                NodeKind::Parameter => {
                    "when the step begins: it was made so, or an optimizer's step or an assignment before wrote it"
                }
                _ => "from the start",
            };
            return (
                format!("{name}: {subject} {} {since}", kind(what)),
                Vec::new(),
            );
        }
        let operands = self.operands(node);
        let made = self.made_from(node, place);
        let numbers: Option<Vec<f64>> = place.and_then(|place| {
            operands
                .iter()
                .map(|each| self.number_at(node, *each, place))
                .collect()
        });
        let reason = match (numbers, place) {
            (Some(numbers), _) if node.elementwise => Some(
                call(node, self.numbers.op(node.id), &numbers) + &self.beyond(node, what, &numbers),
            ),
            (_, Some(place)) => self.row(node, what, place),
            _ => None,
        };
        let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
        (
            format!("{}: {subject} {}{reason}", node.op, kind(what)),
            made,
        )
    }

    /// What the rule of a node made of the gradient that came in, for its operand number `operand`.
    pub(super) fn backward(
        &self,
        node: &GraphNode,
        what: NonFiniteKind,
        operand: usize,
        gy: u32,
        grad: u32,
        place: Option<usize>,
    ) -> Told {
        let source = node.src.get(operand).and_then(|id| self.nodes.get(id));
        let of = source.map_or_else(|| letter(node, operand), |source| title(source));
        let subject = match place.map(|place| index(place, self.shape(grad))) {
            Some(index) if !index.is_empty() => {
                format!("element {} of the gradient", shape::show(&index))
            }
            Some(_) => "the gradient".to_owned(),
            None => "an element of the gradient".to_owned(),
        };
        // Of an operand that was spread out, the element that tells most among those that were added up.
        let at = place.and_then(|place| self.telling_place(node, gy, self.shape(grad), place));
        let mut made = vec![self.ingredient("gy", "", gy, at)];
        made.extend(self.made_from(node, at));
        made.push(self.ingredient("y", "", node.id, at));
        let template = node.rules.get(operand).filter(|_| node.elementwise);
        let filled = template
            .zip(at)
            .and_then(|(rule, at)| self.filled(node, rule, gy, at));
        let reason = filled.map_or_else(String::new, |text| format!(": {text}"));
        let text = format!("{}: {subject} of {of} is {}{reason}", node.op, kind(what));
        (text, made)
    }

    /// One value that went into another, at the element that was read from it.
    pub(super) fn ingredient(
        &self,
        letter: &str,
        title: &str,
        id: u32,
        place: Option<usize>,
    ) -> Ingredient {
        let text = match self.previews.get(&id) {
            None => "not recorded".to_owned(),
            Some(preview) => {
                let single = preview.shape.iter().product::<usize>() == 1;
                let read = place
                    .or(single.then_some(0))
                    .and_then(|place| Some((place, self.values(id)?)));
                match read.and_then(|(place, values)| Some((place, *values.get(place)?))) {
                    Some((_, x)) if single => number(x),
                    Some((place, x)) => {
                        format!(
                            "{} at {}",
                            number(x),
                            shape::show(&index(place, &preview.shape))
                        )
                    }
                    None => whole(preview),
                }
            }
        };
        Ingredient {
            letter: letter.to_owned(),
            title: title.to_owned(),
            text,
        }
    }

    /// The operands of a node, each at the element that an elementwise result at `place` was made from.
    fn made_from(&self, node: &GraphNode, place: Option<usize>) -> Vec<Ingredient> {
        let operands = node.src.iter().enumerate().map(|(i, id)| {
            let name = self.nodes.get(id).and_then(|source| source.name.as_deref());
            let at = place
                .filter(|_| node.elementwise)
                .map(|place| broadcast_place(place, &node.shape, self.shape(*id)));
            self.ingredient(&letter(node, i), name.unwrap_or(""), *id, at)
        });
        operands.collect()
    }

    fn number_at(&self, node: &GraphNode, operand: Operand, place: usize) -> Option<f64> {
        match operand {
            Operand::Number(x) => Some(x),
            Operand::Value(id) => {
                let from = broadcast_place(place, &node.shape, self.shape(id));
                self.values(id)?.get(from).copied()
            }
        }
    }

    /// That a result is more than its dtype holds, where that is why.
    fn beyond(&self, node: &GraphNode, what: NonFiniteKind, numbers: &[f64]) -> String {
        let grows = self.numbers.op(node.id).is_some_and(|op| match op.poles {
            Poles::None => true,
            Poles::Zero(operand) => numbers.get(operand as usize).is_some_and(|x| *x != 0.0),
            Poles::Elsewhere => false,
        });
        match limit(&node.dtype) {
            Some(limit)
                if grows && what != NonFiniteKind::Nan && numbers.iter().all(|x| x.is_finite()) =>
            {
                format!(" is beyond {limit}, the largest number of {}", node.dtype)
            }
            _ => String::new(),
        }
    }

    /// What the row or the sum behind an element holds, of an op that reads many elements for one.
    fn row(&self, node: &GraphNode, what: NonFiniteKind, place: usize) -> Option<String> {
        let source = *node.src.first()?;
        let (read, shape) = (self.values(source)?, self.shape(source));
        let at = index(place, &node.shape);
        let op = self.numbers.op(node.id);
        // What an element of the row is that weighs nothing.
        let mask = match self.infinities(node) {
            Infinities::MasksMinus => Some(f64::NEG_INFINITY),
            Infinities::MasksPlus => Some(f64::INFINITY),
            _ => None,
        };
        let along = mask.and_then(|_| self.along(node, shape.len()));
        let (row, name) = if let Some(dim) = along.filter(|_| *shape == node.shape) {
            let row: Vec<(usize, f64)> = (0..shape[dim])
                .filter_map(|k| {
                    let mut from = at.clone();
                    from[dim] = k;
                    let from = flat(&from, shape);
                    Some((from, *read.get(from)?))
                })
                .collect();
            let mut name: Vec<String> = at.iter().map(usize::to_string).collect();
            name[dim] = ":".to_owned();
            (row, format!("row [{}] of what it reads", name.join(", ")))
        } else if op.is_some_and(|op| op.attr_place("keepdim").is_some()) {
            let row = self.reduced(node, &at, shape)?;
            let row = row
                .into_iter()
                .filter_map(|from| Some((from, *read.get(from)?)))
                .collect();
            (row, "what it reads".to_owned())
        } else {
            return self.held(node);
        };
        let broken: Vec<&(usize, f64)> = row.iter().filter(|(_, x)| !x.is_finite()).collect();
        if let Some(mask) =
            mask.filter(|mask| !row.is_empty() && row.iter().all(|(_, x)| x == mask))
        {
            let mask = number(mask);
            return Some(format!("{name} is all {mask}, so its shares are 0 / 0"));
        }
        let [first, rest @ ..] = &broken[..] else {
            let numbers: Vec<f64> = row.iter().map(|(_, x)| *x).collect();
            let beyond = self.beyond(node, what, &numbers);
            return (!beyond.is_empty()).then(|| format!("the result{beyond}"));
        };
        let say = |(from, x): &(usize, f64)| {
            format!("{} at {}", number(*x), shape::show(&index(*from, shape)))
        };
        // Two infinities of different signs cancel to NaN.
        let other = rest.iter().find(|(_, x)| *x != first.1);
        Some(match other {
            Some(other) => format!("{name} holds {} and {}", say(first), say(other)),
            None => format!("{name} holds {}", say(first)),
        })
    }

    /// The first number that is not finite in what a node reads.
    fn held(&self, node: &GraphNode) -> Option<String> {
        node.src.iter().enumerate().find_map(|(i, id)| {
            let source = self.nodes.get(id)?;
            let values = self.values(*id)?;
            let place = values.iter().position(|x| !x.is_finite())?;
            let name = source.name.clone().unwrap_or_else(|| letter(node, i));
            let at = shape::show(&index(place, self.shape(*id)));
            Some(format!("{name} holds {} at {at}", number(values[place])))
        })
    }

    /// The dimension that a softmax runs along.
    fn along(&self, node: &GraphNode, n_dims: usize) -> Option<usize> {
        let of = self.numbers.node(node.id)?;
        let dim = of.attrs.get(of.op.attr_place("dim")?)?;
        shape::dim("softmax", dim.as_int(), n_dims)
            .ok()
            .filter(|dim| *dim < n_dims)
    }

    /// The places that a reduction read for the element at an index of its result.
    fn reduced(&self, node: &GraphNode, at: &[usize], shape: &[usize]) -> Option<Vec<usize>> {
        let n: usize = shape.iter().product();
        if at.iter().product::<usize>() == 0 && node.shape.iter().product::<usize>() == 1 {
            return Some((0..n).collect());
        }
        let of = self.numbers.node(node.id)?;
        let dims = of.attrs.get(of.op.attr_place("dim")?)?;
        let dims = shape::dims("sum", dims.as_ints(), shape.len()).ok()?;
        let kept = node.shape.len() == shape.len();
        let mut left = at.iter();
        let wanted: Vec<Option<usize>> = (0..shape.len())
            .map(|dim| {
                let reduced = dims.contains(&dim);
                let position = if reduced && !kept {
                    None
                } else {
                    left.next().copied()
                };
                position.filter(|_| !reduced)
            })
            .collect();
        let reads = |place: &usize| {
            index(*place, shape)
                .iter()
                .zip(&wanted)
                .all(|(have, want)| want.is_none_or(|want| want == *have))
        };
        Some((0..n).filter(reads).collect())
    }

    /// The element of a node's result that a rule reads for the element of a gradient: the same, or of an operand
    /// that was spread out the first where a number is 0 or not finite.
    fn telling_place(
        &self,
        node: &GraphNode,
        gy: u32,
        shape: &[usize],
        place: usize,
    ) -> Option<usize> {
        if !node.elementwise {
            return None;
        }
        if *shape == node.shape {
            return Some(place);
        }
        let n: usize = node.shape.iter().product();
        let mut read: Vec<_> = node
            .src
            .iter()
            .map(|id| (self.shape(*id), self.values(*id)))
            .collect();
        read.push((&node.shape, self.values(gy)));
        let tells = |at: &usize| {
            read.iter().any(|(shape, values)| {
                let from = broadcast_place(*at, &node.shape, shape);
                let x = values.as_ref().and_then(|values| values.get(from));
                x.is_some_and(|x| *x == 0.0 || !x.is_finite())
            })
        };
        (0..n)
            .filter(|at| broadcast_place(*at, &node.shape, shape) == place)
            .find(tells)
    }

    /// A rule with the numbers of one element.
    fn filled(&self, node: &GraphNode, rule: &str, gy: u32, at: usize) -> Option<String> {
        let read = |id: u32| self.number_at(node, Operand::Value(id), at).map(enclosed);
        let mut values = vec![("gy", read(gy)?), ("y", read(node.id)?)];
        for (letter, id) in LETTERS.iter().zip(&node.src) {
            values.push((letter, read(*id)?));
        }
        let text = rename(rule, &values);
        (!text.contains('{')).then_some(text)
    }
}

/// What a rule calls an operand.
fn letter(node: &GraphNode, operand: usize) -> String {
    match node.src.len() {
        1 => "x".to_owned(),
        _ => LETTERS.get(operand).copied().unwrap_or("…").to_owned(),
    }
}

/// Whether the formula of an op is nothing but operands, options and signs between them.
fn is_infix(op: &Op) -> bool {
    let formula = op.formula.strip_prefix("y = ").unwrap_or_default();
    formula
        .split(' ')
        .flat_map(|part| part.split('^'))
        .all(|word| {
            let word = word.trim_start_matches('−');
            matches!(word, "" | "+" | "·" | "/" | "n" | "1")
                || LETTERS.contains(&word)
                || op.attr_place(word).is_some()
        })
}

/// An elementwise op with its numbers: `1 / 0`, `log(−1)`.
fn call(node: &GraphNode, op: Option<&Op>, numbers: &[f64]) -> String {
    let formula = node
        .formula
        .strip_prefix("y = ")
        .filter(|_| op.is_some_and(is_infix));
    match formula {
        Some(formula) => {
            let letters = LETTERS.iter().zip(numbers);
            // Digits of a number that was put in are no letters, so that one replacement spoils no other.
            letters.fold(formula.to_owned(), |text, (letter, x)| {
                replace_word(&text, letter, &enclosed(*x))
            })
        }
        None => {
            let numbers: Vec<String> = numbers.iter().map(|x| number(*x)).collect();
            format!("{}({})", node.op, numbers.join(", "))
        }
    }
}

fn flat(index: &[usize], shape: &[usize]) -> usize {
    index
        .iter()
        .zip(shape)
        .fold(0, |place, (at, size)| place * size + at)
}

fn whole(preview: &Preview) -> String {
    let broken = match preview.non_finite {
        0 => String::new(),
        n => format!(", {n} not finite"),
    };
    let (min, max) = (number(preview.min), number(preview.max));
    format!(
        "{} from {min} to {max}{broken}",
        shape::show(&preview.shape)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_on_the_page() {
        let written = [
            0.0,
            -1.0,
            0.25,
            123.456,
            3.4028234663852886e38,
            1e-12,
            f64::NEG_INFINITY,
            f64::NAN,
        ];
        let texts: Vec<String> = written.iter().map(|x| number(*x)).collect();
        assert_eq!(
            texts,
            [
                "0", "−1", "0.25", "123.456", "3.403e38", "1e-12", "−inf", "NaN"
            ]
        );
        assert_eq!(enclosed(-0.5), "(−0.5)");
    }

    #[test]
    fn places_and_indices_are_each_others_inverse() {
        for place in 0..24 {
            assert_eq!(flat(&index(place, &[2, 3, 4]), &[2, 3, 4]), place);
        }
        assert!(index(0, &[]).is_empty());
        assert_eq!(broadcast_place(5, &[2, 3], &[3]), 2);
        assert_eq!(broadcast_place(5, &[2, 3], &[2, 1]), 1);
        assert_eq!(broadcast_place(5, &[2, 3], &[]), 0);
    }
}
