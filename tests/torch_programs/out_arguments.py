import warnings

import torch

x = torch.tensor([[1.0, 2.0, 3.0], [0.5, 0.25, 0.125]])
square = torch.tensor([[2.0, 1.0], [1.0, 3.0]])
whole = torch.tensor([1, 2, 3])
at = torch.tensor([0, 1])
index = torch.zeros(2, 3, dtype=torch.int64)
warnings.simplefilter("ignore")


def elementwise(name):
    return (name, lambda out: getattr(torch, name)(x, out=out))


CALLS = [
    elementwise(name)
    for name in (
        "abs exp log sqrt rsqrt sin cos tan asin atan sinh cosh tanh sigmoid floor ceil round trunc frac neg "
        "sign square reciprocal log1p log2 log10 expm1 exp2 erf erfc logical_not sgn nan_to_num signbit "
        "relu isnan isfinite positive clone angle"
    ).split()
]
CALLS += [
    (name, lambda out, name=name: getattr(torch, name)(x, x.flip(0), out=out))
    for name in (
        "add sub mul div pow maximum minimum fmax fmin fmod remainder atan2 hypot copysign floor_divide eq ne lt le "
        "gt ge logical_and logical_or logical_xor logaddexp xlogy true_divide multiply subtract isclose"
    ).split()
]
CALLS += [
    ("add with alpha", lambda out: torch.add(x, x, alpha=2, out=out)),
    ("clamp", lambda out: torch.clamp(x, 0.5, 2, out=out)),
    ("clamp_min", lambda out: torch.clamp_min(x, 0.5, out=out)),
    ("lerp", lambda out: torch.lerp(x, x, 0.5, out=out)),
    ("addcmul", lambda out: torch.addcmul(x, x, x, out=out)),
    ("where", lambda out: torch.where(x > 1, x, -x, out=out)),
    ("mm", lambda out: torch.mm(x, x.T, out=out)),
    ("matmul", lambda out: torch.matmul(x, x.T, out=out)),
    ("bmm", lambda out: torch.bmm(x[None], x.T[None], out=out)),
    ("mv", lambda out: torch.mv(x, x[0], out=out)),
    ("dot", lambda out: torch.dot(x[0], x[1], out=out)),
    ("outer", lambda out: torch.outer(x[0], x[1], out=out)),
    ("addmm", lambda out: torch.addmm(square, x, x.T, out=out)),
    ("kron", lambda out: torch.kron(x, x, out=out)),
    ("householder_product", lambda out: torch.linalg.householder_product(square, x[0, :2], out=out)),
    ("tensordot", lambda out: torch.tensordot(x, x.T, 1, out=out)),
    ("cross", lambda out: torch.cross(x, x.flip(0), 1, out=out)),
    ("einsum", lambda out: torch.einsum("ij->ji", x, out=out)),
    ("sum", lambda out: torch.sum(x, 0, out=out)),
    ("mean", lambda out: torch.mean(x, 0, out=out)),
    ("prod", lambda out: torch.prod(x, 0, out=out)),
    ("var", lambda out: torch.var(x, 0, out=out)),
    ("std", lambda out: torch.std(x, 0, out=out)),
    ("amax", lambda out: torch.amax(x, 0, out=out)),
    ("all", lambda out: torch.all(x, out=out)),
    ("any", lambda out: torch.any(x, 0, out=out)),
    ("argmax", lambda out: torch.argmax(x, 0, out=out)),
    ("logsumexp", lambda out: torch.logsumexp(x, 0, out=out)),
    ("norm", lambda out: torch.norm(x, out=out)),
    ("max of all", lambda out: torch.max(x, out=out)),
    ("max of two", lambda out: torch.max(x, x.flip(0), out=out)),
    ("cumsum", lambda out: torch.cumsum(x, 0, out=out)),
    ("cumprod", lambda out: torch.cumprod(x, 0, out=out)),
    ("softmax", lambda out: torch.softmax(x, 0, out=out)),
    ("log_softmax", lambda out: torch.log_softmax(x, 0, out=out)),
    ("cat", lambda out: torch.cat((x, x), out=out)),
    ("stack", lambda out: torch.stack((x, x), out=out)),
    ("hstack", lambda out: torch.hstack((x, x), out=out)),
    ("vstack", lambda out: torch.vstack((x, x), out=out)),
    ("tril", lambda out: torch.tril(x, out=out)),
    ("diag", lambda out: torch.diag(x, out=out)),
    ("gather", lambda out: torch.gather(x, 0, index, out=out)),
    ("scatter", lambda out: torch.scatter(x, 0, index, x, out=out)),
    ("scatter_add", lambda out: torch.scatter_add(x, 0, index, x, out=out)),
    ("index_select", lambda out: torch.index_select(x, 1, at, out=out)),
    ("index_add", lambda out: torch.index_add(x, 0, at, x, out=out)),
    ("index_copy", lambda out: torch.index_copy(x, 0, at, x, out=out)),
    ("index_fill", lambda out: torch.index_fill(x, 0, at, 1.0, out=out)),
    ("take", lambda out: torch.take(x, at, out=out)),
    ("masked_select", lambda out: torch.masked_select(x, x > 1, out=out)),
    ("masked_fill", lambda out: torch.masked_fill(x, x > 1, 0.0, out=out)),
    ("nonzero", lambda out: torch.nonzero(x, out=out)),
    ("argsort", lambda out: torch.argsort(x, stable=True, out=out)),
    ("searchsorted", lambda out: torch.searchsorted(x[0], x[0], out=out)),
    ("bucketize", lambda out: torch.bucketize(x, x[0], out=out)),
    ("bincount", lambda out: torch.bincount(whole, out=out)),
    ("inverse", lambda out: torch.inverse(square, out=out)),
    ("linalg.inv", lambda out: torch.linalg.inv(square, out=out)),
    ("linalg.det", lambda out: torch.linalg.det(square, out=out)),
    ("linalg.solve", lambda out: torch.linalg.solve(square, square, out=out)),
    ("linalg.cholesky", lambda out: torch.linalg.cholesky(square, out=out)),
    ("linalg.vector_norm", lambda out: torch.linalg.vector_norm(x, out=out)),
    ("zeros", lambda out: torch.zeros(2, 3, out=out)),
    ("ones", lambda out: torch.ones((2, 3), out=out)),
    ("full", lambda out: torch.full((2, 3), 2, out=out)),
    ("arange", lambda out: torch.arange(3, out=out)),
    ("linspace", lambda out: torch.linspace(0, 2, 3, out=out)),
    ("logspace", lambda out: torch.logspace(0, 2, 3, out=out)),
    ("eye", lambda out: torch.eye(2, 3, out=out)),
    ("zeros_like", lambda out: torch.zeros_like(x, out=out)),
    ("reshape", lambda out: torch.reshape(x, (3, 2), out=out)),
    ("transpose", lambda out: torch.transpose(x, 0, 1, out=out)),
    ("permute", lambda out: torch.permute(x, (1, 0), out=out)),
    ("squeeze", lambda out: torch.squeeze(x, out=out)),
    ("flip", lambda out: torch.flip(x, (0,), out=out)),
    ("roll", lambda out: torch.roll(x, 1, out=out)),
    ("tile", lambda out: torch.tile(x, (1, 2), out=out)),
    ("trace", lambda out: torch.trace(square, out=out)),
    ("a method", lambda out: x.add(x, out=out)),
]
# What PyTorch has no kernel for, and where it raises another exception than for other ops.
LEFT_OUT = {
    (name, dtype)
    for name in ("cumsum", "cumprod", "cat", "stack", "hstack", "vstack", "arange", "linspace", "logspace", "sum", "prod")
    for dtype in (("int64", "bool") if name in ("cat", "stack", "hstack", "vstack") else ("bool",))
}
EMPTY = [("float32", torch.float32), ("float64", torch.float64), ("int64", torch.int64), ("bool", torch.bool)]


