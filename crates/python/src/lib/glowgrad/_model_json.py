"""A model as JSON: which layers it is made of, their arguments, and what is shared; no weights.

    {"format": "glowgrad.model", "version": 1, "model": {"type": "Sequential", "children": {
        "0": {"type": "Linear", "args": {"in_features": 3, "out_features": 8}},
        "1": {"type": "ReLU"},
        "2": {"same": "1"}}},
     "tied": [["0.weight", "3.weight"]]}

`same` is the path of a module that stands earlier, `tied` lists parameters that are one. Arguments with their default
are left out. Invariants: `to_json` gives no text of which another model would be made (it makes the model again, with
weights that take no memory, and compares); `from_json` calls no class but those of the rows, imports nothing that the
text names, and bounds text, depth, modules and elements before anything takes memory. Weights are left to
`state_dict`, devices to `.to(…)`.
"""

import json

from glowgrad import nn
from glowgrad._rows import ROWS, row_of
from glowgrad.nn import init
from glowgrad.nn.parameter import is_lazy
from warnings import catch_warnings, simplefilter

_FORMAT, _VERSION = "glowgrad.model", 1
_MOST_TEXT = 4 << 20
_MOST_MODULES = 20_000
_DEEPEST = 64
_LONGEST_NAME = 200
_WIDTH = 110
# Containers whose modules are described as children, by name.
_PARENTS = {name: getattr(nn, name) for name in ("Module", "Sequential", "ModuleList", "ModuleDict")}


def to_json(model):
    """The text of a model."""
    if not isinstance(model, nn.Module):
        raise TypeError(f"to_json(): argument 'model' must be a Module, not {type(model).__name__}")
    said = _Writer().described(model, "", 0)
    document = {"format": _FORMAT, "version": _VERSION, "model": said}
    with _Empty():
        try:
            again = _Reader(None).made(said, "", 0)
        except ValueError as error:
            why = str(error).removeprefix("from_json(): ")
            raise ValueError(f"to_json(): the description could not be read again: {why}") from None
        tied = [group for group in _groups(model) if group not in _groups(again)]
        if tied:
            document["tied"] = tied
            _tie(again, tied)
    difference = _difference(model, again)
    if difference:
        raise ValueError(
            f"to_json(): {difference}: it was changed after it was made, and its arguments do not say so; build it of "
            "layers in a Sequential, or keep its state_dict and its code"
        )
    return _laid_out(document) + "\n"


def from_json(text, max_elements):
    """The model of a text, with weights drawn anew."""
    document = _parsed(text)
    said, tied = document["model"], document.get("tied", [])
    with _Empty():
        empty = _Reader(max_elements).made(said, "", 0)
        _check_tied(empty, tied)
    model = _Reader(None).made(said, "", 0)
    _tie(model, tied)
    return model


# Writing


class _Writer:
    """Describes modules; one that it meets again is the path where it stood first."""

    def __init__(self):
        self.paths, self.open = {}, []

    def described(self, module, path, depth):
        where = f"at {path}" if path else "the model"
        if depth > _DEEPEST:
            raise ValueError(f"to_json(): {where} is more than {_DEEPEST} modules deep, or holds itself")
        if id(module) in self.paths:
            return {"same": self.paths[id(module)]}
        kind, row = type(module).__name__, row_of(module)
        if row is None or row.kind == "base" or row.kind == "container" and kind not in (*_PARENTS, "DataParallel"):
            raise TypeError(
                f"to_json(): {where}, {kind}, is no layer of torch.nn: what its code does is in no description; build "
                "the model of layers in a Sequential, or save its state_dict and keep its code"
            )
        if kind in _PARENTS:
            said = {"type": kind, "children": {}}
            for name, child in module._modules.items():
                if child is None:
                    raise TypeError(f"to_json(): {_joined(path, name)} is None; take it out with delattr")
                said["children"][name] = self.described(child, _joined(path, name), depth + 1)
        else:
            said = {"type": kind}
            args = self._args(row, module, path, where, depth)
            if args:
                said["args"] = args
        # A module that holds itself is met again before it has a path, so the depth ends it.
        self.paths[id(module)] = path
        return said

    def _args(self, row, module, path, where, depth):
        args = {}
        try:
            values = row.values_of(module)
        except (AttributeError, TypeError, IndexError) as error:
            raise TypeError(f"to_json(): {where}, {row.name}: its arguments cannot be read: {error}") from None
        if "custom_encoder" in values and not self._is_usual(row, module, values):
            values = {name: values[name] for name in ("d_model", "nhead", "batch_first")}
            values.update(custom_encoder=module.encoder, custom_decoder=module.decoder)
        for name, value in values.items():
            argument = row.arguments[name]
            if isinstance(value, nn.Module) and "module" in argument.words:
                args[name] = self.described(value, _joined(path, name), depth + 1)
                continue
            if not argument.is_required and _is_same(value, argument.default):
                continue
            try:
                given = argument.give(value)
            except TypeError as error:
                raise TypeError(f"to_json(): {where}, {row.name}: {error}") from None
            if not argument.take(given)[0]:
                raise TypeError(
                    f"to_json(): {where}, {row.name}: {name} is {value!r}; a description holds {argument.expected()}"
                )
            args[name] = given
        return args


    @staticmethod
    def _is_usual(row, module, values):
        """Whether a transformer has the encoder and the decoder that its other arguments make."""
        with _Empty():
            return _difference(module, row.cls(**values)) is None


