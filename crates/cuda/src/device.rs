//! Devices, and one that is open: its memory, its stream, its launches.
//!
//! Invariant: everything runs on one stream, in the order in which it is asked for. So memory that is
//! given back may be given out at once, and nothing needs an event to wait for.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaGraph, CudaStream, DevicePtr, DriverError, LaunchConfig,
    PushKernelArg, result,
};
use cudarc::nvrtc::Ptx;
use glowgrad_tensor::{Error, Result};

use crate::CudaBackend;
use crate::command::{Block, Command, CommandList, Parameter};
use crate::compiler::Compiler;
use crate::library::Library;
use crate::product::Products;

/// Freed bytes kept for reuse.
const MOST_POOLED: usize = 2 << 30;

/// A GPU of NVIDIA's.
#[derive(Debug, Clone)]
pub struct Device {
    /// Its number.
    pub ordinal: usize,
    /// As its driver calls it.
    pub name: String,
    /// Bytes of memory.
    pub memory: usize,
    /// Compute capability, major and minor.
    pub capability: (i32, i32),
}

/// The GPUs of this computer that CUDA can use; none without a driver.
pub fn devices() -> Vec<Device> {
    if Library::Driver.find().is_err() {
        return Vec::new();
    }
    let n = CudaContext::device_count().unwrap_or(0);
    let device = |ordinal: usize| -> Result<Device, DriverError> {
        let context = CudaContext::new(ordinal)?;
        Ok(Device {
            ordinal,
            name: context.name()?,
            memory: context.total_mem()?,
            capability: context.compute_capability()?,
        })
    };
    let all = 0..usize::try_from(n).unwrap_or(0);
    all.filter_map(|ordinal| device(ordinal).ok()).collect()
}

impl Device {
    /// A backend on it.
    ///
    /// # Errors
    /// What is missing, and what to do.
    pub fn open(self) -> Result<CudaBackend> {
        for library in [Library::Driver, Library::Nvrtc, Library::CublasLt] {
            library.find()?;
        }
        let compiler = Compiler::new(self.capability)?;
        let failed = |error: DriverError| {
            Error::runtime(format!(
                "cuda: {} does not open: {error}; use --device cpu",
                self.name
            ))
        };
        let context = CudaContext::new(self.ordinal).map_err(failed)?;
        // SAFETY: events order streams, and this context has one.
        #[allow(unsafe_code)]
        unsafe {
            context.disable_event_tracking();
        }
        // Not the default one, from which nothing can be captured.
        let stream = context.new_stream().map_err(failed)?;
        let products = Products::new(&stream)?;
        Ok(CudaBackend::on(Gpu {
            name: self.name,
            context,
            stream,
            compiler,
            products,
            free: RefCell::default(),
            pooled: Rc::default(),
            list: RefCell::default(),
        }))
    }
}

/// A device that is open.
pub(crate) struct Gpu {
    pub(crate) name: String,
    pub(crate) context: Arc<CudaContext>,
    pub(crate) stream: Arc<CudaStream>,
    compiler: Compiler,
    pub(crate) products: Products,
    /// Freed, by size.
    free: RefCell<HashMap<usize, Vec<Block>>>,
    pooled: Rc<Cell<usize>>,
    /// Where commands go instead of the stream, while a recording keeps them.
    pub(crate) list: RefCell<Option<CommandList>>,
}

impl Gpu {
    /// What the driver said went wrong.
    pub(crate) fn failed(&self, doing: &str, error: DriverError) -> Error {
        Error::runtime(format!(
            "cuda: {}, {doing}: {error}; use a smaller shape or --device cpu",
            self.name
        ))
    }

    pub(crate) fn pooled(&self) -> Rc<Cell<usize>> {
        self.pooled.clone()
    }

    /// Memory for this many bytes, contents unspecified.
    pub(crate) fn take(&self, bytes: usize) -> Result<Block> {
        let size = size_class(bytes);
        if let Some(block) = self.free.borrow_mut().get_mut(&size).and_then(Vec::pop) {
            self.pooled.set(self.pooled.get() - size);
            return Ok(block);
        }
        let create = || {
            // SAFETY: what is read from it was written before: tasks write their results entirely.
            #[allow(unsafe_code)]
            unsafe {
                self.stream.alloc::<u8>(size)
            }
        };
        let created = create().or_else(|_| {
            // What waits for reuse may be what is missing.
            self.free.borrow_mut().clear();
            self.pooled.set(0);
            self.stream.synchronize()?;
            create()
        });
        created.map_err(|error| {
            let (free, total) = self.context.mem_get_info().unwrap_or((0, 0));
            Error::runtime(format!(
                "cuda: out of memory: could not get {size} bytes on {}, {free} of {total} are free: {error}; use a smaller batch or --device cpu",
                self.name
            ))
        })
    }

    /// Takes memory back. What was asked for runs in order, so the next owner may write at once; commands
    /// that are kept keep theirs.
    pub(crate) fn give(&self, block: Block) {
        if let Some(list) = &mut *self.list.borrow_mut() {
            list.memory.push(block);
            return;
        }
        let size = block.len();
        let pooled = self.pooled.get() + size;
        if pooled <= MOST_POOLED {
            self.pooled.set(pooled);
            self.free.borrow_mut().entry(size).or_default().push(block);
        }
    }

    /// Where memory lies, for a kernel.
    pub(crate) fn address(&self, block: &Block) -> u64 {
        block.device_ptr(&self.stream).0
    }

