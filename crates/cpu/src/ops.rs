//! Scalar operations over tiles: every [`AluOp`] for every dtype.
//!
//! `alu::Value` is the definition; a test compares each of these with it. A bool is one byte,
//! 0 or 1. Loops are plain so that the compiler vectorises them; see [`crate::simd`].

use bytemuck::{cast_slice, cast_slice_mut};
use glowgrad_tensor::DType;
use glowgrad_tensor::alu::{AluOp, wrapping_power};

use crate::math;
use crate::simd::{Level, dispatch};

macro_rules! unary {
    ($from:ty => $to:ty, $x:expr, $out:expr, |$v:ident| $e:expr) => {{
        let x: &[$from] = cast_slice($x);
        let out: &mut [$to] = cast_slice_mut($out);
        for (out, &$v) in out.iter_mut().zip(x) {
            *out = $e;
        }
    }};
}

macro_rules! binary {
    ($from:ty => $to:ty, $x:expr, $y:expr, $out:expr, |$v:ident, $w:ident| $e:expr) => {{
        let x: &[$from] = cast_slice($x);
        let y: &[$from] = cast_slice($y);
        let out: &mut [$to] = cast_slice_mut($out);
        for ((out, &$v), &$w) in out.iter_mut().zip(x).zip(y) {
            *out = $e;
        }
    }};
}

/// Elements of a block: four vectors of SIMD128.
pub(crate) const BLOCK: usize = 16;

/// A longer function, in blocks: V8 builds each constant anew, with three instructions, in every
/// turn of a loop, and the vectors of a block share them.
macro_rules! in_blocks {
    ($from:ty => $to:ty, $x:expr, $out:expr, |$v:ident| $e:expr) => {{
        let x: &[$from] = cast_slice($x);
        let out: &mut [$to] = cast_slice_mut($out);
        let (blocks, rest) = x.as_chunks::<BLOCK>();
        let (out_blocks, out_rest) = out.as_chunks_mut::<BLOCK>();
        for (out, &x) in out_blocks.iter_mut().zip(blocks) {
            let mut y = [0.0; BLOCK];
            for (y, &$v) in y.iter_mut().zip(&x) {
                *y = $e;
            }
            *out = y;
        }
        for (out, &$v) in out_rest.iter_mut().zip(rest) {
            *out = $e;
        }
    }};
}

/// A function of float64 on elements of either width, one call for each: these are rare, and a
/// second width of each would be bytes that every page loads.
macro_rules! each {
    ($t:ty, $x:expr, $out:expr, $f:path) => {
        one_by_one($x, $out, $f as fn(f64) -> f64, |x: $t, f| {
            f(f64::from(x)) as $t
        })
    };
}

macro_rules! each_pair {
    ($t:ty, $x:expr, $y:expr, $out:expr, $f:path) => {
        binary!($t => $t, $x, $y, $out, |x, y| $f(f64::from(x), f64::from(y)) as $t)
    };
}

#[inline(never)]
fn one_by_one<T: bytemuck::Pod>(
    x: &[u8],
    out: &mut [u8],
    function: fn(f64) -> f64,
    call: impl Fn(T, fn(f64) -> f64) -> T,
) {
    let (x, out): (&[T], &mut [T]) = (cast_slice(x), cast_slice_mut(out));
    for (out, &x) in out.iter_mut().zip(x) {
        *out = call(x, function);
    }
}

/// One operation on a tile. `dtype` is that of the operands (of the last two, for `Select`); only
/// the first `op.arity()` operands are looked at.
pub(crate) fn apply(level: Level, op: AluOp, dtype: DType, src: [&[u8]; 3], out: &mut [u8]) {
    dispatch(
        level,
        #[inline(always)]
        || match (op, dtype) {
            (AluOp::Select, _) => match dtype.size() {
                1 => select::<u8>(src, out),
                2 => select::<u16>(src, out),
                4 => select::<u32>(src, out),
                _ => select::<u64>(src, out),
            },
            (_, DType::Bool) => apply_bool(op, src[0], src[1], out),
            (_, DType::U64) => apply_u64(op, src[0], src[1], out),
            (_, DType::F32) => apply_f32(op, src[0], src[1], out),
            (_, DType::F64) => apply_f64(op, src[0], src[1], out),
            // int64; kernels compute on no narrower integers.
            _ => apply_i64(op, src[0], src[1], out),
        },
    );
}