def _is_same(value, default):
    return value is default or type(value) in (int, float, bool, str) and value == default \
        and isinstance(value, bool) == isinstance(default, bool)


def _joined(path, name):
    return f"{path}.{name}" if path else name


def _laid_out(value, indent=""):
    """JSON with what fits on a line."""
    line = json.dumps(value)
    if len(indent) + len(line) <= _WIDTH or not isinstance(value, dict):
        return line
    inner = indent + "  "
    parts = [f"{inner}{json.dumps(name)}: {_laid_out(each, inner)}" for name, each in value.items()]
    return "{\n" + ",\n".join(parts) + f"\n{indent}}}"


# Comparing


class _Empty:
    """While it is open, new parameters stay unwritten: a module then takes no memory and draws nothing."""

    def __enter__(self):
        self.kept = {name: value for name, value in vars(init).items() if name.endswith("_") and callable(value)}
        for name in self.kept:
            setattr(init, name, lambda tensor, *args, **kwargs: tensor)
        self.quiet = catch_warnings()
        self.quiet.__enter__()
        simplefilter("ignore")
        return self

    def __exit__(self, *raised):
        self.quiet.__exit__(*raised)
        for name, value in self.kept.items():
            setattr(init, name, value)


def _shape(tensor):
    return None if tensor is None or is_lazy(tensor) else tuple(tensor.shape)


def _difference(model, again):
    """What is not the same in two models, in words; None where nothing is."""
    both = [dict(each.named_modules(remove_duplicate=False)) for each in (model, again)]
    for path, module in both[0].items():
        other, name = both[1].get(path), type(module).__name__
        where = f"{name} at {path}" if path else name
        if other is None or type(other) is not type(module):
            return f"{where} is not what its description makes"
        row = row_of(module)
        if row is not None and row.kind not in ("container", "base"):
            values, others = row.values_of(module), row.values_of(other)
            for argument, value in values.items():
                if not isinstance(value, nn.Module) and not _agree(value, others[argument]):
                    return f"{where} has {argument}={value!r}, and its description {others[argument]!r}"
        for group in ("_parameters", "_buffers"):
            shapes = [{key: _shape(each) for key, each in getattr(one, group).items()} for one in (module, other)]
            if shapes[0] != shapes[1]:
                return f"{where} has tensors of the shapes {shapes[0]}, and its description {shapes[1]}"
    if len(both[1]) != len(both[0]):
        return f"{type(model).__name__} lacks modules that its description makes"
    if _groups(model) != _groups(again):
        return f"{type(model).__name__} shares tensors that its description does not"
    return None


def _agree(value, other):
    if isinstance(value, (tuple, list)) and isinstance(other, (tuple, list)):
        return len(value) == len(other) and all([_agree(a, b) for a, b in zip(value, other)])
    if hasattr(value, "numel"):
        return hasattr(other, "numel") and value.shape == other.shape
    return value is other or value == other or value != value and other != other


def _groups(model):
    """The parameters that have several names, as lists of these."""
    names = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        names.setdefault(id(parameter), []).append(name)
    return [group for group in names.values() if len(group) > 1]


