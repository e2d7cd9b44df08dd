# torch.func.rearrange: patterns, gradients, wrong patterns.
import torch
from torch.func import rearrange

x = torch.arange(24.0).reshape(2, 3, 4)
for pattern, sizes in (
    ("a b c -> c a b", {}),
    ("a b c -> a (b c)", {}),
    ("a (b1 b2) c -> a b1 b2 c", {"b2": 3}),
    ("... c -> c ...", {}),
    ("a b c -> (a b) c", {}),
    ("a b c -> a b c 1", {}),
    ("a b c -> b (c a)", {}),
    ("a b (x y) -> (a x) b y", {"x": 2}),
    ("a ... -> a (...)", {}),
    ("a b c -> (a b c)", {}),
    ("... -> ...", {}),
):
    print(pattern, tuple(rearrange(x, pattern, **sizes).shape), rearrange(x, pattern, **sizes).flatten()[:7].tolist())
print(rearrange([x, x], "l a b c -> a l b c").shape)
y = torch.arange(4.0, requires_grad=True)
(rearrange(y[:, None], "(a b) c -> b (a c)", a=2) * torch.tensor([[1.0, 2], [3, 4]])).sum().backward()
print(y.grad)
for pattern, sizes in (
    ("a b -> b a", {}),
    ("a b c -> a b", {}),
    ("a b c -> a b c c", {}),
    ("a b c", {}),
    ("a b c -> a b c", {"z": 2}),
    ("a b c -> a ((b) c)", {}),
    ("a b c -> a (b c", {}),
    ("a ... b c d -> a ... b c d", {}),
):
    try:
        print(rearrange(x, pattern, **sizes).shape)
    except Exception as error:
        print(pattern, type(error).__name__, error)
print(torch.func.debug_unwrap(x) is x)
with torch.autograd.enforce_grad_layout_policy(False):
    print("inside")
