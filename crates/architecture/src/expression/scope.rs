//! Names with values, and what an expression gives for them.

use std::collections::HashMap;

use super::tree::{Comparison, Expr, Operator};
use super::{Fault, Value};

/// Names with values, and functions that are defined by expressions.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    values: HashMap<String, Value>,
    functions: HashMap<String, Function>,
}

#[derive(Debug, Clone)]
struct Function {
    parameters: Vec<String>,
    body: Result<Expr, Fault>,
}

/// How many function calls may stand in each other.
const DEEPEST: usize = 32;
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
        let body = Expr::parse(body);
        self.functions
            .insert(name.to_owned(), Function { parameters, body });
    }

    /// The value of an expression's text.
    ///
    /// ```
    /// use glowgrad_architecture::expression::{Scope, Value};
    ///
    /// let mut scope = Scope::default();
    /// scope.set("channels", Value::Int(8));
    /// assert_eq!(scope.evaluate("channels * 2 if channels > 4 else 4")?, Value::Int(16));
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    /// For a text that is no expression of these, a name without a value, and arithmetic that has no result.
    pub fn evaluate(&self, text: &str) -> Result<Value, Fault> {
        self.of(&Expr::parse(text)?)
    }

    /// The value of an expression.
    ///
    /// # Errors
    /// For a name without a value, and arithmetic that has no result.
    pub fn of(&self, expr: &Expr) -> Result<Value, Fault> {
        let frame = Frame {
            scope: self,
            arguments: &[],
            depth: 0,
        };
        frame.of(expr)
    }
}

/// Where an expression is evaluated: the scope, and inside of a function its arguments.
struct Frame<'a> {
    scope: &'a Scope,
    arguments: &'a [(&'a str, Value)],
    depth: usize,
}

