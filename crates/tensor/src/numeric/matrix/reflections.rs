//! Householder's reflections.

/// A reflection 1 − tau v vᵀ that turns x into (beta, 0, …): beta and tau; x becomes v, whose first element is 1.
pub(super) fn reflection(x: &mut [f64]) -> (f64, f64) {
    let Some((&mut alpha, below)) = x.split_first_mut() else {
        return (0.0, 0.0);
    };
    // Scaled, so that squares stay within range.
    let largest = below.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    if largest == 0.0 {
        x[0] = 1.0;
        return (alpha, 0.0);
    }
    let norm = below
        .iter()
        .map(|x| (x / largest) * (x / largest))
        .sum::<f64>()
        .sqrt()
        * largest;
    let beta = -alpha.hypot(norm).copysign(alpha);
    below.iter_mut().for_each(|x| *x /= alpha - beta);
    x[0] = 1.0;
    (beta, (beta - alpha) / beta)
}
