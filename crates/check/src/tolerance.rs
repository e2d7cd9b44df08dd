//! How close numbers must be, by dtype, op and device: the one table of tolerances.
//!
//! A number holds when `|got − expected| ≤ absolute · scale + relative · |expected|`. NaN is as close
//! as any NaN, an infinity is close to itself, and zeros agree in their sign where the device has signs
//! of zeros. The scale is 1 but for sums of products, where it is the largest element: where these
//! cancel, the rounding of the result is as large as that of its terms, and a processor without fused
//! multiply-add (wasm) rounds twice.

use std::cell::RefCell;

use glowgrad::{DType, Engine, Scalar, Tensor};

/// What a difference may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// Of the number that is expected.
    pub relative: f64,
    /// Of anything.
    pub absolute: f64,
}

/// One unit in the last place of a float32, of the number itself.
const ULP: f64 = 1.0 / (1 << 23) as f64;

/// Of float32, on every device.
pub const FLOAT32: Tolerance = tolerance(1e-5, 1e-6);

/// On every device; integers and bools are equal.
const BY_DTYPE: &[(DType, Tolerance)] = &[
    // One unit in the last place: PyTorch rounds once more here and there.
    (DType::F16, tolerance(1.0 / 1024.0, 1e-6)),
    (DType::BF16, tolerance(1.0 / 128.0, 1e-6)),
    (DType::F32, FLOAT32),
    (DType::F64, tolerance(1e-12, 1e-12)),
];

/// What WGSL promises less of (its chapter "Floating Point Accuracy") than [`BY_DTYPE`] asks, op by op,
/// for float32 on a device that runs WGSL. Its logarithm (2⁻²¹ or 3 ULP), quotient (2.5 ULP) and root
/// (2 ULP and a quotient) are within the float32 row; what WGSL promises less of (`sin`, `tan`,
/// `asin`, `atan2`, `tanh`, `sinh`) has a formula of ours, which is within that row too. A report lists what
/// needs this table.
pub const BY_WGSL: &[(&[&str], Tolerance, &str)] = &[
    (
        &["exp", "exp2", "expm1", "sinh", "cosh", "logit", "softplus"],
        // 3 + 2 · |x| units in the last place, and float32 has no exponential beyond |x| = 104.
        tolerance(211.0 * ULP, 1e-6),
        "exp(x) is within (3 + 2·|x|) ULP",
    ),
    (
        &["pow", "pow_scalar", "float_power", "xlogy"],
        // |y · log2(x)| is at most 149: 3 ULP of the logarithm become as many of the exponent.
        tolerance(750.0 * ULP, 1e-6),
        "pow(x, y) is exp2(y · log2(x))",
    ),
];

/// Ops whose operands' values are checked on a CPU alone, as in PyTorch: probabilities, and divisors of
/// integers.
const CHECKED_ON_CPU: &[&str] = &[
    "binary_cross_entropy",
    "div",
    "div_floor",
    "div_trunc",
    "floor_divide",
    "fmod",
    "remainder",
];

/// Why an infinity may spread in a convolution with strides.
const BETWEEN: &str = "between the places of a stride a tile multiplies zeros, and zero times an infinity is NaN; the CPU and \
                       PyTorch have no such products";

