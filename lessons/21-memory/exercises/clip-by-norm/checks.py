import glowgrad as torch
import glowgrad.nn as nn


def parameter(grad):
    """A parameter with this gradient; `None` for none."""
    made = nn.Parameter(torch.zeros_like(torch.tensor(grad or [0.0])))
    made.grad = None if grad is None else torch.tensor(grad)
    return made


def number(norm):
    return float(norm)


def check_long():
    """A gradient that is too long gets max_norm as its norm, and keeps its direction."""
    p = parameter([3.0, 4.0])
    clip([p], 1.0)
    expect(p.grad, torch.tensor([0.6, 0.8]), given="grad = [3, 4], max_norm = 1", tol=1e-5)


def check_norm_before():
    """It returns the norm from before."""
    p = parameter([3.0, -4.0])
    expect(number(clip([p], 1.0)), 5.0, given="grad = [3, -4], max_norm = 1: what is returned", tol=1e-5)


def check_short():
    """A gradient that is short enough is left as it is."""
    p = parameter([3.0, 4.0])
    got = number(clip([p], 10.0))
    expect(p.grad, torch.tensor([3.0, 4.0]), given="grad = [3, 4], max_norm = 10")
    expect(got, 5.0, given="grad = [3, 4], max_norm = 10: what is returned", tol=1e-5)


def check_one_norm_for_all():
    """One norm is taken of all parameters together."""
    p, q = parameter([3.0]), parameter([4.0])
    got = number(clip([p, q], 1.0))
    expect([p.grad.item(), q.grad.item()], [0.6, 0.8], given="two parameters, grads = [3] and [4], max_norm = 1", tol=1e-5)
    expect(got, 5.0, given="two parameters, grads = [3] and [4], max_norm = 1: what is returned", tol=1e-5)


def check_without_gradient():
    """A parameter without a gradient is left out."""
    p, q = parameter([3.0, 4.0]), parameter(None)
    clip([q, p], 1.0)
    expect(p.grad, torch.tensor([0.6, 0.8]), given="two parameters, grads = None and [3, 4], max_norm = 1", tol=1e-5)
    expect(q.grad is None, True, given="the same: whether the first one still has no gradient")


def check_in_place():
    """The gradient is changed in place: another name for the same tensor sees it."""
    p = parameter([3.0, 4.0])
    held = p.grad
    clip([p], 1.0)
    expect(held, torch.tensor([0.6, 0.8]), given="held = p.grad = [3, 4], max_norm = 1: held afterwards", tol=1e-5)


def check_generator():
    """`model.parameters()` can be gone through only once, and that is enough."""
    p = parameter([3.0, 4.0])
    clip((each for each in [p]), 1.0)
    expect(p.grad, torch.tensor([0.6, 0.8]), given="parameters = a generator, grad = [3, 4], max_norm = 1", tol=1e-5)


def check_pytorch():
    """It is nn.utils.clip_grad_norm_, on a network."""
    torch.manual_seed(0)
    layer = nn.LSTM(3, 4)
    states, _ = layer(torch.randn(6, 2, 3))
    states.square().sum().backward()
    before = [p.grad.clone() for p in layer.parameters()]
    want = nn.utils.clip_grad_norm_(layer.parameters(), 0.1)
    clipped = [p.grad.clone() for p in layer.parameters()]
    for p, grad in zip(layer.parameters(), before):
        p.grad = grad
    got = number(clip(layer.parameters(), 0.1))
    expect(got, want.item(), given="an LSTM, max_norm = 0.1: what is returned", tol=1e-4)
    expect([p.grad for p in layer.parameters()], clipped, given="an LSTM, max_norm = 0.1: all gradients", tol=1e-5)


def check_own_norm():
    """The norm is your own: no clip_grad_norm_."""
    expect("clip_grad_norm_" in clip.__code__.co_names, False, given="whether clip calls clip_grad_norm_")
