//! What a routine does, as the loops one would write first.
//!
//! Routines are written by hand for each backend and run otherwise: packed, blocked, in parallel. The
//! result is the same, and the loops here say what it is.

use super::name::{self, Buffers, buffers};
use super::pseudo::{self, Page, address};
use super::{Line, Names, Scheduled, fused_op, wgsl};
use crate::kernel::{Decomposition, Factor, Routine, ScanOp, ScatterReduce};
use crate::trace::NodeId;
use crate::view::View;

pub(super) fn print(page: &mut Page, item: &Scheduled, routine: &Routine, names: &dyn Names) {
    let buffers = buffers(item, names);
    page.head(item, &buffers);
    let (Routine::WithEpilogue { routine, .. }, Some(end)) = (routine, item.epilogue()) else {
        let node: Vec<_> = item.stored().map(|n| n.id).into_iter().collect();
        return print_loops(page, item, routine, &node, &buffers);
    };
    let of_end = name::epilogue_buffers(item, names);
    let node: Vec<_> = item.nodes.first().map(|n| n.id).into_iter().collect();
    let first = Buffers {
        inputs: buffers.inputs,
        outputs: vec![of_end.inputs[0].clone()],
    };
    print_loops(page, item, routine, &node, &first);
    page.depth = 0;
    let note = format!(
        "# an element of {0} goes on at once, in the same kernel: {0} itself is stored nowhere",
        first.outputs[0]
    );
    page.line(&[], &note);
    pseudo::print_loops(page, &end, names, &of_end);
}

