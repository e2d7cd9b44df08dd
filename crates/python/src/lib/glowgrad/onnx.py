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
    the names of the arguments, or `input_names`; weights those of the state dict. Shapes are those of `args`, but for sizes
    that stay open: `dynamic_axes={"x": {0: "batch"}}` by names of inputs, or `dynamic_shapes` by names of arguments. For each
    open size the model runs once more, with this size doubled; a model that makes anything but sizes of it is refused. Only
    the two sizes are compared: rows that are cut off beyond both are not seen. The version of the operator set is 18 or
    later, to 25. What cannot be written is named, and then no file is.

    >>> import io
    >>> file = io.BytesIO()
    >>> torch.onnx.export(torch.nn.Linear(2, 1), (torch.ones(3, 2),), file, dynamic_axes={"input": {0: "batch"}})
    >>> torch.onnx.load(file.getvalue())(torch.ones(5, 2)).shape
    """
    if f is None:
        raise TypeError("export() takes f: the path of the file to write, or an open file")
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
    axes = _Axes(dynamic_axes, dynamic_shapes, list(given), tensors, names)
    # The inputs of each run: as they came, then with one open size doubled.
    runs = [dict(tensors), *[axes.doubled(size, tensors) for size in axes.sizes]]

    def run(at):
        values = [runs[at].get(name, value) for name, value in given.items()]
        results = _flat(model(*values[:len(args)], **dict(zip(kwargs or {}, values[len(args):]))))
        found = list(output_names or ())
        if len(found) > len(results):
            raise ValueError(f"output_names has {len(found)} names, and the model gives {len(results)} tensors")
        first = [] if found else ["output"] if len(results) == 1 else []
        found += first + [f"output_{i}" for i in range(len(found) + len(first), len(results))]
        axes.check(at, dict(zip(found, results)))
        return [each for pair in zip(found, results) for each in pair]

    inputs = [tensor for each in runs for tensor in each.values()]
    data = _written(model, training, names, inputs, weights, list(axes.sizes), run, opset_version)
    if hasattr(f, "write"):
        f.write(data)
        return
    with open(os.fspath(f), "wb") as file:
        file.write(data)


def _written(model, training, names, inputs, weights, sizes, run, opset_version):
    is_module = isinstance(model, _torch.nn.Module)
    was_training = is_module and model.training
    if is_module and training is not TrainingMode.PRESERVE:
        model.train(training is TrainingMode.TRAINING)
    before = _torch.get_rng_state()
    _state["is_exporting"] = True
    try:
        with _torch.no_grad():
            data, warnings = _C.export_onnx(
                [*names, *weights], inputs, list(weights.values()), sizes, run,
                18 if opset_version is None else opset_version
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


class _Axes:
    """The sizes that stay open: `sizes` has for each name the inputs and dimensions that have it."""

    def __init__(self, dynamic_axes, dynamic_shapes, arguments, tensors, names):
        if dynamic_axes and dynamic_shapes:
            raise ValueError("export() takes dynamic_axes or dynamic_shapes, and both came; leave one of them out")
        self.sizes = {}
        self._option = "dynamic_shapes" if dynamic_shapes else "dynamic_axes"
        self._inputs = dict(zip(names, tensors))
        # What is said of outputs, of which the first run shows the names and shapes.
        self._outputs = {}
        self._first = {}
        # Axes without a name, by dimension and size.
        unnamed = {}
        asked = dynamic_shapes or dynamic_axes or {}
        if isinstance(asked, (tuple, list)) and dynamic_shapes:
            if len(asked) > len(arguments):
                raise ValueError(
                    f"dynamic_shapes has {len(asked)} entries, and the model takes {len(arguments)} arguments; "
                    "give one entry for each argument, None where its sizes are fixed"
                )
            asked = dict(zip(arguments, asked))
        if not isinstance(asked, dict):
            raise TypeError(f"{self._option} is a dict such as {{\"x\": {{0: \"batch\"}}}}, not {type(asked).__name__}")
        for key, entry in asked.items():
            argument = key if dynamic_shapes and key in tensors else self._inputs.get(key)
            if entry is None:
                continue
            if argument is None:
                if dynamic_shapes:
                    raise ValueError(
                        f"dynamic_shapes names {key!r}, which is no tensor that the model takes; it takes {', '.join(tensors)}"
                    )
                self._outputs[key] = entry
                continue
            tensor = tensors[argument]
            for i, (dim, name) in enumerate(self._entry(key, entry, tensor)):
                n = tensor.shape[dim]
                if n == 0:
                    raise ValueError(
                        f"{self._option}: dimension {dim} of {key!r} has no element in args; export with 1 or more of them"
                    )
                if name is None:
                    name = unnamed.setdefault((dim, n), f"{key}_dynamic_axes_{i + 1}")
                places = self.sizes.setdefault(name, [])
                other = places[0] if places else (argument, dim)
                if tensors[other[0]].shape[other[1]] != n:
                    raise ValueError(
                        f"{self._option}: {name!r} is {n} in dimension {dim} of {key!r}, and "
                        f"{tensors[other[0]].shape[other[1]]} in dimension {other[1]} of {other[0]!r}; "
                        "give args of one size for each name, or two names"
                    )
                if (argument, dim) not in places:
                    places.append((argument, dim))

    def _entry(self, key, entry, tensor):
        """Dimensions of a tensor with the names of their sizes, or None where a list gives no name."""
        n_dims = tensor.dim()
        if isinstance(entry, dict):
            entry = list(entry.items())
        elif isinstance(entry, (tuple, list)) and self._option == "dynamic_axes":
            entry = [(dim, ...) for dim in entry]
        elif isinstance(entry, (tuple, list)):
            if len(entry) != n_dims:
                raise ValueError(
                    f"dynamic_shapes has {len(entry)} sizes for {key!r}, which has {n_dims} dimensions; "
                    "give one for each, None where it is fixed"
                )
            entry = list(enumerate(entry))
        else:
            raise TypeError(
                f"{self._option}: {key!r} has {entry!r}; expected dimensions with names, such as {{0: \"batch\"}}"
            )
        found = []
        for dim, name in entry:
            if name is None:
                continue
            if not isinstance(dim, int) or not -n_dims <= dim < n_dims:
                raise ValueError(
                    f"{self._option} has dimension {dim!r} of {key!r}, whose shape is {list(tensor.shape)}; "
                    f"expected an int from {-n_dims} to {n_dims - 1}"
                )
            text = None if name is ... else name if isinstance(name, str) else getattr(name, "__name__", "")
            if text == "":
                raise TypeError(
                    f"{self._option}: dimension {dim} of {key!r} has {name!r}; expected the name of its size, a str"
                )
            found.append((dim % n_dims, text))
        return found

    def doubled(self, size, tensors):
        """The inputs with one open size doubled."""
        tensors = dict(tensors)
        for argument, dim in self.sizes[size]:
            tensors[argument] = _torch.cat([tensors[argument], tensors[argument]], dim)
        return tensors

    def check(self, at, results):
        """Holds the results of a run to what is said of outputs."""
        if at == 0:
            self._first = {name: list(result.shape) for name, result in results.items()}
        for key, entry in self._outputs.items():
            if key not in results:
                raise ValueError(
                    f"dynamic_axes names {key!r}, which is no input ({', '.join(self._inputs)}) and no output "
                    f"({', '.join(results)}) of the model; use one of these names, or set input_names and output_names"
                )
            for dim, name in self._entry(key, entry, results[key]):
                if name is not None and name not in self.sizes:
                    raise ValueError(
                        f"dynamic_axes gives {name!r} to dimension {dim} of the output {key!r}, and no input has a size of "
                        "this name; give it to the dimension of an input that the size comes from, or leave it out"
                    )
                first = self._first[key]
                if at > 0 and name == list(self.sizes)[at - 1] and results[key].shape[dim] == first[dim]:
                    raise ValueError(
                        f"dynamic_axes gives {name!r} to dimension {dim} of the output {key!r}, which stays {first[dim]} "
                        "when this size is doubled; leave it out"
                    )


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
