# What Python's side of glowgrad holds: every public name with its signature and the docstring of its definition, as
# one line of JSON. `glow reference` runs this as a cell. Names that are ops of the registry come without a signature:
# the registry has it. A docstring is a sentence, perhaps more of them, and lines of an example after `>>>`.
import json
import sys

import glowgrad as torch
import glowgrad.nn.functional as F
from glowgrad import lab, nn, optim

# `Tensor` in `_tensor.py` calls itself `torch`, as in PyTorch.
OWN = ("glowgrad", "torch")
# What wraps a function, and the arguments that it adds.
WRAPPERS = {"placed": ("device=None",), "made": ("out=None", "device=None"), "into": ("out=None",)}


def unwrapped(function):
    """The function that a decorator of ours wrapped, and the arguments that the wrappers add."""
    added = []
    while getattr(function, "__closure__", None):
        code = function.__code__
        inside = {name: cell.cell_contents for name, cell in zip(code.co_freevars, function.__closure__)}
        inner = next((inside[name] for name in ("make", "function", "method") if name in inside), None)
        if inner is None:
            break
        added += [each for each in WRAPPERS.get(code.co_name, ()) if each not in added]
        function = inner
    return function, added


def shown(value):
    text = repr(value)
    if text.startswith("<") or callable(value) and not isinstance(value, type):
        return getattr(value, "__name__", "…")
    return text


def signature(function, is_bound):
    """`(input, dim=None, *, out=None)`; none of a native function."""
    function, added = unwrapped(function)
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    names = list(code.co_varnames)
    n, n_named = code.co_argcount, code.co_kwonlyargcount
    defaults = function.__defaults__ or ()
    first_default = n - len(defaults)
    parts = [
        names[i] if i < first_default else f"{names[i]}={shown(defaults[i - first_default])}"
        for i in range(n)
    ]
    at = n + n_named
    if code.co_flags & 4:
        parts.append("*" + names[at])
        at += 1
    elif n_named:
        parts.append("*")
    for name in names[n:n + n_named]:
        named = function.__kwdefaults__ or {}
        parts.append(f"{name}={shown(named[name])}" if name in named else name)
    known = {part.split("=")[0] for part in parts}
    added = [each for each in added if each.split("=")[0] not in known]
    if added and "*" not in parts and not code.co_flags & 4:
        parts.append("*")
    parts += added
    if code.co_flags & 8 and names[at] != "ignored":
        parts.append("**" + names[at])
    parts = [part for part in parts if part == "*" or not part.startswith("_")]
    return f"({', '.join(parts[1:] if is_bound else parts)})"


def signature_of_class(cls):
    options = getattr(cls, "_options", None)
    if isinstance(options, (tuple, list)):
        parts = [f"{name}={default!r}" for name, default in options]
        return f"({', '.join(parts + ['inplace=False'])})"
    for base in cls.__mro__:
        if "__init__" in base.__dict__ and base is not object:
            return signature(base.__dict__["__init__"], True)
        if "__new__" in base.__dict__ and base is not object:
            return signature(base.__new__, True)
    return "()"


