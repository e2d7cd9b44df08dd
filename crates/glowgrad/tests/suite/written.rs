//! Samples as an op's definition writes them: `[2,3] [4]<3 dim=1 reduction='mean'`. The notation is
//! told at `Op::samples`.

use glowgrad::bind::{Arg, Callee, bind_to};
use glowgrad::{DType, Engine, Scalar, Tensor};

use super::samples::{Numbers, Sample};

/// The call that a text stands for, of anything with a name and parameters, with tensors of a dtype.
pub fn sample(
    engine: &Engine,
    callee: Callee,
    domain: (f64, f64),
    dtype: DType,
    numbers: &mut Numbers,
    text: &str,
) -> Sample {
    let mut reader = Reader {
        engine,
        name: callee.0,
        domain,
        dtype,
        numbers,
        text,
    };
    let mut positional = Vec::new();
    let mut keywords: Vec<(&str, Arg)> = Vec::new();
    for token in tokens(text) {
        let keyword = token
            .split_once('=')
            .filter(|(name, _)| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'));
        match keyword {
            Some((name, value)) => keywords.push((name, reader.argument(value))),
            None => positional.push(reader.argument(token)),
        }
    }
    let (operands, attrs) = bind_to(engine, callee, &positional, &keywords)
        .unwrap_or_else(|error| panic!("{}: sample `{text}`: {error}", callee.0));
    Sample { operands, attrs }
}

/// Splits at spaces outside braces and parentheses.
fn tokens(text: &str) -> Vec<&str> {
    let (mut tokens, mut depth, mut start) = (Vec::new(), 0, 0);
    for (i, byte) in text.bytes().chain([b' ']).enumerate() {
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

struct Reader<'a> {
    engine: &'a Engine,
    name: &'a str,
    domain: (f64, f64),
    dtype: DType,
    numbers: &'a mut Numbers,
    text: &'a str,
}

impl Reader<'_> {
    fn wrong(&self, token: &str) -> ! {
        panic!(
            "{}: sample `{}`: cannot read `{token}`; see Op::samples",
            self.name, self.text
        )
    }

    fn argument(&mut self, token: &str) -> Arg {
        if let Some(list) = token.strip_prefix('{').and_then(|t| t.strip_suffix('}')) {
            let tensors = tokens(list).into_iter().map(|t| self.tensor(t));
            return Arg::Tensors(tensors.collect());
        }
        if let Some(list) = token.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
            return Arg::Ints(self.integers(list));
        }
        if token.starts_with('[') {
            return Arg::Tensor(self.tensor(token));
        }
        let quoted = token
            .strip_prefix('\'')
            .and_then(|word| word.strip_suffix('\''));
        match token {
            "none" => Arg::None,
            "true" | "false" => Arg::Number(Scalar::Bool(token == "true")),
            _ if quoted.is_some() => Arg::Word(quoted.unwrap_or_default().to_owned()),
            _ => {
                if let Ok(i) = token.parse() {
                    return Arg::Number(Scalar::Int(i));
                }
                if let Ok(x) = token.parse() {
                    return Arg::Number(Scalar::Float(x));
                }
                match DType::parse(token) {
                    Ok(dtype) => Arg::DType(dtype),
                    Err(_) => self.wrong(token),
                }
            }
        }
    }

    fn integers(&self, list: &str) -> Vec<i64> {
        let items = list.split([',', ' ']).filter(|item| !item.is_empty());
        items
            .map(|item| item.parse().unwrap_or_else(|_| self.wrong(item)))
            .collect()
    }

    /// `[2,3]`, then what it holds.
    fn tensor(&mut self, token: &str) -> Tensor {
        let Some((sizes, kind)) = token.strip_prefix('[').and_then(|t| t.split_once(']')) else {
            self.wrong(token);
        };
        let mut shape: Vec<usize> = self.integers(sizes).iter().map(|&n| n as usize).collect();
        let (engine, dtype, domain) = (self.engine, self.dtype, self.domain);
        if kind == "?" {
            return self.numbers.mask(engine, &shape);
        }
        if let Some(below) = kind.strip_prefix('<') {
            let below = below.parse().unwrap_or_else(|_| self.wrong(token));
            return self.numbers.indices(engine, &shape, below);
        }
        if let Some(interval) = kind.strip_prefix('@') {
            let ends = interval
                .split_once("..")
                .and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
            let domain = ends.unwrap_or_else(|| self.wrong(token));
            return self.numbers.tensor(engine, &shape, domain, dtype);
        }
        match kind {
            "" => self.numbers.tensor(engine, &shape, domain, dtype),
            "T" if shape.len() > 1 => {
                let last = shape.len() - 1;
                shape.swap(last, last - 1);
                let tensor = self.numbers.tensor(engine, &shape, domain, dtype);
                tensor.transpose(-1, -2).expect("two dimensions")
            }
            _ => self.wrong(token),
        }
    }
}
