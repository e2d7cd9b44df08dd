"""NumPy's names on glowgrad's tensors: arrays share their memory with tensors.

What this module does not hold itself is in modules of the package that are loaded on first use.
"""

_MODULES = {
    "_types": (
        "bool bool_ byte can_cast double dtype complexfloating flexible float16 float32 float64 "
        "floating generic half inexact int16 int32 int64 int8 int_ intc integer intp isdtype "
        "issubdtype long longlong number promote_types result_type short signedinteger single "
        "ubyte uint uint16 uint32 uint64 uint8 uintc uintp ulong ulonglong unsignedinteger ushort "
        "True_ False_"
    ),
    "_core": "AxisError array asarray",
    "_ndarray": "ndarray",
    "_ufunc": (
        "ufunc abs absolute acos acosh add arccos arccosh arcsin arcsinh arctan arctan2 arctanh "
        "asin asinh atan atan2 atanh bitwise_and bitwise_invert bitwise_left_shift bitwise_not "
        "bitwise_or bitwise_right_shift bitwise_xor cbrt ceil conj conjugate copysign cos cosh "
        "deg2rad degrees divide divmod equal exp exp2 expm1 fabs float_power floor floor_divide "
        "fmax fmin fmod frexp gcd greater greater_equal heaviside hypot invert isfinite isinf "
        "isnan lcm ldexp left_shift less less_equal log log10 log1p log2 logaddexp logaddexp2 "
        "logical_and logical_not logical_or logical_xor matmul maximum minimum mod modf multiply "
        "negative not_equal positive power pow rad2deg radians reciprocal remainder right_shift "
        "rint sign signbit sin sinh sqrt square subtract tan tanh true_divide trunc vecdot"
    ),
    "_make": (
        "arange ascontiguousarray asanyarray asfortranarray diag diagflat empty empty_like eye "
        "flagsobj flatiter frombuffer fromfunction fromiter full full_like geomspace identity "
        "indices linspace logspace meshgrid ndenumerate ndindex ones ones_like require tri tril "
        "tril_indices triu triu_indices vander zeros zeros_like ix_ mgrid ogrid r_ c_ s_ index_exp "
        "copy tril_indices_from triu_indices_from diag_indices mask_indices asarray_chkfinite"
    ),
    "_print": (
        "array2string array_repr array_str format_float_positional format_float_scientific "
        "get_printoptions printoptions set_printoptions"
    ),
    "_reduce": (
        "all amax amin any argmax argmin average count_nonzero cumprod cumsum cumulative_prod "
        "cumulative_sum max mean min prod ptp std sum trace var"
    ),
    "_order": (
        "median nanargmax nanargmin nancumsum nanmax nanmean nanmedian nanmin nanpercentile "
        "nanprod nanquantile nanstd nansum nanvar percentile quantile"
    ),
    "_shape": (
        "append array_split atleast_1d atleast_2d atleast_3d block broadcast_arrays "
        "broadcast_shapes broadcast_to column_stack concat concatenate diagonal dsplit dstack "
        "expand_dims flip fliplr flipud hsplit hstack matrix_transpose moveaxis ndim permute_dims "
        "ravel repeat reshape resize roll rollaxis rot90 shape size split squeeze stack swapaxes "
        "tile transpose unstack vsplit vstack shares_memory may_share_memory unravel_index "
        "ravel_multi_index"
    ),
    "_pad": "delete insert pad trim_zeros",
    "_sort": (
        "argpartition argsort argwhere array_equal array_equiv allclose bincount choose compress "
        "copyto digitize extract flatnonzero histogram histogram2d histogram_bin_edges intersect1d "
        "isclose isin lexsort nonzero partition piecewise place put put_along_axis putmask "
        "searchsorted select setdiff1d setxor1d sort take take_along_axis union1d unique "
        "unique_counts unique_inverse unique_values where fill_diagonal"
    ),
    "_math": (
        "around angle clip convolve corrcoef correlate cov cross diff dot ediff1d einsum "
        "einsum_path fix gradient imag inner interp iscomplex iscomplexobj isneginf isposinf "
        "isreal isrealobj kron nan_to_num outer real real_if_close round sinc tensordot trapezoid "
        "unwrap vdot"
    ),
    "_tools": (
        "apply_along_axis apply_over_axes bartlett base_repr binary_repr bitwise_count blackman "
        "errstate finfo frompyfunc geterr hamming hanning iinfo isscalar iterable poly1d polyadd "
        "polyder polyfit polyint polymul polyval seterr vectorize"
    ),
    "_files": "fromfile genfromtxt load loadtxt memmap save savetxt savez savez_compressed",
    "_absent": "fromstring",
}
_WHERE = {name: module for module, names in _MODULES.items() for name in names.split()}
_PACKAGES = ("exceptions", "fft", "lib", "linalg", "random", "testing", "typing")

__version__ = "2.4.0"
newaxis = None
pi, e = 3.141592653589793, 2.718281828459045
inf, nan = float("inf"), float("nan")
euler_gamma = 0.5772156649015329
little_endian = True
__all__ = [*_WHERE, *_PACKAGES, "newaxis", "pi", "e", "inf", "nan", "euler_gamma"]


def __getattr__(name):
    if name in _WHERE or name in _PACKAGES:
        path = f"numpy.{_WHERE.get(name, name)}"
        found = __import__(path, None, None, [name])
        if name in _WHERE:
            found = getattr(found, name)
            if type(found) is type(__getattr__):
                from numpy._core import quiet

                found = quiet(found)
        globals()[name] = found
        return found
    if name.startswith("_"):
        raise AttributeError(f"module 'numpy' has no attribute '{name}'")
    return __import__("numpy._absent", None, None, ["instead"]).instead(name)


def __dir__():
    return sorted(__all__)
