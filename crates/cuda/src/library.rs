//! CUDA's libraries: found when they are asked for, so that a build needs none of them.
//!
//! Invariant: a library is found here before anything calls into it. A library is looked for where
//! the system looks, then in the folders of a toolkit and of Python's packages `nvidia-…`.

use std::path::{Path, PathBuf};

use cudarc::{cublaslt, driver, nvrtc};
use glowgrad_tensor::{Error, Result};

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Library {
    /// The driver's.
    Driver,
    /// The compiler of CUDA C.
    Nvrtc,
    /// Products of matrices.
    CublasLt,
}

impl Library {
    fn is_present(self) -> bool {
        // SAFETY: loads a library of NVIDIA's by its name, or does not find it.
        #[allow(unsafe_code)]
        unsafe {
            match self {
                Library::Driver => driver::sys::is_culib_present(),
                Library::Nvrtc => nvrtc::sys::is_culib_present(),
                Library::CublasLt => cublaslt::sys::is_culib_present(),
            }
        }
    }

    /// What its file is called in all versions.
    fn stem(self) -> &'static str {
        match self {
            Library::Driver => "cuda",
            Library::Nvrtc => "nvrtc",
            Library::CublasLt => "cublasLt",
        }
    }

    /// Makes sure that it is there.
    ///
    /// # Errors
    /// What is missing, and what to do.
    pub(crate) fn find(self) -> Result<()> {
        if self.is_present() || folders().iter().any(|folder| self.load_from(folder)) {
            return Ok(());
        }
        let text = match self {
            Library::Driver => {
                "cuda: this computer has no NVIDIA driver; install it, or use --device cpu"
            }
            Library::Nvrtc => {
                "cuda: NVRTC, which compiles kernels, is not installed; run `pip install nvidia-cuda-nvrtc` in the active virtual environment, or install the CUDA toolkit, or use --device cpu"
            }
            Library::CublasLt => {
                "cuda: cuBLASLt, which multiplies matrices, is not installed; run `pip install nvidia-cublas` in the active virtual environment, or install the CUDA toolkit, or use --device cpu"
            }
        };
        Err(Error::not_implemented(text.to_owned()))
    }

    /// Loads it from a folder. It stays, so that who asks for its name then gets it.
    pub(crate) fn load_from(self, folder: &Path) -> bool {
        let start = format!("{}{}", std::env::consts::DLL_PREFIX, self.stem());
        let end = std::env::consts::DLL_SUFFIX;
        // `libnvrtc.so.13`, `nvrtc64_130_0.dll`, and not what is built upon them.
        let is_it = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            let rest = name.and_then(|name| name.strip_prefix(&start));
            rest.is_some_and(|rest| {
                let numbered = rest.starts_with("64") && !rest.contains("alt");
                rest.starts_with(end) || numbered && rest.ends_with(end)
            })
        };
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_it).collect();
        files.sort();
        let load = |path: &PathBuf| {
            // SAFETY: a library of NVIDIA's, which does nothing but set itself up when it is loaded.
            #[allow(unsafe_code)]
            let loaded = unsafe { libloading::Library::new(path) };
            loaded.map(std::mem::forget).is_ok()
        };
        files.iter().any(load) && self.is_present()
    }
}

/// Where a toolkit, or Python's packages, put libraries.
fn folders() -> Vec<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let mut toolkits: Vec<PathBuf> = ["CUDA_PATH", "CUDA_HOME"]
        .into_iter()
        .filter_map(variable)
        .collect();
    if cfg!(unix) {
        toolkits.push(PathBuf::from("/usr/local/cuda"));
    }
    if let Some(environment) = variable("VIRTUAL_ENV") {
        let versions = std::fs::read_dir(environment.join("lib"));
        let versions = versions.into_iter().flatten().flatten();
        let packages = versions
            .map(|version| version.path().join("site-packages"))
            .chain([environment.join("Lib/site-packages")]);
        toolkits.extend(packages.map(|packages| packages.join("nvidia/cu13")));
    }
    let places = ["lib64", "lib", "bin", "bin/x64", "bin/x86_64"];
    toolkits
        .iter()
        .flat_map(|toolkit| places.map(|place| toolkit.join(place)))
        .collect()
}
