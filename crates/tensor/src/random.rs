//! Random numbers with PyTorch's CPU sequence: the same seed gives the same numbers.
//!
//! The engine is the 32-bit Mersenne Twister (M. Matsumoto and T. Nishimura, "Mersenne Twister",
//! ACM TOMACS 8(1), 1998, with the 2002 seeding). Which draws make one number, and in which order,
//! is fixed by ATen: `core/DistributionsHelper.h` and `core/TransformationHelper.h` for a single
//! number, `native/cpu/DistributionTemplates.h` for a whole tensor, `native/TensorFactories.cpp`
//! for `randperm`, `CPUGeneratorImpl.cpp` for the saved state.
//!
//! Invariant: every method consumes exactly the draws that PyTorch consumes for a contiguous
//! tensor of that size and dtype, so that calls can be mixed freely and stay in step. Uniform
//! numbers, integers and permutations are equal bit for bit; so are `f32` normals of 16 and more
//! (PyTorch on x86-64 with AVX2). The other normals take `ln`, `sin` and `cos` from the `libm` crate,
//! alike on every target; these may differ from PyTorch's in the last bit.
//!
//! This file holds the engine and the numbers of single kinds in float32, float64 and int64;
//! `draw.rs` draws for every dtype, `check.rs` checks the arguments, `choice.rs` draws by given weights,
//! `truncated.rs` between bounds. PyTorch may take `bernoulli_` and `exponential_` from MKL on some
//! processors; the numbers here are those of its own kernels, which it uses on the others.
//!
//! Left to others: shapes (`tensor/draws.rs`), the default generator, and reading entropy for
//! `torch.seed()`.

mod box_muller;
mod check;
mod choice;
mod draw;
mod truncated;

pub use draw::Draw;

use crate::interrupt;

/// Words in the twister's state.
const STATE_WORDS: usize = 624;
/// Distance between the two words that the recurrence mixes.
const STATE_MIDDLE: usize = 397;
/// Operations that a random word, and a normal of several, count for an interrupt.
pub(crate) const PER_WORD: usize = 8;
pub(crate) const PER_NORMAL: usize = 32;
/// Bytes of `torch.get_rng_state()` for the CPU generator.
pub const STATE_BYTES: usize = 5056;
/// From this range on, `randint` draws 64-bit numbers, so that the remainder stays near even.
/// (2^28 in the released PyTorch; the published header once had 2^32.)
const RANDINT_WIDE: u64 = 1 << 28;
/// From this length on, `randperm` draws 64-bit numbers and shuffles inside-out, as ATen does to
/// keep the remainder unbiased.
const RANDPERM_WIDE: usize = (u32::MAX / 20) as usize;
/// From this length on, normals come in blocks rather than one at a time.
pub const NORMAL_BLOCK: usize = 16;

/// PyTorch's CPU generator: a Mersenne Twister and the second half of the last Box–Muller pair.
///
/// ```
/// use glowgrad_tensor::random::Generator;
///
/// let mut generator = Generator::new(0);
/// let mut x = [0.0_f32; 3];
/// generator.uniform_f32(&mut x, 0.0, 1.0);
/// assert_eq!(x, [0.4962566, 0.7682218, 0.08847743]); // torch.manual_seed(0); torch.rand(3)
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Generator {
    seed: u64,
    words: [u32; STATE_WORDS],
    /// The next word to hand out; `STATE_WORDS` when all are used up.
    next: usize,
    /// PyTorch counts how many words are left apart from `next`; a fresh seed has 1 left at 0.
    /// Kept so that a saved state is the same bytes.
    left: u32,
    /// The sine half of the last pair drawn one at a time, waiting for the next call.
    cached_normal: Option<f64>,
}

impl Default for Generator {
    /// PyTorch's `default_rng_seed_val`.
    fn default() -> Self {
        Self::new(67_280_421_310_721)
    }
}

impl Generator {
    /// A generator seeded as by `torch.manual_seed(seed)`.
    pub fn new(seed: u64) -> Self {
        let mut words = [0; STATE_WORDS];
        // Only the low half reaches the twister, as in PyTorch: 5 and 2^32 + 5 draw alike.
        words[0] = seed as u32;
        for index in 1..STATE_WORDS {
            let before = words[index - 1];
            words[index] = 1_812_433_253_u32
                .wrapping_mul(before ^ (before >> 30))
                .wrapping_add(index as u32);
        }
        Self {
            seed,
            words,
            next: 0,
            left: 1,
            cached_normal: None,
        }
    }

    /// Starts again from `seed`; a normal waiting in the cache is dropped.
    pub fn manual_seed(&mut self, seed: u64) {
        *self = Self::new(seed);
    }

