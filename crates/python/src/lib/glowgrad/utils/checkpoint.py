"""`torch.utils.checkpoint`: a part of a model is computed again when its gradient is asked for."""

from contextlib import contextmanager, nullcontext
from functools import partial, update_wrapper
from warnings import warn

import _glowgrad as _C
from glowgrad._joined import joined
from glowgrad._tensor import Tensor
from glowgrad.autograd import backward as _walk, enable_grad, no_grad
from glowgrad.nn.module import Module

__all__ = (
    "CheckpointError", "check_backward_validity", "checkpoint", "checkpoint_sequential",
    "detach_variable", "noop_context_fn", "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
)

_ATOMS = (int, float, str, bytes, type)
_LEAVE_OUT = (
    "{}: the use_reentrant parameter should be passed explicitly. use_reentrant=False is "
    "recommended, but if you need to preserve the current default behavior, you can pass "
    "use_reentrant=True."
)


class CheckpointError(RuntimeError):
    """Raised where a function gives other results when it runs again.

    >>> issubclass(torch.utils.checkpoint.CheckpointError, RuntimeError)
    """


def noop_context_fn():
    """Two contexts that change nothing: for the first run, and for the run again.

    >>> len(torch.utils.checkpoint.noop_context_fn())
    """
    return nullcontext(), nullcontext()


@contextmanager
def set_checkpoint_early_stop(enable):
    """Accepted: a function that runs again runs to its end.

    >>> with torch.utils.checkpoint.set_checkpoint_early_stop(False):
    >>>     y = torch.utils.checkpoint.checkpoint(torch.sin, torch.zeros(1), use_reentrant=False)
    >>> y
    """
    yield


@contextmanager
def set_checkpoint_debug_enabled(enabled):
    """Accepted: there is no log of what ran.

    >>> with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):
    >>>     y = torch.utils.checkpoint.checkpoint(torch.sin, torch.zeros(1), use_reentrant=False)
    >>> y
    """
    yield


def detach_variable(inputs):
    """The tensors of a tuple as leaves that require grad where those do.

    >>> x = torch.ones(1, requires_grad=True) * 2
    >>> torch.utils.checkpoint.detach_variable((x, 3))
    """
    if not isinstance(inputs, tuple):
        raise RuntimeError(
            "Only tuple of tensors is supported. Got Unsupported input type: "
            f"{type(inputs).__name__}"
        )
    return tuple([_leaf(x) if isinstance(x, Tensor) else x for x in inputs])


def _leaf(x):
    return x.detach().requires_grad_(x.requires_grad)


def check_backward_validity(inputs):
    """Warns where no input requires grad.

    >>> torch.utils.checkpoint.check_backward_validity([torch.ones(1, requires_grad=True)])
    """
    if not any(isinstance(x, Tensor) and x.requires_grad for x in inputs):
        warn("None of the inputs have requires_grad=True. Gradients will be None")


class _Again:
    """The random numbers of the first run, for the run again."""

    def __init__(self, preserves):
        self.state = _C.get_rng_state() if preserves else None

    def __enter__(self):
        if self.state is not None:
            self.ours = _C.get_rng_state()
            _C.set_rng_state(self.state)

    def __exit__(self, *exception):
        if self.state is not None:
            _C.set_rng_state(self.ours)


def _tensors(results):
    """The results as a list, where they are a tensor, or a tuple or list with tensors."""
    if isinstance(results, Tensor):
        return [results]
    return list(results) if type(results) in (tuple, list) else None


def _put_back(results, chosen, taped):
    """The results with some of them on the tape."""
    if isinstance(results, Tensor):
        return taped[0] if chosen else results
    kept = list(results)
    for i, x in zip(chosen, taped):
        kept[i] = x
    return type(results)(kept)


