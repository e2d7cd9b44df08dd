"""`torch.nn.modules`: PyTorch's modules of layers, which lead to the same layers in `torch.nn`."""

import sys as _sys

from glowgrad import nn as _nn
from glowgrad.nn import module

__path__ = []
# PyTorch's modules, and where their names without a face are here.
_PLACES = {name: name for name in (
    "activation adaptive channelshuffle container conv distance dropout flatten fold linear loss "
    "normalization padding pixelshuffle pooling rnn sparse transformer upsampling lazy utils"
).split()}
_PLACES.update(batchnorm="normalization", instancenorm="rare_normalization")


def _missing(module, name):
    return AttributeError(f"module {module!r} has no attribute {name!r}", name=name)


def _lookup(place):
    """What finds a name of one of these modules: a layer, else what our module of its kind has."""

    def find(name):
        if not name.startswith("_") and hasattr(_nn, name):
            return getattr(_nn, name)
        ours = f"glowgrad.nn.{_PLACES[place]}"
        if not name.startswith("__") and _exists(ours):
            return getattr(_sys.modules[ours], name)
        raise _missing(f"torch.nn.modules.{place}", name)

    return find


def _exists(name):
    try:
        __import__(name)
    except ImportError:
        return False
    return True


def _pairs(n):
    def repeat(x):
        return tuple(x) if hasattr(x, "__iter__") else (x,) * n

    return repeat


for _name in _PLACES:
    _each = globals()[_name] = type(_sys)(f"glowgrad.nn.modules.{_name}")
    _each.__getattr__, _each.__dir__ = _lookup(_name), lambda: dir(_nn)
    for _root in ("glowgrad", "torch"):
        _sys.modules[f"{_root}.nn.modules.{_name}"] = _each
for _root in ("glowgrad", "torch"):
    _sys.modules[f"{_root}.nn.modules.module"] = module
for _n, _name in enumerate(("_single", "_pair", "_triple", "_quadruple"), 1):
    setattr(utils, _name, _pairs(_n))


def __getattr__(name):
    if not name.startswith("_") and hasattr(_nn, name):
        return getattr(_nn, name)
    raise _missing("torch.nn.modules", name)


def __dir__():
    return sorted({*dir(_nn), *_PLACES, "module"})