def _tie(model, groups):
    for first, *rest in groups:
        parameter = model.get_parameter(first)
        for name in rest:
            owner, _, leaf = name.rpartition(".")
            model.get_submodule(owner)._parameters[leaf] = parameter


# Reading


def _wrong(path, what):
    return ValueError(f"from_json(): {f'at {path}: ' if path else ''}{what}")


def _parsed(text):
    if not isinstance(text, str):
        raise TypeError(f"from_json(): argument 'text' must be str, not {type(text).__name__}")
    if len(text) > _MOST_TEXT:
        raise _wrong("", f"the text has {len(text)} characters; at most {_MOST_TEXT} are read")
    try:
        document = json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except RecursionError:
        raise _wrong("", f"the text is nested too deeply; a model has at most {_DEEPEST} levels") from None
    except ValueError as error:
        raise _wrong("", f"the text is not JSON of a model: {error}") from None
    _keys(document, "", ("format", "version", "model"), ("tied",))
    if document["format"] != _FORMAT:
        raise _wrong("", f"format is {_short(document['format'])}; expected {_FORMAT!r}")
    if type(document["version"]) is not int or document["version"] != _VERSION:
        raise _wrong("", f"version is {_short(document['version'])}; this version reads {_VERSION}")
    return document


def _object(pairs):
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"an object has {next(name for name in names if names.count(name) > 1)!r} twice")
    return found


def _no_constant(name):
    raise ValueError(f"{name} is not JSON; write it as a text, {name.lower().replace('infinity', 'inf')!r}")


def _short(value):
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _keys(value, path, needed, allowed):
    """That it is an object with these keys."""
    if not isinstance(value, dict):
        raise _wrong(path, f"expected an object, got {_short(value)}")
    for name in needed:
        if name not in value:
            raise _wrong(path, f"{name!r} is missing; expected {', '.join(needed)}")
    for name in value:
        if name not in needed and name not in allowed:
            raise _wrong(path, f"{_short(name)} is unknown; expected {', '.join((*needed, *allowed))}")


