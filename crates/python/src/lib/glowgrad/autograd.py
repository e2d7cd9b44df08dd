"""The tape: switching it off, asking for gradients, writing functions with a gradient of their own."""

from functools import wraps

import _glowgrad as _C
from _glowgrad import TensorBase


class _Mode:
    """A context manager and decorator that sets whether the tape is on."""

    def __init__(self, on):
        self.on = on
        self.before = []

    def __enter__(self):
        self.before.append(_C.set_grad_enabled(self.on))

    def __exit__(self, *exception):
        _C.set_grad_enabled(self.before.pop())

    def __call__(self, function):
        mode = type(self)

        @wraps(function)
        def wrapper(*args, **kwargs):
            with mode._again(self.on):
                return function(*args, **kwargs)

        return wrapper

    @classmethod
    def _again(cls, on):
        return cls()


class no_grad(_Mode):
    """Under `with`, or as a decorator: what is computed is off the tape and does not require grad.

    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad():
    >>>     y = x * 2
    >>> y.requires_grad
    """

    def __new__(cls, function=None):
        self = object.__new__(cls)
        _Mode.__init__(self, False)
        return self if function is None else self(function)

    def __init__(self, function=None):
        pass


class inference_mode(_Mode):
    """Off the tape, with tensors that can never join it.

    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.inference_mode():
    >>>     y = x * 2
    >>> y.requires_grad
    """

    def __new__(cls, mode=True):
        self = object.__new__(cls)
        if callable(mode):
            _Mode.__init__(self, True)
            return self(mode)
        _Mode.__init__(self, bool(mode))
        return self

    def __init__(self, mode=True):
        pass

    def __enter__(self):
        before = _C.set_inference_mode(self.on)
        self.before.append((before, _C.set_grad_enabled(not self.on)))

    def __exit__(self, *exception):
        inference, taping = self.before.pop()
        _C.set_inference_mode(inference)
        _C.set_grad_enabled(taping)

    @classmethod
    def _again(cls, on):
        return cls(on)


def is_inference_mode_enabled():
    """Whether this code runs under `inference_mode`.

    >>> torch.is_inference_mode_enabled()
    """
    before = _C.set_inference_mode(False)
    _C.set_inference_mode(before)
    return before


class set_detect_anomaly:
    """Raises in `backward()` at the first rule that makes a NaN, and names the forward line.

    >>> with torch.autograd.set_detect_anomaly(True):
    >>>     x = torch.ones(1, requires_grad=True)
    >>>     (x * 2).sum().backward()
    >>> x.grad
    """

    def __init__(self, mode, check_nan=True):
        self.before = _C.set_anomaly(bool(mode), bool(check_nan))

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        _C.set_anomaly(*self.before)


class detect_anomaly:
    """As `set_detect_anomaly(True)`, for a `with`.

    >>> with torch.autograd.detect_anomaly():
    >>>     x = torch.ones(1, requires_grad=True)
    >>>     (x * 2).sum().backward()
    >>> x.grad
    """

    def __init__(self, check_nan=True):
        self.check_nan = check_nan

    def __enter__(self):
        self.before = _C.set_anomaly(True, self.check_nan)

    def __exit__(self, *exception):
        _C.set_anomaly(*self.before)


class enable_grad(_Mode):
    """On the tape, also inside `no_grad`.

    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad(), torch.enable_grad():
    >>>     y = x * 2
    >>> y.requires_grad
    """

    def __new__(cls, function=None):
        self = object.__new__(cls)
        _Mode.__init__(self, True)
        return self if function is None else self(function)

    def __init__(self, function=None):
        pass


class set_grad_enabled(_Mode):
    """Sets the tape at once, and back at the end of a `with`.

    >>> with torch.set_grad_enabled(False):
    >>>     enabled = torch.is_grad_enabled()
    >>> enabled
    """

    def __init__(self, mode):
        super().__init__(bool(mode))
        self.before.append(_C.set_grad_enabled(self.on))

    def __enter__(self):
        pass

    def __call__(self, function):
        _C.set_grad_enabled(self.before.pop())
        on = self.on

        @wraps(function)
        def wrapper(*args, **kwargs):
            with set_grad_enabled(on):
                return function(*args, **kwargs)

        return wrapper


