//! What a layer does in one kernel, in a few lines.

use super::pseudo::Page;
use super::routine::{around, strided};
use crate::layer::{Attention, Layer, Norm, Softmax};

pub(super) fn print(page: &mut Page, node: &[u64], layer: &Layer, inputs: &[String], out: &str) {
    match layer {
        Layer::Softmax(softmax) => print_softmax(page, node, softmax, inputs, out),
        Layer::Norm(norm) => print_norm(page, node, norm, inputs, out),
        Layer::Attention(attention) => print_attention(page, node, attention, inputs, out),
    }
}

fn print_softmax(page: &mut Page, node: &[u64], softmax: &Softmax, inputs: &[String], out: &str) {
    let lines = softmax.lines;
    around(page, lines.outer, lines.inner);
    let here = strided("k", lines.outer, lines.n, lines.inner);
    let mut line = |name: &str, buffer: &str| {
        let text = format!("{name} = [{buffer}.data[{here}] for k in 0..{}]", lines.n);
        page.line(node, &text);
    };
    let result = if softmax.gradient {
        line("gy", &inputs[0]);
        line("y", &inputs[1]);
        match softmax.log {
            false => "(gy - sum(gy * y)) * y",
            true => "gy - exp(y) * sum(gy)",
        }
    } else {
        line("x", &inputs[0]);
        page.line(node, "x = x - max(x)");
        match softmax.log {
            false => "exp(x) / sum(exp(x))",
            true => "x - log(sum(exp(x)))",
        }
    };
    page.line(node, &format!("{out}.data[{here} for k] = {result}"));
}

fn print_norm(page: &mut Page, node: &[u64], norm: &Norm, inputs: &[String], out: &str) {
    let n = norm.n;
    page.open("r", norm.rows);
    let x = &inputs[usize::from(norm.gradient)];
    page.line(node, &format!("x = {x}.data[{n}*r:][:{n}]"));
    page.line(
        node,
        &format!("deviation = sqrt(variance(x) + {})", norm.eps()),
    );
    page.line(node, "normal = (x - mean(x)) / deviation");
    let mut affine = inputs[1 + usize::from(norm.gradient)..].iter();
    let weight = norm.weight.then(|| affine.next()).flatten();
    let times = weight.map_or(String::new(), |weight| format!(" * {weight}"));
    let result = if norm.gradient {
        page.line(
            node,
            &format!("gy = {}.data[{n}*r:][:{n}]{times}", inputs[0]),
        );
        "(gy - mean(gy) - normal * mean(gy * normal)) / deviation".to_owned()
    } else {
        let bias = norm.bias.then(|| affine.next()).flatten();
        let plus = bias.map_or(String::new(), |bias| format!(" + {bias}"));
        format!("normal{times}{plus}")
    };
    page.line(node, &format!("{out}.data[{n}*r:][:{n}] = {result}"));
}

fn print_attention(
    page: &mut Page,
    node: &[u64],
    attention: &Attention,
    inputs: &[String],
    out: &str,
) {
    let Attention { queries, keys, .. } = *attention;
    page.line(
        node,
        &format!("# {keys} keys, a few at a time: no table of scores is stored"),
    );
    page.open("g", attention.batch);
    page.open("i", queries);
    let seen = if attention.causal { "j <= i" } else { "all j" };
    page.line(
        node,
        &format!(
            "score[j] = sum({}[g, i] * {}[g, j]) * {} for {seen}",
            inputs[0],
            inputs[1],
            attention.scale()
        ),
    );
    page.line(node, "weight = exp(score - max(score))");
    page.line(
        node,
        &format!(
            "{out}[g, i] = sum(weight[j] * {}[g, j]) / sum(weight)",
            inputs[2]
        ),
    );
}
