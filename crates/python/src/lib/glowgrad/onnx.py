"""`torch.onnx`: models as files for other tools, and files of other tools as modules."""

import os
from enum import Enum

import _glowgrad as _C
import glowgrad as _torch
from glowgrad._codec import _line, _tensor, asked, fields

__all__ = ["ImportedModel", "TrainingMode", "dynamo_export", "export", "is_in_onnx_export", "load"]


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


class ImportedModel(_torch.nn.Module):
    """What an ONNX file computes, as a module: `load` makes it.

    Weights are parameters under the names of the file, so that it can be trained; a call takes the inputs in the file's
    order or by their names, and gives the output, or a tuple of them. The nodes of the file are ops of the engine, in the
    modules that their names tell of.

    >>> import io
    >>> file = io.BytesIO()
    >>> torch.onnx.export(torch.nn.Linear(2, 1), (torch.ones(3, 2),), file, input_names=["x"])
    >>> model = torch.onnx.load(file.getvalue())
    >>> model.inputs
    """

    def __init__(self, data):
        super().__init__()
        self._data, self._graphs = data, {}
        # The dtype and the sizes of each input and output by name; a size that stays open is a word.
        self.inputs, self.outputs, self.opset = {}, {}, None
        text, elements = asked("onnx-read", data)
        lines = [fields(line) for line in text.split("\n")[:-1]]
        self._weights, start = {}, 0
        for kind, name, *more in lines:
            if kind == "opset":
                self.opset = int(name)
            elif kind == "weight":
                shape = [int(size) for size in more[1:]]
                tensor, start = _tensor("onnx", elements, start, getattr(_C, more[0]), shape)
                self._weights[name] = self._add(name, _torch.nn.Parameter(tensor))
            else:
                sizes = [int(size) if size.isdigit() else size for size in more[1:]]
                (self.inputs if kind == "input" else self.outputs)[name] = (more[0], *sizes)

    def forward(self, *args, **named):
        """The outputs for inputs in the file's order, or by name. >>> torch.onnx.ImportedModel.forward"""
        if len(args) > len(self.inputs):
            raise TypeError(f"the model has {len(self.inputs)} inputs, {', '.join(self.inputs)}; {len(args)} came")
        given = dict(zip(self.inputs, args))
        for name, value in named.items():
            if name not in self.inputs or name in given:
                fault = "given twice" if name in given else "unknown"
                raise TypeError(f"the input {name!r} is {fault}; the model has {', '.join(self.inputs)}")
            given[name] = value
        missing = [name for name in self.inputs if name not in given]
        if missing:
            raise TypeError(f"the model needs the input {missing[0]!r}; it has {', '.join(self.inputs)}")
        given = {name: _torch.as_tensor(value) for name, value in given.items()}
        key = tuple([(name, value.dtype.name, *value.shape) for name, value in given.items()])
        if key not in self._graphs:
            text = "\n".join(_line("input", *each) for each in key)
            self._graphs[key] = asked(f"onnx-graph\n{text}", self._data)
        text, elements = self._graphs[key]
        tensors = {name: module._parameters[own] for name, (module, own) in self._weights.items()}
        tensors.update(given)
        results = _C.run_graph(text, elements, list(tensors), list(tensors.values()))
        return results[0] if len(results) == 1 else tuple(results)

    def _add(self, name, parameter):
        """Registers a weight under its name, in modules as its dots say: that module, and the last part of the name."""
        *path, last = name.split(".")
        module = self
        for part in path:
            if not part or hasattr(module, part) and part not in module._modules:
                module, last = self, f"weight_{len(self._weights)}"
                break
            if part not in module._modules:
                module.add_module(part, _torch.nn.Module())
            module = module._modules[part]
        if not last or hasattr(module, last):
            module, last = self, f"weight_{len(self._weights)}"
        module.register_parameter(last, parameter)
        return module, last


def load(f):
    """Reads an ONNX file, a path, an open file or its bytes, as a module. Nodes that cannot run here are named first.

    >>> import io
    >>> file = io.BytesIO()
    >>> torch.onnx.export(torch.nn.ReLU(), (torch.zeros(2),), file)
    >>> torch.onnx.load(file.getvalue())(torch.tensor([-1.0, 2.0]))
    """
    if hasattr(f, "read"):
        data = f.read()
    elif isinstance(f, (bytes, bytearray)):
        data = bytes(f)
    else:
        with open(os.fspath(f), "rb") as file:
            data = file.read()
    return ImportedModel(data)
