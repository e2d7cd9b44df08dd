//! Shapes and parts of values: reshaped, repeated, cut, joined, picked; and what only an open size decides.

use glowgrad::{DType, Tensor};
use serde_json::json;

use super::drawing::{Drawing, Result1, args, no};
use super::functions::{axis, int, ints};
use super::seen::SeenNode;

/// Of how many rows of neighbours a picture may be joined.
const MOST_ROWS: usize = 64;

/// A size in both runs.
type Pair = (usize, usize);

fn pairs(shapes: &[Vec<usize>; 2]) -> Vec<Pair> {
    shapes[0]
        .iter()
        .copied()
        .zip(shapes[1].iter().copied())
        .collect()
}

/// A size as an argument: -1 where it is open.
fn size((a, b): Pair) -> i64 {
    if a == b { a as i64 } else { -1 }
}

/// The same elements in another shape, by the function that says it best.
pub(super) fn reshaped(
    d: &mut Drawing<'_, '_>,
    from: &str,
    to: &str,
    x: String,
) -> Result1<String> {
    let (before, after) = (pairs(&d.seen.shapes(from)), pairs(&d.seen.shapes(to)));
    if before == after {
        return Ok(x);
    }
    let shorter = before.len().min(after.len());
    let first = (0..shorter).take_while(|&i| before[i] == after[i]).count();
    let last = (0..shorter - first)
        .take_while(|&i| before[before.len() - 1 - i] == after[after.len() - 1 - i])
        .count();
    let mut start = first;
    let (end, end_after) = (before.len() - last, after.len() - last);
    // Sizes of 1 that come or go take a neighbour with them.
    if (start == end || start == end_after) && start > 0 {
        start -= 1;
    }
    let (gone, come) = (&before[start..end], &after[start..end_after]);
    match (gone.len(), come.len()) {
        (2.., 1) => {
            let dims = [
                ("start_dim", json!(start)),
                ("end_dim", json!(end as i64 - 1)),
            ];
            let mut dims = args(&dims);
            if last == 0 {
                dims.remove("end_dim");
            }
            Ok(d.add("flatten", dims, vec![x]))
        }
        (1, 2..) if come.iter().filter(|size| size.0 != size.1).count() <= 1 => {
            let sizes: Vec<i64> = come.iter().copied().map(size).collect();
            Ok(d.add(
                "unflatten",
                args(&[("dim", json!(start)), ("sizes", json!(sizes))]),
                vec![x],
            ))
        }
        _ => {
            let sizes: Vec<i64> = after.iter().copied().map(size).collect();
            if sizes.iter().filter(|&&size| size < 0).count() > 1 {
                return no("its shape has several open sizes; export the model with fixed ones");
            }
            Ok(d.add("reshape", args(&[("shape", json!(sizes))]), vec![x]))
        }
    }
}

/// Dimensions in another order; two that are exchanged are `transpose`.
pub(super) fn permuted(d: &mut Drawing<'_, '_>, order: &[i64], x: String) -> String {
    let moved: Vec<i64> = (order.iter().enumerate())
        .filter(|(i, at)| **at != *i as i64)
        .map(|(i, _)| i as i64)
        .collect();
    match moved[..] {
        [] => x,
        [a, b] => {
            let dims = [("dim0", json!(a)), ("dim1", json!(b))];
            d.add("transpose", args(&dims), vec![x])
        }
        _ => d.add("permute", args(&[("dims", json!(order))]), vec![x]),
    }
}

/// A value repeated to a shape.
pub(super) fn expanded(
    d: &mut Drawing<'_, '_>,
    from: &str,
    to: &str,
    x: String,
) -> Result1<String> {
    let (before, after) = (pairs(&d.seen.shapes(from)), pairs(&d.seen.shapes(to)));
    if before == after {
        return Ok(x);
    }
    if before.len() == after.len() && before[0] == (1, 1) && before[1..] == after[1..] {
        let batch = (d.seen.inputs.iter().zip(&d.seen.input_names))
            .find(|(_, name)| pairs(&d.seen.shapes(name)).first() == after.first())
            .map(|(input, _)| input.name.clone());
        if let Some(batch) = batch {
            return Ok(d.add("expand_batch", args(&[]), vec![x, batch]));
        }
    }
    no("it repeats other dimensions than the batch")
}

