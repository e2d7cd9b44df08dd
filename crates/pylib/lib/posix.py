"""`posix` on the host's files: what `os.py` of Python's library builds on."""

import _files
import errno
import stat as _st
import time as _time
from _files import (
    O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR, O_TRUNC, O_WRONLY, chdir as _chdir, close, fstat as
    _fstat, fsync, ftruncate, getcwd, lseek, read, rename as _rename, write,
)
from collections import namedtuple

O_CLOEXEC = O_NOFOLLOW = O_NONBLOCK = O_BINARY = 0
O_DIRECTORY = 0o200000
F_OK, X_OK, W_OK, R_OK = 0, 1, 2, 4
EX_OK = 0
SEEK_SET, SEEK_CUR, SEEK_END = 0, 1, 2

environ = {
    name.encode(): value.encode() for name, value in _files.environ().items()
}

error = OSError
# Which calls take a descriptor for a path: none that the library need know of.
_have_functions = []


class stat_result(namedtuple(
    "stat_result",
    "st_mode st_ino st_dev st_nlink st_uid st_gid st_size st_atime st_mtime st_ctime",
)):
    """What is known of a file."""

    def __new__(cls, fields):
        return super().__new__(cls, *fields[:10])

    @property
    def st_mtime_ns(self):
        return int(self.st_mtime * 1e9)

    st_atime_ns = st_ctime_ns = st_mtime_ns


class terminal_size(namedtuple("terminal_size", "columns lines")):
    """The size of a terminal."""

    def __new__(cls, fields):
        return super().__new__(cls, *fields)


class uname_result(namedtuple("uname_result", "sysname nodename release version machine")):
    """What the system says of itself."""


def fspath(path):
    """The path as text or bytes."""
    if isinstance(path, (str, bytes)):
        return path
    try:
        convert = type(path).__fspath__
    except AttributeError:
        raise TypeError(
            f"expected str, bytes or os.PathLike object, not {type(path).__name__}"
        ) from None
    return convert(path)


def _text(path, call="path"):
    if isinstance(path, int):
        raise TypeError(f"{call}: a descriptor is not taken here; give a path")
    path = fspath(path)
    return path.decode() if isinstance(path, bytes) else path


def _result(info):
    is_folder, size, modified = info
    mode = _st.S_IFDIR | 0o755 if is_folder else _st.S_IFREG | 0o644
    return stat_result((mode, 0, 0, 1, 0, 0, size, modified, modified, modified))


def stat(path, *, dir_fd=None, follow_symlinks=True):
    """What is known of the file at a path."""
    return fstat(path) if isinstance(path, int) else _result(_files.stat(_text(path)))


def lstat(path, *, dir_fd=None):
    """As `stat`: there are no links here."""
    return _result(_files.stat(_text(path)))


def fstat(fd):
    """What is known of an open file."""
    return _result(_fstat(fd))


def open(path, flags, mode=0o777, *, dir_fd=None):
    """Opens a file; its descriptor."""
    return _files.open(_text(path), flags)


def listdir(path=None):
    """The names in a folder."""
    return _files.listdir(_text("." if path is None else path))


class DirEntry:
    """A name in a folder, and what is there."""

    def __init__(self, folder, name):
        self.name = name
        self.path = folder.rstrip("/") + "/" + name if folder != "." else name
        self._where = folder.rstrip("/") + "/" + name

    def stat(self, *, follow_symlinks=True):
        return stat(self._where)

    def is_dir(self, *, follow_symlinks=True):
        try:
            return _st.S_ISDIR(self.stat().st_mode)
        except FileNotFoundError:
            return False

    def is_file(self, *, follow_symlinks=True):
        try:
            return _st.S_ISREG(self.stat().st_mode)
        except FileNotFoundError:
            return False

    def is_symlink(self):
        return False

    def is_junction(self):
        return False

    def inode(self):
        return 0

    def __fspath__(self):
        return self.path

    def __repr__(self):
        return f"<DirEntry {self.name!r}>"


