"""`torch.amp`: products in a short dtype, sums and losses in float32, gradients kept in range.

While `autocast` is on, the ops below are replaced by ones that cast what they are given.
"""

import sys
from functools import wraps
from warnings import warn

import _glowgrad as _C
from _glowgrad import TensorBase
from glowgrad._grad_scaler import GradScaler, _has_cuda
from glowgrad._tensor import Tensor

__all__ = ["autocast", "custom_bwd", "custom_fwd", "is_autocast_available", "GradScaler"]

# Ops that are computed in the short dtype, and in float32: on the CPU, and on other devices.
_PRODUCTS = (
    "addbmm addmm baddbmm bmm conv1d conv2d conv3d conv_transpose1d conv_transpose2d einsum linear "
    "matmul mm prelu scaled_dot_product_attention"
)
_LOSSES = (
    "binary_cross_entropy_with_logits binary_cross_entropy_with_logits_weighted "
    "cosine_embedding_loss cross_entropy hinge_embedding_loss kl_div l1_loss margin_ranking_loss "
    "mse_loss multi_margin_loss nll_loss poisson_nll_loss smooth_l1_loss soft_cross_entropy "
    "soft_margin_loss triplet_margin_loss"
)
_ON_CPU = (
    "avg_pool3d binary_cross_entropy cholesky huber_loss inv max_pool3d max_pool3d_with_indices "
    "prod solve trace"
)
_ELSEWHERE = (
    "acos asin cosh cosine_similarity cumprod cumsum exp expm1 group_norm layer_norm log log10 "
    "log1p log2 log_softmax norm normalize pow pow_scalar prod reciprocal rsqrt sinh softmax "
    "softmin softplus sum tan"
)
_SHORT = {True: set(_PRODUCTS.split()), False: set(f"{_PRODUCTS} addmv addr mv".split())}
_LONG = {
    True: set(f"{_LOSSES} {_ON_CPU}".split()), False: set(f"{_LOSSES} {_ELSEWHERE}".split()),
}
# Ops that are computed in float32, and whose results have the dtype of what they are given.
_MIXED = {"batch_norm", "batch_norm_eval", "group_norm", "instance_norm", "layer_norm", "rms_norm"}
_NAMES = sorted(_SHORT[True] | _SHORT[False] | _LONG[True] | _LONG[False] | _MIXED)
# Python's operators, and the ops that they are.
_OPERATORS = {
    "__matmul__": "matmul", "__rmatmul__": "matmul", "__pow__": "pow", "__rpow__": "pow",
}

# Of each kind of device: whether autocast is on, and its dtype.
_state = {}
_nesting, _cache = [0], [True]
# What stood where something that casts stands now: owner, name, and what the owner itself had.
_replaced = []
# How many modules there were, and what is to be replaced.
_plan = []


def _of(kind):
    short = _C.bfloat16 if kind in ("cpu", "xla") else _C.float16
    return _state.setdefault(kind, [False, short])


def _cast(value, dtype):
    """Tensors of floats in another dtype, also within lists; float64 stays."""
    if isinstance(value, TensorBase):
        floats = value.dtype.is_floating_point and value.dtype is not _C.float64
        return value.to(dtype) if floats and value.dtype is not dtype else value
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)([_cast(each, dtype) for each in value])
    return value


def _first(values):
    for value in values:
        if isinstance(value, TensorBase):
            return value
        if isinstance(value, (list, tuple)):
            found = _first(value)
            if found is not None:
                return found
    return None


def _casting(name, op):
    def function(*args, **kwargs):
        tensor = _first((*args, *kwargs.values()))
        kind = "cpu" if tensor is None else _C.device_of(tensor)
        on, short = _of(kind)
        # PyTorch casts the products of `einsum`: of one tensor there are none.
        alone = name == "einsum" and isinstance(args[-1], list) and len(args[-1]) == 1
        if not on or tensor is None or alone:
            return op(*args, **kwargs)
        on_cpu = kind == "cpu"
        if name in _SHORT[on_cpu]:
            dtype = short
        elif name in _LONG[on_cpu] or name in _MIXED:
            dtype = _C.float32
        else:
            return op(*args, **kwargs)
        args = [_cast(each, dtype) for each in args]
        result = op(*args, **{key: _cast(each, dtype) for key, each in kwargs.items()})
        return _cast(result, tensor.dtype) if dtype is not short and name in _MIXED else result

    function.__name__, function.__doc__ = name, getattr(op, "__doc__", None)
    return function