/// What no input's values decide, but its sizes do: places in a sequence, or one sample's values for the whole batch.
pub(super) fn sized(d: &mut Drawing<'_, '_>, name: &str, pair: &[Tensor; 2]) -> Result1<String> {
    let [a, b] = pair;
    if a.dtype() == DType::I64 && a.shape().len() == 1 {
        let is_counted = |x: &Tensor| -> glowgrad::Result<bool> {
            Ok(crate::call::integers(x)?
                .iter()
                .enumerate()
                .all(|(i, &n)| n == i as i64))
        };
        let length = (a.shape()[0], b.shape()[0]);
        let found = (d.seen.inputs.iter().zip(&d.seen.input_names)).find_map(|(input, name)| {
            let dim = pairs(&d.seen.shapes(name))
                .iter()
                .position(|size| *size == length)?;
            Some((input.name.clone(), dim))
        });
        if let (Some((input, dim)), true) = (found, is_counted(a)? && is_counted(b)?) {
            let id = d.add("positions", args(&[("dim", json!(dim))]), vec![input]);
            d.set(name, id.clone());
            return Ok(id);
        }
    }
    if a.dtype().is_float()
        && a.shape().len() == b.shape().len()
        && !a.shape().is_empty()
        && a.shape()[0] > 0
    {
        let rows = |x: &Tensor| -> glowgrad::Result<Vec<Vec<u8>>> {
            let bytes = x.to_bytes()?;
            Ok(bytes
                .chunks(bytes.len() / x.shape()[0].max(1))
                .map(<[u8]>::to_vec)
                .collect())
        };
        let (mut all, more) = (rows(a)?, rows(b)?);
        all.extend(more);
        if all.iter().all(|row| *row == all[0]) {
            let one = a.select(0, 0)?.unsqueeze(0)?;
            let one = d.parameter(&format!("{name} of one"), &one)?;
            let batch = (d.seen.inputs.iter().zip(&d.seen.input_names))
                .find(|(_, input)| {
                    pairs(&d.seen.shapes(input)).first() == Some(&(a.shape()[0], b.shape()[0]))
                })
                .map(|(input, _)| input.name.clone());
            if let Some(batch) = batch {
                let id = d.add("expand_batch", args(&[]), vec![one, batch]);
                d.set(name, id.clone());
                return Ok(id);
            }
        }
    }
    no(format!(
        "its input {name:?} changes with an open size; export the model with fixed sizes"
    ))
}

pub(super) fn split(d: &mut Drawing<'_, '_>, step: &SeenNode<'_>) -> Result1<bool> {
    let x = d.source(&step.inputs[0])?;
    let n = d.seen.shapes(&step.inputs[0])[0].len();
    let dim = axis(int(step.node, "axis", 0), n);
    let sizes: Vec<Pair> = step
        .outputs
        .iter()
        .map(|name| pairs(&d.seen.shapes(name))[dim])
        .collect();
    if sizes.iter().all(|size| *size == sizes[0]) {
        let id = d.add(
            "chunk",
            args(&[("chunks", json!(sizes.len())), ("dim", json!(dim))]),
            vec![x],
        );
        for (i, output) in step.outputs.iter().enumerate() {
            d.set(
                output,
                if i == 0 {
                    id.clone()
                } else {
                    format!("{id}.{i}")
                },
            );
        }
        return Ok(true);
    }
    let mut start = 0;
    for (output, (length, other)) in step.outputs.iter().zip(sizes) {
        if length != other {
            return no("its parts are of an open size");
        }
        let part = [
            ("dim", json!(dim)),
            ("start", json!(start)),
            ("length", json!(length)),
        ];
        let id = d.add("narrow", args(&part), vec![x.clone()]);
        d.set(output, id);
        start += length;
    }
    Ok(true)
}

