"""Colours by name, and colour maps: `matplotlib.colors`."""

import numpy as np

# The cycle of colours that plots go through.
CYCLE = (
    "#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f",
    "#bcbd22",
    "#17becf",
)
_LETTERS = {
    "b": "#0000ff", "g": "#008000", "r": "#ff0000", "c": "#00bfbf", "m": "#bf00bf", "y": "#bfbf00",
    "k": "#000000", "w": "#ffffff",
}
_TAB = dict(zip("blue orange green red purple brown pink gray olive cyan".split(), CYCLE))
_CSS = {
    "aqua": "00ffff", "aquamarine": "7fffd4", "beige": "f5f5dc", "black": "000000",
    "blue": "0000ff",
    "blueviolet": "8a2be2", "brown": "a52a2a", "cadetblue": "5f9ea0", "chocolate": "d2691e",
    "coral": "ff7f50", "cornflowerblue": "6495ed", "crimson": "dc143c", "cyan": "00ffff",
    "darkblue": "00008b", "darkcyan": "008b8b", "darkgray": "a9a9a9", "darkgreen": "006400",
    "darkgrey": "a9a9a9", "darkmagenta": "8b008b", "darkorange": "ff8c00", "darkred": "8b0000",
    "darkviolet": "9400d3", "deeppink": "ff1493", "deepskyblue": "00bfff", "dimgray": "696969",
    "dodgerblue": "1e90ff", "firebrick": "b22222", "forestgreen": "228b22", "fuchsia": "ff00ff",
    "gold": "ffd700", "goldenrod": "daa520", "gray": "808080", "green": "008000", "grey": "808080",
    "hotpink": "ff69b4", "indianred": "cd5c5c", "indigo": "4b0082", "ivory": "fffff0",
    "khaki": "f0e68c", "lavender": "e6e6fa", "lightblue": "add8e6", "lightcoral": "f08080",
    "lightgray": "d3d3d3", "lightgreen": "90ee90", "lightgrey": "d3d3d3", "lightpink": "ffb6c1",
    "lightsalmon": "ffa07a", "lightskyblue": "87cefa", "lightyellow": "ffffe0", "lime": "00ff00",
    "limegreen": "32cd32", "magenta": "ff00ff", "maroon": "800000", "mediumblue": "0000cd",
    "mediumpurple": "9370db", "mediumseagreen": "3cb371", "midnightblue": "191970",
    "navy": "000080",
    "olive": "808000", "orange": "ffa500", "orangered": "ff4500", "orchid": "da70d6",
    "pink": "ffc0cb", "plum": "dda0dd", "purple": "800080", "red": "ff0000", "royalblue": "4169e1",
    "saddlebrown": "8b4513", "salmon": "fa8072", "seagreen": "2e8b57", "sienna": "a0522d",
    "silver": "c0c0c0", "skyblue": "87ceeb", "slateblue": "6a5acd", "slategray": "708090",
    "springgreen": "00ff7f", "steelblue": "4682b4", "tan": "d2b48c", "teal": "008080",
    "thistle": "d8bfd8", "tomato": "ff6347", "turquoise": "40e0d0", "violet": "ee82ee",
    "wheat": "f5deb3", "white": "ffffff", "yellow": "ffff00", "yellowgreen": "9acd32",
}
_WRONG = (
    "{!r} is not a valid value for color: supported inputs are (r, g, b) and (r, g, b, a) 0-1 "
    "float tuples; '#rrggbb', '#rrggbbaa', '#rgb', '#rgba' strings; named color strings; string "
    "reprs of 0-1 floats for grayscale values; 'C0', 'C1', ... strings for colors of the color "
    "cycle; and pairs combining one of the above with an alpha value"
)


def to_rgba(c, alpha=None):
    """A colour as red, green, blue and opacity from 0 to 1.

    >>> from matplotlib.colors import to_rgba
    >>> to_rgba("C0")
    """
    if isinstance(c, tuple) and len(c) == 2 and isinstance(c[0], (str, tuple)):
        return to_rgba(c[0], c[1] if alpha is None else alpha)
    if isinstance(c, str):
        found = _by_name(c)
    else:
        try:
            found = tuple([float(part) for part in c])
        except TypeError:
            raise ValueError(_WRONG.format(c)) from None
        if len(found) not in (3, 4):
            raise ValueError("RGBA sequence should have length 3 or 4")
        if min(found) < 0 or max(found) > 1:
            raise ValueError("RGBA values should be within 0-1 range")
    if len(found) == 3:
        found = found + (1.0,)
    return found if alpha is None else found[:3] + (float(alpha),)


