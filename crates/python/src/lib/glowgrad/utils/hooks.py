"""`torch.utils.hooks`: what takes a hook out again."""


class RemovableHandle:
    """What registering a hook gives: `remove()` takes the hook out, as does the end of a `with`.

    >>> layer = nn.Identity()
    >>> handle = layer.register_forward_hook(lambda module, args, output: output * 0)
    >>> handle.remove()
    >>> layer(torch.ones(2))
    """

    next_id = 0

    def __init__(self, hooks_dict, *, extra_dict=None):
        self.hooks_dict = hooks_dict
        self.extra_dicts = [extra_dict] if isinstance(extra_dict, dict) else list(extra_dict or ())
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1

    def remove(self):
        """Takes the hook out; a second time changes nothing.

        >>> handle = nn.ReLU().register_forward_hook(print)
        >>> handle.remove()
        >>> handle.remove()
        """
        for hooks in (self.hooks_dict, *self.extra_dicts):
            hooks.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, kind, exception, traceback):
        self.remove()


def unserializable_hook(f):
    """The function itself, marked as one that is not saved with its tensor.

    >>> torch.utils.hooks.unserializable_hook(print) is print
    """
    if hasattr(f, "__dict__"):
        f.__torch_unserializable__ = True
    return f
