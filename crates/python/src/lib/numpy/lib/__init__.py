"""`np.lib`: what NumPy keeps apart."""

from numpy.lib import stride_tricks
