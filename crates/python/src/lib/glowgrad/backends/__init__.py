"""`torch.backends`: settings of libraries that PyTorch computes with. None of them is here, and a setting changes
nothing."""

from glowgrad.backends import cpu, cuda, cudnn, mkl, mps, openmp
