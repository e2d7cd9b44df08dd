"""How modules with hooks are called, and hooks that all modules have: loaded with the first hook.

A module without hooks of its own is called as before, but for a look at its dict.
"""

from collections import OrderedDict
from warnings import warn

import _glowgrad as _C
from glowgrad._joined import joined
from glowgrad._tensor import Tensor
from glowgrad.nn import module as _module
from glowgrad.nn._hooks import _add, _hooks_of

_KINDS = ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks")
# The hooks of all modules, by the kinds that a module has too.
_global = {
    name: OrderedDict()
    for name in (*_KINDS, "_forward_hooks_with_kwargs", "_forward_hooks_always_called")
}
_global_is_full = None


def call(module, args, kwargs):
    """Calls a module with its hooks and those of all modules."""
    own = module.__dict__
    if not any(own.get(kind) or _global[kind] for kind in _KINDS):
        return module.forward(*args, **kwargs)
    running = _Call(module, args, kwargs)
    try:
        return running.run()
    except Exception:
        running.finish()
        raise


_module._hooked[:] = [call]


def _marked(module, mark):
    """The numbers of the hooks with a mark."""
    return {*module.__dict__.get(mark, ()), *_global.get(mark, ())}


class _Call:
    """One call of a module."""

    def __init__(self, module, args, kwargs):
        self.module, self.args, self.kwargs = module, args, kwargs
        self.result, self.called = None, set()

    def _hooks(self, kind):
        return [*_global[kind].items(), *self.module.__dict__.get(kind, {}).items()]

    def run(self):
        module = self.module
        self._before()
        backward = None
        hooks = [hook for _, hook in self._hooks("_backward_hooks")]
        pre_hooks = [hook for _, hook in self._hooks("_backward_pre_hooks")]
        if hooks or pre_hooks:
            backward = _BackwardHook(module, hooks, pre_hooks)
            self.args = backward.setup_input_hook(self.args)
        self.result = module.forward(*self.args, **self.kwargs)
        always = _marked(module, "_forward_hooks_always_called")
        for number, hook in self._hooks("_forward_hooks"):
            if number in always:
                self.called.add(number)
            self._after(number, hook)
        if backward is not None:
            if not isinstance(self.result, (Tensor, tuple)):
                warn(
                    "For backward hooks to be called, module output should be a Tensor or a tuple "
                    f"of Tensors but received {type(self.result)}"
                )
            self.result = backward.setup_output_hook(self.result)
        return self.result

    def _before(self):
        wanting = _marked(self.module, "_forward_pre_hooks_with_kwargs")
        for number, hook in self._hooks("_forward_pre_hooks"):
            if number in wanting:
                given = hook(self.module, self.args, self.kwargs)
                if given is None:
                    continue
                if not isinstance(given, tuple) or len(given) != 2:
                    raise RuntimeError(
                        "forward pre-hook must return None or a tuple of (new_args, new_kwargs), "
                        f"but got {given}."
                    )
                self.args, self.kwargs = given
            else:
                given = hook(self.module, self.args)
                if given is not None:
                    self.args = given if isinstance(given, tuple) else (given,)

    def _after(self, number, hook):
        wanting = _marked(self.module, "_forward_hooks_with_kwargs")
        extra = (self.kwargs,) if number in wanting else ()
        given = hook(self.module, self.args, *extra, self.result)
        if given is not None:
            self.result = given

    def finish(self):
        """Calls the hooks that are called whatever happens, and were not."""
        always = _marked(self.module, "_forward_hooks_always_called") - self.called
        for number, hook in self._hooks("_forward_hooks"):
            if number in always:
                try:
                    self._after(number, hook)
                except Exception as error:
                    every = "global module" if number in _global["_forward_hooks"] else "module"
                    warn(
                        f"{every} forward hook with ``always_call=True`` raised an exception that "
                        f"was silenced as another error was raised in forward: {error}"
                    )


class _BackwardHook:
    """The hooks of one call that see gradients."""

    def __init__(self, module, user_hooks, user_pre_hooks):
        self.module, self.hooks, self.pre_hooks = module, user_hooks, user_pre_hooks
        self.grad_outputs = None
        self.inputs = self.n_inputs = None

    def _through(self, args, backward):
        """args with its tensors that require grad as results of one node, and where they are."""
        places = [i for i, x in enumerate(args) if isinstance(x, Tensor) and x.requires_grad]
        if not places or not _C.is_grad_enabled():
            return args, None
        tensors = [args[i] for i in places]
        values = [x.detach() for x in tensors]
        results = joined("BackwardHookFunctionBackward", tensors, values, backward)
        passed = list(args)
        for i, result in zip(places, results):
            passed[i] = result
        return tuple(passed) if type(args) is tuple else type(args)(*passed), places

    def setup_input_hook(self, args):
        """The arguments, noted so that their gradients meet the hooks."""
        self.n_inputs = len(args)
        # The shapes say what a gradient of 0 is, where none came.
        kinds = {
            i: (x.shape, x.dtype, x.device) for i, x in enumerate(args) if isinstance(x, Tensor)
        }

        def backward(gradients):
            if self.grad_outputs is None:
                return gradients
            given = [None] * len(args)
            for i, (shape, dtype, device) in kinds.items():
                came = gradients[self.inputs.index(i)] if i in self.inputs else None
                if came is None:
                    with device:
                        came = _C.full(shape, 0.0, dtype, False, "zeros")
                given[i] = came
            given = tuple(given)
            for hook in self.hooks:
                returned = hook(self.module, given, self.grad_outputs)
                if returned is None:
                    continue
                if len(returned) != len(given):
                    raise RuntimeError(
                        "Backward hook returned an invalid number of grad_input, got "
                        f"{len(returned)}, but expected {len(given)}"
                    )
                given = returned
            self.grad_outputs = None
            return tuple([given[i] for i in self.inputs])

        passed, self.inputs = self._through(args, backward)
        return passed

    def setup_output_hook(self, args):
        """The results, noted so that their gradients meet the hooks."""
        is_tuple = isinstance(args, tuple)
        results = args if is_tuple else (args,)
        places = None

        def backward(gradients):
            given = [None] * len(results)
            for i, gradient in zip(places, gradients):
                given[i] = gradient
            given = tuple(given)
            for hook in self.pre_hooks:
                returned = hook(self.module, given)
                if returned is None:
                    continue
                if len(returned) != len(given):
                    raise RuntimeError(
                        "Backward pre hook returned an invalid number of grad_output, got "
                        f"{len(returned)}, but expected {len(given)}"
                    )
                given = returned
            self.grad_outputs = given
            if self.inputs is None:
                self._without_inputs()
            return tuple([given[i] for i in places])

        passed, places = self._through(results, backward)
        return passed if is_tuple else passed[0]

    def _without_inputs(self):
        """Calls the hooks where no input requires grad."""
        for hook in self.hooks:
            returned = hook(self.module, (None,) * self.n_inputs, self.grad_outputs)
            is_nothing = isinstance(returned, tuple) and all(each is None for each in returned)
            if returned is not None and not is_nothing:
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always "
                    "return None or None for all gradients."
                )
        self.grad_outputs = None


