"""`matplotlib.pyplot`: the figure and the axes that were made last, and functions that draw in
them."""

import matplotlib
from matplotlib import _host, colormaps, rc, rc_context, rcdefaults, rcParams, style
from matplotlib._shapes import Polygon, Rectangle
from matplotlib.axes import Axes
from matplotlib.colors import get_cmap
from matplotlib.figure import Figure

_figures = {}
_last = [None]


# Figures


def figure(num=None, figsize=None, dpi=None, *, facecolor=None, edgecolor=None, frameon=True,
           FigureClass=Figure, clear=False, **kwargs):
    """A new figure, or the one with this number or name. >>> plt.figure(figsize=(6, 3))"""
    if isinstance(num, Figure):
        num = num.number
    if num is None:
        num = max([n for n in _figures if isinstance(n, int)], default=0) + 1
    if num not in _figures:
        _figures[num] = Figure(figsize, dpi, facecolor=facecolor, number=num, **kwargs)
    elif clear:
        _figures[num].clf()
    _last[0] = num
    return _figures[num]


def gcf():
    """The figure that was made or chosen last. >>> plt.gcf()"""
    return _figures[_last[0]] if _last[0] in _figures else figure()


def gca():
    """The axes that were made or chosen last. >>> plt.gca()"""
    return gcf().gca()


def sca(ax):
    """Chooses axes. >>> plt.sca(plt.gca())"""
    if ax.figure.number is not None:
        figure(ax.figure.number)
    ax.figure.sca(ax)


def subplots(nrows=1, ncols=1, *, sharex=False, sharey=False, squeeze=True, width_ratios=None,
             height_ratios=None, subplot_kw=None, gridspec_kw=None, **fig_kw):
    """A new figure with a grid of axes. >>> fig, ax = plt.subplots(1, 2, figsize=(8, 3))"""
    made = figure(**fig_kw)
    return made, made.subplots(
        nrows, ncols, sharex=sharex, sharey=sharey, squeeze=squeeze, subplot_kw=subplot_kw,
        gridspec_kw=gridspec_kw,
    )


def subplot(*args, **kwargs):
    """Axes in a grid of the figure. >>> plt.subplot(1, 2, 1)"""
    return gcf().add_subplot(*(args or (1, 1, 1)), **kwargs)


def subplot2grid(shape, loc, rowspan=1, colspan=1, fig=None, **kwargs):
    """Axes in a grid, over several cells. >>> plt.subplot2grid((2, 2), (0, 0), colspan=2)"""
    from matplotlib.gridspec import GridSpec

    r, c = loc
    return (fig or gcf()).add_subplot(GridSpec(*shape)[r:r + rowspan, c:c + colspan], **kwargs)


def subplot_mosaic(mosaic, *, sharex=False, sharey=False, **fig_kw):
    """A new figure with axes by letters. >>> fig, axes = plt.subplot_mosaic("AB;CC")"""
    made = figure(**fig_kw)
    return made, made.subplot_mosaic(mosaic)


def axes(arg=None, **kwargs):
    """New axes in the figure. >>> plt.axes()"""
    return gcf().add_subplot(1, 1, 1, **kwargs) if arg is None else gcf().add_axes(arg, **kwargs)


def show(*args, block=None):
    """Draws all figures, and closes them. >>> plt.show()"""
    for made in list(_figures.values()):
        if any([ax.has_data() or ax.get_title() for ax in made.axes]):
            _host.hand_over(made)
    close("all")


# What a host calls when a cell has ended: notebooks draw the figures that are still open.
_end_of_cell = show


def draw():
    """Draws the figure, which stays open. >>> plt.draw()"""
    if _figures:
        gcf().show()


def pause(interval):
    """Draws the figure and waits. >>> plt.pause(0.01)"""
    import time

    draw()
    time.sleep(interval)


def close(fig=None):
    """Closes a figure, or `"all"`. >>> plt.close("all")"""
    if fig == "all":
        _figures.clear()
        return
    key = _last[0] if fig is None else fig.number if isinstance(fig, Figure) else fig
    _figures.pop(key, None)
    if key == _last[0]:
        _last[0] = max([n for n in _figures if isinstance(n, int)], default=None)


def clf():
    """Takes everything out of the figure. >>> plt.clf()"""
    gcf().clf()


def cla():
    """Takes everything out of the axes. >>> plt.cla()"""
    gca().cla()


def get_fignums():
    """The numbers of all figures. >>> plt.get_fignums()"""
    return sorted([n for n in _figures if isinstance(n, int)])


def fignum_exists(num):
    """Whether there is a figure of this number. >>> plt.fignum_exists(99)"""
    return num in _figures


def ion():
    """Accepted: figures are drawn at `plt.show()`. >>> plt.ion()"""


def ioff():
    """Accepted: figures are drawn at `plt.show()`. >>> plt.ioff()"""


def isinteractive():
    """False: figures are drawn at `plt.show()`. >>> plt.isinteractive()"""
    return False


def switch_backend(newbackend):
    """Accepted: the host draws. >>> plt.switch_backend("agg")"""


# Titles, limits and ticks


def xlim(*args, **kwargs):
    """From where to where x goes; without arguments it tells. >>> plt.xlim(0, 10)"""
    return gca().set_xlim(*args, **kwargs) if args or kwargs else gca().get_xlim()


