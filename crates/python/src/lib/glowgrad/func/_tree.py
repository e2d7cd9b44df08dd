"""Tensors in tuples, lists and dicts, as a list of leaves and the structure around them."""

from collections import OrderedDict

from glowgrad._tensor import _Named


def flatten(tree):
    """The leaves of a tree from left to right, and its structure."""
    leaves = []
    return leaves, _structure(tree, leaves)


def _structure(tree, leaves):
    kind = type(tree)
    if kind is dict or kind is OrderedDict:
        return kind, tuple(tree), tuple([_structure(each, leaves) for each in tree.values()])
    if kind is list or kind is tuple or isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return kind, None, tuple([_structure(each, leaves) for each in tree])
    if isinstance(tree, _Named):
        fields = (tree.kind, tree.fields)
        return _Named, fields, tuple([_structure(each, leaves) for each in tree])
    leaves.append(tree)
    return None


def unflatten(leaves, structure):
    """The tree with these leaves."""
    return _grown(iter(leaves), structure)


def _grown(leaves, structure):
    if structure is None:
        return next(leaves)
    kind, names, parts = structure
    values = [_grown(leaves, part) for part in parts]
    if names is None:
        return kind(*values) if hasattr(kind, "_fields") else kind(values)
    return _Named(*names, values) if kind is _Named else kind(zip(names, values))


def spread(prefix, structure):
    """A value for each leaf of a structure, of a tree that ends where they share one; or None."""
    if structure is None:
        return None if isinstance(prefix, (tuple, list, dict)) else [prefix]
    kind, names, parts = structure
    if not isinstance(prefix, (tuple, list, dict)):
        return [prefix] * _count(structure)
    if type(prefix) is not kind or len(prefix) != len(parts):
        return None
    if names is not None and kind is not _Named:
        if set(names) != set(prefix):
            return None
        prefix = [prefix[name] for name in names]
    found = []
    for each, part in zip(prefix, parts):
        below = spread(each, part)
        if below is None:
            return None
        found.extend(below)
    return found


def _count(structure):
    return 1 if structure is None else sum([_count(part) for part in structure[2]])


def shown(structure):
    """A structure as text, with a star for each leaf."""
    if structure is None:
        return "*"
    kind, names, parts = structure
    parts = [shown(part) for part in parts]
    if kind is list:
        return f"[{', '.join(parts)}]"
    if names is not None and kind is not _Named:
        return "{" + ", ".join([f"{name!r}: {part}" for name, part in zip(names, parts)]) + "}"
    return f"({', '.join(parts)})"


def spelled(structure, indent=0):
    """A structure as PyTorch spells it in messages."""
    if structure is None:
        return "*"
    kind, names, parts = structure
    context = list(names) if names is not None else kind if hasattr(kind, "_fields") else None
    title = "namedtuple" if hasattr(kind, "_fields") else kind.__name__
    between = ",\n" + " " * (indent + 2)
    below = between.join([spelled(each, indent + 2) for each in parts])
    return f"TreeSpec({title}, {context}, [{below}])"


def tree_map(function, tree):
    """The tree with each leaf replaced by what the function gives for it."""
    leaves, structure = flatten(tree)
    return unflatten([function(leaf) for leaf in leaves], structure)