def _planned():
    """What is to stand where: owner, name, an op that casts; made anew when modules were loaded."""
    if _plan and _plan[0] == len(sys.modules):
        return _plan[1] + _imported(*_plan[2])
    modules = [
        module for name, module in list(sys.modules.items())
        if name == "_glowgrad" or name.startswith("glowgrad") and module is not None
    ]
    ops = {name: getattr(_C, name) for name in _NAMES if hasattr(_C, name)}
    casts = {name: _casting(name, op) for name, op in ops.items()}
    plan = []
    for module in modules:
        held = module.__dict__
        plan += [(module, name, casts[name]) for name, op in ops.items() if held.get(name) is op]
        for value in list(held.values()):
            # Layers that keep an op.
            own = value.__dict__.get("_function") if isinstance(value, type) else None
            if isinstance(own, staticmethod):
                for name, op in ops.items():
                    if own.__func__ is op:
                        plan.append((value, "_function", staticmethod(casts[name])))
    for name in [*ops, *_OPERATORS]:
        if hasattr(Tensor, name):
            cast = _casting(_OPERATORS.get(name, name), getattr(Tensor, name))
            plan.append((Tensor, name, cast))
    _plan[:] = [len(sys.modules), plan, (ops, casts)]
    return plan + _imported(ops, casts)


def _imported(ops, casts):
    """The same for ops that the program itself imported by name."""
    main = sys.modules.get("__main__")
    held = vars(main) if main is not None else {}
    return [(main, name, casts[name]) for name, op in ops.items() if held.get(name) is op]


def _update():
    """Puts ops that cast where the ops are, or the ops back."""
    wanted = any(on for on, _ in _state.values())
    if wanted and not _replaced:
        for owner, name, cast in _planned():
            _replaced.append((owner, name, owner.__dict__.get(name)))
            setattr(owner, name, cast)
    elif not wanted:
        while _replaced:
            owner, name, before = _replaced.pop()
            if before is None:
                delattr(owner, name)
            else:
                setattr(owner, name, before)


def is_autocast_available(device_type):
    """Whether `autocast` knows a kind of device.

    >>> torch.amp.is_autocast_available("cpu")
    """
    known = (
        "cpu cuda ipu xpu mkldnn opengl opencl ideep hip ve fpga maia xla lazy vulkan mps meta hpu "
        "mtia privateuseone webgpu wgpu"
    ).split()
    if device_type not in known:
        raise RuntimeError(
            f"Expected one of {', '.join(known[:-2])} device type at start of device string: "
            + device_type
        )
    return device_type in "cpu cuda mps webgpu wgpu xla xpu hpu maia mtia".split()


class autocast:
    """Under `with`, or as a decorator: products in bfloat16 or float16, losses in float32.

    >>> with torch.autocast("cpu", dtype=torch.bfloat16):
    >>>     y = torch.ones(2, 3) @ torch.ones(3, 2)
    >>> y.dtype
    """

    __module__ = "torch.amp.autocast_mode"

    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if not is_autocast_available(device_type):
            raise RuntimeError(
                f"User specified an unsupported autocast device_type '{device_type}'"
            )
        self.device = "wgpu" if device_type == "webgpu" else device_type
        self.fast_dtype = get_autocast_dtype(self.device) if dtype is None else dtype
        self._cache_enabled = _cache[0] if cache_enabled is None else cache_enabled
        if enabled and self.device == "cuda" and not _has_cuda():
            warn("CUDA is not available or torch_xla is imported. Disabling autocast.")
            enabled = False
        elif enabled and self.fast_dtype not in (_C.bfloat16, _C.float16):
            name = device_type.upper()
            warn(
                f"In {name} autocast, but the target dtype is not supported. Disabling autocast.\n"
                f"{name} Autocast only supports dtypes of torch.bfloat16, torch.float16 currently."
            )
            enabled = False
        self._enabled = enabled
        self._before = []

    def __enter__(self):
        self._before.append((list(_of(self.device)), _cache[0]))
        _of(self.device)[:] = [self._enabled, self.fast_dtype]
        _cache[0] = self._cache_enabled
        _nesting[0] += 1
        _update()
        return self

    def __exit__(self, *exception):
        _nesting[0] -= 1
        before, _cache[0] = self._before.pop()
        _of(self.device)[:] = before
        _update()
        return False

    def __call__(self, func):
        if not callable(func):
            raise TypeError(
                f"autocast()(func) requires a callable, but got {type(func).__name__}. Did you "
                "mean to use autocast as a context manager? For example:\n    with "
                "torch.autocast(device_type=...):\n        output = model(input)"
            )

        @wraps(func)
        def decorated(*args, **kwargs):
            with self:
                return func(*args, **kwargs)

        return decorated


