import io, os, tempfile
import numpy as np
folder = tempfile.mkdtemp()
p = os.path.join(folder, "a")
for kind in (np.float32, np.float64, np.int64, np.uint8, np.uint16, np.bool_):
    a = (np.arange(12).reshape(3, 4) % 3).astype(kind)
    np.save(p, a)
    b = np.load(p + ".npy")
    print(b.dtype, b.shape, (a == b).all(), os.path.getsize(p + ".npy"))
ids = np.array([5, 1, 4, 60000, 3], dtype=np.uint16)
ids.tofile(p)
print(np.fromfile(p, dtype=np.uint16), np.fromfile(p, dtype=np.uint16, count=2),
    np.fromfile(p, np.uint8, offset=4))
m = np.memmap(p, dtype=np.uint16, mode="r")
print(len(m), m[1:3].astype(np.int64), m.dtype, m.shape, type(m).__name__,
    isinstance(m, np.ndarray), m.mode)
w = np.memmap(p, dtype=np.float32, mode="w+", shape=(2, 3))
w[0] = [1, 2, 3]; w[1, 1] = 5
w.flush()
del w
print(np.memmap(p, dtype=np.float32, mode="r", shape=(2, 3)).tolist(),
    np.memmap(p, np.float32, "r").shape)
r = np.memmap(p, dtype=np.float32, mode="r+", shape=(3, 2)); r[2, 1] = 9; r.flush()
print(np.fromfile(p, dtype=np.float32))
text = io.StringIO()
np.savetxt(text, np.array([[1.5, 2.0], [3.25, -4.0]]), header="x y")
print(text.getvalue())
np.savetxt(p, np.arange(6).reshape(2, 3), fmt="%d", delimiter=",")
print(open(p).read(), np.loadtxt(p, delimiter=","),
    np.loadtxt(p, delimiter=",", dtype=int, skiprows=1),
    np.loadtxt(p, delimiter=",", usecols=(0, 2)), np.loadtxt(p, delimiter=",", usecols=1),
    np.loadtxt(p, delimiter=",", unpack=True))
np.savetxt(p, [1.0, 2.0], fmt="%.2f", footer="end"); print(open(p).read())
print(np.genfromtxt(io.StringIO("a,b\n1,2\n3,\n"), delimiter=",", skip_header=1),
    np.loadtxt(["# no", "1 2", "", "3 4 # five"]))
for call in (lambda: np.loadtxt(["1 x"]), lambda: np.loadtxt(["1 2", "3"]),
    lambda: np.load(folder + "/none.npy"), lambda: np.memmap(p, mode="q"),
    lambda: np.savetxt(p, np.zeros((1, 1, 1)))):
    try:
        print(call())
    except Exception as e:
        print(type(e).__name__, str(e).replace(folder, ""))