is_grad_enabled = _C.is_grad_enabled


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False):
    """Walks back from several tensors at once; gradients arrive in the leaves' `.grad`.

    >>> x = torch.ones(2, requires_grad=True)
    >>> torch.autograd.backward([(x * 2).sum(), (x * 3).sum()])
    >>> x.grad
    """
    tensors = (tensors,) if isinstance(tensors, TensorBase) else tuple(tensors)
    grads = (grad_tensors,) if isinstance(grad_tensors, TensorBase) else grad_tensors
    grads = list(grads) if grads is not None else [None] * len(tensors)
    keep = create_graph if retain_graph is None else retain_graph
    _C.backward_all(list(tensors), grads, keep, create_graph)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False,
         allow_unused=None, is_grads_batched=False, materialize_grads=False):
    """The gradients of outputs with respect to inputs; `.grad` stays as it was.

    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> torch.autograd.grad(x ** 2, x)
    """
    outputs = (outputs,) if isinstance(outputs, TensorBase) else tuple(outputs)
    inputs = (inputs,) if isinstance(inputs, TensorBase) else tuple(inputs)
    if isinstance(grad_outputs, TensorBase):
        grad_outputs = (grad_outputs,)
    grad_outputs = list(grad_outputs) if grad_outputs is not None else [None] * len(outputs)
    keep = create_graph if retain_graph is None else retain_graph
    if is_grads_batched:
        raise NotImplementedError("grad: is_grads_batched is not here; call grad in a loop")
    grads = _C.grad(
        list(outputs), list(inputs), grad_outputs, keep, create_graph, allow_unused, materialize_grads
    )
    return tuple(grads)


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
        self._saved = ()
        self._versions = ()

    def save_for_backward(self, *tensors):
        self._saved = tensors
        self._versions = tuple([None if x is None else x._version for x in tensors])

    @property
    def saved_tensors(self):
        for tensor, version in zip(self._saved, self._versions):
            if tensor is not None and tensor._version != version:
                raise RuntimeError(
                    "one of the variables needed for gradient computation has been modified by "
                    f"an inplace operation: it was saved at version {version} and is at version "
                    f"{tensor._version} now. Write it out of place, or save a clone()."
                )
        return self._saved

    def mark_non_differentiable(self, *tensors):
        """Accepted: results that want no gradient get none."""

    def set_materialize_grads(self, value):
        """Accepted: gradients are always there."""


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

    @staticmethod
    def forward(*args, **kwargs):
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def backward(ctx, *grads):
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function to use it with backward mode AD."
        )

    setup_context = None

    @classmethod
    def apply(cls, *args):
        needs = tuple([isinstance(x, TensorBase) and x.requires_grad for x in args])
        ctx = FunctionCtx(needs)
        with no_grad():
            if cls.setup_context is None:
                value = cls.forward(ctx, *args)
            else:
                value = cls.forward(*args)
                cls.setup_context(ctx, args, value)
        if isinstance(value, tuple):
            raise NotImplementedError(
                f"{cls.__name__}.forward returned a tuple; a function of your own returns one "
                "tensor here"
            )
        if not isinstance(value, TensorBase):
            raise TypeError(
                f"{cls.__name__}.forward returned {type(value).__name__}, expected a tensor"
            )
        tensors = [i for i, x in enumerate(args) if isinstance(x, TensorBase)]

        def backward(gradient):
            grads = cls.backward(ctx, gradient)
            grads = grads if isinstance(grads, (tuple, list)) else (grads,)
            if len(grads) > len(args) and all(g is None for g in grads[len(args):]):
                grads = grads[:len(args)]
            if len(grads) != len(args):
                raise RuntimeError(
                    f"function {cls.__name__}Backward returned an incorrect number of gradients "
                    f"(expected {len(args)}, got {len(grads)})"
                )
            return tuple([grads[i] for i in tensors])

        inputs = [args[i] for i in tensors]
        return _C.custom(f"{cls.__name__}Backward", backward, inputs, value)


