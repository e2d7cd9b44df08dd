//! A tree of files in memory, with a quota: what Python sees where the host has no files of its own.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io::SeekFrom;
use std::rc::{Rc, Weak};

use super::{File, FileError, FileInfo, Files, OpenMode, plain};

/// The folder in which Python starts.
const START: &str = "/lab";

/// The most files and folders.
const MOST_NODES: usize = 10_000;

/// A tree of files in memory, with a quota of bytes.
pub struct MemoryFiles {
    /// By absolute path; the root is not among them. Parts of a path are never empty, `.` or `..`.
    nodes: RefCell<BTreeMap<String, Node>>,
    space: Rc<Space>,
    /// The contents below the folder in which Python starts as they were told last, each with its version then.
    told: RefCell<BTreeMap<String, Told>>,
    /// How often a file was moved: a program that writes beside a file and moves that to its place has it whole now.
    moved: Cell<u64>,
}

/// A content, and its version when it was told.
type Told = (Weak<RefCell<Content>>, u64);

/// What happened to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Below the folder in which Python starts.
    pub path: String,
    /// Its bytes now; none where it is gone.
    pub bytes: Option<Vec<u8>>,
}

/// How many bytes all files may have, and have.
struct Space {
    quota: u64,
    used: Cell<u64>,
    now: Box<dyn Fn() -> f64>,
}

#[derive(Clone)]
enum Node {
    Folder,
    File(Rc<RefCell<Content>>),
}

struct Content {
    bytes: Vec<u8>,
    modified: f64,
    /// How often it was written or cut.
    version: u64,
    space: Rc<Space>,
}

impl Drop for Content {
    fn drop(&mut self) {
        let used = self.space.used.get();
        self.space.used.set(used - self.bytes.len() as u64);
    }
}

impl Content {
    fn resize(&mut self, size: u64) -> Result<(), FileError> {
        let used = self.space.used.get() - self.bytes.len() as u64;
        if size > self.space.quota - used {
            return Err(FileError::NoSpace);
        }
        self.bytes.resize(size as usize, 0);
        self.space.used.set(used + size);
        self.modified = (self.space.now)();
        self.version += 1;
        Ok(())
    }

    fn info(&self) -> FileInfo {
        FileInfo {
            is_folder: false,
            size: self.bytes.len() as u64,
            modified: self.modified,
        }
    }
}

impl MemoryFiles {
    /// An empty tree with room for `quota` bytes; `now` gives seconds since the Unix epoch.
    pub fn new(quota: u64, now: impl Fn() -> f64 + 'static) -> MemoryFiles {
        let mut nodes = BTreeMap::new();
        nodes.insert(START.to_owned(), Node::Folder);
        nodes.insert("/tmp".to_owned(), Node::Folder);
        let used = Cell::new(0);
        MemoryFiles {
            nodes: RefCell::new(nodes),
            space: Rc::new(Space {
                quota,
                used,
                now: Box::new(now),
            }),
            told: RefCell::default(),
            moved: Cell::new(0),
        }
    }

    /// Puts a file below the folder in which Python starts, with the folders above it, as one that was told of already.
    ///
    /// # Errors
    /// When something is in its way, or there is no space.
    pub fn put(&self, path: &str, bytes: &[u8]) -> Result<(), FileError> {
        let full = plain(&format!("{START}/{path}"));
        let inside = full
            .strip_prefix(START)
            .and_then(|rest| rest.strip_prefix('/'));
        let Some(inside) = inside.map(str::to_owned) else {
            return Err(FileError::Invalid);
        };
        for (at, _) in inside.match_indices('/') {
            match self.make_folder(&format!("{START}/{}", &inside[..at])) {
                Ok(()) | Err(FileError::Exists) => {}
                Err(error) => return Err(error),
            }
        }
        let write = OpenMode {
            write: true,
            create: true,
            truncate: true,
            ..OpenMode::default()
        };
        self.open(&full, write)?.write(bytes)?;
        if let Some(Node::File(content)) = self.find(&full)? {
            let version = content.borrow().version;
            let content = Rc::downgrade(&content);
            self.told.borrow_mut().insert(inside, (content, version));
        }
        Ok(())
    }

    /// Takes away a file below the folder in which Python starts, and does not tell of it.
    ///
    /// # Errors
    /// When it is not there.
    pub fn take_away(&self, path: &str) -> Result<(), FileError> {
        self.told.borrow_mut().remove(path);
        self.remove_file(&format!("{START}/{path}"))
    }

    /// How often a file was moved so far.
    pub fn moved(&self) -> u64 {
        self.moved.get()
    }

