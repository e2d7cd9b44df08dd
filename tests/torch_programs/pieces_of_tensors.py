"""Tensors cut into pieces, pieces written back, copies of views."""
import warnings

import torch

warnings.simplefilter("ignore")
x, v = torch.arange(12.0).reshape(3, 4), torch.arange(5.0)


def refused(name, call):
    try:
        print(name, "was taken:", call())
    except Exception as error:
        print(name, type(error).__name__, str(error).split("\n")[0])


def kind(name, call):
    try:
        call()
        print(name, "was taken")
    except Exception as error:
        print(name, type(error).__name__)


def slopes(name, f, *xs):
    leaves = [each.clone().requires_grad_() for each in xs]
    y = f(*leaves)
    y = torch.cat([each.reshape(-1) for each in y]) if isinstance(y, (tuple, list)) else y
    first = torch.autograd.grad((y * y * torch.arange(1.0, y.numel() + 1).reshape(y.shape)).sum(), leaves, create_graph=True)
    print(name, "first", [[round(n, 3) for n in g.flatten().tolist()] for g in first])
    again = torch.autograd.grad(sum((g * g).sum() for g in first), leaves, allow_unused=True)
    print(name, "second", [None if g is None else [round(n, 3) for n in g.flatten().tolist()] for g in again])


print(torch.hsplit(x, 2), torch.hsplit(v, [1, 3]), x.hsplit((1,))[0].shape)
print(torch.vsplit(x, (1,)), x.vsplit(3)[2], torch.dsplit(x.reshape(1, 3, 4), 2)[0].shape, x.reshape(1, 3, 4).dsplit([1])[1].shape)
refused("hsplit into 3", lambda: torch.hsplit(x, 3))
refused("hsplit of a number", lambda: torch.hsplit(torch.tensor(1.0), 2))
refused("vsplit of a row", lambda: torch.vsplit(v, 1))
refused("vsplit into 2", lambda: torch.vsplit(x, 2))
refused("dsplit of a matrix", lambda: torch.dsplit(x, 2))
refused("hsplit into none", lambda: torch.hsplit(x, 0))
kind("hsplit by a word", lambda: torch.hsplit(x, "a"))
slopes("hsplit", lambda x: torch.hsplit(x, 2), x[:2])

print(torch.split_with_sizes(x, [1, 2]), x.split_with_sizes([1, 3], 1)[0])
print(torch.unsafe_split(x, 2)[1], x.unsafe_chunk(2, 1)[0], torch.unsafe_split_with_sizes(x, [1, 2], dim=0)[1], x.unsafe_split(3, dim=1)[1])
refused("split below zero", lambda: torch.split_with_sizes(x, [1, -1]))
kind("split to another size", lambda: torch.split_with_sizes(x, [1, 1]))
refused("unsafe_split by a list", lambda: torch.unsafe_split(x, [1, 2]))

print(torch.select_scatter(x, torch.zeros(4), 0, 1), x.select_scatter(torch.zeros(3), dim=1, index=-1))
print(torch.slice_scatter(x, torch.zeros(3, 2), 1, 0, 4, 2), x.slice_scatter(torch.zeros(1, 4), start=-1), torch.slice_scatter(x, torch.zeros(2, 4), end=2))
print(torch.diagonal_scatter(x, torch.zeros(3)), x.diagonal_scatter(torch.zeros(2), offset=-1))
print(torch.as_strided_scatter(x, torch.zeros(2, 2), (2, 2), (4, 2), 1))
refused("select_scatter of another size", lambda: torch.select_scatter(x, torch.zeros(3), 0, 1))
kind("select_scatter beyond the end", lambda: torch.select_scatter(x, torch.zeros(4), 0, 5))
refused("slice_scatter of another size", lambda: torch.slice_scatter(x, torch.zeros(2, 2), 1, 0, 4, 2))
refused("diagonal_scatter of another size", lambda: torch.diagonal_scatter(x, torch.zeros(2)))
refused("as_strided_scatter of another size", lambda: torch.as_strided_scatter(x, torch.zeros(3), (2, 2), (4, 2), 1))
slopes("select_scatter", lambda a, b: torch.select_scatter(a, b, 0, 1), x[:2, :2], v[1:3])
slopes("slice_scatter", lambda a, b: torch.slice_scatter(a, b, 1, 1), x[:2, :3], x[:2, 1:3])
slopes("diagonal_scatter", lambda a, b: torch.diagonal_scatter(a, b), x[:2, :2], v[1:3])
slopes("of itself", lambda a: torch.select_scatter(a, a[0] * a[1], 0, 1), x[:2, 1:3])
w = x.clone().requires_grad_()
print(torch.select_scatter(w, v[:4], 0, 1).grad_fn.name(), torch.slice_scatter(w, x, 0).grad_fn.name(), w.diagonal_scatter(v[:3]).grad_fn.name())

