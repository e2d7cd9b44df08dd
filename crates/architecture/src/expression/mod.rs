//! Expressions of Python over numbers, texts and lists, as shape rules and arguments of blocks have them.

mod parse;
mod scope;
mod tree;

use std::fmt;

use serde_json::Value as Json;

pub use scope::{Scope, inferred};
pub use tree::{Comparison, Expr, Operator};

/// What goes wrong in an expression, in words.
pub type Fault = String;

/// A value of an expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `None`.
    None,
    /// `True` or `False`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// A text.
    Text(String),
    /// A list: in a rule, a shape.
    List(Vec<Value>),
    /// Several values: in a rule, several results.
    Tuple(Vec<Value>),
}

impl Value {
    /// A list of sizes.
    pub fn shape(sizes: &[i64]) -> Value {
        Value::List(sizes.iter().map(|&n| Value::Int(n)).collect())
    }

    /// What JSON says.
    pub fn from_json(json: &Json) -> Value {
        match json {
            Json::Null => Value::None,
            Json::Bool(b) => Value::Bool(*b),
            Json::Number(n) => match n.as_i64() {
                Some(n) => Value::Int(n),
                None => Value::Float(n.as_f64().unwrap_or(f64::NAN)),
            },
            Json::String(text) => Value::Text(text.clone()),
            Json::Array(items) => Value::List(items.iter().map(Value::from_json).collect()),
            Json::Object(_) => Value::None,
        }
    }

    /// The value as JSON.
    pub fn to_json(&self) -> Json {
        match self {
            Value::None => Json::Null,
            Value::Bool(b) => (*b).into(),
            Value::Int(n) => (*n).into(),
            Value::Float(x) => (*x).into(),
            Value::Text(text) => text.clone().into(),
            Value::List(items) | Value::Tuple(items) => items.iter().map(Value::to_json).collect(),
        }
    }

    /// As a whole number: a `bool` counts as 0 or 1.
    pub fn int(&self) -> Option<i64> {
        match self {
            Value::Int(n) => Some(*n),
            Value::Bool(b) => Some(i64::from(*b)),
            _ => None,
        }
    }

    /// As sizes, if it is a list of them.
    pub fn sizes(&self) -> Option<Vec<i64>> {
        match self {
            Value::List(items) | Value::Tuple(items) => items.iter().map(Value::int).collect(),
            _ => None,
        }
    }

    fn number(&self) -> Option<f64> {
        match self {
            Value::Float(x) => Some(*x),
            other => other.int().map(|n| n as f64),
        }
    }

    fn is_true(&self) -> bool {
        match self {
            Value::None => false,
            Value::Text(text) => !text.is_empty(),
            Value::List(items) | Value::Tuple(items) => !items.is_empty(),
            number => number.number().is_some_and(|x| x != 0.0),
        }
    }

    fn is_same(&self, other: &Value) -> bool {
        match (self.number(), other.number()) {
            (Some(a), Some(b)) => a == b,
            _ => self == other,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |items: &[Value]| {
            let items: Vec<String> = items.iter().map(Value::to_string).collect();
            items.join(", ")
        };
        match self {
            Value::None => f.write_str("None"),
            Value::Bool(true) => f.write_str("True"),
            Value::Bool(false) => f.write_str("False"),
            Value::Int(n) => write!(f, "{n}"),
            Value::Float(x) if x.is_nan() => f.write_str("float('nan')"),
            Value::Float(x) if x.is_infinite() && *x > 0.0 => f.write_str("float('inf')"),
            Value::Float(x) if x.is_infinite() => f.write_str("float('-inf')"),
            Value::Float(x) if x.fract() == 0.0 && x.abs() < 1e16 => write!(f, "{x:.1}"),
            Value::Float(x) if *x != 0.0 && (x.abs() < 1e-4 || x.abs() >= 1e16) => {
                // Python writes two digits of the exponent.
                let text = format!("{x:e}");
                let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
                let (sign, power) = match power.strip_prefix('-') {
                    Some(power) => ('-', power),
                    None => ('+', power),
                };
                write!(f, "{digits}e{sign}{power:0>2}")
            }
            Value::Float(x) => write!(f, "{x}"),
            Value::Text(text) => write!(f, "{}", quoted(text)),
            Value::List(items) => write!(f, "[{}]", list(items)),
            Value::Tuple(items) if items.len() == 1 => write!(f, "({},)", items[0]),
            Value::Tuple(items) => write!(f, "({})", list(items)),
        }
    }
}

/// A text as Python writes it.
pub fn quoted(text: &str) -> String {
    let mut written = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            letter if letter.is_control() => written.push_str(&format!("\\x{:02x}", letter as u32)),
            letter => written.push(letter),
        }
    }
    written.push('"');
    written
}
