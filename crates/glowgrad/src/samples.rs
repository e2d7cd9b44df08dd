//! Samples as an op's definition writes them, `[2,3] [4]<3 dim=1 reduction='mean'`, read into calls.
//!
//! The notation is told at [`Op::samples`]. A text that does not follow it is an error that names the
//! op, the text and the token. What is done with a call is left to the tests and to the reference.

use crate::bind::{Arg, Callee, bind};
use crate::op::{Attrs, Op, ParamKind};
use crate::{DType, Engine, Error, Result, Scalar, Tensor};

/// A call of an op: operands and attributes.
#[derive(Debug)]
pub struct Sample {
    /// In the order of the op's tensor parameters.
    pub operands: Vec<Tensor>,
    /// In the order of the others.
    pub attrs: Attrs,
}

/// Numbers in an interval, well mixed and never twice the same, without a generator to seed.
#[derive(Debug)]
pub struct Numbers(u64);

impl Numbers {
    /// The same seed, the same numbers.
    pub fn new(seed: u64) -> Numbers {
        Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// From 0 to 1, which is not included.
    pub fn unit(&mut self) -> f64 {
        // SplitMix64 (Steele, Lea & Flood 2014).
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// An integer below `n`; 0 where there is none.
    pub fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    /// A tensor with numbers of an interval.
    ///
    /// # Errors
    /// When the shape is too large.
    pub fn tensor(
        &mut self,
        engine: &Engine,
        shape: &[usize],
        domain: (f64, f64),
        dtype: DType,
    ) -> Result<Tensor> {
        let values: Vec<Scalar> = (0..crate::shape::numel(shape))
            .map(|_| Scalar::Float(domain.0 + self.unit() * (domain.1 - domain.0)))
            .collect();
        Tensor::from_scalars(engine, &values, shape, dtype)
    }

    /// An int64 tensor with numbers below `n`.
    ///
    /// # Errors
    /// As [`Numbers::tensor`].
    pub fn indices(&mut self, engine: &Engine, shape: &[usize], n: usize) -> Result<Tensor> {
        let values: Vec<i64> = (0..crate::shape::numel(shape))
            .map(|_| self.below(n) as i64)
            .collect();
        Tensor::from_i64(engine, &values, shape)
    }

    /// A bool tensor.
    ///
    /// # Errors
    /// As [`Numbers::tensor`].
    pub fn mask(&mut self, engine: &Engine, shape: &[usize]) -> Result<Tensor> {
        let values: Vec<Scalar> = (0..crate::shape::numel(shape))
            .map(|_| Scalar::Bool(self.unit() < 0.5))
            .collect();
        Tensor::from_scalars(engine, &values, shape, DType::Bool)
    }
}

/// The calls that show an op: those its definition writes, or, for an op of one or two tensors
/// without options, a few shapes that broadcast.
///
/// # Errors
/// For an op with options that has no samples.
pub fn texts(op: &Op) -> Result<&'static [&'static str]> {
    if !op.samples.is_empty() {
        return Ok(op.samples);
    }
    let tensors = op.params.iter().all(|p| p.kind == ParamKind::Tensor);
    match op.params.len() {
        1 if tensors => Ok(&["[3,4]", "[]", "[19]"]),
        2 if tensors => Ok(&["[2,3] [2,3]", "[3,1] [2,1,4]", "[] [2]"]),
        _ => Err(Error::value(format!(
            "{} has options or more than two operands: give it samples in its definition",
            op.name
        ))),
    }
}

/// The call that a text stands for, of anything with a name and parameters, with tensors of a dtype.
///
/// # Errors
/// When the text does not follow the notation, or the parameters do not take what it says.
pub fn sample(
    engine: &Engine,
    callee: Callee,
    domain: (f64, f64),
    dtype: DType,
    numbers: &mut Numbers,
    text: &str,
) -> Result<Sample> {
    let mut reader = Reader {
        engine,
        domain,
        dtype,
        numbers,
    };
    let named = |error: Error| {
        Error::new(
            error.kind,
            format!("{}: sample `{text}`: {error}", callee.name),
        )
    };
    let mut positional = Vec::new();
    let mut keywords = Vec::new();
    for (keyword, token) in arguments(text) {
        let argument = Token::read(token).and_then(|token| reader.argument(&token));
        let argument = argument.map_err(named)?;
        match keyword {
            Some(name) => keywords.push((name.to_owned(), argument)),
            None => positional.push(argument),
        }
    }
    let (operands, attrs) = bind(engine, callee, positional, keywords).map_err(named)?;
    Ok(Sample { operands, attrs })
}

/// A sample's arguments: the keyword if there is one, and the token.
pub(crate) fn arguments(text: &str) -> impl Iterator<Item = (Option<&str>, &str)> {
    let word = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    split(text).into_iter().map(move |token| {
        match token.split_once('=').filter(|(name, _)| word(name)) {
            Some((name, value)) => (Some(name), value),
            None => (None, token),
        }
    })
}

/// Splits at spaces outside braces and parentheses.
fn split(text: &str) -> Vec<&str> {
    let (mut tokens, mut depth, mut start) = (Vec::new(), 0, 0);
    for (i, byte) in text.bytes().chain(*b" ").enumerate() {
        match byte {
            b'{' | b'(' => depth += 1,
            b'}' | b')' => depth -= 1,
            b' ' if depth == 0 => {
                if start < i {
                    tokens.push(&text[start..i]);
                }
                start = i + 1;
            }
            _ => {}
        }
    }
    tokens
}

/// What a tensor of a sample holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Fill {
    /// Numbers of the op's own domain, in the dtype that is tested.
    Domain,
    /// The same, with the last two dimensions transposed in memory.
    Transposed,
    /// Numbers of this interval, in the dtype that is tested.
    Interval(f64, f64),
    /// int64 numbers below this one.
    Below(usize),
    /// Whole numbers from 1 on.
    UpTo(usize),
    /// Bools.
    Mask,
}

