"""A row: what is known of one layer, loss or optimizer, and how it is read from the class and from a module.

The class has the name, the names and defaults of the arguments and the docstring; the row adds the types of the
arguments, the shape rule, the ONNX operators and cases, arguments with inputs for which the rule is tested.
"""

import _glowgrad as _C
from glowgrad._place import _default
from glowgrad._rows import shapes
from glowgrad._rows.arguments import TYPES, Argument

# Functions around a constructor: what they call its function, and whether they add `device`.
_INSIDE = ("make", "function", "method")


class Row:
    """What is known of one class."""

    def __init__(self, name, kind, rules=(), onnx="", cases=(), *, where=None, dims=None, types=None, reads=None,
                 call="forward", is_torch=True, state=None, keeps_tuples=False, parameters="0", divisible=None):
        self.name, self.kind, self.onnx, self.cases = name, kind, onnx, cases
        # How many parameters it has, as an expression of its arguments; empty where these do not say.
        self.parameters = parameters
        self.rules = (rules,) if isinstance(rules, str) else tuple(rules)
        # Arguments and dimensions of inputs by name, and what divides each: an expression that may stand behind %.
        self.divisible = divisible or {}
        self.where, self.dims, self.call, self.is_torch = where or {}, dims, call, is_torch
        # Whether the class keeps a number for all dimensions as a tuple, so that (3, 3) is 3 again.
        self._types, self._reads, self._keeps_tuples = types or {}, reads or {}, keeps_tuples
        # Of an optimizer: what it remembers of a parameter, by name, as the right side of a rule of `[*]`.
        self.state = state or {}
        self._arguments = None

    def __repr__(self):
        return f"<row of {self.name}>"

    @property
    def place(self):
        return "optim" if self.kind == "optimizer" or self.name == "Optimizer" else "nn"

    @property
    def cls(self):
        return getattr(__import__(f"glowgrad.{self.place}", None, None, ["__name__"]), self.name)

    @property
    def arguments(self):
        """The arguments by name, in the order of the signature; one whose name begins with _ is left out."""
        if self._arguments is None:
            self._arguments = {
                name: Argument(name, self._type_of(name), *more, dims=self.dims)
                for name, *more in signature(self.cls) if not name.startswith("_")
            }
        return self._arguments

    def _type_of(self, name):
        text = self._types.get(name) or TYPES.get(name)
        if text is None:
            raise KeyError(
                f"{self.name}: its argument {name} has no type: add the name to TYPES in glowgrad/_rows/arguments.py, "
                "or types= to its row"
            )
        return text

    def values(self, given):
        """The arguments that a call with `given` has: those and the defaults."""
        values = {name: argument.default for name, argument in self.arguments.items() if not argument.is_required}
        return {**values, **given}

    def values_of(self, module):
        """The arguments with which a module could be made again, read from the module as it is now."""
        values = {}
        for name, argument in self.arguments.items():
            if "device" in argument.words or "legacy" in argument.words:
                continue
            read = self._reads.get(name)
            if read is not None:
                values[name] = read(module)
            elif name == "dtype":
                values[name] = _dtype_of(module)
            elif name == "bias":
                values[name] = getattr(module, "bias", None) is not None and module.bias is not False
            else:
                values[name] = self._alone(getattr(module, name))
        return values

    def _alone(self, value):
        is_even = self._keeps_tuples and isinstance(value, tuple) and len(set(value)) == 1
        return value[0] if is_even else value

    def output_shape(self, values, input_shapes):
        """The shape of the result for these arguments and inputs; raises ValueError where they do not fit."""
        if not self.rules:
            raise ValueError(f"{self.name} is a {self.kind}, which has no shape rule")
        expanded = {
            name: self.arguments[name].expanded(value)
            for name, value in values.items() if name in self.arguments
        }
        try:
            shape = shapes.evaluate(self.rules, self.where, expanded, input_shapes, self.divisible)
        except shapes.Misfit as misfit:
            raise ValueError(f"{self.name}: {misfit}") from None
        except (ArithmeticError, IndexError):
            given = ", ".join([str(list(each)) for each in input_shapes])
            raise ValueError(f"{self.name}: {given} has too few dimensions for {self.rules[0]}") from None
        least = 0 if any([0 in each for each in input_shapes]) else 1
        if not _is_at_least(least, shape):
            raise ValueError(
                f"{self.name}: inputs of {[list(each) for each in input_shapes]} would give {list(shape)}: a window is "
                "larger than its input"
            )
        return shape

    def n_parameters(self, values):
        """How many parameters it has for these arguments; None where they do not say."""
        if self.parameters in ("", "0"):
            return 0 if self.parameters else None
        names = {name: each.expanded(values[name]) for name, each in self.arguments.items() if name in values}
        return int(shapes.result(self.parameters, self.where, names))

    def remembered(self, values, param_shape):
        """What the optimizer remembers of a parameter of this shape: names and shapes."""
        names = {**values, "any_": list(param_shape)}
        found = {name: shapes.result(text, self.where, names) for name, text in self.state.items()}
        return {name: shape for name, shape in found.items() if shape is not None}

    def doc(self):
        """The first paragraph of the class's docstring."""
        words = (self.cls.__doc__ or "").split(">>>")[0].strip().split("\n\n")[0]
        return " ".join(words.split())

    def as_dict(self):
        """The row as data, which JSON can hold."""
        operators, note = self.operators()
        return {
            "name": f"{self.place}.{self.name}", "kind": self.kind,
            "torch": f"torch.{self.place}.{self.name}" if self.is_torch else None,
            "doc": self.doc(),
            "arguments": [each.as_dict() for each in self.arguments.values()],
            "rules": list(self.rules), "where": dict(self.where), "divisible": dict(self.divisible),
            "dims": list(self.dims) if isinstance(self.dims, tuple) else [self.dims] if self.dims else [],
            "parameters": self.parameters, "state": dict(self.state), "operators": operators, "onnx": note,
            "examples": [self._example(given, inputs) for given, *inputs in self.cases],
        }

    def operators(self):
        """ONNX's operators, in the order in which they run, and what else is to be said; or why there are none."""
        if self.onnx.startswith("none: "):
            return [], self.onnx.removeprefix("none: ")
        operators, _, note = self.onnx.partition("; ")
        return [each for each in operators.split(", ") if each], note

    def _example(self, given, inputs):
        values = self.values(given)
        read = [input_of(each) for each in inputs]
        shape = self.output_shape(values, [shape for shape, _ in read]) if self.rules else None
        return {
            "arguments": {name: self._given(name, value) for name, value in given.items()},
            "inputs": [{"shape": list(shape), "values": kind} for shape, kind in read], "output": shape,
        }

    def _given(self, name, value):
        if isinstance(value, Made):
            return {"type": value.name, "args": value.given}
        return self.arguments[name].give(value)

    def made(self, given):
        """An instance of the class for a case's arguments."""
        return self.cls(**{name: value.made() if isinstance(value, Made) else value for name, value in given.items()})


