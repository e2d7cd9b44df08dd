//! Decompositions multiply back to the matrix they are of, whatever it is.

use super::{Decomposition, Failure, dot, transposed};

/// Numbers between −1 and 1, drawn (Knuth's MMIX generator).
fn drawn(n: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut next = |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1u32 << 30) - 1.0
    };
    (0..n).map(&mut next).collect()
}

/// x @ y of m × k and k × n matrices.
fn product(x: &[f64], y: &[f64], m: usize, k: usize, n: usize) -> Vec<f64> {
    let columns = transposed(y, k, n);
    (0..m * n)
        .map(|at| {
            let (i, j) = (at / n, at % n);
            dot(&x[i * k..(i + 1) * k], &columns[j * k..(j + 1) * k])
        })
        .collect()
}

fn farthest(x: &[f64], y: &[f64]) -> f64 {
    assert_eq!(x.len(), y.len());
    x.iter()
        .zip(y)
        .fold(0.0, |most, (x, y)| f64::max(most, (x - y).abs()))
}

fn identity(n: usize) -> Vec<f64> {
    (0..n * n)
        .map(|at| f64::from(u8::from(at / n.max(1) == at % n.max(1))))
        .collect()
}

/// Scales each column j of an m × n matrix.
fn columns_scaled(x: &[f64], by: &[f64]) -> Vec<f64> {
    x.chunks(by.len().max(1))
        .flat_map(|row| row.iter().zip(by).map(|(x, by)| x * by))
        .collect()
}

fn matrices() -> Vec<(Vec<f64>, usize, usize)> {
    let mut all = Vec::new();
    for (i, (m, n)) in [
        (1, 1),
        (3, 3),
        (5, 3),
        (3, 5),
        (20, 7),
        (7, 20),
        (40, 40),
        (0, 3),
        (2, 0),
    ]
    .into_iter()
    .enumerate()
    {
        all.push((drawn(m * n, i as u64 + 1), m, n));
    }
    all.push((vec![1.0; 16], 4, 4));
    all.push((vec![0.0; 12], 3, 4));
    all.push((identity(5), 5, 5));
    all
}

#[test]
fn singular_values_multiply_back() -> Result<(), Failure> {
    for (a, m, n) in matrices() {
        for full in [false, true] {
            let kind = if full {
                Decomposition::FullSvd
            } else {
                Decomposition::Svd
            };
            let out = kind.run(&a, m, n)?;
            assert_eq!(out.len(), kind.len(m, n));
            let k = m.min(n);
            let (mu, nv) = if full { (m, n) } else { (k, k) };
            let (u, rest) = out.split_at(m * mu);
            let (s, vh) = rest.split_at(k);
            assert!(s.windows(2).all(|pair| pair[0] >= pair[1]));
            assert!(s.iter().all(|&s| s >= 0.0));
            let orthogonal = |x: &[f64], rows: usize, len: usize| {
                farthest(
                    &product(x, &transposed(x, rows, len), rows, len, rows),
                    &identity(rows),
                )
            };
            assert!(orthogonal(&transposed(u, m, mu), mu, m) < 1e-13);
            assert!(orthogonal(vh, nv, n) < 1e-13);
            let narrow: Vec<f64> = u
                .chunks(mu.max(1))
                .flat_map(|row| row[..k.min(row.len())].to_vec())
                .collect();
            let back = product(&columns_scaled(&narrow, s), &vh[..k * n], m, k, n);
            assert!(farthest(&back, &a) < 1e-13, "{m} × {n}");
        }
    }
    Ok(())
}

#[test]
fn symmetric_matrices_multiply_back() -> Result<(), Failure> {
    for (a, m, n) in matrices() {
        // Aᵀ A
        let a = product(&transposed(&a, m, n), &a, n, m, n);
        let out = Decomposition::Eigh.run(&a, n, n)?;
        let (l, v) = out.split_at(n);
        assert!(l.windows(2).all(|pair| pair[0] <= pair[1]));
        let back = product(&columns_scaled(v, l), &transposed(v, n, n), n, n, n);
        assert!(farthest(&back, &a) < 1e-12);
        let mut found = Decomposition::Eig.run(&a, n, n)?[..n].to_vec();
        found.sort_by(f64::total_cmp);
        assert!(farthest(&found, l) < 1e-12);
    }
    Ok(())
}

