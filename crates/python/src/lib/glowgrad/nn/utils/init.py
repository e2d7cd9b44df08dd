"""Modules whose parameters are filled later."""

import _glowgrad as _C
from glowgrad.nn.module import Module


def skip_init(module_cls, *args, **kwargs):
    """A module whose parameters are not drawn, but hold zeros until they are filled.

    >>> nn.utils.skip_init(nn.Linear, 3, 2).weight
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    device = kwargs.pop("device", "cpu")
    state = _C.get_rng_state()
    try:
        module = module_cls(*args, device=device, **kwargs)
    except TypeError as error:
        if "device" not in str(error):
            raise
        raise RuntimeError("Module must support a 'device' arg to skip initialization") from None
    finally:
        _C.set_rng_state(state)
    return module.to_empty(device=device)
