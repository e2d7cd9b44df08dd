"""`_colorize`: colours for terminals; output here has none."""


class _Plain:
    """A theme in which every colour is nothing."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _PLAIN

    def __str__(self):
        return ""

    def __add__(self, other):
        return str(other)

    def __radd__(self, other):
        return str(other)

    def __format__(self, spec):
        return ""


_PLAIN = _Plain()


def can_colorize(*, file=None):
    """Whether output has colours: never."""
    return False


def get_colors(colorize=False, *, file=None):
    return _PLAIN


def get_theme(*, tty_file=None, force_color=False, force_no_color=False):
    return _PLAIN


def decolor(text):
    return text
