"""How arrays are made, and their types."""
import numpy as np


def attempt(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, "|", e)


for x in (
    np.array([1, 2]), np.array([1, 2.5]), np.array([True, False]), np.array([True, 2]), np.array([[1], [2]]), np.array((1, 2)), np.array(range(3)),
    np.array(5), np.array(2.5), np.array(True), np.array([]), np.array([[], []]), np.array([1, 2], dtype=float), np.array([1, 2], dtype=np.float32),
    np.array([1.7, -1.7], dtype=int), np.array([0, 1, 2], dtype=bool), np.array([1, 2], dtype="int16"), np.array([1, 2], dtype="f4"), np.array([1, 2], "uint8"),
    np.array([np.array([1, 2]), np.array([3.5, 4])]), np.array([np.float32(1), np.float32(2)]), np.array([np.int8(1), 2.5]), np.array([np.True_, np.False_]),
    np.array([[np.float64(1), 2], [3, 4]]), np.array(np.arange(3)), np.asarray([1, 2]), np.array([1, np.nan]), np.array([2**40, 1]), np.array(2**63), np.array([np.int64(3), True]),
    np.zeros(3), np.zeros((2, 2), dtype=int), np.zeros((0, 3)), np.ones(2), np.ones((2, 1), np.float32), np.full(2, 7), np.full((2, 2), 1.5), np.full(2, True), np.full((2, 2), [1, 2]),
    np.empty((2, 0)), np.zeros_like([1, 2]), np.ones_like([1.5]), np.full_like([1, 2], 3.7), np.empty_like(np.zeros((2, 0))), np.zeros_like([1, 2], dtype=float), np.eye(2), np.eye(2, 3, 1), np.eye(2, dtype=int), np.identity(2),
    np.arange(3), np.arange(3.0), np.arange(1, 4), np.arange(0, 1, 0.25), np.arange(5, 0, -2), np.arange(3, dtype=float), np.arange(0.5, 3), np.arange(0), np.arange(5, 2), np.arange(1, 2, 0.1), np.arange(3, dtype=np.uint8),
    np.linspace(0, 1, 5), np.linspace(0, 1, 5, endpoint=False), np.linspace(2, 3, 1), np.linspace(0, 10, 3, dtype=int), np.linspace([0, 1], [1, 3], 3), np.linspace(0, 1, 7), np.linspace(-3, 3, 13), np.linspace(0, 1, 0), np.linspace(5, 5, 3),
    np.logspace(0, 3, 4), np.logspace(0, 3, 4, base=2), np.geomspace(1, 1000, 4), np.vander([1, 2, 3], 2), np.fromfunction(lambda i, j: i * 2 + j, (2, 3)), np.fromiter((i * i for i in range(4)), dtype=float), np.frombuffer(b"\x01\x00\x02\x00", dtype=np.int16),
    np.mgrid[0:2, 0:3], np.mgrid[0:1:3j], np.r_[1:4, 0, 4], np.c_[[1, 2], [3, 4]], np.indices((2, 2)), np.copy([1, 2]), np.fromstring("1 2 3", sep=" "), np.meshgrid([1, 2, 3], [4, 5])[1], np.meshgrid([1, 2], [4, 5], indexing="ij")[0], np.ogrid[0:2, 0:2][0],
):
    print(repr(x), x.dtype, x.shape)
print(np.float32 == np.dtype("float32"), np.dtype(float), np.dtype("i4").itemsize, np.dtype(int).kind, np.dtype(bool).name, np.dtype("<f8").str, np.dtype(np.uint8), repr(np.dtype("float16")), np.dtype("f").type is np.float32)
print(np.array([1]).dtype == int, np.array([1.0]).dtype == np.float64, np.array([1.0]).dtype == "float64", np.array([1]).dtype == "float", np.array([1]).dtype in (np.int32, np.int64), np.issubdtype(np.float32, np.floating), np.issubdtype(int, np.integer), np.issubdtype(np.array([1.0]).dtype, np.number), np.issubdtype(bool, np.integer))
names = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64".split()
for a in names:
    print(a, [str(np.promote_types(a, b)) for b in names], [int(np.can_cast(a, b)) for b in names], [int(np.can_cast(a, b, "same_kind")) for b in names])
    x = np.array([1], dtype=a)
    print([str(r.dtype) for r in (x + 1 if a != "bool" else x, x + 1.5, x + True, x * np.float32(1), x * np.float64(1), x * np.int8(1), x / x, np.exp(x), np.sqrt(x), x.sum(), x.mean(), x.cumsum(), x.prod(), np.abs(x), x == x, x.astype(int), np.where(x > 0, x, 0), np.maximum(x, x), x.std(), x.max())])
print(np.result_type(np.float32, 3), np.result_type(np.float32, 3.0), np.result_type(np.int8, 3.0), np.result_type(np.int8, np.uint8), np.result_type(1, 2.5), np.array([1], np.int8).astype(float).dtype, np.float32(1).dtype, np.min_scalar_type(3) if False else "")
for f in (
    lambda: np.array([1, [2, 3]]), lambda: np.array([[1, 2], [3]]), lambda: np.array([300], dtype=np.uint8), lambda: np.dtype("foo"), lambda: np.array([1]).astype("foo"), lambda: np.zeros("x"), lambda: np.linspace(0, 1, -1),
    lambda: np.array([1.5]).astype(int, casting="safe"), lambda: np.array([1.5]).astype(int, casting="same_kind"), lambda: np.uint8(300), lambda: np.float64([1, 2]), lambda: np.int64(2.7), lambda: np.float32("1.5"), lambda: np.bool_(3), lambda: np.int8(np.array([1, 2])),
    lambda: np.float_, lambda: np.product, lambda: np.foo, lambda: np.array([1]).foo, lambda: np.Inf, lambda: np.geomspace(0, 1), lambda: np.meshgrid([1], indexing="xx"), lambda: np.frombuffer(b"123", dtype=np.int16) if False else 0,
):
    attempt(f)
print(np.pi, np.e, np.inf, np.nan, np.newaxis, -np.inf, np.euler_gamma, np.finfo(np.float32).eps, np.finfo(float).max, np.iinfo(np.int32).max, np.finfo(np.float32), np.iinfo(np.uint8), repr(np.iinfo(int)))
t = np.array([1.5, 2.5])
print(t.tolist(), t.astype(np.float32).tolist(), t.tobytes() == np.array([1.5, 2.5]).tobytes(), t.copy() is t, np.asarray(t) is t, np.array(t) is t, t.view(np.int64), t.real, t.imag, t.conj(), t.byteswap() if False else "")