    /// What happened to the files below the folder in which Python starts since this was asked last.
    pub fn changes(&self) -> Vec<FileChange> {
        let nodes = self.nodes.borrow();
        let mut told = self.told.borrow_mut();
        let start = format!("{START}/");
        let mut now = BTreeMap::new();
        let mut changes = Vec::new();
        let below = nodes
            .range(start.clone()..)
            .take_while(|(name, _)| name.starts_with(&start));
        for (name, node) in below {
            let Node::File(content) = node else { continue };
            let path = name[start.len()..].to_owned();
            let version = content.borrow().version;
            let before = told.remove(&path);
            if before
                .is_none_or(|(old, then)| old.as_ptr() != Rc::as_ptr(content) || then != version)
            {
                changes.push(FileChange {
                    path: path.clone(),
                    bytes: Some(content.borrow().bytes.clone()),
                });
            }
            now.insert(path, (Rc::downgrade(content), version));
        }
        let gone = std::mem::replace(&mut *told, now);
        changes.extend(
            gone.into_keys()
                .map(|path| FileChange { path, bytes: None }),
        );
        changes
    }

    /// The node at a path; none for the root, which is a folder.
    fn find(&self, path: &str) -> Result<Option<Node>, FileError> {
        if path.is_empty() {
            return Ok(None);
        }
        let nodes = self.nodes.borrow();
        if let Some(node) = nodes.get(path) {
            return Ok(Some(node.clone()));
        }
        let mut ends = path
            .match_indices('/')
            .map(|(at, _)| at)
            .filter(|at| *at > 0);
        let through_file = ends.any(|at| matches!(nodes.get(&path[..at]), Some(Node::File(_))));
        Err(match through_file {
            true => FileError::NotAFolder,
            false => FileError::NotFound,
        })
    }

    /// Fails unless a node can be made at this path.
    fn check_parent(&self, path: &str) -> Result<(), FileError> {
        let (parent, _) = path.rsplit_once('/').ok_or(FileError::Invalid)?;
        match self.find(parent)? {
            None | Some(Node::Folder) => {}
            Some(Node::File(_)) => return Err(FileError::NotAFolder),
        }
        match self.nodes.borrow().len() < MOST_NODES {
            true => Ok(()),
            false => Err(FileError::NoSpace),
        }
    }
}

impl Files for MemoryFiles {
    fn start(&self) -> String {
        START.to_owned()
    }

    fn open(&self, path: &str, mode: OpenMode) -> Result<Box<dyn File>, FileError> {
        let path = plain(path);
        let content = match self.find(&path) {
            Ok(Some(Node::File(_))) if mode.exclusive && mode.create => {
                return Err(FileError::Exists);
            }
            Ok(Some(Node::File(content))) => content,
            Ok(_) => return Err(FileError::IsAFolder),
            Err(FileError::NotFound) if mode.create => {
                self.check_parent(&path)?;
                let content = Rc::new(RefCell::new(Content {
                    bytes: Vec::new(),
                    modified: (self.space.now)(),
                    version: 0,
                    space: self.space.clone(),
                }));
                let node = Node::File(content.clone());
                self.nodes.borrow_mut().insert(path, node);
                content
            }
            Err(error) => return Err(error),
        };
        if mode.truncate && mode.write {
            content.borrow_mut().resize(0)?;
        }
        Ok(Box::new(Handle {
            content,
            mode,
            at: 0,
        }))
    }

    fn info(&self, path: &str) -> Result<FileInfo, FileError> {
        Ok(match self.find(&plain(path))? {
            Some(Node::File(content)) => content.borrow().info(),
            _ => FileInfo {
                is_folder: true,
                size: 0,
                modified: 0.0,
            },
        })
    }

    fn list(&self, path: &str) -> Result<Vec<String>, FileError> {
        let path = plain(path);
        if let Some(Node::File(_)) = self.find(&path)? {
            return Err(FileError::NotAFolder);
        }
        let start = format!("{path}/");
        let nodes = self.nodes.borrow();
        let inside = nodes.range(start.clone()..).map(|(name, _)| name);
        let inside = inside.take_while(|name| name.starts_with(&start));
        let names = inside.map(|name| &name[start.len()..]);
        Ok(names
            .filter(|name| !name.contains('/'))
            .map(str::to_owned)
            .collect())
    }

