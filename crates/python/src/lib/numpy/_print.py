"""How arrays are printed: shortest digits, aligned, wrapped at 75 columns, the middle of long ones
left out."""

import math

import _glowgrad as _C
from numpy._core import asarray
from numpy._types import BOOL, FLOAT64, INT64, _made, _shortest, float16

_INF = float("inf")
_options = {
    "precision": 8, "threshold": 1000, "edgeitems": 3, "linewidth": 75, "suppress": False,
    "nanstr": "nan", "infstr": "inf", "formatter": None, "sign": "-", "floatmode": "maxprec",
    "legacy": False, "override_repr": None,
}


def get_printoptions():
    """How arrays are printed now. >>> np.get_printoptions()["precision"]"""
    return dict(_options)


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, suppress=None,
                     nanstr=None, infstr=None, formatter=None, sign=None, floatmode=None, *,
                     legacy=None, override_repr=None):
    """Says how arrays are printed. >>> np.set_printoptions(precision=8, suppress=False)"""
    given = dict(
        precision=precision, threshold=threshold, edgeitems=edgeitems, linewidth=linewidth,
        suppress=suppress,
        nanstr=nanstr, infstr=infstr, sign=sign, floatmode=floatmode, legacy=legacy,
    )
    _options.update(_checked(given), formatter=formatter, override_repr=override_repr)


def _checked(given):
    given = {key: value for key, value in given.items() if value is not None}
    if given.get("floatmode", "fixed") not in ("fixed", "unique", "maxprec", "maxprec_equal"):
        raise ValueError("floatmode option must be one of fixed, unique, maxprec, or maxprec_equal")
    if given.get("sign", "-") not in ("-", "+", " "):
        raise ValueError("sign option must be one of ' ', '+', or '-'")
    if given.get("threshold") is not None and not isinstance(given["threshold"], (int, float)):
        raise TypeError("threshold must be numeric")
    return given


class printoptions:
    """Under `with`: how arrays are printed meanwhile.
    >>> np.printoptions(precision=2).__enter__()["precision"]"""

    def __init__(self, **given):
        self._given = given

    def __enter__(self):
        self._before = dict(_options)
        set_printoptions(**self._given)
        return get_printoptions()

    def __exit__(self, *_):
        _options.clear()
        _options.update(self._before)


def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    """An array as `print` shows it. >>> np.array_str(np.arange(3))"""
    if not a.ndim:
        return str(a[()])
    return array2string(a, max_line_width, precision, suppress_small)


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    """An array as it could be written in a program. >>> np.array_repr(np.arange(3))"""
    if _options["override_repr"] is not None:
        return _options["override_repr"](arr)
    width = max_line_width or _options["linewidth"]
    text = array2string(arr, width, precision, suppress_small, ", ", "array(", suffix=")")
    extras = []
    if not arr.size and arr.shape != (0,) or arr.size > _options["threshold"]:
        extras.append(f"shape={arr.shape}")
    if arr.dtype not in (FLOAT64, INT64, BOOL) or not arr.size:
        extras.append(f"dtype={arr.dtype}")
    if not extras:
        return f"array({text})"
    text = f"array({text},"
    extra = ", ".join(extras) + ")"
    last = len(text) - (text.rfind("\n") + 1)
    return text + ("\n      " if last + len(extra) + 1 > width else " ") + extra


def array2string(a, max_line_width=None, precision=None, suppress_small=None, separator=" ",
                 prefix="", *, formatter=None, threshold=None, edgeitems=None, sign=None,
                 floatmode=None, suffix="", legacy=None):
    """An array as text. >>> np.array2string(np.arange(3), separator=", ")"""
    given = dict(
        linewidth=max_line_width, precision=precision, suppress=suppress_small, threshold=threshold,
        edgeitems=edgeitems, sign=sign, floatmode=floatmode, formatter=formatter,
    )
    options = dict(_options)
    options.update(_checked(given))
    a = asarray(a)
    if not a.size:
        return "[]"
    edge = options["edgeitems"] if a.size > options["threshold"] else 0
    rows = _corners(a._t, edge) if edge else a._t
    words = _words(rows.contiguous(), a.dtype, options)
    if not a.ndim:
        return words[0]
    marks = [edge and n > 2 * edge for n in a.shape]
    width = options["linewidth"] - len(suffix)
    return _nested(words, list(rows.shape), marks, edge, separator, " " * (len(prefix) + 1), width)[
        0
    ]


