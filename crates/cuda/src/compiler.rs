//! CUDA C to a GPU's own code, by NVRTC: on any computer, with a GPU or without one.
//!
//! Not to PTX: a driver reads no PTX of a compiler that is newer than itself.

use std::ffi::{CStr, CString};
use std::path::Path;

use cudarc::nvrtc::result::{self, NvrtcError};
use cudarc::nvrtc::sys;
use glowgrad_tensor::{Error, Result};

use crate::library::Library;

/// NVRTC.
#[derive(Debug)]
pub struct Compiler {
    /// `90`.
    architecture: String,
}

impl Compiler {
    /// For GPUs of this compute capability: `(9, 0)`.
    ///
    /// # Errors
    /// NVRTC is not installed: what to do.
    pub fn new(capability: (i32, i32)) -> Result<Compiler> {
        Library::Nvrtc.find()?;
        let (major, minor) = capability;
        Ok(Compiler {
            architecture: format!("{major}{minor}"),
        })
    }

    /// As [`Compiler::new`], with the library of a folder.
    ///
    /// # Errors
    /// It is not there.
    pub fn in_folder(folder: &Path, capability: (i32, i32)) -> Result<Compiler> {
        Library::Nvrtc.load_from(folder);
        Compiler::new(capability)
    }

    /// A program as the driver loads it.
    ///
    /// # Errors
    /// What the compiler says of it.
    pub fn compile(&self, source: &str) -> Result<Vec<u8>> {
        let program = self.program(source, "sm", &[])?;
        program.cubin().map_err(|error| refused(&error.to_string()))
    }

    /// Whether a program is valid, as far as the compiler's front half tells: sooner than by
    /// [`Compiler::compile`].
    ///
    /// # Errors
    /// What the compiler says of it.
    pub fn check(&self, source: &str) -> Result<()> {
        // From NVRTC 12.8 on: no time goes into code that does not run.
        self.program(source, "compute", &["--Ofast-compile=max"])
            .map(drop)
    }

    /// A program for a GPU's own code (`sm`) or for PTX (`compute`).
    fn program(&self, source: &str, target: &str, more: &[&str]) -> Result<Program> {
        let mut options = vec![
            format!("--gpu-architecture={target}_{}", self.architecture),
            "--std=c++17".to_owned(),
            // A product and a sum stay two operations with two roundings, as on the CPU.
            "--fmad=false".to_owned(),
        ];
        options.extend(more.iter().map(|&option| option.to_owned()));
        let source = CString::new(source).map_err(|error| refused(&error.to_string()))?;
        let program = Program::new(&source).map_err(|error| refused(&error.to_string()))?;
        match program.compile(&options) {
            Ok(()) => Ok(program),
            Err(error) => Err(refused(&program.log().unwrap_or_else(|| error.to_string()))),
        }
    }
}

fn refused(why: &str) -> Error {
    Error::runtime(format!(
        "cuda: internal error: NVRTC refuses a kernel; please report this:\n{why}"
    ))
}

/// A program of NVRTC's, which goes with it.
struct Program(sys::nvrtcProgram);

#[allow(unsafe_code)]
impl Program {
    fn new(source: &CStr) -> Result<Program, NvrtcError> {
        result::create_program(source, None).map(Program)
    }

    fn compile(&self, options: &[String]) -> Result<(), NvrtcError> {
        // SAFETY: the program is there until it is dropped; options hold no zero.
        unsafe { result::compile_program(self.0, options) }
    }

    /// What the compiler said.
    fn log(&self) -> Option<String> {
        // SAFETY: the program is there until it is dropped.
        let log = unsafe { result::get_program_log(self.0) }.ok()?;
        let bytes: Vec<u8> = log.iter().map(|&c| c as u8).collect();
        let log = CStr::from_bytes_until_nul(&bytes).ok()?;
        Some(log.to_string_lossy().into_owned())
    }

    fn cubin(&self) -> Result<Vec<u8>, NvrtcError> {
        let mut size = 0;
        // SAFETY: the program is there until it is dropped, and the list has the size that NVRTC says.
        unsafe {
            sys::nvrtcGetCUBINSize(self.0, &mut size).result()?;
            let mut bytes = vec![0u8; size];
            sys::nvrtcGetCUBIN(self.0, bytes.as_mut_ptr().cast()).result()?;
            Ok(bytes)
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: it is this one's own, and goes with it. An error here has no reader.
        #[allow(unsafe_code)]
        let _ = unsafe { result::destroy_program(self.0) };
    }
}
