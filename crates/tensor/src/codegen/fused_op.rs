//! What a layer does in one kernel, in a few lines.

mod pool;

use smallvec::smallvec;

use super::pseudo::{Page, address};
use super::routine::{around, strided};
use crate::fused_op::{Attention, Convolution, FusedOp, Norm, Softmax, Wanted};
use crate::view::View;

pub(super) fn print(page: &mut Page, node: &[u64], layer: &FusedOp, inputs: &[String], out: &str) {
    match layer {
        FusedOp::Convolution(convolution) => {
            print_convolution(page, node, convolution, inputs, out)
        }
        FusedOp::Pool(pool) => pool::print(page, node, pool, inputs, out),
        FusedOp::Softmax(softmax) => print_softmax(page, node, softmax, inputs, out),
        FusedOp::Norm(norm) => print_norm(page, node, norm, inputs, out),
        FusedOp::Attention(attention) => print_attention(page, node, attention, inputs, out),
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

/// Loop indices with their sizes.
type Indices = Vec<(&'static str, usize)>;

/// Where an element with these indices lies, row-major.
fn position(indices: &[&Indices]) -> String {
    let all = indices.iter().copied().flatten();
    let (names, sizes): (Vec<String>, Vec<usize>) =
        all.map(|&(name, n)| (name.to_owned(), n)).unzip();
    address(&View::contiguous(&sizes), &names)
}

/// The same loops for all three; the last line says which of them it is.
fn print_convolution(
    page: &mut Page,
    node: &[u64],
    convolution: &Convolution,
    inputs: &[String],
    out: &str,
) {
    let sizes = convolution;
    let space = |names: [&'static str; 3], sizes: [usize; 3]| -> Indices {
        names.into_iter().zip(sizes).collect()
    };
    let (n, g) = (vec![("n", sizes.batch)], vec![("g", sizes.groups)]);
    let (c, o) = (
        vec![("c", sizes.channels_in)],
        vec![("o", sizes.channels_out)],
    );
    let i = space(["iz", "iy", "ix"], sizes.input);
    let k = space(["kz", "ky", "kx"], sizes.kernel);
    let j = space(["jz", "jy", "jx"], sizes.result);
    page.line(
        node,
        "# runs as a product of two matrices, in tiles; neither is ever written down",
    );
    page.line(node, &format!("{out}.data[:] = 0"));
    for &(name, n) in [&n, &g, &o, &c, &j, &k].into_iter().flatten() {
        if n != 1 {
            page.open(name, n);
        }
    }
    for d in 0..3 {
        let (ks, js) = (sizes.kernel[d], sizes.result[d]);
        let (before, (name, size)) = (sizes.before[d], i[d]);
        if size == 1 && ks == 1 && js == 1 && before == 0 {
            continue;
        }
        let view = View {
            shape: smallvec![js, ks],
            strides: smallvec![sizes.stride[d] as isize, sizes.dilation[d] as isize],
            offset: 0,
        };
        let at = address(&view, &[j[d].0.to_owned(), k[d].0.to_owned()]);
        let text = match before {
            0 => format!("{name} = {at}"),
            _ => format!("{name} = {at} - {before}"),
        };
        page.line(node, &text);
        // Where a window begins before the input, or ends behind it.
        let text = match (before > 0, sizes.reach(d) >= size.saturating_add(before)) {
            (false, false) => continue,
            (true, false) => format!("if {name} < 0: continue"),
            (false, true) => format!("if {name} >= {size}: continue"),
            (true, true) => format!("if not 0 <= {name} < {size}: continue"),
        };
        page.line(node, &text);
    }
    let x = [&n, &g, &c, &i];
    let w = [&g, &o, &c, &k];
    let y = [&n, &g, &o, &j];
    let (to, a, b, summed) = match sizes.wanted {
        Wanted::Result => (y, x, w, [&c, &k]),
        Wanted::Input => (x, y, w, [&o, &k]),
        Wanted::Weight => (w, x, y, [&n, &j]),
    };
    let mut to = to.to_vec();
    let parts = vec![("part", sizes.parts)];
    if sizes.parts > 1 {
        let text = format!("part = ({}) // {}", position(&summed), sizes.part());
        page.line(node, &format!("{text}  # each is added up on its own"));
        to.insert(0, &parts);
    }
    let text = format!(
        "{out}.data[{}] += {}.data[{}] * {}.data[{}]",
        position(&to),
        inputs[0],
        position(&a),
        inputs[1],
        position(&b)
    );
    page.line(node, &text);
}