def _is_at_least(least, shape):
    return all([_is_at_least(least, each) if isinstance(each, tuple) else each >= least for each in shape])


class Made:
    """A module as an argument of a case: the class by name, and its arguments."""

    def __init__(self, name, **given):
        self.name, self.given = name, given

    def made(self):
        return getattr(__import__("glowgrad.nn", None, None, ["__name__"]), self.name)(**self.given)


def signature(cls):
    """Names of a constructor's arguments, each with its default if it has one, and whether it is by name alone."""
    function, is_placed = _unwrapped(cls.__init__)
    code = function.__code__
    n, names = code.co_argcount, code.co_varnames
    defaults, named = function.__defaults__ or (), function.__kwdefaults__ or {}
    found = []
    for i, name in enumerate(names[:n]):
        has_default = i >= n - len(defaults)
        found.append((name, defaults[i - n + len(defaults)]) if has_default else (name,))
    for name in names[n:n + code.co_kwonlyargcount]:
        found.append((name, named[name], True) if name in named else (name,))
    if is_placed and all([name != "device" for name, *_ in found]):
        found.append(("device", None, True))
    return found[1:]


def _unwrapped(function):
    """The function that `_placed` and its like call, and whether one of them adds `device`."""
    is_placed = False
    while getattr(function, "__closure__", None):
        inside = {
            name: cell.cell_contents for name, cell in zip(function.__code__.co_freevars, function.__closure__)
        }
        inner = next((inside[name] for name in _INSIDE if name in inside), None)
        if inner is None:
            break
        is_placed |= function.__code__.co_name == "placed"
        function = inner
    return function, is_placed


def input_of(text):
    """Shape and kind of a case's input: `5x3`, `4 index<10`, `2x3 probability`, `2 sign`, `3 =4`."""
    size, _, kind = text.partition(" ")
    return tuple([int(each) for each in size.split("x") if each]), kind or "normal"


def sample(text):
    """A tensor for a case's input."""
    shape, kind = input_of(text)
    if kind == "normal":
        return _C.randn(shape, None, False, None)
    if kind.startswith("="):
        return _C.full(shape, int(kind[1:]), _C.int64, False)
    drawn = _C.rand(shape, None, False, None)
    if kind.startswith("index<"):
        return (drawn * int(kind[6:])).to(_C.int64)
    if kind == "sign":
        return (drawn > 0.5).to(_C.float32) * 2 - 1
    return drawn


def _dtype_of(module):
    """The dtype of the first parameter or buffer with a fraction; None where it is the default."""
    tensors = [each for owner in module.modules() for group in (owner._parameters, owner._buffers)
               for each in group.values() if each is not None]
    dtypes = [each.dtype for each in tensors if each.dtype.is_floating_point]
    is_usual = not dtypes or dtypes[0] is _C.float32 and _default[0] is _C.float32
    return None if is_usual else dtypes[0]
