//! Pools and their gradients, window by window.

use crate::codegen::pseudo::{Page, address, index};
use crate::fused_op::{Divisor, Pool, PoolOf, Windows};
use crate::view::View;

/// The loops inside a window.
const INSIDE: [&str; 3] = ["a", "b", "c"];

pub(super) fn print(page: &mut Page, node: &[u64], pool: &Pool, inputs: &[String], out: &str) {
    let absent = |dim: &&Windows| **dim == Windows::NONE;
    let dims: Vec<&Windows> = pool.dims.iter().skip_while(absent).collect();
    let sizes = |of: fn(&Windows) -> usize| {
        let mut sizes = vec![pool.planes];
        sizes.extend(dims.iter().map(|dim| of(dim)));
        sizes
    };
    let (windows, planes) = (sizes(|dim| dim.count), sizes(|dim| dim.n));
    let names: Vec<String> = (0..windows.len()).map(index).collect();
    if pool.gradient {
        page.line(node, &format!("{out}.data[:] = 0"));
    }
    for (name, &n) in names.iter().zip(&windows).filter(|(_, n)| **n != 1) {
        page.open(name, n);
    }
    let mut indices = vec![names[0].clone()];
    let mut loops = String::new();
    for ((dim, inside), name) in dims.iter().zip(INSIDE).zip(&names[1..]) {
        indices.push(place(dim, name, inside));
        if dim.size != 1 {
            loops.push_str(&format!(" for {inside} in 0..{}", dim.size));
        }
    }
    if pool.dims.iter().any(reaches_out) {
        page.line(node, "# places beyond their plane are left out");
    }
    let places = address(&View::contiguous(&planes), &indices);
    page.line(node, &format!("places = [{places}{loops}]"));
    let window = address(&View::contiguous(&windows), &names);
    let first = &inputs[0];
    let text = match (pool.of, pool.gradient) {
        (PoolOf::Largest, false) => format!("{out}.data[{window}] = max({first}.data[places])"),
        (PoolOf::Largest, true) => {
            page.line(node, "# the first of equals, the last NaN");
            let x = &inputs[1];
            page.line(node, &format!("best = places[argmax({x}.data[places])]"));
            format!("{out}.data[best] += {first}.data[{window}]")
        }
        (PoolOf::Mean(by), false) => {
            let by = divisor(pool, by);
            format!("{out}.data[{window}] = sum({first}.data[places]) / {by}")
        }
        (PoolOf::Mean(by), true) => {
            let by = divisor(pool, by);
            format!("{out}.data[places] += {first}.data[{window}] / {by}")
        }
    };
    page.line(node, &text);
}

/// The index along a dimension of an element of a window: `(2*i + a - 1)`.
fn place(dim: &Windows, window: &str, inside: &str) -> String {
    let mut terms = Vec::new();
    for (n, factor, name) in [
        (dim.count, dim.step, window),
        (dim.size, dim.dilation, inside),
    ] {
        match factor {
            _ if n == 1 => {}
            1 => terms.push(name.to_owned()),
            factor => terms.push(format!("{factor}*{name}")),
        }
    }
    let text = match (terms.join(" + "), dim.before) {
        (text, 0) if text.is_empty() => "0".to_owned(),
        (text, 0) => text,
        (text, before) => format!("{text} - {before}"),
    };
    match text.contains(' ') {
        true => format!("({text})"),
        false => text,
    }
}

/// Whether a window has elements beyond the plane.
fn reaches_out(dim: &Windows) -> bool {
    let end = (dim.count - 1) * dim.step + (dim.size - 1) * dim.dilation + 1;
    dim.before > 0 || end > dim.n
}

fn divisor(pool: &Pool, by: Divisor) -> String {
    let is_whole = !pool.dims.iter().any(reaches_out);
    match by {
        Divisor::Given(n) => n.to_string(),
        _ if is_whole => pool
            .dims
            .map(|dim| dim.size)
            .iter()
            .product::<usize>()
            .to_string(),
        Divisor::Inside => "len(places)".to_owned(),
        Divisor::Padded => "(len(places) + how many are padding)".to_owned(),
    }
}