    /// The seed given last (`torch.initial_seed()`).
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The state as the bytes of `torch.get_rng_state()`; [`Generator::set_state`] reads them back.
    pub fn state(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(STATE_BYTES);
        bytes.extend(self.seed.to_le_bytes());
        bytes.extend(self.left.to_le_bytes());
        bytes.extend(1_u32.to_le_bytes());
        bytes.extend((self.next as u64).to_le_bytes());
        for &word in &self.words {
            bytes.extend(u64::from(word).to_le_bytes());
        }
        // Two legacy doubles around the cached normal are always zero.
        bytes.extend(0.0_f64.to_le_bytes());
        bytes.extend(self.cached_normal.unwrap_or(0.0).to_le_bytes());
        bytes.extend(0.0_f64.to_le_bytes());
        bytes.extend(u32::from(self.cached_normal.is_some()).to_le_bytes());
        // Padding, then a cached `f32` normal that the CPU generator never fills.
        bytes.resize(STATE_BYTES, 0);
        bytes
    }

    /// Takes over a state saved by [`Generator::state`] or by `torch.get_rng_state()`.
    ///
    /// # Errors
    /// When the bytes are not such a state; the generator is left as it was.
    pub fn set_state(&mut self, bytes: &[u8]) -> Result<(), String> {
        if bytes.len() != STATE_BYTES {
            return Err(format!(
                "set_rng_state: got a state of {} bytes, expected {STATE_BYTES}: pass what get_rng_state() returned",
                bytes.len()
            ));
        }
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        let wide = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
        let (left, seeded, next) = (word(8), word(12), wide(16));
        if seeded != 1 || left == 0 || left as usize > STATE_WORDS || next > STATE_WORDS as u64 {
            return Err(
                "set_rng_state: these bytes are not a valid Mersenne Twister state: pass what get_rng_state() returned"
                    .to_owned(),
            );
        }
        let words_end = 24 + 8 * STATE_WORDS;
        let cached = f64::from_bits(wide(words_end + 8));
        *self = Self {
            seed: wide(0),
            words: std::array::from_fn(|index| wide(24 + 8 * index) as u32),
            next: next as usize,
            left,
            cached_normal: (word(words_end + 24) != 0).then_some(cached),
        };
        Ok(())
    }

    /// The next 32 random bits.
    pub fn next_u32(&mut self) -> u32 {
        self.left -= 1;
        // The second test only matters for a hand-made state: it keeps the index in bounds.
        if self.left == 0 || self.next == STATE_WORDS {
            self.twist();
        }
        let mut bits = self.words[self.next];
        self.next += 1;
        bits ^= bits >> 11;
        bits ^= (bits << 7) & 0x9d2c_5680;
        bits ^= (bits << 15) & 0xefc6_0000;
        bits ^ (bits >> 18)
    }

    /// The next 64 random bits: two draws, the first one high.
    pub fn next_u64(&mut self) -> u64 {
        let high = self.next_u32();
        let low = self.next_u32();
        u64::from(high) << 32 | u64::from(low)
    }

    /// `uniform_(from, to)` and, with 0 and 1, `rand`: 24 random bits a number.
    pub fn uniform_f32(&mut self, out: &mut [f32], from: f64, to: f64) {
        let (from, to) = (from as f32, to as f32);
        for x in out {
            if self.breaks_off() {
                return;
            }
            let value = self.unit_f32().mul_add(to - from, from);
            // Rounding may reach the bound, which does not belong to the range.
            *x = if value == to { from } else { value };
        }
    }

    /// `uniform_(from, to)` and, with 0 and 1, `rand`: 53 random bits a number.
    pub fn uniform_f64(&mut self, out: &mut [f64], from: f64, to: f64) {
        for x in out {
            if self.breaks_off() {
                return;
            }
            let value = self.unit_f64().mul_add(to - from, from);
            *x = if value == to { from } else { value };
        }
    }

    /// `normal_(mean, std)` and, with 0 and 1, `randn`.
    ///
    /// Fewer than 16 numbers are drawn one at a time, in `f64`, through the cached pair. From 16 on
    /// the whole slice is filled with uniforms and turned block by block; when the length is not a
    /// multiple of 16, the last 16 are drawn anew. The cached pair is neither used nor dropped.
    pub fn normal_f32(&mut self, out: &mut [f32], mean: f64, std: f64) {
        if out.len() < NORMAL_BLOCK {
            out.fill_with(|| self.normal(mean, std) as f32);
            return;
        }
        let (mean, std) = (mean as f32, std as f32);
        self.uniform_f32(out, 0.0, 1.0);
        let (blocks, tail) = out.as_chunks_mut::<NORMAL_BLOCK>();
        for block in blocks {
            if interrupt::spend(NORMAL_BLOCK * PER_NORMAL) {
                return;
            }
            box_muller::block_f32(block, mean, std);
        }
        if !tail.is_empty() {
            let last = out
                .last_chunk_mut::<NORMAL_BLOCK>()
                .expect("16 or more numbers");
            self.uniform_f32(last, 0.0, 1.0);
            box_muller::block_f32(last, mean, std);
        }
    }