def register_module_forward_pre_hook(hook):
    """Calls `hook(module, args)` before every module's `forward`.

    >>> from glowgrad.nn.modules.module import register_module_forward_pre_hook
    >>> with register_module_forward_pre_hook(lambda module, args: print(module)):
    >>>     y = nn.ReLU()(torch.ones(2))
    >>> y
    """
    return _add(_global["_forward_pre_hooks"], hook)


def register_module_forward_hook(hook, *, with_kwargs=False, always_call=False):
    """Calls `hook(module, args, output)` after every module's `forward`.

    >>> from glowgrad.nn.modules.module import register_module_forward_hook
    >>> with register_module_forward_hook(lambda module, args, output: print(output.shape)):
    >>>     y = nn.Linear(3, 2)(torch.ones(3))
    >>> y.shape
    """
    marks = {}
    if with_kwargs:
        marks["kwargs"] = _global["_forward_hooks_with_kwargs"]
    if always_call:
        marks["always"] = _global["_forward_hooks_always_called"]
    return _add(_global["_forward_hooks"], hook, **marks)


def register_module_full_backward_pre_hook(hook):
    """Calls `hook(module, grad_output)` when the gradients of any module's outputs are there.

    >>> from glowgrad.nn.modules.module import register_module_full_backward_pre_hook
    >>> handle = register_module_full_backward_pre_hook(lambda module, grads: print(module))
    >>> nn.Linear(3, 1)(torch.ones(3)).backward()
    >>> handle.remove()
    """
    return _add(_global["_backward_pre_hooks"], hook)


def register_module_full_backward_hook(hook):
    """Calls `hook(module, grad_input, grad_output)` when any module's inputs have their gradients.

    >>> from glowgrad.nn.modules.module import register_module_full_backward_hook
    >>> handle = register_module_full_backward_hook(lambda module, gx, gy: print(module))
    >>> nn.Linear(3, 1)(torch.ones(3, requires_grad=True)).backward()
    >>> handle.remove()
    """
    return _add_global_backward_hook(hook, True)


def register_module_backward_hook(hook):
    """As `register_module_full_backward_hook`, under PyTorch's old name.

    >>> from glowgrad.nn.modules import module
    >>> module.register_module_backward_hook.__name__
    """
    return _add_global_backward_hook(hook, False)


def _add_global_backward_hook(hook, is_full):
    global _global_is_full
    if _global_is_full is (not is_full):
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks as a global Module "
            "hook. Please use only one of them."
        )
    _global_is_full = is_full
    return _add(_global["_backward_hooks"], hook)


def _add_registration_hook(kind, hook):
    return _add(_module._registering.setdefault(kind, OrderedDict()), hook)


def register_module_parameter_registration_hook(hook):
    """Calls `hook(module, name, parameter)` when any module gets a parameter; what it returns
    takes its place.

    >>> from glowgrad.nn.modules.module import register_module_parameter_registration_hook
    >>> with register_module_parameter_registration_hook(lambda module, name, p: print(name)):
    >>>     layer = nn.Linear(3, 2)
    >>> layer
    """
    return _add_registration_hook("parameter", hook)


def register_module_buffer_registration_hook(hook):
    """Calls `hook(module, name, buffer)` when any module gets a buffer; what it returns takes its
    place.

    >>> from glowgrad.nn.modules.module import register_module_buffer_registration_hook
    >>> with register_module_buffer_registration_hook(lambda module, name, buffer: print(name)):
    >>>     layer = nn.BatchNorm1d(2)
    >>> layer
    """
    return _add_registration_hook("buffer", hook)


def register_module_module_registration_hook(hook):
    """Calls `hook(module, name, submodule)` when any module gets one; what it returns takes its
    place.

    >>> from glowgrad.nn.modules.module import register_module_module_registration_hook
    >>> with register_module_module_registration_hook(lambda module, name, inner: print(name)):
    >>>     model = nn.Sequential(nn.ReLU())
    >>> model
    """
    return _add_registration_hook("module", hook)
