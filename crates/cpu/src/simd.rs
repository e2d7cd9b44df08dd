//! Which vector instructions there are, found once at run time.
//!
//! Loops are written in plain Rust and compiled twice: for the baseline and for AVX2. Neither
//! copy contracts `a * b + c`, so both give the same numbers, and so does wasm. The matrix kernels
//! alone use fused multiply-add; they pick their own instructions by [`Level`].

/// What this processor offers, lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What the target guarantees: SSE2, NEON, or SIMD128 in wasm.
    Baseline,
    /// SIMD128 in wasm, with the matrix kernels that `use_relaxed_functions` told of.
    Relaxed,
    /// AVX2 and FMA.
    Avx2,
    /// AVX-512 F, BW, DQ and VL, and FMA.
    Avx512,
}

impl Level {
    /// The best this processor has.
    pub fn detect() -> Level {
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx2")
                && std::arch::is_x86_feature_detected!("fma")
            {
                let wide = std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512bw")
                    && std::arch::is_x86_feature_detected!("avx512dq")
                    && std::arch::is_x86_feature_detected!("avx512vl");
                return if wide { Level::Avx512 } else { Level::Avx2 };
            }
        }
        #[cfg(all(target_arch = "wasm32", feature = "full"))]
        if relaxed().is_some() {
            return Level::Relaxed;
        }
        Level::Baseline
    }

    /// Every level this processor has, lowest first.
    pub fn available() -> Vec<Level> {
        let best = Level::detect();
        let mut levels = vec![Level::Baseline];
        if cfg!(target_arch = "wasm32") {
            levels.push(Level::Relaxed);
        } else {
            levels.extend([Level::Avx2, Level::Avx512]);
        }
        levels.retain(|&level| level <= best);
        levels
    }

    /// In words: `avx2`.
    pub fn name(self) -> &'static str {
        match self {
            Level::Avx512 => "avx512",
            Level::Avx2 => "avx2",
            Level::Relaxed => "wasm relaxed simd",
            Level::Baseline if cfg!(all(target_arch = "wasm32", target_feature = "simd128")) => {
                "wasm simd128"
            }
            Level::Baseline if cfg!(target_arch = "wasm32") => "wasm",
            Level::Baseline if cfg!(target_arch = "aarch64") => "neon",
            Level::Baseline if cfg!(target_arch = "x86_64") => "sse2",
            Level::Baseline => "portable",
        }
    }
}

/// The place of the first function with relaxed SIMD in the table of functions; 0, which is never a function's, before
/// there is one.
#[cfg(all(target_arch = "wasm32", feature = "full"))]
static RELAXED: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

#[cfg(all(target_arch = "wasm32", feature = "full"))]
pub(crate) fn set_relaxed(first: usize) {
    RELAXED.store(first, std::sync::atomic::Ordering::Relaxed);
}

#[cfg(all(target_arch = "wasm32", feature = "full"))]
pub(crate) fn relaxed() -> Option<usize> {
    let first = RELAXED.load(std::sync::atomic::Ordering::Relaxed);
    (first != 0).then_some(first)
}

/// Runs `work`, compiled for the level. Whatever should profit must be inlined into it.
#[inline(always)]
pub(crate) fn dispatch<R>(level: Level, work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if level >= Level::Avx2 {
        return x86::avx2(work);
    }
    let _ = level;
    work()
}

#[cfg(target_arch = "x86_64")]
#[allow(
    unsafe_code,
    reason = "calling code compiled for more than the baseline"
)]
mod x86 {
    pub(super) fn avx2<R>(work: impl FnOnce() -> R) -> R {
        #[target_feature(enable = "avx2")]
        fn inner<R>(work: impl FnOnce() -> R) -> R {
            work()
        }
        // SAFETY: only `dispatch` calls this, with a level that `Level::detect` found or a lower one.
        unsafe { inner(work) }
    }
}
