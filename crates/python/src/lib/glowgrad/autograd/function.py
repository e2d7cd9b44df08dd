"""Functions with a gradient of their own: `Function`, its context, `once_differentiable`."""

from functools import wraps

import _glowgrad as _C
from _glowgrad import TensorBase
from glowgrad.autograd.grad_mode import enable_grad, no_grad

__all__ = ["Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]


class FunctionCtx:
    """What `forward` leaves for `backward`: `save_for_backward` and any attribute.

    >>> class Triple(torch.autograd.Function):
    >>>     @staticmethod
    >>>     def forward(ctx, x):
    >>>         ctx.factor = 3
    >>>         return ctx.factor * x
    >>>     @staticmethod
    >>>     def backward(ctx, gy):
    >>>         return ctx.factor * gy
    >>>
    >>> Triple.apply(torch.ones(1))
    """

    def __init__(self, needs_input_grad):
        self.needs_input_grad = needs_input_grad
        self.materialize_grads = True
        self.non_differentiable = self.dirty_tensors = ()
        self._saved = self._versions = ()
        # The results as `forward` made them; and while `backward` runs, its rule.
        self._made, self._rule = (), None

    def save_for_backward(self, *tensors):
        """Keeps inputs and results for `backward`, which finds them in `saved_tensors`.

        >>> class Square(torch.autograd.Function):
        >>>     @staticmethod
        >>>     def forward(ctx, x):
        >>>         ctx.save_for_backward(x)
        >>>         return x * x
        >>>     @staticmethod
        >>>     def backward(ctx, gy):
        >>>         (x,) = ctx.saved_tensors
        >>>         return 2 * x * gy
        >>>
        >>> torch.autograd.functional.vjp(Square.apply, torch.tensor(3.0))
        """
        for i, x in enumerate(tensors):
            if x is not None and not isinstance(x, TensorBase):
                raise TypeError(
                    "save_for_backward can only save variables, but argument "
                    f"{i} is of type {type(x).__name__}"
                )
        self._saved = tensors
        self._versions = tuple([None if x is None else x._version for x in tensors])

    def save_for_forward(self, *tensors):
        """Keeps tensors for `jvp`; here the forward derivative comes from `backward`.

        >>> class Twice(torch.autograd.Function):
        >>>     @staticmethod
        >>>     def forward(ctx, x):
        >>>         ctx.save_for_forward(x)
        >>>         return 2 * x
        >>>     @staticmethod
        >>>     def backward(ctx, gy):
        >>>         return 2 * gy
        >>>
        >>> Twice.apply(torch.ones(1))
        """
        self.saved_for_forward = tensors

    @property
    def saved_tensors(self):
        """What `save_for_backward` kept.

        >>> class Square(torch.autograd.Function):
        >>>     @staticmethod
        >>>     def forward(ctx, x):
        >>>         ctx.save_for_backward(x)
        >>>         return x * x
        >>>     @staticmethod
        >>>     def backward(ctx, gy):
        >>>         (x,) = ctx.saved_tensors
        >>>         return 2 * x * gy
        >>>
        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> torch.autograd.grad(Square.apply(x), x)
        """
        for tensor, version in zip(self._saved, self._versions):
            if tensor is not None and tensor._version != version:
                raise RuntimeError(
                    "one of the variables needed for gradient computation has been modified by "
                    f"an inplace operation: it was saved at version {version} and is at version "
                    f"{tensor._version} now. Write it out of place, or save a clone()."
                )
        if self._rule is not None and _C.is_grad_enabled():
            # Second derivatives pass through saved results too.
            results = None
            saved = list(self._saved)
            for i, tensor in enumerate(saved):
                for k, made in enumerate(self._made):
                    if tensor is made and tensor is not None:
                        results = self._rule.remade() if results is None else results
                        saved[i] = results[k]
            return tuple(saved)
        return self._saved

    def mark_dirty(self, *args):
        """Says which inputs `forward` writes into; it returns them.

        >>> class Double(torch.autograd.Function):
        >>>     @staticmethod
        >>>     def forward(ctx, x):
        >>>         ctx.mark_dirty(x)
        >>>         return x.mul_(2)
        >>>     @staticmethod
        >>>     def backward(ctx, gy):
        >>>         return 2 * gy
        >>>
        >>> x = torch.ones(2)
        >>> y = Double.apply(x)
        >>> y is x
        """
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args):
        """Says which results have no gradient.

        >>> class Sorted(torch.autograd.Function):
        >>>     @staticmethod
        >>>     def forward(ctx, x):
        >>>         values, places = x.sort()
        >>>         ctx.mark_non_differentiable(places)
        >>>         ctx.places = places
        >>>         return values, places
        >>>     @staticmethod
        >>>     def backward(ctx, gy, _):
        >>>         return torch.zeros_like(gy).scatter(0, ctx.places, gy)
        >>>
        >>> Sorted.apply(torch.tensor([2.0, 1.0], requires_grad=True))
        """
        self.non_differentiable = args

    def set_materialize_grads(self, value):
        """Whether `backward` gets zeros, and not None, for results that were not used.

        >>> class Both(torch.autograd.Function):
        >>>     @staticmethod
        >>>     def forward(ctx, x):
        >>>         ctx.set_materialize_grads(False)
        >>>         return x, 2 * x
        >>>     @staticmethod
        >>>     def backward(ctx, gy, gz):
        >>>         return gy if gz is None else 2 * gz
        >>>
        >>> x = torch.ones(2, requires_grad=True)
        >>> torch.autograd.grad(Both.apply(x)[1].sum(), x)
        """
        self.materialize_grads = value


