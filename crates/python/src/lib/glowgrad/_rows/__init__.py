"""The registry of layers, losses and optimizers: a row for each public class of `torch.nn` and `torch.optim`.

What a layer takes and gives stands here alone, and is read by the reference, the JSON of a model
(`_model_json.py`), a builder that draws networks, code generators. `lab.catalog` gives the rows as data, and
`cargo lab reference` writes them to `lessons/reference/layers.json`. Invariant: every public class has a row, every
argument a type, and every shape rule gives what a forward pass gives (`crates/python/tests/it/rows.rs`).
"""

from glowgrad._rows.layers import LAYERS
from glowgrad._rows.losses import LOSSES
from glowgrad._rows.optimizers import OPTIMIZERS
from glowgrad._rows.row import Row
from glowgrad._rows.space import SPATIAL

_CONTAINERS = (
    *[
        Row(name, "container", (), "none: a container is the layers in it") for name in (
            "Module", "Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict", "Container",
        )
    ],
    Row("DataParallel", "container", (), "none: it is the module in it", reads={"dim": lambda module: 0}),
)
_BASES = tuple([
    Row(name, "base", (), "none: it is a base of other classes") for name in ("RNNBase", "RNNCellBase", "Optimizer")
])

ROWS = {row.name: row for row in (*LAYERS, *SPATIAL, *LOSSES, *OPTIMIZERS, *_CONTAINERS, *_BASES)}


def row_of(module):
    """The row of a module's class; None of a class that has none."""
    row = ROWS.get(type(module).__name__)
    return row if row is not None and row.cls is type(module) else None


def catalog(kind=None):
    """The rows as data, those of one kind if it is named."""
    kinds = sorted({row.kind for row in ROWS.values()})
    if kind is not None and kind not in kinds:
        raise ValueError(f"catalog(): there are no rows of kind {kind!r}; kinds are {', '.join(kinds)}")
    return [row.as_dict() for row in ROWS.values() if kind in (None, row.kind)]


def output_shape(module, shapes):
    """The shape that a module's result has for inputs of these shapes, without computing it."""
    from glowgrad.nn import Sequential

    if type(module) is Sequential:
        for child in module:
            shapes = [output_shape(child, shapes)]
        return shapes[0]
    row = row_of(module)
    if row is None:
        raise TypeError(
            f"output_shape(): {type(module).__name__} has no row; give a layer of torch.nn or a Sequential of them"
        )
    return row.output_shape(row.values_of(module), shapes)
