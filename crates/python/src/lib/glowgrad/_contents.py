"""What is loaded when first asked for: functions of `torch` and methods of tensors, by module."""

from _glowgrad import TensorBase

_FUNCTIONS = {
    "amp": (
        "GradScaler autocast autocast_decrement_nesting autocast_increment_nesting "
        "clear_autocast_cache get_autocast_cpu_dtype get_autocast_dtype get_autocast_gpu_dtype "
        "get_autocast_ipu_dtype get_autocast_xla_dtype is_autocast_cache_enabled "
        "is_autocast_cpu_enabled is_autocast_enabled is_autocast_ipu_enabled "
        "is_autocast_xla_enabled set_autocast_cache_enabled set_autocast_cpu_dtype "
        "set_autocast_cpu_enabled set_autocast_dtype set_autocast_enabled "
        "set_autocast_gpu_dtype set_autocast_ipu_dtype set_autocast_ipu_enabled "
        "set_autocast_xla_dtype set_autocast_xla_enabled"
    ),
    "__config__": "", "_dynamo": "", "_inductor": "", "_utils": "", "accelerator": "",
    "backends": "", "compiler": "", "cpu": "", "cuda": "", "datasets": "", "distributed": "",
    "distributions": "", "func": "", "jit": "", "linalg": "", "models": "", "mps": "",
    "multiprocessing": "", "onnx": "", "profiler": "", "random": "thread_safe_generator",
    "special": "polygamma", "testing": "", "text": "", "types": "", "utils": "", "version": "", "xpu": "", "func._vmap": "vmap",
    "_draws": "binomial poisson",
    "_calculus": "cumulative_trapezoid diff gradient trapezoid trapz vander",
    "_compiling": "AcceleratorError OutOfMemoryError compile cond while_loop",
    "_copies": (
        "alias_copy as_strided_copy detach_copy diagonal_copy expand_copy narrow_copy "
        "permute_copy select_copy slice_copy split_copy split_with_sizes_copy squeeze_copy "
        "t_copy transpose_copy unbind_copy unfold_copy unsqueeze_copy view_copy"
    ),
    "_decompositions": "lu lu_solve lu_unpack pinverse svd",
    "_defaults": "set_default_tensor_type",
    "_linear": (
        "adjoint chain_matmul cholesky_inverse cholesky_solve frobenius_norm ger logdet "
        "norm_except_dim orgqr ormqr slogdet triangular_solve"
    ),
    "_low_rank": "geqrf lobpcg nuclear_norm pca_lowrank svd_lowrank",
    "_making": (
        "empty_permuted empty_strided fill from_file randint_like range scalar_tensor"
    ),
    "_native": (
        "batch_norm_update_stats convolution embedding_bag fake_quantize_per_channel_affine "
        "fake_quantize_per_tensor_affine native_batch_norm native_channel_shuffle native_dropout "
        "native_group_norm native_layer_norm"
    ),
    "_numbers": (
        "angle float_power frexp gcd hash_tensor heaviside lcm ldexp logaddexp2 "
        "nextafter rsub"
    ),
    "_of_nn": (
        "affine_grid_generator alpha_dropout alpha_dropout_ bilinear celu_ channel_shuffle "
        "conv_tbc conv_transpose3d ctc_loss dropout_ embedding_renorm_ feature_alpha_dropout "
        "feature_alpha_dropout_ feature_dropout feature_dropout_ grid_sampler grid_sampler_2d "
        "grid_sampler_3d gru gru_cell lstm lstm_cell rnn_relu rnn_relu_cell rnn_tanh "
        "rnn_tanh_cell rrelu rrelu_ selu_ threshold_"
    ),
    "_pieces": (
        "as_strided_scatter atleast_1d atleast_2d atleast_3d combinations constant_pad_nd "
        "diagonal_scatter dsplit hsplit select_scatter slice_inverse slice_scatter "
        "split_with_sizes unsafe_chunk unsafe_split unsafe_split_with_sizes vsplit"
    ),
    "_places": (
        "index_reduce isin nonzero_static put segment_reduce unique_consecutive unravel_index"
    ),
    "_plain": (
        "Event Stream get_device_module sym_float sym_int sym_ite sym_max sym_min sym_not "
        "sym_sqrt sym_sum"
    ),
    "_questions": (
        "can_cast conj conj_physical get_device imag is_complex is_conj is_distributed "
        "is_inference is_neg is_nonzero is_same_size is_signed is_storage isneginf isposinf "
        "isreal real resolve_conj resolve_neg result_type typename"
    ),
    "_removed": "eig lstsq matrix_rank qr solve symeig",
    "_settings": (
        "are_deterministic_algorithms_enabled compiled_with_cxx11_abi "
        "get_deterministic_debug_mode get_float32_matmul_precision get_num_interop_threads "
        "get_num_threads has_lapack has_mkl has_openmp has_spectral init_num_threads "
        "is_anomaly_check_nan_enabled is_anomaly_enabled "
        "is_deterministic_algorithms_warn_only_enabled is_vulkan_available "
        "is_warn_always_enabled set_anomaly_enabled set_deterministic_debug_mode "
        "set_float32_matmul_precision set_flush_denormal set_num_interop_threads "
        "set_num_threads set_warn_always use_deterministic_algorithms"
    ),
    "_statistics": (
        "cdist corrcoef cov dist histogram histogramdd msort nanmean nanquantile nansum pdist "
        "quantile renorm"
    ),
    "_twins": (
        "abs_ acos_ acosh_ addmv_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ "
        "as_strided_ asin_ asinh_ atan_ atanh_ ceil_ clamp_ clamp_max_ clamp_min_ clip_ "
        "conj_physical_ cos_ cosh_ deg2rad_ detach_ erf_ erfc_ exp2_ exp_ expm1_ fill_ fix_ "
        "floor_ frac_ gcd_ i0_ index_put_ lcm_ ldexp_ log10_ log1p_ log2_ log_ logit_ nan_to_num_ "
        "neg_ negative_ rad2deg_ reciprocal_ relu_ resize_as_ round_ rsqrt_ sigmoid_ sin_ "
        "sinc_ sinh_ sqrt_ square_ tan_ tanh_ trunc_ xlogy_ zero_"
    ),
    "serialization": "load save", "storage": "",
    "_types": (
        "BFloat16Storage BFloat16Tensor BoolStorage BoolTensor ByteStorage ByteTensor "
        "CharStorage CharTensor DoubleStorage DoubleTensor FloatStorage FloatTensor "
        "HalfStorage HalfTensor IntStorage IntTensor LongStorage LongTensor ShortStorage "
        "ShortTensor Storage TypedStorage"
    ),
    "_windows": "bartlett_window blackman_window hamming_window hann_window kaiser_window",
}

