//! Attention as it is written out: products of queries and keys, a mask, shares, and their product with values.

use glowgrad::Result;

use super::functions::{int, ints};
use super::patterns::{Look, Pattern};

/// Numbers below it are as good as minus infinity in a softmax.
const LOW: f64 = -1e9;

impl<'a> Look<'a, '_> {
    pub(super) fn attention(&self, name: &str) -> Result<Option<Pattern>> {
        let Some([shares, v]) = self.made(name, "MatMul") else {
            return Ok(None);
        };
        let Some(softmax) = self.step(shares).filter(|step| step.node.op == "Softmax") else {
            return Ok(None);
        };
        let n = self.seen.shapes(shares)[0].len() as i64;
        if n < 3 || ![-1, n - 1].contains(&int(softmax.node, "axis", -1)) {
            return Ok(None);
        }
        let mut scores = softmax.inputs[0].as_str();
        let mut is_causal = false;
        if let Some([mask, first, second]) = self.made(scores, "Where") {
            let is_gone =
                |name: &str| -> Result<bool> { Ok(self.number(name)?.is_some_and(|x| x < LOW)) };
            let kept = match (is_gone(first)?, is_gone(second)?) {
                (false, true) if self.below(mask, |x| x != 0.0)? => first,
                (true, false) if self.below(mask, |x| x == 0.0)? => second,
                _ => return Ok(None),
            };
            (scores, is_causal) = (kept, true);
        } else {
            for (kept, mask) in self.both(scores, "Add") {
                if self.seen.dtype(mask).is_float() && self.below(mask, |x| x == 0.0)? {
                    (scores, is_causal) = (kept, true);
                    break;
                }
            }
        }
        let (product, mut factor) = self.scaled(scores)?;
        let Some([q, turned]) = self.made(product, "MatMul") else {
            return Ok(None);
        };
        let (q, of_q) = self.scaled(q)?;
        let (turned, of_k) = self.scaled(turned)?;
        let Some(step) = self.step(turned).filter(|step| step.node.op == "Transpose") else {
            return Ok(None);
        };
        // Keys are turned at once with what came before: their own order is the same with the last two exchanged.
        let Some(mut order) = ints(step.node, "perm").filter(|order| order.len() == n as usize)
        else {
            return Ok(None);
        };
        order.swap(n as usize - 2, n as usize - 1);
        let (k, more) = self.scaled(&step.inputs[0])?;
        factor *= of_q * of_k * more;
        let [shapes_q, shapes_k, shapes_v] = [q, k, v].map(|name| self.seen.shapes(name));
        let ordered = |shape: &Vec<usize>| -> Vec<usize> {
            let size = |&at: &i64| {
                usize::try_from(at)
                    .ok()
                    .and_then(|at| shape.get(at).copied())
            };
            order.iter().filter_map(size).collect()
        };
        let shapes_k = [ordered(&shapes_k[0]), ordered(&shapes_k[1])];
        let width = shapes_q[0].last().copied().unwrap_or(1) as f64;
        let at = n as usize;
        let fits = (0..2).all(|i| {
            let [q, k, v] = [&shapes_q[i], &shapes_k[i], &shapes_v[i]];
            q.len() == at
                && k.len() == at
                && v.len() == at
                && q[..at - 2] == k[..at - 2]
                && k[..at - 1] == v[..at - 1]
        });
        let is_usual = (factor * width.sqrt() - 1.0).abs() < 1e-5;
        let all_vary = [q, k, v].iter().all(|name| self.seen.varies(name));
        Ok((fits && is_usual && all_vary).then(|| Pattern::Attention {
            q: q.to_owned(),
            k: k.to_owned(),
            order,
            v: v.to_owned(),
            is_causal,
        }))
    }

    /// Whether a mask, whatever size is open in it, has values that stay up to the diagonal and none that does above it.
    fn below(&self, mask: &str, stays: fn(f64) -> bool) -> Result<bool> {
        let Some(pair) = self.seen.sized(mask) else {
            return Ok(false);
        };
        for tensor in pair {
            let shape = tensor.shape();
            let [.., rows, columns] = shape[..] else {
                return Ok(false);
            };
            let is_one = shape.iter().product::<usize>() == rows * columns;
            if !is_one || rows != columns || rows == 0 {
                return Ok(false);
            }
            let is_float = tensor.dtype().is_float();
            let right = |(i, x): (usize, &f64)| match i % columns <= i / columns {
                true => stays(*x),
                false => !stays(*x) && (!is_float || *x < LOW),
            };
            if !tensor.to_f64()?.iter().enumerate().all(right) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
