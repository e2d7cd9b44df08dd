//! A device as it is checked: a backend that counts what it does.

use std::collections::BTreeMap;
use std::rc::Rc;

use glowgrad::CpuBackend;
use glowgrad::backend::Backend;

/// What a backend did so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Counts {
    /// How often work was sent.
    pub submits: usize,
    /// Shaders that ran.
    pub dispatches: usize,
    /// Shaders that were compiled.
    pub pipelines: usize,
    /// Tasks that ran on the CPU instead, by reason.
    pub fallbacks: BTreeMap<String, usize>,
}

/// A backend that counts what it does.
pub trait Counting: Backend {
    /// What it did so far.
    fn counts(&self) -> Counts;
}

/// A device to check.
#[derive(Clone)]
pub struct Device {
    /// What computes.
    pub backend: Rc<dyn Counting>,
    /// The driver and its version; empty where there is none.
    pub driver: String,
}

impl Counting for CpuBackend {
    /// It has no queue and compiles nothing.
    fn counts(&self) -> Counts {
        Counts::default()
    }
}

impl Device {
    /// This computer's processor.
    pub fn cpu() -> Device {
        Device {
            backend: Rc::new(CpuBackend::new()),
            driver: String::new(),
        }
    }
}

#[cfg(feature = "cuda")]
mod cuda {
    use std::rc::Rc;

    use glowgrad::Result;
    use glowgrad::cuda::CudaBackend;

    use super::{Counting, Counts, Device};

    impl Counting for CudaBackend {
        /// It launches each kernel as it comes: there is nothing to send.
        fn counts(&self) -> Counts {
            Counts {
                dispatches: self.launched(),
                fallbacks: self.fallbacks(),
                ..Counts::default()
            }
        }
    }

    impl Device {
        /// The first NVIDIA GPU.
        ///
        /// # Errors
        /// As [`CudaBackend::open`].
        pub fn cuda() -> Result<Device> {
            Ok(Device {
                backend: Rc::new(CudaBackend::open()?),
                driver: String::new(),
            })
        }
    }
}

#[cfg(feature = "gpu")]
mod gpu {
    use std::rc::Rc;

    use glowgrad::Result;
    use glowgrad::gpu::{BlockOn, GpuBackend, adapters};

    use super::{Counting, Counts, Device};

    impl Counting for GpuBackend {
        fn counts(&self) -> Counts {
            Counts {
                submits: self.submits(),
                dispatches: self.dispatches(),
                pipelines: self.pipelines(),
                fallbacks: self.fallbacks(),
            }
        }
    }

    impl Device {
        /// The adapter that suits best.
        ///
        /// # Errors
        /// As [`GpuBackend::open`].
        pub fn gpu(block_on: BlockOn) -> Result<Device> {
            let (driver, backend) = match adapters(block_on).into_iter().next() {
                Some(adapter) => (adapter.driver.clone(), adapter.open(block_on)?),
                // Says what is missing.
                None => (String::new(), GpuBackend::open(block_on)?),
            };
            Ok(Device {
                backend: Rc::new(backend),
                driver,
            })
        }
    }
}
