"""`inspect`: what an object is, and the parameters of a function."""

import types
from collections import OrderedDict, namedtuple

__all__ = [
    "ArgInfo", "BoundArguments", "FullArgSpec", "Parameter", "Signature", "cleandoc", "currentframe",
    "getargvalues", "getdoc", "getfullargspec", "getmembers", "getmodule", "getmro", "getsource",
    "isabstract", "isbuiltin", "isclass", "iscoroutinefunction", "isfunction", "isgenerator",
    "isgeneratorfunction", "ismethod", "ismodule", "isroutine", "signature", "unwrap",
]

CO_VARARGS, CO_VARKEYWORDS, CO_GENERATOR, CO_COROUTINE = 4, 8, 32, 128


def isclass(object):
    return isinstance(object, type)


def isfunction(object):
    return isinstance(object, types.FunctionType)


def ismethod(object):
    return isinstance(object, types.MethodType)


def isbuiltin(object):
    return isinstance(object, types.BuiltinFunctionType)


def ismodule(object):
    return isinstance(object, types.ModuleType)


def isroutine(object):
    return isfunction(object) or ismethod(object) or isbuiltin(object)


def isgenerator(object):
    return isinstance(object, types.GeneratorType)


def isgeneratorfunction(object):
    return isfunction(object) and bool(object.__code__.co_flags & CO_GENERATOR)


def iscoroutinefunction(object):
    return isfunction(object) and bool(object.__code__.co_flags & CO_COROUTINE)


def isabstract(object):
    return isclass(object) and bool(getattr(object, "__abstractmethods__", None))


def getmro(cls):
    return cls.__mro__


def unwrap(func, *, stop=None):
    """The function that others wrap."""
    while hasattr(func, "__wrapped__") and not (stop is not None and stop(func)):
        func = func.__wrapped__
    return func


def getmembers(object, predicate=None):
    """Names and values of the attributes, sorted by name."""
    found = []
    for name in dir(object):
        try:
            value = getattr(object, name)
        except AttributeError:
            continue
        if predicate is None or predicate(value):
            found.append((name, value))
    return sorted(found, key=lambda pair: pair[0])


def cleandoc(doc):
    """A docstring without the indentation of its lines."""
    lines = doc.expandtabs().split("\n")
    margins = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    margin = min(margins, default=0)
    lines = [lines[0].lstrip()] + [line[margin:] for line in lines[1:]]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return "\n".join(lines)


def getdoc(object):
    """The docstring, cleaned; None where there is none."""
    doc = getattr(object, "__doc__", None)
    return cleandoc(doc) if isinstance(doc, str) else None


def getmodule(object, _filename=None):
    import sys
    return sys.modules.get(getattr(object, "__module__", None))


def getsource(object):
    """Refused: the lab keeps no source of objects."""
    raise OSError("could not get source code")


getsourcelines = getsourcefile = getfile = getsource


class Parameter:
    """A parameter of a function."""

    empty = type("_empty", (), {})
    POSITIONAL_ONLY, POSITIONAL_OR_KEYWORD, VAR_POSITIONAL, KEYWORD_ONLY, VAR_KEYWORD = range(5)

    def __init__(self, name, kind, *, default=empty, annotation=empty):
        self.name, self.kind, self.default, self.annotation = name, kind, default, annotation

    def replace(self, **changes):
        values = {
            "name": self.name, "kind": self.kind, "default": self.default,
            "annotation": self.annotation, **changes,
        }
        return Parameter(
            values["name"], values["kind"], default=values["default"], annotation=values["annotation"]
        )

    def __str__(self):
        text = {self.VAR_POSITIONAL: "*", self.VAR_KEYWORD: "**"}.get(self.kind, "") + self.name
        if self.annotation is not Parameter.empty:
            kind = self.annotation
            text += ": " + (kind.__name__ if isinstance(kind, type) else repr(kind))
            if self.default is not Parameter.empty:
                text += f" = {self.default!r}"
        elif self.default is not Parameter.empty:
            text += f"={self.default!r}"
        return text

    def __repr__(self):
        return f'<Parameter "{self}">'

    def __eq__(self, other):
        if not isinstance(other, Parameter):
            return NotImplemented
        mine, theirs = vars(self), vars(other)
        return mine == theirs

    def __hash__(self):
        return hash((self.name, self.kind))


_empty = Parameter.empty


