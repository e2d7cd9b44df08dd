"""The function that pickles of NumPy 1 in protocol 5 name."""

from numpy._core.numeric import _frombuffer
