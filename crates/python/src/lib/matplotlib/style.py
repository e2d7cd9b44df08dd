"""Looks by name: `plt.style.use("ggplot")`. The host draws with its own colours; grids are as the
look has them."""

from matplotlib import rcParams

available = (
    "Solarize_Light2 bmh classic dark_background fast fivethirtyeight ggplot grayscale petroff10 "
    "seaborn-v0_8 seaborn-v0_8-bright seaborn-v0_8-colorblind seaborn-v0_8-dark "
    "seaborn-v0_8-darkgrid seaborn-v0_8-deep seaborn-v0_8-muted seaborn-v0_8-notebook "
    "seaborn-v0_8-paper seaborn-v0_8-pastel seaborn-v0_8-poster seaborn-v0_8-talk "
    "seaborn-v0_8-ticks seaborn-v0_8-white seaborn-v0_8-whitegrid tableau-colorblind10"
).split()
_GRIDS = (
    "ggplot",
    "bmh",
    "fivethirtyeight",
    "Solarize_Light2",
    "seaborn-v0_8-darkgrid",
    "seaborn-v0_8-whitegrid",
    "seaborn-v0_8",
)


def use(style):
    """Takes a look by its name. >>> plt.style.use("ggplot")"""
    for name in [style] if isinstance(style, (str, dict)) else style:
        if isinstance(name, dict):
            rcParams.update(name)
            continue
        if name not in available and name != "default":
            raise OSError(
                f"{name!r} is not a valid package style, path of style file, URL of style file, "
                f"or library style "
                "name (library styles are listed in `style.available`)"
            )
        rcParams["axes.grid"] = name in _GRIDS


class context:
    """Under `with`: a look. >>> plt.style.context("ggplot").__enter__()"""

    def __init__(self, style, after_reset=False):
        self._style = style

    def __enter__(self):
        self._before = dict(rcParams)
        use(self._style)

    def __exit__(self, *_):
        dict.clear(rcParams)
        dict.update(rcParams, self._before)