class _Reader:
    """Makes modules from what describes them."""

    def __init__(self, max_elements):
        self.max_elements = max_elements
        # By path, and by identity how many paths lead to a module and those in it: what is shared counts each time,
        # so that a short text cannot name more modules than can be walked.
        self.modules, self.sizes, self.n_elements = {}, {}, 0

    def made(self, said, path, depth):
        if depth > _DEEPEST:
            raise _wrong(path, f"more than {_DEEPEST} modules deep")
        if isinstance(said, dict) and "same" in said:
            return self._shared(said, path)
        _keys(said, path, ("type",), ("args", "children"))
        kind = said["type"]
        row = ROWS.get(kind) if isinstance(kind, str) else None
        is_parent = isinstance(kind, str) and kind in _PARENTS
        if not is_parent and (row is None or row.kind not in ("layer", "loss") and kind != "DataParallel"):
            raise _wrong(path, f"type {_short(kind)} is unknown; lab.catalog() lists the layers and losses that are known")
        if is_parent:
            _keys(said, path, ("type",), ("children",))
            module = self._parent(kind, said.get("children", {}), path, depth)
        else:
            _keys(said, path, ("type",), ("args",))
            module = self._layer(row, said.get("args", {}), path, depth)
        self.modules[path] = module
        return module

    def _shared(self, said, path):
        _keys(said, path, ("same",), ())
        if not isinstance(said["same"], str) or said["same"] not in self.modules:
            raise _wrong(path, f"'same' is {_short(said['same'])}; expected the path of a module that stands before it")
        return self.modules[said["same"]]

    def _parent(self, kind, children, path, depth):
        if not isinstance(children, dict):
            raise _wrong(path, f"children are {_short(children)}; expected an object of modules by name")
        module, size = _PARENTS[kind](), 1
        for i, (name, child) in enumerate(children.items()):
            if kind == "ModuleList" and name != str(i):
                raise _wrong(path, f"child {i} is called {_short(name)}; expected {str(i)!r} in a ModuleList")
            if not name or "." in name or len(name) > _LONGEST_NAME:
                raise _wrong(path, f"a child is called {_short(name)}; expected a name without dots")
            made = self.made(child, _joined(path, name), depth + 1)
            size += self.sizes[id(made)]
            self._bound(size, path)
            try:
                module.add_module(name, made)
            except KeyError as error:
                raise _wrong(path, f"a child cannot be called {_short(name)}: {error.args[0]}") from None
        self.sizes[id(module)] = size
        return module

    def _layer(self, row, args, path, depth):
        if not isinstance(args, dict):
            raise _wrong(path, f"{row.name}: args are {_short(args)}; expected an object of arguments by name")
        known = {name: each for name, each in row.arguments.items() if each.words not in (("device",), ("legacy",))}
        for name in args:
            if name not in known:
                raise _wrong(path, f"{row.name} has no argument {_short(name)}; it has {', '.join(known) or 'none'}")
        values = {}
        for name, argument in known.items():
            if name in args:
                values[name] = self._value(row, argument, args[name], path, depth)
            elif argument.is_required:
                raise _wrong(path, f"{row.name}: {name!r} is missing; expected {argument.expected()}")
        for kind, sizes in _TABLES:
            if row.name == kind and self.max_elements is not None:
                all_values = row.values(values)
                self._bound_elements(all_values[sizes[0]] * all_values[sizes[1]], path)
        try:
            module = row.cls(**values)
        except (TypeError, ValueError, RuntimeError, AssertionError, IndexError, ArithmeticError) as error:
            raise _wrong(path, f"{row.name}: {error}") from None
        own = {id(each): each for each in module.modules()}
        given = [each for each in values.values() if id(each) in self.sizes]
        self.sizes[id(module)] = len(own) + sum([self.sizes[id(each)] for each in given])
        self._bound(self.sizes[id(module)], path)
        self._weigh(own.values(), path)
        return module

    def _value(self, row, argument, value, path, depth):
        if isinstance(value, dict) and "module" in argument.words:
            module = self.made(value, _joined(path, argument.name), depth + 1)
            wanted = _WANTED.get(argument.name)
            if wanted and type(module).__name__ != wanted:
                raise _wrong(path, f"{row.name}: {argument.name} is a {type(module).__name__}; expected a {wanted}")
            return module
        is_right, taken = argument.take(value)
        if not is_right:
            raise _wrong(path, f"{row.name}: {argument.name} is {_short(value)}; expected {argument.expected()}")
        return taken

    def _bound(self, size, path):
        if size > _MOST_MODULES:
            raise _wrong(path, f"the model has more than {_MOST_MODULES} modules")

    def _weigh(self, modules, path):
        """Bounds how many elements have been made so far."""
        for module in modules:
            for group in (module._parameters, module._buffers):
                for tensor in group.values():
                    if tensor is not None and not is_lazy(tensor):
                        self.n_elements += tensor.numel()
        self._bound_elements(0, path)

    def _bound_elements(self, more, path):
        count = self.n_elements + more
        if self.max_elements is not None and count > self.max_elements:
            raise _wrong(
                path, f"up to here the model has {count} elements; at most {self.max_elements} are made: give "
                "max_elements=… to allow more"
            )


# Layers that compute a table when they are made: its sizes are bounded before.
_TABLES = (("PositionalEncoding", ("max_len", "d_model")), ("RotaryPositionalEmbeddings", ("max_seq_len", "dim")))
# Modules in arguments that must be of one class: their owner copies or calls them with more than an input.
_WANTED = {
    "encoder_layer": "TransformerEncoderLayer", "decoder_layer": "TransformerDecoderLayer",
    "custom_encoder": "TransformerEncoder", "custom_decoder": "TransformerDecoder",
    "pos_embeddings": "RotaryPositionalEmbeddings",
}


def _check_tied(model, tied):
    """That each group is names of parameters of one shape; ties them in the empty model."""
    if not isinstance(tied, list):
        raise _wrong("", f"tied is {_short(tied)}; expected a list of lists of parameters' names")
    shapes = {name: _shape(each) for name, each in model.named_parameters(remove_duplicate=False)}
    for group in tied:
        if not isinstance(group, list) or len(group) < 2 or not all([isinstance(name, str) for name in group]):
            raise _wrong("", f"tied has {_short(group)}; expected at least two names of parameters")
        for name in group:
            if name not in shapes:
                raise _wrong("", f"tied names {_short(name)}, which is no parameter of the model")
            if shapes[name] != shapes[group[0]]:
                raise _wrong(
                    "", f"tied names {group[0]!r} of the shape {shapes[group[0]]} and {name!r} of {shapes[name]}; expected "
                    "one shape"
                )
