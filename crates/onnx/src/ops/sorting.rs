//! Order: the largest elements, distinct elements.

use std::collections::BTreeMap;

use glowgrad::{Error, Result, Tensor};

use super::many;
use crate::call::{Methods, args, axis, integers};
use crate::graph::{Call, Row};

/// The operators of this family.
pub(super) static ROWS: &[Row] = &[many("TopK", 1, top_k), many("Unique", 11, unique)];

fn top_k(c: &Call) -> Result<Vec<Tensor>> {
    let x = c.x(0)?;
    let k = match c.list_or(1, "k")? {
        Some(list) => list.first().copied(),
        None => None,
    };
    let k = k.or(c.int("k")).ok_or_else(|| c.lacks("k"))?;
    let at = axis(c.int_or("axis", -1), x.rank())?;
    let n = x.shape()[at];
    let k = usize::try_from(k).ok().filter(|&k| k <= n).ok_or_else(|| {
        Error::value(format!(
            "k is {k}; expected 0 to {n}, the size of axis {at}"
        ))
    })?;
    // A stable sort: of equal elements the one with the smaller index comes first.
    let largest = c.int_or("largest", 1) != 0;
    let sorted = glowgrad::bind::call_multi(c.engine, "sort", args![x, at as i64, largest, true])?;
    sorted.iter().map(|part| part.narrow(at, 0, k)).collect()
}

/// Values, the index at which each comes first, where each element of the input went, and how often each is there.
fn unique(c: &Call) -> Result<Vec<Tensor>> {
    let x = c.x(0)?;
    let along = c.int("axis");
    let found = glowgrad::bind::call_multi(c.engine, "unique", args![x, true, true, true, along])?;
    let [values, inverse, counts] = &found[..] else {
        return Err(Error::runtime("unique gives three tensors"));
    };
    let mut places = integers(inverse)?;
    let mut first: BTreeMap<i64, i64> = BTreeMap::new();
    for (i, &place) in places.iter().enumerate() {
        first.entry(place).or_insert(i as i64);
    }
    let mut order: Vec<i64> = first.keys().copied().collect();
    if c.int_or("sorted", 1) == 0 {
        order.sort_by_key(|place| first[place]);
    }
    let mut rank = vec![0; order.len()];
    for (i, &place) in order.iter().enumerate() {
        rank[place as usize] = i as i64;
    }
    for place in &mut places {
        *place = rank[*place as usize];
    }
    let line = |list: &[i64]| Tensor::from_i64(c.engine, list, &[list.len()]);
    let chosen = line(&order)?;
    let dim = match along {
        Some(along) => axis(along, x.rank())? as i64,
        None => 0,
    };
    let firsts: Vec<i64> = order.iter().map(|place| first[place]).collect();
    Ok(vec![
        values.with("index_select", args![dim, chosen])?,
        line(&firsts)?,
        line(&places)?,
        counts.with("index_select", args![0i64, chosen])?,
    ])
}