pub(super) fn slice(d: &mut Drawing<'_, '_>, step: &SeenNode<'_>) -> Result1<String> {
    let node = step.node;
    let list = |i: usize, name: &str| -> Result1<Option<Vec<i64>>> {
        match step.inputs.get(i).filter(|input| !input.is_empty()) {
            Some(input) => match d.seen.whole(input)? {
                Some(list) => Ok(Some(list)),
                None => no("an open size decides its bounds"),
            },
            None => Ok(ints(node, name)),
        }
    };
    let starts = list(1, "starts")?.unwrap_or_default();
    let given = list(3, "axes")?;
    let steps = list(4, "steps")?;
    if steps.is_some_and(|steps| steps.iter().any(|&n| n != 1)) {
        return no("its steps are not 1");
    }
    let (before, after) = (
        pairs(&d.seen.shapes(&step.inputs[0])),
        pairs(&d.seen.shapes(&step.outputs[0])),
    );
    let axes = given.unwrap_or_else(|| (0..starts.len() as i64).collect());
    let mut x = d.source(&step.inputs[0])?;
    for (&start, &at) in starts.iter().zip(&axes) {
        let dim = axis(at, before.len());
        if before[dim] == after[dim] {
            continue;
        }
        let (n, other) = before[dim];
        let from = |n: usize| (if start < 0 { start + n as i64 } else { start }).clamp(0, n as i64);
        let (length, second) = after[dim];
        if length != second || from(n) != from(other) {
            return no("it cuts an open size");
        }
        let part = [
            ("dim", json!(dim)),
            ("start", json!(from(n))),
            ("length", json!(length)),
        ];
        x = d.add("narrow", args(&part), vec![x]);
    }
    Ok(x)
}

pub(super) fn gather(d: &mut Drawing<'_, '_>, step: &SeenNode<'_>) -> Result1<String> {
    let [data, index] = &step.inputs[..] else {
        return no("it has not two inputs");
    };
    let shape = d.seen.shapes(data)[0].clone();
    let dim = axis(int(step.node, "axis", 0), shape.len());
    let is_table = dim == 0 && shape.len() == 2 && d.seen.dtype(data).is_float();
    if is_table && d.seen.constant(index)?.is_none() {
        let Some(table) = d.seen.constant(data)?.cloned() else {
            return no("its table is no constant");
        };
        let sizes = [
            ("num_embeddings", json!(shape[0])),
            ("embedding_dim", json!(shape[1])),
        ];
        let source = d.source(index)?;
        return d.layer(
            "Embedding",
            args(&sizes),
            &[data],
            vec![("weight", table)],
            vec![source],
        );
    }
    let Some(list) = d.seen.whole(index)? else {
        return no("its indices are computed, and its table is no matrix of weights");
    };
    let x = d.source(data)?;
    let n = pairs(&d.seen.shapes(data))[dim];
    if d.seen.shapes(index)[0].is_empty() {
        return Ok(d.add(
            "select",
            args(&[("dim", json!(dim)), ("index", json!(list[0]))]),
            vec![x],
        ));
    }
    if d.seen.shapes(index)[0].len() != 1 || n.0 != n.1 || list.is_empty() {
        return no("its indices are no list, or of an open size");
    }
    // Rows of neighbours, joined.
    let mut rows: Vec<(i64, usize)> = Vec::new();
    for at in list
        .iter()
        .map(|&at| if at < 0 { at + n.0 as i64 } else { at })
    {
        match rows.last_mut() {
            Some((start, length)) if *start + *length as i64 == at => *length += 1,
            _ => rows.push((at, 1)),
        }
    }
    if rows.len() > MOST_ROWS {
        return no("its indices are in no order");
    }
    let parts: Vec<String> = (rows.into_iter())
        .map(|(start, length)| {
            let part = [
                ("dim", json!(dim)),
                ("start", json!(start)),
                ("length", json!(length)),
            ];
            d.add("narrow", args(&part), vec![x.clone()])
        })
        .collect();
    Ok(match &parts[..] {
        [one] => one.clone(),
        _ => d.add("cat", args(&[("dim", json!(dim))]), parts),
    })
}
