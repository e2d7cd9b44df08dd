//! Files as Python sees them: what a host has to give, and a tree in memory for hosts without files of their own.
//!
//! A path is a text with `/` between its parts; `files` of a host gets absolute ones. Invariant: Python reaches no file but
//! through [`Files`].

mod memory;

use std::cell::RefCell;
use std::collections::BTreeMap;

pub use memory::{FileChange, MemoryFiles};

/// Why a call on a file failed: a number of POSIX, the same on every platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileError {
    NotPermitted = 1,
    NotFound = 2,
    Failed = 5,
    BadDescriptor = 9,
    AccessDenied = 13,
    Exists = 17,
    NotAFolder = 20,
    IsAFolder = 21,
    Invalid = 22,
    TooManyOpen = 24,
    NoSpace = 28,
    ReadOnly = 30,
    NotEmpty = 39,
}

impl FileError {
    /// What POSIX says of it.
    pub fn text(self) -> &'static str {
        match self {
            FileError::NotPermitted => "Operation not permitted",
            FileError::NotFound => "No such file or directory",
            FileError::Failed => "Input/output error",
            FileError::BadDescriptor => "Bad file descriptor",
            FileError::AccessDenied => "Permission denied",
            FileError::Exists => "File exists",
            FileError::NotAFolder => "Not a directory",
            FileError::IsAFolder => "Is a directory",
            FileError::Invalid => "Invalid argument",
            FileError::TooManyOpen => "Too many open files",
            FileError::NoSpace => "No space left on device",
            FileError::ReadOnly => "Read-only file system",
            FileError::NotEmpty => "Directory not empty",
        }
    }
}

impl From<std::io::Error> for FileError {
    fn from(error: std::io::Error) -> FileError {
        use std::io::ErrorKind;
        match error.kind() {
            ErrorKind::NotFound => FileError::NotFound,
            ErrorKind::PermissionDenied => FileError::AccessDenied,
            ErrorKind::AlreadyExists => FileError::Exists,
            ErrorKind::NotADirectory => FileError::NotAFolder,
            ErrorKind::IsADirectory => FileError::IsAFolder,
            ErrorKind::DirectoryNotEmpty => FileError::NotEmpty,
            ErrorKind::ReadOnlyFilesystem => FileError::ReadOnly,
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                FileError::NoSpace
            }
            ErrorKind::InvalidInput | ErrorKind::InvalidFilename => FileError::Invalid,
            _ => FileError::Failed,
        }
    }
}

/// How a file is opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OpenMode {
    pub read: bool,
    pub write: bool,
    /// Makes the file where it is missing.
    pub create: bool,
    /// Fails where the file is there.
    pub exclusive: bool,
    /// Empties the file.
    pub truncate: bool,
    /// Every write goes to the end.
    pub append: bool,
}

/// What is known of a file or a folder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FileInfo {
    pub is_folder: bool,
    /// Bytes.
    pub size: u64,
    /// Seconds since the Unix epoch.
    pub modified: f64,
}

/// An open file.
pub trait File {
    /// Fills the beginning of `bytes` from the file's position on; how much of it, 0 at the end.
    ///
    /// # Errors
    /// When the file is not open for reading, or the host fails.
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize, FileError>;
    /// Writes at the file's position, or at the end of a file that is open for appending; how many bytes.
    ///
    /// # Errors
    /// When the file is not open for writing, or there is no space.
    fn write(&mut self, bytes: &[u8]) -> Result<usize, FileError>;
    /// Moves the position; where it is now, in bytes from the beginning.
    ///
    /// # Errors
    /// For a position before the beginning.
    fn seek(&mut self, to: std::io::SeekFrom) -> Result<u64, FileError>;
    /// Cuts or lengthens the file.
    ///
    /// # Errors
    /// When the file is not open for writing, or there is no space.
    fn truncate(&mut self, size: u64) -> Result<(), FileError>;
    /// # Errors
    /// When the host does not know.
    fn info(&self) -> Result<FileInfo, FileError>;
    /// Returns once what was written outlives a loss of power, where the host can tell.
    ///
    /// # Errors
    /// When the host fails.
    fn sync(&mut self) -> Result<(), FileError> {
        Ok(())
    }
}

/// The files of a host.
#[allow(clippy::missing_errors_doc, reason = "each fails as POSIX says")]
pub trait Files {
    /// The folder that relative paths start at when Python begins.
    fn start(&self) -> String;
    fn open(&self, path: &str, mode: OpenMode) -> Result<Box<dyn File>, FileError>;
    fn info(&self, path: &str) -> Result<FileInfo, FileError>;
    /// The names in a folder, in no order.
    fn list(&self, path: &str) -> Result<Vec<String>, FileError>;
    fn make_folder(&self, path: &str) -> Result<(), FileError>;
    /// Removes an empty folder.
    fn remove_folder(&self, path: &str) -> Result<(), FileError>;
    fn remove_file(&self, path: &str) -> Result<(), FileError>;
    /// Moves a file or a folder; a file that is at `to` goes.
    fn rename(&self, from: &str, to: &str) -> Result<(), FileError>;
    /// A variable of the environment.
    fn environment(&self) -> Vec<(String, String)> {
        Vec::new()
    }
}

/// No files: every call is refused.
pub(crate) struct NoFiles;

impl Files for NoFiles {
    fn start(&self) -> String {
        "/".to_owned()
    }

    fn open(&self, _: &str, _: OpenMode) -> Result<Box<dyn File>, FileError> {
        Err(FileError::AccessDenied)
    }

    fn info(&self, _: &str) -> Result<FileInfo, FileError> {
        Err(FileError::AccessDenied)
    }

    fn list(&self, _: &str) -> Result<Vec<String>, FileError> {
        Err(FileError::AccessDenied)
    }

    fn make_folder(&self, _: &str) -> Result<(), FileError> {
        Err(FileError::AccessDenied)
    }

    fn remove_folder(&self, _: &str) -> Result<(), FileError> {
        Err(FileError::AccessDenied)
    }

    fn remove_file(&self, _: &str) -> Result<(), FileError> {
        Err(FileError::AccessDenied)
    }

    fn rename(&self, _: &str, _: &str) -> Result<(), FileError> {
        Err(FileError::AccessDenied)
    }
}

/// A session's open files by their descriptors, and the folder that its relative paths start at.
#[derive(Default)]
pub(crate) struct Descriptors {
    pub(crate) open: RefCell<BTreeMap<i32, Box<dyn File>>>,
    /// None until Python goes to another folder.
    pub(crate) folder: RefCell<Option<String>>,
}

impl Descriptors {
    /// The folder that relative paths start at.
    pub(crate) fn folder(&self, files: &dyn Files) -> String {
        let folder = self.folder.borrow().clone();
        folder.unwrap_or_else(|| files.start())
    }

    pub(crate) fn absolute(&self, files: &dyn Files, path: &str) -> String {
        if path.starts_with('/') || std::path::Path::new(path).is_absolute() {
            return path.to_owned();
        }
        format!("{}/{path}", self.folder(files).trim_end_matches('/'))
    }
}

/// The absolute path without `.`, `..` and empty parts, which for the root is empty.
pub(crate) fn plain(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.iter().flat_map(|part| ["/", part]).collect()
}
