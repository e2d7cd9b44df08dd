"""Sorting, searching, counting, sets, histograms, comparing."""
import numpy as np


def attempt(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, "|", e)


a = np.array([3, 1, 2, 3, 0])
m = np.array([[3, 1, 2], [0, 5, 4]])
f = np.array([0.5, np.nan, -1.0, 2.0])
print(np.sort(a), np.sort(m), np.sort(m, axis=0), np.sort(m, axis=None), np.sort(f), np.sort([True, False]), np.sort(a)[::-1], -np.sort(-a))
print(np.argsort(a), np.argsort(m), np.argsort(m, axis=0), np.argsort(f), np.argsort(-a, kind="stable"), m.argsort(axis=None), np.argsort([2, 1])[::-1])
a2 = a.copy()
a2.sort()
print(a2, np.lexsort(([1, 0, 0, 1], [1, 1, 0, 0])), np.partition(a, 2)[2], np.argpartition(a, 0)[0], a[np.argpartition(a, -2)[-2:]].min())
print(np.unique(a), np.unique(a, return_counts=True), np.unique(a, return_index=True), np.unique(a, return_inverse=True), np.unique(m), np.unique([[1, 2], [1, 2], [0, 1]], axis=0), np.unique([2.5, 1, 2.5]), np.unique([True, False, True]), np.unique(m, return_index=True, return_inverse=True, return_counts=True), np.unique([]), np.unique([np.nan, np.nan, 1]))
print(np.searchsorted([1, 2, 4], 3), np.searchsorted([1, 2, 4], [0, 2, 5]), np.searchsorted([1, 2, 4], 2, side="right"), np.digitize([0.5, 1, 2.5, 9], [0, 1, 2]), np.digitize([1, 2], [2, 1, 0]), np.bincount([0, 1, 1, 3]), np.bincount([0, 1], weights=[0.5, 2]), np.bincount([1], minlength=4), np.bincount([]) if False else "")
print(np.nonzero(a), np.argwhere(m > 2), np.flatnonzero(m), np.count_nonzero(m), np.where(m > 2), a.nonzero(), np.isin([1, 2, 9], a), np.isin(m, [1, 5], invert=True), np.isin(m, [1, 5]))
print(np.union1d([1, 2], [2, 3]), np.intersect1d([1, 2, 3], [3, 2, 9]), np.setdiff1d([1, 2, 3], [2]), np.setxor1d([1, 2], [2, 3]), np.intersect1d([1, 2, 3], [3, 2, 9], return_indices=True))
x = np.array([0.1, 0.5, 0.9, 1.4, 2.0, 2.0, 3.7, -1.0])
print(np.histogram(x), np.histogram(x, 4), np.histogram(x, bins=[0, 1, 2, 3]), np.histogram(x, 3, range=(0, 3)), np.histogram(x, 3, density=True), np.histogram(x, 3, weights=np.arange(8.0)), np.histogram([1, 1], 2), np.histogram_bin_edges(x, "sturges"), np.histogram_bin_edges(x, "fd"), np.histogram([], 3))
print(np.histogram2d([0, 1, 2, 2], [0, 1, 0, 2], bins=2), np.histogram2d([0, 1], [0, 1], bins=[2, 3])[0])
print(np.allclose([1.0, 2.0], [1.0, 2.0 + 1e-9]), np.allclose([1.0], [1.1]), np.allclose([np.nan], [np.nan]), np.allclose([np.nan], [np.nan], equal_nan=True), np.isclose([1, 2, np.inf], [1, 2.1, np.inf]), np.isclose(1e-9, 0), np.array_equal([1, 2], [1, 2]), np.array_equal([1, 2], [1, 3]), np.array_equal([1], [1, 2]), np.array_equiv([1, 1], 1))
print(np.cumsum(m, axis=0), np.diff(m), np.diff(a, n=2), np.argmax(m, axis=0), np.ediff1d(a), np.piecewise(x, [x < 0, x >= 2], [-1, lambda v: v * 10, 0]))
for g in (
    lambda: np.bincount([-1]), lambda: np.bincount(np.array([0.5])), lambda: np.histogram(x, 0), lambda: np.histogram(x, [2, 1]), lambda: np.histogram(f), lambda: np.histogram(x, range=(2, 1)), lambda: np.nonzero(3), lambda: np.where([1], 2), lambda: np.take(a, 9), lambda: np.sort(a, axis=1), lambda: np.sort(3),
):
    attempt(g)
np.testing.assert_allclose([1.0], [1.0 + 1e-9])
np.testing.assert_array_equal(a, a.copy())
np.testing.assert_almost_equal(1.0, 1.0 + 1e-9)
try:
    np.testing.assert_array_equal([1, 2], [1, 3])
except AssertionError:
    print("differs")
