"""Weights that are made anew before each call by a hook: `weight_norm`, `spectral_norm`."""

import _glowgrad as _C
from glowgrad._tensor import Parameter
from glowgrad.autograd import no_grad
from glowgrad.nn import functional as F

__all__ = ("weight_norm", "remove_weight_norm", "spectral_norm", "remove_spectral_norm")


def _norm_except(v, dim):
    """The length of the slices along a dimension, of all as one for -1."""
    if dim == -1:
        return v.norm()
    rest = [d for d in range(v.ndim) if d != dim % v.ndim]
    return _C.vector_norm(v, 2, rest, True) if rest else v.abs()


def _with_norm(v, g, dim):
    return v * (g / _norm_except(v, dim))


def _as_matrix(weight, dim):
    """The weight with a row for each element of one dimension."""
    if dim != 0:
        weight = weight.permute(dim, *[d for d in range(weight.ndim) if d != dim])
    return weight.reshape(weight.shape[0], -1)


def _rows_last(module):
    """The dimension of a layer's outputs in its weight: transposed convolutions have it second."""
    return 1 if type(module).__name__.startswith("ConvTranspose") else 0


class _WeightNorm:
    """What `weight_norm` registers: it makes the weight of its length and direction."""

    def __init__(self, name, dim):
        self.name, self.dim = name, -1 if dim is None else dim

    def compute_weight(self, module):
        g, v = getattr(module, f"{self.name}_g"), getattr(module, f"{self.name}_v")
        return _with_norm(v, g, self.dim)

    @staticmethod
    def apply(module, name, dim):
        _only_once(module, _WeightNorm, "weight_norm", name)
        hook = _WeightNorm(name, dim)
        weight = getattr(module, name)
        _not_lazy(weight, "WeightNorm", "weight")
        del module._parameters[name]
        length = _C.quietly(lambda: _norm_except(weight.detach(), hook.dim))
        module.register_parameter(f"{name}_g", Parameter(length))
        module.register_parameter(f"{name}_v", Parameter(weight.data))
        setattr(module, name, hook.compute_weight(module))
        module.register_forward_pre_hook(hook)
        return hook

    def remove(self, module):
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[f"{self.name}_g"], module._parameters[f"{self.name}_v"]
        setattr(module, self.name, Parameter(weight.data))

    def __call__(self, module, inputs):
        setattr(module, self.name, self.compute_weight(module))


def _only_once(module, kind, what, name):
    for hook in module._forward_pre_hooks.values():
        if isinstance(hook, kind) and hook.name == name:
            raise RuntimeError(f"Cannot register two {what} hooks on the same parameter {name}")


def _not_lazy(weight, kind, what):
    if getattr(weight, "_is_uninitialized", False):
        raise ValueError(
            f"The module passed to `{kind}` can't have uninitialized parameters. Make sure to run "
            f"the dummy forward before applying {what} normalization"
        )


def weight_norm(module, name="weight", dim=0):
    """Learns the length and the direction of a weight (Salimans and Kingma, 2016).

    >>> layer = nn.utils.weight_norm(nn.Linear(3, 2))
    >>> list(layer.state_dict())
    """
    from warnings import warn

    warn(
        "`torch.nn.utils.weight_norm` is deprecated in favor of "
        "`torch.nn.utils.parametrizations.weight_norm`.", FutureWarning,
    )
    _WeightNorm.apply(module, name, dim)
    return module


def _removed(module, kind, what, name):
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, kind) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[number]
            return module
    raise ValueError(f"{what} of '{name}' not found in {module}")


def remove_weight_norm(module, name="weight"):
    """Makes the weight a parameter again.

    >>> layer = nn.utils.remove_weight_norm(nn.utils.weight_norm(nn.Linear(3, 2)))
    >>> list(layer.state_dict())
    """
    return _removed(module, _WeightNorm, "weight_norm", name)


class _SpectralNorm:
    """What `spectral_norm` registers: it divides the weight by its largest singular value."""

    def __init__(self, name="weight", n_power_iterations=1, dim=0, eps=1e-12):
        if n_power_iterations <= 0:
            raise ValueError(
                "Expected n_power_iterations to be positive, but got "
                f"n_power_iterations={n_power_iterations}"
            )
        self.name, self.dim, self.eps = name, dim, eps
        self.n_power_iterations = n_power_iterations

    def compute_weight(self, module, do_power_iteration):
        weight = getattr(module, f"{self.name}_orig")
        u, v = getattr(module, f"{self.name}_u"), getattr(module, f"{self.name}_v")
        matrix = _as_matrix(weight, self.dim)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(F.normalize(_C.mv(matrix.t(), u), dim=0, eps=self.eps))
                    u.copy_(F.normalize(_C.mv(matrix, v), dim=0, eps=self.eps))
                # The next call writes into the buffers; the tape of this one keeps what it saw.
                u, v = u.clone(), v.clone()
        return weight / _C.dot(u, _C.mv(matrix, v))

    @staticmethod
    def apply(module, name, n_power_iterations, dim, eps):
        _only_once(module, _SpectralNorm, "spectral_norm", name)
        hook = _SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(
                f"`SpectralNorm` cannot be applied as parameter `{name}` is None"
            )
        _not_lazy(weight, "SpectralNorm", "spectral")
        with no_grad():
            rows, columns = _as_matrix(weight, dim).shape
            u, v = (
                F.normalize(weight.new_zeros(n).normal_(0, 1), dim=0, eps=eps)
                for n in (rows, columns)
            )
        delattr(module, name)
        module.register_parameter(f"{name}_orig", weight)
        setattr(module, name, weight.data)
        module.register_buffer(f"{name}_u", u)
        module.register_buffer(f"{name}_v", v)
        module.register_forward_pre_hook(hook)

        def note_version(module, state, prefix, metadata):
            metadata.setdefault("spectral_norm", {})[f"{name}.version"] = 1

        hook.state_hook = module._register_state_dict_hook(note_version)
        return hook

    def remove(self, module):
        with no_grad():
            weight = self.compute_weight(module, False)
        for suffix in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + suffix)
        module.register_parameter(self.name, Parameter(weight.detach()))
        self.state_hook.remove()

    def __call__(self, module, inputs):
        setattr(module, self.name, self.compute_weight(module, module.training))


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Divides a weight by its largest singular value before each call (Miyato et al., 2018).

    >>> layer = nn.utils.spectral_norm(nn.Linear(3, 2))
    >>> list(layer.state_dict())
    """
    dim = _rows_last(module) if dim is None else dim
    _SpectralNorm.apply(module, name, n_power_iterations, dim, eps)
    return module


def remove_spectral_norm(module, name="weight"):
    """Makes the divided weight a parameter.

    >>> layer = nn.utils.remove_spectral_norm(nn.utils.spectral_norm(nn.Linear(3, 2)))
    >>> list(layer.state_dict())
    """
    return _removed(module, _SpectralNorm, "spectral_norm", name)