#[test]
fn real_eigenvalues_are_found_and_complex_ones_refused() -> Result<(), Failure> {
    // The companion of (x − 1)(x − 2)(x − 3).
    let a = [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 6.0, -11.0, 6.0];
    let out = Decomposition::Eig.run(&a, 3, 3)?;
    let (l, v) = out.split_at(3);
    let mut sorted = l.to_vec();
    sorted.sort_by(f64::total_cmp);
    assert!(farthest(&sorted, &[1.0, 2.0, 3.0]) < 1e-13);
    assert!(farthest(&product(&a, v, 3, 3, 3), &columns_scaled(v, l)) < 1e-13);
    let turn = [0.0, 1.0, -1.0, 0.0];
    assert_eq!(Decomposition::Eig.run(&turn, 2, 2), Err(Failure::Complex));
    // Nearly defective, and larger than squares of floats may be.
    assert!(Decomposition::Eig.run(&[0.0, 1.0, 0.0, 0.0], 2, 2).is_ok());
    assert!(
        Decomposition::Eig
            .run(&[2e200, 1e200, 1e200, 2e200], 2, 2)
            .is_ok()
    );
    for kind in [Decomposition::Svd, Decomposition::Eigh, Decomposition::Eig] {
        assert_eq!(kind.run(&[f64::NAN], 1, 1), Err(Failure::NotFinite));
    }
    Ok(())
}

#[test]
fn exponentials_are_their_series() -> Result<(), Failure> {
    for (scale, seed) in [(0.1, 3), (1.0, 4), (4.0, 5)] {
        let a: Vec<f64> = drawn(16, seed).iter().map(|x| x * scale).collect();
        let (mut term, mut sum) = (identity(4), identity(4));
        for k in 1..80 {
            term = product(&term, &a, 4, 4, 4)
                .iter()
                .map(|x| x / f64::from(k))
                .collect();
            sum.iter_mut().zip(&term).for_each(|(sum, x)| *sum += x);
        }
        let got = Decomposition::Exp.run(&a, 4, 4)?;
        let size = sum.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
        assert!(farthest(&got, &sum) < 1e-13 * size, "{scale}");
    }
    Ok(())
}

/// x @ y @ xᵀ of n × n matrices.
fn around(x: &[f64], y: &[f64], n: usize) -> Vec<f64> {
    product(&product(x, y, n, n, n), &transposed(x, n, n), n, n, n)
}

#[test]
fn indefinite_matrices_multiply_back() -> Result<(), Failure> {
    let mut blocks = 0;
    for (a, m, n) in matrices() {
        if m != n {
            continue;
        }
        let a: Vec<f64> = (a.iter().zip(transposed(&a, n, n)))
            .map(|(x, y)| x + y)
            .collect();
        let out = Decomposition::Ldl.run(&a, n, n)?;
        assert_eq!(out.len(), Decomposition::Ldl.len(n, n));
        let (ld, pivots) = (&out[..n * n], &out[n * n..n * n + n]);
        let mut steps = Vec::new();
        let mut k = 0;
        while k < n {
            steps.push((k, if pivots[k] < 0.0 { 2 } else { 1 }));
            k += steps.last().map_or(1, |step| step.1);
        }
        let mut back = vec![0.0; n * n];
        for &(k, size) in &steps {
            for (i, j) in [(k, k), (k + size - 1, k), (k + size - 1, k + size - 1)] {
                (back[i * n + j], back[j * n + i]) = (ld[i * n + j], ld[i * n + j]);
            }
        }
        for &(k, size) in steps.iter().rev() {
            blocks += usize::from(size == 2);
            let mut columns = identity(n);
            for i in k + size..n {
                columns[i * n + k..i * n + k + size]
                    .copy_from_slice(&ld[i * n + k..i * n + k + size]);
            }
            let (last, other) = (k + size - 1, pivots[k].abs() as usize - 1);
            let mut exchange = identity(n);
            (0..n).for_each(|j| exchange.swap(last * n + j, other * n + j));
            back = around(&exchange, &around(&columns, &back, n), n);
        }
        assert!(farthest(&back, &a) < 1e-12, "{n}");
        let zero = (0..n).find(|&i| pivots[i] > 0.0 && ld[i * n + i] == 0.0);
        assert_eq!(out[n * n + n] as usize, zero.map_or(0, |i| i + 1), "{n}");
    }
    assert!(blocks > 5, "{blocks}");
    Ok(())
}
