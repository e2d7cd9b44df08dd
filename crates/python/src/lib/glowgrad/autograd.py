"""Your own ops, gradients on request, and the check that catches a wrong one."""

import _glowgrad as _C


class FunctionCtx:
    """What forward leaves for backward."""

    def __init__(self):
        self._saved = ()
        self._versions = ()
        self.needs_input_grad = ()

    def save_for_backward(self, *tensors):
        self._saved = tensors
        self._versions = tuple(None if t is None else t._version for t in tensors)

    @property
    def saved_tensors(self):
        for tensor, version in zip(self._saved, self._versions):
            if tensor is not None and tensor._version != version:
                raise RuntimeError(
                    "one of the variables needed for gradient computation has been modified by an inplace operation: "
                    f"a tensor saved by save_for_backward is at version {tensor._version}, expected version {version}"
                )
        return self._saved


class Function:
    """An op of your own: write `forward(ctx, …)` and `backward(ctx, grad)`, call `apply`."""

    @staticmethod
    def forward(ctx, *args):
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def backward(ctx, grad_output):
        raise NotImplementedError("You must implement the backward function for your custom autograd.Function to use it.")

    @classmethod
    def apply(cls, *args):
        ctx = FunctionCtx()
        ctx.needs_input_grad = tuple(isinstance(a, _C.Tensor) and a.requires_grad for a in args)
        grad = _C.set_grad_enabled(False)
        try:
            value = cls.forward(ctx, *args)
        finally:
            _C.set_grad_enabled(grad)
        if not isinstance(value, _C.Tensor):
            raise TypeError(f"{cls.__name__}.forward must return a Tensor, got {type(value).__name__}")
        places = [i for i, a in enumerate(args) if isinstance(a, _C.Tensor)]

        def backward(gradient):
            grads = cls.backward(ctx, gradient)
            if not isinstance(grads, tuple):
                grads = (grads,)
            if len(grads) != len(args):
                raise RuntimeError(
                    f"function {cls.__name__}Backward returned an incorrect number of gradients "
                    f"(expected {len(args)}, got {len(grads)})"
                )
            return [grads[i] for i in places]

        return _C.custom(f"{cls.__name__}Backward", [args[i] for i in places], value, backward)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, allow_unused=False):
    """Gradients of outputs with respect to inputs, without touching `.grad`."""
    outputs = [outputs] if isinstance(outputs, _C.Tensor) else list(outputs)
    inputs = [inputs] if isinstance(inputs, _C.Tensor) else list(inputs)
    if grad_outputs is None:
        grad_outputs = [None] * len(outputs)
    elif isinstance(grad_outputs, _C.Tensor):
        grad_outputs = [grad_outputs]
    if retain_graph is None:
        retain_graph = create_graph
    grads = _C.autograd_grad(outputs, inputs, list(grad_outputs), retain_graph, create_graph)
    if not allow_unused and any(g is None for g in grads):
        raise RuntimeError(
            "One of the differentiated Tensors appears to not have been used in the graph. "
            "Set allow_unused=True if this is the desired behavior."
        )
    return tuple(grads)


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False):
    tensors = [tensors] if isinstance(tensors, _C.Tensor) else list(tensors)
    grads = [grad_tensors] if grad_tensors is None or isinstance(grad_tensors, _C.Tensor) else list(grad_tensors)
    for tensor, gradient in zip(tensors, grads + [None] * len(tensors)):
        tensor.backward(gradient, retain_graph=retain_graph, create_graph=create_graph)


def gradcheck(func, inputs, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True):
    """Compares your gradients with finite differences: (f(x + eps) − f(x − eps)) / 2 eps.

    Inputs should be float64 and require grad. Returns True, or raises and says which number is off.
    """
    inputs = (inputs,) if isinstance(inputs, _C.Tensor) else tuple(inputs)
    checked = [i for i, x in enumerate(inputs) if isinstance(x, _C.Tensor) and x.requires_grad]
    if not checked:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of the them have requires_grad=True."
        )
    for at, index in enumerate(checked):
        output = func(*inputs)
        count = output.numel()
        x = inputs[index]
        values = x.detach().reshape(-1).tolist()
        shape = tuple(x.shape)
        analytic = []
        for k in range(count):
            seed = [0.0] * count
            seed[k] = 1.0
            seed = _C.tensor(seed, dtype=output.dtype).reshape(tuple(output.shape))
            g = grad(func(*inputs), [x], [seed], allow_unused=True)[0]
            analytic.append([0.0] * len(values) if g is None else g.reshape(-1).tolist())
        for j in range(len(values)):
            sides = []
            for step in (eps, -eps):
                moved = list(values)
                moved[j] += step
                others = list(inputs)
                others[index] = _C.tensor(moved, dtype=x.dtype).reshape(shape).requires_grad_(True)
                sides.append(func(*others).detach().reshape(-1).tolist())
            for k in range(count):
                numeric = (sides[0][k] - sides[1][k]) / (2 * eps)
                got = analytic[k][j]
                if not abs(got - numeric) <= atol + rtol * abs(numeric):
                    if raise_exception:
                        raise RuntimeError(
                            f"Jacobian mismatch for output 0 with respect to input {index}: "
                            f"at output element {k}, input element {j}: numerical {numeric:.6g}, analytical {got:.6g}"
                        )
                    return False
    return True


class no_grad:
    """A block (or a function) whose results are off the tape."""

    _mode = False

    def __enter__(self):
        self._before = _C.set_grad_enabled(self._mode)
        return self

    def __exit__(self, *exception):
        _C.set_grad_enabled(self._before)
        return False

    def __call__(self, function):
        mode = type(self)

        def off_tape(*args, **kwargs):
            with mode():
                return function(*args, **kwargs)

        off_tape.__name__ = getattr(function, "__name__", "function")
        return off_tape


class enable_grad(no_grad):
    """A block whose results are on the tape, inside a `no_grad` too."""

    _mode = True


class set_grad_enabled(no_grad):
    """As a call or as a block: the tape on or off."""

    def __init__(self, mode):
        self._before = _C.set_grad_enabled(mode)
        self._mode = mode

    def __enter__(self):
        _C.set_grad_enabled(self._mode)
        return self