class BoundArguments:
    """Arguments by the parameters that take them."""

    def __init__(self, signature, arguments):
        self.signature, self.arguments = signature, arguments

    @property
    def args(self):
        args = []
        for name, parameter in self.signature.parameters.items():
            if parameter.kind in (Parameter.KEYWORD_ONLY, Parameter.VAR_KEYWORD):
                break
            if name not in self.arguments:
                break
            value = self.arguments[name]
            args += value if parameter.kind == Parameter.VAR_POSITIONAL else [value]
        return tuple(args)

    @property
    def kwargs(self):
        kwargs = {}
        for name, parameter in self.signature.parameters.items():
            if name in self.arguments and parameter.kind == Parameter.KEYWORD_ONLY:
                kwargs[name] = self.arguments[name]
            elif name in self.arguments and parameter.kind == Parameter.VAR_KEYWORD:
                kwargs.update(self.arguments[name])
        return kwargs

    def apply_defaults(self):
        full = {}
        for name, parameter in self.signature.parameters.items():
            if name in self.arguments:
                full[name] = self.arguments[name]
            elif parameter.default is not Parameter.empty:
                full[name] = parameter.default
            elif parameter.kind == Parameter.VAR_POSITIONAL:
                full[name] = ()
            elif parameter.kind == Parameter.VAR_KEYWORD:
                full[name] = {}
        self.arguments = full


class Signature:
    """The parameters of a function, and what it returns."""

    empty = Parameter.empty

    def __init__(self, parameters=None, *, return_annotation=empty):
        self.parameters = OrderedDict((each.name, each) for each in parameters or ())
        self.return_annotation = return_annotation

    @classmethod
    def from_callable(cls, obj, **options):
        return signature(obj)

    def bind(self, *args, **kwargs):
        return self._bind(args, kwargs, False)

    def bind_partial(self, *args, **kwargs):
        return self._bind(args, kwargs, True)

    def _bind(self, args, kwargs, partial):
        bound, args, kwargs = {}, list(args), dict(kwargs)
        for name, parameter in self.parameters.items():
            kind = parameter.kind
            if kind == Parameter.VAR_POSITIONAL:
                if args:
                    bound[name] = tuple(args)
                args = []
            elif kind == Parameter.VAR_KEYWORD:
                if kwargs:
                    bound[name] = kwargs
                kwargs = {}
            elif args and kind != Parameter.KEYWORD_ONLY:
                if name in kwargs and kind != Parameter.POSITIONAL_ONLY:
                    raise TypeError(f"multiple values for argument {name!r}")
                bound[name] = args.pop(0)
            elif name in kwargs and kind != Parameter.POSITIONAL_ONLY:
                bound[name] = kwargs.pop(name)
            elif parameter.default is Parameter.empty and not partial:
                raise TypeError(f"missing a required argument: {name!r}")
        if args:
            raise TypeError("too many positional arguments")
        if kwargs:
            raise TypeError(f"got an unexpected keyword argument {next(iter(kwargs))!r}")
        return BoundArguments(self, bound)

    def replace(self, *, parameters=None, return_annotation=None):
        return Signature(
            self.parameters.values() if parameters is None else parameters,
            return_annotation=(
                self.return_annotation if return_annotation is None else return_annotation
            ),
        )

    def __eq__(self, other):
        if not isinstance(other, Signature):
            return NotImplemented
        return self.parameters == other.parameters

    def __str__(self):
        words, marked, last = [], False, None
        for parameter in self.parameters.values():
            if last == Parameter.POSITIONAL_ONLY and parameter.kind != last:
                words.append("/")
            if parameter.kind == Parameter.VAR_POSITIONAL:
                marked = True
            elif parameter.kind == Parameter.KEYWORD_ONLY and not marked:
                words.append("*")
                marked = True
            words.append(str(parameter))
            last = parameter.kind
        if last == Parameter.POSITIONAL_ONLY:
            words.append("/")
        text = f"({', '.join(words)})"
        if self.return_annotation is not Parameter.empty:
            kind = self.return_annotation
            text += " -> " + (kind.__name__ if isinstance(kind, type) else repr(kind))
        return text

    def __repr__(self):
        return f"<Signature {self}>"


def signature(obj, *, follow_wrapped=True, **options):
    """The parameters that a call of an object takes."""
    if not callable(obj):
        raise TypeError(f"{obj!r} is not a callable object")
    if follow_wrapped:
        obj = unwrap(obj, stop=lambda each: hasattr(each, "__signature__"))
    given = getattr(obj, "__signature__", None)
    if isinstance(given, Signature):
        return given
    if ismethod(obj):
        return _without_first(signature(obj.__func__))
    if isfunction(obj):
        return _of_function(obj)
    if isclass(obj):
        for name in ("__new__", "__init__"):
            method = getattr(obj, name)
            if isfunction(unwrap(method)):
                return _without_first(signature(method))
        return Signature()
    partial = getattr(obj, "func", None)
    if type(obj).__name__ == "partial" and callable(partial):
        return _of_partial(obj)
    call = type(obj).__call__
    if isfunction(call):
        return _without_first(signature(call))
    raise ValueError(f"no signature found for builtin {obj!r}")