/// An argument of a sample as it is written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token<'a> {
    Tensor(Vec<usize>, Fill),
    Tensors(Vec<(Vec<usize>, Fill)>),
    Ints(Vec<i64>),
    Number(Scalar),
    Word(&'a str),
    DType(DType),
    None,
}

impl<'a> Token<'a> {
    pub(crate) fn read(token: &'a str) -> Result<Token<'a>> {
        let inside = |open: char, close: char| token.strip_prefix(open)?.strip_suffix(close);
        if let Some(list) = inside('{', '}') {
            let tensors: Result<_> = split(list).into_iter().map(tensor).collect();
            return Ok(Token::Tensors(tensors?));
        }
        if let Some(list) = inside('(', ')') {
            return Ok(Token::Ints(integers(list)?));
        }
        if token.starts_with('[') {
            let (shape, fill) = tensor(token)?;
            return Ok(Token::Tensor(shape, fill));
        }
        if let Some(word) = inside('\'', '\'') {
            return Ok(Token::Word(word));
        }
        match token {
            "none" => Ok(Token::None),
            "true" | "false" => Ok(Token::Number(Scalar::Bool(token == "true"))),
            _ => {
                if let Ok(i) = token.parse() {
                    return Ok(Token::Number(Scalar::Int(i)));
                }
                if let Ok(x) = token.parse() {
                    return Ok(Token::Number(Scalar::Float(x)));
                }
                DType::parse(token)
                    .map(Token::DType)
                    .map_err(|_| wrong(token))
            }
        }
    }
}

fn wrong(token: &str) -> Error {
    Error::value(format!("cannot read `{token}`; see Op::samples"))
}

fn integers(list: &str) -> Result<Vec<i64>> {
    let items = list.split([',', ' ']).filter(|item| !item.is_empty());
    items
        .map(|item| item.parse().map_err(|_| wrong(item)))
        .collect()
}

/// `[2,3]`, then what it holds.
fn tensor(token: &str) -> Result<(Vec<usize>, Fill)> {
    let whole = token.strip_prefix('[').and_then(|t| t.split_once(']'));
    let (sizes, fill) = whole.ok_or_else(|| wrong(token))?;
    let shape: Vec<usize> = integers(sizes)?
        .iter()
        .map(|&n| usize::try_from(n).map_err(|_| wrong(token)))
        .collect::<Result<_>>()?;
    let fill = if let Some(below) = fill.strip_prefix('<') {
        Fill::Below(below.parse().map_err(|_| wrong(token))?)
    } else if let Some(most) = fill.strip_prefix('>') {
        Fill::UpTo(most.parse().map_err(|_| wrong(token))?)
    } else if let Some(interval) = fill.strip_prefix('@') {
        let ends = interval
            .split_once("..")
            .and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
        let (from, to) = ends.ok_or_else(|| wrong(token))?;
        Fill::Interval(from, to)
    } else {
        match fill {
            "" => Fill::Domain,
            "?" => Fill::Mask,
            "T" if shape.len() > 1 => Fill::Transposed,
            _ => return Err(wrong(token)),
        }
    };
    Ok((shape, fill))
}

struct Reader<'a> {
    engine: &'a Engine,
    domain: (f64, f64),
    dtype: DType,
    numbers: &'a mut Numbers,
}

