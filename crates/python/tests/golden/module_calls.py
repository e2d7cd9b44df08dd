# The standard library as lessons use it, compared with CPython.
# What the frozen standard modules answer, compared with CPython (make.sh).
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import FrozenInstanceError, asdict, astuple, dataclass, field, fields, replace
from enum import Enum, Flag, IntEnum, auto
from functools import cache, cached_property, lru_cache, partial, reduce, singledispatch, total_ordering, wraps
from typing import Any, Callable, Generic, List, NamedTuple, Optional, TypeVar, Union
import abc, collections.abc, contextlib, copy, json, operator, statistics

Point = namedtuple("Point", "x y z", defaults=[0])
p = Point(1, y=2)
print(p, p.x + p.y, p._replace(z=5), p._asdict(), Point._fields, p == (1, 2, 0))
for bad in (lambda: Point(), lambda: Point(1, 2, 3, 4), lambda: namedtuple("A", "x x")):
    try:
        bad()
    except (TypeError, ValueError) as error:
        print(type(error).__name__)
d = defaultdict(list); d["a"].append(1); print(d, d["b"], len(d))
c = Counter("abracadabra"); print(c, c.most_common(2), c["z"], c + Counter(a=1), sorted(c.elements())[:3])
o = OrderedDict(a=1, b=2); o.move_to_end("a"); print(list(o), o.popitem())
q = deque([1, 2, 3], maxlen=3); q.append(4); q.rotate(1); print(q, q[0])
print(ChainMap({"a": 1}, {"a": 2, "b": 3})["b"])


@dataclass(order=True)
class Item:
    name: str
    price: float = 1.0
    tags: list = field(default_factory=list, compare=False)

    def total(self, n: int) -> float:
        return self.price * n


@dataclass(frozen=True)
class Base:
    name: str
    tags: tuple = ()


@dataclass(frozen=True)
class Fixed(Base):
    weight: int = 0


a, b = Item("a"), Item("b", 2)
print(a, a < b, a == Item("a"), a.total(3), asdict(b), astuple(a), replace(a, price=9))
print([f.name for f in fields(Fixed)], Fixed("q", weight=3), hash(Fixed("q", tags=())) == hash(Fixed("q", tags=())))
for bad in (lambda: Item(), lambda: Item(1, 2, 3, 4), lambda: Item(zzz=1)):
    try:
        bad()
    except TypeError as error:
        print(error)
try:
    Fixed("q").weight = 2
except FrozenInstanceError as error:
    print(error)


class Color(Enum):
    RED = 1
    GREEN = auto()
    CRIMSON = 1


class Size(IntEnum):
    S = 1
    L = 2


class Mode(Flag):
    R = auto()
    W = auto()


print(Color.RED, repr(Color.GREEN), Color(2), Color["RED"], Color.CRIMSON is Color.RED, list(Color), Size.L > Size.S, Size.S + 1, Mode.R | Mode.W, Mode.R in Mode.R | Mode.W)
try:
    Color(9)
except ValueError as error:
    print(error)


@lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(80), fib.cache_info(), fib.__name__)
print(reduce(operator.add, [1, 2, 3], 10), partial(pow, 2)(5))


@total_ordering
class V:
    def __init__(self, v):
        self.v = v

    def __eq__(self, other):
        return self.v == other.v

    def __lt__(self, other):
        return self.v < other.v

    @cached_property
    def double(self):
        print("once")
        return 2 * self.v


v = V(2)
print(v.double, v.double, V(1) >= V(1), V(1) > V(2), sorted([V(3), V(1)])[0].v)


@singledispatch
def kind(x):
    return "other"


@kind.register
def _(x: int):
    return "int"


@kind.register(list)
def _(x):
    return "list"


print(kind(1), kind([]), kind(""), kind(True))


def twice(f):
    @wraps(f)
    def inner(*args):
        "inner"
        return f(f(*args))

    return inner


@twice
def inc(x):
    "adds one"
    return x + 1


print(inc(1), inc.__name__, inc.__doc__)


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...


class Square(Shape):
    def area(self):
        return 4


try:
    Shape()
except TypeError as error:
    print("abstract" in str(error))
print(Square().area(), isinstance([], collections.abc.Sequence), isinstance({}, collections.abc.Mapping), isinstance((i for i in ()), collections.abc.Iterator), isinstance(print, collections.abc.Callable), isinstance(5, collections.abc.Iterable))
T = TypeVar("T")


class Stack(Generic[T]):
    def push(self, x: T, y: Optional[List[int]] = None, z: "Union[int, str]" = 0) -> Callable[[int], Any]: ...


class Pair(NamedTuple):
    left: int
    right: str = "r"

    def both(self):
        return f"{self.left}{self.right}"


print(Stack[int]().push(1), Pair(1), Pair(1).both(), Pair(2, "x")[1])


@contextlib.contextmanager
def tag(name):
    print("<", name)
    try:
        yield name
    finally:
        print(">", name)


with tag("a") as t, contextlib.suppress(KeyError):
    print(t)
    {}["missing"]
with contextlib.ExitStack() as stack:
    stack.enter_context(tag("b"))
    stack.callback(print, "callback")
nested = {"a": [1, {2}], "b": (a, [a])}
deep = copy.deepcopy(nested)
print(deep, deep["b"][0] is deep["b"][1][0], deep["b"][0] is a, copy.copy([1]) == [1])
text = json.dumps({"a": [1, 2.5, None, True], "é": "x\n"}, indent=2)
print(text, json.loads(text) == {"a": [1, 2.5, None, True], "é": "x\n"}, json.dumps([1, "a"]))
try:
    json.loads('{"a": }')
except ValueError as error:
    print(error)
print(statistics.mean([1, 2, 3, 4]), statistics.median([3, 1, 2]), round(statistics.stdev([1, 2, 3, 4]), 6))
