//! Expressions of a block's parameters in Rust.

use serde_json::Value as Json;

use crate::error::{Error, Result};
use crate::expression::{Comparison, Expr, Operator, Value};
use crate::model::Parameter;

/// A number of JSON; with a fraction where one is wanted.
pub(super) fn number(json: &Json, is_float: bool) -> String {
    match Value::from_json(json) {
        Value::Int(n) if is_float => format!("{n}.0"),
        Value::Float(x) if x.is_infinite() => {
            format!("f64::{}INFINITY", if x < 0.0 { "NEG_" } else { "" })
        }
        Value::Float(x) => format!("{x:?}"),
        other => other.to_string(),
    }
}

/// An expression of Python in Rust.
pub(super) fn in_rust(text: &str, parameters: &[Parameter]) -> Result<String> {
    let wrong = || Error::new(format!("the expression {text} is not written in Rust"));
    let parsed = Expr::parse(text).map_err(|_| wrong())?;
    written(&parsed, parameters, false).ok_or_else(wrong)
}

/// The text of an expression, in parentheses where it stands inside of another one.
fn written(expr: &Expr, parameters: &[Parameter], is_inside: bool) -> Option<String> {
    let inner = |expr: &Expr| written(expr, parameters, true);
    let bare = |expr: &Expr| written(expr, parameters, false);
    let around = |text: String| if is_inside { format!("({text})") } else { text };
    Some(match expr {
        Expr::Name(name) => parameters
            .iter()
            .find(|one| one.name == *name)?
            .name
            .clone(),
        Expr::Int(n) => n.to_string(),
        Expr::Float(x) => format!("{x:?}"),
        Expr::Bool(b) => b.to_string(),
        Expr::Text(text) => format!("{text:?}"),
        Expr::Minus(value) => format!("-{}", inner(value)?),
        Expr::Not(value) => format!("!{}", inner(value)?),
        Expr::Plus(value) => inner(value)?,
        Expr::Binary(left, Operator::Pow, right) => {
            format!("{}.pow({})", inner(left)?, bare(right)?)
        }
        Expr::Binary(left, op, right) => {
            let sign = match op {
                Operator::Add => "+",
                Operator::Sub => "-",
                Operator::Mul => "*",
                // Of numbers that are not negative, whole division is the same.
                Operator::FloorDiv => "/",
                Operator::Mod => "%",
                Operator::Div | Operator::Pow => return None,
            };
            around(format!("{} {sign} {}", inner(left)?, inner(right)?))
        }
        Expr::If {
            test,
            body,
            otherwise,
        } => around(format!(
            "if {} {{ {} }} else {{ {} }}",
            bare(test)?,
            bare(body)?,
            bare(otherwise)?
        )),
        Expr::And(left, right) => around(format!("{} && {}", inner(left)?, inner(right)?)),
        Expr::Or(left, right) => around(format!("{} || {}", inner(left)?, inner(right)?)),
        Expr::Compare(left, others) => {
            let [(op, right)] = &others[..] else {
                return None;
            };
            let sign = match op {
                Comparison::Eq | Comparison::Is => "==",
                Comparison::NotEq | Comparison::IsNot => "!=",
                Comparison::Lt => "<",
                Comparison::LtE => "<=",
                Comparison::Gt => ">",
                Comparison::GtE => ">=",
                Comparison::In | Comparison::NotIn => return None,
            };
            around(format!("{} {sign} {}", inner(left)?, inner(right)?))
        }
        _ => return None,
    })
}
