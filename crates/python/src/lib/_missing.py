"""What to say of a name that glowgrad has not: what does the same job, else the name that was meant, else where to look.

Asked once an exception has reached the end of the learner's code. Nothing of the learner's own runs for it.
"""

import sys

import glowgrad as torch
from glowgrad import autograd, datasets, lab, linalg, nn, optim, utils
from glowgrad.nn import functional as F
from glowgrad.nn import init

PLACES = {
    "torch": torch, "nn": nn, "F": F, "nn.init": init, "nn.utils": nn.utils, "optim": optim,
    "utils": utils,
    "autograd": autograd, "linalg": linalg, "lab": lab, "datasets": datasets,
}

# Modules that are loaded when they are first asked for, and not for a name that is missing, with what they have.
LATER = {"optim.lr_scheduler": optim._SCHEDULES, "utils.data": utils._DATA}

_STEP = "`lab.train(step, batches)` captures a training step and runs it again without Python"
_REAL = "dtypes are real; keep the real and the imaginary part in two tensors"
_INT8 = "int8 tensors are here (`torch.int8`), quantized layers are not"
_DENSE = "tensors are dense; `torch.where` and `x.masked_fill` leave elements out"
_CLIP = "`torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)`"

# Well-known names of PyTorch and NumPy, with what does the same job. A test holds that none of them is here by now, and
# that what they point to is.
INSTEAD = {
    "torch": {
        "fx": _STEP,
        "hub": "the lab fetches no models; define the module, and train it",
        "fft": "a product with a matrix of `torch.cos` and `torch.sin` is a Fourier transform of small sizes",
        "stft": "a product with a matrix of `torch.cos` and `torch.sin` is a Fourier transform of small sizes",
        "sparse": _DENSE, "sparse_coo_tensor": _DENSE, "sparse_csr_tensor": _DENSE,
        "complex64": _REAL, "complex128": _REAL, "cfloat": _REAL, "complex": _REAL, "polar": _REAL,
        "view_as_real": _REAL, "view_as_complex": _REAL,
        "quantization": _INT8, "ao": _INT8,
        "Variable": "a tensor is one: `torch.tensor(data, requires_grad=True)`",
        "array": "`torch.tensor(data)` makes one of numbers or lists",
        "expand_dims": "`torch.unsqueeze(x, dim)`", "power": "`torch.pow(x, exponent)`, or `x ** exponent`",
        "plot": "`lab.plot(loss=loss)`",
    },
    "nn": {
        "quantized": _INT8, "quantizable": _INT8, "qat": _INT8, "intrinsic": _INT8,
        "ModuleError": "`nn.Module`",
    },
    "F": {
        "cdist": "`torch.linalg.vector_norm(a[:, None] - b, dim=-1)`",
    },
    "utils": {
        "clip_grad_norm_": _CLIP,
        "benchmark": "the Kernels view shows what ran and how long", "model_zoo": "the lab fetches no models; train the module",
        "cpp_extension": "write it in ops, which are compiled into kernels together",
    },
    "Tensor": {
        "astype": "`x.to(dtype)`, such as `x.to(torch.float32)`", "copy": "`x.clone()`", "append": "`torch.cat([x, y])` makes a longer one",
        "extend": "`torch.cat([x, y])` makes a longer one", "length": "`len(x)`, or `x.numel()`",
        "to_sparse": _DENSE, "expand_dims": "`x.unsqueeze(dim)`", "plot": "`lab.plot(loss=x)`, or `lab.image(x)`",
        "dtypes": "`x.dtype`", "zero_grad": "`x.grad = None`, or `optimizer.zero_grad()`", "step": "`optimizer.step()`",
        "parameters": "a module has them: `model.parameters()`", "array": "`x.numpy()`",
    },
    "Module": {
        "fit": _STEP, "predict": "call it: `model(x)`", "weights": "`model.parameters()`, or the layer's `weight`",
        "summary": "`print(model)`",
        "backward": "a loss has it: `loss.backward()`",
    },
    "Optimizer": {"clip_grad_norm_": _CLIP, "zero_grads": "`optimizer.zero_grad()`", "lr": "`optimizer.param_groups[0][\"lr\"]`"},
}


