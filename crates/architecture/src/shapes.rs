//! Shape rules of rows, as `glowgrad/_rows/shapes.py` describes them: `[*, in_features] -> [*, out_features]`.

use std::collections::HashMap;

use serde_json::Value as Json;

use crate::catalog::{Argument, Row};
use crate::expression::{Fault, Scope, Value};
use crate::functions::{Settings, Shape};

/// An argument's value as rules read it: a list where each spatial dimension has its own.
pub fn expanded(argument: &Argument, dims: &[usize], value: Value) -> Value {
    let n = dims.iter().copied().max().unwrap_or(0);
    let n = match () {
        () if argument.is("pads") => 2 * n,
        () if argument.is("sizes") || argument.is("factors") => n,
        () => 0,
    };
    match value {
        Value::List(_) | Value::Text(_) | Value::None => value,
        Value::Tuple(items) => Value::List(items),
        value if argument.is("shape") => Value::List(vec![value]),
        value if n > 0 => Value::List(vec![value; n]),
        value => value,
    }
}

/// The arguments of a call as rules read them.
fn scope(row: &Row, settings: &Settings) -> Scope {
    let mut scope = Scope::default();
    for argument in &row.arguments {
        let value = settings.get(&argument.name).cloned();
        let value =
            value.or_else(|| (!argument.required).then(|| Value::from_json(&argument.default)));
        if let Some(value) = value {
            scope.set(&argument.name, expanded(argument, &row.dims, value));
        }
    }
    scope
}

/// The shapes of a layer's results: those of several, flat.
///
/// # Errors
/// Where the inputs do not fit, or a window is larger than its input.
pub fn results(row: &Row, settings: &Settings, inputs: &[Shape]) -> Result<Vec<Shape>, Fault> {
    let mut reasons = Vec::new();
    for rule in &row.rules {
        let (left, right) = rule.split_once(" -> ").ok_or("a rule has no arrow")?;
        let mut scope = scope(row, settings);
        if let Err(reason) = bind(row, left, inputs, &mut scope) {
            reasons.push(reason);
            continue;
        }
        define(row, &mut scope)?;
        divide(row, &scope)?;
        let value = scope.evaluate(&as_python(right)).map_err(|fault| {
            format!("{} cannot work on {}: {fault}", row.short(), shown(inputs))
        })?;
        let mut found = Vec::new();
        flat(&value, &mut found)?;
        let least = i64::from(!inputs.iter().flatten().any(|&size| size == 0));
        if found.iter().flatten().any(|&size| size < least) {
            return Err(format!(
                "{} of {} would give {}: a window is larger than its input",
                row.short(),
                shown(inputs),
                shown(&found)
            ));
        }
        return Ok(found);
    }
    match reasons.is_empty() {
        true => Err(format!(
            "{} has no shape rule, and so no place in a graph",
            row.short()
        )),
        false => Err(reasons.join("; or ")),
    }
}

/// Refuses what a layer cannot divide into equal parts.
fn divide(row: &Row, scope: &Scope) -> Result<(), Fault> {
    for (whole, divisor) in &row.divisible {
        let number = |expression: &str| scope.evaluate(expression).ok().and_then(|n| n.int());
        // What is missing is told elsewhere.
        let (Some(n), Some(by)) = (number(whole), number(divisor)) else {
            continue;
        };
        if by < 1 || n % by != 0 {
            return Err(format!(
                "{}: {whole} must be divisible by {divisor}: {n} and {by} came",
                row.short()
            ));
        }
    }
    Ok(())
}

/// The number of a layer's parameters.
///
/// # Errors
/// Where an argument is missing or has no such number.
pub fn parameters(row: &Row, settings: &Settings) -> Result<u64, Fault> {
    if row.parameters.is_empty() {
        return Ok(0);
    }
    let mut scope = scope(row, settings);
    define(row, &mut scope)?;
    let n = scope.evaluate(&row.parameters)?.int();
    n.and_then(|n| u64::try_from(n).ok()).ok_or_else(|| {
        format!(
            "{} has a number of parameters that is no whole number",
            row.short()
        )
    })
}

/// Names and functions that rules use; one that needs what is not bound is left out.
fn define(row: &Row, scope: &mut Scope) -> Result<(), Fault> {
    let mut values: Vec<(&String, &String)> = Vec::new();
    for (head, body) in &row.definitions {
        match head.split_once('(') {
            Some((name, rest)) => {
                let parameters = rest.trim_end_matches(')').split(", ").map(str::to_owned);
                scope.define(name, parameters.collect(), body);
            }
            None => values.push((head, body)),
        }
    }
    // A definition may need another one.
    while !values.is_empty() {
        let before = values.len();
        values.retain(|(name, body)| match scope.evaluate(body) {
            Ok(value) => {
                scope.set(name, value);
                false
            }
            Err(_) => true,
        });
        if values.len() == before {
            break;
        }
    }
    Ok(())
}

