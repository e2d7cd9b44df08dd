"""Shapes, joining, splitting, repeating, padding."""
import numpy as np


def attempt(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, "|", e)


a = np.arange(6)
m = a.reshape(2, 3)
print(a.reshape(3, -1), a.reshape((2, 3), order="F"), m.ravel("F"), m.flatten(), np.reshape(m, -1), m.reshape(1, 2, 3).squeeze().shape)
print(m.T, m.transpose(1, 0), np.transpose(np.zeros((2, 3, 4)), (2, 0, 1)).shape, m.swapaxes(0, 1), np.zeros((2, 3, 4)).T.shape, np.zeros((2, 3, 4)).mT.shape)
print(np.moveaxis(np.zeros((2, 3, 4)), 0, -1).shape, np.rollaxis(np.zeros((2, 3, 4)), 2).shape, np.moveaxis(np.zeros((2, 3, 4)), [0, 1], [-1, -2]).shape)
print(np.expand_dims(a, 0).shape, np.expand_dims(a, (0, 2)).shape, a[:, None].shape, np.squeeze(np.zeros((1, 3, 1))).shape, np.squeeze(np.zeros((1, 3, 1)), 0).shape)
print(np.atleast_1d(3), np.atleast_2d([1, 2]), np.atleast_3d([1, 2]).shape, np.atleast_1d(1, [2]))
print(np.concatenate([[1, 2], [3.5]]), np.concatenate([m, m], axis=1), np.concatenate([m, [[7, 8, 9]]]), np.concatenate((m, m), axis=None))
print(np.stack([a, a]).shape, np.stack([a, a], axis=-1).shape, np.vstack([a, a]).shape, np.hstack([a, [9]]), np.hstack([m, m]).shape, np.dstack([m, m]).shape)
print(np.column_stack([[1, 2], [3, 4]]), np.block([[np.eye(2), np.zeros((2, 1))], [np.ones((1, 3))]]), np.append([1, 2], 3), np.append(m, [[7, 8, 9]], axis=0))
print(np.split(a, 3), np.split(a, [1, 4]), np.array_split(np.arange(7), 3), np.hsplit(m, 3)[0], np.vsplit(m, 2)[1], np.split(m, [1], axis=1))
print(np.tile([1, 2], 2), np.tile(m, (2, 1)), np.tile([1, 2], (2, 2)), np.repeat([1, 2], 2), np.repeat(m, 2, axis=0), np.repeat([1, 2], [1, 3]), m.repeat(2))
print(np.roll(a, 2), np.roll(m, 1, axis=1), np.roll(m, 1), np.roll(m, (1, 1), (0, 1)), np.flip(m), np.flip(m, 0), np.fliplr(m), np.flipud(m), np.rot90(m), np.rot90(m, 2))
print(np.insert(a, 2, 99), np.insert(a, [0, 3], [7, 8]), np.insert(m, 1, 5, axis=1), np.insert(m, 0, [9, 9, 9], axis=0), np.delete(a, 1), np.delete(a, [0, -1]), np.delete(m, 0, axis=1), np.delete(a, slice(0, 3)))
print(np.pad(a, 1), np.pad(a, (2, 1), constant_values=7), np.pad(m, ((1, 0), (0, 2))), np.pad(a, 2, mode="edge"), np.pad(a, 2, mode="reflect"), np.pad(a, 2, mode="wrap"), np.pad(a, 2, "symmetric"), np.pad([1.0, 2.0], 2, "mean"), np.pad([1, 2], 1, "maximum"))
print(np.pad(m, 1, mode="constant", constant_values=((1, 2), (3, 4))), np.pad(np.ones((2, 2)), [(0, 0), (1, 1)]))
print(np.broadcast_to([1, 2], (3, 2)), np.broadcast_shapes((3, 1), (4,)), [x.shape for x in np.broadcast_arrays([1, 2], [[3], [4]])], np.resize([1, 2, 3], (2, 2)), np.resize([1, 2], 5), np.trim_zeros([0, 1, 0, 2, 0]))
print(np.diagonal(m), np.diag([1, 2]), np.diag(m), np.diag([1, 2], 1), np.diagflat([1, 2]), np.tril(m), np.triu(m, 1), np.tri(2, 3), np.tril_indices(2), np.triu_indices(2, 1))
print(np.unravel_index(5, (2, 3)), np.unravel_index([1, 5], (2, 3)), np.ravel_multi_index((1, 2), (2, 3)), list(np.ndindex(2, 2)), [(i, int(v)) for i, v in np.ndenumerate(m)][-1])
print(np.ndim(m), np.shape([[1, 2]]), np.size(m), np.size(m, 1), np.lib.stride_tricks.sliding_window_view(a, 3), np.lib.stride_tricks.as_strided(a, (2, 3), (8, 8)))
print(np.array([1, 2], ndmin=2), np.ascontiguousarray(m.T).flags.c_contiguous, np.asfortranarray(m).flags.f_contiguous, np.unstack(m)[1])
for f in (
    lambda: a.reshape(4, 2), lambda: a.reshape(-1, -1), lambda: a.reshape(-1, 4), lambda: a.reshape(4), lambda: np.concatenate([m, a]),
    lambda: np.concatenate([m, np.ones((3, 2))]), lambda: np.concatenate([]), lambda: np.stack([a, a[1:]]), lambda: np.vstack([a, a[1:]]),
    lambda: np.split(a, 4), lambda: np.squeeze(m, 0), lambda: np.expand_dims(m, 5), lambda: m.transpose(0, 0), lambda: m.swapaxes(0, 3),
    lambda: np.broadcast_to(m, (3, 3)), lambda: np.moveaxis(m, 0, 2), lambda: np.zeros(-1), lambda: np.zeros((2, -1)), lambda: np.zeros(2.5),
    lambda: np.tile(a, "x") if False else np.diag(np.zeros((2, 2, 2))), lambda: np.fliplr(a), lambda: m + np.ones(2), lambda: m @ np.ones(2),
):
    attempt(f)