impl Frame<'_> {
    fn name(&self, name: &str) -> Option<&Value> {
        let argument = self.arguments.iter().find(|(known, _)| *known == name);
        argument.map_or_else(|| self.scope.get(name), |(_, value)| Some(value))
    }

    fn of(&self, expr: &Expr) -> Result<Value, Fault> {
        Ok(match expr {
            Expr::None => Value::None,
            Expr::Bool(b) => Value::Bool(*b),
            Expr::Int(n) => Value::Int(*n),
            Expr::Float(x) => Value::Float(*x),
            Expr::Text(text) => Value::Text(text.clone()),
            Expr::Name(name) => self
                .name(name)
                .cloned()
                .ok_or_else(|| format!("the name {name} has no value here"))?,
            Expr::List(items) => Value::List(self.items(items)?),
            Expr::Tuple(items) => Value::Tuple(self.items(items)?),
            Expr::Starred(_) => return Err("a star stands before no list".to_owned()),
            Expr::If {
                test,
                body,
                otherwise,
            } => match self.of(test)?.is_true() {
                true => self.of(body)?,
                false => self.of(otherwise)?,
            },
            Expr::And(left, right) => match self.of(left)? {
                value if value.is_true() => self.of(right)?,
                value => value,
            },
            Expr::Or(left, right) => match self.of(left)? {
                value if value.is_true() => value,
                _ => self.of(right)?,
            },
            Expr::Not(value) => Value::Bool(!self.of(value)?.is_true()),
            Expr::Minus(value) => match self.of(value)? {
                Value::Float(x) => Value::Float(-x),
                value => Value::Int(
                    value
                        .int()
                        .and_then(i64::checked_neg)
                        .ok_or("a minus stands before no number")?,
                ),
            },
            Expr::Plus(value) => match self.of(value)? {
                value if value.number().is_some() => value,
                _ => return Err("a plus stands before no number".to_owned()),
            },
            Expr::Binary(left, op, right) => arithmetic(&self.of(left)?, *op, &self.of(right)?)?,
            Expr::Compare(left, others) => {
                let mut left = self.of(left)?;
                for (op, right) in others {
                    let right = self.of(right)?;
                    if !compared(&left, *op, &right)? {
                        return Ok(Value::Bool(false));
                    }
                    left = right;
                }
                Value::Bool(true)
            }
            Expr::Item(list, index) => {
                let items = self.list(list)?;
                let n = items.len() as i64;
                let at = self.of(index)?.int().ok_or("an index is no whole number")?;
                let at = if at < 0 { at + n } else { at };
                let item = usize::try_from(at).ok().and_then(|at| items.get(at));
                item.cloned()
                    .ok_or_else(|| format!("item {at} of {n} is beyond the end"))?
            }
            Expr::Slice(list, from, to) => {
                let items = self.list(list)?;
                let n = items.len() as i64;
                let bound = |at: &Option<Box<Expr>>, otherwise: i64| match at {
                    None => Ok(otherwise),
                    Some(at) => {
                        let at = self.of(at)?.int().ok_or("a bound is no whole number")?;
                        Ok::<i64, Fault>(if at < 0 { (at + n).max(0) } else { at.min(n) })
                    }
                };
                let (from, to) = (bound(from, 0)?, bound(to, n)?);
                let to = to.max(from);
                Value::List(items[from as usize..to as usize].to_vec())
            }
            Expr::Call(name, arguments) => self.call(name, self.items(arguments)?)?,
        })
    }

    fn list(&self, expr: &Expr) -> Result<Vec<Value>, Fault> {
        match self.of(expr)? {
            Value::List(items) | Value::Tuple(items) => Ok(items),
            _ => Err("only a list has items".to_owned()),
        }
    }

    fn items(&self, exprs: &[Expr]) -> Result<Vec<Value>, Fault> {
        let mut items = Vec::new();
        for expr in exprs {
            match expr {
                Expr::Starred(starred) => match self.of(starred)? {
                    Value::List(more) | Value::Tuple(more) => items.extend(more),
                    _ => return Err("a star stands before no list".to_owned()),
                },
                expr => items.push(self.of(expr)?),
            }
            if items.len() > MOST_ITEMS {
                return Err("a list is too long".to_owned());
            }
        }
        Ok(items)
    }

    fn call(&self, name: &str, args: Vec<Value>) -> Result<Value, Fault> {
        if let Some(Function { parameters, body }) = self.scope.functions.get(name) {
            if self.depth >= DEEPEST || parameters.len() != args.len() {
                return Err(format!("{name} is called wrongly"));
            }
            // A body sees the arguments of the function it is called from as well.
            let named = parameters.iter().map(String::as_str).zip(args);
            let arguments: Vec<(&str, Value)> =
                named.chain(self.arguments.iter().cloned()).collect();
            let inner = Frame {
                scope: self.scope,
                arguments: &arguments,
                depth: self.depth + 1,
            };
            return inner.of(body.as_ref().map_err(Clone::clone)?);
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

fn arithmetic(left: &Value, op: Operator, right: &Value) -> Result<Value, Fault> {
    if let (Some(a), Some(b)) = (left.int(), right.int()) {
        let whole = match op {
            Operator::Add => a.checked_add(b),
            Operator::Sub => a.checked_sub(b),
            Operator::Mul => a.checked_mul(b),
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
        Operator::Mul => a * b,
        Operator::Div if b != 0.0 => a / b,
        Operator::FloorDiv if b != 0.0 => (a / b).floor(),
        Operator::Pow => a.powf(b),
        Operator::Div | Operator::FloorDiv => return Err("a number is divided by 0".to_owned()),
        _ => return Err("an operator here is not one of arithmetic".to_owned()),
    }))
}

fn compared(left: &Value, op: Comparison, right: &Value) -> Result<bool, Fault> {
    let ordered = || {
        let numbers = left.number().zip(right.number());
        numbers.ok_or_else(|| "only numbers are larger or smaller".to_owned())
    };
    Ok(match op {
        Comparison::Eq => left.is_same(right),
        Comparison::NotEq => !left.is_same(right),
        Comparison::Is => left == right,
        Comparison::IsNot => left != right,
        Comparison::Lt => ordered().map(|(a, b)| a < b)?,
        Comparison::LtE => ordered().map(|(a, b)| a <= b)?,
        Comparison::Gt => ordered().map(|(a, b)| a > b)?,
        Comparison::GtE => ordered().map(|(a, b)| a >= b)?,
        Comparison::In | Comparison::NotIn => {
            let (Value::List(items) | Value::Tuple(items)) = right else {
                return Err("in takes a list".to_owned());
            };
            items.iter().any(|item| item.is_same(left)) == (op == Comparison::In)
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