/// The loops of a routine that stands alone.
fn print_loops(
    page: &mut Page,
    item: &Scheduled,
    routine: &Routine,
    node: &[NodeId],
    buffers: &Buffers,
) {
    if let Routine::WithEpilogue { routine, .. } = routine {
        return print_loops(page, item, routine, node, buffers);
    }
    let name = |i: usize| buffers.inputs.get(i).map_or("x", String::as_str);
    let out = &buffers.outputs[0];
    match routine {
        Routine::MatMul { a, b, .. } => {
            page.line(
                node,
                "# runs in packed blocks, so that a number fetched once serves many sums",
            );
            let (batch, m, k, n) = (a.shape[0], a.shape[1], a.shape[2], b.shape[2]);
            let words = |names: [&str; 3]| names.map(str::to_owned);
            if batch > 1 {
                page.open("g", batch);
            }
            page.open("i", m);
            page.open("j", n);
            page.line(node, "total = 0");
            page.open("k", k);
            let product = format!(
                "total += {}.data[{}] * {}.data[{}]",
                name(0),
                address(a, &words(["g", "i", "k"])),
                name(1),
                address(b, &words(["g", "k", "j"])),
            );
            page.line(node, &product);
            page.depth -= 1;
            let at = address(&View::contiguous(&[batch, m, n]), &words(["g", "i", "j"]));
            page.line(node, &format!("{out}.data[{at}] = total"));
        }
        Routine::Bits { to, len } => {
            page.open("i", *len);
            let text = format!(
                "{out}.data[i] = the bytes at {}.data, read as {to}",
                name(0)
            );
            page.line(node, &text);
        }
        Routine::Gather { rows, inner, n, .. } => {
            page.open("i", *n);
            page.line(node, &format!("row = {}.data[i]", name(1)));
            page.line(node, &format!("if not 0 <= row < {rows}: raise IndexError"));
            columns(page, *inner);
            let text = format!(
                "{out}.data[{}] = {}.data[{}]",
                at("i", *inner),
                name(0),
                at("row", *inner)
            );
            page.line(node, &text);
        }
        Routine::ScatterAdd { rows, inner, n, .. } => {
            page.line(node, &format!("{out}.data[:] = 0"));
            put(page, node, name(0), *rows, *n, *inner);
            let text = format!(
                "{out}.data[{}] += {}.data[{}]",
                at("row", *inner),
                name(1),
                at("i", *inner)
            );
            page.line(node, &text);
        }
        Routine::Scatter {
            how,
            rows,
            inner,
            n,
            ..
        } => {
            page.line(node, &format!("{out}.data[:] = {}.data[:]", name(0)));
            put(page, node, name(1), *rows, *n, *inner);
            let (to, value) = (
                format!("{out}.data[{}]", at("row", *inner)),
                format!("{}.data[{}]", name(2), at("i", *inner)),
            );
            let text = match how {
                ScatterReduce::Set => format!("{to} = {value}"),
                ScatterReduce::Prod => format!("{to} *= {value}"),
                ScatterReduce::Max => format!("{to} = max({to}, {value})"),
                ScatterReduce::Min => format!("{to} = min({to}, {value})"),
            };
            page.line(node, &text);
        }
        Routine::CopyInto { base, parts, .. } => {
            let first = match base {
                true => format!("{out}.data[:] = {}.data[:]", name(0)),
                false => format!("{out}.data[:] = 0"),
            };
            page.line(node, &first);
            for (i, (to, from)) in parts.iter().enumerate().take(MOST_PARTS) {
                let source = i + usize::from(*base);
                let indices: Vec<String> = (0..to.shape.len()).map(super::pseudo::index).collect();
                let outside = page.depth;
                for (index, &n) in indices.iter().zip(&to.shape).filter(|(_, n)| **n != 1) {
                    page.open(index, n);
                }
                let text = format!(
                    "{out}.data[{}] = {}.data[{}]",
                    address(to, &indices),
                    name(source),
                    address(from, &indices)
                );
                let from = item.inputs.get(source).map(|n| n.id);
                page.line(&[from.as_slice(), node].concat(), &text);
                page.depth = outside;
            }
            if parts.len() > MOST_PARTS {
                page.line(
                    node,
                    &format!("# and {} more parts", parts.len() - MOST_PARTS),
                );
            }
        }
        Routine::Scan {
            op,
            outer,
            n,
            inner,
            ..
        } => {
            around(page, *outer, *inner);
            let here = strided("k", *outer, *n, *inner);
            let x = format!("{}.data[{here}]", name(0));
            let (start, lines) = match op {
                ScanOp::Sum => ("total = 0", vec![format!("total += {x}")]),
                ScanOp::Prod => ("total = 1", vec![format!("total *= {x}")]),
                ScanOp::LogAddExp => (
                    "total = -inf",
                    vec![format!("total = log(exp(total) + exp({x}))")],
                ),
                ScanOp::ArgMax | ScanOp::ArgMin => {
                    let sign = if *op == ScanOp::ArgMax { ">=" } else { "<=" };
                    (
                        "best = none",
                        vec![format!("if {x} {sign} best: best, total = {x}, k")],
                    )
                }
                ScanOp::Recurrence => (
                    "total = 0",
                    vec![format!("total = {x} * total + {}.data[{here}]", name(1))],
                ),
            };
            page.line(node, start);
            page.open("k", *n);
            for line in lines {
                page.line(node, &line);
            }
            page.line(node, &format!("{out}.data[{here}] = total"));
        }
        Routine::ArgSort {
            descending,
            outer,
            n,
            inner,
            ..
        } => {
            around(page, *outer, *inner);
            let here = strided("k", *outer, *n, *inner);
            page.line(
                node,
                &format!("row = [{}.data[{here}] for k in 0..{n}]", name(0)),
            );
            let order = if *descending { "largest" } else { "smallest" };
            page.line(
                node,
                &format!(
                    "# the {order} first, equal ones in the order they came, NaN as the largest"
                ),
            );
            page.line(node, "order = stable_argsort(row)");
            page.open("k", *n);
            page.line(node, &format!("{out}.data[{here}] = order[k]"));
        }
        Routine::SearchSorted {
            right, rows, n, m, ..
        } => {
            page.open("r", *rows);
            page.open("j", *m);
            page.line(node, &format!("low, high = 0, {n}"));
            page.line(node, "while low < high:");
            page.depth += 1;
            page.line(node, "middle = (low + high) // 2");
            let sign = if *right { "<=" } else { "<" };
            page.line(
                node,
                &format!(
                    "if {}.data[{n}*r + middle] {sign} {}.data[{m}*r + j]: low = middle + 1",
                    name(0),
                    name(1)
                ),
            );
            page.line(node, "else: high = middle");
            page.depth -= 1;
            page.line(node, &format!("{out}.data[{m}*r + j] = low"));
        }
        Routine::FusedOp(layer) => fused_op::print(page, node, layer, &buffers.inputs, out),
        Routine::Factor {
            kind,
            sizes: [batch, m, n],
            ..
        } => {
            page.line(node, "# computed in float64, whatever the dtype");
            page.open("g", *batch);
            let a = name(0);
            page.line(node, &format!("A = {a}.data[{}*g:].view({m}, {n})", m * n));
            let text = match kind {
                Factor::Det => {
                    "L, U, swaps = eliminate(A); result = (-1)**swaps * product(diagonal(U))"
                }
                Factor::Inverse => "L, U = eliminate(A); result = solve(U, solve(L, identity))",
                Factor::Solve => "L, U = eliminate(A); result = solve(U, solve(L, B))",
                Factor::Cholesky => {
                    "result = L where L @ L.T == A, row by row from the lower triangle"
                }
                Factor::QrQ => "result = Q where Q @ R == A, by Householder's reflections",
                Factor::QrR => "result = R where Q @ R == A, by Householder's reflections",
                Factor::Packed(decomposition) => match decomposition {
                    Decomposition::Svd | Decomposition::FullSvd => {
                        "result = U, S, Vᵀ where U @ diag(S) @ Vᵀ == A: pairs of columns rotated until all are orthogonal"
                    }
                    Decomposition::Eigh => {
                        "result = L, V where V @ diag(L) @ V.T == A: made tridiagonal by reflections, then diagonal by QL steps"
                    }
                    Decomposition::Eig => {
                        "result = L, V where A @ V == V @ diag(L), by reflections and QR steps"
                    }
                    Decomposition::Lu => "result = L and U, where each row was, and the pivots",
                    Decomposition::Ldl => {
                        "result = L and D, the pivots, and where D is zero: L @ D @ L.T == A, by Bunch's and Kaufman's pivots"
                    }
                    Decomposition::Exp => {
                        "result = 1 + A + A @ A / 2 + …, by Padé's quotient of A / 2**s, squared s times"
                    }
                },
            };
            page.line(node, text);
            page.line(node, &format!("{out}[g] = result"));
        }
        // No loops are written out for it.
        _ => {
            let facts = routine.facts();
            if !facts.formula.is_empty() {
                page.line(node, &format!("# {}", facts.formula));
            }
            let data: Vec<String> = buffers.inputs.iter().map(|x| format!("{x}.data")).collect();
            let call = format!("{out}.data[:] = {}({})", facts.name, data.join(", "));
            page.line(node, &call);
        }
    }
}

