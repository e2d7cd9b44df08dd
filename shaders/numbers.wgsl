// Functions that keep NaN. It stands behind the shaders that need them.

// A device may give a number for the exponential of NaN, and take either of two for the larger one.
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }
fn exp_or_nan(x: f32) -> f32 { return select(exp(x), x, is_nan(x)); }
fn log_or_nan(x: f32) -> f32 { return select(log(x), x, is_nan(x)); }
fn max_or_nan(x: f32, y: f32) -> f32 { return select(y, x, is_nan(x) || (x > y && !is_nan(y))); }