/// `[N?, *]` as Python has it: `[*N, *any_]`.
fn as_python(right: &str) -> String {
    let right = right.replace("*]", "*any_]").replace("*,", "*any_,");
    let mut text = String::new();
    for (i, part) in right.split('?').enumerate() {
        if i > 0 {
            let start = text.rfind(['[', ' ']).map_or(0, |at| at + 1);
            text.insert(start, '*');
        }
        text.push_str(part);
    }
    text
}

fn flat(value: &Value, into: &mut Vec<Shape>) -> Result<(), Fault> {
    match value {
        Value::List(_) => into.push(value.sizes().ok_or("a rule gives no whole sizes")?),
        Value::Tuple(items) => items.iter().try_for_each(|item| flat(item, into))?,
        _ => return Err("a rule gives no shape".to_owned()),
    }
    Ok(())
}

/// The items of each input's pattern.
pub fn patterns(left: &str) -> Vec<Vec<&str>> {
    left.split("], [")
        .map(|each| {
            let items = each.trim_matches(['[', ']']).split(", ");
            items.filter(|item| !item.is_empty()).collect()
        })
        .collect()
}

fn bind(row: &Row, left: &str, inputs: &[Shape], scope: &mut Scope) -> Result<(), Fault> {
    let wanted = patterns(left);
    if wanted.len() != inputs.len() {
        let n = match wanted.len() {
            1 => "one input".to_owned(),
            n => format!("{n} inputs"),
        };
        return Err(format!(
            "{} takes {n}, {left}, not {}",
            row.short(),
            inputs.len()
        ));
    }
    for (pattern, shape) in wanted.iter().zip(inputs) {
        fit(row, pattern, shape, scope)?;
    }
    Ok(())
}

/// Binds the names of a pattern to the sizes of a shape.
fn fit(row: &Row, pattern: &[&str], shape: &Shape, scope: &mut Scope) -> Result<(), Fault> {
    let text = format!("[{}]", pattern.join(", "));
    let is_open = |item: &str| item.starts_with('*') || item.ends_with('?');
    let bare = |item: &str| match item.trim_matches(['*', '?']) {
        "" => "any_".to_owned(),
        name => name.to_owned(),
    };
    // Each dimension with its name and, where it is known, its size; an open one stands for those that are left.
    let mut items: Vec<(String, Option<i64>, bool)> = Vec::new();
    for item in pattern {
        let name = bare(item);
        match (is_open(item), scope.get(&name)) {
            (true, Some(known)) => {
                let sizes = known.sizes().or_else(|| known.int().map(|n| vec![n]));
                let sizes = sizes.ok_or_else(|| format!("{name} is no list of sizes"))?;
                items.extend(
                    sizes
                        .into_iter()
                        .map(|size| (name.clone(), Some(size), false)),
                );
            }
            (true, None) => items.push((name, None, true)),
            (false, known) => {
                let size = known.and_then(Value::int).or_else(|| item.parse().ok());
                items.push((name, size, false));
            }
        }
    }
    let n_open = items.iter().filter(|(_, _, open)| *open).count();
    let fixed = items.len() - n_open;
    let is_optional = pattern
        .iter()
        .any(|item| item.ends_with('?') && scope.get(&bare(item)).is_none());
    let spare = shape.len().checked_sub(fixed);
    let spare = spare.filter(|&spare| match n_open {
        0 => spare == 0,
        _ => !is_optional || spare <= 1,
    });
    let Some(spare) = spare else {
        return Err(format!(
            "{} takes {text}; an input of {} dimensions, {shape:?}, does not fit",
            row.short(),
            shape.len()
        ));
    };
    let mut at = 0;
    for (name, size, open) in items {
        if open {
            scope.set(&name, Value::shape(&shape[at..at + spare]));
            at += spare;
            continue;
        }
        let found = shape[at];
        if let Some(size) = size
            && size != found
        {
            return Err(format!(
                "{} takes {text} with {name}={size}; dimension {at} of {shape:?} is {found}",
                row.short()
            ));
        }
        if size.is_none() {
            scope.set(&name, Value::Int(found));
        }
        at += 1;
    }
    Ok(())
}

/// Which arguments a layer's input decides, with the values that they have for its shape: `in_features` of a `Linear`.
pub fn decided(row: &Row, settings: &Settings, input: &Shape) -> HashMap<String, Json> {
    let mut found = HashMap::new();
    for rule in &row.rules {
        let Some((left, _)) = rule.split_once(" -> ") else {
            continue;
        };
        let patterns = patterns(left);
        let Some(pattern) = patterns.first() else {
            continue;
        };
        let bare = |item: &&str| item.trim_matches(['*', '?']).to_owned();
        let names: Vec<String> = pattern.iter().map(bare).collect();
        let open = pattern.iter().position(|item| {
            (item.starts_with('*') || item.ends_with('?'))
                && row.argument(item.trim_matches(['*', '?'])).is_none()
        });
        let several = |name: &String| {
            let length = settings
                .get(name)
                .and_then(Value::sizes)
                .map_or(1, |sizes| sizes.len());
            if row
                .argument(name)
                .is_some_and(|argument| argument.is("shape"))
            {
                length
            } else {
                1
            }
        };
        let fixed: usize = names
            .iter()
            .enumerate()
            .filter(|(i, _)| Some(*i) != open)
            .map(|(_, name)| several(name))
            .sum();
        let Some(spare) = input.len().checked_sub(fixed) else {
            continue;
        };
        if open.is_none() && spare > 0 {
            continue;
        }
        let mut at = 0;
        for (i, name) in names.iter().enumerate() {
            if Some(i) == open {
                at += spare;
                continue;
            }
            let n = several(name);
            if let Some(argument) = row.argument(name) {
                let sizes = &input[at..at + n];
                let value = match argument.is("shape") && n > 1 {
                    true => Json::from(sizes.to_vec()),
                    false => Json::from(sizes[0]),
                };
                found.entry(name.clone()).or_insert(value);
            }
            at += n;
        }
        if !found.is_empty() {
            break;
        }
    }
    found
}

