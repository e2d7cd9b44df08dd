"""Methods of tensors that resize, share and fill memory, and Python functions of elements."""
import warnings

import torch

warnings.simplefilter("ignore")
x, v, i = torch.arange(12.0).reshape(3, 4), torch.arange(5.0), torch.tensor([0, 2])


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


print(x.clone().resize_(2, 3), x.clone().resize_((2, 2)), x.clone().resize_(3, 5).shape, x.clone().resize_(torch.Size([4])), torch.resize_as_(torch.zeros(2), x).shape, x.clone().resize_as_(v))
grown = torch.tensor([1.0, 2.0])
print(grown.resize_(3)[:2], grown.shape, grown.resize_(1), grown.resize_(2))
kept = torch.arange(6.0)
view = kept[2:]
print(view.resize_(2, 2), kept.fill_(7).sum(), view)
refused("resize_ of a leaf", lambda: x.clone().requires_grad_().resize_(2, 2))
print(x.resize(4, 3).shape, x.resize_as(x.T).shape)
refused("resize to fewer", lambda: x.resize(2, 2))

target = torch.zeros(2)
print(target.set_(x) is target, target.data_ptr() == x.data_ptr(), torch.zeros(2).set_(x.untyped_storage(), 1, (2, 2), (3, 1)), torch.zeros(2).set_().shape, torch.zeros(2).set_(x.storage()).shape)
print(torch.zeros(2).set_(x, 2, (3,), (4,)), torch.zeros(2).set_(x.storage(), 0, torch.Size([2, 2])))
kind("set_ of another dtype", lambda: torch.zeros(2).set_(x.long()))
print(x.is_set_to(x), x.is_set_to(x.clone()), x.is_set_to(x[:]), x.is_set_to(x.T), x.is_same_size(x.T), x.const_data_ptr() == x.data_ptr())

print(v.clone().apply_(lambda a: a * 2), v.clone().map_(v + 1, lambda a, b: a * b), v.clone().map2_(v, v, lambda a, b, c: a + b + c), torch.tensor([1, 2]).apply_(lambda a: a ** 2), x.clone().T.apply_(lambda a: -a)[0])
refused("apply_ of a leaf", lambda: v.clone().requires_grad_().apply_(lambda a: a))
refused("map_ of another dtype", lambda: v.clone().map_(v.long(), lambda a, b: a))

print(x.sum_to_size(1, 4), x.sum_to_size((3, 1)), x.sum_to_size(4), x.sum_to_size(()), x.sum_to_size(3, 4).shape)
refused("sum_to_size of another size", lambda: x.sum_to_size(2))
leaf = x.clone().requires_grad_()
(leaf.sum_to_size(1, 4) ** 2).sum().backward()
print(leaf.grad)

print(torch.zeros(3, 3).fill_diagonal_(5), torch.zeros(7, 3).fill_diagonal_(5, wrap=True), torch.zeros(2, 2, 2).fill_diagonal_(1), torch.zeros(7, 3).fill_diagonal_(5), torch.zeros(2, 4).fill_diagonal_(2), torch.zeros(4, 2).fill_diagonal_(2, wrap=True))
refused("fill_diagonal_ of a row", lambda: torch.zeros(3).fill_diagonal_(5))
refused("fill_diagonal_ of a box", lambda: torch.zeros(2, 2, 3).fill_diagonal_(5))
leaf = torch.ones(2, 2, requires_grad=True)
((leaf * 3).fill_diagonal_(0) * 2).sum().backward()
print(leaf.grad)

y = torch.tensor([0.25, 0.5])
for name in ("absolute_", "arccos_", "arcsin_", "arcsinh_", "arctan_", "arctanh_", "negative_", "fix_"):
    print(name, [round(n, 4) for n in getattr(y.clone(), name)().tolist()])
print((y + 1).arccosh_(), y.clone().arctan2_(y + 1), y.clone().multiply_(2), y.clone().subtract_(1, alpha=2), y.clone().divide_(2, rounding_mode="floor"), y.clone().true_divide_(2))
print(y.clone().less_(0.3), y.clone().less_equal_(0.25), y.clone().greater_(0.3), y.clone().greater_equal_(0.5), y.clone().not_equal_(0.5), x.clone().swapdims_(0, 1).shape)
twins = (
    "abs_ acos_ arccos_ arcsin_ arcsinh_ arctan_ arctanh_ asin_ asinh_ atan_ atanh_ ceil_ cos_ cosh_ deg2rad_ erf_ erfc_ exp2_ exp_ expm1_ fix_ floor_ frac_ log10_ "
    "log1p_ log2_ log_ logit_ nan_to_num_ neg_ negative_ rad2deg_ reciprocal_ relu_ round_ rsqrt_ sigmoid_ sin_ sinc_ sinh_ sqrt_ square_ tan_ tanh_ trunc_ zero_ detach_"
).split()
for name in twins:
    written = y.clone()
    print(name, getattr(torch, name)(written) is written, [round(n, 4) for n in written.tolist()])
print(torch.acosh_(y + 1), torch.arccosh_(y + 1), torch.addmv_(y.clone(), torch.eye(2), y), torch.clamp_(y.clone(), 0.3), torch.clip_(y.clone(), max=0.3), torch.clamp_min_(y.clone(), 0.3), torch.clamp_max_(y.clone(), 0.3))
print(torch.fill_(y.clone(), 2), torch.index_put_(y.clone(), (torch.tensor([1]),), torch.tensor(9.0)), torch.xlogy_(y.clone(), 2), torch.as_strided_(x.clone(), (2,), (3,)), torch.resize_as_(y.clone(), y[:1]))
refused("exp_ of a leaf", lambda: torch.exp_(y.clone().requires_grad_()))
refused("exp_ of a list", lambda: torch.exp_([1.0]))
leaf = y.clone().requires_grad_()
torch.exp_(leaf * 2).sum().backward()
print(leaf.grad)
leaf = y.clone().requires_grad_()
torch.sinc_(leaf * 2).sum().backward()
print(leaf.grad)
