//! Expressions of Python over numbers, texts and lists, as shape rules and arguments of blocks have them.

use std::collections::HashMap;
use std::fmt;

use ruff_python_ast::{BoolOp, CmpOp, Expr, Number, Operator, UnaryOp};
use ruff_python_parser::parse_expression;
use serde_json::Value as Json;

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

/// What goes wrong in an expression, in words.
pub type Fault = String;

/// Names with values, and functions that are defined by expressions.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    values: HashMap<String, Value>,
    functions: HashMap<String, (Vec<String>, String)>,
}

/// How many function calls may stand in each other.
const DEEPEST: usize = 32;
/// The longest text of an expression.
const LONGEST: usize = 2_000;
/// The longest list that an expression makes.
const MOST_ITEMS: usize = 1 << 12;

impl Scope {
    /// Gives a name a value.
    pub fn set(&mut self, name: &str, value: Value) {
        self.values.insert(name.to_owned(), value);
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    /// Defines a function by its parameters and an expression.
    pub fn define(&mut self, name: &str, parameters: Vec<String>, body: &str) {
        self.functions
            .insert(name.to_owned(), (parameters, body.to_owned()));
    }

    /// The value of an expression's text.
    ///
    /// # Errors
    /// For a text that is no expression of these, a name without a value, and arithmetic that has no result.
    pub fn evaluate(&self, text: &str) -> Result<Value, Fault> {
        self.at_depth(text, 0)
    }

    fn at_depth(&self, text: &str, depth: usize) -> Result<Value, Fault> {
        if text.len() > LONGEST || nesting(text) > 60 {
            return Err("the expression is too long".to_owned());
        }
        let parsed = parse_expression(text)
            .map_err(|error| format!("{text:?} is no expression: {}", error.error))?;
        self.of(parsed.expr(), depth)
    }

    /// The value of an expression.
    ///
    /// # Errors
    /// As [`Scope::evaluate`].
    pub fn of(&self, expr: &Expr, depth: usize) -> Result<Value, Fault> {
        let of = |expr: &Expr| self.of(expr, depth);
        Ok(match expr {
            Expr::NoneLiteral(_) => Value::None,
            Expr::BooleanLiteral(literal) => Value::Bool(literal.value),
            Expr::StringLiteral(literal) => Value::Text(literal.value.to_str().to_owned()),
            Expr::NumberLiteral(literal) => match &literal.value {
                Number::Int(n) => Value::Int(n.as_i64().ok_or("a number is too large")?),
                Number::Float(x) => Value::Float(*x),
                Number::Complex { .. } => {
                    return Err("complex numbers have no place here".to_owned());
                }
            },
            Expr::Name(name) => self
                .values
                .get(name.id.as_str())
                .cloned()
                .ok_or_else(|| format!("the name {} has no value here", name.id))?,
            Expr::List(list) => Value::List(self.items(&list.elts, depth)?),
            Expr::Tuple(tuple) => Value::Tuple(self.items(&tuple.elts, depth)?),
            Expr::If(choice) => match of(&choice.test)?.is_true() {
                true => of(&choice.body)?,
                false => of(&choice.orelse)?,
            },
            Expr::BoolOp(both) => {
                let mut value = Value::None;
                for each in &both.values {
                    value = of(each)?;
                    if value.is_true() == (both.op == BoolOp::Or) {
                        break;
                    }
                }
                value
            }
            Expr::UnaryOp(unary) => {
                let value = of(&unary.operand)?;
                match (unary.op, &value) {
                    (UnaryOp::Not, _) => Value::Bool(!value.is_true()),
                    (UnaryOp::USub, Value::Float(x)) => Value::Float(-x),
                    (UnaryOp::USub, _) => Value::Int(
                        value
                            .int()
                            .and_then(i64::checked_neg)
                            .ok_or("a minus stands before no number")?,
                    ),
                    (UnaryOp::UAdd, _) if value.number().is_some() => value,
                    _ => return Err("an operator here is not one of arithmetic".to_owned()),
                }
            }
            Expr::BinOp(binary) => arithmetic(&of(&binary.left)?, binary.op, &of(&binary.right)?)?,
            Expr::Compare(compare) => {
                let mut left = of(&compare.left)?;
                for (op, right) in compare.ops.iter().zip(&compare.comparators) {
                    let right = of(right)?;
                    if !compared(&left, *op, &right)? {
                        return Ok(Value::Bool(false));
                    }
                    left = right;
                }
                Value::Bool(true)
            }
            Expr::Subscript(subscript) => {
                let value = of(&subscript.value)?;
                let (Value::List(items) | Value::Tuple(items)) = value else {
                    return Err("only a list has items".to_owned());
                };
                let n = items.len() as i64;
                match &*subscript.slice {
                    Expr::Slice(slice) => {
                        let bound = |at: &Option<Box<Expr>>, otherwise: i64| match at {
                            None => Ok(otherwise),
                            Some(at) => {
                                let at = of(at)?.int().ok_or("a bound is no whole number")?;
                                Ok::<i64, Fault>(if at < 0 { (at + n).max(0) } else { at.min(n) })
                            }
                        };
                        let (from, to) = (bound(&slice.lower, 0)?, bound(&slice.upper, n)?);
                        let to = to.max(from);
                        Value::List(items[from as usize..to as usize].to_vec())
                    }
                    index => {
                        let at = of(index)?.int().ok_or("an index is no whole number")?;
                        let at = if at < 0 { at + n } else { at };
                        let item = usize::try_from(at).ok().and_then(|at| items.get(at));
                        item.cloned()
                            .ok_or_else(|| format!("item {at} of {n} is beyond the end"))?
                    }
                }
            }
            Expr::Call(call) => {
                let Expr::Name(name) = &*call.func else {
                    return Err("only functions by name are called here".to_owned());
                };
                let args = self.items(&call.arguments.args, depth)?;
                self.call(name.id.as_str(), args, depth)?
            }
            _ => {
                return Err(
                    "an expression here has numbers, texts, lists, arithmetic and conditions alone"
                        .to_owned(),
                );
            }
        })
    }

    fn items(&self, exprs: &[Expr], depth: usize) -> Result<Vec<Value>, Fault> {
        let mut items = Vec::new();
        for expr in exprs {
            match expr {
                Expr::Starred(starred) => match self.of(&starred.value, depth)? {
                    Value::List(more) | Value::Tuple(more) => items.extend(more),
                    _ => return Err("a star stands before no list".to_owned()),
                },
                expr => items.push(self.of(expr, depth)?),
            }
            if items.len() > MOST_ITEMS {
                return Err("a list is too long".to_owned());
            }
        }
        Ok(items)
    }

    fn call(&self, name: &str, args: Vec<Value>, depth: usize) -> Result<Value, Fault> {
        if let Some((parameters, body)) = self.functions.get(name) {
            if depth >= DEEPEST || parameters.len() != args.len() {
                return Err(format!("{name} is called wrongly"));
            }
            let mut inner = self.clone();
            for (parameter, value) in parameters.iter().zip(args) {
                inner.set(parameter, value);
            }
            return inner.at_depth(body, depth + 1);
        }
        let ints = || -> Result<Vec<i64>, Fault> {
            let all = match &args[..] {
                [list @ (Value::List(_) | Value::Tuple(_))] => list.sizes(),
                several => several.iter().map(Value::int).collect(),
            };
            all.ok_or_else(|| format!("{name} takes whole numbers"))
        };
        let first = args
            .first()
            .ok_or_else(|| format!("{name} takes a value"))?;
        let too_large = || format!("{name} gives a number that is too large");
        Ok(match name {
            "prod" => {
                let product = ints()?.into_iter().try_fold(1i64, i64::checked_mul);
                Value::Int(product.ok_or_else(too_large)?)
            }
            "len" => match first {
                Value::List(items) | Value::Tuple(items) => Value::Int(items.len() as i64),
                _ => return Err("len takes a list".to_owned()),
            },
            "max" => Value::Int(ints()?.into_iter().max().ok_or("max of nothing")?),
            "min" => Value::Int(ints()?.into_iter().min().ok_or("min of nothing")?),
            "floor" => Value::Int(first.number().ok_or("floor takes a number")?.floor() as i64),
            "ceil" => Value::Int(first.number().ok_or("ceil takes a number")?.ceil() as i64),
            "int" => Value::Int(first.number().ok_or("int takes a number")? as i64),
            "inferred" => {
                let (sizes, n) = (first.sizes(), args.get(1).and_then(Value::int));
                let (sizes, n) = sizes.zip(n).ok_or("inferred takes sizes and a number")?;
                Value::shape(&inferred(&sizes, n)?)
            }
            _ => return Err(format!("there is no function {name} here")),
        })
    }
}

/// The sizes into which n elements are laid out, the one that is -1 found.
pub fn inferred(sizes: &[i64], n: i64) -> Result<Vec<i64>, Fault> {
    let known = sizes
        .iter()
        .filter(|&&size| size != -1)
        .try_fold(1i64, |product, &size| product.checked_mul(size));
    let known = known.ok_or("the sizes are too large")?;
    let open = sizes.iter().filter(|&&size| size == -1).count();
    if open > 1 {
        return Err("only one size can be -1".to_owned());
    }
    if open == 1 && (known == 0 || n % known != 0) || open == 0 && known != n {
        return Err(format!("{n} elements cannot be laid out as {sizes:?}"));
    }
    Ok(sizes
        .iter()
        .map(|&size| if size == -1 { n / known } else { size })
        .collect())
}

/// How many brackets are open at most; an expression that nests deeper is not read.
pub fn nesting(text: &str) -> usize {
    let (mut open, mut most) = (0usize, 0);
    for letter in text.bytes() {
        match letter {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        most = most.max(open);
    }
    most
}

fn arithmetic(left: &Value, op: Operator, right: &Value) -> Result<Value, Fault> {
    if let (Some(a), Some(b)) = (left.int(), right.int()) {
        let whole = match op {
            Operator::Add => a.checked_add(b),
            Operator::Sub => a.checked_sub(b),
            Operator::Mult => a.checked_mul(b),
            Operator::FloorDiv | Operator::Mod if b == 0 => {
                return Err("a number is divided by 0".to_owned());
            }
            Operator::FloorDiv => {
                a.checked_div_euclid(b)
                    .map(|q| match b < 0 && a.rem_euclid(b) != 0 {
                        true => q - 1,
                        false => q,
                    })
            }
            Operator::Mod => a
                .checked_rem_euclid(b)
                .map(|r| if b < 0 && r != 0 { r + b } else { r }),
            Operator::Pow if b >= 0 => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
            _ => None,
        };
        match (op, whole) {
            (_, Some(n)) => return Ok(Value::Int(n)),
            (Operator::Div, None) => {}
            (Operator::Pow, None) if b < 0 => {}
            _ => return Err("a number is too large".to_owned()),
        }
    }
    let numbers = left.number().zip(right.number());
    let (a, b) = numbers.ok_or("arithmetic takes numbers")?;
    Ok(Value::Float(match op {
        Operator::Add => a + b,
        Operator::Sub => a - b,
        Operator::Mult => a * b,
        Operator::Div if b != 0.0 => a / b,
        Operator::FloorDiv if b != 0.0 => (a / b).floor(),
        Operator::Pow => a.powf(b),
        Operator::Div | Operator::FloorDiv => return Err("a number is divided by 0".to_owned()),
        _ => return Err("an operator here is not one of arithmetic".to_owned()),
    }))
}

fn compared(left: &Value, op: CmpOp, right: &Value) -> Result<bool, Fault> {
    let ordered = || {
        let numbers = left.number().zip(right.number());
        numbers.ok_or_else(|| "only numbers are larger or smaller".to_owned())
    };
    Ok(match op {
        CmpOp::Eq => left.is_same(right),
        CmpOp::NotEq => !left.is_same(right),
        CmpOp::Is => left == right,
        CmpOp::IsNot => left != right,
        CmpOp::Lt => ordered().map(|(a, b)| a < b)?,
        CmpOp::LtE => ordered().map(|(a, b)| a <= b)?,
        CmpOp::Gt => ordered().map(|(a, b)| a > b)?,
        CmpOp::GtE => ordered().map(|(a, b)| a >= b)?,
        CmpOp::In | CmpOp::NotIn => {
            let (Value::List(items) | Value::Tuple(items)) = right else {
                return Err("in takes a list".to_owned());
            };
            items.iter().any(|item| item.is_same(left)) == (op == CmpOp::In)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<String, Fault> {
        let mut scope = Scope::default();
        scope.set("S", Value::shape(&[2, 3, 4]));
        scope.set("kernel", Value::Int(3));
        scope.define("half", vec!["n".to_owned()], "n // 2");
        scope.evaluate(text).map(|value| value.to_string())
    }

    #[test]
    fn expressions_are_those_of_python() {
        for (text, expected) in [
            ("[*S[:1], prod(S[1:]), -7 // 2, -7 % 3]", "[2, 12, -4, 2]"),
            (
                "(S, 2 ** 3) if len(S) == 3 and not kernel is None else 0",
                "([2, 3, 4], 8)",
            ),
            ("half(S[-1]) + (kernel or 5)", "5"),
            ("1e-05", "1e-05"),
            ("[floor(2.5 * 3), 7 / 2, True + 1]", "[7, 3.5, 2]"),
            ("inferred([-1, 2], 12)", "[6, 2]"),
            ("7 // -2", "-4"),
            ("1 < 2 <= 2 != 3", "True"),
        ] {
            assert_eq!(value(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        for text in [
            "open('x')",
            "S.append(1)",
            "lambda: 1",
            "1 // 0",
            "9 ** 999",
            "nothing",
            "S[9]",
            "half()",
            "(",
            "[1] * 2",
            "S < 1",
            "__import__('os')",
            "inferred([-1, -1], 4)",
            "9223372036854775807 + 1",
            &"(".repeat(500),
        ] {
            assert!(value(text).is_err(), "{text}");
        }
    }
}
