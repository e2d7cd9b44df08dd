"""Shape rules: one text that people read and that is evaluated, `[*, in_features] -> [*, out_features]`.

Left of the arrow stands a pattern for each input. A name is an argument, whose value the dimension must have, or it
is bound to the dimension. `N?` is a dimension that may be missing, `*S` any number of dimensions, `*` those without
a name; a name that returns must be the same again. Right of the arrow stands an expression of these names: a list
is a shape, several in parentheses are several results. `where` defines what it uses besides, as expressions or
functions: `"pooled(n, i)": "(n - kernel_size[i]) // stride[i] + 1"`.

Expressions are those of Python with numbers, comparisons, `if … else`, indices and the functions below. They come
from the rows alone, never from a model's JSON. Invariant: where a forward pass is
possible, a rule that fits gives its shape; the test of the rows holds every one to it.
"""

import math


def _inferred(sizes, n):
    """The sizes into which a dimension of n is laid out, with the one that is -1 found."""
    known = math.prod([size for size in sizes if size != -1])
    return [n // known if size == -1 else size for size in sizes]


_FUNCTIONS = {
    "__builtins__": {}, "prod": math.prod, "len": len, "floor": math.floor, "ceil": math.ceil, "max": max, "min": min,
    "int": int, "inferred": _inferred,
}


class Misfit(ValueError):
    """An input that no pattern of a rule fits."""


def evaluate(rules, where, arguments, shapes, divisible=()):
    """The shape of the result, a tuple of sizes, or a tuple of such where there are several.

    `arguments` are the values by name, those of spatial dimensions as lists; `shapes` those of the inputs. `divisible`
    says which names must be divisible by what.
    """
    reasons = []
    for rule in rules:
        left, right = rule.split(" -> ")
        try:
            names = _bound(left, arguments, shapes)
        except Misfit as misfit:
            reasons.append(f"{misfit}")
            continue
        names = {**arguments, **names}
        for whole in divisible:
            n, divisor = result(f"({whole}, {divisible[whole]})", where, names)
            if divisor < 1 or n % divisor:
                raise Misfit(f"{whole} must be divisible by {divisible[whole]}: {n} and {divisor} came")
        return result(right, where, names)
    raise Misfit("; ".join(reasons))


def result(right, where, names):
    """What the right side of a rule gives for these names."""
    names = {**_FUNCTIONS, **names}
    for head, body in where.items():
        names[head.split("(")[0]] = _defined(head, body, names)
    return _frozen(eval(_as_python(right), names))


def _defined(head, body, names):
    name, parenthesis, rest = head.partition("(")
    if not parenthesis:
        return eval(body, names)
    parameters = rest.rstrip(")").split(", ")
    # `names` is read when the function is called, so that it finds those that are defined after it.
    return lambda *values: eval(body, {**names, **dict(zip(parameters, values))})


def _as_python(right):
    """`[N?, *]` as Python has it: `[*N, *any_]`."""
    text = ""
    for item in right.replace("*]", "*any_]").replace("*,", "*any_,").split("?"):
        if text:
            start = max(text.rfind("["), text.rfind(" ")) + 1
            text = f"{text[:start]}*{text[start:]}"
        text += item
    return text


def _frozen(value):
    """A list of sizes as a tuple of them; a tuple of results stays one."""
    if isinstance(value, (list, tuple)):
        return tuple([_frozen(each) for each in value])
    return value


def patterns(left):
    """The items of each input's pattern: `[N, C], [N]` is `[["N", "C"], ["N"]]`."""
    return [[item for item in each.strip("[]").split(", ") if item] for each in left.split("], [")]


def _bound(left, arguments, shapes):
    wanted = patterns(left)
    if len(wanted) != len(shapes):
        inputs = "one input" if len(wanted) == 1 else f"{len(wanted)} inputs"
        raise Misfit(f"{left} is {inputs}, not {len(shapes)}")
    names = {}
    for pattern, shape in zip(wanted, shapes):
        _match(pattern, tuple(shape), arguments, names)
    return names


def _match(pattern, shape, arguments, names):
    text = f"[{', '.join(pattern)}]"
    items = []
    for item in pattern:
        name = item.strip("*?") or "any_"
        known = names.get(name, arguments.get(name))
        if item[0] == "*" or item[-1] == "?":
            # What is known already is so many dimensions; the rest is found from how many there are.
            items += [(name, size) for size in known] if known is not None else [(item, None)]
        else:
            items.append((name, int(item) if item.isdigit() else known))
    open_at = [i for i, (item, _) in enumerate(items) if item[0] == "*" or item[-1] == "?"]
    spare = len(shape) - (len(items) - len(open_at))
    if spare < 0 or not open_at and spare or open_at and items[open_at[0]][0][-1] == "?" and spare > 1:
        raise Misfit(f"an input of {len(shape)} dimensions, {list(shape)}, does not fit {text}")
    at = 0
    for i, (name, size) in enumerate(items):
        if i in open_at:
            names[name.strip("*?") or "any_"] = shape[at:at + spare]
            at += spare
            continue
        if size is not None and size != shape[at]:
            raise Misfit(f"dimension {at} of {list(shape)} is {shape[at]}, and {name} of {text} is {size}")
        if name not in arguments and not name.isdigit() and name not in names:
            names[name] = shape[at]
        at += 1