def custom_fwd(fwd=None, *, device_type, cast_inputs=None):
    """Decorates `forward` of an `autograd.Function`: with `cast_inputs`, autocast is off within.

    >>> callable(torch.amp.custom_fwd(lambda ctx, x: x, device_type="cpu"))
    """
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if fwd is None:
        return lambda fwd: custom_fwd(fwd, device_type=device_type, cast_inputs=cast_inputs)

    @wraps(fwd)
    def decorated(*args, **kwargs):
        args[0]._dtype = get_autocast_dtype(device_type)
        if cast_inputs is None or not is_autocast_enabled(device_type):
            args[0]._fwd_used_autocast = is_autocast_enabled(device_type)
            return fwd(*args, **kwargs)
        args[0]._fwd_used_autocast = False
        with autocast(device_type, enabled=False):
            given = {key: _cast(value, cast_inputs) for key, value in kwargs.items()}
            return fwd(*[_cast(value, cast_inputs) for value in args], **given)

    return decorated


def custom_bwd(bwd=None, *, device_type):
    """Decorates `backward` of an `autograd.Function`: autocast is on where it was in `forward`.

    >>> callable(torch.amp.custom_bwd(lambda ctx, gradient: gradient, device_type="cpu"))
    """
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if bwd is None:
        return lambda bwd: custom_bwd(bwd, device_type=device_type)

    @wraps(bwd)
    def decorated(*args, **kwargs):
        with autocast(device_type, enabled=args[0]._fwd_used_autocast, dtype=args[0]._dtype):
            return bwd(*args, **kwargs)

    return decorated


# What `torch` has of it


def is_autocast_enabled(device_type="cuda"):
    """Whether autocast is on for a kind of device.

    >>> torch.is_autocast_enabled("cpu")
    """
    return _of(device_type)[0]


def set_autocast_enabled(device_type, enabled=None):
    """Turns autocast on or off for a kind of device.

    >>> torch.set_autocast_enabled("cpu", False)
    """
    if enabled is None:
        device_type, enabled = "cuda", device_type
    _of(device_type)[0] = bool(enabled)
    _update()


def get_autocast_dtype(device_type):
    """The dtype in which autocast computes products on a kind of device.

    >>> torch.get_autocast_dtype("cpu")
    """
    return _of(device_type)[1]


def set_autocast_dtype(device_type, dtype):
    """Says in which dtype autocast computes products on a kind of device.

    >>> torch.set_autocast_dtype("cpu", torch.bfloat16)
    """
    _of(device_type)[1] = dtype


def is_autocast_cache_enabled():
    """Whether autocast may keep what it cast; kept.

    >>> torch.is_autocast_cache_enabled()
    """
    return _cache[0]


def set_autocast_cache_enabled(enabled, /):
    """Says whether autocast may keep what it cast; kept.

    >>> torch.set_autocast_cache_enabled(True)
    """
    _cache[0] = bool(enabled)


def clear_autocast_cache():
    """Does nothing: casts are not kept.

    >>> torch.clear_autocast_cache()
    """


def autocast_increment_nesting():
    """Counts one more autocast around what runs.

    >>> torch.autocast_increment_nesting() - torch.autocast_decrement_nesting()
    """
    _nesting[0] += 1
    return _nesting[0]


def autocast_decrement_nesting():
    """Counts one autocast less around what runs.

    >>> torch.autocast_increment_nesting() - torch.autocast_decrement_nesting()
    """
    _nesting[0] -= 1
    return _nesting[0]


# The same for one kind of device, by older names.


def _older(name, kind, of):
    if name.startswith("set"):
        def function(value, /):
            of(kind, value)
    else:
        def function():
            return of(kind)

    value = {set_autocast_dtype: "torch.bfloat16", set_autocast_enabled: "False"}.get(of, "")
    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f'As `{of.__name__}("{kind}"{", …" if value else ""})`.\n\n>>> torch.{name}({value})'
    )
    return function


for _kind, _word in (("cuda", "gpu"), ("cpu", "cpu"), ("ipu", "ipu"), ("xla", "xla")):
    for _name, _function in (
        (f"get_autocast_{_word}_dtype", get_autocast_dtype),
        (f"set_autocast_{_word}_dtype", set_autocast_dtype),
        (f"is_autocast_{_word}_enabled", is_autocast_enabled),
        (f"set_autocast_{_word}_enabled", set_autocast_enabled),
    ):
        # Without a word for the device, `is_autocast_enabled` means CUDA.
        if _word != "gpu" or _name.endswith("dtype"):
            globals()[_name] = _older(_name, _kind, _function)
del _kind, _word, _name, _function