def _by_name(c):
    if c.lower() == "none":
        return (0.0, 0.0, 0.0, 0.0)
    if c[:1] == "C" and c[1:].isdigit():
        text = CYCLE[int(c[1:]) % len(CYCLE)]
    elif c in _LETTERS:
        text = _LETTERS[c]
    elif c.startswith("tab:"):
        text = _TAB.get(c[4:].replace("grey", "gray"), "")
    else:
        text = "#" + _CSS[c.lower()] if c.lower() in _CSS else c
    digits = text[1:]
    if (
        text[:1] == "#"
        and len(digits) in (3, 4, 6, 8)
        and not digits.strip("0123456789abcdefABCDEF")
    ):
        if len(digits) < 6:
            digits = "".join([digit * 2 for digit in digits])
        return tuple([int(digits[i:i + 2], 16) / 255 for i in range(0, len(digits), 2)])
    try:
        grey = float(c)
    except ValueError:
        grey = -1.0
    if not 0 <= grey <= 1:
        raise ValueError(_WRONG.format(c))
    return (grey, grey, grey)


def to_rgb(c):
    """A colour as red, green and blue from 0 to 1.

    >>> from matplotlib.colors import to_rgb
    >>> to_rgb("red")
    """
    return to_rgba(c)[:3]


def to_hex(c, keep_alpha=False):
    """A colour as #rrggbb.

    >>> from matplotlib.colors import to_hex
    >>> to_hex("C1")
    """
    parts = to_rgba(c)[:4 if keep_alpha else 3]
    return "#" + "".join(["%02x" % round(part * 255) for part in parts])


def is_color_like(c):
    """Whether a colour has this name.

    >>> from matplotlib.colors import is_color_like
    >>> is_color_like("zz")
    """
    try:
        to_rgba(c)
    except (ValueError, TypeError):
        return False
    return True


class Normalize:
    """Numbers from vmin to vmax as numbers from 0 to 1.

    >>> from matplotlib.colors import Normalize
    >>> Normalize(0, 10)(5)
    """

    def __init__(self, vmin=None, vmax=None, clip=False):
        self.vmin, self.vmax, self.clip = vmin, vmax, clip

    def autoscale_None(self, A):
        """Takes the bounds that are not given from an array."""
        A = np.asarray(A)
        finite = A[np.isfinite(A)] if A.dtype.kind == "f" else A.ravel()
        if self.vmin is None and finite.size:
            self.vmin = float(finite.min())
        if self.vmax is None and finite.size:
            self.vmax = float(finite.max())

    def __call__(self, value, clip=None):
        self.autoscale_None(value)
        found = self._part(np.asarray(value, float))
        if self.clip if clip is None else clip:
            found = np.clip(found, 0, 1)
        return found if found.ndim else found[()]

    def _part(self, value):
        if self.vmin == self.vmax:
            return np.zeros_like(value)
        return (value - self.vmin) / (self.vmax - self.vmin)


class LogNorm(Normalize):
    """As `Normalize`, by the logarithm.

    >>> from matplotlib.colors import LogNorm
    >>> LogNorm(1, 100)(10)
    """

    def _part(self, value):
        low, high = np.log(self.vmin), np.log(self.vmax)
        return (np.log(value) - low) / (high - low)


class Colormap:
    """Colours for numbers from 0 to 1.

    >>> import matplotlib.pyplot as plt
    >>> plt.cm.viridis(0.5)
    """

    def __init__(self, name, stops, N=256, even=True):
        self.name, self.N, self._stops, self._even = name, N, stops, even

    def __call__(self, X, alpha=None, bytes=False):
        x = np.asarray(X)
        if x.dtype.kind == "f":
            place = np.clip(np.nan_to_num(x), 0, 1) * self.N
            place = np.clip(place, 0, self.N - 1).astype(int)
        else:
            place = np.clip(x, 0, self.N - 1).astype(int)
        found = self._table()[place]
        if alpha is not None:
            found[..., 3] = alpha
        if bytes:
            found = np.round(found * 255).astype(np.uint8)
        return found if x.ndim else tuple(found)

    def _table(self):
        if not hasattr(self, "_kept"):
            stops = np.array(self._stops)
            if self._even:
                at, want = np.linspace(0, 1, len(stops)), np.linspace(0, 1, self.N)
                columns = [np.interp(want, at, stops[:, i]) for i in range(stops.shape[1])]
                stops = np.stack(columns, 1)
            if stops.shape[1] == 3:
                stops = np.hstack([stops, np.ones((len(stops), 1))])
            self._kept = stops
        return self._kept

    def hexes(self):
        """The colours as texts: all of a listed map, else 17 at even distances."""
        n = self.N if not self._even else 17
        return [to_hex(self(i if not self._even else i / (n - 1.0))) for i in range(n)]

    def reversed(self, name=None):
        """The map turned round.

        >>> import matplotlib.pyplot as plt
        >>> plt.cm.gray.reversed().name
        """
        name = name or (self.name[:-2] if self.name.endswith("_r") else self.name + "_r")
        return Colormap(name, self._stops[::-1], self.N, self._even)

    def resampled(self, lutsize):
        """The map with so many colours."""
        return Colormap(self.name, self._stops, lutsize, True)