#[inline(always)]
fn select<T: bytemuck::Pod>(src: [&[u8]; 3], out: &mut [u8]) {
    let (x, y): (&[T], &[T]) = (cast_slice(src[1]), cast_slice(src[2]));
    let out: &mut [T] = cast_slice_mut(out);
    for (((out, &x), &y), &c) in out.iter_mut().zip(x).zip(y).zip(src[0]) {
        *out = if c != 0 { x } else { y };
    }
}

/// `near` in vectors, then `far` for the angles that are too large for it, if there are any.
macro_rules! angle {
    ($each:ident, $t:ty, $x:expr, $out:expr, $near:path, $far:path) => {{
        $each!($t => $t, $x, $out, |x| $near(x));
        let x: &[$t] = cast_slice($x);
        let out: &mut [$t] = cast_slice_mut($out);
        let mut all_near = true;
        for &x in x {
            all_near &= x.abs() <= math::LARGEST_ANGLE as $t;
        }
        if !all_near {
            for (out, &x) in out.iter_mut().zip(x) {
                if x.abs() > math::LARGEST_ANGLE as $t || x.is_nan() {
                    *out = $far(x);
                }
            }
        }
    }};
}

macro_rules! float_ops {
    ($name:ident, $each:ident, $t:ty; $($op:ident => $f:path),*; [$sin:path, $far_sin:path], [$cos:path, $far_cos:path]; $pow:path, $rem:path) => {
        #[inline(always)]
        fn $name(op: AluOp, x: &[u8], y: &[u8], out: &mut [u8]) {
            use AluOp::*;
            match op {
                $($op => $each!($t => $t, x, out, |x| $f(x)),)*
                Sin => angle!($each, $t, x, out, $sin, $far_sin),
                Cos => angle!($each, $t, x, out, $cos, $far_cos),
                Neg => unary!($t => $t, x, out, |x| -x),
                Abs => unary!($t => $t, x, out, |x| x.abs()),
                Sign => unary!($t => $t, x, out, |x| if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { 0.0 }),
                Sqrt => unary!($t => $t, x, out, |x| x.sqrt()),
                Floor => unary!($t => $t, x, out, |x| x.floor()),
                Ceil => unary!($t => $t, x, out, |x| x.ceil()),
                Round => unary!($t => $t, x, out, |x| x.round_ties_even()),
                Trunc => unary!($t => $t, x, out, |x| x.trunc()),
                Not => unary!($t => u8, x, out, |x| u8::from(x == 0.0)),
                Add => binary!($t => $t, x, y, out, |x, y| x + y),
                Sub => binary!($t => $t, x, y, out, |x, y| x - y),
                Mul => binary!($t => $t, x, y, out, |x, y| x * y),
                Div => binary!($t => $t, x, y, out, |x, y| x / y),
                Rem => binary!($t => $t, x, y, out, |x, y| {
                    let r = $rem(x, y);
                    if r != 0.0 && (r < 0.0) != (y < 0.0) { r + y } else { r }
                }),
                Pow => binary!($t => $t, x, y, out, |x, y| $pow(x, y)),
                Max => binary!($t => $t, x, y, out, |x, y| if x.is_nan() | (x > y) { x } else { y }),
                Min => binary!($t => $t, x, y, out, |x, y| if x.is_nan() | (x < y) { x } else { y }),
                And => binary!($t => u8, x, y, out, |x, y| u8::from((x != 0.0) & (y != 0.0))),
                Or => binary!($t => u8, x, y, out, |x, y| u8::from((x != 0.0) | (y != 0.0))),
                Eq => binary!($t => u8, x, y, out, |x, y| u8::from(x == y)),
                Lt => binary!($t => u8, x, y, out, |x, y| u8::from(x < y)),
                Le => binary!($t => u8, x, y, out, |x, y| u8::from(x <= y)),
                Fmod => binary!($t => $t, x, y, out, |x, y| $rem(x, y)),
                Copysign => binary!($t => $t, x, y, out, |x, y| x.copysign(y)),
                Atan2 => each_pair!($t, x, y, out, libm::atan2),
                Hypot => each_pair!($t, x, y, out, libm::hypot),
                Erfc => each!($t, x, out, libm::erfc),
                Exp2 => each!($t, x, out, libm::exp2),
                Log2 => each!($t, x, out, libm::log2),
                Log10 => each!($t, x, out, libm::log10),
                Tan => each!($t, x, out, libm::tan),
                Asin => each!($t, x, out, libm::asin),
                Acos => each!($t, x, out, libm::acos),
                Atan => each!($t, x, out, libm::atan),
                Sinh => each!($t, x, out, libm::sinh),
                Cosh => each!($t, x, out, libm::cosh),
                Asinh => each!($t, x, out, libm::asinh),
                Acosh => each!($t, x, out, libm::acosh),
                Atanh => each!($t, x, out, libm::atanh),
                BitNot | BitAnd | BitOr | BitXor | Shl | Shr => out.copy_from_slice(x),
                Select => unreachable!("handled by `apply`"),
            }
        }
    };
}
float_ops!(apply_f32, in_blocks, f32;
    Exp => math::exp, Expm1 => math::expm1, Log => math::log, Log1p => math::log1p,
    Tanh => math::tanh, Erf => math::erf; [math::sin, libm::sinf], [math::cos, libm::cosf]; math::pow, libm::fmodf);
