"""Weights with zeros that stay: a mask on a parameter, which is applied before each call."""

from abc import ABC, abstractmethod

import _glowgrad as _C

__all__ = (
    "BasePruningMethod", "PruningContainer", "Identity", "RandomUnstructured", "L1Unstructured",
    "RandomStructured", "LnStructured", "CustomFromMask", "identity", "random_unstructured",
    "l1_unstructured", "random_structured", "ln_structured", "global_unstructured",
    "custom_from_mask", "remove", "is_pruned",
)


class BasePruningMethod(ABC):
    """What makes masks: a subclass defines PRUNING_TYPE and `compute_mask`.

    >>> class Even(torch.nn.utils.prune.BasePruningMethod):
    >>>     PRUNING_TYPE = "unstructured"
    >>>     def compute_mask(self, t, default_mask):
    >>>         mask = default_mask.clone()
    >>>         mask.view(-1)[::2] = 0
    >>>         return mask
    >>>
    >>> layer = nn.Linear(4, 1)
    >>> method = Even.apply(layer, "weight")
    >>> layer.weight_mask
    """

    _tensor_name = None

    def __call__(self, module, inputs):
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t, default_mask):
        """The mask for a tensor: 0 where it is to be pruned.

        >>> method = torch.nn.utils.prune.L1Unstructured(amount=1)
        >>> method.compute_mask(torch.tensor([3.0, 1.0]), torch.ones(2))
        """

    def apply_mask(self, module):
        """The pruned tensor of a module.

        >>> layer = nn.Linear(2, 1)
        >>> method = torch.nn.utils.prune.L1Unstructured.apply(layer, "weight", 2)
        >>> method.apply_mask(layer)
        """
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        mask = getattr(module, f"{self._tensor_name}_mask")
        original = getattr(module, f"{self._tensor_name}_orig")
        return mask.to(dtype=original.dtype) * original

    @classmethod
    def apply(cls, module, name, *args, importance_scores=None, **kwargs):
        """Prunes a tensor of a module, from now on before each call.

        >>> layer = nn.Linear(2, 1)
        >>> method = torch.nn.utils.prune.L1Unstructured.apply(layer, "weight", 2)
        >>> list(layer.state_dict())
        """
        method = _after_others(module, name, cls(*args, **kwargs))
        original = getattr(module, name)
        scores = original if importance_scores is None else importance_scores
        if scores.shape != original.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, "
                f"got {scores.shape} vs {original.shape}"
            )
        is_first = not isinstance(method, PruningContainer)
        if is_first:
            module.register_parameter(f"{name}_orig", original)
            del module._parameters[name]
            mask = original.new_ones(original.shape)
        else:
            mask = getattr(module, f"{name}_mask").detach().clone()
        try:
            mask = method.compute_mask(scores, default_mask=mask)
            module.register_buffer(f"{name}_mask", mask)
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if is_first:
                module.register_parameter(name, getattr(module, f"{name}_orig"))
                del module._parameters[f"{name}_orig"]
            raise
        return method

    def prune(self, t, default_mask=None, importance_scores=None):
        """A tensor with what the mask leaves of it.

        >>> torch.nn.utils.prune.L1Unstructured(amount=1).prune(torch.tensor([3.0, 1.0]))
        """
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as tensor t, got {scores.shape} vs "
                f"{t.shape}"
            )
        mask = t.new_ones(t.shape) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default_mask=mask)

    def remove(self, module):
        """Makes the pruned tensor a parameter again.

        >>> layer = nn.Linear(2, 1)
        >>> method = torch.nn.utils.prune.L1Unstructured.apply(layer, "weight", 2)
        >>> method.remove(layer)
        >>> layer.weight
        """
        name = self._tensor_name
        if name is None:
            raise AssertionError(
                f"Module {module} has to be pruned before pruning can be removed"
            )
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters[f"{name}_orig"]
        original.data = weight.data
        del module._parameters[f"{name}_orig"], module._buffers[f"{name}_mask"]
        setattr(module, name, original)


def _hooks(module, name):
    """The hooks that prune a tensor of a module, with their numbers."""
    return [
        (number, hook) for number, hook in module._forward_pre_hooks.items()
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
    ]


def _after_others(module, name, method):
    """A method, or if the tensor is pruned by now, a container of both."""
    method._tensor_name = name
    known = _hooks(module, name)
    if len(known) > 1:
        raise AssertionError(
            f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. "
            "Use a PruningContainer."
        )
    for number, before in known:
        del module._forward_pre_hooks[number]
        container = before if isinstance(before, PruningContainer) else PruningContainer(before)
        container.add_pruning_method(method)
        return container
    return method


