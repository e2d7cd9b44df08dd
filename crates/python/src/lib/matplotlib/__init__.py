"""Matplotlib's names on figures of the lab: `import matplotlib.pyplot as plt`.

What is drawn is kept as data, and handed to the host when `plt.show()` is called.
"""

__version__ = "3.10.0"


class RcParams(dict):
    """What figures are drawn with: `plt.rcParams`. >>> plt.rcParams["figure.figsize"] = (8, 4)"""

    def __setitem__(self, key, value):
        if "." not in key and key not in self:
            raise KeyError(f"{key!r} is not a valid value for rcParam.")
        dict.__setitem__(self, key, value)

    def update(self, *args, **kwargs):
        """Sets several at once."""
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def copy(self):
        """The same in another dict."""
        return RcParams(self)


_DEFAULTS = {
    "figure.figsize": [6.4, 4.8], "figure.dpi": 100.0, "image.cmap": "viridis", "axes.grid": False,
    "lines.linewidth": 1.5, "lines.markersize": 6.0, "font.size": 10.0, "axes.titlesize": "large",
    "axes.labelsize": "medium", "legend.fontsize": "medium", "savefig.dpi": "figure",
    "backend": "agg",
    "interactive": False, "axes.unicode_minus": True, "font.family": ["sans-serif"],
}
rcParams = RcParams(_DEFAULTS)
rcParamsDefault = RcParams(_DEFAULTS)


def rc(group, **kwargs):
    """Sets several of `rcParams`. >>> plt.rc("lines", linewidth=2)"""
    groups = [group] if isinstance(group, str) else group
    for name in groups:
        for key, value in kwargs.items():
            rcParams[f"{name}.{key}"] = value


def rcdefaults():
    """Sets `rcParams` to what they were at first. >>> plt.rcdefaults()"""
    dict.clear(rcParams)
    dict.update(rcParams, _DEFAULTS)


class rc_context:
    """Under `with`: other `rcParams`. >>> plt.rc_context({"lines.linewidth": 3}).__enter__()"""

    def __init__(self, rc=None, fname=None):
        self._given = rc or {}

    def __enter__(self):
        self._before = dict(rcParams)
        rcParams.update(self._given)

    def __exit__(self, *_):
        dict.clear(rcParams)
        dict.update(rcParams, self._before)


def use(backend, *, force=True):
    """Accepted: the host draws, whichever backend is named. >>> matplotlib.use("Agg")"""


def get_backend(*, auto_select=True):
    """Who draws. >>> matplotlib.get_backend()"""
    return "glowgrad"


def is_interactive():
    """False: figures are drawn at `plt.show()`. >>> matplotlib.is_interactive()"""
    return False


def interactive(b):
    """Accepted and without effect. >>> matplotlib.interactive(True)"""


class _Colormaps:
    """All colour maps by name: `matplotlib.colormaps["viridis"]`."""

    def __getitem__(self, name):
        from matplotlib.colors import get_cmap

        try:
            return get_cmap(name)
        except ValueError as error:
            raise KeyError(str(error)) from None

    def __iter__(self):
        from matplotlib.colors import names

        return iter(names())

    def __call__(self):
        return list(self)

    def __contains__(self, name):
        return name in list(self)

    def get_cmap(self, cmap):
        """The colour map of this name."""
        from matplotlib.colors import get_cmap

        return get_cmap(cmap)

    def register(self, cmap, *, name=None, force=False):
        """Adds a colour map."""
        from matplotlib import colors

        colors._made[name or cmap.name] = cmap


colormaps = _Colormaps()
_PARTS = (
    "animation",
    "axes",
    "cm",
    "colors",
    "figure",
    "gridspec",
    "lines",
    "patches",
    "pyplot",
    "style",
    "ticker",
)


def __getattr__(name):
    if name in _PARTS:
        __import__(f"matplotlib.{name}")
        return globals()[name]
    raise AttributeError(f"module 'matplotlib' has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *_PARTS])
