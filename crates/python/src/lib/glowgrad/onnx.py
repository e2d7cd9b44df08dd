"""`torch.onnx`: models as files for other tools."""

import os
from enum import Enum

import _glowgrad as _C
import glowgrad as _torch

__all__ = ["TrainingMode", "dynamo_export", "export", "is_in_onnx_export"]


class TrainingMode(Enum):
    """How a model is to run while it is written: as for use, as it is, or as for training.

    >>> torch.onnx.TrainingMode.EVAL
    """

    EVAL = 0
    PRESERVE = 1
    TRAINING = 2


_state = {"is_exporting": False}


def is_in_onnx_export():
    """Whether a model is being written just now.

    >>> torch.onnx.is_in_onnx_export()
    """
    return _state["is_exporting"]


def export(model, args=(), f=None, *, kwargs=None, export_params=True, verbose=None, training=TrainingMode.EVAL,
           input_names=None, output_names=None, opset_version=None, do_constant_folding=True, dynamic_axes=None,
           dynamic_shapes=None, keep_initializers_as_inputs=False, dynamo=True, external_data=False, **options):
    """Runs a model once on `args` and writes what it computed as an ONNX file: to a path, or to an open file.

    The model is a module or a function of tensors; a module runs in `eval()`, unless `training` says otherwise. Inputs have
    the names of the arguments, or `input_names`; weights those of the state dict. Shapes are those of `args`. The version of
    the operator set is 18 or later, to 25. What cannot be written is named, and then no file is.

    >>> import io
    >>> file = io.BytesIO()
    >>> torch.onnx.export(torch.nn.Linear(2, 1), (torch.ones(3, 2),), file)
    >>> len(file.getvalue()) > 0
    """
    if f is None:
        raise TypeError("export() takes f: the path of the file to write, or an open file")
    if dynamic_axes or dynamic_shapes:
        raise NotImplementedError(
            "torch.onnx.export: sizes that stay open are not written; export the model at each size that you need"
        )
    args = (args,) if isinstance(args, _torch.Tensor) else tuple(args)
    if args and isinstance(args[-1], dict) and kwargs is None:
        args, kwargs = args[:-1], args[-1]
    given = dict(zip(_names(model, len(args)), args), **(kwargs or {}))
    # Leaves of their own: what the graph begins with.
    tensors = {name: value.detach().clone() for name, value in given.items() if isinstance(value, _torch.Tensor)}
    names = list(input_names or tensors)
    if len(names) != len(tensors):
        raise ValueError(f"input_names has {len(names)} names, and the model takes {len(tensors)} tensors")
    weights = model.state_dict(keep_vars=True) if isinstance(model, _torch.nn.Module) else {}
    weights = {name: weight for name, weight in weights.items() if isinstance(weight, _torch.Tensor)}
    values = [tensors.get(name, value) for name, value in given.items()]

    def run():
        results = _flat(model(*values[:len(args)], **dict(zip(kwargs or {}, values[len(args):]))))
        found = list(output_names or ())
        if len(found) > len(results):
            raise ValueError(f"output_names has {len(found)} names, and the model gives {len(results)} tensors")
        first = [] if found else ["output"] if len(results) == 1 else []
        found += first + [f"output_{i}" for i in range(len(found) + len(first), len(results))]
        return [each for pair in zip(found, results) for each in pair]

    data = _written(model, training, names, list(tensors.values()), weights, run, opset_version)
    if hasattr(f, "write"):
        f.write(data)
        return
    with open(os.fspath(f), "wb") as file:
        file.write(data)


def _written(model, training, names, inputs, weights, run, opset_version):
    is_module = isinstance(model, _torch.nn.Module)
    was_training = is_module and model.training
    if is_module and training is not TrainingMode.PRESERVE:
        model.train(training is TrainingMode.TRAINING)
    before = _torch.get_rng_state()
    _state["is_exporting"] = True
    try:
        with _torch.no_grad():
            data, warnings = _C.export_onnx(
                [*names, *weights], inputs, list(weights.values()), run, 18 if opset_version is None else opset_version
            )
    finally:
        _state["is_exporting"] = False
        if is_module:
            model.train(was_training)
    if not _torch.equal(before, _torch.get_rng_state()):
        raise RuntimeError(
            "the model drew random numbers while it ran, which the file would hold as constants; "
            "export it with training=TrainingMode.EVAL, or call model.eval() in it"
        )
    if warnings:
        from warnings import warn

        for text in warnings:
            warn(text, stacklevel=3)
    return data


def _names(model, count):
    """The names of the first arguments that a model takes."""
    function = model.forward if isinstance(model, _torch.nn.Module) else model
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    found = [] if code is None else list(code.co_varnames[:code.co_argcount])
    if isinstance(model, _torch.nn.Module):
        found = found[1:]
    return [found[i] if i < len(found) else f"input_{i}" for i in range(count)]


def _flat(result):
    """The tensors of a result, in order."""
    if isinstance(result, _torch.Tensor):
        return [result]
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, (tuple, list)):
        return [tensor for each in result for tensor in _flat(each)]
    if result is None:
        return []
    raise TypeError(f"export(): a model gives tensors, in tuples, lists or dicts, not {type(result).__name__}")


def dynamo_export(*args, **kwargs):
    """PyTorch's earlier name of what `export` does; not here. >>> torch.onnx.dynamo_export"""
    raise NotImplementedError("torch.onnx.dynamo_export: call torch.onnx.export(model, args, path)")
