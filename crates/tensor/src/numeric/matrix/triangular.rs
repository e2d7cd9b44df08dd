//! L U with partial pivoting (Golub & Van Loan, 3.4).

use super::add;
use crate::interrupt;

/// L and U in one matrix, the rows by their pivots, and the pivots as LAPACK counts.
pub(super) fn lu(a: &[f64], m: usize, n: usize) -> Vec<f64> {
    let k = m.min(n);
    let mut a = a.to_vec();
    let mut rows: Vec<usize> = (0..m).collect();
    let mut pivots = Vec::with_capacity(k);
    for p in 0..k {
        if interrupt::spend((m - p) * (n - p)) {
            break;
        }
        let size = |i: usize| a[i * n + p].abs();
        let mut best = p;
        for i in p + 1..m {
            if size(i) > size(best) {
                best = i;
            }
        }
        pivots.push((best + 1) as f64);
        if best != p {
            (0..n).for_each(|j| a.swap(p * n + j, best * n + j));
            rows.swap(p, best);
        }
        let (above, below) = a.split_at_mut((p + 1) * n);
        let pivot_row = &above[p * n..];
        let pivot = pivot_row[p];
        if pivot == 0.0 {
            continue;
        }
        for row in below.chunks_exact_mut(n) {
            row[p] /= pivot;
            let times = row[p];
            if times != 0.0 {
                add(&mut row[p + 1..], -times, &pivot_row[p + 1..]);
            }
        }
    }
    pivots.resize(k, 0.0);
    a.extend(rows.into_iter().map(|row| row as f64));
    a.extend(pivots);
    a
}

/// The solution X of A X = B, both n × n, in place of B.
pub(super) fn solve(a: &[f64], b: &mut [f64], n: usize) {
    let packed = lu(a, n, n);
    let (lu, rows) = packed.split_at(n * n);
    let mut x: Vec<f64> = rows[..n]
        .iter()
        .flat_map(|&row| b[row as usize * n..(row as usize + 1) * n].iter().copied())
        .collect();
    for i in 0..n {
        let (known, rest) = x.split_at_mut(i * n);
        for p in 0..i {
            add(&mut rest[..n], -lu[i * n + p], &known[p * n..(p + 1) * n]);
        }
    }
    for i in (0..n).rev() {
        let (rest, known) = x.split_at_mut((i + 1) * n);
        let row = &mut rest[i * n..];
        for p in i + 1..n {
            add(row, -lu[i * n + p], &known[(p - i - 1) * n..(p - i) * n]);
        }
        row.iter_mut().for_each(|x| *x /= lu[i * n + i]);
    }
    b.copy_from_slice(&x);
}
