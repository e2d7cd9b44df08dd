//! The files that Python sees: the platform's, or files in memory that the page keeps.
//!
//! Invariant: what Python writes below the folder in which it starts is told when its command ends, and while it runs
//! each time a file was moved to its place: a checkpoint that is whole is with the page even if the session ends at once.

use std::cell::Cell;
use std::rc::Rc;

use glowgrad_python::{Files, MemoryFiles};

use super::Platform;
use crate::constants::shared;
use crate::protocol::{ErrorInfo, Event, FileContent};

shared! {
    "files.ts":
    /// The bytes that a session's files in memory may have, all together.
    MOST_FILE_BYTES: u64 = 268_435_456;
}

/// The files of a session; they outlive a reset.
pub(crate) struct SessionFiles {
    files: Rc<dyn Files>,
    /// The same, where they are in memory.
    memory: Option<Rc<MemoryFiles>>,
    /// How often one was moved when that was looked at last.
    moved: Cell<u64>,
}

impl SessionFiles {
    /// The platform's files, else files in memory.
    pub(crate) fn new(platform: &Rc<dyn Platform>) -> SessionFiles {
        if let Some(files) = platform.files() {
            return SessionFiles {
                files: files.into(),
                memory: None,
                moved: Cell::new(0),
            };
        }
        let clock = platform.clone();
        let memory = Rc::new(MemoryFiles::new(MOST_FILE_BYTES, move || {
            clock.now_millis() / 1e3
        }));
        SessionFiles {
            files: memory.clone(),
            memory: Some(memory),
            moved: Cell::new(0),
        }
    }

    pub(crate) fn as_files(&self) -> &dyn Files {
        &*self.files
    }

    /// Puts files there.
    pub(crate) fn put(&self, files: &[FileContent]) -> Result<(), ErrorInfo> {
        let memory = self.memory()?;
        for file in files {
            let put = memory.put(&file.path, &file.bytes);
            put.map_err(|error| {
                refused(format!(
                    "{} cannot be put there: {}",
                    file.path,
                    error.text()
                ))
            })?;
        }
        Ok(())
    }

    /// Removes a file.
    pub(crate) fn remove(&self, path: &str) -> Result<(), ErrorInfo> {
        let removed = self.memory()?.take_away(path);
        removed.map_err(|error| refused(format!("{path} cannot be removed: {}", error.text())))
    }

    fn memory(&self) -> Result<&MemoryFiles, ErrorInfo> {
        let files = self.memory.as_deref();
        files.ok_or_else(|| refused("this session has the computer's own files".to_owned()))
    }

    /// What happened since it was told last; nothing where nothing did.
    pub(crate) fn changes(&self, id: u32) -> Option<Event> {
        let memory = self.memory.as_ref()?;
        self.moved.set(memory.moved());
        let (mut written, mut removed) = (Vec::new(), Vec::new());
        for change in memory.changes() {
            match change.bytes {
                Some(bytes) => written.push(FileContent {
                    path: change.path,
                    bytes,
                }),
                None => removed.push(change.path),
            }
        }
        let is_any = !written.is_empty() || !removed.is_empty();
        is_any.then_some(Event::Files {
            id,
            written,
            removed,
        })
    }

    /// The same, where a file was moved since.
    pub(crate) fn changes_if_moved(&self, id: u32) -> Option<Event> {
        let moved = self.memory.as_ref()?.moved();
        if moved == self.moved.get() {
            return None;
        }
        self.changes(id)
    }
}

fn refused(message: String) -> ErrorInfo {
    ErrorInfo {
        kind: "OSError".to_owned(),
        message,
        ..ErrorInfo::default()
    }
}
