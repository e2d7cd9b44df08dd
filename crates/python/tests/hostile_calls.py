"""Draws hostile calls from a seed: what can be called, with absurd arguments.

Runs inside the interpreter under test; `hostile_calls.rs` makes the calls one by one.
"""

import builtins
import collections
import contextlib
import copy
import dataclasses
import enum
import functools
import itertools
import json
import math
import operator
import random as random_module
import statistics
import sys
import time
import types
import typing

import glowgrad as torch
import glowgrad.nn as nn
import glowgrad.nn.functional as F

SEED = 11


class Lies:
    """Says that it is long, and is not."""

    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __length_hint__(self):
        return self.n

    def __index__(self):
        return self.n

    def __iter__(self):
        return iter([1, 2, 3])

    def __getitem__(self, key):
        raise IndexError(key)

    def __hash__(self):
        return self.n

    def __repr__(self):
        return f"Lies({self.n})"


class Raises:
    """Raises whatever it is asked."""

    def fail(self, *args, **kwargs):
        raise ValueError("hostile")

    __len__ = __iter__ = __index__ = __hash__ = __eq__ = __lt__ = __bool__ = __float__ = fail
    __getitem__ = __call__ = __add__ = __mul__ = __str__ = fail

    def __repr__(self):
        return "Raises()"


class Endless:
    def __iter__(self):
        return self

    def __next__(self):
        return 1

    def __repr__(self):
        return "Endless()"


def nested(make, depth):
    x = make(())
    for _ in range(depth):
        x = make((x,))
    return x


def chained(depth):
    x = iter([1])
    for _ in range(depth):
        x = map(abs, x)
    return x


# Made anew for every call: a call may use its arguments up.
ARGUMENTS = [
    ("None", lambda: None),
    ("True", lambda: True),
    ("0", lambda: 0),
    ("1", lambda: 1),
    ("-1", lambda: -1),
    ("3", lambda: 3),
    ("2**31", lambda: 2**31),
    ("2**40", lambda: 2**40),
    ("10**10", lambda: 10**10),
    ("-10**10", lambda: -(10**10)),
    ("2**63 - 1", lambda: 2**63 - 1),
    ("-2**63", lambda: -(2**63)),
    ("10**14", lambda: 10**14),
    ("10**100", lambda: 10**100),
    ("-10**100", lambda: -(10**100)),
    ("1 << 200_000", lambda: 1 << 200_000),
    ("0.5", lambda: 0.5),
    ("nan", lambda: math.nan),
    ("inf", lambda: math.inf),
    ("1e300", lambda: 1e300),
    ("-0.0", lambda: -0.0),
    ("1j", lambda: 1j),
    ("''", lambda: ""),
    ("'a'", lambda: "a"),
    ("'é\\U0001f600'", lambda: "é\U0001f600"),
    ("'\\ud800'", lambda: "\ud800"),
    ("'{0:>10000000000}'", lambda: "{0:>10000000000}"),
    ("'%10000000000d'", lambda: "%10000000000d"),
    ("'.99999e'", lambda: ".99999e"),
    ("'>99999999999999'", lambda: ">99999999999999"),
    ("'a' * 10**6", lambda: "a" * 10**6),
    ("b''", lambda: b""),
    ("b'abc'", lambda: b"abc"),
    ("bytearray(b'ab')", lambda: bytearray(b"ab")),
    ("memoryview(b'abcd')", lambda: memoryview(b"abcd")),
    ("[]", lambda: []),
    ("[1, 2, 3]", lambda: [1, 2, 3]),
    ("[nan, 'a', None]", lambda: [math.nan, "a", None]),
    ("['a'] * 10**5", lambda: ["a"] * 10**5),
    ("()", lambda: ()),
    ("(1, 2)", lambda: (1, 2)),
    ("(10**10,)", lambda: (10**10,)),
    ("(-1, 0)", lambda: (-1, 0)),
    ("{}", lambda: {}),
    ("{'a': 1}", lambda: {"a": 1}),
    ("{1, 2}", lambda: {1, 2}),
    ("range(10**12)", lambda: range(10**12)),
    ("range(10**30)", lambda: range(10**30)),
    ("slice(None, None, -10**18)", lambda: slice(None, None, -(10**18))),
    ("slice(10**30, -10**30, 0)", lambda: slice(10**30, -(10**30), 0)),
    ("nested list", lambda: nested(list, 5000)),
    ("nested tuple", lambda: nested(tuple, 5000)),
    ("nested map", lambda: chained(1500)),
    ("Lies(10**12)", lambda: Lies(10**12)),
    ("Lies(-1)", lambda: Lies(-1)),
    ("Raises()", lambda: Raises()),
    ("Endless()", lambda: Endless()),
    ("itertools.count()", lambda: itertools.count()),
    ("object()", lambda: object()),
    ("int", lambda: int),
    ("type", lambda: type),
    ("len", lambda: len),
    ("lambda *a: a", lambda: lambda *a: a),
    ("ValueError('x')", lambda: ValueError("x")),
    ("sys", lambda: sys),
    ("torch.ones(3)", lambda: torch.ones(3)),
    ("torch.ones(2, 3)", lambda: torch.ones(2, 3)),
    ("torch.ones(3, requires_grad=True)", lambda: torch.ones(3, requires_grad=True)),
    ("torch.tensor(nan)", lambda: torch.tensor(math.nan)),
    ("torch.tensor([1, 2])", lambda: torch.tensor([1, 2])),
    ("torch.zeros(0)", lambda: torch.zeros(0)),
    ("torch.ones(1).expand(10**11)", lambda: torch.ones(1).expand(10**11)),
    ("torch.zeros(10**8)", lambda: torch.zeros(10**8)),
    ("torch.tensor([True])", lambda: torch.tensor([True])),
    ("torch.float64", lambda: torch.float64),
    ("nn.Linear(2, 2)", lambda: nn.Linear(2, 2)),
]
ARGUMENT = dict(ARGUMENTS)
NAMES = [name for name, _ in ARGUMENTS]

