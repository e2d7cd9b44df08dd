"""`torch.compiler`: what a program says to PyTorch's compiler. Here every op is compiled anyway."""

from glowgrad._compiling import compile

__all__ = [
    "compile", "assume_constant_result", "reset", "allow_in_graph", "substitute_in_graph",
    "list_backends", "disable", "set_stance", "set_enable_guard_collectives",
    "cudagraph_mark_step_begin", "wrap_numpy", "is_compiling",
    "is_dynamo_compiling", "is_exporting", "save_cache_artifacts", "load_cache_artifacts",
    "nested_compile_region",
]


def _as_it_is(name, says):
    def function(fn):
        return fn

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{says}\n\n>>> torch.compiler.{name}(abs)(-1)"
    return function


assume_constant_result = _as_it_is(
    "assume_constant_result", "A function as it is: what it gives is never kept."
)
allow_in_graph = _as_it_is("allow_in_graph", "A function, or several, as they are.")
wrap_numpy = _as_it_is("wrap_numpy", "A function as it is.")
nested_compile_region = _as_it_is("nested_compile_region", "A function as it is.")


def disable(fn=None, recursive=True, *, reason=None):
    """A function as it is: no function is compiled as a whole.

    >>> torch.compiler.disable(abs)(-1)
    """
    return (lambda fn: fn) if fn is None else fn


def substitute_in_graph(original_fn, *, can_constant_fold_through=False,
                        skip_signature_check=False):
    """Decorates a function that PyTorch's compiler would take for another: it stays as it is.

    >>> torch.compiler.substitute_in_graph(abs)(lambda x: x)(3)
    """
    if not callable(original_fn):
        raise TypeError(f"substitute_in_graph expects a function but got {type(original_fn)!r}")
    return lambda traceable_fn: traceable_fn


def reset():
    """Does nothing: nothing is kept of what was compiled.

    >>> torch.compiler.reset()
    """


def list_backends(exclude_tags=("debug", "experimental")):
    """The names that `torch.compile` takes for `backend` and does the same for.

    >>> torch.compiler.list_backends()
    """
    return ["cudagraphs", "inductor"]


class set_stance:
    """Says what is to be compiled, from now on or under `with`: it changes nothing.

    >>> with torch.compiler.set_stance("force_eager"):
    >>>     print(torch.ones(2))
    """

    def __init__(self, stance="default", *, skip_guard_eval_unsafe=False, force_backend=None):
        known = (
            "aot_eager_then_compile default eager_on_recompile eager_then_compile "
            "fail_on_recompile force_eager"
        ).split()
        if stance not in known:
            raise RuntimeError(f"invalid torch.compile stance '{stance}'; it is one of {known}")
        if force_backend is not None and stance != "default":
            raise RuntimeError("non-default stance cannot have force_backend set")

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False

    def __call__(self, fn):
        return fn


def set_enable_guard_collectives(enabled):
    """Does nothing, and gives what was set before: False.

    >>> torch.compiler.set_enable_guard_collectives(False)
    """
    return False


def cudagraph_mark_step_begin():
    """Does nothing: `lab.train` itself knows where a step begins.

    >>> torch.compiler.cudagraph_mark_step_begin()
    """


def _no(name, value, says):
    def function():
        return value

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{says}\n\n>>> torch.compiler.{name}()"
    return function


is_compiling = _no(
    "is_compiling", False, "Whether a function is being read by a compiler: never, it runs."
)
is_dynamo_compiling = _no("is_dynamo_compiling", False, "As `torch.compiler.is_compiling`.")
is_exporting = _no("is_exporting", False, "Whether a function is being exported: never.")
save_cache_artifacts = _no(
    "save_cache_artifacts", None, "What was compiled, as bytes: None, since kernels are not kept."
)


def load_cache_artifacts(serialized_artifacts):
    """Takes what another program compiled: None, since kernels are made anew.

    >>> torch.compiler.load_cache_artifacts(b"")
    """
