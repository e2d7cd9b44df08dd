"""Modules as functions of their parameters: `functional_call`, `stack_module_state`."""

import _glowgrad as _C


def functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, *,
                    tie_weights=True, strict=False):
    """What a module gives with other parameters and buffers, named as in its `state_dict`.

    >>> layer = nn.Linear(2, 1)
    >>> weights = {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}
    >>> torch.func.functional_call(layer, weights, (torch.ones(2),))
    """
    given = parameter_and_buffer_dicts
    if isinstance(given, (list, tuple)):
        if not all([isinstance(each, dict) for each in given]):
            raise ValueError(
                "Expected all elements of parameter_and_buffer_dicts to be dictionaries"
            )
        names = [name for each in given for name in each]
        twice = [name for i, name in enumerate(names)
                 if names.count(name) > 1 and name not in names[:i]]
        if twice:
            raise ValueError(
                f"{twice} appeared in multiple dictionaries; behavior of functional call is "
                "ambiguous"
            )
        values = {name: value for each in given for name, value in each.items()}
    elif isinstance(given, dict):
        values = given
    else:
        raise ValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{type(given)}"
        )
    values = dict(values)
    homes = _homes(module)
    if tie_weights:
        _tie(homes, values)
    if strict:
        _check_names(module, homes, values)
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    before = []
    for name, value in values.items():
        if name in homes:
            registry, key = homes[name]
            before.append((registry, key, registry[key]))
            registry[key] = value
    try:
        return module(*args, **({} if kwargs is None else kwargs))
    finally:
        for registry, key, value in before:
            registry[key] = value


def _homes(module):
    """Where each parameter and buffer is: its registry, and its name there."""
    homes = {}
    for path, each in module.named_modules(remove_duplicate=False):
        for registry in (each._parameters, each._buffers):
            for key, value in registry.items():
                if value is not None:
                    homes[f"{path}.{key}" if path else key] = (registry, key)
    return homes


def _tie(homes, values):
    """Gives the other names of a tensor the value that one of its names got."""
    found = {}
    for name, (registry, key) in homes.items():
        found.setdefault(id(registry[key]), []).append(name)
    for names in found.values():
        new = [values[name] for name in names if name in values]
        if any([value is not new[0] for value in new]):
            raise ValueError(
                "functional_call got multiple values for keys "
                f"{sorted([name for name in names if name in values])}, which are tied. Consider "
                "using tie_weights=False"
            )
        if new:
            values.update({name: new[0] for name in names})


def _check_names(module, homes, values):
    extra = [name for name in values if name not in homes]
    missing = [name for name in homes if name not in values]
    if extra or missing:
        lines = []
        for what, names in (("Unexpected", extra), ("Missing", missing)):
            if names:
                lines.append(f"{what} key(s): " + ", ".join(map(repr, sorted(names))) + ".")
        raise RuntimeError(
            "Error(s) in reparametrizing for {}:\n\t{}".format(
                type(module).__name__, "\n\t".join(lines)
            )
        )


def stack_module_state(models):
    """The parameters and the buffers of several models, each stacked under its name, for `vmap`.

    >>> params, buffers = torch.func.stack_module_state([nn.Linear(2, 1), nn.Linear(2, 1)])
    >>> params["weight"].shape
    """
    models = list(models)
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({model.training for model in models}) > 1:
        raise RuntimeError(
            "stack_module_state: Expected all models to have the same training/eval mode."
        )
    if any([type(model) is not type(models[0]) for model in models]):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    return tuple([
        {name: _leaf(name, [values[name] for values in found]) for name in found[0]}
        for found in (
            [dict(model.named_parameters()) for model in models],
            [dict(model.named_buffers()) for model in models],
        )
    ])


def _leaf(name, tensors):
    wanting = [x.requires_grad for x in tensors]
    if any(wanting) and not all(wanting):
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    stacked = _C.stack(tensors)
    return stacked.detach().requires_grad_() if wanting[0] else stacked


def replace_all_batch_norm_modules_(root):
    """Makes the batch norms of a module use the batch alone, so that they can be in a `vmap`.

    >>> net = nn.Sequential(nn.BatchNorm1d(2))
    >>> torch.func.replace_all_batch_norm_modules_(net)[0].running_mean is None
    """
    for module in root.modules():
        is_norm = "BatchNorm" in type(module).__name__
        if is_norm and getattr(module, "running_mean", None) is not None:
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root
