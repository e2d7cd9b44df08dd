//! Arguments of nodes: expressions of a block's parameters are computed, and each value is held to its type.

use serde_json::Value as Json;

use crate::catalog::{Argument, Row, nearest};
use crate::expression::{Fault, Scope, Value};
use crate::functions::{Function, Settings};
use crate::model::Args;

/// The largest size that a dimension may have.
const LARGEST: i64 = 1 << 40;

/// The expression of an argument: a text that begins with `=`.
pub fn expression(json: &Json) -> Option<&str> {
    json.as_str().and_then(|text| text.strip_prefix('='))
}

/// A value with its expressions computed.
///
/// # Errors
/// For an expression that has no value.
pub fn computed(json: &Json, scope: &Scope) -> Result<Value, Fault> {
    match json {
        Json::Array(items) => {
            let items: Result<Vec<Value>, Fault> =
                items.iter().map(|item| computed(item, scope)).collect();
            Ok(Value::List(items?))
        }
        json => match expression(json) {
            Some(text) => scope.evaluate(text),
            None => Ok(Value::from_json(json)),
        },
    }
}

/// The arguments of a layer that are given, held to their types; those that are missing are named.
///
/// # Errors
/// For an argument that is unknown, missing or of another type.
pub fn of_layer(row: &Row, args: &Args, scope: &Scope) -> Result<Settings, Fault> {
    let mut settings = Settings::new();
    for (name, json) in args {
        let Some(argument) = row.argument(name).filter(|argument| argument.is_setting()) else {
            return Err(unknown(
                row.short(),
                name,
                row.settings().map(|one| one.name.as_str()).collect(),
            ));
        };
        let value = computed(json, scope).map_err(|fault| format!("{name}: {fault}"))?;
        if !takes(argument, &value) {
            return Err(format!(
                "{} takes {name} as {}; {value} came",
                row.short(),
                argument.type_text
            ));
        }
        settings.insert(name.clone(), value);
    }
    let missing = row
        .settings()
        .find(|one| one.required && !settings.contains_key(&one.name));
    match missing {
        Some(argument) => Err(format!(
            "{} needs {}: {}",
            row.short(),
            argument.name,
            argument.type_text
        )),
        None => Ok(settings),
    }
}

fn unknown(owner: &str, name: &str, known: Vec<&str>) -> Fault {
    match nearest(name, known.iter().copied()).first() {
        Some(near) => format!("{owner} has no argument {name:?}; did you mean {near}?"),
        None => format!(
            "{owner} has no argument {name:?}; it has {}",
            known.join(", ")
        ),
    }
}

/// Whether an argument of a row may have a value.
pub fn takes(argument: &Argument, value: &Value) -> bool {
    if let Value::Text(text) = value
        && argument.choices.iter().any(|choice| choice == text)
    {
        return true;
    }
    if *value == Value::None {
        return argument.none;
    }
    argument.words.iter().any(|word| has_type(word, value))
}

fn has_type(word: &str, value: &Value) -> bool {
    let whole =
        |value: &Value, least: i64| matches!(value, Value::Int(n) if (least..=LARGEST).contains(n));
    let number = |value: &Value| matches!(value, Value::Int(_) | Value::Float(_));
    let each = |test: &dyn Fn(&Value) -> bool| match value {
        Value::List(items) | Value::Tuple(items) => items.len() <= 64 && items.iter().all(test),
        _ => false,
    };
    match word {
        "size" => whole(value, 0),
        "count" => matches!(value, Value::Int(1..=1000)),
        "int" => whole(value, -LARGEST),
        "bool" => matches!(value, Value::Bool(_)),
        "number" => number(value),
        "probability" => match value {
            Value::Int(n) => (0..=1).contains(n),
            Value::Float(x) => (0.0..=1.0).contains(x),
            _ => false,
        },
        "sizes" | "pads" => {
            let one = |value: &Value| *value == Value::None || whole(value, -LARGEST);
            one(value) || each(&one)
        }
        "shape" => whole(value, -1) || each(&|value| whole(value, -1)),
        "factors" => number(value) || each(&number),
        "numbers" => each(&|value| *value == Value::None || number(value)),
        _ => false,
    }
}

/// The arguments of a function, with its defaults.
///
/// # Errors
/// For an argument that is unknown, missing or of another type.
pub fn of_function(function: &Function, args: &Args, scope: &Scope) -> Result<Settings, Fault> {
    let mut settings = Settings::new();
    for (name, json) in args {
        let Some(setting) = function.arguments.iter().find(|one| one.name == name) else {
            return Err(unknown(
                function.name,
                name,
                function.arguments.iter().map(|one| one.name).collect(),
            ));
        };
        let value = computed(json, scope).map_err(|fault| format!("{name}: {fault}"))?;
        let fits = match setting.kind {
            "int" => has_type("int", &value),
            "ints" => has_type("int", &value) || has_type("shape", &value) || is_whole_list(&value),
            "number" => has_type("number", &value),
            "bool" => has_type("bool", &value),
            choices => {
                matches!(&value, Value::Text(text) if choices.split('|').any(|one| one == text))
            }
        };
        if !fits {
            return Err(format!(
                "{} takes {name} as {}; {value} came",
                function.name, setting.kind
            ));
        }
        settings.insert(name.clone(), value);
    }
    for setting in function.arguments {
        if settings.contains_key(setting.name) {
            continue;
        }
        match setting.default_value() {
            Some(default) => settings.insert(setting.name.to_owned(), Value::from_json(&default)),
            None => {
                return Err(format!(
                    "{} needs {}: {}",
                    function.name, setting.name, setting.kind
                ));
            }
        };
    }
    Ok(settings)
}

fn is_whole_list(value: &Value) -> bool {
    matches!(value, Value::List(items) | Value::Tuple(items) if items.iter().all(|item| has_type("int", item)))
}
