//! Memory for buffers: aligned to a cache line, in size classes, reused.
//!
//! A freed block goes back to the pool it came from, because wasm memory never shrinks and because
//! fresh pages cost more than the arithmetic done on them. Every allocation that fails is an error
//! with both sizes, never an abort. The contents of a new block are unspecified, but initialised.
//! Which buffers live, and when, is the engine's business.

use std::alloc::{self, Layout};
use std::cell::{Cell, Ref, RefCell, RefMut};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::rc::Rc;

use glowgrad_tensor::{Error, Result};

use crate::available::available_memory;

/// Alignment of every block: a cache line, and the widest vector there is.
pub(crate) const ALIGNMENT: usize = 64;

/// Freed bytes kept for reuse; what is freed beyond them goes back to the system.
const MOST_POOLED: usize = if usize::BITS == 32 {
    256 << 20
} else {
    1 << 30
};

/// A request for less is not compared with what the system has.
const LARGE: usize = 64 << 20;

/// An owned, aligned, initialised row of bytes.
pub(crate) struct Block {
    start: NonNull<u8>,
    size: usize,
}

#[allow(
    unsafe_code,
    reason = "aligned memory whose allocation may fail needs the raw allocator"
)]
mod raw {
    use super::*;

    impl Block {
        /// A zeroed block, or none when there is no memory for it. `size` is a positive multiple
        /// of [`ALIGNMENT`].
        pub(super) fn allocate(size: usize) -> Option<Block> {
            let layout = Layout::from_size_align(size, ALIGNMENT)
                .ok()
                .filter(|l| l.size() > 0)?;
            // SAFETY: the layout's size is not zero.
            let start = NonNull::new(unsafe { alloc::alloc_zeroed(layout) })?;
            Some(Block { start, size })
        }
    }

    impl Drop for Block {
        fn drop(&mut self) {
            // SAFETY: `start` came from `alloc_zeroed` with this very size and alignment, which
            // `from_size_align` accepted then.
            unsafe {
                let layout = Layout::from_size_align_unchecked(self.size, ALIGNMENT);
                alloc::dealloc(self.start.as_ptr(), layout);
            }
        }
    }

    impl Deref for Block {
        type Target = [u8];
        fn deref(&self) -> &[u8] {
            // SAFETY: the block owns `size` initialised bytes from `start` on.
            unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.size) }
        }
    }

    impl DerefMut for Block {
        fn deref_mut(&mut self) -> &mut [u8] {
            // SAFETY: as above, and `&mut self` makes the access exclusive.
            unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.size) }
        }
    }
}

/// Number of the size class that holds `bytes`, and the size of its blocks: four classes an octave
/// waste at most a fifth of a block.
fn size_class(bytes: usize) -> Option<(usize, usize)> {
    let bytes = bytes.max(1);
    if bytes <= 256 {
        let quarter = bytes.div_ceil(ALIGNMENT);
        return Some((quarter - 1, quarter * ALIGNMENT));
    }
    let octave = (bytes - 1).ilog2() as usize;
    let step = 1usize << (octave - 2);
    let steps = (bytes - (1 << octave)).div_ceil(step);
    let size = (1usize << octave).checked_add(steps * step)?;
    Some((4 * (octave - 8) + 3 + steps, size))
}

/// A block of the system's, or none when it has no memory for it.
fn fresh(size: usize) -> Option<Block> {
    let there = size < LARGE || available_memory().is_none_or(|bytes| size < bytes);
    there.then(|| Block::allocate(size)).flatten()
}

/// Freed blocks by size class, and how many bytes are in use.
#[derive(Default)]
pub struct Pool {
    free: RefCell<Vec<Vec<Block>>>,
    pooled: Rc<Cell<usize>>,
    held: Cell<usize>,
}

impl Pool {
    /// A block of at least `bytes` bytes.
    pub(crate) fn take(&self, bytes: usize) -> Result<Block> {
        let too_much = || {
            Error::runtime(format!(
                "cpu: out of memory: could not get {bytes} more bytes; {} bytes are in use; use a smaller batch, or drop tensors you no longer need",
                self.held.get()
            ))
        };
        let (class, size) = size_class(bytes).ok_or_else(too_much)?;
        let reused = self.free.borrow_mut().get_mut(class).and_then(Vec::pop);
        let block = match reused {
            Some(block) => {
                self.pooled.set(self.pooled.get() - size);
                block
            }
            None => fresh(size)
                .or_else(|| {
                    // What lies in the pool may be just what is missing.
                    self.clear();
                    fresh(size)
                })
                .ok_or_else(too_much)?,
        };
        self.held.set(self.held.get() + size);
        Ok(block)
    }

