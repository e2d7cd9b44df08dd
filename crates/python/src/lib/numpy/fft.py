"""`np.fft`: its results are complex, which numbers here are not."""

_NAMES = (
    "fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "rfft", "irfft", "rfft2", "irfft2", "rfftn",
    "irfftn", "hfft", "ihfft"
)


def _complex(name):
    def refuse(*args, **kwargs):
        raise NotImplementedError(
            f"np.fft.{name}: its results are complex; products with matrices of np.cos and np.sin "
            f"give both parts"
        )

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = "Not here: its results are complex."
    return refuse


for _name in _NAMES:
    globals()[_name] = _complex(_name)


def fftfreq(n, d=1.0, device=None):
    """The frequencies of a Fourier transform. >>> np.fft.fftfreq(4)"""
    import numpy as np

    half = (n - 1) // 2 + 1
    return np.concatenate([np.arange(0, half), np.arange(-(n // 2), 0)]) * (1.0 / (n * d))


def rfftfreq(n, d=1.0, device=None):
    """The frequencies of a Fourier transform of real numbers. >>> np.fft.rfftfreq(4)"""
    import numpy as np

    return np.arange(0, n // 2 + 1) * (1.0 / (n * d))


def fftshift(x, axes=None):
    """Frequency 0 in the middle. >>> np.fft.fftshift([0, 1, -2, -1])"""
    import numpy as np

    x = np.asarray(x)
    axes = list(range(x.ndim)) if axes is None else axes
    shifts = (
        [x.shape[d] // 2 for d in axes] if isinstance(axes, (list, tuple)) else x.shape[axes] // 2
    )
    return np.roll(x, shifts, axes)


def ifftshift(x, axes=None):
    """Frequency 0 in front again. >>> np.fft.ifftshift([-2, -1, 0, 1])"""
    import numpy as np

    x = np.asarray(x)
    axes = list(range(x.ndim)) if axes is None else axes
    shifts = (
        [-(x.shape[d] // 2) for d in axes]
        if isinstance(axes, (list, tuple))
        else -(x.shape[axes] // 2)
    )
    return np.roll(x, shifts, axes)