def _corners(tensor, edge):
    """Only the elements that are shown."""
    for dim, n in enumerate(tensor.shape):
        if n > 2 * edge:
            ends = [tensor.narrow(dim, 0, edge), tensor.narrow(dim, n - edge, edge)]
            tensor = _C.cat(ends, dim)
    return tensor


def _nested(words, shape, marks, edge, separator, indent, width):
    """The words of a block between brackets, and those that are left."""
    n, inner = shape[0], shape[1:]
    width -= 1
    if not inner:
        row, words = words[:n], words[n:]
        if marks[0]:
            row[edge:edge] = ["..."]
        most = width + 1 - max(len(separator.rstrip()), 1)
        lines, line = [], indent
        for i, word in enumerate(row):
            if len(line) + len(word) > most and len(line) > len(indent):
                lines.append(line.rstrip())
                line = indent
            line += word + (separator if i + 1 < len(row) else "")
        lines.append(line)
        return "[" + "\n".join(lines)[len(indent):] + "]", words
    blocks = []
    for _ in range(n):
        block, words = _nested(words, inner, marks[1:], edge, separator, indent + " ", width)
        blocks.append(block)
    if marks[0]:
        blocks[edge:edge] = ["..."]
    return "[" + (separator.rstrip() + "\n" * len(inner) + indent).join(blocks) + "]", words


def _words(tensor, kind, options):
    """The elements as texts of one width."""
    own = _own(kind, options["formatter"])
    flat = tensor.reshape(-1)
    values = flat.tolist()
    if own is not None:
        return [own(_made(kind, value)) for value in values]
    if kind.kind == "f":
        # The digits that tell a number from its neighbours, and the number itself.
        shorts = values if kind is FLOAT64 else [_shortest(value, kind) for value in values]
        return _float_words(values, shorts, kind, options)
    if kind is BOOL:
        pad = " " if tensor.ndim else ""
        return [pad + "True" if value else "False" for value in values]
    sign = (
        ""
        if options["sign"] == "-" or options["sign"] == " " and min(values) < 0
        else options["sign"]
    )
    texts = [format(value, f"{sign}d") for value in values]
    width = max(map(len, texts), default=0)
    return [text.rjust(width) for text in texts]


def _own(kind, formatter):
    """The learner's own function for a type."""
    if formatter is None:
        return None
    names = {"f": ("float", "float_kind", "all"), "b": ("bool", "all")}.get(
        kind.kind, ("int", "int_kind", "all")
    )
    return next((formatter[name] for name in names if formatter.get(name) is not None), None)


def _float_words(values, shorts, kind, options):
    precision, mode = options["precision"], options["floatmode"]
    finite = [i for i, x in enumerate(values) if x == x and abs(x) != _INF]
    sizes = [abs(values[i]) for i in finite if values[i]]
    cutoff = 1e3 if kind.type is float16 else 1e6 if kind.itemsize == 4 else 1e8
    scientific = sizes and (
        max(sizes) >= cutoff
        or not options["suppress"] and (min(sizes) < 0.0001 or max(sizes) / min(sizes) > 1000)
    )
    cut = None if mode == "unique" else precision
    write = _scientific if scientific else _positional
    texts = {i: write(values[i], shorts[i], cut, mode == "fixed") for i in finite}
    parts = {i: text.partition("e")[0].partition(".") for i, text in texts.items()}
    longest = max([len(part[2]) for part in parts.values()], default=0)
    left = max([len(part[0]) for part in parts.values()], default=0)
    plus = options["sign"] == "+"
    if plus:
        texts = {i: text if text[0] == "-" else "+" + text for i, text in texts.items()}
        parts = {i: text.partition("e")[0].partition(".") for i, text in texts.items()}
        left = max([len(part[0]) for part in parts.values()], default=0)
    elif options["sign"] == " " and not any(part[0][0] == "-" for part in parts.values()):
        left += 1
    right = longest
    digits = 0
    if scientific:
        digits = max(len(text.partition("e")[2]) for text in texts.values()) - 1
        right = digits + 2 + longest
    if len(finite) != len(values):
        minus = options["sign"] != "-" or any(x == -_INF for x in values)
        left = max(
            left, len(options["nanstr"]) - right - 1, len(options["infstr"]) + minus - right - 1
        )
    words = []
    for i, x in enumerate(values):
        if i not in texts:
            text = (
                options["nanstr"]
                if x != x
                else ("-" if x < 0 else "+" if plus else "") + options["infstr"]
            )
            words.append(text.rjust(left + right + 1))
            continue
        if scientific:
            mantissa, _, exponent = ("%.*e" % (longest, x)).partition("e")
            exponent = exponent[0] + exponent[1:].rjust(digits, "0")
            text = ("+" if plus and mantissa[0] != "-" else "") + (
                mantissa if longest else mantissa + "."
            )
            whole = text.partition(".")[0]
            words.append(" " * (left - len(whole)) + text + "e" + exponent)
            continue
        whole, _, part = parts[i]
        fill = "0" if mode in ("fixed", "maxprec_equal") else " "
        words.append(" " * (left - len(whole)) + whole + "." + part + fill * (longest - len(part)))
    return words


