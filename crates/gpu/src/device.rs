//! A device with its queue and its pool of buffers.
//!
//! A device may be lost at any time: then [`Gpu::reopen`] puts another in its place, and all buffers are
//! gone. `journal.rs` brings their values back.

use std::cell::{Cell, Ref, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
#[cfg(not(target_arch = "wasm32"))]
use std::time::Duration;

use futures_channel::oneshot;
use glowgrad_tensor::codegen::has_words;
use glowgrad_tensor::{DType, Error, Result, interrupt};

use crate::adapter::{Opened, adapters};
use crate::commands::Command;
use crate::health::{Health, Trouble};
use crate::pipelines::Precompile;
use crate::wait::BlockOn;
#[cfg(target_arch = "wasm32")]
use crate::wait::within;
use crate::{NAME, NO_ADAPTER};

/// Freed bytes kept for reuse.
const MOST_POOLED: u64 = 512 << 20;

/// Bytes of a read that shares its staging buffer with others.
const SMALL_READ: u64 = 64 << 10;

/// Milliseconds of a wait between two looks whether Stop was pressed.
const MILLIS_BETWEEN_LOOKS: u32 = 50;

/// The device that computes now.
pub(crate) struct Gpu {
    opened: RefCell<Opened>,
    block_on: BlockOn,
    precompile: Cell<Option<Precompile>>,
    /// Freed, by size; what is encoded may still use it.
    free: RefCell<HashMap<u64, Vec<wgpu::Buffer>>>,
    /// Freed, by size, before the last submit.
    settled: RefCell<HashMap<u64, Vec<wgpu::Buffer>>>,
    pooled: Rc<Cell<usize>>,
    /// Whether a buffer went for good since the last call of `take_dropped`.
    dropped: Cell<bool>,
    /// Kept for the next small read: a loss each step needs no buffer of its own.
    reading: RefCell<Option<wgpu::Buffer>>,
}

impl Gpu {
    pub(crate) fn new(opened: Opened, block_on: BlockOn) -> Gpu {
        Gpu {
            opened: RefCell::new(opened),
            block_on,
            precompile: Cell::default(),
            free: RefCell::default(),
            settled: RefCell::default(),
            pooled: Rc::default(),
            dropped: Cell::default(),
            reading: RefCell::default(),
        }
    }

    /// Puts a new device in the place of this one. Everything on the old one is gone.
    pub(crate) fn reopen(&self) -> Result<()> {
        self.free.borrow_mut().clear();
        self.settled.borrow_mut().clear();
        self.reading.take();
        self.pooled.set(0);
        self.dropped.set(true);
        let adapter = adapters(self.block_on).into_iter().next();
        let adapter = adapter.ok_or_else(|| Error::not_implemented(NO_ADAPTER))?;
        let opened = adapter.device(self.block_on)?;
        *self.opened.borrow_mut() = opened;
        Ok(())
    }

    pub(crate) fn device(&self) -> Ref<'_, wgpu::Device> {
        Ref::map(self.opened.borrow(), |opened| &opened.device)
    }

    pub(crate) fn queue(&self) -> Ref<'_, wgpu::Queue> {
        Ref::map(self.opened.borrow(), |opened| &opened.queue)
    }

    pub(crate) fn name(&self) -> String {
        self.opened.borrow().name.clone()
    }

    /// The largest buffer that a shader can see.
    pub(crate) fn most_bytes(&self) -> u64 {
        self.opened.borrow().most_bytes
    }

    /// Whether shaders read their numbers from storage rather than from a uniform.
    pub(crate) fn numbers_in_storage(&self) -> bool {
        self.opened.borrow().numbers_in_storage
    }

    /// Why shaders can have no elements of a dtype, if so.
    pub(crate) fn lacks(&self, dtype: DType) -> Option<String> {
        match dtype {
            _ if !has_words(dtype) => Some(format!("WGSL has no {dtype}")),
            DType::F16 if !self.opened.borrow().has_f16 => {
                Some("this adapter has no shader-f16, which float16 needs".to_owned())
            }
            _ => None,
        }
    }

    fn health(&self) -> Rc<Health> {
        self.opened.borrow().health.clone()
    }

    pub(crate) fn block_on(&self) -> BlockOn {
        self.block_on
    }

    /// What compiles shaders before wgpu is asked for them.
    pub(crate) fn precompile(&self) -> Option<Precompile> {
        self.precompile.get()
    }

    pub(crate) fn set_precompile(&self, precompile: Precompile) {
        self.precompile.set(Some(precompile));
    }

    /// What befell the device, if its values are no longer to be had from it.
    pub(crate) fn trouble(&self) -> Option<Trouble> {
        self.health().trouble()
    }

    /// Has the device tell of what it has done; a browser does this by itself.
    pub(crate) fn settle(&self) {
        #[cfg(not(target_arch = "wasm32"))]
        let _ = self.device().poll(wgpu::PollType::Poll);
    }

    pub(crate) fn encoder(&self) -> wgpu::CommandEncoder {
        self.device()
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    pub(crate) fn pooled(&self) -> Rc<Cell<usize>> {
        self.pooled.clone()
    }

    /// Whether a buffer went for good since the last call; caches of buffer handles are emptied then.
    pub(crate) fn take_dropped(&self) -> bool {
        self.dropped.take()
    }

    /// A storage buffer of at least this size, contents unspecified, for what is encoded next.
    pub(crate) fn take(&self, bytes: u64) -> wgpu::Buffer {
        let free = self.pop(&self.free, size_class(bytes));
        free.unwrap_or_else(|| self.take_settled(bytes))
    }

    /// As [`Gpu::take`], for a write of the queue: that comes before everything that is encoded and
    /// not yet sent, which must not know the buffer.
    pub(crate) fn take_settled(&self, bytes: u64) -> wgpu::Buffer {
        let size = size_class(bytes);
        let settled = self.pop(&self.settled, size);
        settled.unwrap_or_else(|| self.create(size))
    }

    /// What was freed is free for every use: everything encoded was sent.
    pub(crate) fn sent(&self) {
        let mut settled = self.settled.borrow_mut();
        for (size, buffers) in self.free.borrow_mut().drain() {
            settled.entry(size).or_default().extend(buffers);
        }
    }

    fn pop(
        &self,
        pool: &RefCell<HashMap<u64, Vec<wgpu::Buffer>>>,
        size: u64,
    ) -> Option<wgpu::Buffer> {
        let buffer = pool.borrow_mut().get_mut(&size)?.pop()?;
        self.pooled.set(self.pooled.get() - size as usize);
        Some(buffer)
    }

    fn create(&self, size: u64) -> wgpu::Buffer {
        self.device().create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage: wgpu::BufferUsages::STORAGE
                | wgpu::BufferUsages::COPY_SRC
                | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    /// A buffer that the host reads.
    pub(crate) fn staging(&self, bytes: u64) -> wgpu::Buffer {
        self.device().create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    /// Takes a buffer back. What is encoded runs in order, so the next owner may write at once.
    pub(crate) fn give(&self, buffer: wgpu::Buffer) {
        let size = buffer.size();
        if self.pooled.get() as u64 + size <= MOST_POOLED {
            self.pooled.set(self.pooled.get() + size as usize);
            self.free.borrow_mut().entry(size).or_default().push(buffer);
        } else {
            self.dropped.set(true);
        }
    }

    /// A copy of a buffer's first bytes, for [`Gpu::read`] once it is sent.
    pub(crate) fn copy_out(&self, buffer: &wgpu::Buffer, bytes: u64) -> (wgpu::Buffer, Command) {
        let is_small = bytes <= SMALL_READ;
        let kept = is_small.then(|| self.reading.take()).flatten();
        let staging = kept.unwrap_or_else(|| self.staging(bytes.max(SMALL_READ)));
        let copy = Command::Copy {
            from: buffer.clone(),
            to: staging.clone(),
            at: 0,
            bytes,
        };
        (staging, copy)
    }

    /// What the device tells when it has done what it was asked; nothing if it will not. A kernel cannot be
    /// stopped, a wait for it can.
    fn wait_for<T: 'static>(&self, mut told: oneshot::Receiver<T>) -> Result<Option<T>> {
        loop {
            #[cfg(not(target_arch = "wasm32"))]
            {
                let waited = self.device().poll(wgpu::PollType::Wait {
                    submission_index: None,
                    timeout: Some(Duration::from_millis(MILLIS_BETWEEN_LOOKS.into())),
                });
                match told.try_recv() {
                    Ok(None) if matches!(waited, Err(wgpu::PollError::Timeout)) => {}
                    answer => return Ok(answer.ok().flatten()),
                }
            }
            #[cfg(target_arch = "wasm32")]
            match within(self.block_on, told, MILLIS_BETWEEN_LOOKS) {
                Some(Err(later)) => told = later,
                answer => return Ok(answer.and_then(|answer| answer.ok()?.ok())),
            }
            if interrupt::is_asked() {
                interrupt::check()?;
            }
        }
    }

    /// The first bytes of what was copied out and sent, when the device has done it. After an error
    /// [`Gpu::trouble`] may say more.
    pub(crate) fn read(&self, staging: wgpu::Buffer, bytes: u64) -> Result<Vec<u8>> {
        let (done, mapped) = oneshot::channel();
        staging.map_async(wgpu::MapMode::Read, .., |result| {
            let _ = done.send(result);
        });
        let answer = self.wait_for(mapped)?;
        self.settle();
        if matches!(answer, Some(Ok(())))
            && self.trouble().is_none()
            && let Ok(mapped) = staging.get_mapped_range(..bytes)
        {
            let words = mapped.to_vec();
            drop(mapped);
            staging.unmap();
            if staging.size() == SMALL_READ {
                *self.reading.borrow_mut() = Some(staging);
            }
            return Ok(words);
        }
        if self.trouble().is_none() {
            self.health().lose();
        }
        Err(Error::runtime(format!(
            "{NAME}: {} did not answer; run the cell again, or use device=\"cpu\"",
            self.name()
        )))
    }
}

/// The size of the blocks that hold this many bytes: four classes an octave.
fn size_class(bytes: u64) -> u64 {
    let bytes = bytes.max(256);
    let step = (bytes.next_power_of_two() / 8).max(64);
    bytes.div_ceil(step) * step
}

#[cfg(test)]
mod tests {
    use super::size_class;

    #[test]
    fn a_class_holds_its_bytes_and_wastes_little() {
        for bytes in [0, 1, 256, 257, 1000, 4096, 4097, 1 << 20, (1 << 20) + 1] {
            let class = size_class(bytes);
            assert!(
                class >= bytes && class.is_multiple_of(64),
                "{bytes} in {class}"
            );
            assert!(
                bytes < 256 || class <= bytes + bytes / 4 + 64,
                "{bytes} in {class}"
            );
        }
    }
}