class Function:
    """A function with a gradient of your own: define `forward` and `backward`, call `apply`.

    >>> class Twice(torch.autograd.Function):
    >>>     @staticmethod
    >>>     def forward(ctx, x):
    >>>         return 2 * x
    >>>     @staticmethod
    >>>     def backward(ctx, gy):
    >>>         return 2 * gy
    >>>
    >>> x = torch.ones(1, requires_grad=True)
    >>> Twice.apply(x).backward()
    >>> x.grad
    """

    generate_vmap_rule = False

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use "
            "new-style autograd function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args, **kwargs):
        """The value: `forward(ctx, x, …)`, or `forward(x, …)` beside a `setup_context`.

        >>> class Twice(torch.autograd.Function):
        >>>     @staticmethod
        >>>     def forward(ctx, x):
        >>>         return 2 * x
        >>>     @staticmethod
        >>>     def backward(ctx, gy):
        >>>         return 2 * gy
        >>>
        >>> Twice.apply(torch.ones(1))
        """
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function."
        )

    @staticmethod
    def setup_context(ctx, inputs, output):
        """What to keep for `backward`, where `forward` takes no context.

        >>> class Square(torch.autograd.Function):
        >>>     @staticmethod
        >>>     def forward(x):
        >>>         return x * x
        >>>     @staticmethod
        >>>     def setup_context(ctx, inputs, output):
        >>>         ctx.save_for_backward(*inputs)
        >>>     @staticmethod
        >>>     def backward(ctx, gy):
        >>>         (x,) = ctx.saved_tensors
        >>>         return 2 * x * gy
        >>>
        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> torch.autograd.grad(Square.apply(x), x)
        """
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grads):
        """A gradient for each input, from one for each result.

        >>> class Twice(torch.autograd.Function):
        >>>     @staticmethod
        >>>     def forward(ctx, x):
        >>>         return 2 * x
        >>>     @staticmethod
        >>>     def backward(ctx, gy):
        >>>         return 2 * gy
        >>>
        >>> x = torch.ones(1, requires_grad=True)
        >>> torch.autograd.grad(Twice.apply(x), x)
        """
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function to use it with backward mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx, *grad_inputs):
        """The forward derivative of PyTorch; here it comes from `backward`.

        >>> class Twice(torch.autograd.Function):
        >>>     @staticmethod
        >>>     def forward(ctx, x):
        >>>         return 2 * x
        >>>     @staticmethod
        >>>     def backward(ctx, gy):
        >>>         return 2 * gy
        >>>
        >>> torch.func.jvp(Twice.apply, (torch.ones(1),), (torch.ones(1),))
        """
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with "
            "forward mode AD."
        )

    @classmethod
    def apply(cls, *args, **kwargs):
        """Calls `forward` and puts its results on the tape.

        >>> class Half(torch.autograd.Function):
        >>>     @staticmethod
        >>>     def forward(ctx, x):
        >>>         return x / 2
        >>>     @staticmethod
        >>>     def backward(ctx, gy):
        >>>         return gy / 2
        >>>
        >>> Half.apply(torch.tensor([4.0]))
        """
        sets_up = cls.setup_context is not Function.setup_context
        if kwargs or sets_up:
            args = _in_order(cls.forward, args, kwargs, sets_up)
        needs = tuple([isinstance(x, TensorBase) and x.requires_grad for x in args])
        ctx = FunctionCtx(needs)
        with no_grad():
            if sets_up:
                value = cls.forward(*args)
                cls.setup_context(ctx, args, value)
            else:
                value = cls.forward(ctx, *args)
        results = value if isinstance(value, tuple) else (value,)
        results = _on_the_tape(cls, ctx, args, list(results))
        return tuple(results) if isinstance(value, tuple) else results[0]


