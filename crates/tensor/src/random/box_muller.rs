//! The Box–Muller transform (G. E. P. Box and M. E. Muller, Ann. Math. Stat. 29, 1958) of sixteen
//! uniforms at a time: number `i` and number `i + 8` make one pair.
//!
//! Invariant: the `f32` block is equal, bit for bit, to what PyTorch's AVX2 kernel stores. That
//! kernel takes `ln`, `sin` and `cos` from Moshier's Cephes polynomials (`logf.c`, `sinf.c`), and
//! its compiler joins products and sums into fused multiply-adds, so each `mul_add` below is part
//! of the definition: do not write one as two operations, and do not reorder them.
//!
//! Left to others: drawing the uniforms (`random.rs`).

use super::NORMAL_BLOCK;

const HALF: usize = NORMAL_BLOCK / 2;

/// Turns 16 uniforms in `[0, 1)` into normals: `√(-2 ln(1 - u)) · (cos, sin)(2π v)`.
pub(super) fn block_f32(block: &mut [f32; NORMAL_BLOCK], mean: f32, std: f32) {
    for lane in 0..HALF {
        let radius = (-2.0 * ln(1.0 - block[lane])).sqrt();
        let (sin, cos) = sin_cos(std::f32::consts::TAU * block[lane + HALF]);
        block[lane] = (radius * cos).mul_add(std, mean);
        block[lane + HALF] = (radius * sin).mul_add(std, mean);
    }
}

/// The same in double precision, with the `libm` crate's functions.
pub(super) fn block_f64(block: &mut [f64; NORMAL_BLOCK], mean: f64, std: f64) {
    for lane in 0..HALF {
        let radius = (-2.0 * libm::log(1.0 - block[lane])).sqrt();
        let (sin, cos) = libm::sincos(std::f64::consts::TAU * block[lane + HALF]);
        block[lane] = (radius * cos).mul_add(std, mean);
        block[lane + HALF] = (radius * sin).mul_add(std, mean);
    }
}

/// `ln x` for normal `x > 0`, by Cephes `logf`: `x = m · 2^e` with `m` in `[√½, √2)`, then a
/// polynomial in `m - 1`, with `ln 2` split in two so that `e · ln 2` loses nothing.
fn ln(x: f32) -> f32 {
    const POLYNOMIAL: [f32; 9] = [
        7.037_683_6e-2,
        -1.151_461e-1,
        1.167_699_84e-1,
        -1.242_014_1e-1,
        1.424_932_3e-1,
        -1.666_805_7e-1,
        2.000_071_4e-1,
        -2.499_999_4e-1,
        3.333_333e-1,
    ];
    const LN_2_HIGH: f32 = 355.0 / 512.0;
    const LN_2_LOW: f32 = -2.121_944_4e-4;

    let bits = x.to_bits();
    let mut exponent = ((bits >> 23) as i32 - 126) as f32;
    let fraction = f32::from_bits(bits & 0x007f_ffff | 0x3f00_0000);
    let mut m = fraction - 1.0;
    if fraction < std::f32::consts::FRAC_1_SQRT_2 {
        exponent -= 1.0;
        m += fraction;
    }
    let square = m * m;
    let sum = POLYNOMIAL[1..]
        .iter()
        .fold(POLYNOMIAL[0], |sum, &c| sum.mul_add(m, c));
    let tail = (sum * m).mul_add(square, exponent * LN_2_LOW);
    let tail = square.mul_add(-0.5, tail);
    exponent.mul_add(LN_2_HIGH, m + tail)
}

/// `(sin x, cos x)` for `x >= 0`, by Cephes `sinf`: subtract a multiple of `π/4`, given in three
/// parts, and take the octant's polynomial.
fn sin_cos(x: f32) -> (f32, f32) {
    const FOUR_OVER_PI: f32 = 1.273_239_5;
    const PI_OVER_4: [f32; 3] = [-0.785_156_25, -2.418_756_5e-4, -3.774_895e-8];
    const SIN: [f32; 3] = [-1.951_529_6e-4, 8.332_161e-3, -1.666_665_5e-1];
    const COS: [f32; 3] = [2.443_315_7e-5, -1.388_731_6e-3, 4.166_664_6e-2];

    let octant = ((x * FOUR_OVER_PI) as i32 + 1) & !1;
    let x = PI_OVER_4
        .iter()
        .fold(x, |x, &part| (octant as f32).mul_add(part, x));
    let z = x * x;
    let cos = COS[0].mul_add(z, COS[1]).mul_add(z, COS[2]) * z;
    let cos = cos.mul_add(z, z * -0.5) + 1.0;
    let sin = SIN[0].mul_add(z, SIN[1]).mul_add(z, SIN[2]) * z;
    let sin = sin.mul_add(x, x);

    // Octants 2 and 6 swap the two; the sine changes sign from 4 on, the cosine in 2 and 4.
    let (s, c) = if octant & 2 == 0 {
        (sin, cos)
    } else {
        (cos, sin)
    };
    let s = if octant & 4 == 0 { s } else { -s };
    let c = if (octant - 2) & 4 == 0 { -c } else { c };
    (s, c)
}
