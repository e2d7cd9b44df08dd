//! A tensor's bytes on the device, on the host, or both.
//!
//! Invariant: what is `Some` of `device` and `host` is the value; a write on one side drops the other. On
//! the device every element is a word of 32 bits: float32 as it is, integers as i32, bools as 0 or 1, so
//! int64 is narrowed on its way there, and refused where it does not fit. float16 is a word of 16, where
//! the adapter has it. What WGSL has no word for (float64, bfloat16, uint64, uint32) stays on the host.

use std::cell::RefCell;
use std::rc::Rc;

use bytemuck::cast_slice;
use glowgrad_cpu::{Host, reason};
use glowgrad_tensor::{DType, Error, Result};

use crate::NAME;
use crate::device::Gpu;

/// A value as the host has it.
#[derive(Clone)]
pub(crate) struct Value {
    pub(crate) host: Rc<Host>,
    pub(crate) dtype: DType,
}

struct State {
    dtype: DType,
    device: Option<wgpu::Buffer>,
    host: Option<Rc<Host>>,
    /// The value as the host gave it, unless the device has written since.
    given: Option<Value>,
    /// The value when the journal began.
    start: Option<Value>,
    /// Whether a tensor still has it; the journal may need it all the same.
    is_alive: bool,
}

/// What a tensor's buffer is to this backend.
pub(crate) struct BufferHandle(pub(crate) Rc<GpuBuffer>);

impl Drop for BufferHandle {
    fn drop(&mut self) {
        self.0.state.borrow_mut().is_alive = false;
        self.0.clear();
    }
}

/// A value on either side.
pub(crate) struct GpuBuffer {
    gpu: Rc<Gpu>,
    bytes: usize,
    state: RefCell<State>,
}

/// Bytes of a word on the device.
pub(crate) fn word_size(dtype: DType) -> usize {
    match dtype {
        DType::F16 => 2,
        _ => 4,
    }
}

