"""Names of a module that are loaded when they are first asked for."""

import sys


def _later(own, table, package):
    """`__getattr__` and `__dir__` of the module `own`.

    `table` says which module of `package` has which names; one without names is listed itself.
    """

    def __getattr__(name):
        for module, names in table.items():
            if name in names or name == module:
                loaded = __import__(f"{package}.{module}", None, None, ["__name__"])
                for each in names:
                    setattr(sys.modules[own], each, getattr(loaded, each))
                return getattr(loaded, name) if name in names else loaded
        raise AttributeError(
            f"module {own!r} has no attribute {name!r}", name=name, obj=sys.modules[own]
        )

    def __dir__():
        rows = [names or (module,) for module, names in table.items()]
        return sorted({*sys.modules[own].__dict__, *[name for row in rows for name in row]})

    return __getattr__, __dir__
