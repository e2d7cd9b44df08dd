"""`nn.factory_kwargs`: what a layer passes on to the functions that make its tensors."""

_KEYS = ("device", "dtype", "memory_format")


def factory_kwargs(kwargs):
    """Of keyword arguments, those with which tensors are made; others are errors.

    >>> nn.factory_kwargs({"dtype": torch.float64})
    """
    if kwargs is None:
        return {}
    unknown = set(kwargs) - {*_KEYS, "factory_kwargs"}
    if unknown:
        raise TypeError(f"unexpected kwargs {unknown}")
    given = dict(kwargs.get("factory_kwargs", {}))
    for key in _KEYS:
        if key in kwargs:
            if key in given:
                raise TypeError(f"{key} specified twice, in **kwargs and in factory_kwargs")
            given[key] = kwargs[key]
    return given