/// Where a device that runs WGSL need not do as the CPU does, if it does not: ops, parts of the names of
/// values or of a golden case's note, reason.
const WGSL_MAY: &[(&[&str], &[&str], &str)] = &[
    (
        &["std", "std_mean", "var", "var_mean"],
        &["large", "small"],
        "squares of distances leave float32, and WGSL has no float64 to sum them in",
    ),
    (&["to"], &["float32 to int64"], BEYOND_32_BITS),
    (&["to"], &["infinit", "large"], NO_INTEGER),
    (
        &[
            "xlogy",
            "pow",
            "div_floor",
            "binary_cross_entropy",
            "entr",
            "kl_div",
            "lu_factor",
            "qr_r",
        ],
        &["subnormal"],
        SUBNORMAL,
    ),
    (
        &[
            "addcdiv",
            "atan2",
            "bessel_j1",
            "div_floor",
            "i1",
            "i1e",
            "inv",
            "matrix_power",
            "modified_bessel_i1",
            "normalize",
            "sinc",
            "solve",
        ],
        &["small"],
        SUBNORMAL,
    ),
    (&["erfcx", "glu", "log_ndtr"], &["large"], SUBNORMAL),
    (&["amax", "amin"], &["NaN"], ITSELF),
    (&["kl_div"], &["infinit", "zeros", "edges"], REORDERED),
    (&["poisson_nll_loss"], &["infinit"], REORDERED),
    (&["layer_norm"], &["one infinity"], ONE_FORMULA),
    (
        &["conv1d", "conv2d", "conv_transpose1d", "conv_transpose2d"],
        &["infinit"],
        BETWEEN,
    ),
    (
        &[
            "binary_cross_entropy_with_logits_weighted",
            "pairwise_distance",
            "soft_cross_entropy",
            "triplet_margin_loss",
        ],
        &["large"],
        REORDERED,
    ),
];

/// int64 has 32 bits there.
pub(crate) const BEYOND_32_BITS: &str = "an int64 result beyond 32 bits, which the device cuts off";

const NO_INTEGER: &str =
    "what a float beyond an integer's range becomes is not defined, nor is it by PyTorch";

const SUBNORMAL: &str = "a subnormal number may count as zero in one operation and not in the next";

const ITSELF: &str = "a compiler may take it that a number equals itself";

const REORDERED: &str =
    "a compiler may cancel and reorder factors, which shows where one is zero, infinite or huge";

const ONE_FORMULA: &str = "the gradient is one formula there and a chain of rules on the CPU: infinities meet in another order";

const fn tolerance(relative: f64, absolute: f64) -> Tolerance {
    Tolerance { relative, absolute }
}

/// Whether elements are sums of many products.
fn is_product(op: &str) -> bool {
    const PRODUCTS: &[&str] = &[
        "matmul",
        "linear",
        "mm",
        "bmm",
        "mv",
        "dot",
        "inner",
        "addmm",
        "addmv",
        "baddbmm",
        "einsum",
        "tensordot",
        "det",
        "inv",
        "solve",
        "cholesky",
        "qr",
    ];
    PRODUCTS.contains(&op) || op.starts_with("conv")
}

/// Whether PyTorch rounds the steps of this op to the half-width dtype on the way: then its result is
/// within 2 units in the last place of the largest element, where ours is rounded once.
fn rounds_each_step(op: &str, dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::BF16)
        && matches!(op, "log_softmax" | "layer_norm" | "cross_entropy")
}

/// Holds the numbers of one call on one device to those expected of it.
pub struct Judge<'a> {
    op: &'a str,
    /// A shader may take it that zeros have no sign, and that the smallest numbers are zeros.
    runs_wgsl: bool,
    /// The largest difference that only [`BY_WGSL`] allows, in words.
    loose: RefCell<Option<(f64, String)>>,
}

impl<'a> Judge<'a> {
    /// Of a call of an op on the engine's device.
    pub fn new(engine: &Engine, op: &'a str) -> Judge<'a> {
        let kind = engine.device_kind(engine.device());
        Judge {
            op,
            runs_wgsl: matches!(&*kind, "wgpu" | "webgpu"),
            loose: RefCell::default(),
        }
    }

    /// Whether the device runs WGSL.
    pub(crate) fn runs_wgsl(&self) -> bool {
        self.runs_wgsl
    }

    /// Whether only a CPU looks at the operands' values before the op runs: a GPU would have to wait.
    pub(crate) fn is_checked_on_cpu_alone(&self) -> bool {
        CHECKED_ON_CPU.contains(&self.op)
    }

    /// Why the op need not hold here, in what its name says: values, or a golden case's note.
    pub(crate) fn excuse(&self, what: &str) -> Option<&'static str> {
        let is_meant = |(ops, parts, _): &&(&[&str], &[&str], &str)| {
            ops.contains(&self.op) && parts.iter().any(|part| what.contains(part))
        };
        let found = WGSL_MAY.iter().filter(|_| self.runs_wgsl).find(is_meant);
        found.map(|(.., reason)| *reason)
    }