# Names that Rust defines, with what a docstring would say.
NATIVE = {
    "torch.dtype": ("", "The type of a tensor's elements, such as `torch.float32`. >>> torch.ones(1).dtype"),
    "torch.Generator": (
        "(device=None)",
        "Random numbers of your own, with a seed of their own. >>> torch.Generator().manual_seed(1).initial_seed()",
    ),
    "torch.get_rng_state": (
        "()",
        "The state of the random numbers, to be given back to `set_rng_state`.\n"
        ">>> state = torch.get_rng_state()\n>>> a = torch.rand(2)\n>>> torch.set_rng_state(state)\n"
        ">>> torch.equal(a, torch.rand(2))",
    ),
    "torch.set_rng_state": (
        "(new_state)",
        "Puts the random numbers back where `get_rng_state` found them. >>> torch.set_rng_state(torch.get_rng_state())",
    ),
    "torch.initial_seed": ("()", "The seed of the random numbers. >>> torch.manual_seed(3).initial_seed()"),
    "torch.set_printoptions": (
        "(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None)",
        "Says how tensors are printed. >>> torch.set_printoptions(profile='default')",
    ),
    "torch.is_grad_enabled": ("()", "Whether results join the tape. >>> torch.is_grad_enabled()"),
    "Tensor.requires_grad": ("", "Whether gradients are collected for it. >>> torch.ones(1).requires_grad"),
    "Tensor.is_leaf": ("", "Whether no op with a gradient made it. >>> torch.ones(1, requires_grad=True).is_leaf"),
    "Tensor.dtype": ("", "The type of its elements. >>> torch.tensor([1, 2]).dtype"),
    "Tensor.shape": ("", "The size of each dimension. >>> torch.ones(2, 3).shape"),
    "Tensor.grad": (
        "", "The gradient that `backward()` collected here.\n>>> x = torch.ones(2, requires_grad=True)\n"
        ">>> (3 * x).sum().backward()\n>>> x.grad",
    ),
    "Tensor.data": ("", "The same numbers off the tape. >>> torch.ones(1, requires_grad=True).data"),
    "Tensor.retains_grad": ("", "Whether it keeps its gradient although it is no leaf. >>> torch.ones(1).retains_grad"),
    "Tensor.ndim": ("", "How many dimensions it has. >>> torch.ones(2, 3).ndim"),
    "Tensor.grad_fn": ("", "The rule that sends its gradient back. >>> torch.ones(1, requires_grad=True).tanh().grad_fn"),
    "Tensor.numel": ("()", "How many elements it has. >>> torch.ones(2, 3).numel()"),
    "Tensor.is_inference": ("()", "Whether `inference_mode` made it. >>> torch.ones(1).is_inference()"),
    "Tensor.backward": (
        "(gradient=None, retain_graph=None, create_graph=False, inputs=None)",
        "Walks back along the tape and adds to the `.grad` of every leaf.\n"
        ">>> x = torch.tensor([2.0], requires_grad=True)\n>>> (x ** 2).sum().backward()\n>>> x.grad",
    ),
    "Tensor.retain_grad": (
        "()", "Keeps its gradient in `.grad`, although it is no leaf.\n>>> x = torch.ones(1, requires_grad=True)\n"
        ">>> y = x * 2\n>>> y.retain_grad()\n>>> y.sum().backward()\n>>> y.grad",
    ),
    "Tensor.item": ("()", "The number in a tensor of one element. >>> torch.tensor([1.5]).item()"),
    "Tensor.tolist": ("()", "The numbers as lists of lists. >>> torch.tensor([[1, 2], [3, 4]]).tolist()"),
    "Tensor.realize": ("()", "Computes its value now instead of when it is asked for. >>> (torch.ones(2) + 1).realize()"),
    "Tensor.is_contiguous": (
        "()", "Whether its elements lie row by row without gaps. >>> torch.ones(2, 3).T.is_contiguous()",
    ),
    "Tensor.storage_offset": ("()", "Where in its memory it begins, in elements. >>> torch.arange(5)[2:].storage_offset()"),
    "Tensor.data_ptr": (
        "()", "Equal for tensors that share their memory from the same element on.\n"
        ">>> x = torch.ones(2, 3)\n>>> x.data_ptr() == x.T.data_ptr()",
    ),
    "Tensor.copy_": ("(src)", "Writes the elements of another tensor. >>> torch.zeros(2).copy_(torch.tensor([1.0, 2.0]))"),
    "Tensor.as_subclass": ("(cls)", "The tensor as one of a subclass. >>> torch.ones(1).as_subclass(torch.Tensor)"),
}
# What `torch` holds that is no part of its face.
HIDDEN = ("Node", "CapturedStep", "FloatTensor", "default_generator", "strided", "layout", "training")


