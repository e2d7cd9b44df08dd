"""Modules: layers that hold their parameters, as in torch.nn.

Plain Python over the engine's ops, so that you can read what a layer is: a place for parameters
and a `forward`.
"""

from collections import OrderedDict

import _glowgrad as _C
from . import functional as F
from . import functional, init


class Parameter(_C.Tensor):
    """A tensor that a module registers and an optimiser trains."""

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = _C.empty(0)
        return _C.make_subclass(cls, data, requires_grad)

    def __repr__(self):
        return "Parameter containing:\n" + super().__repr__()


class Module:
    """The base of every layer and model. Subclass it, make parts in `__init__`, write `forward`."""

    def __init__(self):
        object.__setattr__(self, "_parameters", OrderedDict())
        object.__setattr__(self, "_buffers", OrderedDict())
        object.__setattr__(self, "_modules", OrderedDict())
        object.__setattr__(self, "training", True)
        object.__setattr__(self, "_scope", "")

    def forward(self, *args, **kwargs):
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args, **kwargs):
        _C.push_scope(self._scope)
        try:
            return self.forward(*args, **kwargs)
        finally:
            _C.pop_scope()

    def __setattr__(self, name, value):
        parameters = self.__dict__.get("_parameters")
        if isinstance(value, (Parameter, Module)) and parameters is None:
            raise AttributeError(
                f"cannot assign {'parameters' if isinstance(value, Parameter) else 'module'} before Module.__init__() call: "
                "write super().__init__() first"
            )
        if isinstance(value, Parameter):
            self._forget(name)
            parameters[name] = value
        elif isinstance(value, Module):
            self._forget(name)
            self._modules[name] = value
            value._set_scope(f"{self._scope}.{name}" if self._scope else name)
        elif parameters is not None and name in parameters:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{type(value).__name__}' as parameter '{name}' (torch.nn.Parameter or None expected)"
                )
            parameters[name] = None
        elif parameters is not None and name in self._buffers:
            self._buffers[name] = value
        else:
            object.__setattr__(self, name, value)

    def __getattr__(self, name):
        for store in ("_parameters", "_buffers", "_modules"):
            held = self.__dict__.get(store)
            if held is not None and name in held:
                return held[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name):
        for held in (self._parameters, self._buffers, self._modules):
            if name in held:
                del held[name]
                return
        object.__delattr__(self, name)

    def _forget(self, name):
        self.__dict__.pop(name, None)
        for held in (self._parameters, self._buffers, self._modules):
            held.pop(name, None)

    def _set_scope(self, scope):
        object.__setattr__(self, "_scope", scope)
        for name, child in self._modules.items():
            if child is not None:
                child._set_scope(f"{scope}.{name}")

    def register_parameter(self, name, parameter):
        self._parameters[name] = parameter

    def register_buffer(self, name, tensor):
        self._buffers[name] = tensor

    def add_module(self, name, module):
        self._modules[name] = module
        if module is not None:
            module._set_scope(f"{self._scope}.{name}" if self._scope else name)

    def named_modules(self, prefix=""):
        yield prefix, self
        for name, child in self._modules.items():
            if child is not None:
                yield from child.named_modules(f"{prefix}.{name}" if prefix else name)

    def modules(self):
        for _, module in self.named_modules():
            yield module

    def named_children(self):
        for name, child in self._modules.items():
            if child is not None:
                yield name, child

    def children(self):
        for _, child in self.named_children():
            yield child

    def named_parameters(self, prefix="", recurse=True):
        seen = set()
        modules = self.named_modules(prefix) if recurse else [(prefix, self)]
        for path, module in modules:
            for name, parameter in module._parameters.items():
                if parameter is not None and id(parameter) not in seen:
                    seen.add(id(parameter))
                    yield (f"{path}.{name}" if path else name), parameter

    def parameters(self, recurse=True):
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(self, prefix=""):
        for path, module in self.named_modules(prefix):
            for name, tensor in module._buffers.items():
                if tensor is not None:
                    yield (f"{path}.{name}" if path else name), tensor

    def buffers(self):
        for _, tensor in self.named_buffers():
            yield tensor

    def state_dict(self):
        state = OrderedDict()
        for name, parameter in self.named_parameters():
            state[name] = parameter.detach()
        for name, tensor in self.named_buffers():
            state[name] = tensor
        return state

    def load_state_dict(self, state_dict, strict=True):
        own = OrderedDict(self.named_parameters())
        own.update(self.named_buffers())
        missing = [name for name in own if name not in state_dict]
        unexpected = [name for name in state_dict if name not in own]
        if strict and (missing or unexpected):
            raise RuntimeError(
                f"Error(s) in loading state_dict for {type(self).__name__}: missing keys {missing}, unexpected keys {unexpected}"
            )
        grad = _C.set_grad_enabled(False)
        try:
            for name, held in own.items():
                if name in state_dict:
                    if tuple(held.shape) != tuple(state_dict[name].shape):
                        raise RuntimeError(
                            f"size mismatch for {name}: copying a param with shape {tuple(state_dict[name].shape)}, "
                            f"the shape in current model is {tuple(held.shape)}"
                        )
                    held.copy_(state_dict[name])
        finally:
            _C.set_grad_enabled(grad)

    def train(self, mode=True):
        for module in self.modules():
            object.__setattr__(module, "training", mode)
        return self

    def eval(self):
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        for parameter in self.parameters():
            if set_to_none:
                parameter.grad = None
            elif parameter.grad is not None:
                parameter.grad.zero_()

    def apply(self, fn):
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    def to(self, *args, **kwargs):
        return self

    def extra_repr(self):
        return ""

    def __repr__(self):
        lines = []
        for name, child in self._modules.items():
            text = repr(child).split("\n")
            lines.append(f"({name}): " + "\n".join([text[0]] + ["  " + line for line in text[1:]]))
        extra = self.extra_repr()
        if not lines:
            return f"{type(self).__name__}({extra})"
        body = "\n".join("  " + line.replace("\n", "\n") for line in lines)
        return f"{type(self).__name__}({extra}\n{body}\n)"


