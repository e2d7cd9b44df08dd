"""Settings that PyTorch has. All but the number of threads change nothing here: they are checked and kept."""

import _glowgrad as _C

has_lapack, has_mkl, has_openmp, has_spectral = True, False, False, False

_kept = {
    "deterministic": False, "warn_only": False, "threads": None, "interop_threads": 1,
    "precision": "highest", "warn_always": False,
}
_MODES = ("default", "warn", "error")


def use_deterministic_algorithms(mode, *, warn_only=False):
    """Says that results shall not depend on chance, which they never do.

    >>> torch.use_deterministic_algorithms(True)
    """
    if not isinstance(mode, bool):
        raise TypeError(
            "_set_deterministic_algorithms(): argument 'mode' (position 1) must be bool, not "
            + type(mode).__name__
        )
    _kept["deterministic"], _kept["warn_only"] = mode, bool(warn_only)


def are_deterministic_algorithms_enabled():
    """Whether `use_deterministic_algorithms` was turned on.

    >>> torch.are_deterministic_algorithms_enabled()
    """
    return _kept["deterministic"]


def is_deterministic_algorithms_warn_only_enabled():
    """Whether `use_deterministic_algorithms` was told to warn only.

    >>> torch.is_deterministic_algorithms_warn_only_enabled()
    """
    return _kept["warn_only"]


def set_deterministic_debug_mode(debug_mode):
    """As `use_deterministic_algorithms`, by a number or a word: "default", "warn" or "error".

    >>> torch.set_deterministic_debug_mode("default")
    """
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str):
        if debug_mode not in _MODES:
            raise RuntimeError(
                "invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got "
                + debug_mode
            )
        debug_mode = _MODES.index(debug_mode)
    if debug_mode not in (0, 1, 2):
        raise RuntimeError(
            f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}"
        )
    use_deterministic_algorithms(debug_mode > 0, warn_only=debug_mode == 1)


def get_deterministic_debug_mode():
    """0, 1 or 2 for "default", "warn" and "error".

    >>> torch.get_deterministic_debug_mode()
    """
    if not _kept["deterministic"]:
        return 0
    return 1 if _kept["warn_only"] else 2


def _threads(name, n):
    if isinstance(n, bool) or not isinstance(n, int):
        raise RuntimeError(f"{name} expects an int, but got {type(n).__name__}")
    if n <= 0:
        raise RuntimeError(f"{name} expects a positive integer")
    return n


def set_num_threads(n, /):
    """How many threads compute large work; a page has one, and keeps the number.

    >>> torch.set_num_threads(1)
    """
    _kept["threads"] = _threads("set_num_threads", n)
    _C.set_threads(n)


def get_num_threads():
    """How many threads compute large work: what `set_num_threads` said, else what `OMP_NUM_THREADS` says, else the
    processors that this process may use.

    >>> torch.get_num_threads() >= 1
    """
    return _kept["threads"] or _C.threads()


def set_num_interop_threads(n, /):
    """How many ops may run side by side; kept, since they run one after the other.

    >>> torch.set_num_interop_threads(1)
    """
    _kept["interop_threads"] = _threads("set_num_interop_threads", n)


def get_num_interop_threads():
    """What `set_num_interop_threads` said; 1 before.

    >>> torch.get_num_interop_threads()
    """
    return _kept["interop_threads"]


def init_num_threads():
    """Does nothing: threads start with the first work that is large.

    >>> torch.init_num_threads()
    """


def set_float32_matmul_precision(precision):
    """How exact products of matrices are: "highest", "high" or "medium"; they are always exact.

    >>> torch.set_float32_matmul_precision("high")
    """
    if not isinstance(precision, str):
        raise RuntimeError(
            f"set_float32_matmul_precision expects a str, but got {type(precision).__name__}"
        )
    if precision not in ("highest", "high", "medium"):
        from warnings import warn

        warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the current setting is kept"
        )
        return
    _kept["precision"] = precision


def get_float32_matmul_precision():
    """What `set_float32_matmul_precision` said; "highest" before.

    >>> torch.get_float32_matmul_precision()
    """
    return _kept["precision"]


def set_flush_denormal(mode, /):
    """Whether numbers near zero may become zero; gives whether it is so: they are always kept.

    >>> torch.set_flush_denormal(False)
    """
    return not mode


def set_warn_always(b, /):
    """Whether the same warning comes each time; kept.

    >>> torch.set_warn_always(False)
    """
    if not isinstance(b, bool):
        raise RuntimeError(f"setWarnOnlyOnce expects a bool, but got {type(b).__name__}")
    _kept["warn_always"] = b


def is_warn_always_enabled():
    """What `set_warn_always` said.

    >>> torch.is_warn_always_enabled()
    """
    return _kept["warn_always"]


def _anomaly():
    before = _C.set_anomaly(False, False)
    _C.set_anomaly(*before)
    return before


def set_anomaly_enabled(mode, check_nan=True):
    """Turns the search for what makes a NaN in `backward` on or off.

    >>> torch.set_anomaly_enabled(False)
    """
    _C.set_anomaly(bool(mode), bool(check_nan))


def is_anomaly_enabled():
    """Whether `backward` looks for what makes a NaN.

    >>> torch.is_anomaly_enabled()
    """
    return _anomaly()[0]


def is_anomaly_check_nan_enabled():
    """Whether anomaly mode looks at every gradient for NaN.

    >>> torch.is_anomaly_check_nan_enabled()
    """
    enabled, check_nan = _anomaly()
    return check_nan or not enabled


def is_vulkan_available():
    """Whether PyTorch's Vulkan backend computes: never; `device="webgpu"` uses Vulkan where it is.

    >>> torch.is_vulkan_available()
    """
    return False


def compiled_with_cxx11_abi():
    """Always true.

    >>> torch.compiled_with_cxx11_abi()
    """
    return True