def _positional(value, short, precision, fixed):
    """A number with a point, as few digits after it as tell it apart, at most `precision`."""
    if fixed:
        return "%.*f" % (precision, value) if precision else "%.0f." % value
    digits = _digits_behind(short)
    if precision is not None and digits > precision:
        text = "%.*f" % (precision, value)
        return text.rstrip("0") if precision else text + "."
    text = "%.*f" % (digits, short)
    return text if digits else text + "."


def _digits_behind(short):
    text = repr(short)
    mantissa, _, exponent = text.partition("e")
    part = mantissa.partition(".")[2]
    part = "" if part == "0" else part
    return max(0, len(part) - int(exponent or 0))


def _scientific(value, short, precision, fixed):
    """A number with an exponent, as few digits as tell it apart, at most `precision` behind the
    point."""
    if fixed:
        text = "%.*e" % (precision, value)
        return text if precision else text.replace("e", ".e")
    digits = len(repr(short).partition("e")[0].replace(".", "").replace("-", "").strip("0")) or 1
    if precision is not None and digits - 1 > precision:
        mantissa, _, exponent = ("%.*e" % (precision, value)).partition("e")
        mantissa = mantissa.rstrip("0") if precision else mantissa + "."
        return mantissa + "e" + exponent
    mantissa, _, exponent = ("%.*e" % (digits - 1, short)).partition("e")
    return mantissa + ("" if digits > 1 else ".") + "e" + exponent


def _float_of(x):
    kind = getattr(x, "dtype", FLOAT64)
    value = float(x)
    return value, _shortest(value, kind)


def _trimmed(text, trim):
    if trim == "k":
        return text
    text = text.rstrip("0")
    if trim == "0" and text.endswith("."):
        return text + "0"
    return text.rstrip(".") if trim == "-" else text


def format_float_positional(x, precision=None, unique=True, fractional=True, trim="k", sign=False,
                            pad_left=None, pad_right=None, min_digits=None):
    """A float with a point. >>> np.format_float_positional(1e-7)"""
    value, short = _float_of(x)
    if not fractional and precision is not None:
        precision = (
            max(0, precision - 1 - math.floor(math.log10(abs(value)))) if value else precision - 1
        )
    text = _positional(value, short, precision, not unique)
    if min_digits is not None:
        text += "0" * (min_digits - len(text.partition(".")[2]))
    text = _trimmed(text, trim)
    return _padded(text, sign, pad_left, pad_right)


def format_float_scientific(x, precision=None, unique=True, trim="k", sign=False, pad_left=None,
                            exp_digits=None, min_digits=None):
    """A float with an exponent. >>> np.format_float_scientific(12345.678, precision=2)"""
    value, short = _float_of(x)
    mantissa, _, exponent = _scientific(value, short, precision, not unique).partition("e")
    if min_digits is not None:
        mantissa += "0" * (min_digits - len(mantissa.partition(".")[2]))
    exponent = exponent[0] + exponent[1:].rjust(exp_digits or 2, "0")
    return _padded(_trimmed(mantissa, trim) + "e" + exponent, sign, pad_left, None)


def _padded(text, sign, left, right):
    if sign and text[0] != "-":
        text = "+" + text
    whole, _, part = text.partition(".")
    return " " * ((left or 0) - len(whole)) + text + " " * ((right or 0) - len(part))
