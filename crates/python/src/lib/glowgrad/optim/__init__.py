"""`torch.optim`: optimizers. The arithmetic is PyTorch's, in its order, so that numbers agree.

Each is loaded when it is first named.
"""

import sys as _sys

# The module in which each name stands.
_HOMES = {
    "ASGD": "asgd", "Adadelta": "adadelta", "Adafactor": "_adafactor", "Adagrad": "adagrad",
    "Adam": "adam", "AdamW": "adam", "Adamax": "adamax", "LBFGS": "lbfgs", "Lion": "lion",
    "Muon": "_muon", "NAdam": "nadam", "Optimizer": "optimizer", "RAdam": "radam",
    "RMSprop": "rmsprop", "Rprop": "rprop", "SGD": "sgd", "SparseAdam": "sparse_adam",
    "swap_in_optimizer_params_and_state": "_stateless",
}
_MODULES = ("functional", "lr_scheduler", "swa_utils")
# What `lr_scheduler` has: known before it is loaded.
_SCHEDULES = (
    "LambdaLR", "MultiplicativeLR", "StepLR", "MultiStepLR", "ConstantLR", "LinearLR", "ExponentialLR", "SequentialLR",
    "CosineAnnealingLR", "ChainedScheduler", "ReduceLROnPlateau", "CyclicLR", "CosineAnnealingWarmRestarts",
    "OneCycleLR", "PolynomialLR", "LRScheduler",
)

__all__ = [*_HOMES, *_MODULES]


def __getattr__(name):
    home = _HOMES.get(name, name if name in _MODULES else None)
    if home is None:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message, name=name, obj=_sys.modules[__name__])
    module = __import__(f"{__name__}.{home}", fromlist=[name])
    if name in _MODULES:
        return module
    # As in PyTorch, `optim.adam` is no name here, though `glowgrad.optim.adam` can be imported.
    for each in _HOMES.values():
        globals().pop(each, None)
    value = globals()[name] = getattr(module, name)
    return value


def __dir__():
    return sorted({*globals(), *__all__})
