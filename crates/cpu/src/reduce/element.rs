//! The types that reductions combine, and how two elements become one.

use bytemuck::Pod;

/// An element type as reductions see it.
#[cfg_attr(
    not(feature = "full"),
    allow(
        dead_code,
        reason = "the landing page's engine adds up, and finds the largest"
    )
)]
pub(super) trait Element: Pod + PartialOrd {
    /// What partial results are combined in.
    type Wide: Element;
    const ZERO: Self;
    const ONE: Self;
    const LOWEST: Self;
    const HIGHEST: Self;
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn is_nan(self) -> bool;
    fn widen(self) -> Self::Wide;
    fn narrow(wide: Self::Wide) -> Self;
}

macro_rules! float_element {
    ($($t:ident $wide:ident),*) => {$(
        impl Element for $t {
            type Wide = $wide;
            const ZERO: $t = 0.0;
            const ONE: $t = 1.0;
            const LOWEST: $t = $t::NEG_INFINITY;
            const HIGHEST: $t = $t::INFINITY;
            #[inline(always)]
            fn plus(self, other: $t) -> $t { self + other }
            #[inline(always)]
            fn times(self, other: $t) -> $t { self * other }
            #[inline(always)]
            fn is_nan(self) -> bool { self != self }
            #[inline(always)]
            fn widen(self) -> $wide { $wide::from(self) }
            #[inline(always)]
            fn narrow(wide: $wide) -> $t { wide as $t }
        }
    )*};
}
float_element!(f32 f64, f64 f64);

macro_rules! integer_element {
    ($($t:ident),*) => {$(
        impl Element for $t {
            type Wide = $t;
            const ZERO: $t = 0;
            const ONE: $t = 1;
            const LOWEST: $t = $t::MIN;
            const HIGHEST: $t = $t::MAX;
            #[inline(always)]
            fn plus(self, other: $t) -> $t { self.wrapping_add(other) }
            #[inline(always)]
            fn times(self, other: $t) -> $t { self.wrapping_mul(other) }
            #[inline(always)]
            fn is_nan(self) -> bool { false }
            #[inline(always)]
            fn widen(self) -> $t { self }
            #[inline(always)]
            fn narrow(wide: $t) -> $t { wide }
        }
    )*};
}
integer_element!(i64, u64);

/// How two elements become one.
pub(super) trait Combine<T> {
    const IDENTITY: T;
    fn combine(a: T, b: T) -> T;
}
pub(super) struct Sum;
#[cfg(feature = "full")]
pub(super) struct Prod;
pub(super) struct Max;
#[cfg(feature = "full")]
pub(super) struct Min;
impl<T: Element> Combine<T> for Sum {
    const IDENTITY: T = T::ZERO;
    #[inline(always)]
    fn combine(a: T, b: T) -> T {
        a.plus(b)
    }
}
#[cfg(feature = "full")]
impl<T: Element> Combine<T> for Prod {
    const IDENTITY: T = T::ONE;
    #[inline(always)]
    fn combine(a: T, b: T) -> T {
        a.times(b)
    }
}
impl<T: Element> Combine<T> for Max {
    const IDENTITY: T = T::LOWEST;
    #[inline(always)]
    fn combine(a: T, b: T) -> T {
        if b.is_nan() | (b > a) { b } else { a }
    }
}
#[cfg(feature = "full")]
impl<T: Element> Combine<T> for Min {
    const IDENTITY: T = T::HIGHEST;
    #[inline(always)]
    fn combine(a: T, b: T) -> T {
        if b.is_nan() | (b < a) { b } else { a }
    }
}
