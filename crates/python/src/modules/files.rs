//! `_files`: the host's files by descriptors, on which `posix.py` and `io.py` stand.

pub(crate) use _files::module_def;

#[rustpython_vm::pymodule]
mod _files {
    use std::io::SeekFrom;

    use rustpython_vm::builtins::{PyBaseExceptionRef, PyStrRef};
    use rustpython_vm::function::ArgBytesLike;
    use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};

    use crate::files::{File, FileError, FileInfo, OpenMode};
    use crate::runtime::Runtime;

    /// The first descriptor; the three before it are Python's streams.
    const FIRST: i32 = 3;

    /// The most files that are open at once.
    const MOST_OPEN: usize = 256;

    /// The most bytes that one call reads.
    const MOST_READ: usize = 1 << 26;

    #[pyattr]
    const O_RDONLY: i32 = 0;
    #[pyattr]
    const O_WRONLY: i32 = 1;
    #[pyattr]
    const O_RDWR: i32 = 2;
    #[pyattr]
    const O_CREAT: i32 = 0o100;
    #[pyattr]
    const O_EXCL: i32 = 0o200;
    #[pyattr]
    const O_TRUNC: i32 = 0o1000;
    #[pyattr]
    const O_APPEND: i32 = 0o2000;

    fn os_error(
        error: FileError,
        path: Option<PyObjectRef>,
        vm: &VirtualMachine,
    ) -> PyBaseExceptionRef {
        let exceptions = &vm.ctx.exceptions;
        // Python finds the class by the number where it knows the system's numbers, which it does not in a page.
        let class = match error {
            FileError::NotFound => exceptions.file_not_found_error,
            FileError::Exists => exceptions.file_exists_error,
            FileError::IsAFolder => exceptions.is_a_directory_error,
            FileError::NotAFolder => exceptions.not_a_directory_error,
            FileError::NotPermitted | FileError::AccessDenied => exceptions.permission_error,
            _ => exceptions.os_error,
        };
        let number = vm.ctx.new_int(error as i32).into();
        let mut args = vec![number, vm.ctx.new_str(error.text()).into()];
        args.extend(path);
        match vm.invoke_exception(class, args) {
            Ok(exception) | Err(exception) => exception,
        }
    }

    fn text(path: &PyStrRef, vm: &VirtualMachine) -> PyResult<String> {
        let path = path.as_wtf8().to_string_lossy();
        if path.contains('\0') {
            return Err(vm.new_value_error("embedded null byte"));
        }
        Ok(path.into_owned())
    }

    /// Calls the host with an absolute path.
    fn with_path<T>(
        path: PyStrRef,
        vm: &VirtualMachine,
        call: impl FnOnce(&Runtime, &str) -> Result<T, FileError>,
    ) -> PyResult<T> {
        let runtime = Runtime::current();
        let named = text(&path, vm)?;
        let result = match named.is_empty() {
            true => Err(FileError::NotFound),
            false => call(
                &runtime,
                &runtime.descriptors.absolute(runtime.host.files(), &named),
            ),
        };
        result.map_err(|error| os_error(error, Some(path.into()), vm))
    }

    /// Calls an open file.
    fn with_file<T>(
        descriptor: i32,
        vm: &VirtualMachine,
        call: impl FnOnce(&mut dyn File) -> Result<T, FileError>,
    ) -> PyResult<T> {
        let runtime = Runtime::current();
        let mut open = runtime.descriptors.open.borrow_mut();
        let file = open.get_mut(&descriptor).ok_or(FileError::BadDescriptor);
        file.and_then(|file| call(&mut **file))
            .map_err(|error| os_error(error, None, vm))
    }

    /// Opens a file as the flags of POSIX say; its descriptor.
    #[pyfunction]
    fn open(path: PyStrRef, flags: i32, vm: &VirtualMachine) -> PyResult<i32> {
        let has = |flag: i32| flags & flag != 0;
        let mode = OpenMode {
            read: !has(O_WRONLY),
            write: has(O_WRONLY) || has(O_RDWR),
            create: has(O_CREAT),
            exclusive: has(O_EXCL),
            truncate: has(O_TRUNC),
            append: has(O_APPEND),
        };
        with_path(path, vm, |runtime, path| {
            let open = &runtime.descriptors.open;
            if open.borrow().len() >= MOST_OPEN {
                return Err(FileError::TooManyOpen);
            }
            let file = runtime.host.files().open(path, mode)?;
            let mut open = open.borrow_mut();
            let free = (FIRST..).find(|number| !open.contains_key(number));
            let number = free.ok_or(FileError::TooManyOpen)?;
            open.insert(number, file);
            Ok(number)
        })
    }

    #[pyfunction]
    fn close(descriptor: i32, vm: &VirtualMachine) -> PyResult<()> {
        let runtime = Runtime::current();
        let closed = runtime.descriptors.open.borrow_mut().remove(&descriptor);
        match closed {
            Some(_) => Ok(()),
            None => Err(os_error(FileError::BadDescriptor, None, vm)),
        }
    }

    #[pyfunction]
    fn read(descriptor: i32, n: usize, vm: &VirtualMachine) -> PyResult<Vec<u8>> {
        with_file(descriptor, vm, |file| {
            let size = file.info()?.size;
            let mut bytes = vec![0; n.min(MOST_READ).min(size as usize)];
            let read = file.read(&mut bytes)?;
            bytes.truncate(read);
            Ok(bytes)
        })
    }

    #[pyfunction]
    fn write(descriptor: i32, bytes: ArgBytesLike, vm: &VirtualMachine) -> PyResult<usize> {
        bytes.with_ref(|bytes| with_file(descriptor, vm, |file| file.write(bytes)))
    }

    #[pyfunction]
    fn lseek(descriptor: i32, by: i64, whence: i32, vm: &VirtualMachine) -> PyResult<u64> {
        with_file(descriptor, vm, |file| {
            file.seek(match whence {
                0 => SeekFrom::Start(u64::try_from(by).map_err(|_| FileError::Invalid)?),
                1 => SeekFrom::Current(by),
                2 => SeekFrom::End(by),
                _ => return Err(FileError::Invalid),
            })
        })
    }

    #[pyfunction]
    fn ftruncate(descriptor: i32, size: u64, vm: &VirtualMachine) -> PyResult<()> {
        with_file(descriptor, vm, |file| file.truncate(size))
    }

    #[pyfunction]
    fn fsync(descriptor: i32, vm: &VirtualMachine) -> PyResult<()> {
        with_file(descriptor, vm, |file| file.sync())
    }

    /// Whether it is a folder, its size in bytes, and when it was changed in seconds since the epoch.
    fn described(info: FileInfo) -> (bool, u64, f64) {
        (info.is_folder, info.size, info.modified)
    }

    #[pyfunction]
    fn fstat(descriptor: i32, vm: &VirtualMachine) -> PyResult<(bool, u64, f64)> {
        with_file(descriptor, vm, |file| file.info()).map(described)
    }

    #[pyfunction]
    fn stat(path: PyStrRef, vm: &VirtualMachine) -> PyResult<(bool, u64, f64)> {
        with_path(path, vm, |runtime, path| runtime.host.files().info(path)).map(described)
    }

    #[pyfunction]
    fn listdir(path: PyStrRef, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let names = with_path(path, vm, |runtime, path| runtime.host.files().list(path))?;
        let names = names.into_iter().map(|name| vm.ctx.new_str(name).into());
        Ok(vm.ctx.new_list(names.collect()).into())
    }

    #[pyfunction]
    fn mkdir(path: PyStrRef, vm: &VirtualMachine) -> PyResult<()> {
        with_path(path, vm, |runtime, path| {
            runtime.host.files().make_folder(path)
        })
    }

    #[pyfunction]
    fn rmdir(path: PyStrRef, vm: &VirtualMachine) -> PyResult<()> {
        with_path(path, vm, |runtime, path| {
            runtime.host.files().remove_folder(path)
        })
    }

    #[pyfunction]
    fn unlink(path: PyStrRef, vm: &VirtualMachine) -> PyResult<()> {
        with_path(path, vm, |runtime, path| {
            runtime.host.files().remove_file(path)
        })
    }

    #[pyfunction]
    fn rename(from: PyStrRef, to: PyStrRef, vm: &VirtualMachine) -> PyResult<()> {
        let to = text(&to, vm)?;
        with_path(from, vm, |runtime, from| {
            let to = runtime.descriptors.absolute(runtime.host.files(), &to);
            runtime.host.files().rename(from, &to)
        })
    }

    /// A request to the host's file formats: the answer's text and bytes. `glowgrad_files::codec` says what both are.
    #[pyfunction]
    fn codec(request: PyStrRef, bytes: ArgBytesLike, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let request = request.as_wtf8().to_string_lossy();
        let answer = bytes.with_ref(|bytes| Runtime::current().host.codec(&request, bytes));
        let (text, bytes) = answer.map_err(|why| vm.new_value_error(why))?;
        let (text, bytes) = (vm.ctx.new_str(text), vm.ctx.new_bytes(bytes));
        Ok(vm.ctx.new_tuple(vec![text.into(), bytes.into()]).into())
    }

    #[pyfunction]
    fn getcwd() -> String {
        let runtime = Runtime::current();
        runtime.descriptors.folder(runtime.host.files())
    }

    #[pyfunction]
    fn chdir(path: PyStrRef, vm: &VirtualMachine) -> PyResult<()> {
        with_path(path, vm, |runtime, path| {
            if !runtime.host.files().info(path)?.is_folder {
                return Err(FileError::NotAFolder);
            }
            let folder = match crate::files::plain(path) {
                root if root.is_empty() => "/".to_owned(),
                folder => folder,
            };
            *runtime.descriptors.folder.borrow_mut() = Some(folder);
            Ok(())
        })
    }

    /// The host's variables of the environment.
    #[pyfunction]
    fn environ(vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let variables = vm.ctx.new_dict();
        for (name, value) in Runtime::current().host.files().environment() {
            variables.set_item(name.as_str(), vm.ctx.new_str(value).into(), vm)?;
        }
        Ok(variables.into())
    }
}
