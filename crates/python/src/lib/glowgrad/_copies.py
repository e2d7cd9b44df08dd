"""Copies of views: `permute_copy` and its like."""

import _glowgrad as _C
from glowgrad._compose import _named, _takes
from glowgrad._contents import _FUNCTIONS
from glowgrad._out import _with_out
from glowgrad._pieces import _slice, split_with_sizes

# What each is shown with.
_EXAMPLES = {
    "alias": "", "as_strided": ", (2,), (3,)", "detach": "", "diagonal": "", "expand": ", (2, 3)",
    "narrow": ", 0, 1, 1", "permute": ", (1, 0)", "select": ", 0, 1", "slice": ", 1, 0, 2",
    "split": ", 1", "split_with_sizes": ", [1, 1]", "squeeze": "", "t": "", "transpose": ", 0, 1",
    "unbind": "", "unfold": ", 1, 2, 1", "unsqueeze": ", 0", "view": ", (3, 2)",
}
# Those that differ from the method of the same name.
_VIEWS = {
    "alias": lambda x: x.view(x.shape),
    "as_strided": lambda x, size, stride, storage_offset=None: x.as_strided(
        size, stride, storage_offset or 0
    ),
    "expand": lambda x, size, *, implicit=False: x.expand(*size),
    "slice": lambda x, dim=0, start=None, end=None, step=1: _slice(x, dim, start, end, step),
    "split_with_sizes": split_with_sizes,
}


def _copying(base):
    name = f"{base}_copy"
    title = "".join(part.capitalize() for part in base.split("_"))
    tape = "NarrowCopyBackward0" if base == "narrow" else f"{title}Backward0_copy"

    def function(input, *args, **kwargs):
        view = _VIEWS[base] if base in _VIEWS else getattr(type(input), base)
        if base in ("split", "split_with_sizes", "unbind"):
            pieces = view(input, *args, **kwargs)
            return tuple([_named(tape, lambda x: x.clone(), piece) for piece in pieces])
        return _named(tape, lambda x: view(x, *args, **kwargs).clone(), input)

    function.__name__ = function.__qualname__ = name
    of = "the tensor" if base == "alias" else f"what `{base}` gives"
    function.__doc__ = f"A copy of {of}.\n\n>>> torch.{name}(torch.ones(2, 3){_EXAMPLES[base]})"
    return _with_out(_takes("input")(function))


for _name in _FUNCTIONS["_copies"].split():
    globals()[_name] = _copying(_name[:-5])
del _name