def instead(owner, name):
    """What to add to the message that `owner` has no `name`; None where it is no matter of glowgrad's."""
    place = _place(owner)
    if not isinstance(name, str) or name.startswith("__"):
        return None
    if place is None:
        return _no_tensor(owner) if name in _names(None, "Tensor") else None
    words = INSTEAD[place].get(name) if place in INSTEAD else None
    if words is not None:
        return f": glowgrad has no {_spelled(place, name)}; instead: {words}"
    near = _nearest(name, _names(owner, place))
    # `nn.relu` is `nn.ReLU`; a name with capitals of its own is first looked for elsewhere.
    if near is not None and near.lower() == name.lower() and name.islower():
        return f". Did you mean: {near!r}?"
    for other in (
        "torch", "nn", "F", "Tensor", "optim", "optim.lr_scheduler", "utils.data", "nn.utils", "nn.init", "linalg", "lab",
    ):
        if other != place and name in _names(None, other):
            where = f"tensors have it: x.{name}" if other == "Tensor" else f"it is {_spelled(other, name)}"
            return f": {where}"
    if near is not None:
        return f". Did you mean: {near!r}?"
    own = _registered(owner) if place == "Module" else []
    if own:
        return f": it has {', '.join(map(str, own[:12]))}"
    return f": glowgrad has no {_spelled(place, name)}; the reference lists what it has"


def _no_tensor(owner):
    """What to say of something that was taken for a tensor; None where nothing is known of it."""
    if owner is None:
        return (
            ": None is no tensor. A gradient is None before the first backward(), after zero_grad() and where "
            "requires_grad is False; a function without return gives None"
        )
    if isinstance(owner, (tuple, list)):
        kind = type(owner).__name__
        if any(isinstance(each, torch.Tensor) for each in owner):
            return f": a {kind} of {len(owner)} is no tensor; take one of them with an index, or torch.stack them"
        return f": a {kind} is no tensor; torch.tensor({kind}) makes one of numbers"
    if isinstance(owner, (int, float)):
        return ": a number of Python is no tensor, and the tape ends at .item(); torch.tensor(number) makes one"
    if callable(owner) and not isinstance(owner, type):
        return ": a function is no tensor; call it, with parentheses after its name"
    return None


def _place(owner):
    if isinstance(owner, str):
        for place in LATER:
            if owner in (place, f"glowgrad.{place}"):
                return place
        for place, module in PLACES.items():
            if owner in (module.__name__, place):
                return place
        return _other_module(owner)
    for place in LATER:
        if owner is sys.modules.get(f"glowgrad.{place}", LATER):
            return place
    for place, module in PLACES.items():
        if owner is module:
            return place
    if isinstance(owner, type(sys)):
        return _other_module(owner.__name__)
    for place, cls in (("Tensor", torch.Tensor), ("Module", nn.Module), ("Optimizer", optim.Optimizer)):
        kind = owner if isinstance(owner, type) else type(owner)
        if issubclass(kind, cls):
            return place
    return None


def _other_module(name):
    """A module of glowgrad's without words of its own: `cuda`, `nn.utils.rnn`."""
    parts = name.split(".")
    is_public = not any(part.startswith("_") for part in parts)
    return ".".join(parts[1:]) if parts[0] == "glowgrad" and name in sys.modules and is_public and parts[1:] else None


def _names(owner, place):
    if place == "Tensor":
        found = set(dir(torch.Tensor))
    elif place in ("Module", "Optimizer"):
        found = set(dir(nn.Module if place == "Module" else optim.Optimizer))
        found.update(_attributes(owner), _registered(owner))
    elif place in LATER:
        found = set(LATER[place])
    else:
        found = set(dir(PLACES.get(place) or sys.modules[f"glowgrad.{place}"]))
    return {each for each in found if isinstance(each, str) and not each.startswith("_")}


def _attributes(owner):
    try:
        return object.__getattribute__(owner, "__dict__")
    except AttributeError:
        return {}


def _registered(owner):
    """What a module found in its attributes."""
    registries = [_attributes(owner).get(each) for each in ("_modules", "_parameters", "_buffers")]
    return [name for registry in registries if isinstance(registry, dict) for name in registry]


def _spelled(place, name):
    if place in ("torch", "nn", "F", "optim", "lab"):
        return f"{place}.{name}"
    return f"{place}.{name}" if place in ("Tensor", "Module", "Optimizer") else f"torch.{place}.{name}"


def _nearest(name, names):
    """The name that is a slip away: the same letters in another case, or few letters wrong."""
    small, best, least = name.lower(), None, 1 + len(name) // 5
    for each in sorted(names):
        if abs(len(each) - len(name)) <= least:
            away = _distance(small, each.lower(), least)
            if away < least or away == least and best is None and len(name) > 2:
                best, least = each, away
    return best


def _distance(a, b, most):
    """Letters to add, drop, change or swap with their neighbour."""
    before, last = None, list(range(len(b) + 1))
    for i in range(1, len(a) + 1):
        row = [i]
        for j in range(1, len(b) + 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return last[-1]
