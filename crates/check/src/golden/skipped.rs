//! Golden cases that are not held to PyTorch, on any device, and why. Every report prints them.

/// Op, note, part of the attributes, reason.
pub(super) const SKIPPED: &[(&str, &str, &str, &str)] = &[
    (
        "gelu",
        "edges",
        "none",
        "PyTorch's float32 kernel turns infinity into NaN; its float64 kernel and its tanh form do not, nor do we",
    ),
    (
        "rsqrt",
        "float16",
        "",
        "PyTorch rounds the root to the half-width dtype before it divides; ours is rounded once",
    ),
    (
        "rsqrt",
        "bfloat16",
        "",
        "PyTorch rounds the root to the half-width dtype before it divides; ours is rounded once",
    ),
    (
        "gelu",
        "bfloat16, edges",
        "",
        "PyTorch's kernel turns infinity into NaN",
    ),
    (
        "atan2",
        "float32 with float64",
        "",
        "PyTorch squares the float32 operand in float32 before it meets the float64 one; ours meet first",
    ),
    (
        "binary_cross_entropy",
        "float64",
        "",
        "PyTorch adds 1e-12 to both probabilities in its second derivative; ours is the first's derivative",
    ),
    (
        "binary_cross_entropy",
        "float64, none",
        "",
        "PyTorch adds 1e-12 to both probabilities in its second derivative; ours is the first's derivative",
    ),
    (
        "pixel_unshuffle",
        "no samples",
        "",
        "PyTorch 2.15 leaves the shape of nothing as it is; we give it the sizes that any other batch has",
    ),
    (
        "cumprod",
        "edges",
        "",
        "PyTorch divides by an element that is NaN; our gradient has no division, so that it is infinite there",
    ),
    (
        "prod",
        "edges, everywhere",
        "",
        "PyTorch divides by an element that is NaN; our gradient is the product of the others",
    ),
    (
        "cumprod",
        "bfloat16",
        "",
        "PyTorch rounds each step of the gradient to bfloat16; ours is rounded once",
    ),
    (
        "prod",
        "float64, only zeros",
        "null",
        "PyTorch makes new zeros where two factors are zero; ours are products and keep their sign",
    ),
    (
        "prod",
        "zeros, float64, corner",
        "null",
        "PyTorch makes new zeros where two factors are zero; ours are products and keep their sign",
    ),
    (
        "normalize",
        "zeros, float64, corner",
        "",
        "PyTorch's second derivative of a norm at the zero vector is 0 / 0; ours is 0",
    ),
    (
        "cosine_similarity",
        "float64, corner",
        "",
        "PyTorch's second derivative of a norm at the zero vector is 0 / 0; ours is that of the clamped norm",
    ),
    (
        "logcumsumexp",
        "large",
        "",
        "PyTorch's float32 gradient is off by 4e-5 of itself, from differences of logarithms near 1000; ours is its float64 one",
    ),
    (
        "det",
        "singular",
        "",
        "PyTorch's zero has the sign that its swaps of rows happened to leave; ours has none",
    ),
];
