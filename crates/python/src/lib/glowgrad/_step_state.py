"""What Python remembers between two steps of `lab.train`: numbers, lists, attributes and variables.

A step that runs again runs without Python, so it may do so only where Python would do the same each time.
`look` notes all that a step can reach: variables that its code names, closures, attributes, containers, the
state of Python's random numbers. Two steps between which nothing of this changed do the same, whatever
number they have: a counter, an iterator or a learning rate would have been seen. Tensors are left to the
engine, which compares their memory (`Replay::of`); the library's own modules count as unchanging.

Invariant: what cannot be looked into counts as changing. The walk keeps what it met alive while it goes, so
that an identity stands for one thing, and does not recurse, as a page's stack is short. It does not see what a
step prints, files of other programs, and variables that are found by a name that is put together.
"""

import sys
from collections import OrderedDict

import _glowgrad as _C

_ATOMS = {int, str, bytes, type(None), type(...)}
_NUMBERS = {float, bool, complex}
_FLAT = _ATOMS | _NUMBERS
_SEQUENCES = {list, tuple, set, frozenset}
# A container of so many is compared as a whole, where it holds no containers.
_LONG = 32
_MOST = 300_000
# What is known of the library's types that a module of it names: these live as long as the program.
_LIBRARYS_KINDS = {}
# Stands among the parts for a thing whose own parts come later.
_LATER = object()


class State:
    """What was seen in one look."""

    def __init__(self):
        # What is compared, and where it stands: a chain of (owner's place, name).
        self.parts, self.places = [], []
        # By identity; the values keep what is seen alive until `release`.
        self.seen, self.variables, self.kinds = {}, {}, dict(_LIBRARYS_KINDS)
        # Names that the learner's code uses.
        self.names = set()
        # What cannot be looked into.
        self.opaque = None

    def kind(self, kind):
        """Of a type: its slots, whether it is the library's, whether its attributes are all that is inside of it, and
        which of these no later step reads."""
        found = self.kinds.get(kind)
        if found is None:
            slots = []
            for base in kind.__mro__:
                own = base.__dict__.get("__slots__", ())
                slots.extend((own,) if isinstance(own, str) else own)
            slots = [name for name in slots if name not in ("__dict__", "__weakref__")]
            is_librarys = is_library(kind.__module__)
            found = self.kinds[kind] = slots, is_librarys, _is_plain(kind), getattr(kind, "_of_one_step", ())
            if is_librarys and getattr(sys.modules.get(kind.__module__), kind.__name__, None) is kind:
                _LIBRARYS_KINDS[kind] = found
        return found

    def release(self):
        """Lets go of what was seen: a step's tensors must not live longer for having been looked at."""
        self.seen, self.variables = {}, {}
        return self

    def change(self, before):
        """The first thing that is not as in an earlier look, or None."""
        if self.opaque is not None:
            return self.opaque
        if self.parts == before.parts:
            return None
        for old, new, place in zip(before.parts, self.parts, self.places):
            if old != new:
                return f"{_path(place)} changes from step to step{_shown(old, new)}"
        return f"{_path(self.places[-1])} changes from step to step"


def _cell_type():
    thing = 0
    return type((lambda: thing).__closure__[0])


_FUNCTION, _METHOD, _CELL = type(_cell_type), type(State().change), _cell_type()
_MODULE, _GENERATOR = type(sys), type(_ for _ in ())
_BUILT_IN, _CODE = type(len), type(_cell_type.__code__)
# Places of what has no variable.
_PYTHONS, _NUMPYS = (None, "the state of Python's random numbers"), (None, "the state of NumPy's random numbers")
# Iterators of Python's own over data: none of them runs code.
_OVER_DATA = ("_iterator", "iterator")


def is_library(name):
    """Whether a module of this name is part of the program."""
    if name in (None, "__main__"):
        return False
    if name.partition(".")[0] in ("torch", "glowgrad", "_glowgrad"):
        return True
    module = sys.modules.get(name)
    return module is not None and getattr(module, "__file__", None) is None


