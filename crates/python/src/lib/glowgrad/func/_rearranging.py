"""`torch.func.rearrange`: dimensions moved, split and joined, as a pattern of names says."""

import re

import _glowgrad as _C
from _glowgrad import TensorBase


def _groups(side):
    """A side of a pattern as lists of names, one for each dimension; `...` stands for itself."""
    if side.count("(") != side.count(")"):
        raise ValueError(f"Imbalanced parentheses in expression: '{side}'")
    groups, inside = [], None
    for token in re.findall(r"\.\.\.|[()]|[^\s()]+", side):
        if token == "(":
            if inside is not None:
                raise ValueError(
                    "Axis composition is one-level (brackets inside brackets not allowed)"
                )
            inside = []
        elif token == ")":
            if inside is None:
                raise ValueError("Brackets are not balanced")
            groups.append(inside)
            inside = None
        elif token == "...":
            (groups if inside is None else inside).append("...")
        else:
            if token != "1" and not token.isidentifier():
                raise ValueError(f"Invalid axis identifier '{token}' in expression '{side}'")
            names = [] if token == "1" else [token]
            if inside is None:
                groups.append(names)
            else:
                inside.extend(names)
    names = [name for group in groups for name in (group if isinstance(group, list) else [group])]
    for name in names:
        if names.count(name) > 1:
            if name == "...":
                raise ValueError("Expression may contain dots only inside ellipsis (...)")
            raise ValueError(f"Indexing expression contains duplicate dimension '{name}'")
    return groups, names


def rearrange(tensor, pattern, **axes_lengths):
    """Dimensions in another order, joined and split, as a pattern of their names says.

    >>> torch.func.rearrange(torch.ones(2, 6, 3), "b (h w) c -> b c h w", h=2).shape
    """
    if not isinstance(tensor, TensorBase):
        tensor = _C.stack(list(tensor))
    if pattern.count("->") != 1:
        raise ValueError("Pattern must contain a single '->' separator")
    (left, left_names), (right, right_names) = map(_groups, pattern.split("->"))
    unknown = set(axes_lengths) - {*left_names, *right_names}
    if unknown:
        raise ValueError(f"Identifiers not found in rearrange expression: {unknown}")
    lone = set(left_names) ^ set(right_names)
    if lone:
        raise ValueError(
            f"Identifiers only on one side of rearrange expression (should be on both): {lone}"
        )
    fixed = sum(group != "..." for group in left)
    free = tensor.ndim - fixed
    if free < 0 or free and "..." not in left:
        raise ValueError(
            f"Number of dimensions in pattern ({fixed}) must be equal to the number of dimensions "
            f"in the tensor ({tensor.ndim})" if "..." not in left else
            f"Number of dimensions in pattern ({fixed}) must be less than or equal to the number "
            f"of dimensions in the tensor ({tensor.ndim})"
        )
    sizes, order, at = [], {}, 0
    for group in left:
        if group == "...":
            order["..."] = list(range(len(sizes), len(sizes) + free))
            sizes += tensor.shape[at:at + free]
            at += free
            continue
        order.update({name: [len(sizes) + place] for place, name in enumerate(group)})
        sizes += _split(tensor.shape[at], group, axes_lengths)
        at += 1
    spread = tensor.reshape(sizes)
    places = [place for name in right_names for place in order[name]]
    spread = spread.permute(places) if places else spread
    shape = []
    for group in right:
        if group == "...":
            shape += [sizes[place] for place in order["..."]]
        else:
            joined = [sizes[place] for name in group for place in order[name]]
            size = 1
            for each in joined:
                size *= each
            shape.append(size)
    return spread.reshape(shape)


def _split(size, group, lengths):
    """The sizes of the names that a dimension is split into."""
    known = [lengths.get(name) for name in group]
    if len(group) == 1 and known[0] is None:
        return [size]
    if known.count(None) > 1:
        raise ValueError(f"cannot infer the sizes of two dimensions at once: {' '.join(group)}")
    whole = 1
    for each in known:
        whole *= 1 if each is None else each
    if None in known and size % whole or None not in known and whole != size:
        raise ValueError(
            f"the sizes of {' '.join(group)} do not evenly fit into larger dimension: {size}"
        )
    return [size // whole if each is None else each for each in known]