class InplaceFunction(Function):
    """A `Function` that may write into its input, where it says so with `ctx.mark_dirty`.

    >>> issubclass(torch.autograd.function.InplaceFunction, torch.autograd.Function)
    """

    def __init__(self, inplace=False):
        self.inplace = inplace


def once_differentiable(function):
    """Marks a `backward` that cannot be differentiated again.

    >>> class Cube(torch.autograd.Function):
    >>>     @staticmethod
    >>>     def forward(ctx, x):
    >>>         ctx.save_for_backward(x)
    >>>         return x ** 3
    >>>     @staticmethod
    >>>     @torch.autograd.function.once_differentiable
    >>>     def backward(ctx, gy):
    >>>         (x,) = ctx.saved_tensors
    >>>         return 3 * x ** 2 * gy
    >>>
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> torch.autograd.grad(Cube.apply(x), x)
    """

    def refuse(gradient):
        raise RuntimeError(
            "trying to differentiate twice a function that was marked with @once_differentiable"
        )

    @wraps(function)
    def wrapper(ctx, *grads):
        with no_grad():
            results = function(ctx, *grads)
        taped = any([isinstance(x, TensorBase) and x.requires_grad for x in grads])
        if not taped or not _C.is_grad_enabled():
            return results
        alone = not isinstance(results, tuple)
        marked = [
            None if x is None
            else _C.custom("DelayedErrorBackward", refuse, [x.detach().requires_grad_()], x)
            for x in ((results,) if alone else results)
        ]
        return marked[0] if alone else tuple(marked)

    return wrapper


def _in_order(forward, args, kwargs, sets_up):
    """The arguments of `forward` one after the other, those by name and the defaults too."""
    code = forward.__code__
    names = code.co_varnames[0 if sets_up else 1:code.co_argcount]
    for name in kwargs:
        if name not in names:
            raise TypeError(f"forward() got an unexpected keyword argument '{name}'")
    defaults = forward.__defaults__ or ()
    bound = list(args)
    if not sets_up:
        # Without `setup_context` defaults after the last argument that was given stay out.
        names = names[:max(len(args), *[names.index(name) + 1 for name in kwargs])]
        defaults = defaults[:len(defaults) - (code.co_argcount - 1 - len(names))]
    for i, name in enumerate(names):
        if i < len(args):
            if name in kwargs:
                raise TypeError(f"forward() got multiple values for argument '{name}'")
            continue
        default = i - (len(names) - len(defaults))
        if name in kwargs:
            bound.append(kwargs[name])
        elif default >= 0:
            bound.append(defaults[default])
        else:
            raise TypeError(f"forward() missing a required argument: '{name}'")
    return tuple(bound)


def _is_among(x, tensors):
    return any([x is each for each in tensors])


def _on_the_tape(cls, ctx, args, results):
    """The results of `forward`, with `backward` as their gradient."""
    taped = _C.is_grad_enabled() and any(ctx.needs_input_grad)
    dirty = ctx.dirty_tensors
    for x in dirty:
        if taped and x.requires_grad and x.is_leaf:
            raise RuntimeError(
                "a leaf Variable that requires grad has been used in an in-place operation."
            )
        if not _is_among(x, results):
            raise RuntimeError(
                "Some elements marked as dirty during the forward method were not returned as "
                "output. The inputs that are modified inplace must all be outputs of the Function."
            )
    kept = list(results)
    for i, x in enumerate(results):
        # An input that is returned as it is gives a tensor of its own.
        if isinstance(x, TensorBase) and _is_among(x, args):
            kept[i] = x.detach()
            if not _is_among(x, dirty):
                results[i] = kept[i]
            else:
                ctx._saved = tuple([kept[i] if each is x else each for each in ctx._saved])
    ctx._made, ctx.dirty_tensors = tuple(kept), ()
    if not taped:
        return results
    rule = _Rule(cls, ctx, args, kept, dirty)
    for i, x in zip(rule.chosen, rule.linked()):
        results[i] = results[i]._become(x) if _is_among(results[i], dirty) else x
    return results


