"""What registers hooks with a module; how they are called is in `_hooked_calls.py`."""

from collections import OrderedDict


class _Own:
    """A dict of hooks that a module gets when it is first asked for."""

    def __init__(self, name):
        self.name = name

    def __get__(self, module, owner=None):
        if module is None:
            return self
        hooks = module.__dict__[self.name] = OrderedDict()
        return hooks


def _add(hooks, hook, prepend=False, **marks):
    """Adds a hook, notes it in the dicts of what it wants, and gives what takes it out again."""
    from glowgrad.utils.hooks import RemovableHandle

    handle = RemovableHandle(hooks, extra_dict=list(marks.values()))
    hooks[handle.id] = hook
    for marked in marks.values():
        marked[handle.id] = True
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def _hooks_of(module, name):
    """A module's hooks of one kind, without making a dict for them."""
    hooks = module.__dict__.get(name)
    return tuple(hooks.values()) if hooks else ()


class Hooked:
    """The part of a module that takes hooks."""

    _is_full_backward_hook = None

    def _add_call_hook(self, name, hook, prepend, **wanted):
        from glowgrad.nn import _hooked_calls  # From now on, calls look for hooks.

        marks = {each: getattr(self, f"{name}_{each}") for each in wanted if wanted[each]}
        return _add(getattr(self, name), hook, prepend, **marks)

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Calls `hook(module, args)` before each `forward`; what it returns becomes the arguments.

        >>> layer = nn.Identity()
        >>> handle = layer.register_forward_pre_hook(lambda module, args: args[0] * 10)
        >>> layer(torch.ones(2))
        """
        return self._add_call_hook("_forward_pre_hooks", hook, prepend, with_kwargs=with_kwargs)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """Calls `hook(module, args, output)` after each `forward`; what it returns becomes the
        output.

        >>> layer, shapes = nn.Linear(3, 2), []
        >>> handle = layer.register_forward_hook(lambda module, args, y: shapes.append(y.shape))
        >>> y = layer(torch.ones(5, 3))
        >>> handle.remove()
        >>> shapes
        """
        return self._add_call_hook(
            "_forward_hooks", hook, prepend, with_kwargs=with_kwargs, always_called=always_call
        )

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """Calls `hook(module, grad_output)` when the gradients of the outputs are there; what it
        returns takes their place.

        >>> layer, x = nn.Identity(), torch.ones(2, requires_grad=True)
        >>> handle = layer.register_full_backward_pre_hook(lambda module, grads: (grads[0] * 10,))
        >>> layer(x).sum().backward()
        >>> x.grad
        """
        return self._add_call_hook("_backward_pre_hooks", hook, prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        """Calls `hook(module, grad_input, grad_output)` when the gradients of the inputs are there;
        what it returns takes the place of grad_input.

        >>> layer, x = nn.Linear(3, 2), torch.ones(3, requires_grad=True)
        >>> handle = layer.register_full_backward_hook(lambda module, gx, gy: print(gx, gy))
        >>> layer(x).sum().backward()
        """
        return self._add_backward_hook(hook, prepend, True)

    def register_backward_hook(self, hook):
        """As `register_full_backward_hook`, under PyTorch's old name.

        >>> layer, x = nn.Linear(3, 2), torch.ones(3, requires_grad=True)
        >>> handle = layer.register_backward_hook(lambda module, gx, gy: print(gx, gy))
        >>> layer(x).sum().backward()
        """
        return self._add_backward_hook(hook, False, False)

    def _add_backward_hook(self, hook, prepend, is_full):
        if self._is_full_backward_hook is (not is_full):
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single "
                "Module. Please use only one of them."
            )
        self._is_full_backward_hook = is_full
        return self._add_call_hook("_backward_hooks", hook, prepend)

    def register_state_dict_pre_hook(self, hook):
        """Calls `hook(module, prefix, keep_vars)` before `state_dict` collects this module.

        >>> layer = nn.Linear(3, 2)
        >>> handle = layer.register_state_dict_pre_hook(lambda *args: print("saving"))
        >>> list(layer.state_dict())
        """
        return _add(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook):
        """Calls `hook(module, state_dict, prefix, local_metadata)` after `state_dict` collected
        this module; it may change the dict in place.

        >>> def forget(module, state, prefix, metadata):
        >>>     del state[prefix + "bias"]
        >>>
        >>> layer = nn.Linear(3, 2)
        >>> handle = layer.register_state_dict_post_hook(forget)
        >>> list(layer.state_dict())
        """
        hook._from_public_api = True
        return _add(self._state_dict_hooks, hook)

    def _register_state_dict_hook(self, hook):
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was "
                "previously registered via register_state_dict_post_hook"
            )
        return _add(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook):
        """Calls `hook(module, state_dict, prefix, local_metadata, strict, missing_keys,
        unexpected_keys, error_msgs)` before `load_state_dict` fills this module.

        >>> def rename(module, state, prefix, *rest):
        >>>     state[prefix + "weight"] = state.pop(prefix + "w")
        >>>
        >>> layer = nn.Linear(1, 1, bias=False)
        >>> handle = layer.register_load_state_dict_pre_hook(rename)
        >>> layer.load_state_dict({"w": torch.ones(1, 1)})
        """
        return self._register_load_state_dict_pre_hook(hook, True)

    def _register_load_state_dict_pre_hook(self, hook, with_module=False):
        return _add(self._load_state_dict_pre_hooks, _LoadHook(hook, with_module))

    def register_load_state_dict_post_hook(self, hook):
        """Calls `hook(module, incompatible_keys)` after `load_state_dict` filled this module; it
        may change the two lists of names in place.

        >>> def forgive(module, keys):
        >>>     keys.missing_keys.clear()
        >>>
        >>> layer = nn.Linear(3, 2)
        >>> handle = layer.register_load_state_dict_post_hook(forgive)
        >>> layer.load_state_dict({})
        """
        return _add(self._load_state_dict_post_hooks, hook)


for _name in (
    "_forward_pre_hooks _forward_pre_hooks_with_kwargs _forward_hooks _forward_hooks_with_kwargs "
    "_forward_hooks_always_called _backward_pre_hooks _backward_hooks _state_dict_pre_hooks "
    "_state_dict_hooks _load_state_dict_pre_hooks _load_state_dict_post_hooks"
).split():
    setattr(Hooked, _name, _Own(_name))


class _LoadHook:
    """A hook of `load_state_dict`, and whether it wants to see the module."""

    def __init__(self, hook, with_module):
        self.hook, self.with_module = hook, with_module

    def __call__(self, module, *args):
        return self.hook(module, *args) if self.with_module else self.hook(*args)