class PruningContainer(BasePruningMethod):
    """Methods one after another: each prunes what those before it left.

    >>> layer = torch.nn.utils.prune.l1_unstructured(nn.Linear(4, 1), "weight", amount=1)
    >>> layer = torch.nn.utils.prune.random_unstructured(layer, "weight", amount=1)
    >>> [type(hook).__name__ for hook in layer._forward_pre_hooks.values()], layer.weight_mask.sum()
    """

    def __init__(self, *args):
        self._pruning_methods = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method):
        """Adds a method at the end.

        >>> method = torch.nn.utils.prune.L1Unstructured(amount=1)
        >>> container = torch.nn.utils.prune.PruningContainer()
        >>> container.add_pruning_method(method)
        >>> len(container)
        """
        if method is not None and not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(
                "Can only add pruning methods acting on the parameter named "
                f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self):
        return len(self._pruning_methods)

    def __iter__(self):
        return iter(self._pruning_methods)

    def __getitem__(self, idx):
        return self._pruning_methods[idx]

    def compute_mask(self, t, default_mask):
        method, kind, n = self._pruning_methods[-1], self._pruning_methods[-1].PRUNING_TYPE, t.ndim
        if kind == "unstructured":
            left = default_mask == 1
        elif kind == "structured":
            if not hasattr(method, "dim"):
                raise AttributeError(
                    'Pruning methods of PRUNING_TYPE "structured" need to have the attribute '
                    "`dim` defined."
                )
            dim = method.dim + n if method.dim < 0 else method.dim
            if dim < 0:
                raise IndexError(f"Index is out of bounds for tensor with dimensions {n}")
            rest = [d for d in range(n) if d != dim]
            left = (slice(None),) * dim + (default_mask.sum(rest) != 0,)
        elif kind == "global":
            left = (slice(None),) * n
        else:
            raise ValueError(f"Unrecognized PRUNING_TYPE {kind}")
        mask = default_mask.to(t.dtype).clone()
        mask[left] = method.compute_mask(t[left], default_mask=default_mask[left]).to(mask.dtype)
        return mask


class Identity(BasePruningMethod):
    """Prunes nothing, and sets up the mask.

    >>> layer = nn.Linear(2, 1)
    >>> method = torch.nn.utils.prune.Identity.apply(layer, "weight")
    >>> layer.weight_mask
    """

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        return default_mask


class _Amount(BasePruningMethod):
    """A method that prunes a count, or a share, of what there is."""

    def __init__(self, amount):
        if not isinstance(amount, (int, float)):
            raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
        if amount < 0 or isinstance(amount, float) and amount > 1.0:
            raise ValueError(
                f"amount={amount} should either be a float in the range [0, 1] or a non-negative "
                "integer"
            )
        self.amount = amount

    def _count(self, size):
        n = self.amount if isinstance(self.amount, int) else round(self.amount * size)
        if n > size:
            raise ValueError(
                f"amount={n} should be smaller than the number of parameters to prune={size}"
            )
        return n

    def _size(self, t):
        """How many channels there are along dim."""
        if t.ndim <= 1:
            raise ValueError(
                "Structured pruning can only be applied to multidimensional tensors. Found tensor "
                f"of shape {t.shape} with {t.ndim} dims"
            )
        if self.dim >= t.ndim:
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        return t.shape[self.dim]

    def _channels(self, t, kept, default_mask):
        """The mask that keeps some channels along dim."""
        mask = t.detach().new_zeros(t.shape)
        mask[(slice(None),) * (self.dim % t.ndim) + (kept,)] = 1
        return mask * default_mask.to(mask.dtype)


class RandomUnstructured(_Amount):
    """Prunes elements at random.

    >>> torch.nn.utils.prune.RandomUnstructured(amount=2).prune(torch.ones(5)).sum()
    """

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        n = self._count(t.numel())
        mask = default_mask.clone()
        if n:
            odds = _C.rand(t.shape, t.dtype, False, None)
            mask.view(-1)[_C.topk(odds.view(-1), n).indices] = 0
        return mask


class L1Unstructured(_Amount):
    """Prunes the elements that are nearest to 0.

    >>> torch.nn.utils.prune.L1Unstructured(amount=0.5).prune(torch.tensor([4.0, -1.0, 2.0, 3.0]))
    """

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        n = self._count(t.numel())
        mask = default_mask.clone()
        if n:
            mask.view(-1)[_C.topk(t.detach().abs().view(-1), n, -1, False).indices] = 0
        return mask


class RandomStructured(_Amount):
    """Prunes channels along a dimension at random.

    >>> torch.nn.utils.prune.RandomStructured(amount=1, dim=0).prune(torch.ones(2, 3)).sum()
    """

    PRUNING_TYPE = "structured"

    def __init__(self, amount, dim=-1):
        super().__init__(amount)
        self.dim = dim

    def compute_mask(self, t, default_mask):
        size = self._size(t)
        n = self._count(size)
        if n == 0:
            return default_mask
        odds = _C.rand((size,), None, False, None)
        return self._channels(t, odds > _C.kthvalue(odds, n).values, default_mask)