impl Reader<'_> {
    fn argument(&mut self, token: &Token) -> Result<Arg> {
        Ok(match token {
            Token::Tensor(shape, fill) => Arg::Tensor(self.tensor(shape, *fill)?),
            Token::Tensors(list) => {
                let tensors: Result<_> = list
                    .iter()
                    .map(|(shape, fill)| self.tensor(shape, *fill).map(Arg::Tensor))
                    .collect();
                Arg::List(tensors?)
            }
            Token::Ints(list) => Arg::ints(list),
            Token::Number(number) => Arg::Number(*number),
            Token::Word(word) => Arg::Word((*word).to_owned()),
            Token::DType(dtype) => Arg::DType(*dtype),
            Token::None => Arg::None,
        })
    }

    fn tensor(&mut self, shape: &[usize], fill: Fill) -> Result<Tensor> {
        let (engine, dtype) = (self.engine, self.dtype);
        match fill {
            Fill::Domain => self.numbers.tensor(engine, shape, self.domain, dtype),
            Fill::Interval(from, to) => self.numbers.tensor(engine, shape, (from, to), dtype),
            Fill::Below(n) => self.numbers.indices(engine, shape, n),
            Fill::UpTo(n) => {
                let below = self.numbers.indices(engine, shape, n)?;
                below.add(&Tensor::number(engine, Scalar::Int(1)))
            }
            Fill::Mask => self.numbers.mask(engine, shape),
            Fill::Transposed => {
                let mut shape = shape.to_vec();
                let last = shape.len() - 1;
                shape.swap(last, last - 1);
                self.numbers
                    .tensor(engine, &shape, self.domain, dtype)?
                    .transpose(-1, -2)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_read_as_it_is_written() {
        let read = |text| -> Vec<_> {
            arguments(text)
                .map(|(name, token)| (name, Token::read(token).unwrap()))
                .collect()
        };
        let tensor = |shape: &[usize], fill| Token::Tensor(shape.to_vec(), fill);
        assert_eq!(
            read("[2,3] [4]<3 dim=(0,-1) reduction='mean' 2.5 none"),
            [
                (None, tensor(&[2, 3], Fill::Domain)),
                (None, tensor(&[4], Fill::Below(3))),
                (Some("dim"), Token::Ints(vec![0, -1])),
                (Some("reduction"), Token::Word("mean")),
                (None, Token::Number(Scalar::Float(2.5))),
                (None, Token::None),
            ]
        );
        assert_eq!(
            read("{[] [2]?} [1,2]T [3]@-1..0.5 dtype=float64"),
            [
                (
                    None,
                    Token::Tensors(vec![(vec![], Fill::Domain), (vec![2], Fill::Mask)])
                ),
                (None, tensor(&[1, 2], Fill::Transposed)),
                (None, tensor(&[3], Fill::Interval(-1.0, 0.5))),
                (Some("dtype"), Token::DType(DType::F64)),
            ]
        );
    }

    #[test]
    fn what_cannot_be_read_is_named_with_its_op() {
        let engine = crate::cpu();
        let op = crate::ops::find("tanh").unwrap();
        let callee = op.into();
        let read = |text| {
            sample(
                &engine,
                callee,
                op.domain,
                DType::F32,
                &mut Numbers::new(1),
                text,
            )
        };
        for (text, token) in [
            ("[2,x]", "x"),
            ("[2", "[2"),
            ("[-1]", "[-1]"),
            ("[3]T", "[3]T"),
            ("[3]@1", "[3]@1"),
            ("maybe", "maybe"),
        ] {
            let error = read(text).unwrap_err();
            let message = error.to_string();
            assert!(
                message.starts_with(&format!("tanh: sample `{text}`: ")),
                "{message}"
            );
            assert!(message.contains(&format!("`{token}`")), "{message}");
        }
        let error = read("[2] dim=1").unwrap_err();
        assert!(error.to_string().contains("'dim'"), "{error}");
    }
}