    /// Copies bytes to the device.
    pub(crate) fn write(&self, bytes: &[u8], to: u64) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: whose memory it is says how much there is. The driver has the bytes when it returns.
        #[allow(unsafe_code)]
        let copied = self.context.bind_to_thread().and_then(|()| unsafe {
            result::memcpy_htod_async(to, bytes, self.stream.cu_stream())
        });
        copied.map_err(|error| self.failed("writing a tensor", error))
    }

    /// Copies a block's first bytes to the host; waits until everything asked for is done.
    pub(crate) fn read(&self, block: &Block, bytes: &mut [u8]) -> Result<()> {
        let read = if bytes.is_empty() {
            Ok(())
        } else {
            self.stream.memcpy_dtoh(&block.slice(..bytes.len()), bytes)
        };
        read.and_then(|()| self.stream.synchronize())
            .map_err(|error| self.failed("reading a tensor", error))
    }

    /// Copies bytes from one place to another.
    pub(crate) fn copy(&self, from: u64, to: u64, bytes: usize) -> Result<()> {
        match bytes {
            0 => Ok(()),
            bytes => self.ask(Command::Copy { from, to, bytes }),
        }
    }

    /// Sets bytes to zero.
    pub(crate) fn clear(&self, at: u64, bytes: usize) -> Result<()> {
        match bytes {
            0 => Ok(()),
            bytes => self.ask(Command::Clear { at, bytes }),
        }
    }

    /// A program's entry point.
    pub(crate) fn compile(&self, source: &str) -> Result<CudaFunction> {
        let code = Ptx::from_binary(self.compiler.compile(source)?);
        let module = self.context.load_module(code);
        let function = module.and_then(|module| module.load_function("compute"));
        function.map_err(|error| {
            Error::runtime(format!(
                "cuda: the driver of {} does not load a kernel: {error}; a driver of CUDA 13 or later is needed, or use --device cpu",
                self.name
            ))
        })
    }

    /// Runs a kernel with this many groups and threads in each.
    pub(crate) fn launch(
        &self,
        function: &CudaFunction,
        groups: [u32; 3],
        threads: usize,
        parameters: Vec<Parameter>,
    ) -> Result<()> {
        self.ask(Command::Launch {
            function: function.clone(),
            groups,
            threads: threads as u32,
            parameters,
        })
    }

    /// Has the stream do something, or the recording keep it.
    pub(crate) fn ask(&self, command: Command) -> Result<()> {
        match &mut *self.list.borrow_mut() {
            Some(list) => {
                list.commands.push(command);
                Ok(())
            }
            None => self.begin(&command),
        }
    }

    /// Has the stream run a command.
    fn begin(&self, command: &Command) -> Result<()> {
        let stream = self.stream.cu_stream();
        let (doing, done) = match command {
            Command::Launch {
                function,
                groups: [x, y, z],
                threads,
                parameters,
            } => {
                let mut launch = self.stream.launch_builder(function);
                for parameter in parameters {
                    match parameter {
                        Parameter::Word(word) => launch.arg(word),
                        // The driver reads the whole struct from where it begins.
                        Parameter::Struct(words) => launch.arg(&words[0]),
                    };
                }
                let config = LaunchConfig {
                    grid_dim: (*x, *y, *z),
                    block_dim: (*threads, 1, 1),
                    shared_mem_bytes: 0,
                };
                // SAFETY: parameters are those of the entry point, in order, each as long as it is there
                // (a shorter number is the first bytes of a word); a kernel stays inside its buffers,
                // whose sizes are the task's.
                #[allow(unsafe_code)]
                let launched = unsafe { launch.launch(config) };
                ("starting a kernel", launched.map(drop))
            }
            &Command::Copy { from, to, bytes } => {
                // SAFETY: both places have this many bytes, as their tensors say.
                #[allow(unsafe_code)]
                let copied = self
                    .context
                    .bind_to_thread()
                    .and_then(|()| unsafe { result::memcpy_dtod_async(to, from, bytes, stream) });
                ("copying a tensor", copied)
            }
            &Command::Clear { at, bytes } => {
                // SAFETY: as above.
                #[allow(unsafe_code)]
                let cleared = self
                    .context
                    .bind_to_thread()
                    .and_then(|()| unsafe { result::memset_d8_async(at, 0, bytes, stream) });
                ("clearing a tensor", cleared)
            }
            Command::Product(config, addresses) => {
                let bound = self.context.bind_to_thread();
                bound.map_err(|error| self.failed("multiplying matrices", error))?;
                return self.products.multiply(config, *addresses);
            }
        };
        done.map_err(|error| self.failed(doing, error))
    }

    /// Commands as a graph; none if the driver makes none of them.
    pub(crate) fn capture(&self, commands: &[Command]) -> Option<CudaGraph> {
        // Libraries may load a kernel when it is first asked for, which a stricter mode forbids.
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        self.stream.begin_capture(mode).ok()?;
        let begun = commands.iter().try_for_each(|command| self.begin(command));
        // Ends it even after an error.
        let graph = self.stream.end_capture(CUgraphInstantiate_flags(0));
        begun.ok().and(graph.ok()?)
    }
}

/// The size of the blocks that hold this many bytes: four classes an octave.
fn size_class(bytes: usize) -> usize {
    let bytes = bytes.max(512);
    let step = (bytes.next_power_of_two() / 8).max(128);
    bytes.div_ceil(step) * step
}

#[cfg(test)]
mod tests {
    use super::size_class;

    #[test]
    fn a_class_holds_its_bytes_and_wastes_little() {
        for bytes in [0, 1, 512, 513, 1000, 4096, 4097, 1 << 20, (1 << 20) + 1] {
            let class = size_class(bytes);
            assert!(class >= bytes && class.is_multiple_of(128), "{bytes}");
            assert!(
                bytes < 512 || class <= bytes + bytes / 4 + 128,
                "{bytes} in {class}"
            );
            assert_eq!(size_class(class), class);
        }
    }
}
