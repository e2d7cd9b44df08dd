"""Where ticks stand and how they are written: accepted, since the host chooses round numbers
itself."""


class _Told:
    def __init__(self, *args, **kwargs):
        self.args = args

    def set_powerlimits(self, lims):
        """Accepted; numbers are written shortly."""

    set_scientific = set_useOffset = set_powerlimits


def _class(name):
    return type(
        name, (_Told,), {"__doc__": f"{name}, accepted; the host chooses round numbers itself."}
    )


for _name in (
    "AutoLocator AutoMinorLocator FixedLocator FormatStrFormatter FuncFormatter LinearLocator "
    "LogFormatter LogLocator MaxNLocator MultipleLocator NullFormatter NullLocator "
    "PercentFormatter ScalarFormatter StrMethodFormatter FixedFormatter EngFormatter"
).split():
    globals()[_name] = _class(_name)
