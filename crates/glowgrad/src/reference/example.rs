//! Samples as a reader sees them: shapes in a line, and calls in Python with small literal tensors.
//!
//! An op's own example comes first; what is made here keeps to the op's domain, so that it shows
//! numbers and no NaN.

use super::{Definition, What};
use crate::bind::python_float;
use crate::op::{Param, ParamKind};
use crate::samples::{Fill, Token, arguments};
use crate::{DType, Result, Scalar};

const TORCH: &str = "import glowgrad as torch";
const FUNCTIONAL: &str = "import glowgrad.nn.functional as F";

/// The imports that Python code takes for granted, a line each; empty where it has them.
///
/// ```
/// use glowgrad::reference::imports;
///
/// assert_eq!(imports("torch.ones(2)"), "import glowgrad as torch");
/// assert_eq!(imports("import torch\ntorch.ones(2)"), "");
/// ```
pub fn imports(code: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let imported = |name: &str| {
        let named = code.lines().filter_map(|line| {
            let (before, names) = line.split_once("import ")?;
            let before = before.trim();
            (before.is_empty() || before.starts_with("from ")).then_some(names)
        });
        let mut words = named.flat_map(|names| names.split(|c| !is_word(c)));
        words.any(|word| word == name)
    };
    let used = |name: &str| {
        let continues = |c: char| is_word(c) || c == '.';
        let opens = |(at, _): (usize, &str)| !code[..at].ends_with(continues);
        code.match_indices(&format!("{name}.")).any(opens) && !imported(name)
    };
    let mut lines = Vec::new();
    if !imported("torch") {
        lines.push(TORCH.to_owned());
    }
    if used("F") {
        lines.push(FUNCTIONAL.to_owned());
    }
    let others: Vec<&str> = ["lab", "nn", "optim"]
        .into_iter()
        .filter(|name| used(name))
        .collect();
    if !others.is_empty() {
        lines.push(format!("from glowgrad import {}", others.join(", ")));
    }
    lines.join("\n")
}

/// Elements that a literal may have; larger tensors count up from 0.
const MOST_ELEMENTS: usize = 12;

/// The op's example, or its shortest sample in Python: lines without imports, of which the last is an expression.
pub(super) fn of(definition: &Definition, texts: &[&str]) -> Result<String> {
    if !definition.example.is_empty() {
        return Ok(definition.example.to_owned());
    }
    let mut chosen = match (definition.samples, definition.params) {
        // Any shape will do, so a short one.
        ([], [_]) => "[4]",
        _ => texts[0],
    };
    for text in texts {
        if elements(chosen)? > MOST_ELEMENTS && elements(text)? < elements(chosen)? {
            chosen = text;
        }
    }
    call(definition, chosen)
}

fn elements(text: &str) -> Result<usize> {
    let mut n = 0;
    for (_, token) in arguments(text) {
        n += match Token::read(token)? {
            Token::Tensor(shape, _) => shape.iter().product(),
            Token::Tensors(list) => list.iter().map(|(s, _)| s.iter().product::<usize>()).sum(),
            _ => 0,
        };
    }
    Ok(n)
}

/// Whether a token draws numbers in the dtype that is tested.
pub(super) fn draws(token: &str) -> bool {
    let drawn = |fill: Fill| matches!(fill, Fill::Domain | Fill::Transposed | Fill::Interval(..));
    match Token::read(token) {
        Ok(Token::Tensor(_, fill)) => drawn(fill),
        Ok(Token::Tensors(list)) => list.iter().any(|(_, fill)| drawn(*fill)),
        _ => false,
    }
}

/// `(2, 3), dim=1`.
pub(super) fn shapes_of(definition: &Definition, text: &str) -> Result<String> {
    let mut parts = Vec::new();
    for (i, (keyword, token)) in arguments(text).enumerate() {
        let is_tensor = token.starts_with(['[', '{']);
        let keyword = keyword.or((!is_tensor).then(|| option_at(definition, i)).flatten());
        let value = match Token::read(token)? {
            Token::Tensor(shape, _) => sizes(&shape),
            Token::Tensors(list) => {
                let shapes = list.iter().map(|(shape, _)| sizes(shape));
                format!("[{}]", shapes.collect::<Vec<_>>().join(", "))
            }
            other => plain(&other),
        };
        parts.push(match keyword {
            Some(name) => format!("{name}={value}"),
            None => value,
        });
    }
    Ok(parts.join(", "))
}

/// `(2, 3)`.
pub(super) fn sizes(shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    format!("({})", sizes.join(", "))
}

/// An argument that is no tensor, in Python.
fn plain(token: &Token) -> String {
    match token {
        Token::Ints(list) => {
            let items: Vec<String> = list.iter().map(i64::to_string).collect();
            let comma = if items.len() == 1 { "," } else { "" };
            format!("({}{comma})", items.join(", "))
        }
        Token::Number(number) => self::number(*number),
        Token::Word(word) => format!("'{word}'"),
        Token::DType(dtype) => format!("torch.{dtype}"),
        Token::None | Token::Tensor(..) | Token::Tensors(_) => "None".to_owned(),
    }
}

fn number(number: Scalar) -> String {
    match number {
        Scalar::Bool(true) => "True".to_owned(),
        Scalar::Bool(false) => "False".to_owned(),
        Scalar::Int(i) => i.to_string(),
        Scalar::UInt(i) => i.to_string(),
        Scalar::Float(x) if x.is_finite() => python_float(x),
        Scalar::Float(x) => format!("float('{x}')").replace("NaN", "nan"),
    }
}

