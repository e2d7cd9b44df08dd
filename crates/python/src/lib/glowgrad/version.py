"""`torch.version`: which glowgrad this is, and of which of PyTorch's libraries: none."""

from glowgrad import __version__

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "rocm", "xpu"]
cuda = hip = rocm = xpu = git_version = None
debug = False