for name, args in {
    "alias_copy": (), "as_strided_copy": ((2, 2), (1, 2)), "detach_copy": (), "diagonal_copy": (1,), "expand_copy": ((2, 3, 4),),
    "narrow_copy": (0, 1, 2), "permute_copy": ((1, 0),), "select_copy": (1, 2), "slice_copy": (1, 0, 3, 2), "split_copy": (2,),
    "split_with_sizes_copy": ([1, 2],), "squeeze_copy": (), "t_copy": (), "transpose_copy": (0, 1), "unbind_copy": (),
    "unfold_copy": (1, 2, 1), "unsqueeze_copy": (0,), "view_copy": ((2, 6),),
}.items():
    copy = getattr(torch, name)(x, *args)
    copies = copy if isinstance(copy, tuple) else (copy,)
    print(name, [tuple(c.shape) for c in copies], [c.is_contiguous() for c in copies], copies[-1].flatten().tolist(), copies[0].data_ptr() == x.data_ptr())
    if name != "detach_copy":
        made = getattr(torch, name)(w, *args)
        print(made.grad_fn.name() if name not in ("split_copy", "split_with_sizes_copy", "unbind_copy") else len(made))
print(torch.squeeze_copy(x[None], 0).shape, torch.view_copy(x, torch.int32).dtype, torch.narrow_copy(x, 0, 1, 2, out=torch.empty(0)).shape, x.narrow_copy(1, 0, 1))
kind("narrow_copy beyond the end", lambda: torch.narrow_copy(x, 0, 1, 5))
slopes("permute_copy", lambda a: torch.permute_copy(a, (1, 0)), x[:2, 1:3])
slopes("unfold_copy", lambda a: torch.unfold_copy(a, 0, 2, 1), v[1:4])
print(torch.slice_inverse(x[1:], x, 0, 1).shape)

print(torch.atleast_1d(torch.tensor(1.0)), torch.atleast_1d(torch.tensor(1.0), torch.tensor([2.0])), torch.atleast_2d([torch.tensor(1.0), v]))
print(torch.atleast_3d(torch.tensor(1.0)).shape, torch.atleast_3d(v).shape, torch.atleast_3d(x).shape, torch.atleast_1d())
kind("atleast_1d of a number", lambda: torch.atleast_1d(3))
slopes("atleast_2d", lambda a: torch.atleast_2d(a), v[1:3])
i = torch.tensor([1, 2, 3])
print(torch.combinations(i), torch.combinations(i, 3), torch.combinations(i, with_replacement=True), torch.combinations(i, 1), torch.combinations(i[:2], 3), torch.combinations(i, 0))
refused("combinations of a matrix", lambda: torch.combinations(x))
refused("combinations of fewer than none", lambda: torch.combinations(i, -1))
slopes("combinations", torch.combinations, v[1:4])
print(torch.constant_pad_nd(x, (1, 1)), torch.constant_pad_nd(x, (1, -1, 0, 1), 7))
refused("an odd pad", lambda: torch.constant_pad_nd(x, (1,)))
slopes("constant_pad_nd", lambda a: torch.constant_pad_nd(a, (1, 0), 2.0), v[1:3])