def ylim(*args, **kwargs):
    """From where to where y goes; without arguments it tells. >>> plt.ylim(0, 1)"""
    return gca().set_ylim(*args, **kwargs) if args or kwargs else gca().get_ylim()


def xticks(ticks=None, labels=None, *, minor=False, **kwargs):
    """Where x has ticks, and what stands there. >>> plt.xticks([0, 1], ["no", "yes"])"""
    if ticks is not None:
        gca().set_xticks(ticks, labels, **kwargs)
    return gca().get_xticks(), gca().get_xticklabels()


def yticks(ticks=None, labels=None, *, minor=False, **kwargs):
    """Where y has ticks, and what stands there. >>> plt.yticks([0, 1])"""
    if ticks is not None:
        gca().set_yticks(ticks, labels, **kwargs)
    return gca().get_yticks(), gca().get_yticklabels()


def colorbar(mappable=None, cax=None, ax=None, **kwargs):
    """The colours of an image and their numbers. >>> plt.imshow([[0, 1]]); plt.colorbar()"""
    mappable = mappable if mappable is not None else gci()
    if mappable is None:
        raise RuntimeError(
            "No mappable was found to use for colorbar creation. First define a mappable such as "
            "an image (with imshow) or a contour set (with contourf)."
        )
    return gcf().colorbar(mappable, cax, ax, **kwargs)


def gci():
    """The image or the surface that was drawn last. >>> plt.gci() is None"""
    return gca()._mapped


def set_cmap(cmap):
    """The colours of images from now on. >>> plt.set_cmap("gray")"""
    rcParams["image.cmap"] = get_cmap(cmap).name
    if gci() is not None:
        gci().set_cmap(cmap)


def clim(vmin=None, vmax=None):
    """The numbers at the ends of the colours. >>> plt.imshow([[0, 1]]); plt.clim(0, 2)"""
    gci().set_clim(vmin, vmax)


def savefig(*args, **kwargs):
    """Draws the figure, and writes no file. >>> plt.plot([1, 2]); plt.savefig("loss.png")"""
    gcf().savefig(*args, **kwargs)


def box(on=None):
    """Whether the frame is drawn. >>> plt.box(False)"""
    gca()._frame = not gca()._frame if on is None else on


def setp(obj, *args, **kwargs):
    """Sets properties of something drawn, or of several.
    >>> plt.setp(plt.plot([1, 2]), linewidth=2)"""
    for each in obj if isinstance(obj, (list, tuple)) else [obj]:
        each.set(**dict(zip(args[::2], args[1::2])), **kwargs)


def _files(name):
    def refuse(*args, **kwargs):
        raise NotImplementedError(
            f"plt.{name}: the lab has no files; np.array makes an image of numbers"
        )

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = "Not here: the lab has no files."
    return refuse


imread, imsave = _files("imread"), _files("imsave")


def _of_axes(name, method):
    def function(*args, **kwargs):
        return getattr(gca(), method)(*args, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = getattr(Axes, method).__doc__
    return function


for _name in (
    "annotate arrow autoscale axhline axhspan axis axvline axvspan bar bar_label barh boxplot "
    "clabel contour contourf errorbar fill fill_between fill_betweenx grid hist hist2d hlines "
    "imshow legend loglog margins matshow minorticks_off minorticks_on pcolor pcolormesh pie plot "
    "quiver scatter semilogx semilogy spy stackplot stem step text tick_params ticklabel_format "
    "twinx twiny vlines"
).split():
    globals()[_name] = _of_axes(_name, _name)
for _name in ("title", "xlabel", "ylabel", "xscale", "yscale"):
    globals()[_name] = _of_axes(_name, f"set_{_name}")


def _of_figure(name, method):
    def function(*args, **kwargs):
        return getattr(gcf(), method)(*args, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = getattr(Figure, method).__doc__
    return function


for _name, _method in (
    ("figlegend", "legend"), ("figtext", "text"), ("subplots_adjust", "subplots_adjust"),
    ("suptitle", "suptitle"),
    ("tight_layout", "tight_layout"), ("delaxes", "delaxes"),
):
    globals()[_name] = _of_figure(_name, _method)


def __getattr__(name):
    if name in ("cm", "colors", "patches", "ticker", "lines"):
        return getattr(matplotlib, name)
    if name in ("Circle", "Ellipse", "FancyArrow", "FancyBboxPatch", "Arrow", "Wedge"):
        return getattr(matplotlib.patches, name)
    if name in (
        "MaxNLocator",
        "MultipleLocator",
        "FuncFormatter",
        "NullLocator",
        "FormatStrFormatter",
        "LogLocator",
    ):
        return getattr(matplotlib.ticker, name)
    if name in ("Line2D", "GridSpec", "Normalize"):
        return getattr(
            {"Line2D": matplotlib.lines, "GridSpec": matplotlib.gridspec}.get(
                name, matplotlib.colors
            ),
            name,
        )
    if name in (
        "polar",
        "violinplot",
        "hexbin",
        "streamplot",
        "tricontour",
        "tricontourf",
        "tripcolor",
        "table",
        "specgram",
        "barbs",
        "eventplot",
        "ginput",
    ):
        raise NotImplementedError(
            f"plt.{name} is not here; plot, scatter, bar, hist, imshow and contour are"
        )
    raise AttributeError(f"module 'matplotlib.pyplot' has no attribute {name!r}")
