"""`torch.jit`: programs that PyTorch reads instead of running them. Here Python runs them."""

from glowgrad.nn.module import Module

__all__ = [
    "annotate", "enable_onednn_fusion", "export", "fork", "freeze", "ignore", "interface",
    "is_scripting", "is_tracing", "isinstance", "load", "onednn_fusion_enabled",
    "optimize_for_inference", "save", "script", "script_if_tracing", "set_fusion_strategy",
    "strict_fusion", "trace", "trace_module", "unused", "wait",
]


def _said():
    import _lab

    _lab.say_once("torch.jit gives functions and modules back as they are, and Python runs them.")


def script(obj, optimize=None, _frames_up=0, _rcb=None, example_inputs=None):
    """A function or a module as it is: Python runs it.

    >>> torch.jit.script(torch.sin)(torch.tensor(0.5))
    """
    _said()
    return obj


def trace(func, example_inputs=None, optimize=None, check_trace=True, check_inputs=None,
          check_tolerance=1e-5, strict=True, _force_outplace=False, _module_class=None,
          _compilation_unit=None, example_kwarg_inputs=None, _store_inputs=True):
    """A function or a module as it is, after it was called once.

    >>> torch.jit.trace(torch.sin, torch.tensor(0.5))(torch.tensor(0.0))
    """
    if example_inputs is None and example_kwarg_inputs is None:
        raise RuntimeError("example_kwarg_inputs should be a dict")
    _said()
    if example_kwarg_inputs is not None:
        func(**example_kwarg_inputs)
    else:
        given = example_inputs if type(example_inputs) in (tuple, list) else (example_inputs,)
        func(*given)
    return func


def trace_module(mod, inputs, *args, **kwargs):
    """A module as it is.

    >>> torch.jit.trace_module(nn.Linear(1, 1), {"forward": torch.ones(1, 1)})
    """
    _said()
    return mod


def _as_it_is(name, says):
    def function(obj, *args, **kwargs):
        return obj

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{says}\n\n>>> torch.jit.{name}(abs)(-1)"
    return function


export = _as_it_is("export", "A method as it is.")
interface = _as_it_is("interface", "A class as it is.")
script_if_tracing = _as_it_is("script_if_tracing", "A function as it is.")
optimize_for_inference = _as_it_is("optimize_for_inference", "A module as it is.")
unused = _as_it_is("unused", "A method as it is.")


def ignore(drop=False, **kwargs):
    """A method as it is.

    >>> torch.jit.ignore(abs)(-1)
    """
    return drop if callable(drop) else lambda fn: fn


def freeze(mod, preserved_attrs=None, optimize_numerics=True):
    """A module as it is, which has to be in eval mode.

    >>> torch.jit.freeze(nn.Linear(1, 1).eval())
    """
    if isinstance_(mod, Module) and mod.training:
        raise RuntimeError(
            "Freezing is currently only implemented for modules in eval mode. Please call .eval() "
            "on your module before freezing."
        )
    return mod


def annotate(the_type, the_value):
    """The value: a type is no more than a note.

    >>> torch.jit.annotate(int, 3)
    """
    return the_value


isinstance_ = isinstance


def isinstance(obj, target_type):
    """Whether an object is of a type, or of one of several; lists and dicts are not looked into.

    >>> torch.jit.isinstance(3, int)
    """
    kinds = target_type if isinstance_(target_type, tuple) else (target_type,)
    return isinstance_(obj, tuple([getattr(each, "__origin__", each) for each in kinds]))


class Future:
    """What a function gave that `torch.jit.fork` called.

    >>> torch.jit.fork(abs, -1).wait()
    """

    def __init__(self, value):
        self._value = value

    def wait(self):
        """The value. >>> torch.jit.fork(abs, -1).wait()"""
        return self._value

    value = wait

    def done(self):
        """Whether it is there: always. >>> torch.jit.fork(abs, -1).done()"""
        return True


def fork(func, *args, **kwargs):
    """Calls a function at once; `torch.jit.wait` gives what it gave.

    >>> torch.jit.wait(torch.jit.fork(abs, -1))
    """
    return Future(func(*args, **kwargs))


def wait(future):
    """What a function gave that `torch.jit.fork` called.

    >>> torch.jit.wait(torch.jit.fork(abs, -1))
    """
    return future.wait()


def is_scripting():
    """Whether a program is being read instead of run: never.

    >>> torch.jit.is_scripting()
    """
    return False


def is_tracing():
    """Whether a program is being recorded: never.

    >>> torch.jit.is_tracing()
    """
    return False


def enable_onednn_fusion(enabled):
    """Changes nothing: ops are fused anyway.

    >>> torch.jit.enable_onednn_fusion(True)
    """


def onednn_fusion_enabled():
    """Whether PyTorch's library for processors fuses ops: it is not here.

    >>> torch.jit.onednn_fusion_enabled()
    """
    return False


def set_fusion_strategy(strategy):
    """Changes nothing: ops are fused anyway; gives what was set.

    >>> torch.jit.set_fusion_strategy([("DYNAMIC", 3)])
    """
    return [("STATIC", 2), ("DYNAMIC", 10)]


class strict_fusion:
    """Under `with`, PyTorch warns where ops are not fused.

    >>> with torch.jit.strict_fusion():
    >>>     print(torch.ones(1))
    """

    def __enter__(self):
        return None

    def __exit__(self, *exception):
        return False


def save(m, f, _extra_files=None):
    """Writes a module into a file, as `torch.save` does: `torch.jit.load` reads it here.

    >>> from io import BytesIO
    >>> file = BytesIO()
    >>> torch.jit.save(nn.Linear(1, 1), file)
    >>> file.seek(0)
    >>> torch.jit.load(file)
    """
    from glowgrad.serialization import save

    save(m, f)


def load(f, map_location=None, _extra_files=None, _restore_shapes=False):
    """A module from a file that `torch.jit.save` wrote here.

    >>> from io import BytesIO
    >>> file = BytesIO()
    >>> torch.jit.save(nn.Linear(1, 1), file)
    >>> file.seek(0)
    >>> torch.jit.load(file)
    """
    from glowgrad.serialization import load

    return load(f, map_location, weights_only=False)