def look(roots, skipped=(), fed=(), code_too=False):
    """Looks at what can be reached from roots, which are (name, thing).

    `skipped` are things that are not looked into, `fed` pairs of a dict's identity and a key. With
    `code_too` the roots are what makes batches: generators are looked into, as they run code.
    """
    state = State()
    skipped = {id(thing) for thing in skipped}
    stack = [((None, name), thing) for name, thing in reversed(roots)]
    parts, places, seen = state.parts, state.places, state.seen
    add, at, tensors = parts.append, places.append, {}
    while stack:
        place, thing = stack.pop()
        kind = type(thing)
        if kind in _FLAT:
            add(thing if kind in _ATOMS else _number(thing))
            at(place)
            continue
        # The slots of a type of tensors; False of another type.
        slots = tensors.get(kind)
        if slots is None:
            slots = tensors[kind] = state.kind(kind)[0] if issubclass(kind, _C.TensorBase) else False
        if slots is not False:
            add("tensor")
            at(place)
            if thing.__dict__ or slots:
                stack.extend((((place, name), each) for name, each in _attributes(state, thing)))
            continue
        number = id(thing)
        if number in seen:
            add(("again", seen[number][0]))
            at(place)
            continue
        seen[number] = len(seen), thing
        if len(seen) > _MOST:
            state.opaque = state.opaque or f"it can reach more than {_MOST:,} things, too many to look at"
            break
        if number in skipped:
            continue
        add(kind.__name__)
        at(place)
        if kind is dict or kind is OrderedDict and not thing.__dict__:
            if not thing:
                continue
            items = _of_dict(state, place, thing, fed)
        elif kind in _SEQUENCES:
            items = _of_sequence(state, place, thing)
        else:
            slots, is_librarys, is_plain, of_one_step = state.kind(kind)
            own = getattr(thing, "__dict__", None) if is_plain and is_librarys and not slots else None
            items = own.items() if type(own) is dict else _inside(state, place, thing, kind, fed, code_too)
            if of_one_step and items:
                items = [item for item in items if item[0] not in of_one_step]
        # A number or a text is a part at once; a thing with parts of its own waits, and its place is marked.
        waiting = []
        for name, each in items:
            kind = type(each)
            if kind in _ATOMS:
                add(each)
                at((place, name))
            elif kind in _NUMBERS:
                add(_number(each))
                at((place, name))
            else:
                add(_LATER)
                at((place, name))
                waiting.append(((place, name), each))
        waiting.reverse()
        stack += waiting
    _random_numbers(state)
    return state


def _number(number):
    """A number as it is compared: NaN is equal to NaN, and True is not 1."""
    return type(number), number if number == number else "nan"


def _is_plain(kind):
    """Whether nothing but its attributes is inside of a thing of this type."""
    if issubclass(kind, (type, dict, list, tuple, set, frozenset, bytearray, staticmethod, classmethod, property)):
        return False
    if kind in (_Variable, _FUNCTION, _METHOD, _CELL, _MODULE, _BUILT_IN, _GENERATOR):
        return False
    return not (kind.__name__ in ("deque", "partial") or hasattr(kind, "__next__") or hasattr(kind, "getstate"))


def shared(state, foreign):
    """Roots that two looks have in common and that can change: what other code may change between two steps."""
    roots = []
    for number, (_, thing) in foreign.seen.items():
        if number in state.seen and not isinstance(thing, (type, _MODULE, _FUNCTION, _METHOD, _CODE, tuple)):
            roots.append((f"a {type(thing).__name__}", thing))
    for key in foreign.variables:
        if key in state.variables:
            roots.append((key[1], _Variable(*state.variables[key])))
    return roots


class _Variable:
    """A variable of a module, whose value is looked at anew each time."""

    def __init__(self, namespace, name):
        self.namespace, self.name = namespace, name


def _inside(state, place, thing, kind, fed, code_too):
    """What can be reached from a thing in one step, with names. `_is_plain` is false of each kind that has a branch."""
    if kind is _Variable:
        return [(thing.name, thing.namespace.get(thing.name))]
    if kind is _FUNCTION:
        return _of_function(state, thing)
    if kind is _METHOD:
        return [("self", thing.__self__), (thing.__name__, thing.__func__)]
    if kind is _CELL:
        try:
            return [("", thing.cell_contents)]
        except ValueError:
            return []
    if kind is _MODULE:
        return _of_module(state, thing)
    if isinstance(thing, type):
        return _of_class(thing)
    if kind is _BUILT_IN:
        owner = getattr(thing, "__self__", None)
        return [] if owner is None or isinstance(owner, (_MODULE, type)) else [("self", owner)]
    if kind in (staticmethod, classmethod):
        return [("", thing.__func__)]
    if kind is property:
        return [("", thing.fget), ("", thing.fset)]
    if kind is _GENERATOR and code_too:
        return _of_generator(state, thing)
    if hasattr(kind, "__next__") and (not hasattr(thing, "__dict__") or kind.__module__ in ("_io", "itertools")):
        return _of_iterator(state, place, thing, kind, code_too)
    inside = []
    if isinstance(thing, dict):
        inside = _of_dict(state, place, thing, fed)
    elif isinstance(thing, (list, tuple, set, frozenset)) or kind.__name__ == "deque":
        inside = _of_sequence(state, place, thing)
    elif kind is bytearray:
        state.parts.append(bytes(thing))
        state.places.append(place)
    elif hasattr(kind, "getstate"):
        inside = [("state", thing.getstate())]
    elif kind.__name__ == "partial":
        inside = [("func", thing.func), ("args", thing.args), ("keywords", thing.keywords)]
    inside = inside + _attributes(state, thing)
    if not state.kind(kind)[1]:
        inside.append(("class", kind))
    return inside


def _attributes(state, thing):
    own = getattr(thing, "__dict__", None)
    inside = list(own.items()) if isinstance(own, dict) else []
    inside.extend(
        (name, getattr(thing, name)) for name in state.kind(type(thing))[0] if hasattr(thing, name)
    )
    return inside