    /// `normal_(mean, std)` in double precision; see [`Generator::normal_f32`] for the two paths.
    pub fn normal_f64(&mut self, out: &mut [f64], mean: f64, std: f64) {
        if out.len() < NORMAL_BLOCK {
            out.fill_with(|| self.normal(mean, std));
            return;
        }
        self.uniform_f64(out, 0.0, 1.0);
        let (blocks, tail) = out.as_chunks_mut::<NORMAL_BLOCK>();
        for block in blocks {
            if interrupt::spend(NORMAL_BLOCK * PER_NORMAL) {
                return;
            }
            box_muller::block_f64(block, mean, std);
        }
        if !tail.is_empty() {
            let last = out
                .last_chunk_mut::<NORMAL_BLOCK>()
                .expect("16 or more numbers");
            self.uniform_f64(last, 0.0, 1.0);
            box_muller::block_f64(last, mean, std);
        }
    }

    /// `randint(low, high)`: integers in `low..high` by remainder, from 32 bits a number, or 64 where
    /// the range is wide. The caller checks `low < high`; otherwise every number is `low`.
    pub fn randint(&mut self, out: &mut [i64], low: i64, high: i64) {
        let range = high.wrapping_sub(low) as u64;
        let range = if low < high { range } else { 1 };
        out.fill_with(|| self.integer(low, range));
    }

    /// One of the `range` integers from `low` on; `range` is not 0.
    fn integer(&mut self, low: i64, range: u64) -> i64 {
        let bits = if range >= RANDINT_WIDE {
            self.next_u64()
        } else {
            u64::from(self.next_u32())
        };
        low.wrapping_add((bits % range) as i64)
    }

    /// `randperm(out.len())`: the numbers `0..n` in random order (Fisher–Yates).
    pub fn randperm(&mut self, out: &mut [i64]) {
        let n = out.len();
        if n < RANDPERM_WIDE {
            for (index, x) in out.iter_mut().enumerate() {
                *x = index as i64;
            }
            for index in 0..n.saturating_sub(1) {
                let other = index + self.next_u32() as usize % (n - index);
                out.swap(index, other);
            }
            return;
        }
        for index in 0..n {
            if self.breaks_off() {
                return;
            }
            let other = (self.next_u64() % (index as u64 + 1)) as usize;
            out[index] = out[other];
            out[other] = index as i64;
        }
    }

    /// Whether a loop of draws is to stop: asked where a block of random words has ended.
    fn breaks_off(&self) -> bool {
        self.left == 1 && interrupt::spend(STATE_WORDS * PER_WORD)
    }

    /// In `[0, 1)`, a multiple of 2^-24.
    fn unit_f32(&mut self) -> f32 {
        const STEP: f32 = 1.0 / (1_u32 << f32::MANTISSA_DIGITS) as f32;
        (self.next_u32() & ((1 << f32::MANTISSA_DIGITS) - 1)) as f32 * STEP
    }

    /// In `[0, 1)`, a multiple of 2^-53.
    fn unit_f64(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1_u64 << f64::MANTISSA_DIGITS) as f64;
        (self.next_u64() & ((1 << f64::MANTISSA_DIGITS) - 1)) as f64 * STEP
    }

    /// One normal by Box–Muller; the pair's second half waits for the next call.
    fn normal(&mut self, mean: f64, std: f64) -> f64 {
        let unit = self.cached_normal.take().unwrap_or_else(|| {
            let turn = self.unit_f64();
            let distance = self.unit_f64();
            let radius = (-2.0 * libm::log1p(-distance)).sqrt();
            let (sin, cos) = libm::sincos(std::f64::consts::TAU * turn);
            self.cached_normal = Some(radius * sin);
            radius * cos
        });
        unit.mul_add(std, mean)
    }

    /// Makes the next 624 words out of the last ones.
    fn twist(&mut self) {
        for index in 0..STATE_WORDS {
            let following = self.words[(index + 1) % STATE_WORDS];
            let mixed = (self.words[index] & 0x8000_0000) | (following & 0x7fff_ffff);
            let odd = if following & 1 == 1 { 0x9908_b0df } else { 0 };
            self.words[index] =
                self.words[(index + STATE_MIDDLE) % STATE_WORDS] ^ (mixed >> 1) ^ odd;
        }
        self.left = STATE_WORDS as u32;
        self.next = 0;
    }
}