float_ops!(apply_f64, unary, f64;
    Exp => libm::exp, Expm1 => libm::expm1, Log => libm::log, Log1p => libm::log1p,
    Tanh => libm::tanh, Erf => libm::erf; [libm::sin, libm::sin], [libm::cos, libm::cos]; libm::pow, libm::fmod);

#[inline(always)]
fn apply_i64(op: AluOp, x: &[u8], y: &[u8], out: &mut [u8]) {
    use AluOp::*;
    match op {
        Neg => unary!(i64 => i64, x, out, |x| x.wrapping_neg()),
        Abs => unary!(i64 => i64, x, out, |x| x.wrapping_abs()),
        Sign => unary!(i64 => i64, x, out, |x| x.signum()),
        Not => unary!(i64 => u8, x, out, |x| u8::from(x == 0)),
        Add => binary!(i64 => i64, x, y, out, |x, y| x.wrapping_add(y)),
        Sub => binary!(i64 => i64, x, y, out, |x, y| x.wrapping_sub(y)),
        Mul => binary!(i64 => i64, x, y, out, |x, y| x.wrapping_mul(y)),
        Div => binary!(i64 => i64, x, y, out, |x, y| floor_div(x, y)),
        Rem => binary!(i64 => i64, x, y, out, |x, y| floor_rem(x, y)),
        Pow => binary!(i64 => i64, x, y, out, |x, y| power(x, y)),
        Max => binary!(i64 => i64, x, y, out, |x, y| x.max(y)),
        Min => binary!(i64 => i64, x, y, out, |x, y| x.min(y)),
        And => binary!(i64 => u8, x, y, out, |x, y| u8::from((x != 0) & (y != 0))),
        Or => binary!(i64 => u8, x, y, out, |x, y| u8::from((x | y) != 0)),
        Eq => binary!(i64 => u8, x, y, out, |x, y| u8::from(x == y)),
        Lt => binary!(i64 => u8, x, y, out, |x, y| u8::from(x < y)),
        Le => binary!(i64 => u8, x, y, out, |x, y| u8::from(x <= y)),
        Fmod => binary!(i64 => i64, x, y, out, |x, y| if y == 0 { 0 } else { x.wrapping_rem(y) }),
        BitNot => unary!(i64 => i64, x, out, |x| !x),
        BitAnd => binary!(i64 => i64, x, y, out, |x, y| x & y),
        BitOr => binary!(i64 => i64, x, y, out, |x, y| x | y),
        BitXor => binary!(i64 => i64, x, y, out, |x, y| x ^ y),
        Shl => binary!(i64 => i64, x, y, out, |x, y| if (0..64).contains(&y) { x << y } else { 0 }),
        Shr => {
            binary!(i64 => i64, x, y, out, |x, y| x >> if (0..64).contains(&y) { y } else { 63 })
        }
        Select => unreachable!("handled by `apply`"),
        // Functions of floats: the registry promotes first.
        _ => out.copy_from_slice(x),
    }
}