KEYWORDS = (
    "dim", "size", "keepdim", "out", "dtype", "key", "reverse", "repeat", "sep", "end", "maxsplit",
    "width", "n", "k", "start", "stop", "steps", "p", "eps", "lr", "reduction", "kernel_size",
)

# These end or hold up the process by their nature, or draw on what the test itself uses.
LEFT_OUT = {
    "sys.exit", "builtins.exit", "builtins.quit", "time.sleep", "sys.setrecursionlimit", "sys.modules",
    "torch.seed", "sys.stdout", "sys.stderr", "builtins.print",
}

MODULES = {
    "builtins": builtins, "collections": collections, "contextlib": contextlib, "copy": copy,
    "dataclasses": dataclasses, "enum": enum, "functools": functools, "itertools": itertools,
    "json": json, "math": math, "operator": operator, "random": random_module,
    "statistics": statistics, "sys": sys, "time": time, "types": types, "typing": typing,
    "torch": torch, "torch.nn": nn, "F": F, "torch.optim": torch.optim, "torch.linalg": torch.linalg,
    "torch.autograd": torch.autograd, "nn.init": nn.init, "torch.utils.data": torch.utils.data,
}

# An object of each type, whose methods are called.
OBJECTS = [
    "0", "1", "-1", "10**100", "1 << 200_000", "0.5", "nan", "inf", "1j", "True", "None", "'a'", "''",
    "'é\\U0001f600'", "'\\ud800'", "'a' * 10**6", "b'abc'", "bytearray(b'ab')", "memoryview(b'abcd')", "[1, 2, 3]",
    "[nan, 'a', None]", "(1, 2)", "{'a': 1}", "{1, 2}", "range(10**12)", "range(10**30)",
    "slice(None, None, -10**18)", "nested list", "nested tuple", "nested map", "object()", "int", "type", "len",
    "lambda *a: a", "ValueError('x')", "torch.ones(3)", "torch.ones(2, 3)", "torch.tensor([1, 2])",
    "torch.ones(1).expand(10**11)", "torch.zeros(0)",
    "torch.ones(3, requires_grad=True)", "torch.tensor([True])", "torch.float64", "nn.Linear(2, 2)",
]