def _without_first(signature):
    parameters = list(signature.parameters.values())
    if parameters and parameters[0].kind not in (Parameter.VAR_POSITIONAL, Parameter.KEYWORD_ONLY):
        parameters = parameters[1:]
    return signature.replace(parameters=parameters)


def _of_function(function):
    code, notes = function.__code__, getattr(function, "__annotations__", {})
    names = code.co_varnames
    n, n_first, n_keywords = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount
    defaults = function.__defaults__ or ()
    parameters = []

    def add(name, kind, default=_empty):
        note = notes.get(name, _empty)
        parameters.append(Parameter(name, kind, default=default, annotation=note))

    for i, name in enumerate(names[:n]):
        kind = Parameter.POSITIONAL_ONLY if i < n_first else Parameter.POSITIONAL_OR_KEYWORD
        from_end = i - (n - len(defaults))
        add(name, kind, defaults[from_end] if from_end >= 0 else _empty)
    at = n + n_keywords
    if code.co_flags & CO_VARARGS:
        add(names[at], Parameter.VAR_POSITIONAL)
        at += 1
    keywords = function.__kwdefaults__ or {}
    for name in names[n:n + n_keywords]:
        add(name, Parameter.KEYWORD_ONLY, keywords.get(name, _empty))
    if code.co_flags & CO_VARKEYWORDS:
        add(names[at], Parameter.VAR_KEYWORD)
    return Signature(parameters, return_annotation=notes.get("return", _empty))


def _of_partial(partial):
    inner = signature(partial.func)
    bound = inner.bind_partial(*partial.args, **partial.keywords).arguments
    parameters, keyword = [], False
    for name, parameter in inner.parameters.items():
        if name in partial.keywords:
            keyword = True
            parameter = parameter.replace(kind=Parameter.KEYWORD_ONLY, default=bound[name])
        elif name in bound and parameter.kind != Parameter.VAR_POSITIONAL:
            continue
        elif keyword and parameter.kind == Parameter.POSITIONAL_OR_KEYWORD:
            parameter = parameter.replace(kind=Parameter.KEYWORD_ONLY)
        parameters.append(parameter)
    return inner.replace(parameters=parameters)


FullArgSpec = namedtuple(
    "FullArgSpec", "args varargs varkw defaults kwonlyargs kwonlydefaults annotations"
)


def getfullargspec(func):
    """Names and defaults of the parameters."""
    args, keywords, varargs, varkw, defaults, keyword_defaults = [], [], None, None, [], {}
    signature_ = _of_function(func.__func__ if ismethod(func) else func)
    for name, parameter in signature_.parameters.items():
        if parameter.kind == Parameter.VAR_POSITIONAL:
            varargs = name
        elif parameter.kind == Parameter.VAR_KEYWORD:
            varkw = name
        elif parameter.kind == Parameter.KEYWORD_ONLY:
            keywords.append(name)
            if parameter.default is not _empty:
                keyword_defaults[name] = parameter.default
        else:
            args.append(name)
            if parameter.default is not _empty:
                defaults.append(parameter.default)
    notes = dict(getattr(func, "__annotations__", {}))
    return FullArgSpec(
        args, varargs, varkw, tuple(defaults) or None, keywords, keyword_defaults or None, notes
    )


def currentframe():
    """The frame of the caller, as an exception that is raised here knows it."""
    try:
        raise RuntimeError
    except RuntimeError as error:
        return error.__traceback__.tb_frame.f_back


ArgInfo = namedtuple("ArgInfo", "args varargs keywords locals")


def getargvalues(frame):
    """Names of the parameters of the function that runs in a frame, and its variables."""
    code = frame.f_code
    n_named = code.co_argcount + code.co_kwonlyargcount
    rest = list(code.co_varnames[n_named:])
    varargs = rest.pop(0) if code.co_flags & CO_VARARGS else None
    keywords = rest.pop(0) if code.co_flags & CO_VARKEYWORDS else None
    return ArgInfo(list(code.co_varnames[:n_named]), varargs, keywords, frame.f_locals)


def stack(context=1):
    """Nothing: a program cannot see its frames here."""
    return []


def getattr_static(obj, attr, default=_empty):
    """An attribute as it is stored, without descriptors."""
    for place in (getattr(obj, "__dict__", {}), *(cls.__dict__ for cls in type(obj).__mro__)):
        if attr in place:
            return place[attr]
    if default is _empty:
        raise AttributeError(attr)
    return default