    /// What held only by what the device promises; nothing when every number was closer.
    pub fn loose(&self) -> Option<String> {
        self.loose.borrow().as_ref().map(|(_, why)| why.clone())
    }

    /// Whether a tensor's elements are the ones expected; otherwise the first that is not.
    ///
    /// # Errors
    /// What differs, in words.
    pub fn same(&self, got: &Tensor, expected: &[Scalar]) -> Result<(), String> {
        let numbers = got
            .to_scalars()
            .map_err(|error| format!("raised when read: {error}"))?;
        self.same_scalars(&numbers, expected, got.dtype())
    }

    /// As [`Judge::same`], of elements that were read.
    ///
    /// # Errors
    /// What differs, in words.
    pub fn same_scalars(
        &self,
        got: &[Scalar],
        expected: &[Scalar],
        dtype: DType,
    ) -> Result<(), String> {
        if got.len() != expected.len() {
            return Err(format!(
                "has {} elements, expected {}",
                got.len(),
                expected.len()
            ));
        }
        match self.first_far(got, expected, dtype, &[]) {
            Some(i) => Err(format!(
                "element {i} is {:?}, expected {:?}",
                got[i], expected[i]
            )),
            None => Ok(()),
        }
    }

    /// The first element that is close neither to the one expected nor to another one that it may be.
    pub(crate) fn first_far(
        &self,
        got: &[Scalar],
        expected: &[Scalar],
        dtype: DType,
        or: &[Scalar],
    ) -> Option<usize> {
        let scale = self.scale(expected, dtype);
        let is_close = |i: usize, other: &[Scalar]| {
            let other = other.get(i);
            other.is_some_and(|&other| self.is_close(got[i], other, dtype, scale))
        };
        (0..got.len()).find(|&i| !is_close(i, expected) && !is_close(i, or))
    }

    fn scale(&self, expected: &[Scalar], dtype: DType) -> f64 {
        if !is_product(self.op) && !rounds_each_step(self.op, dtype) {
            return 1.0;
        }
        let sizes = expected.iter().map(|x| x.as_f64().abs());
        sizes.filter(|x| x.is_finite()).fold(1.0, f64::max)
    }

    fn is_close(&self, got: Scalar, expected: Scalar, dtype: DType, scale: f64) -> bool {
        let Some((_, usual)) = BY_DTYPE.iter().find(|(d, _)| *d == dtype) else {
            return got == expected || got.as_f64() == expected.as_f64();
        };
        let (x, mut y) = (got.as_f64(), expected.as_f64());
        if dtype == DType::F32 {
            y = f64::from(y as f32);
        }
        if x.is_nan() || y.is_nan() {
            return x.is_nan() && y.is_nan();
        }
        if x == 0.0 && y == 0.0 {
            return self.runs_wgsl || x.is_sign_negative() == y.is_sign_negative();
        }
        if x.is_infinite() || y.is_infinite() {
            return x == y;
        }
        let difference = (x - y).abs();
        let within = |t: &Tolerance| difference <= t.absolute * scale + t.relative * y.abs();
        within(usual)
            || rounds_each_step(self.op, dtype) && difference <= 2.0 * usual.relative * scale
            || self.promise(dtype).is_some_and(|(tolerance, why)| {
                let holds = within(tolerance);
                if holds {
                    self.note(difference, format!("{x:e} for {y:e}: {why}"));
                }
                holds
            })
    }

    /// What the device promises of this op.
    fn promise(&self, dtype: DType) -> Option<(&'static Tolerance, &'static str)> {
        let promises = BY_WGSL.iter();
        let found = promises
            .filter(|_| self.runs_wgsl && dtype == DType::F32)
            .find(|(ops, ..)| ops.contains(&self.op));
        found.map(|(_, tolerance, why)| (tolerance, *why))
    }

    fn note(&self, difference: f64, why: String) {
        let mut loose = self.loose.borrow_mut();
        if loose.as_ref().is_none_or(|(most, _)| difference > *most) {
            *loose = Some((difference, why));
        }
    }
}
