//! Expressions of a block's parameters in Rust.

use ruff_python_ast::{BoolOp, CmpOp, Expr, Number, Operator, UnaryOp};
use ruff_python_parser::parse_expression;
use serde_json::Value as Json;

use super::type_of;
use crate::error::{Error, Result};
use crate::expression::{Value, nesting};
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
    if nesting(text) > 60 {
        return Err(wrong());
    }
    let parsed = parse_expression(text).map_err(|_| wrong())?;
    written(parsed.expr(), parameters, false).ok_or_else(wrong)
}

/// The text of an expression, in parentheses where it stands inside of another one.
fn written(expr: &Expr, parameters: &[Parameter], is_inside: bool) -> Option<String> {
    let inner = |expr: &Expr| written(expr, parameters, true);
    let around = |text: String| if is_inside { format!("({text})") } else { text };
    Some(match expr {
        Expr::Name(name) => {
            let known = parameters.iter().find(|one| one.name == name.id.as_str())?;
            let _ = type_of(&known.default);
            name.id.to_string()
        }
        Expr::NumberLiteral(literal) => match &literal.value {
            Number::Int(n) => n.to_string(),
            Number::Float(x) => format!("{x:?}"),
            Number::Complex { .. } => return None,
        },
        Expr::BooleanLiteral(literal) => literal.value.to_string(),
        Expr::StringLiteral(literal) => format!("{:?}", literal.value.to_str()),
        Expr::UnaryOp(unary) => {
            let sign = match unary.op {
                UnaryOp::USub => "-",
                UnaryOp::Not => "!",
                UnaryOp::UAdd => "",
                UnaryOp::Invert => return None,
            };
            format!("{sign}{}", inner(&unary.operand)?)
        }
        Expr::BinOp(binary) => {
            let sign = match binary.op {
                Operator::Add => "+",
                Operator::Sub => "-",
                Operator::Mult => "*",
                // Of numbers that are not negative, whole division is the same.
                Operator::FloorDiv => "/",
                Operator::Mod => "%",
                Operator::Pow => {
                    return Some(format!(
                        "{}.pow({})",
                        inner(&binary.left)?,
                        written(&binary.right, parameters, false)?
                    ));
                }
                _ => return None,
            };
            around(format!(
                "{} {sign} {}",
                inner(&binary.left)?,
                inner(&binary.right)?
            ))
        }
        Expr::If(choice) => around(format!(
            "if {} {{ {} }} else {{ {} }}",
            written(&choice.test, parameters, false)?,
            written(&choice.body, parameters, false)?,
            written(&choice.orelse, parameters, false)?
        )),
        Expr::BoolOp(both) => {
            let sign = if both.op == BoolOp::And {
                " && "
            } else {
                " || "
            };
            let parts: Option<Vec<String>> = both.values.iter().map(inner).collect();
            around(parts?.join(sign))
        }
        Expr::Compare(compare) => {
            let (op, right) = match (&compare.ops[..], &compare.comparators[..]) {
                ([op], [right]) => (op, right),
                _ => return None,
            };
            let sign = match op {
                CmpOp::Eq | CmpOp::Is => "==",
                CmpOp::NotEq | CmpOp::IsNot => "!=",
                CmpOp::Lt => "<",
                CmpOp::LtE => "<=",
                CmpOp::Gt => ">",
                CmpOp::GtE => ">=",
                CmpOp::In | CmpOp::NotIn => return None,
            };
            around(format!(
                "{} {sign} {}",
                inner(&compare.left)?,
                inner(right)?
            ))
        }
        _ => return None,
    })
}