    fn make_folder(&self, path: &str) -> Result<(), FileError> {
        let path = plain(path);
        match self.find(&path) {
            Ok(_) => Err(FileError::Exists),
            Err(FileError::NotFound) => {
                self.check_parent(&path)?;
                self.nodes.borrow_mut().insert(path, Node::Folder);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn remove_folder(&self, path: &str) -> Result<(), FileError> {
        let path = plain(path);
        match self.find(&path)? {
            None => return Err(FileError::NotPermitted),
            Some(Node::File(_)) => return Err(FileError::NotAFolder),
            Some(Node::Folder) => {}
        }
        if !self.list(&path)?.is_empty() {
            return Err(FileError::NotEmpty);
        }
        self.nodes.borrow_mut().remove(&path);
        Ok(())
    }

    fn remove_file(&self, path: &str) -> Result<(), FileError> {
        let path = plain(path);
        match self.find(&path)? {
            Some(Node::File(_)) => drop(self.nodes.borrow_mut().remove(&path)),
            _ => return Err(FileError::IsAFolder),
        }
        Ok(())
    }

    fn rename(&self, from: &str, to: &str) -> Result<(), FileError> {
        let (from, to) = (plain(from), plain(to));
        let node = self.find(&from)?.ok_or(FileError::NotPermitted)?;
        let inside = format!("{from}/");
        if to.starts_with(&inside) {
            return Err(FileError::Invalid);
        }
        match (self.find(&to), &node) {
            (Ok(_), _) if from == to => return Ok(()),
            (Ok(None), _) => return Err(FileError::NotPermitted),
            (Ok(Some(Node::File(_))), Node::Folder) => return Err(FileError::NotAFolder),
            (Ok(Some(Node::Folder)), Node::File(_)) => return Err(FileError::IsAFolder),
            (Ok(Some(Node::Folder)), Node::Folder) => self.remove_folder(&to)?,
            (Ok(Some(Node::File(_))), Node::File(_)) => {}
            (Err(FileError::NotFound), _) => self.check_parent(&to)?,
            (Err(error), _) => return Err(error),
        }
        let mut nodes = self.nodes.borrow_mut();
        let names: Vec<String> = nodes.keys().cloned().collect();
        for name in names {
            if let Some(rest) = name.strip_prefix(&inside)
                && let Some(node) = nodes.remove(&name)
            {
                nodes.insert(format!("{to}/{rest}"), node);
            }
        }
        nodes.remove(&from);
        nodes.insert(to, node);
        self.moved.set(self.moved.get() + 1);
        Ok(())
    }
}

/// An open file in memory; its content outlives its name.
struct Handle {
    content: Rc<RefCell<Content>>,
    mode: OpenMode,
    at: u64,
}

impl File for Handle {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize, FileError> {
        if !self.mode.read {
            return Err(FileError::BadDescriptor);
        }
        let content = self.content.borrow();
        let rest = content.bytes.get(self.at as usize..).unwrap_or(&[]);
        let n = rest.len().min(bytes.len());
        bytes[..n].copy_from_slice(&rest[..n]);
        self.at += n as u64;
        Ok(n)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<usize, FileError> {
        if !self.mode.write {
            return Err(FileError::BadDescriptor);
        }
        let mut content = self.content.borrow_mut();
        if self.mode.append {
            self.at = content.bytes.len() as u64;
        }
        let end = self.at + bytes.len() as u64;
        let size = (content.bytes.len() as u64).max(end);
        content.resize(size)?;
        content.bytes[self.at as usize..end as usize].copy_from_slice(bytes);
        self.at = end;
        Ok(bytes.len())
    }

    fn seek(&mut self, to: SeekFrom) -> Result<u64, FileError> {
        let (from, by) = match to {
            SeekFrom::Start(at) => (at, 0),
            SeekFrom::Current(by) => (self.at, by),
            SeekFrom::End(by) => (self.content.borrow().bytes.len() as u64, by),
        };
        self.at = from.checked_add_signed(by).ok_or(FileError::Invalid)?;
        Ok(self.at)
    }

    fn truncate(&mut self, size: u64) -> Result<(), FileError> {
        match self.mode.write {
            true => self.content.borrow_mut().resize(size),
            false => Err(FileError::Invalid),
        }
    }

    fn info(&self) -> Result<FileInfo, FileError> {
        Ok(self.content.borrow().info())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(files: &MemoryFiles) -> Vec<(String, Option<String>)> {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let changes = files.changes().into_iter();
        changes
            .map(|change| (change.path, change.bytes.map(text)))
            .collect()
    }

    fn told(path: &str, text: Option<&str>) -> (String, Option<String>) {
        (path.to_owned(), text.map(str::to_owned))
    }

    #[test]
    fn changes_are_told_once_and_only_below_the_start() {
        let files = MemoryFiles::new(100, || 0.0);
        let write = |path: &str, text: &str| {
            let mut file = files.open(path, WRITE).unwrap();
            file.write(text.as_bytes()).unwrap();
        };
        files.put("data/a.csv", b"1,2").unwrap();
        assert_eq!(changed(&files), []);
        write("/lab/b", "one");
        write("/c", "two");
        assert_eq!(changed(&files), [told("b", Some("one"))]);
        assert_eq!(changed(&files), []);
        write("/lab/b", "six");
        write("/lab/b.part", "new");
        files.rename("/lab/b.part", "/lab/b").unwrap();
        files.remove_file("/lab/data/a.csv").unwrap();
        assert_eq!(files.moved(), 1);
        assert_eq!(
            changed(&files),
            [told("b", Some("new")), told("data/a.csv", None)]
        );
        files.take_away("b").unwrap();
        assert_eq!(changed(&files), []);
        assert_eq!(files.put("../x", b""), Err(FileError::Invalid));
        assert_eq!(files.put("b/", &[0; 101]), Err(FileError::NoSpace));
        assert_eq!(files.take_away("nothing"), Err(FileError::NotFound));
    }

    const READ: OpenMode = OpenMode {
        read: true,
        write: false,
        create: false,
        exclusive: false,
        truncate: false,
        append: false,
    };
    const WRITE: OpenMode = OpenMode {
        read: false,
        write: true,
        create: true,
        exclusive: false,
        truncate: true,
        append: false,
    };

    fn files(quota: u64) -> MemoryFiles {
        MemoryFiles::new(quota, || 7.0)
    }

    #[test]
    fn what_is_written_is_read() {
        let files = files(100);
        let mut file = files.open("/lab/./a", WRITE).unwrap();
        assert_eq!(file.write(b"hello"), Ok(5));
        assert_eq!(file.seek(SeekFrom::Start(8)), Ok(8));
        assert_eq!(file.write(b"!"), Ok(1));
        assert_eq!(file.read(&mut [0]), Err(FileError::BadDescriptor));
        let mut bytes = [1; 20];
        let mut reader = files.open("/lab/../lab/a", READ).unwrap();
        assert_eq!(reader.read(&mut bytes), Ok(9));
        assert_eq!(&bytes[..9], b"hello\0\0\0!");
        assert_eq!(reader.read(&mut bytes), Ok(0));
        assert_eq!(reader.seek(SeekFrom::End(-10)), Err(FileError::Invalid));
        let info = files.info("/lab/a").unwrap();
        assert_eq!((info.size, info.modified), (9, 7.0));
    }

    #[test]
    fn the_quota_counts_what_is_open_too() {
        let files = files(10);
        let mut file = files.open("/a", WRITE).unwrap();
        assert_eq!(file.write(&[0; 8]), Ok(8));
        assert_eq!(file.write(&[0; 3]), Err(FileError::NoSpace));
        files.remove_file("/a").unwrap();
        let mut other = files.open("/b", WRITE).unwrap();
        assert_eq!(other.write(&[0; 8]), Err(FileError::NoSpace));
        drop(file);
        assert_eq!(other.write(&[0; 8]), Ok(8));
        assert_eq!(other.truncate(u64::MAX), Err(FileError::NoSpace));
        assert_eq!(other.truncate(2), Ok(()));
    }

    #[test]
    fn folders_hold_names() {
        let files = files(10);
        files.make_folder("/lab/x").unwrap();
        assert_eq!(files.make_folder("/lab/x"), Err(FileError::Exists));
        assert_eq!(files.make_folder("/no/x"), Err(FileError::NotFound));
        files.open("/lab/x/f", WRITE).unwrap();
        assert_eq!(files.make_folder("/lab/x/f/g"), Err(FileError::NotAFolder));
        assert_eq!(files.remove_folder("/lab/x"), Err(FileError::NotEmpty));
        assert_eq!(files.list("/lab"), Ok(vec!["x".to_owned()]));
        assert_eq!(
            files.list("/"),
            Ok(vec!["lab".to_owned(), "tmp".to_owned()])
        );
        files.rename("/lab/x", "/lab/y").unwrap();
        assert_eq!(files.list("/lab/y"), Ok(vec!["f".to_owned()]));
        assert_eq!(files.rename("/lab/y", "/lab/y/z"), Err(FileError::Invalid));
        assert_eq!(files.remove_folder("/"), Err(FileError::NotPermitted));
        files.remove_file("/lab/y/f").unwrap();
        files.remove_folder("/lab/y").unwrap();
        assert!(files.info("/lab/y").is_err());
        let exclusive = OpenMode {
            exclusive: true,
            ..WRITE
        };
        files.open("/lab/e", exclusive).unwrap();
        assert!(files.open("/lab/e", exclusive).is_err());
    }
}
