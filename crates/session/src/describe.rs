//! A node in words: its symbol, formula and local rules, with its own numbers and options put in.
//!
//! Numbers the learner wrote (`x + 1`) are part of the op here, not nodes: they are written into
//! symbol and rules, and the placeholders of the operands that remain move up.

use glowgrad::Scalar;
use glowgrad::node::NodeRef;
use glowgrad::op::{Attr, Counts, Kind, Op, ParamKind, SAVE_A, SAVE_Y};

/// What the stage says of a node.
#[derive(Debug, Clone, Default)]
pub(crate) struct Description {
    pub(crate) symbol: String,
    pub(crate) formula: String,
    /// One for each operand that is not a number.
    pub(crate) rules: Vec<String>,
    pub(crate) elementwise: bool,
    /// Which operands the gradient reads, by their names in the rules; `y` is the result.
    pub(crate) saved: Vec<(String, NodeRef)>,
}

/// The operands that are nodes on the stage.
pub(crate) fn operands(node: &NodeRef) -> Vec<NodeRef> {
    let mut src = node.src();
    // The last source of an op of this kind is its value; the others are operands.
    if matches!(node.op.kind, Kind::Leaf) {
        src.pop();
    }
    src.into_iter().filter(|s| s.number.is_none()).collect()
}

/// An op's name as the learner calls it.
pub(crate) fn op_name(op: &Op) -> &'static str {
    match op.python.part_of {
        "" => op.name,
        whole => whole,
    }
}

const NAMES: [&str; 3] = ["a", "b", "c"];

pub(crate) fn describe(node: &NodeRef) -> Description {
    let op = node.op;
    let src = node.src();
    if std::ptr::eq(op, &glowgrad::ops::CUSTOM) {
        let n = operands(node).len();
        let symbol = node
            .grad_fn()
            .unwrap_or("f")
            .trim_end_matches("Backward")
            .to_owned();
        return Description {
            formula: format!("y = {symbol}.forward(…)"),
            rules: vec![format!("{symbol}.backward({{gy}})"); n],
            symbol,
            ..Description::default()
        };
    }
    let mut formula = op.formula.to_owned();
    let mut rules: Vec<String> = op.rules.iter().map(|r| (*r).to_owned()).collect();
    let mut symbol = op.symbol.to_owned();

    // Numbers take their places; the other operands are named anew, in order.
    let mut kept = Vec::new();
    let mut renames = Vec::new();
    for (i, source) in src.iter().enumerate().take(3) {
        match source.number {
            Some(number) => renames.push((NAMES[i], number_text(number))),
            None => {
                renames.push((NAMES[i], format!("{{{}}}", NAMES[kept.len()])));
                kept.push(i);
            }
        }
    }
    rules = rules.iter().map(|rule| rename(rule, &renames)).collect();
    if let [a, b] = &src[..] {
        symbol = match (a.number, b.number) {
            (None, Some(n)) => format!("{symbol} {}", short_text(n)),
            (Some(n), None) => format!("{} {symbol}", short_text(n)),
            _ => symbol,
        };
        for (name, text) in renames.iter().filter(|(_, text)| !text.starts_with('{')) {
            formula = replace_word(&formula, name, text);
        }
    }
    if src.iter().any(|s| s.number.is_some()) {
        rules = kept.iter().filter_map(|&i| rules.get(i).cloned()).collect();
    }

    let is_power = std::ptr::eq(op, &glowgrad::ops::power::POW_SCALAR);
    for (param, attr) in op.attr_params().zip(&node.attrs) {
        let text = match attr {
            Attr::Float(x) => number_text(Scalar::Float(*x)),
            Attr::Int(i) if matches!(param.kind, ParamKind::Float) => number_text(Scalar::Int(*i)),
            _ => continue,
        };
        let name = if is_power { "n" } else { param.name };
        formula = replace_word(&formula, name, &text);
        rules
            .iter_mut()
            .for_each(|rule| *rule = replace_word(rule, name, &text));
        if is_power {
            symbol = match attr {
                Attr::Float(x) => format!("^{}", short_text(Scalar::Float(*x))),
                _ => format!("^{text}"),
            };
            if text == "2" {
                rules = vec!["{gy} · 2 · {a}".to_owned()];
            }
        }
    }
    // How many elements became one.
    if let Some(first) = src.first() {
        let n = match op.counts {
            Counts::Nothing => None,
            Counts::Reduced => Some(first.numel() / node.numel().max(1)),
            Counts::Targets => Some(src.get(1).map_or(1, |target| target.numel())),
        };
        if let Some(n) = n {
            rules
                .iter_mut()
                .for_each(|rule| *rule = replace_word(rule, "n", &n.to_string()));
            formula = replace_word(&formula, "n", &n.to_string());
        }
    }
    let mut saved = Vec::new();
    for (at, &i) in kept.iter().enumerate() {
        if op.kept() & (SAVE_A << i) != 0 {
            saved.push((NAMES[at].to_owned(), src[i].clone()));
        }
    }
    if op.kept() & SAVE_Y != 0 {
        saved.push(("y".to_owned(), node.clone()));
    }
    Description {
        symbol,
        formula,
        rules,
        elementwise: matches!(op.kind, Kind::Elementwise(_)) || op.element_by_element,
        saved,
    }
}