class LnStructured(_Amount):
    """Prunes the channels along a dimension whose n-norms are the smallest.

    >>> w = torch.tensor([[1.0, 1.0], [5.0, 5.0]])
    >>> torch.nn.utils.prune.LnStructured(amount=1, n=2, dim=0).prune(w)
    """

    PRUNING_TYPE = "structured"

    def __init__(self, amount, n, dim=-1):
        super().__init__(amount)
        self.n, self.dim = n, dim

    def compute_mask(self, t, default_mask):
        size = self._size(t)
        pruned = self._count(size)
        if self.n == "nuc":
            raise NotImplementedError(
                "LnStructured: n='nuc' needs singular values; here are 'fro' and numbers"
            )
        if pruned == 0:
            return default_mask
        rest = [d for d in range(t.ndim) if d != self.dim % t.ndim]
        norms = _C.vector_norm(t.detach(), 2 if self.n == "fro" else self.n, rest)
        return self._channels(t, _C.topk(norms, size - pruned).indices, default_mask)


class CustomFromMask(BasePruningMethod):
    """Prunes with a mask of your own.

    >>> torch.nn.utils.prune.CustomFromMask(torch.tensor([0, 1])).prune(torch.ones(2))
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask):
        self.mask = mask

    def compute_mask(self, t, default_mask):
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape "
                f"{self.mask.shape}"
            )
        return default_mask * self.mask.to(default_mask.dtype)


def identity(module, name):
    """Prunes nothing, and sets up the mask.

    >>> torch.nn.utils.prune.identity(nn.Linear(2, 1), "weight").weight_mask
    """
    Identity.apply(module, name)
    return module


def random_unstructured(module, name, amount):
    """Prunes elements at random: a count, or a share.

    >>> layer = torch.nn.utils.prune.random_unstructured(nn.Linear(4, 1), "weight", amount=3)
    >>> layer.weight_mask.sum()
    """
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module, name, amount, importance_scores=None):
    """Prunes the elements that are nearest to 0: a count, or a share.

    >>> layer = torch.nn.utils.prune.l1_unstructured(nn.Linear(4, 1), "weight", amount=0.5)
    >>> layer.weight_mask.sum()
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module, name, amount, dim):
    """Prunes channels along a dimension at random.

    >>> layer = torch.nn.utils.prune.random_structured(nn.Linear(3, 4), "weight", amount=1, dim=0)
    >>> layer.weight_mask.sum()
    """
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module, name, amount, n, dim, importance_scores=None):
    """Prunes the channels along a dimension whose n-norms are the smallest.

    >>> layer = torch.nn.utils.prune.ln_structured(nn.Linear(3, 4), "weight", amount=2, n=1, dim=0)
    >>> layer.weight_mask.sum()
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs):
    """Prunes elements of several tensors as if they were one.

    >>> a, b = nn.Linear(2, 1), nn.Linear(2, 1)
    >>> prune = torch.nn.utils.prune
    >>> prune.global_unstructured([(a, "weight"), (b, "weight")], prune.L1Unstructured, amount=3)
    >>> a.weight_mask.sum() + b.weight_mask.sum()
    """
    if not hasattr(parameters, "__iter__"):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {method.PRUNING_TYPE}"
        )
    tensors = [getattr(module, name) for module, name in parameters]
    masks = [
        getattr(module, f"{name}_mask", tensor.new_ones(tensor.shape))
        for (module, name), tensor in zip(parameters, tensors)
    ]
    kept = [scores.get(pair, tensor) for pair, tensor in zip(parameters, tensors)]
    method._tensor_name = "temp"
    mask = PruningContainer(method).compute_mask(
        _C.cat([each.detach().reshape(-1) for each in kept], 0),
        _C.cat([each.reshape(-1) for each in masks], 0),
    )
    start = 0
    for (module, name), tensor in zip(parameters, tensors):
        end = start + tensor.numel()
        custom_from_mask(module, name, mask=mask[start:end].view_as(tensor))
        start = end


def custom_from_mask(module, name, mask):
    """Prunes with a mask of your own.

    >>> mask = torch.tensor([[0, 1]])
    >>> torch.nn.utils.prune.custom_from_mask(nn.Linear(2, 1), "weight", mask).weight_mask
    """
    CustomFromMask.apply(module, name, mask)
    return module


def remove(module, name):
    """Makes the pruned tensor a parameter again: its zeros can be learned anew.

    >>> layer = torch.nn.utils.prune.l1_unstructured(nn.Linear(4, 1), "weight", amount=2)
    >>> list(torch.nn.utils.prune.remove(layer, "weight").state_dict())
    """
    for number, hook in _hooks(module, name):
        hook.remove(module)
        del module._forward_pre_hooks[number]
        return module
    raise ValueError(
        f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed"
    )


def is_pruned(module):
    """Whether anything in a module is pruned.

    >>> torch.nn.utils.prune.is_pruned(nn.Linear(2, 1))
    """
    return any(
        isinstance(hook, BasePruningMethod)
        for each in module.modules() for hook in each._forward_pre_hooks.values()
    )
