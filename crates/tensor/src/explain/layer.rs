//! What a layer does in one kernel, in a few lines.

use super::pseudo::Page;
use super::routine::{around, strided};
use crate::layer::{Layer, Softmax};

pub(super) fn print(page: &mut Page, node: &[u64], layer: &Layer, inputs: &[String], out: &str) {
    match layer {
        Layer::Softmax(softmax) => print_softmax(page, node, softmax, inputs, out),
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