def told(tensor):
    return f"{str(tensor.dtype)[6:]} {list(tensor.shape)} {[round(float(v), 3) for v in tensor.reshape(-1).tolist()]}"


for name, call in CALLS:
    for dtype_name, dtype in EMPTY:
        if (name, dtype_name) in LEFT_OUT:
            continue
        out = torch.empty(0, dtype=dtype)
        try:
            result = call(out)
            print(name, dtype_name, result is out, told(out))
        except Exception as error:
            print(name, dtype_name, type(error).__name__)

# In the memory that is there.
room = torch.zeros(2, 3)
view = room.view(6)
print(torch.add(x, x, out=room) is room, view)
print(torch.mul(room, room, out=room) is room, view)
torch.exp(x[0], out=room[1])
print(room)
rows = torch.zeros(3, 2).T
print(torch.add(x, 1, out=rows) is rows, rows, rows.stride())

# Several results.
for name, call in [
    ("max", lambda out: torch.max(x, 1, out=out)),
    ("min", lambda out: torch.min(x, 1, True, out=out)),
    ("sort", lambda out: torch.sort(x, 1, out=out)),
    ("topk", lambda out: torch.topk(x, 2, out=out)),
    ("kthvalue", lambda out: torch.kthvalue(x, 2, out=out)),
    ("median", lambda out: torch.median(x, 1, out=out)),
    ("mode", lambda out: torch.mode(x, 1, out=out)),
    ("cummax", lambda out: torch.cummax(x, 1, out=out)),
    ("split", lambda out: torch.split(x, 1, out=out)),
]:
    for wrap in (tuple, list, lambda outs: outs[:1], lambda outs: outs[0], lambda outs: outs[::-1]):
        values, places = torch.zeros(0), torch.zeros(0, dtype=torch.int64)
        out = wrap((values, places))
        try:
            result = call(out)
            print(name, result[0] is values, result[1] is places, told(values), told(places))
        except Exception as error:
            print(name, type(error).__name__)