/// Shapes as a sentence has them.
pub fn shown(shapes: &[Shape]) -> String {
    let each: Vec<String> = shapes.iter().map(|shape| format!("{shape:?}")).collect();
    each.join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::rows;

    /// Every example of every row, whose results `crates/python/tests/it/rows.rs` holds to a forward pass.
    #[test]
    fn rules_give_what_the_rows_say() {
        let mut n = 0;
        for row in rows().iter().filter(|row| !row.rules.is_empty()) {
            for example in &row.examples {
                if example.output.is_null() {
                    continue;
                }
                let settings: Settings = (example.arguments.iter())
                    .map(|(name, value)| (name.clone(), Value::from_json(value)))
                    .collect();
                let inputs: Vec<Shape> = example
                    .inputs
                    .iter()
                    .map(|input| input.shape.clone())
                    .collect();
                let found = results(row, &settings, &inputs);
                let mut expected = Vec::new();
                shapes_of(&example.output, &mut expected);
                assert_eq!(found, Ok(expected), "{} {:?}", row.name, example.arguments);
                n += 1;
            }
        }
        assert!(n > 250, "{n} examples");
    }

    #[test]
    fn what_cannot_be_divided_is_refused() {
        let refused = |name: &str, arguments: Json, input: &[i64], reason: &str| {
            let row = rows().iter().find(|row| row.short() == name).expect(name);
            let arguments = arguments.as_object().expect("arguments");
            let settings: Settings = (arguments.iter())
                .map(|(name, value)| (name.clone(), Value::from_json(value)))
                .collect();
            let found = results(row, &settings, &[input.to_vec()]);
            assert_eq!(found, Err(format!("{name}: {reason}")));
        };
        refused(
            "GroupNorm",
            serde_json::json!({"num_groups": 3, "num_channels": 4}),
            &[2, 4, 3],
            "num_channels must be divisible by num_groups: 4 and 3 came",
        );
        refused(
            "Conv2d",
            serde_json::json!({"in_channels": 4, "out_channels": 6, "kernel_size": 1, "groups": 4}),
            &[1, 4, 5, 5],
            "out_channels must be divisible by groups: 6 and 4 came",
        );
        refused(
            "PixelShuffle",
            serde_json::json!({"upscale_factor": 2}),
            &[1, 6, 3, 3],
            "C must be divisible by upscale_factor ** 2: 6 and 4 came",
        );
        refused(
            "GroupedQueryAttention",
            serde_json::json!({"embed_dim": 8, "num_heads": 4, "num_kv_heads": 3}),
            &[1, 5, 8],
            "num_heads must be divisible by (num_kv_heads or num_heads): 4 and 3 came",
        );
        refused(
            "ChannelShuffle",
            serde_json::json!({"groups": 0}),
            &[1, 4, 3],
            "C must be divisible by groups: 4 and 0 came",
        );
    }

    fn shapes_of(json: &Json, into: &mut Vec<Shape>) {
        let items = json.as_array().expect("a shape is a list");
        if items.iter().all(Json::is_i64) {
            into.push(items.iter().filter_map(Json::as_i64).collect());
        } else {
            items.iter().for_each(|item| shapes_of(item, into));
        }
    }

    #[test]
    fn an_input_decides_arguments() {
        let of = |name: &str, input: &[i64]| {
            let row = crate::catalog::layer(name).expect("there is a row");
            let mut all: Vec<String> = decided(row, &Settings::new(), &input.to_vec())
                .into_iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            all.sort();
            all.join(", ")
        };
        assert_eq!(of("Linear", &[32, 10, 64]), "in_features=64");
        assert_eq!(of("Conv2d", &[32, 3, 8, 8]), "in_channels=3");
        assert_eq!(of("BatchNorm2d", &[32, 3, 8, 8]), "num_features=3");
        assert_eq!(of("LayerNorm", &[32, 7, 16]), "normalized_shape=16");
        assert_eq!(of("LSTM", &[32, 7, 16]), "input_size=16");
        assert_eq!(of("ReLU", &[32, 7]), "");
    }
}
