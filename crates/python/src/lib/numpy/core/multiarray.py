"""The functions that pickles of NumPy 1 name."""

from numpy._core.multiarray import _reconstruct, scalar