# Matrices taken apart.
factors = torch.linalg.lu_factor(square)
for name, last, call in [
    ("svd", "V", lambda out: torch.svd(square, out=out)),
    ("lu_unpack", "U", lambda out: torch.lu_unpack(*factors, out=out)),
    ("geqrf", "tau", lambda out: torch.geqrf(square, out=out)),
    ("linalg.lu", "U", lambda out: torch.linalg.lu(square, out=out)),
    ("linalg.lu_factor", "pivots", lambda out: torch.linalg.lu_factor(square, out=out)),
    ("linalg.lu_factor_ex", "info", lambda out: torch.linalg.lu_factor_ex(square, out=out)),
]:
    plain = call(None)
    outs = tuple(torch.zeros(0, dtype=each.dtype) for each in plain)
    result = call(outs)
    print(name, type(result).__name__, [a is b for a, b in zip(result, outs)], getattr(result, last) is outs[-1])
    print([torch.equal(a, b) for a, b in zip(plain, outs)])
    try:
        call(outs[:1])
    except Exception as error:
        print(type(error).__name__)

# Gradients end here.
w = torch.ones(2, 3, requires_grad=True)
for name, call in [
    ("operand", lambda: torch.add(w, x, out=torch.zeros(2, 3))),
    ("out", lambda: torch.add(x, x, out=w)),
    ("out", lambda: torch.zeros(2, 3, out=w)),
    ("comparison", lambda: torch.eq(w, x, out=torch.zeros(2, 3))),
    ("argmax", lambda: torch.argmax(w, out=torch.zeros((), dtype=torch.int64))),
    ("none", lambda: torch.add(x, x, out=None)),
    ("dtype", lambda: torch.zeros(3, dtype=torch.float64, out=torch.zeros(3))),
    ("expanded", lambda: torch.add(x, x, out=torch.zeros(1).expand(2, 3))),
]:
    try:
        print(name, call())
    except Exception as error:
        print(name, type(error).__name__)
with torch.no_grad():
    print(torch.add(x, x, out=w) is w, w.is_leaf, w.requires_grad)
print(w)