impl GpuBuffer {
    pub(crate) fn new(gpu: Rc<Gpu>, bytes: usize, dtype: DType) -> GpuBuffer {
        let state = State {
            dtype,
            device: None,
            host: None,
            given: None,
            start: None,
            is_alive: true,
        };
        GpuBuffer {
            gpu,
            bytes,
            state: RefCell::new(state),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn is_alive(&self) -> bool {
        self.state.borrow().is_alive
    }

    pub(crate) fn dtype(&self) -> DType {
        self.state.borrow().dtype
    }

    /// Bytes of the words on the device, in fours as everything that is copied.
    pub(crate) fn device_bytes(&self, dtype: DType) -> u64 {
        let bytes = self.bytes / dtype.size() * word_size(dtype);
        (bytes as u64).next_multiple_of(4)
    }

    pub(crate) fn is_on_host(&self) -> bool {
        self.state.borrow().host.is_some()
    }

    /// Whether the value is, or can come, on the device; otherwise why not.
    pub(crate) fn reaches_device(&self) -> Result<(), String> {
        let state = self.state.borrow();
        if state.device.is_some() {
            return Ok(());
        }
        if let Some(why) = self.gpu.lacks(state.dtype) {
            return Err(why);
        }
        if self.device_bytes(state.dtype) > self.gpu.most_bytes() {
            return Err(reason::large_buffer(self.gpu.most_bytes()));
        }
        let fits = |host: &Rc<Host>| {
            let values: &[i64] = cast_slice(host.bytes());
            values.iter().all(|&v| i32::try_from(v).is_ok())
        };
        if state.dtype == DType::I64 && !state.host.as_ref().is_none_or(fits) {
            return Err(reason::WIDE_INTEGER.to_owned());
        }
        Ok(())
    }

    /// The words on the device, for a shader to read.
    pub(crate) fn device(&self) -> Result<wgpu::Buffer> {
        self.state.borrow().device.clone().ok_or_else(|| {
            Error::runtime(format!(
                "{NAME}: internal error: an input is not on the device; please report this"
            ))
        })
    }

    /// Brings the value to the device. Only what [`GpuBuffer::reaches_device`] may come.
    pub(crate) fn to_device(&self) -> Result<()> {
        let mut state = self.state.borrow_mut();
        if state.device.is_some() {
            return Ok(());
        }
        let buffer = self.gpu.take_settled(self.device_bytes(state.dtype));
        if let Some(host) = &state.host {
            let words = to_words(host.bytes(), state.dtype);
            self.gpu.queue().write_buffer(&buffer, 0, &words);
        }
        // Indices are looked at on the host before a shader follows them, and what follows from them is
        // computed there; the rest is not kept twice.
        if state.dtype.is_float() {
            state.host = None;
        }
        state.device = Some(buffer);
        Ok(())
    }

    /// The words on the device, for a shader to write in this dtype.
    pub(crate) fn device_for(&self, dtype: DType) -> wgpu::Buffer {
        let mut state = self.state.borrow_mut();
        state.host = None;
        state.given = None;
        let is_alike = word_size(state.dtype) == word_size(dtype);
        state.dtype = dtype;
        if let Some(buffer) = state.device.as_ref().filter(|_| is_alike) {
            return buffer.clone();
        }
        let buffer = self.gpu.take(self.device_bytes(dtype));
        if let Some(other) = state.device.replace(buffer.clone()) {
            self.gpu.give(other);
        }
        buffer
    }

    /// The words that must be read for the value to be on the host, and their bytes.
    pub(crate) fn to_read(&self) -> Option<(wgpu::Buffer, u64)> {
        let state = self.state.borrow();
        let is_missing = state.host.is_none() && self.bytes > 0;
        let buffer = state.device.clone().filter(|_| is_missing)?;
        Some((buffer, self.device_bytes(state.dtype)))
    }

    /// The value on the host, from the words of [`GpuBuffer::to_read`] if there were any.
    pub(crate) fn to_host(&self, words: Option<&[u8]>) -> Result<Rc<Host>> {
        let mut state = self.state.borrow_mut();
        if let Some(host) = &state.host {
            return Ok(host.clone());
        }
        let mut host = Host::new(self.bytes)?;
        if let Some(words) = words {
            from_words(words, state.dtype, host.bytes_mut());
        }
        let host = Rc::new(host);
        state.host = Some(host.clone());
        Ok(host)
    }

    /// Gives it a value on the host.
    pub(crate) fn set_host(&self, value: Value) {
        let mut state = self.state.borrow_mut();
        state.dtype = value.dtype;
        state.host = Some(value.host.clone());
        state.given = Some(value);
        if let Some(buffer) = state.device.take() {
            self.gpu.give(buffer);
        }
    }

    /// Lets the value go on both sides, but for what the journal begins with.
    pub(crate) fn clear(&self) {
        let mut state = self.state.borrow_mut();
        state.host = None;
        state.given = None;
        if let Some(buffer) = state.device.take() {
            self.gpu.give(buffer);
        }
    }

    /// What a checkpoint keeps: the value that the host knows, or the words to copy from the device.
    pub(crate) fn latest(&self) -> Latest {
        let state = self.state.borrow();
        match (&state.given, &state.device) {
            (Some(value), _) => Latest::Known(value.clone()),
            (None, Some(buffer)) => Latest::OnDevice(buffer.clone(), state.dtype),
            (None, None) => Latest::Nothing,
        }
    }

    /// Sets the value that the journal begins with.
    pub(crate) fn start_with(&self, value: Value) {
        self.state.borrow_mut().start = Some(value);
    }

    /// Goes back to the value that the journal begins with; what was on the device is gone.
    pub(crate) fn rewind(&self) {
        let mut state = self.state.borrow_mut();
        state.device = None;
        state.given = state.start.clone();
        state.host = state.start.as_ref().map(|value| value.host.clone());
        if let Some(value) = state.start.clone() {
            state.dtype = value.dtype;
        }
    }
}

/// Where a value is to be had.
pub(crate) enum Latest {
    Known(Value),
    OnDevice(wgpu::Buffer, DType),
    Nothing,
}

/// Elements as words.
fn to_words(bytes: &[u8], dtype: DType) -> Vec<u8> {
    let widened = |words: Vec<i32>| cast_slice(&words).to_vec();
    match dtype {
        DType::Bool | DType::U8 => widened(bytes.iter().map(|&b| i32::from(b)).collect()),
        DType::I8 => widened(bytes.iter().map(|&b| i32::from(b as i8)).collect()),
        DType::U16 => widened(
            cast_slice::<u8, u16>(bytes)
                .iter()
                .map(|&v| v.into())
                .collect(),
        ),
        DType::I16 => widened(
            cast_slice::<u8, i16>(bytes)
                .iter()
                .map(|&v| v.into())
                .collect(),
        ),
        DType::I64 => widened(
            cast_slice::<u8, i64>(bytes)
                .iter()
                .map(|&v| v as i32)
                .collect(),
        ),
        _ => {
            let mut words = bytes.to_vec();
            words.resize(bytes.len().next_multiple_of(4), 0);
            words
        }
    }
}

/// Words as elements.
pub(crate) fn from_words(words: &[u8], dtype: DType, bytes: &mut [u8]) {
    let size = dtype.size();
    let words = words.chunks_exact(word_size(dtype));
    for (word, element) in words.zip(bytes.chunks_exact_mut(size)) {
        match dtype {
            DType::I64 => {
                let word = i32::from_le_bytes([word[0], word[1], word[2], word[3]]);
                element.copy_from_slice(&i64::from(word).to_le_bytes());
            }
            _ => element.copy_from_slice(&word[..size]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_every_dtype() {
        let there_and_back = |bytes: &[u8], dtype: DType| {
            let mut host = Host::new(bytes.len()).expect("a few bytes");
            host.bytes_mut().copy_from_slice(bytes);
            let words = to_words(host.bytes(), dtype);
            let n = bytes.len() / dtype.size();
            assert_eq!(words.len(), (n * word_size(dtype)).next_multiple_of(4));
            let mut back = vec![0; bytes.len()];
            from_words(&words, dtype, &mut back);
            assert_eq!(back, bytes, "{dtype}");
        };
        there_and_back(&[0, 1, 1], DType::Bool);
        there_and_back(&[0, 200, 255], DType::U8);
        there_and_back(&[0, 200, 255], DType::I8);
        there_and_back(cast_slice(&[0i16, -1, i16::MIN]), DType::I16);
        there_and_back(cast_slice(&[0u16, 1, u16::MAX]), DType::U16);
        there_and_back(cast_slice(&[-7i64, i64::from(i32::MAX)]), DType::I64);
        there_and_back(cast_slice(&[f32::NAN, -0.0, 1.5]), DType::F32);
        // 1, −2 and the largest: the last word is half a word of the device's memory.
        there_and_back(cast_slice(&[0x3c00u16, 0xc000, 0x7bff]), DType::F16);
    }
}
