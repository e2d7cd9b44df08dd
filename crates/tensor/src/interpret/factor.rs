//! Determinants, systems and factorisations by definition: elimination with full pivoting, the
//! recurrence of Cholesky, and whole Householder matrices. Slower than a backend's and written
//! another way, so that agreement means something.

use super::{Values, broken};
use crate::Result;
use crate::alu::Value;
use crate::dtype::Scalar;
use crate::kernel::Factor;
use crate::node::{Node, NodeRef};

type Matrix = Vec<Vec<f64>>;

/// The elements of a factor node.
pub(super) fn evaluate(
    kind: Factor,
    node: &NodeRef,
    src: &[NodeRef],
    operands: &[Values],
) -> Result<Vec<Value>> {
    let [batch, m, n] = src[0].shape[..] else {
        return Err(broken(node));
    };
    let mut out = Vec::new();
    for at in 0..batch {
        let a = matrix(&operands[0], at, m, n);
        let refused = |order| kind.refusal(at, node.attrs[1].as_bool(), order);
        match kind {
            Factor::Det => out.push(eliminate(a, identity(n)).1),
            Factor::Inverse => {
                let (x, _) = eliminate(a, identity(n));
                out.extend(x.map_err(refused)?.concat());
            }
            Factor::Solve => {
                let b = matrix(&operands[1], at, n, src[1].shape[2]);
                out.extend(eliminate(a, b).0.map_err(refused)?.concat());
            }
            Factor::Cholesky => out.extend(cholesky(&a).map_err(refused)?.concat()),
            Factor::QrQ => out.extend(rows(&householder(a).0, m, width(node))),
            Factor::QrR => out.extend(rows(&householder(a).1, width(node), n)),
            Factor::Packed(decomposition) => {
                let failed = |why| kind.failure(at, node.attrs[1].as_bool(), why);
                out.extend(decomposition.run(&a.concat(), m, n).map_err(failed)?);
            }
        }
    }
    let value = |x| Value::from_scalar(Scalar::Float(x), node.dtype);
    Ok(out.into_iter().map(value).collect())
}

fn width(node: &Node) -> usize {
    node.attrs[0].as_int() as usize
}

fn matrix(values: &[Value], at: usize, m: usize, n: usize) -> Matrix {
    let element = |i: usize, j: usize| values[(at * m + i) * n + j].scalar().as_f64();
    (0..m)
        .map(|i| (0..n).map(|j| element(i, j)).collect())
        .collect()
}

fn rows(a: &Matrix, m: usize, n: usize) -> Vec<f64> {
    a[..m].iter().flat_map(|row| row[..n].to_vec()).collect()
}

fn identity(n: usize) -> Matrix {
    let one = |i: usize, j: usize| f64::from(u8::from(i == j));
    (0..n)
        .map(|i| (0..n).map(|j| one(i, j)).collect())
        .collect()
}

/// Gauss and Jordan, choosing the largest element of what is left: the solution of A X = B (or the
/// order at which the matrix turned out singular), and the determinant.
fn eliminate(mut a: Matrix, mut b: Matrix) -> (Result<Matrix, usize>, f64) {
    let n = a.len();
    let mut columns: Vec<usize> = (0..n).collect();
    let mut det = 1.0;
    for p in 0..n {
        let (mut row, mut column) = (p, p);
        for i in p..n {
            for j in p..n {
                if a[i][j].abs() > a[row][column].abs() || a[i][j].is_nan() {
                    (row, column) = (i, j);
                }
            }
        }
        if row != p {
            a.swap(p, row);
            b.swap(p, row);
            det = -det;
        }
        if column != p {
            a.iter_mut().for_each(|row| row.swap(p, column));
            columns.swap(p, column);
            det = -det;
        }
        let pivot = a[p][p];
        if pivot == 0.0 {
            return (Err(p + 1), 0.0);
        }
        det *= pivot;
        for i in (0..n).filter(|&i| i != p) {
            let times = a[i][p] / pivot;
            for side in [&mut a, &mut b] {
                let pivot_row = side[p].clone();
                for (x, y) in side[i].iter_mut().zip(&pivot_row) {
                    *x -= times * y;
                }
            }
        }
    }
    let mut x = b.clone();
    for (p, row) in b.into_iter().enumerate() {
        x[columns[p]] = row.into_iter().map(|y| y / a[p][p]).collect();
    }
    (Ok(x), det)
}

/// L[i][j] = (A[i][j] − Σ L[i][k] L[j][k]) / L[j][j].
fn cholesky(a: &Matrix) -> Result<Matrix, usize> {
    let n = a.len();
    let mut l = vec![vec![0.0; n]; n];
    for j in 0..n {
        for i in j..n {
            let dot: f64 = (0..j).map(|k| l[i][k] * l[j][k]).sum();
            let rest: f64 = a[i][j] - dot;
            l[i][j] = match i == j {
                true if rest > 0.0 => rest.sqrt(),
                true => return Err(j + 1),
                false => rest / l[j][j],
            };
        }
    }
    Ok(l)
}

fn multiply(a: &Matrix, b: &Matrix) -> Matrix {
    let columns = b.first().map_or(0, Vec::len);
    let dot = |row: &Vec<f64>, j: usize| row.iter().zip(b).map(|(x, y)| x * y[j]).sum();
    a.iter()
        .map(|row| (0..columns).map(|j| dot(row, j)).collect())
        .collect()
}

/// Q and R as a product of reflections 1 − 2 v vᵀ / vᵀv. A column that is zero below the diagonal is
/// left alone, as LAPACK does; else the diagonal gets the opposite sign of what was there.
fn householder(mut r: Matrix) -> (Matrix, Matrix) {
    let (m, n) = (r.len(), r.first().map_or(0, Vec::len));
    let mut q = identity(m);
    for p in 0..m.min(n) {
        if r[p + 1..].iter().all(|row| row[p] == 0.0) {
            continue;
        }
        let norm = r[p..].iter().map(|row| row[p] * row[p]).sum::<f64>().sqrt();
        let mut v = vec![0.0; m];
        (p..m).for_each(|i| v[i] = r[i][p]);
        v[p] += norm.copysign(r[p][p]);
        let square: f64 = v.iter().map(|x| x * x).sum();
        let mut h = identity(m);
        for i in 0..m {
            for j in 0..m {
                h[i][j] -= 2.0 * v[i] * v[j] / square;
            }
        }
        r = multiply(&h, &r);
        // Below the diagonal are zeros by construction, without sign or rounding.
        for (i, row) in r.iter_mut().enumerate() {
            row[..i.min(p + 1)].fill(0.0);
        }
        q = multiply(&q, &h);
    }
    (q, r)
}