/// Where uint64 differs from int64; the rest is the same on bits.
#[inline(always)]
fn apply_u64(op: AluOp, x: &[u8], y: &[u8], out: &mut [u8]) {
    use AluOp::*;
    match op {
        Abs => out.copy_from_slice(x),
        Sign => unary!(u64 => u64, x, out, |x| u64::from(x > 0)),
        Div => binary!(u64 => u64, x, y, out, |x, y| x.checked_div(y).unwrap_or(0)),
        Rem | Fmod => binary!(u64 => u64, x, y, out, |x, y| x.checked_rem(y).unwrap_or(0)),
        Pow => binary!(u64 => u64, x, y, out, |x, y| wrapping_power(x, y)),
        Max => binary!(u64 => u64, x, y, out, |x, y| x.max(y)),
        Min => binary!(u64 => u64, x, y, out, |x, y| x.min(y)),
        Shl => binary!(u64 => u64, x, y, out, |x, y| if y < 64 { x << y } else { 0 }),
        Shr => binary!(u64 => u64, x, y, out, |x, y| if y < 64 { x >> y } else { 0 }),
        Lt => binary!(u64 => u8, x, y, out, |x, y| u8::from(x < y)),
        Le => binary!(u64 => u8, x, y, out, |x, y| u8::from(x <= y)),
        _ => apply_i64(op, x, y, out),
    }
}

/// Rounded toward minus infinity; 0 when the divisor is.
fn floor_div(x: i64, y: i64) -> i64 {
    if y == 0 {
        return 0;
    }
    let q = x.wrapping_div(y);
    if x.wrapping_rem(y) != 0 && (x < 0) != (y < 0) {
        q - 1
    } else {
        q
    }
}

/// With the sign of the divisor; 0 when the divisor is.
fn floor_rem(x: i64, y: i64) -> i64 {
    if y == 0 {
        return 0;
    }
    let r = x.wrapping_rem(y);
    if r != 0 && (r < 0) != (y < 0) {
        r + y
    } else {
        r
    }
}

/// Wrapping; a negative exponent gives the power cut to an integer, and 0 for a base of 0.
fn power(x: i64, y: i64) -> i64 {
    match x {
        _ if y >= 0 => wrapping_power(x as u64, y as u64) as i64,
        1 => 1,
        -1 => 1 - 2 * (y & 1),
        _ => 0,
    }
}

/// What the int64 operation on 0 and 1 gives, read as a truth value.
#[inline(always)]
fn apply_bool(op: AluOp, x: &[u8], y: &[u8], out: &mut [u8]) {
    use AluOp::*;
    match op {
        Not | BitNot => unary!(u8 => u8, x, out, |x| x ^ 1),
        Add | Max | Or | BitOr => binary!(u8 => u8, x, y, out, |x, y| x | y),
        Mul | Div | Min | And | BitAnd => binary!(u8 => u8, x, y, out, |x, y| x & y),
        Sub | BitXor => binary!(u8 => u8, x, y, out, |x, y| x ^ y),
        Shl => binary!(u8 => u8, x, y, out, |x, _y| x),
        Shr => binary!(u8 => u8, x, y, out, |x, y| x & (y ^ 1)),
        Rem | Fmod => out.fill(0),
        Pow => binary!(u8 => u8, x, y, out, |x, y| x | (y ^ 1)),
        Le => binary!(u8 => u8, x, y, out, |x, y| (x ^ 1) | y),
        Eq => binary!(u8 => u8, x, y, out, |x, y| x ^ y ^ 1),
        Lt => binary!(u8 => u8, x, y, out, |x, y| (x ^ 1) & y),
        Select => unreachable!("handled by `apply`"),
        _ => out.copy_from_slice(x),
    }
}

