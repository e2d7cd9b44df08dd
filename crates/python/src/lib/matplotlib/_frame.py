"""What stands around axes: their axis lines, sides and legend."""

from matplotlib._shapes import Text


class _Axis:
    """One axis: `ax.xaxis`."""

    def __init__(self, axes, name):
        self.axes, self._name = axes, name

    def set_major_formatter(self, formatter):
        """Accepted; ticks show their numbers."""

    set_minor_formatter = set_minor_locator = set_ticks_position = set_label_position = (
        set_major_formatter
    )
    set_label_coords = set_tick_params = lambda self, *args, **kwargs: None

    def set_major_locator(self, locator):
        """Accepted; `NullLocator` takes the ticks away."""
        if type(locator).__name__ == "NullLocator":
            self.set_ticks([])

    def set_ticks(self, ticks, labels=None, **kwargs):
        """Where ticks are."""
        return getattr(self.axes, f"set_{self._name}ticks")(ticks, labels, **kwargs)

    def set_ticklabels(self, labels, **kwargs):
        """What stands at the ticks."""
        return getattr(self.axes, f"set_{self._name}ticklabels")(labels, **kwargs)

    def get_ticklabels(self):
        """What stands at the ticks."""
        return getattr(self.axes, f"get_{self._name}ticklabels")()

    def set_visible(self, visible):
        """Whether its ticks are drawn."""
        if not visible:
            self.set_ticks([])

    def grid(self, visible=True, **kwargs):
        """Whether lines go through its ticks."""
        self.axes.grid(visible, axis=self._name)

    def get_major_ticks(self):
        """Nothing to set on single ticks here."""
        return []


class _Spine:
    """A side of the frame."""

    def __init__(self):
        self.shown = True

    def set_visible(self, visible):
        """Whether it is drawn."""
        self.shown = visible

    def set_color(self, color):
        """`"none"` takes it away."""
        self.shown = color != "none"

    def set_position(self, position):
        """Accepted; sides stay at the border."""

    set_linewidth = set_bounds = set_edgecolor = set_alpha = set_linestyle = set_position


class _Spines(dict):
    def __getattr__(self, name):
        return self[name]

    def __getitem__(self, key):
        if isinstance(key, (list, tuple, slice)):
            return _Several(
                [self[name] for name in (key if not isinstance(key, slice) else list(self))]
            )
        return dict.__getitem__(self, key)


class _Several:
    def __init__(self, parts):
        self._parts = parts

    def __getattr__(self, name):
        return lambda *args: [getattr(part, name)(*args) for part in self._parts]


class Legend:
    """The box with the names of what is drawn."""

    def __init__(self, place, title, handles, columns, outside):
        self._place, self._title, self._handles = place, title, handles
        self._columns, self._outside = columns, outside

    def get_texts(self):
        """The names."""
        return [Text(None, 0, 0, label, {}) for _, label in self._handles]

    def set_title(self, title, prop=None):
        """What stands above the names."""
        self._title = str(title)

    def get_frame(self):
        """Something to set: without effect here."""
        return _Spine()

    def remove(self):
        """Takes it away."""
        self._handles = []

    def set_visible(self, visible):
        """Whether it is drawn."""
        if not visible:
            self.remove()
