"""Modules as functions of their parameters."""


def functional_call(module, parameters_and_buffers, args=None, kwargs=None, *, tie_weights=True,
                    strict=False):
    """What a module gives with other parameters; `torch.func.functional_call` is its name today.

    >>> layer = nn.Linear(2, 1)
    >>> weights = {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}
    >>> nn.utils.stateless.functional_call(layer, weights, torch.ones(2))
    """
    from warnings import warn

    from glowgrad.func import functional_call as call

    warn(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be "
        "removed in a future version of PyTorch. Please use `torch.func.functional_call` instead "
        "which is a drop-in replacement.", FutureWarning,
    )
    return call(
        module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict
    )