def _of_dict(state, place, thing, fed):
    if set(map(type, thing)) <= _FLAT:
        state.parts.append(list(thing))
        state.places.append(place)
        inside = [((key,), value) for key, value in thing.items()]
    else:
        inside = []
        for key, value in thing.items():
            if type(key) in _FLAT:
                state.parts.append(key)
                state.places.append(place)
                inside.append(((key,), value))
            else:
                inside += [("key", key), ("[…]", value)]
    if fed:
        number = id(thing)
        inside = [(key, value) for key, value in inside if type(key) is str or (number, key[0]) not in fed]
    return inside


def _of_sequence(state, place, thing):
    state.parts.append(len(thing))
    state.places.append(place)
    if len(thing) > _LONG or isinstance(thing, (set, frozenset)):
        kinds = set(map(type, thing))
        if kinds <= _FLAT:
            state.parts.append(set(thing) if isinstance(thing, (set, frozenset)) else list(thing))
            state.places.append(place)
            return []
        if all(issubclass(kind, _C.TensorBase) for kind in kinds):
            return []
    return [((i,), each) for i, each in enumerate(thing)]


def _of_function(state, thing):
    inside = list(zip(thing.__code__.co_freevars, thing.__closure__ or ()))
    inside.append(("defaults", thing.__defaults__))
    inside.append(("defaults", thing.__kwdefaults__))
    if thing.__dict__:
        inside.append(("attributes", thing.__dict__))
    if is_library(thing.__globals__.get("__name__")):
        if thing.__globals__.get("__name__") == "time":
            state.opaque = state.opaque or "it reads the clock"
        return inside
    return inside + _of_code(state, thing.__code__, thing.__globals__)


def _of_code(state, code, namespace):
    """The variables that code names, also in functions inside of it."""
    inside, codes = [], [code]
    while codes:
        code = codes.pop()
        codes.extend(each for each in code.co_consts if isinstance(each, _CODE))
        for name in code.co_names:
            if name == "<tick>":
                continue
            state.names.add(name)
            key = (id(namespace), name)
            if name in namespace and key not in state.variables:
                state.variables[key] = namespace, name
                inside.append((name, namespace[name]))
    if "globals" in state.names or "exec" in state.names:
        state.opaque = state.opaque or "it uses globals() or exec(), so which variables it reads is not known"
    return inside


def _of_module(state, thing):
    name = thing.__name__
    if name == "time":
        state.opaque = state.opaque or "it reads the clock"
    if is_library(name):
        return []
    return [(each, value) for each, value in vars(thing).items() if not each.startswith("__")]


def _of_class(thing):
    if is_library(thing.__module__):
        return []
    left_out = ("__dict__", "__weakref__", "__doc__", "__module__", "__qualname__")
    inside = [(name, value) for name, value in thing.__dict__.items() if name not in left_out]
    return inside + [("base", base) for base in thing.__bases__]


def _of_generator(state, thing):
    frame = thing.gi_frame
    inside = []
    if frame is not None:
        inside = [(name, value) for name, value in dict(frame.f_locals).items()]
        inside.append(("from", getattr(thing, "gi_yieldfrom", None)))
        if not is_library(frame.f_globals.get("__name__")):
            inside += _of_code(state, thing.gi_code, frame.f_globals)
    return inside


def _of_iterator(state, place, thing, kind, code_too):
    if code_too:
        if kind.__name__.endswith(_OVER_DATA):
            return []
        try:
            return [("", thing.__reduce__()[1])]
        except Exception:
            pass
    state.opaque = state.opaque or f"{_path(place)} is {_with_article(kind.__name__)}, which goes on in each step"
    return []


def _random_numbers(state):
    """Python's and NumPy's own random numbers, which any code may draw."""
    random = sys.modules.get("random")
    if random is not None:
        state.parts.append(random.getstate())
        state.places.append(_PYTHONS)
    numpy = sys.modules.get("numpy.random")
    if numpy is not None and hasattr(numpy, "get_state"):
        state.parts.append(repr(numpy.get_state()))
        state.places.append(_NUMPYS)


def _path(place):
    """A place as the learner would write it."""
    if place in (_PYTHONS, _NUMPYS):
        return place[1]
    names = []
    while place is not None:
        place, name = place
        # What a container holds is named by its key.
        names.append(f"[{name[0]!r}]" if type(name) is tuple else name)
    text = ""
    for name in reversed(names):
        if name:
            text += name if name.startswith("[") or not text else f".{name}"
    return f"`{text or 'the step'}`"


def _shown(old, new):
    old, new = (each[1] if isinstance(each, tuple) and len(each) == 2 else each for each in (old, new))
    if type(old) in _FLAT and type(new) in _FLAT:
        texts = [repr(each) for each in (old, new)]
        if all(len(text) <= 40 for text in texts):
            return f" ({texts[0]} and then {texts[1]})"
    return ""


def _with_article(name):
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"
