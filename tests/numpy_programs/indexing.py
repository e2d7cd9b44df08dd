"""Parts of arrays: read, written through, by masks and by integers."""
import numpy as np


def attempt(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, "|", e)


a = np.arange(24).reshape(2, 3, 4)
print(a[0], a[1, 2], a[1, 2, 3], a[-1, -1, -1], a[0, :, 1], a[..., 0], a[:, None].shape, a[0][1][2])
print(a[:, 1:, ::2], a[::-1].tolist(), a[:, ::-1, 1].tolist(), a[0, 2:0:-1, ::-2].tolist(), a[1:1].shape, a[5:].shape)
print(a[a > 20], a[[0, 1], [1, 2]], a[[1]], a[:, [0, 2], 1], a[0, [0, 2]], a[0, :, [1, 3]], a[[0, 1], :, 1].shape)
print(a[0, :, [1, 3]].shape, a[:, 0, [1, 3]].shape, a[np.array([[0, 1], [1, 0]])].shape, a[[True, False]].shape)
print(a[np.ix_([0, 1], [2], [0, 3])].tolist(), a[a % 2 == 0].sum(), a[..., None].shape, a[np.newaxis, 0].shape)
print(a[np.array(1)].shape, a[np.int64(1), np.int8(2)], a[np.array([0]), ..., np.array([1])].shape, a[True].shape, a[False].shape)
print(a[1, ..., 2], a[(0, 1)], a[()].shape, a[[]].shape, a[np.array([], dtype=int)].shape, a[a > 100])
print(repr(np.arange(5)[2]), repr(np.arange(5.0)[np.array(2)]), repr(np.array(7)[()]), repr(np.array(7)[...]), np.array(7)[None])
b = np.zeros((3, 4))
b[0] = 1
b[1, 2] = 5
b[:, 3] = [7, 8, 9]
b[2, ::2] = np.array([1.5, 2.5])
print(b)
view = b[1:, :2]
view[:] = -1
view += 3
print(b, view.base is not None, np.shares_memory(b, view), np.shares_memory(b, b.copy()))
b[b > 6] = 0
b[[0, 2]] = b[[2, 0]]
b[[0, 1], [1, 2]] = [10, 20]
b[::-1, 0] = [1, 2, 3]
b[2, ::-2] = [100, 200]
print(b)
b[b == 0] = np.arange((b == 0).sum())
b[1:2] = 4
b[..., -1] *= 2
b[0] += [1, 2, 3, 4]
b[np.array([True, False, True]), 1] = 33
print(b)
c = np.arange(5)
c[1] = 7.9
c[2] = True
c[[0, 0, 0]] += 1
c[3:] = np.array([1.9, -1.9])
print(c, c.dtype)
d = np.array([1, 2, 3], dtype=np.uint8)
d[0] = 255
attempt(lambda: d.__setitem__(0, 256))
attempt(lambda: d.__setitem__(slice(None), [1, 2]))
attempt(lambda: b.__setitem__(0, [1, 2]))
attempt(lambda: b.__setitem__(b > 5, [1, 2]))
attempt(lambda: b.__setitem__(([0, 1], [0, 1]), [1, 2, 3]))
for f in (
    lambda: a[2], lambda: a[0, 3], lambda: a[0, 0, 0, 0], lambda: a[[0, 5]], lambda: a[0, 1, -5], lambda: a["x"], lambda: a[1.5],
    lambda: a[np.array([True, False, True])], lambda: a[:, [True, False]], lambda: a[..., 9], lambda: c[7], lambda: c[-6],
    lambda: a[[0.5]], lambda: np.array(1)[0],
):
    attempt(f)
flat = a.reshape(-1)
flat[0] = 1000
print(a[0, 0, 0], a.ravel()[0], a.flatten()[0], a.T[0, 0, 0])
a.flatten()[0] = 5
a.T[3, 2, 1] = -7
print(a[0, 0, 0], a[1, 2, 3])
for row in np.eye(2):
    row *= 2
    print(row)
e = np.arange(4)
for i, x in enumerate(e):
    if i < 3:
        e[i + 1] += x
print(e, 2 in e, 6 in e, 9 in e, list(e), [type(x).__name__ for x in e[:1]])
x, y = np.array([1, 2])
print(x, y, *np.array([3.5, 4.5]), max(np.array([1, 5, 2])), sum(np.array([1, 2])), sorted(np.array([3, 1])))
f = np.zeros(3)
f[:] = 5
f[...] = [1, 2, 3]
f.fill(2)
f.flat[1] = 9
f.put([0, -1], [4, 6])
print(f, f.flat[1], list(f.flat), len(f.flat), f.item(), f.item(1)) if f.size == 1 else print(f, f.flat[1], list(f.flat), f.item(1))
g = np.arange(12).reshape(3, 4)
g.shape = (4, 3)
print(g, g.T.flags.c_contiguous, g.flags.f_contiguous, g.strides, g.T.strides, g.itemsize, g.nbytes, g.size, g.ndim)
h = np.arange(6).reshape(2, 3)
h2 = h.copy()
h2[0, 0] = 99
h[:, 0], h[:, 2] = h[:, 2].copy(), h[:, 0].copy()
print(h, h2, (h == h2).all(), h is h2)
m = np.ma if False else None
print(np.take(g, [0, 2], axis=1), np.take(g, 5), g.take([0, 1]), np.take_along_axis(g, np.argsort(-g, axis=1), axis=1), np.choose([0, 1], [[1, 2], [3, 4]]))
k = np.zeros((2, 2))
np.fill_diagonal(k, 3)
np.put_along_axis(k, np.array([[1], [0]]), 7, axis=1)
np.copyto(k, -1, where=k == 3)
np.putmask(k, k > 5, 0.5)
np.place(k, k == 0.5, [1, 2])
print(k, np.compress([True, False], k, axis=0), np.extract(k > 0, k), np.select([k > 1, k > 0], [k * 10, k * 100], -5))
