//! In wasm, a kernel that has computed much becomes a function of its own: its values stay in vector registers, where
//! the interpreter of [`crate::tiles`] writes a tile for each.
//!
//! `body` writes the function as a module of wasm in the very operations that the interpreter runs, so that both give
//! the same bits. `cache` keeps one function for each body, whatever its shapes and arguments are, and says when one is
//! worth its compilation. A page has its module compiled through [`use_compiler`]. Kernels with anything but float32
//! and bool, or with functions of float64, are interpreted; so is everything natively.

#[cfg(all(target_arch = "wasm32", feature = "full"))]
mod body;
#[cfg(all(target_arch = "wasm32", feature = "full"))]
mod cache;
#[cfg(all(target_arch = "wasm32", feature = "full"))]
mod code;

use std::rc::Rc;

use glowgrad_tensor::kernel::{Instr, Kernel};
use smallvec::SmallVec;

#[cfg(all(target_arch = "wasm32", feature = "full"))]
pub use cache::{Compiler, use_compiler};

/// A compiled body: it reads some instructions' results and computes the rest.
#[derive(Debug)]
pub(crate) struct Function {
    /// The instructions whose results it reads, ascending. Of one that is the same everywhere it reads one element.
    pub(crate) leaves: SmallVec<[usize; 8]>,
    /// The kernel's outputs that it writes.
    pub(crate) stores: SmallVec<[usize; 4]>,
    /// Where it is in the table of functions.
    #[cfg_attr(
        not(all(target_arch = "wasm32", feature = "full")),
        expect(dead_code, reason = "nothing is compiled")
    )]
    place: usize,
}

/// Whether a function computes an instruction: what is the same everywhere is computed once, before.
pub(crate) fn is_computed(instr: &Instr, is_uniform: bool) -> bool {
    matches!(instr, Instr::Apply { .. } | Instr::Cast { .. }) && !is_uniform
}

/// The function for a kernel's body, if there is one. It is asked for before each run over `total` positions, and
/// compiled when that has been worth it. `uniform` says which inputs are the same everywhere.
pub(crate) fn function(
    kernel: &Kernel,
    uniform: impl Fn(usize) -> bool,
    total: usize,
) -> Option<Rc<Function>> {
    #[cfg(all(target_arch = "wasm32", feature = "full"))]
    return cache::function(kernel, uniform, total);
    #[cfg(not(all(target_arch = "wasm32", feature = "full")))]
    {
        let _ = (kernel, uniform, total);
        None
    }
}

/// Makes each element of a row `eˣ⁻ᵇ`, where that has become a function. False where it has not.
#[cfg(feature = "full")]
pub(crate) fn exp_of(row: &mut [f32], b: f32) -> bool {
    #[cfg(all(target_arch = "wasm32", feature = "full"))]
    return cache::exp_of(row, b);
    #[cfg(not(all(target_arch = "wasm32", feature = "full")))]
    {
        let _ = (row, b);
        false
    }
}

impl Function {
    /// Computes `len` elements.
    ///
    /// # Safety
    /// `operands` are the addresses of the leaves' elements, then of the stores': `len` elements each, one for a leaf
    /// that is the same everywhere. Stores are valid for writes; where a leaf and a store overlap, they begin together.
    #[cfg(all(target_arch = "wasm32", feature = "full"))]
    #[allow(unsafe_code, reason = "calls a function by its place in the table")]
    pub(crate) unsafe fn call(&self, operands: &[*const u8], len: usize) {
        type Body = unsafe extern "C" fn(operands: *const *const u8, len: usize);
        assert_eq!(operands.len(), self.leaves.len() + self.stores.len());
        // SAFETY: by the contract of `use_compiler`, the function of that place is of this type.
        let body = unsafe { std::mem::transmute::<usize, Body>(self.place) };
        // SAFETY: as the caller promises.
        unsafe { body(operands.as_ptr(), len) }
    }
}