def entry(name, value, module, is_method=False):
    """What there is to say of a name; None of what is not for learners."""
    native = None
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    inner, _ = unwrapped(value)
    if isinstance(value, type):
        kind, text = "class", signature_of_class(value)
        doc = value.__dict__.get("__doc__")
    elif isinstance(value, property) or type(value).__name__ == "getset_descriptor":
        kind, text, doc = "property", "", value.__doc__
    elif callable(value) and hasattr(inner, "__name__"):
        kind, text, doc = "function", signature(value, is_method), inner.__doc__
        native = inner.__name__ if text is None else None
    else:
        kind, text, doc = "value", "", ""
    text, doc = NATIVE.get(f"{module}.{name}", (text, doc))
    source = getattr(value, "__module__", None)
    return {
        "name": name, "places": [module], "kind": kind, "signature": text, "doc": doc or "", "native": native,
        "source": source if isinstance(source, str) else "",
    }


def public(namespace):
    """The names in their order in the source; those that Rust defines have none and come first, sorted."""
    names = [name for name in namespace if not name.startswith("_") and name not in HIDDEN]
    return sorted(names, key=lambda name: ("", name) if is_native(namespace[name]) else ("later", ""))


def is_native(value):
    if isinstance(value, type):
        return not any(hasattr(each, "__code__") for each in value.__dict__.values())
    if isinstance(value, (property, staticmethod, classmethod)):
        return False
    return not hasattr(value, "__code__")


def module_names(module, name):
    """Its functions and classes, without what it imports for itself."""
    # Names that are loaded when they are first asked for come after those that are there.
    namespace = dict(module.__dict__)
    for each in sorted(dir(module)):
        if each not in namespace:
            namespace[each] = getattr(module, each)
    for each in public(namespace):
        value = namespace[each]
        home = getattr(value, "__module__", None)
        if type(value).__name__ == "module":
            continue
        if name not in ("torch", "autograd") and isinstance(home, str):
            own = home.startswith((module.__name__, module.__name__.replace("glowgrad", "torch")))
            if not own and each not in getattr(module, "__all__", ()) and name != "F":
                continue
        if home == "typing" or each in ("wraps", "TensorBase"):
            continue
        yield each, value, entry(each, value, name)


def class_names(cls, name):
    """Its methods and properties, in the order of the source, those of its bases last."""
    seen = set()
    # Methods that are loaded when they are first asked for.
    for each in dir(cls):
        getattr(cls, each)
    for base in cls.__mro__[:-1]:
        for each in public(base.__dict__):
            if each not in seen:
                seen.add(each)
                yield each, base.__dict__[each], entry(each, base.__dict__[each], name, True)


def all_names():
    found, by_value = [], {}
    for name, module in MODULES.items():
        for each, value, said in module_names(module, name):
            # The same thing under the same name in two modules is said once.
            key = (each, id(value))
            if key in by_value:
                by_value[key]["places"].append(name)
                continue
            by_value[key] = said
            found.append(said)
    for name, cls in CLASSES.items():
        found += [said for _, _, said in class_names(cls, name)]
    return found


def imported(name):
    __import__("glowgrad." + name)
    return sys.modules["glowgrad." + name]


MODULES = {"torch": torch, "F": F, "nn": nn}
MODULES.update((name, imported(name)) for name in (
    "nn.init", "nn.utils", "nn.utils.rnn", "nn.utils.parametrize", "nn.utils.parametrizations", "nn.utils.prune", "optim",
    "optim.lr_scheduler", "optim.swa_utils", "utils.data", "utils.checkpoint", "utils.tensorboard", "autograd", "autograd.functional",
    "func", "linalg", "distributions", "amp", "random", "lab", "datasets", "models", "text",
))
CLASSES = {"Tensor": torch.Tensor, "Module": nn.Module, "Optimizer": optim.Optimizer}

print(json.dumps(all_names()))
