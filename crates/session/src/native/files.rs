//! The files of this computer, for a script that runs as `python` runs one.

use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::time::UNIX_EPOCH;

use glowgrad_python::{File, FileError, FileInfo, Files, OpenMode};

/// The files of this computer, with this process's rights.
pub(super) struct RealFiles;

struct Open(fs::File);

fn described(metadata: &fs::Metadata) -> FileInfo {
    let modified = metadata.modified().ok();
    let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    FileInfo {
        is_folder: metadata.is_dir(),
        size: metadata.len(),
        modified: since.unwrap_or_default().as_secs_f64(),
    }
}

impl File for Open {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize, FileError> {
        Ok(self.0.read(bytes)?)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<usize, FileError> {
        Ok(self.0.write(bytes)?)
    }

    fn seek(&mut self, to: SeekFrom) -> Result<u64, FileError> {
        Ok(self.0.seek(to)?)
    }

    fn truncate(&mut self, size: u64) -> Result<(), FileError> {
        Ok(self.0.set_len(size)?)
    }

    fn info(&self) -> Result<FileInfo, FileError> {
        Ok(described(&self.0.metadata()?))
    }

    fn sync(&mut self) -> Result<(), FileError> {
        Ok(self.0.sync_all()?)
    }
}

impl Files for RealFiles {
    fn start(&self) -> String {
        let folder = std::env::current_dir().unwrap_or_else(|_| "/".into());
        folder.to_string_lossy().replace('\\', "/")
    }

    fn open(&self, path: &str, mode: OpenMode) -> Result<Box<dyn File>, FileError> {
        let mut options = fs::OpenOptions::new();
        options.read(mode.read).create(mode.create && mode.write);
        options.write(mode.write && !mode.append);
        options.append(mode.append && mode.write);
        options.truncate(mode.truncate && mode.write && !mode.append);
        options.create_new(mode.create && mode.exclusive && mode.write);
        let file = options.open(path)?;
        if file.metadata()?.is_dir() {
            return Err(FileError::IsAFolder);
        }
        Ok(Box::new(Open(file)))
    }

    fn info(&self, path: &str) -> Result<FileInfo, FileError> {
        Ok(described(&fs::metadata(path)?))
    }

    fn list(&self, path: &str) -> Result<Vec<String>, FileError> {
        let entries = fs::read_dir(path)?;
        let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        names.collect()
    }

    fn make_folder(&self, path: &str) -> Result<(), FileError> {
        Ok(fs::create_dir(path)?)
    }

    fn remove_folder(&self, path: &str) -> Result<(), FileError> {
        Ok(fs::remove_dir(path)?)
    }

    fn remove_file(&self, path: &str) -> Result<(), FileError> {
        Ok(fs::remove_file(path)?)
    }

    fn rename(&self, from: &str, to: &str) -> Result<(), FileError> {
        Ok(fs::rename(from, to)?)
    }

    fn environment(&self) -> Vec<(String, String)> {
        let text = |word: std::ffi::OsString| word.to_string_lossy().into_owned();
        let variables = std::env::vars_os();
        variables
            .map(|(name, value)| (text(name), text(value)))
            .collect()
    }
}