# Functions that are methods too. A name that ends with _ writes what the function without it gives.
_METHODS = (
    "angle as_strided_scatter conj conj_physical corrcoef cov cholesky_inverse cholesky_solve "
    "diagonal_scatter diff dist dsplit float_power float_power_ frexp gcd gcd_ geqrf ger "
    "get_device hash_tensor heaviside heaviside_ histogram hsplit index_reduce index_reduce_ "
    "is_complex is_conj is_distributed is_neg is_nonzero is_same_size is_signed isneginf "
    "isposinf isreal lcm lcm_ ldexp ldexp_ logaddexp2 logdet lu lu_solve msort nanmean "
    "nanquantile nansum narrow_copy nextafter nextafter_ nonzero_static orgqr ormqr pinverse "
    "put put_ quantile renorm renorm_ resolve_conj resolve_neg select_scatter slice_inverse "
    "slice_scatter slogdet split_with_sizes svd triangular_solve unique_consecutive "
    "unsafe_chunk unsafe_split unsafe_split_with_sizes vsplit"
)
_REMOVED = "cholesky eig lstsq qr solve symeig"
# Methods that are no functions.
_OWN_METHODS = (
    "apply_ conj_physical_ const_data_ptr dense_dim dim_order fill_diagonal_ is_pinned "
    "is_set_to is_shared map2_ map_ module_load new new_empty new_empty_strided pin_memory "
    "record_stream reinforce resize resize_ resize_as resize_as_ set_ share_memory_ "
    "sparse_dim storage storage_type sum_to_size to_dense"
)
_PICKLED = "__copy__ __reduce_ex__"
# Other names of ops that write.
_ALIASES = {
    "absolute": "abs", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh",
    "arctan": "atan", "arctan2": "atan2", "arctanh": "atanh", "divide": "div", "fix": "trunc",
    "greater": "gt", "greater_equal": "ge", "less": "lt", "less_equal": "le", "multiply": "mul",
    "negative": "neg", "not_equal": "ne", "subtract": "sub", "true_divide": "div",
}


class _Method:
    """Stands in for a method until it is asked for."""

    __slots__ = ("owner", "name")

    def __init__(self, owner, name):
        self.owner, self.name = owner, name

    def __get__(self, instance, kind):
        setattr(self.owner, self.name, _load(self.name))
        return getattr(kind if instance is None else instance, self.name)


def _load(name):
    """The method of this name, from its module."""
    import glowgrad

    if name in _PICKLED.split():
        from glowgrad import _utils

        return getattr(_utils, name)
    if name in _OWN_METHODS.split():
        from glowgrad import _methods

        return getattr(_methods, name)
    if name in _REMOVED.split():
        from glowgrad import _removed

        return getattr(_removed, name)
    if name.endswith("_"):
        return _writing(name, _load(name[:-1]))
    function = getattr(glowgrad, name)
    return getattr(function, "__wrapped__", function)


def _writing(name, function):
    """The method that writes what a function gives into its tensor."""

    def method(self, *args, **kwargs):
        result = function(self.clone(), *args, **kwargs)
        if result.shape != self.shape:
            raise RuntimeError(
                f"output with shape {list(self.shape)} doesn't match the broadcast shape "
                f"{list(result.shape)}"
            )
        if result.dtype.is_floating_point and not self.dtype.is_floating_point:
            raise RuntimeError(
                f"result type {result.dtype.scalar_name} can't be cast to the desired output type "
                f"{self.dtype.scalar_name}"
            )
        return self.copy_(result)

    _, mark, example = function.__doc__.partition(">>>")
    base = name[:-1]
    method.__name__ = name
    method.__doc__ = f"As `{base}`, and writes the result into the tensor.\n\n    {mark}{example}"
    return method


def _add_methods(cls):
    for name in f"{_METHODS} {_OWN_METHODS} {_REMOVED} {_PICKLED}".split():
        setattr(cls, name, _Method(cls, name))
    for alias, name in _ALIASES.items():
        setattr(cls, alias + "_", getattr(TensorBase, name + "_"))