# Calls that were found to end the process, or that the issue names.
NAMED = [
    "bytes(10**14)", "bytearray(10**14)", "'a'.zfill(10**14)", "'a'.ljust(10**14)", "'a'.rjust(10**14)",
    "'a'.center(10**14)", "'\\t'.expandtabs(10**14)", "('a' * 10**6).join(['b'] * 10**6)",
    "('a' * 10**6).replace('a', 'b' * 10**6)", "(5).to_bytes(10**14, 'big')", "'%10000000000d' % 1",
    "b'%10000000000d' % 1", "f'{1:>10000000000}'", "format(1, '>10000000000')", "'{:>10000000000}'.format(1)",
    "'{:{}}'.format(1, 10**10)", "'%*d' % (10**10, 1)", "'%*d' % (2**31 - 1, 1)", "'%.*f' % (2**31 - 1, 1.5)",
    "f'{1.5:.99999e}'", "f'{1.5:.99999f}'", "f'{1.5:.99999g}'", "f'{1.5:.99999%}'", "'%.99999f' % 1.5",
    "'%.99999e' % 1.5", "format(1j, '.99999e')", "round(1.5, 10**9)", "round(1.5, -10**9)", "round(5, -10**9)",
    "round(5, 10**9)", "list(torch.ones(1).expand(10**11))", "torch.ones(1).expand(10**11).tolist()",
    "tuple(torch.ones(1).expand(10**11))", "set(torch.ones(1).expand(10**11))", "sum(torch.ones(1).expand(10**11))",
    "sorted(torch.ones(1).expand(10**11))", "list(map(abs, torch.ones(1).expand(10**11)))",
    "print(torch.zeros(10**9))", "repr(torch.ones(1).expand(10**11))", "str(torch.zeros(10**4, 10**5))",
    "[0] * 10**10", "'a' * 10**12", "10**10**9", "1 << 10**12", "list(range(10**12))", "[*range(10**12)]",
    "{*range(10**12)}", "dict.fromkeys(range(10**12))", "[].extend(range(10**12))", "len(range(10**30))",
    "range(10**30)[10**29]", "hash(range(10**30))", "'abc'[10**30:]", "[1, 2][::10**30]", "'abc'[::-10**30]",
    "[1].__mul__(10**12)", "'a'.__mul__(10**12)", "(10).__pow__(10**9)", "int.__lshift__(1, 10**12)",
    "str.__mul__('a', 10**12)", "(2).__rpow__(10**9)", "[0].__imul__(10**12)",
    "list(itertools.product(range(10**10)))", "itertools.product([1], repeat=10**10)",
    "itertools.combinations([1], 10**12)", "itertools.permutations(range(3), 10**12)",
    "itertools.combinations_with_replacement([1], 10**12)", "list(itertools.repeat(0, 10**12))",
    "list(itertools.islice(itertools.count(), 10**12))", "itertools.tee([1], 10**10)",
    "collections.deque(range(10**12))", "collections.deque([1]) * 10**12", "collections.deque([1], maxlen=10**12)",
    "random_module.choices([1], k=10**12)", "random_module.sample(range(10**12), 10**11)",
    "random_module.getrandbits(10**11)", "random_module.randbytes(10**12)", "math.factorial(10**9)",
    "math.comb(10**12, 10**11)", "math.perm(10**12, 10**11)", "memoryview(b'abcd').cast('B', [10**12])",
    "'a'.translate({97: 'b' * 10**6})", "('a' * 10**6).translate({97: 'b' * 10**6})", "('a ' * 10**7).split()",
    "('\\n' * 10**7).splitlines()", "bytes.fromhex('00' * 10**6)", "str(10**100_000)", "int('9' * 10**6)",
    "pow(3, 1 << 200_000, (1 << 200_000) - 1)", "(1 << 10**7) // ((1 << 5 * 10**6) - 1)", "sum(range(10**10))",
    "sorted(range(10**12))", "max(range(10**12))", "''.join('a' for _ in itertools.count())",
    "next(chained(10**4))", "nested(list, 10**6)", "repr(nested(list, 10**5))", "nested(list, 10**5) == nested(list, 10**5)",
    "hash(nested(tuple, 10**5))", "json.dumps(nested(list, 10**5))", "copy.deepcopy(nested(list, 10**5))",
    "json.loads('[' * 10**5)", "isinstance(1, nested(tuple, 10**5))", "torch.tensor(nested(list, 10**5))",
    "torch.ones(3)[range(10**9)]", "torch.ones(3)[[0] * 10**6]", "torch.zeros(10**11)", "torch.ones(10**6, 10**6)",
    "torch.arange(10**12)", "torch.linspace(0, 1, 10**12)", "torch.eye(10**7)", "torch.ones(3).repeat(10**12)",
    "torch.ones(10**6).outer(torch.ones(10**6))", "torch.ones(10**5, 1) @ torch.ones(1, 10**6)",
    "torch.randperm(10**11)", "torch.rand(10**11)", "torch.tensor(range(10**12))", "torch.tensor([0] * 10**6)",
    "nn.Linear(10**9, 10**9)", "nn.Embedding(10**12, 1)", "torch.ones(3).expand(10**30)",
    "torch.nn.functional.one_hot(torch.tensor([10**12]))", "torch.bincount(torch.tensor([10**12]))",
    "type('A', (), {'__slots__': ['x'] * 10**5})", "type('A' * 10**6, (), {})()", "object.__new__(Lies).n",
    "b'%2b' % b'abc'", "format('é' * 4, '.3')", "format(0xD800, 'c')", "f'{123456:,}'", "f'{0:0100000000,}'",
    "'{!r:{}}'.format(1, '\\ud800')", "'{a.\\ud800}'.format(a=1)", "'%(\\ud800)s' % {'a': 1}",
    "getattr(1, '\\ud800')", "type('\\ud800', (), {})", "exec('\\ud800')", "eval('(' * 10**5)",
    "eval('x' + '.y' * 10**5)", "exec('x = ' + '1 + ' * 10**5 + '1')", "int('1' * 4301)", "float('1' * 10**6)",
    "complex('1' * 10**6)", "int('1_' * 10**5 + '1', 36)", "'a'.encode('\\ud800')", "b'a'.decode('no')",
    "'\\ud800'.encode('utf-8', 'no')", "b'\\xff'.decode('utf-8', 'xmlcharrefreplace')", "'a'.__getnewargs__()",
    "(lambda: (yield))().throw(1)", "(lambda: (yield))().throw(ValueError, 1, 2)", "(lambda: (yield))().send(1)",
    "type.__call__(type, 1, 2, 3)", "type.mro(1)", "super(1, 2)", "super(int, 'a').x", "object.__reduce_ex__(1, 10**10)",
    "object().__reduce_ex__(4)", "(1).__reduce_ex__(2)", "[].__reduce__()", "iter([]).__reduce__()", "range(3).__reduce__()",
    "iter([]).__setstate__(10**30)", "iter('abc').__setstate__(-10**18)", "iter(range(3)).__setstate__(10**30)",
    "itertools.cycle([1]).__setstate__(1)", "itertools.product([1]).__setstate__((1, 2, 3))",
    "itertools.combinations([1, 2], 1).__setstate__((10**18,))", "functools.reduce(operator.add, [[0]] * 10**4)",
    "sum([[0] * 1000] * 10**5, [])", "sys.intern('a' * 10**6)", "sys.getsizeof(Lies(10**12))",
    "operator.length_hint(Lies(10**12))", "list(Lies(10**12))", "tuple(Lies(10**12))", "set(Lies(10**12))",
    "sorted(Lies(10**12))", "bytes(Lies(10**12))", "'a'.zfill(Lies(10**14))", "'a' * Lies(10**14)",
    "[0] * Lies(10**14)", "range(Lies(10**14))[Lies(10**13)]", "bytearray(b'ab')[Lies(10**14):Lies(10**14)]",
    "typing.Union[tuple(range(1000))]", "functools.partial(functools.partial, 1)(2)",
    "statistics.median([Raises()] * 3)", "dataclasses.make_dataclass('A', ['x'] * 1000)", "enum.Enum('E', 'a ' * 10**4)",
    "collections.namedtuple('A', 'a ' * 10**4, rename=True)", "collections.Counter(itertools.count())",
    "torch.set_printoptions(precision=10**6) or repr(torch.ones(2) / 3)", "torch.set_printoptions(linewidth=0, edgeitems=0) or repr(torch.ones(2000))",
    "torch.set_printoptions(threshold=10**12, edgeitems=10**12) or repr(torch.zeros(10**8))", "torch.set_printoptions(profile='default')",
]