def _reentrant(function, preserves, args):
    """Runs off the tape; the run again has a walk of its own, which reaches all that is used."""
    check_backward_validity(args)
    again = _Again(preserves)
    with no_grad():
        results = function(*args)
    places = [i for i, x in enumerate(args) if isinstance(x, Tensor) and x.requires_grad]
    parts = _tensors(results)
    if not places or parts is None or not _C.is_grad_enabled():
        return results
    chosen = [i for i, x in enumerate(parts) if isinstance(x, Tensor) and x.is_floating_point()]

    def backward(gradients):
        with again:
            leaves = detach_variable(tuple(args))
            with enable_grad():
                outputs = _tensors(function(*leaves))
        pairs = [
            (outputs[i], gradient) for i, gradient in zip(chosen, gradients)
            if outputs[i].requires_grad
        ]
        if not pairs:
            raise RuntimeError(
                "none of output has requires_grad=True, this checkpoint() is not necessary"
            )
        _walk(
            [y for y, _ in pairs],
            [y.new_zeros(y.shape) if gradient is None else gradient for y, gradient in pairs],
        )
        return tuple([leaves[i].grad for i in places])

    values = [parts[i].detach() for i in chosen]
    inputs = [args[i] for i in places]
    taped = joined("CheckpointFunctionBackward", inputs, values, backward)
    return _put_back(results, chosen, taped)


def _node(x):
    """The node of a tensor that requires grad; for a leaf, where its gradient is added up."""
    if x.grad_fn is not None:
        return x.grad_fn
    return _C.quietly(lambda: x.view_as(x)).grad_fn.next_functions[0][0]


def _used(function, args, kwargs):
    """Tensors that a function may use: its arguments, and what it finds around itself."""
    found, seen = {}, set()

    def look(x, depth):
        if isinstance(x, Tensor):
            if x.requires_grad:
                found[id(x)] = x
        elif id(x) in seen or depth < 0 or x is None or isinstance(x, _ATOMS):
            return
        elif isinstance(x, Module):
            seen.add(id(x))
            found.update({id(each): each for each in x.parameters()})
            look_at(x.__dict__.values(), depth)
        elif isinstance(x, (list, tuple, set)):
            seen.add(id(x))
            look_at(x, depth)
        elif isinstance(x, dict):
            seen.add(id(x))
            look_at(x.values(), depth)
        elif isinstance(x, partial):
            look_at((x.func, x.args, x.keywords), depth)
        elif hasattr(x, "__func__"):
            look_at((x.__self__, x.__func__), depth)
        elif hasattr(x, "__code__"):
            seen.add(id(x))
            cells = [cell.cell_contents for cell in x.__closure__ or ()]
            names = _names(x.__code__)
            around = [x.__globals__[name] for name in names if name in x.__globals__]
            look_at((cells, x.__defaults__, x.__kwdefaults__, around), depth)
        elif hasattr(x, "__dict__") and not hasattr(x, "__loader__"):
            seen.add(id(x))
            look_at(list(x.__dict__.values()), depth)

    def look_at(values, depth):
        for value in list(values)[:1024]:
            look(value, depth - 1)

    look_at((args, kwargs, function), 8)
    return list(found.values())


def _names(code):
    """The names of globals in a function's code, and in that of functions inside it."""
    names = set(code.co_names)
    for value in code.co_consts:
        if hasattr(value, "co_names"):
            names |= _names(value)
    return names


def _reached(outputs, tensors):
    """Those of the tensors on which outputs depend; None if they depend on a leaf besides."""
    nodes = {_node(x): x for x in tensors}
    reached, seen = {}, set()
    waiting = [_node(y) for y in outputs]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if node in nodes:
            reached[id(nodes[node])] = nodes[node]
        elif node.name() == "AccumulateGrad":
            return None
        else:
            waiting.extend([after for after, _ in node.next_functions if after is not None])
    return list(reached.values())


def _plain(function, preserves, args, kwargs, context_fn):
    """Runs on the tape, then leaves the tape out and runs again for the gradient.

    Where the tape leads to a tensor that is not seen in the function, it stays as it is.
    """
    first, second = context_fn()
    again = _Again(preserves)
    with first:
        results = function(*args, **kwargs)
    parts = _tensors(results)
    if parts is None or not _C.is_grad_enabled():
        return results
    chosen = [i for i, x in enumerate(parts) if isinstance(x, Tensor) and x.requires_grad]
    known = _used(function, args, kwargs)
    inputs = _reached([parts[i] for i in chosen], known) if chosen else None
    if not inputs or any(parts[i] is x for i in chosen for x in known):
        return results
    shapes = [(parts[i].shape, parts[i].dtype) for i in chosen]

    def backward(gradients):
        twice = _C.is_grad_enabled()
        given, named = args, kwargs
        sources = list(inputs)
        if not twice:
            # Leaves in place of the arguments: the walk ends at them.
            twins = {id(x): _leaf(x) for x in (*args, *kwargs.values()) if isinstance(x, Tensor)}
            given = [twins.get(id(x), x) for x in args]
            named = {name: twins.get(id(x), x) for name, x in kwargs.items()}
            sources = [twins.get(id(x), x) for x in inputs]
        with again, enable_grad(), second:
            outputs = _tensors(function(*given, **named))
        if [(outputs[i].shape, outputs[i].dtype) for i in chosen] != shapes:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have "
                "different metadata than during the forward pass."
            )
        pairs = [(outputs[i], g) for i, g in zip(chosen, gradients) if g is not None]
        return tuple(_C.grad(
            [y for y, _ in pairs], sources, [g for _, g in pairs], twice, twice, True, False
        ))

    values = [parts[i].detach() for i in chosen]
    taped = joined("CheckpointBackward", inputs, values, backward)
    return _put_back(results, chosen, taped)


