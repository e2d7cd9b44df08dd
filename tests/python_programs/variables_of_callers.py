"""A constructor that keeps its arguments: the variables of the caller, through `inspect`."""

import inspect


class KeepsItsArguments:
    def keep(self, ignore=()):
        _, _, _, variables = inspect.getargvalues(inspect.currentframe().f_back)
        self.kept = {
            name: value
            for name, value in variables.items()
            if name not in {*ignore, "self"} and not name.startswith("_")
        }
        for name, value in self.kept.items():
            setattr(self, name, value)


class Layer(KeepsItsArguments):
    def __init__(self, n_in, n_out=3, *sizes, bias=True, **options):
        super().__init__()
        self.keep(ignore=["n_out"])


layer = Layer(2, 4, 5, 6, name="first")
print(layer.kept, layer.bias, hasattr(layer, "n_out"))


def function(a, b=2, *rest, c=3, **others):
    d = a + b
    print(inspect.getargvalues(inspect.currentframe())[:3])
    print(sorted(inspect.getargvalues(inspect.currentframe()).locals), d)
    print(inspect.currentframe().f_code.co_name, inspect.currentframe().f_back.f_code.co_name)


function(1)


def caller():
    return inspect.currentframe().f_back.f_locals["here"]


def outer():
    here = "outer"
    return caller()


print(outer())