class GradcheckError(RuntimeError):
    """Raised by `gradcheck` where a gradient is not what nudging the input shows.

    >>> issubclass(torch.autograd.GradcheckError, RuntimeError)
    """

    pass


def gradcheck(func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, **kwargs):
    """Compares the gradients of `func` with what nudging its inputs does. Use float64 inputs.

    >>> x = torch.tensor([0.5, 1.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradcheck(torch.tanh, x)
    """
    inputs = (inputs,) if isinstance(inputs, TensorBase) else tuple(inputs)
    checked = [i for i, x in enumerate(inputs) if isinstance(x, TensorBase) and x.requires_grad]
    if not checked:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them "
            "have requires_grad=True."
        )
    for i in checked:
        if inputs[i].dtype != _C.float64:
            from warnings import warn

            warn(f"Input #{i} requires gradient and is not a double precision floating point. "
                 "This check will likely fail if all the inputs are not of double precision "
                 "floating point.")
    outputs = func(*inputs)
    outputs = (outputs,) if isinstance(outputs, TensorBase) else tuple(outputs)

    def values():
        with no_grad():
            results = func(*[x.detach() if isinstance(x, TensorBase) else x for x in inputs])
        results = (results,) if isinstance(results, TensorBase) else results
        return [result.reshape(-1).tolist() for result in results]

    for index in checked:
        x = inputs[index]
        flat = x.detach().reshape(-1).tolist()
        # The slopes: numeric[k] is what nudging element k does to every output.
        numeric = []
        for k in range(len(flat)):
            ends = []
            for sign in (1, -1):
                nudged = list(flat)
                nudged[k] += sign * eps
                moved = _C.from_data(nudged, x.dtype, False).reshape(x.shape)
                inputs = inputs[:index] + (moved,) + inputs[index + 1:]
                ends.append(values())
            inputs = inputs[:index] + (x,) + inputs[index + 1:]
            numeric.append([[(a - b) / (2 * eps) for a, b in zip(*pair)] for pair in zip(*ends)])
        for o, output in enumerate(outputs):
            for j in range(output.numel()):
                seed = [0.0] * output.numel()
                seed[j] = 1.0
                seed = _C.from_data(seed, output.dtype, False).reshape(output.shape)
                given = _C.grad([output], [x], [seed], True, False, True, False)[0]
                given = [0.0] * len(flat) if given is None else given.reshape(-1).tolist()
                for k, value in enumerate(given):
                    expected = numeric[k][o][j]
                    if not abs(value - expected) <= atol + rtol * abs(expected):
                        if not raise_exception:
                            return False
                        raise GradcheckError(
                            f"Jacobian mismatch for output {o} with respect to input {index}, "
                            f"nudging element {k} of the input moves element {j} of the output by "
                            f"{expected:.6g}, backward says {value:.6g}"
                        )
    return True


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-6, atol=1e-5, rtol=1e-3,
                  raise_exception=True, **kwargs):
    """`gradcheck` of the gradients of `func`: checks second derivatives.

    >>> x = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradgradcheck(torch.tanh, x)
    """
    inputs = (inputs,) if isinstance(inputs, TensorBase) else tuple(inputs)
    chosen = [i for i, x in enumerate(inputs) if isinstance(x, TensorBase) and x.requires_grad]
    outputs = func(*inputs)
    outputs = (outputs,) if isinstance(outputs, TensorBase) else tuple(outputs)
    if grad_outputs is None:
        grad_outputs = [_C.randn(y.shape, y.dtype, True, None) for y in outputs]
    elif isinstance(grad_outputs, TensorBase):
        grad_outputs = [grad_outputs]
    n = len(inputs)

    def gradients(*arguments):
        values, seeds = arguments[:n], arguments[n:]
        with enable_grad():
            values = [
                x if x.requires_grad or i not in chosen else x.detach().requires_grad_()
                for i, x in enumerate(values)
            ]
            results = func(*values)
            results = (results,) if isinstance(results, TensorBase) else results
            return grad(results, [values[i] for i in chosen], seeds, create_graph=True,
                        allow_unused=True, materialize_grads=True)

    return gradcheck(gradients, inputs + tuple(grad_outputs), eps=eps, atol=atol, rtol=rtol,
                     raise_exception=raise_exception)