    /// Takes a block back.
    pub(crate) fn give(&self, block: Block) {
        let size = block.len();
        self.held.set(self.held.get() - size);
        if self.pooled.get() + size > MOST_POOLED {
            return;
        }
        let Some((class, _)) = size_class(size) else {
            return;
        };
        let mut free = self.free.borrow_mut();
        if free.len() <= class {
            free.resize_with(class + 1, Vec::new);
        }
        free[class].push(block);
        self.pooled.set(self.pooled.get() + size);
    }

    /// Gives every pooled block back to the system.
    pub fn clear(&self) {
        self.free.borrow_mut().clear();
        self.pooled.set(0);
    }

    /// The bytes that wait for reuse, kept up to date.
    pub(crate) fn pooled(&self) -> Rc<Cell<usize>> {
        self.pooled.clone()
    }

    /// Bytes in blocks that are in use, and bytes that wait for reuse.
    pub fn bytes(&self) -> (usize, usize) {
        (self.held.get(), self.pooled.get())
    }
}

/// A buffer's memory, as the engine holds it.
pub(crate) struct Allocation {
    block: RefCell<Option<Block>>,
    bytes: usize,
    pool: Rc<Pool>,
}

impl Allocation {
    pub(crate) fn new(pool: &Rc<Pool>, bytes: usize) -> Result<Allocation> {
        let block = RefCell::new(Some(pool.take(bytes)?));
        Ok(Allocation {
            block,
            bytes,
            pool: Rc::clone(pool),
        })
    }

    /// The bytes, to read. An error if they are being written.
    pub(crate) fn read(&self) -> Result<Ref<'_, [u8]>> {
        let block = self.block.try_borrow().map_err(|_| in_use())?;
        Ref::filter_map(block, |block| block.as_ref().map(|b| &b[..self.bytes]))
            .map_err(|_| in_use())
    }

    /// The bytes, to write. An error if they are being read or written.
    pub(crate) fn write(&self) -> Result<RefMut<'_, [u8]>> {
        let block = self.block.try_borrow_mut().map_err(|_| in_use())?;
        RefMut::filter_map(block, |block| block.as_mut().map(|b| &mut b[..self.bytes]))
            .map_err(|_| in_use())
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        if let Some(block) = self.block.get_mut().take() {
            self.pool.give(block);
        }
    }
}

fn in_use() -> Error {
    Error::runtime(
        "cpu: a task writes a buffer that it also reads; the outputs of a task must be buffers of their own",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn classes_are_dense_ordered_and_tight() {
        let mut last = (usize::MAX, 0);
        for bytes in 1..40_000 {
            let (class, size) = size_class(bytes).expect("small");
            assert!(size >= bytes && size % ALIGNMENT == 0, "{bytes}: {size}");
            assert!(
                bytes <= 64 || size * 4 <= bytes * 5 + 4 * ALIGNMENT,
                "{bytes}: {size}"
            );
            assert_eq!(
                size_class(size),
                Some((class, size)),
                "a block goes back to its class"
            );
            if class != last.0 {
                assert_eq!(class, last.0.wrapping_add(1), "{bytes}");
                assert!(size > last.1);
                last = (class, size);
            }
        }
    }

    #[test]
    fn freed_memory_is_reused_and_huge_requests_are_errors() {
        let pool = Rc::new(Pool::default());
        let first = Allocation::new(&pool, 1000).expect("memory");
        let address = first.read().expect("free").as_ptr();
        assert_eq!(address.addr() % ALIGNMENT, 0);
        drop(first);
        assert_eq!(pool.bytes(), (0, 1024));
        let second = Allocation::new(&pool, 900).expect("memory");
        assert_eq!(
            second.read().expect("free").as_ptr(),
            address,
            "same class, same block"
        );
        assert_eq!(pool.bytes(), (1024, 0));
        drop(second);
        let error = Allocation::new(&pool, isize::MAX as usize - 200)
            .err()
            .expect("too much");
        assert!(error.message.contains("out of memory"), "{}", error.message);
        assert_eq!(
            pool.bytes(),
            (0, 0),
            "the pool was emptied before giving up"
        );
    }

    #[test]
    fn a_buffer_is_not_read_while_written() {
        let storage = Allocation::new(&Rc::default(), 8).expect("memory");
        let writing = storage.write().expect("free");
        assert!(storage.read().is_err());
        drop(writing);
        assert_eq!(storage.read().expect("free").len(), 8);
    }
}