/// The call that a sample stands for.
fn call(definition: &Definition, text: &str) -> Result<String> {
    let mut literals = Literals {
        domain: definition.domain,
        n: 0,
    };
    let mut written = Vec::new();
    let tensors = |(_, token): (_, &str)| token.starts_with(['[', '{']);
    let after_tensors = arguments(text)
        .collect::<Vec<_>>()
        .into_iter()
        .rposition(tensors);
    for (i, (keyword, token)) in arguments(text).enumerate() {
        let token = Token::read(token)?;
        let value = match &token {
            Token::Tensor(shape, fill) => literals.tensor(shape, *fill),
            Token::Tensors(list) => {
                let tensors = list
                    .iter()
                    .map(|(shape, fill)| literals.tensor(shape, *fill));
                format!("[{}]", tensors.collect::<Vec<_>>().join(", "))
            }
            other => plain(other),
        };
        // `dim=1` says more than `1`, but nothing without a name may follow.
        let may_be_named = after_tensors.is_none_or(|last| i > last);
        let keyword = keyword.or(may_be_named.then(|| option_at(definition, i)).flatten());
        written.push(match keyword {
            Some(name) => format!("{name}={value}"),
            None => value,
        });
    }
    let name = definition.name;
    if definition.python.method_alone && !written.is_empty() {
        let receiver = written.remove(0);
        return Ok(format!("{receiver}.{name}({})", written.join(", ")));
    }
    let module = match definition.what {
        What::Op(_) if definition.is_functional_alone() => "F",
        _ => "torch",
    };
    Ok(format!("{module}.{name}({})", written.join(", ")))
}

/// The name of the parameter at a place, where it says more than the value: not of sizes.
fn option_at(definition: &Definition, i: usize) -> Option<&'static str> {
    let named = |param: &&Param| {
        matches!(
            param.kind,
            ParamKind::Int | ParamKind::Bool | ParamKind::Float | ParamKind::Word(_)
        )
    };
    let later = definition.params.get(i..)?.iter();
    // What follows a name must have one too.
    let all_named = later
        .clone()
        .all(|param| named(&param) || param.default.is_some());
    let name = later.take(1).find(named)?.name;
    all_named.then_some(name)
}

/// Writes tensors, each a little different from the one before.
struct Literals {
    domain: (f64, f64),
    /// How many there are already.
    n: usize,
}

impl Literals {
    fn tensor(&mut self, shape: &[usize], fill: Fill) -> String {
        let count = crate::shape::numel(shape);
        let turn = self.n;
        self.n += 1;
        let dtype = match fill {
            Fill::Below(_) | Fill::UpTo(_) => DType::I64,
            Fill::Mask => DType::Bool,
            _ => DType::F32,
        };
        if count > MOST_ELEMENTS && dtype == DType::F32 && shape.len() > 1 {
            let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
            return format!("torch.arange({count}.0).reshape({})", sizes.join(", "));
        }
        let values: Vec<String> = (0..count)
            .map(|i| match fill {
                Fill::Below(n) => ((i + turn) % n.max(1)).to_string(),
                Fill::UpTo(n) => ((i + turn) % n.max(1) + 1).to_string(),
                Fill::Mask => number(Scalar::Bool((i + turn).is_multiple_of(2))),
                Fill::Interval(from, to) => spread((from, to), i, count, turn),
                Fill::Domain | Fill::Transposed => spread(self.domain, i, count, turn),
            })
            .collect();
        format!("torch.tensor({})", nested(&values, shape))
    }
}

/// Number `i` of `count` that lie evenly in an interval; every other tensor counts down.
fn spread((from, to): (f64, f64), i: usize, count: usize, turn: usize) -> String {
    let i = if turn.is_multiple_of(2) {
        i
    } else {
        count - 1 - i
    };
    let place = if count == 1 {
        0.75
    } else {
        (i as f64 + 0.5) / count as f64
    };
    let digits = if to - from < 0.4 * count as f64 {
        100.0
    } else {
        10.0
    };
    let value = ((from + place * (to - from)) * digits).round() / digits;
    // No −0.0.
    python_float(value + 0.0)
}

/// `[[1.0, 2.0], [3.0, 4.0]]`.
fn nested(values: &[String], shape: &[usize]) -> String {
    let Some((&size, inner)) = shape.split_first() else {
        return values.first().cloned().unwrap_or_default();
    };
    let width = crate::shape::numel(inner);
    let rows: Vec<String> = (0..size)
        .map(|i| nested(&values[i * width..(i + 1) * width], inner))
        .collect();
    format!("[{}]", rows.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_gets_the_imports_that_it_uses_and_lacks() {
        assert_eq!(imports("torch.nn.ReLU()"), TORCH);
        let all = format!("{TORCH}\n{FUNCTIONAL}\nfrom glowgrad import nn, optim");
        assert_eq!(imports("optim.SGD(nn.ReLU()(F.relu(x)))"), all);
        let whole = "import glowgrad as torch\nfrom glowgrad.nn import functional as F\nF.relu(x)";
        assert_eq!(imports(whole), "");
        assert_eq!(
            imports("import torch\nnn.ReLU()"),
            "from glowgrad import nn"
        );
        assert_eq!(imports("important.F.relu(torch.import_me)"), TORCH);
    }
}