def is_left_out(name):
    return name in LEFT_OUT or name.startswith("sys.set")


def callables():
    """Every name that can be called, sorted, so that a seed draws the same calls everywhere."""
    found = []
    for module, it in MODULES.items():
        for name in sorted(dir(it)):
            if name.startswith("__") or is_left_out(f"{module}.{name}"):
                continue
            if callable(getattr(it, name, None)):
                found.append((f"{module}.{name}", (lambda it=it, name=name: getattr(it, name)), 2))
    for text in OBJECTS:
        sample = ARGUMENT[text]()
        for name in sorted(dir(sample)):
            if name in ("__class__", "__subclasshook__", "__init_subclass__"):
                continue
            get = lambda text=text, name=name: getattr(ARGUMENT[text](), name)
            try:
                if callable(getattr(sample, name)):
                    found.append((f"({text}).{name}", get, 1))
            except Exception:
                pass
    return found


def draw():
    drawn = random_module.Random(SEED)
    calls = [(text, None, (), {}) for text in NAMED]
    for name, get, times in callables():
        calls.append((name, get, (), {}))
        for _ in range(times):
            n = drawn.choice((1, 1, 2, 2, 3))
            args = tuple(drawn.choice(NAMES) for _ in range(n))
            kwargs = {}
            if drawn.random() < 0.1:
                kwargs[drawn.choice(KEYWORDS)] = drawn.choice(NAMES)
            calls.append((name, get, args, kwargs))
    return calls


def describe(number):
    name, get, args, kwargs = CALLS[number]
    if get is None:
        return name
    return f"{name}({', '.join([*args, *(f'{key}={value}' for key, value in kwargs.items())])})"


def call(number):
    name, get, args, kwargs = CALLS[number]
    if get is None:
        result = eval(name)
    else:
        args = [ARGUMENT[text]() for text in args]
        kwargs = {key: ARGUMENT[text]() for key, text in kwargs.items()}
        result = get()(*args, **kwargs)
    # What came back can be looked at, too.
    repr(result)


def end_step():
    """What the engine's step holds ends with it."""
    (torch.ones(1, requires_grad=True) * 2).sum().backward()


CALLS = draw()