class _Rule:
    """The gradient of one call of a function.

    The tape holds it, it holds the context; the context holds it while `backward` runs only, so
    that they are freed together.
    """

    def __init__(self, cls, ctx, args, kept, dirty):
        self.ctx, self.kept, self.count = ctx, kept, len(args)
        self.cls, self.user = cls, cls.vjp if cls.vjp is not Function.vjp else cls.backward
        if self.user is Function.backward and cls.jvp is not Function.jvp:
            self.user = self.turned
        self.name = f"{cls.__name__}Backward"
        self.chosen = [
            i for i, x in enumerate(kept)
            if isinstance(x, TensorBase) and x.dtype.is_floating_point
            and not _is_among(x, ctx.non_differentiable)
        ]
        self.places = [i for i, x in enumerate(args) if isinstance(x, TensorBase)]
        # A tensor that is written into will be its result; here it is what it was.
        self.inputs = [
            args[i].as_subclass(type(args[i])) if _is_among(args[i], dirty) else args[i]
            for i in self.places
        ]

    def linked(self):
        """The results on the tape."""
        return _linked(self.name, self, self.inputs, [self.kept[i] for i in self.chosen])

    def remade(self):
        """All results, on the tape once more."""
        made = dict(zip(self.chosen, self.linked()))
        return [made.get(i, x) for i, x in enumerate(self.kept)]

    def __call__(self, *given):
        given = dict(zip(self.chosen, given))
        grads = [given.get(i) for i in range(len(self.kept))]
        if self.ctx.materialize_grads:
            for i, x in enumerate(self.kept):
                if grads[i] is None and isinstance(x, TensorBase):
                    grads[i] = _C.full(x.shape, 0, x.dtype, False)
        self.ctx._rule = self
        try:
            grads = self.user(self.ctx, *grads)
        finally:
            self.ctx._rule = None
        return self.fitted(grads if isinstance(grads, (tuple, list)) else (grads,))

    def turned(self, ctx, *grads):
        """The gradients of a function that says `jvp` only, which is linear in its tangents."""
        create = _C.is_grad_enabled()
        if hasattr(ctx, "saved_for_forward"):
            ctx._saved, ctx._versions = ctx.saved_for_forward, ()
        tangents = [None] * self.count
        with enable_grad():
            for i, x in zip(self.places, self.inputs):
                tangents[i] = _C.full(x.shape, 0, x.dtype, False).requires_grad_()
            results = self.cls.jvp(ctx, *tangents)
            results = results if isinstance(results, tuple) else (results,)
            pairs = [
                (y, g) for y, g in zip(results, grads)
                if isinstance(y, TensorBase) and y.requires_grad and g is not None
            ]
            found = _C.grad(
                [y for y, _ in pairs], [tangents[i] for i in self.places], [g for _, g in pairs],
                create, create, True, False,
            ) if pairs else [None] * len(self.places)
        for i, gradient in zip(self.places, found):
            tangents[i] = gradient
        return tuple(tangents)

    def fitted(self, grads):
        """The gradients of the inputs that are tensors."""
        count = self.count
        if len(grads) > count and all([g is None for g in grads[count:]]):
            grads = grads[:count]
        if len(grads) != count:
            raise RuntimeError(
                f"function {self.name} returned an incorrect number of gradients "
                f"(expected {count}, got {len(grads)})"
            )
        for i, gradient in enumerate(grads):
            if gradient is not None and i not in self.places:
                raise RuntimeError(
                    f"function {self.name} returned a gradient different than None at position "
                    f"{i + 1}, but the corresponding forward input was not a Variable"
                )
            if gradient is not None and not isinstance(gradient, TensorBase):
                raise RuntimeError(
                    f"function {self.name}: expected Variable or None (got "
                    f"{type(gradient).__name__})"
                )
        return tuple([grads[i] for i in self.places])


def _linked(name, backward, inputs, values):
    """Values on the tape with one rule for all: `backward` takes a gradient, or None, of each."""
    if len(values) == 1:
        return [_C.custom(name, backward, inputs, values[0])]
    # The values hang on a link, an empty sum of the inputs: the gradients wait here until the walk,
    # which goes from new to old, has come to it.
    waiting = [None] * len(values)

    def together(gradient):
        grads, waiting[:] = list(waiting), [None] * len(values)
        return backward(*grads)

    def wait(i):
        def keep(gradient):
            waiting[i] = gradient
            return (_C.full((), 0.0, None, False),)

        return keep

    link = _C.custom(name, together, inputs, _C.full((), 0.0, None, False))
    return [_C.custom(name, wait(i), [link], value) for i, value in enumerate(values)]