/// A tile in another dtype: between dtypes of arithmetic, or to and from a narrow one. Floats become
/// integers by cutting, saturating, NaN as 0; wide integers become narrow ones by wrapping.
pub(crate) fn cast(level: Level, from: DType, to: DType, x: &[u8], out: &mut [u8]) {
    use DType::*;
    dispatch(
        level,
        #[inline(always)]
        || match (from, to) {
            (Bool, I64 | U64) => unary!(u8 => i64, x, out, |x| i64::from(x)),
            (Bool, F32) => unary!(u8 => f32, x, out, |x| f32::from(x)),
            (Bool, F64) => unary!(u8 => f64, x, out, |x| f64::from(x)),
            (I64 | U64, Bool) => unary!(i64 => u8, x, out, |x| u8::from(x != 0)),
            (I64, F32) => unary!(i64 => f32, x, out, |x| x as f32),
            (I64, F64) => unary!(i64 => f64, x, out, |x| x as f64),
            (U64, F32) => unary!(u64 => f32, x, out, |x| x as f32),
            (U64, F64) => unary!(u64 => f64, x, out, |x| x as f64),
            (F32, Bool) => unary!(f32 => u8, x, out, |x| u8::from(x != 0.0)),
            (F32, I64) => unary!(f32 => i64, x, out, |x| x as i64),
            (F32, U64) => {
                unary!(f32 => u64, x, out, |x| if x >= 0.0 { x as u64 } else { x as i64 as u64 })
            }
            (F32, F64) => unary!(f32 => f64, x, out, |x| f64::from(x)),
            (F64, Bool) => unary!(f64 => u8, x, out, |x| u8::from(x != 0.0)),
            (F64, I64) => unary!(f64 => i64, x, out, |x| x as i64),
            (F64, U64) => {
                unary!(f64 => u64, x, out, |x| if x >= 0.0 { x as u64 } else { x as i64 as u64 })
            }
            (F64, F32) => unary!(f64 => f32, x, out, |x| x as f32),
            (U8, I64) => unary!(u8 => i64, x, out, |x| i64::from(x)),
            (I8, I64) => unary!(i8 => i64, x, out, |x| i64::from(x)),
            (I16, I64) => unary!(i16 => i64, x, out, |x| i64::from(x)),
            (I32, I64) => unary!(i32 => i64, x, out, |x| i64::from(x)),
            (U16, I64) => unary!(u16 => i64, x, out, |x| i64::from(x)),
            (U32, I64) => unary!(u32 => i64, x, out, |x| i64::from(x)),
            (I64, U8 | I8) => unary!(i64 => u8, x, out, |x| x as u8),
            (I64, U16 | I16) => unary!(i64 => u16, x, out, |x| x as u16),
            (I64, U32 | I32) => unary!(i64 => u32, x, out, |x| x as u32),
            (F16, F32) => unary!(u16 => f32, x, out, |x| half::f16::from_bits(x).to_f32()),
            (F32, F16) => unary!(f32 => u16, x, out, |x| half::f16::from_f32(x).to_bits()),
            (BF16, F32) => unary!(u16 => f32, x, out, |x| f32::from_bits(u32::from(x) << 16)),
            (F32, BF16) => unary!(f32 => u16, x, out, |x| half::bf16::from_f32(x).to_bits()),
            // Equal, or int64 and uint64, which are the same bits; the scheduler writes no others.
            _ => out.copy_from_slice(x),
        },
    );
}