class ListedColormap(Colormap):
    """A map of single colours.

    >>> from matplotlib.colors import ListedColormap
    >>> ListedColormap(["red", "blue"])(1)
    """

    def __init__(self, colors, name="from_list", N=None):
        if isinstance(colors, str):
            colors = [colors] * (N or 1)
        stops = [to_rgba(c) for c in colors]
        super().__init__(name, stops[:N], len(stops[:N]), False)
        self.colors = colors


class LinearSegmentedColormap(Colormap):
    """A map that runs from colour to colour.

    >>> from matplotlib.colors import LinearSegmentedColormap
    >>> LinearSegmentedColormap.from_list("mine", ["white", "red"])(0.5)
    """

    @staticmethod
    def from_list(name, colors, N=256, gamma=1.0):
        """A map through these colours at even distances."""
        if len(colors) and isinstance(colors[0], (tuple, list)) and len(colors[0]) == 2:
            at = [float(place) for place, _ in colors]
            ends = np.array([to_rgba(c) for _, c in colors])
            want = np.linspace(0, 1, N)
            stops = np.stack([np.interp(want, at, ends[:, i]) for i in range(4)], 1).tolist()
        else:
            stops = [to_rgba(c) for c in colors]
        return Colormap(name, stops, N)


_STOPS = {
    "viridis": (
        "44015448186a472d7b4240863b528b33638d2c728e26828e21918c1fa08828ae803fbc73"
        "5ec96284d44baddc30d8e219fde725"
    ),
    "plasma": "0d08877e03a8cc4778f89540f0f921",
    "inferno": "000004160b39420a686a176e932667bc3754dd513af37819fca50af6d746fcffa4",
    "magma": "0000041d114751127c832681b73779e75263fc8961fec488fcfdbf",
    "cividis": "00224e08337035456c4f576c6669707d7c78948e77aea371c8b866e5cf52fee838",
    "gray": "000000ffffff",
    "hot": "0b00005f0000b30000ff0800ff5c00ffb000ffff07ffff85ffffff",
    "cool": "00ffffff00ff",
    "jet": (
        "0000800000c80000ff0040ff0080ff00c0ff16ffe149ffad7dff7ab1ff46e4ff13ffd000"
        "ff9400ff5900ff1e00c40000800000"
    ),
    "coolwarm": (
        "3b4cc04e68d86282ea779af78db0fea3c2feb9d0f9ccd9eddddcdcecd3c5f5c4acf7b093"
        "f4987aeb7d62dd5f4bca3b37b40426"
    ),
    "RdBu": "67001fb1182bd6604df3a481fddbc7f6f7f7d1e5f090c4dd4393c32065ab053061",
    "bwr": "0000fffffefeff0000",
    "seismic": "00004c0101fffffdfdfe0000800000",
    "Blues": "f7fbffdeebf7c6dbef9dcae16aaed64191c62070b408509b08306b",
    "Greens": "f7fcf5e5f5e0c7e9c0a0d99b73c47640aa5d228a44006c2c00441b",
    "Reds": "fff5f0fee0d2fcbba1fc9272fb694aee3a2cca181da30f1567000d",
    "Oranges": "fff5ebfee6cefdd0a2fdae6afd8c3bf16813d84801a536037f2704",
    "Purples": "fcfbfddadaeb9e9ac86950a33f007d",
    "Greys": "ffffffd9d9d9959595515151000000",
    "YlOrRd": "ffffccffeda0fed976feb24cfd8c3cfc4d2ae2191cbb0026800026",
    "RdYlBu": "a50026d62f27f46d43fdad60fee090feffc0e0f3f8aad8e974add14574b3313695",
    "RdYlGn": "a50026de402ef98e52fed481feffbecbe98284ca662aa054006837",
    "Spectral": "9e0142d43d4ff46d43fdad60fee08bffffbee6f598aadca466c2a53387bc5e4fa2",
    "rainbow": "8000ff4062fa00b5eb40ecd480ffb4c0eb8dffb360ff5f30ff0000",
    "turbo": (
        "30123b4040a2466be34294ff28bceb18ddc232f2986dfe62a4fc3ccdec34eecf3afdac34"
        "fb7e21eb500ed02f05a916017a0403"
    ),
    "hsv": (
        "ff0000ff5f00ffbd00e2ff0084ff0025ff0000ff3900ff9700fff600aaff004bff1300ff"
        "7200ffd000ffff00cfff0071ff0018"
    ),
    "twilight": (
        "e2d9e2c4ced495b5c77297c16276ba5e51ad592a8f45135c2f14364a1342741e4f983550"
        "b25652c27c63cca389d8c7bee2d9e2"
    ),
    "bone": "00000038384e707b90a9c8c8ffffff",
    "copper": "0000002819104f3220774b309e6440c67d50ed9660ffaf6fffc77f",
    "spring": "ff00ffffff00",
    "summer": "008066ffff66",
    "autumn": "ff0000ffff00",
    "winter": "0000ff00ff80",
    "PiYG": "8e0152c41a7cde77aef1b5d9fde0eff7f7f6e6f5d0b7e0857fbc414c9121276419",
    "PuOr": "7f3b08b25706e08214fcb761fee0b6f6f6f7d8daebb1aad18073ac5326872d004b",
    "YlGnBu": "ffffd9edf8b1c6e9b47ecdbb40b5c41d90c0225da8243392081d58",
    "binary": "ffffff000000",
}
_LISTED = {
    "tab10": CYCLE,
    "tab20": (
        "#1f77b4 #aec7e8 #ff7f0e #ffbb78 #2ca02c #98df8a #d62728 #ff9896 #9467bd #c5b0d5 #8c564b "
        "#c49c94 #e377c2 #f7b6d2 #7f7f7f #c7c7c7 #bcbd22 #dbdb8d #17becf #9edae5"
    ).split(),
    "Set1": "#e41a1c #377eb8 #4daf4a #984ea3 #ff7f00 #ffff33 #a65628 #f781bf #999999".split(),
    "Set2": "#66c2a5 #fc8d62 #8da0cb #e78ac3 #a6d854 #ffd92f #e5c494 #b3b3b3".split(),
    "Set3": (
        "#8dd3c7 #ffffb3 #bebada #fb8072 #80b1d3 #fdb462 #b3de69 #fccde5 #d9d9d9 #bc80bd #ccebc5 "
        "#ffed6f"
    ).split(),
    "Paired": (
        "#a6cee3 #1f78b4 #b2df8a #33a02c #fb9a99 #e31a1c #fdbf6f #ff7f00 #cab2d6 #6a3d9a #ffff99 "
        "#b15928"
    ).split(),
    "Accent": "#7fc97f #beaed4 #fdc086 #ffff99 #386cb0 #f0027f #bf5b17 #666666".split(),
    "Dark2": "#1b9e77 #d95f02 #7570b3 #e7298a #66a61e #e6ab02 #a6761d #666666".split(),
    "Pastel1": "#fbb4ae #b3cde3 #ccebc5 #decbe4 #fed9a6 #ffffcc #e5d8bd #fddaec #f2f2f2".split(),
}
_ALIKE = {"grey": "gray", "gist_gray": "gray", "gist_grey": "gray", "gist_yarg": "binary"}
_made = {}


def get_cmap(name=None, lut=None):
    """The colour map of this name, `viridis` without one.

    >>> from matplotlib.colors import get_cmap
    >>> get_cmap("gray")(0.5)
    """
    if isinstance(name, Colormap):
        return name if lut is None else name.resampled(lut)
    if name is None:
        import matplotlib

        name = matplotlib.rcParams["image.cmap"]
    if name not in _made:
        plain = name[:-2] if name.endswith("_r") else name
        plain = _ALIKE.get(plain, plain)
        if plain in _LISTED:
            found = ListedColormap(_LISTED[plain], plain)
        elif plain in _STOPS:
            text = _STOPS[plain]
            stops = [to_rgb("#" + text[i:i + 6]) for i in range(0, len(text), 6)]
            found = Colormap(plain, stops)
        else:
            raise ValueError(f"{name!r} is not a known colormap name")
        found.name = name
        _made[name] = found.reversed(name) if name.endswith("_r") else found
    return _made[name] if lut is None else _made[name].resampled(lut)


def names():
    """The names of all colour maps."""
    plain = [*_STOPS, *_LISTED]
    return plain + [name + "_r" for name in plain]