/// What a device has written by hand for a routine, under the names of what it reads and writes.
/// An epilogue is printed, so that its lines come from the nodes that they compute.
///
/// # Errors
/// Why an epilogue cannot be printed, as a sentence.
pub fn written(item: &Scheduled, names: &dyn Names, source: &str) -> Result<Vec<Line>, String> {
    let buffers = buffers(item, names);
    let head = format!(
        "// {} = {}({})",
        buffers.outputs[0],
        item.name,
        buffers.inputs.join(", ")
    );
    let end = match item.epilogue() {
        Some(end) => {
            let buffers = name::epilogue_buffers(item, names);
            wgsl::epilogue_of(&end, names, buffers, item.n_operands())?.lines
        }
        None => Vec::new(),
    };
    // By hand is what makes the first node; an epilogue stands behind it.
    let by_hand = end.first().and_then(|line| source.split(&line.text).next());
    let nodes: Vec<NodeId> = item.nodes.first().map(|n| n.id).into_iter().collect();
    let lines = std::iter::once(head.as_str()).chain(by_hand.unwrap_or(source).lines());
    let line = |text: &str| Line {
        text: text.to_owned(),
        nodes: nodes.clone(),
    };
    Ok(lines.map(line).chain(end).collect())
}

/// Most parts of a write that are printed.
const MOST_PARTS: usize = 8;

/// Element `j` of a row: `inner*row + j`.
fn at(row: &str, inner: usize) -> String {
    match inner {
        1 => row.to_owned(),
        _ => format!("{inner}*{row} + j"),
    }
}

fn columns(page: &mut Page, inner: usize) {
    if inner != 1 {
        page.open("j", inner);
    }
}

/// The loops of what puts rows where an index says.
fn put(page: &mut Page, node: &[u64], index: &str, rows: usize, n: usize, inner: usize) {
    page.open("i", n);
    page.line(node, &format!("row = {index}.data[i]"));
    page.line(node, &format!("if not 0 <= row < {rows}: raise IndexError"));
    columns(page, inner);
}

pub(super) fn around(page: &mut Page, outer: usize, inner: usize) {
    for (name, n) in [("o", outer), ("i", inner)] {
        if n != 1 {
            page.open(name, n);
        }
    }
}

pub(super) fn strided(index: &str, outer: usize, n: usize, inner: usize) -> String {
    let indices = ["o", index, "i"].map(str::to_owned);
    address(&View::contiguous(&[outer, n, inner]), &indices)
}