class Linear(Module):
    """y = x Wᵀ + b, with PyTorch's initialisation: uniform within ±1/√in_features."""

    def __init__(self, in_features, out_features, bias=True, dtype=None):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(_C.empty(out_features, in_features, dtype=dtype))
        if bias:
            self.bias = Parameter(_C.empty(out_features, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        init.kaiming_uniform_(self.weight, a=5**0.5)
        if self.bias is not None:
            bound = 1 / self.in_features**0.5 if self.in_features > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input):
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Sequential(Module):
    """Modules one after another."""

    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for index, module in enumerate(args):
                if not isinstance(module, Module):
                    raise TypeError(f"{type(module).__name__} is not a Module subclass")
                self.add_module(str(index), module)

    def forward(self, input):
        for module in self._modules.values():
            input = module(input)
        return input

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __getitem__(self, index):
        modules = list(self._modules.values())
        if isinstance(index, slice):
            return Sequential(*modules[index])
        return modules[index]

    def append(self, module):
        self.add_module(str(len(self)), module)
        return self


class ModuleList(Module):
    """A list of modules that registers them."""

    def __init__(self, modules=()):
        super().__init__()
        for module in modules:
            self.append(module)

    def append(self, module):
        self.add_module(str(len(self)), module)
        return self

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __getitem__(self, index):
        return list(self._modules.values())[index]


class Flatten(Module):
    """Everything after the batch as one dimension."""

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input):
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self):
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Identity(Module):
    """Its input."""

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input


def _activation(name, function, doc):
    def forward(self, input):
        return function(input)

    return type(name, (Module,), {"forward": forward, "__doc__": doc, "__module__": __name__})


ReLU = _activation("ReLU", F.relu, "Zero below zero.")
Tanh = _activation("Tanh", F.tanh, "Into −1 … 1.")
Sigmoid = _activation("Sigmoid", F.sigmoid, "Into 0 … 1.")
SiLU = _activation("SiLU", F.silu, "x · σ(x).")
GELU = _activation("GELU", F.gelu, "x · Φ(x).")


class Softmax(Module):
    """Exponentials that sum to 1 along a dimension."""

    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return F.softmax(input, dim=self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"


class _Loss(Module):
    def __init__(self, reduction="mean"):
        super().__init__()
        self.reduction = reduction


class CrossEntropyLoss(_Loss):
    """Cross-entropy of scores and class numbers."""

    def forward(self, input, target):
        return F.cross_entropy(input, target, reduction=self.reduction)


class NLLLoss(_Loss):
    """Negative log-likelihood of log-probabilities and class numbers."""

    def forward(self, input, target):
        return F.nll_loss(input, target, reduction=self.reduction)


class MSELoss(_Loss):
    """Mean squared difference."""

    def forward(self, input, target):
        return F.mse_loss(input, target, reduction=self.reduction)


class L1Loss(_Loss):
    """Mean absolute difference."""

    def forward(self, input, target):
        return F.l1_loss(input, target, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """Cross-entropy of yes-or-no targets, from numbers before the sigmoid."""

    def forward(self, input, target):
        return F.binary_cross_entropy_with_logits(input, target, reduction=self.reduction)