class _Scan:
    def __init__(self, entries):
        self._entries = iter(entries)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._entries)

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.close()

    def close(self):
        self._entries = iter(())


def scandir(path=None):
    """The entries of a folder."""
    folder = _text("." if path is None else path)
    return _Scan([DirEntry(folder, name) for name in listdir(folder)])


def mkdir(path, mode=0o777, *, dir_fd=None):
    """Makes a folder."""
    _files.mkdir(_text(path))


def rmdir(path, *, dir_fd=None):
    """Removes an empty folder."""
    _files.rmdir(_text(path))


def unlink(path, *, dir_fd=None):
    """Removes a file."""
    _files.unlink(_text(path))


remove = unlink


def rename(src, dst, *, src_dir_fd=None, dst_dir_fd=None):
    """Moves a file or a folder."""
    _rename(_text(src), _text(dst))


replace = rename


def chdir(path):
    """Goes to a folder."""
    _chdir(_text(path))


def getcwdb():
    """The folder that relative paths start at, as bytes."""
    return getcwd().encode()


def access(path, mode, *, dir_fd=None, effective_ids=False, follow_symlinks=True):
    """Whether there is such a file."""
    try:
        _files.stat(_text(path))
    except OSError:
        return False
    return True


def chmod(path, mode, *, dir_fd=None, follow_symlinks=True):
    """Does nothing: files here have no rights of their own."""
    stat(path)


def utime(path, times=None, *, ns=None, dir_fd=None, follow_symlinks=True):
    """Does nothing: a file keeps the time of its last change."""
    stat(path)


def truncate(path, length):
    """Cuts or lengthens a file."""
    fd = open(path, O_RDWR)
    try:
        ftruncate(fd, length)
    finally:
        close(fd)


def isatty(fd):
    """Whether a descriptor is a terminal: none is."""
    return False


def get_inheritable(fd):
    return False


def set_inheritable(fd, inheritable):
    pass


def getpid():
    """A number: there is one process."""
    return 1


def getppid():
    return 0


def getuid():
    return 0


geteuid = getgid = getegid = getuid


def cpu_count():
    """How many threads compute: one."""
    return 1


def get_terminal_size(fd=1):
    """The size of a terminal, which is not there: raises OSError."""
    raise OSError(25, "Inappropriate ioctl for device")


def strerror(code):
    """What a number of an error means."""
    return str(OSError(code, errno.errorcode.get(code, f"Unknown error {code}")).strerror)


def urandom(size):
    """Random bytes, for names that do not clash; they keep no secret."""
    import random
    return bytes([random.getrandbits(8) for _ in range(size)])


def umask(mask):
    return 0o022


def putenv(name, value):
    pass


def unsetenv(name):
    pass


def uname():
    """What the system says of itself."""
    return uname_result("glowgrad", "lab", "1", "1", "wasm32")


def times():
    now = _time.perf_counter()
    return (now, 0.0, 0.0, 0.0, now)


def _exit(status):
    raise SystemExit(status)


def _refused(name):
    def refuse(*args, **kwargs):
        raise NotImplementedError(f"os.{name}: Python here starts no programs")

    refuse.__name__ = name
    return refuse


system, fork, kill, pipe, execv, execve, spawnv, waitpid, popen = map(
    _refused, ("system", "fork", "kill", "pipe", "execv", "execve", "spawnv", "waitpid", "popen")
)


def _path_normpath(path):
    """A path without `.`, `..` and doubled slashes."""
    path = fspath(path)
    if isinstance(path, bytes):
        return _path_normpath(path.decode()).encode()
    if not path:
        return "."
    start = "/" if path.startswith("/") else ""
    if path.startswith("//") and not path.startswith("///"):
        start = "//"
    parts = []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part != ".." or not start and not parts or parts and parts[-1] == "..":
            parts.append(part)
        elif parts:
            parts.pop()
    return start + "/".join(parts) or "."