def checkpoint(function=None, *args, use_reentrant=None, preserve_rng_state=True,
               context_fn=noop_context_fn, determinism_check="default", debug=False,
               early_stop=True, respect_saved_tensors_hooks=None, **kwargs):
    """Calls a function whose values are not kept for the gradient: it runs again in `backward()`.

    >>> layer, x = nn.Linear(3, 2), torch.ones(3, requires_grad=True)
    >>> y = torch.utils.checkpoint.checkpoint(layer, x, use_reentrant=False)
    >>> y.sum().backward()
    >>> torch.equal(x.grad, layer.weight.sum(0))
    """
    options = dict(
        use_reentrant=use_reentrant, preserve_rng_state=preserve_rng_state, context_fn=context_fn,
        determinism_check=determinism_check, debug=debug, early_stop=early_stop,
        respect_saved_tensors_hooks=respect_saved_tensors_hooks,
    )
    if function is None and not args:
        _no_more(kwargs)
        return partial(_Checkpointed, options)
    if use_reentrant is None:
        warn(_LEAVE_OUT.format("torch.utils.checkpoint"))
        use_reentrant = True
    if use_reentrant:
        _no_more(kwargs)
        wanted = context_fn is not noop_context_fn or debug is not False
        if wanted or respect_saved_tensors_hooks is not None:
            raise ValueError(
                "Passing `context_fn`, `debug`, or `respect_saved_tensors_hooks` is only "
                "supported when use_reentrant=False."
            )
    else:
        if debug and context_fn is not noop_context_fn:
            raise ValueError("debug=True is incompatible with non-default context_fn")
        if determinism_check not in ("default", "none"):
            raise ValueError(
                "determinism_check should be one of ['default', 'none'], but got "
                f"{determinism_check}"
            )
    if _C.is_capturing():
        # The step will run again as one; its memory is planned as a whole.
        return function(*args, **kwargs)
    if use_reentrant:
        return _reentrant(function, preserve_rng_state, args)
    return _plain(function, preserve_rng_state, args, kwargs, context_fn)


class _Checkpointed:
    """A function that `checkpoint` decorates."""

    def __init__(self, options, function):
        self.options, self.function = options, function
        update_wrapper(self, function, updated=())

    def __call__(self, *args, **kwargs):
        return checkpoint(self.function, *args, **self.options, **kwargs)

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return _Checkpointed(self.options, self.function.__get__(instance, owner))


def _no_more(kwargs):
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """Calls modules one after another, in segments of which all but the last are checkpointed.

    >>> model = nn.Sequential(*[nn.Linear(2, 2) for _ in range(4)])
    >>> x = torch.ones(2, requires_grad=True)
    >>> torch.utils.checkpoint.checkpoint_sequential(model, 2, x, use_reentrant=False).shape
    """
    if use_reentrant is None:
        warn(_LEAVE_OUT.format("torch.utils.checkpoint.checkpoint_sequential"))
        use_reentrant = True
    preserves = kwargs.pop("preserve_rng_state", True)
    _no_more(kwargs)
    functions = list(functions.children() if isinstance(functions, Module) else functions)
    size = len(functions) // segments

    def through(start, end):
        def forward(x):
            for function in functions[start:end]:
                x = function(x)
            return x

        return forward

    end = 0
    for start in range(0, size * (segments - 1), size):
        end = start + size
        input = checkpoint(
            through(start, end), input, use_reentrant=use_reentrant, preserve_rng_state=preserves
        )
    return through(end, len(functions))(input)