/// A number as the learner would write it.
fn number_text(number: Scalar) -> String {
    match number {
        Scalar::Bool(b) => if b { "True" } else { "False" }.to_owned(),
        Scalar::Int(i) => i.to_string().replace('-', "−"),
        Scalar::UInt(i) => i.to_string(),
        Scalar::Float(x) => format!("{x}").replace('-', "−"),
    }
}

/// A number as it stands on a node: of a long one four digits.
fn short_text(number: Scalar) -> String {
    const LONGEST: usize = 8;
    let text = number_text(number);
    let Scalar::Float(x) = number else {
        return text;
    };
    if text.chars().count() <= LONGEST || !x.is_finite() {
        return text;
    }
    // `{:e}` would do it, and weigh 10 KB of the first load.
    let exponent = x.abs().log10().floor();
    if (-4.0..6.0).contains(&exponent) {
        let digits = 10_f64.powf(3.0 - exponent);
        return number_text(Scalar::Float((x * digits).round() / digits));
    }
    let mantissa = (x / 10_f64.powf(exponent) * 1e3).round() / 1e3;
    let [mantissa, exponent] = [mantissa, exponent].map(|x| number_text(Scalar::Float(x)));
    format!("{mantissa}e{exponent}")
}

/// Placeholders renamed all at once, so that none is renamed twice.
pub(crate) fn rename(template: &str, renames: &[(&str, String)]) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some(start) = rest.find('{') {
        let Some(len) = rest[start..].find('}') else {
            break;
        };
        out.push_str(&rest[..start]);
        let name = &rest[start + 1..start + len];
        match renames.iter().find(|(from, _)| *from == name) {
            Some((_, to)) => out.push_str(to),
            None => out.push_str(&rest[start..=start + len]),
        }
        rest = &rest[start + len + 1..];
    }
    out.push_str(rest);
    out
}

/// A word replaced where it stands alone, outside placeholders.
pub(crate) fn replace_word(text: &str, word: &str, by: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut at = 0;
    while let Some(found) = text[at..].find(word) {
        let start = at + found;
        let end = start + word.len();
        let before = text[..start].chars().next_back();
        let after = text[end..].chars().next();
        out.push_str(&text[at..start]);
        let alone = !before.is_some_and(|c| is_word(c) || c == '{')
            && !after.is_some_and(|c| is_word(c) || c == '}');
        out.push_str(if alone { by } else { word });
        at = end;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_replaced_only_where_they_stand_alone() {
        assert_eq!(replace_word("{gy} / n", "n", "6"), "{gy} / 6");
        assert_eq!(replace_word("mean −a[b] by n", "n", "6"), "mean −a[b] by 6");
        assert_eq!(replace_word("y = a + b", "b", "0.3"), "y = a + 0.3");
        assert_eq!(replace_word("{b} b", "b", "2"), "{b} 2");
    }

    #[test]
    fn placeholders_move_up_once() {
        let renames = [("a", "2".to_owned()), ("b", "{a}".to_owned())];
        assert_eq!(rename("{gy} · {b} · {a}", &renames), "{gy} · {a} · 2");
    }

    #[test]
    fn a_long_number_is_written_short_on_a_node() {
        let short = |x| short_text(Scalar::Float(x));
        assert_eq!(short(0.5), "0.5");
        assert_eq!(short(-0.125), "−0.125");
        assert_eq!(short(0.961_042_986_036_232_8), "0.961");
        assert_eq!(short(-12_345.678_9), "−12350");
        assert_eq!(short(1.234_567e-12), "1.235e−12");
        assert_eq!(short(f64::INFINITY), "inf");
        assert_eq!(short_text(Scalar::Int(-123_456_789)), "−123456789");
    }
}
