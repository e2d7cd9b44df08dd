"""Runs once in every new interpreter: where imports come from, and what built-ins the lab changes.

Our modules come first, so that they shadow nothing by accident; an unknown module raises an
error that names what to use instead.
"""

import _codecs
import builtins
import sys
from _frozen_importlib import ModuleSpec

import _lab


class Ours:
    """Imports the modules that ship inside the lab."""

    # A program's own module of this name is meant where there is one.
    yielding = ("mine",)

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in Ours.yielding:
            return None
        return Ours.found(name)

    @staticmethod
    def found(name):
        kind = _lab.module_kind(name)
        if kind is None:
            return None
        return ModuleSpec(name, Ours, origin="glowgrad", is_package=kind)

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        _lab.run_module(module.__spec__.name, module.__dict__)


class Torch:
    """Answers `import torch` with glowgrad, and `torch.NAME` with `glowgrad.NAME`."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] != "torch":
            return None
        kind = _lab.module_kind("glowgrad" + name[5:])
        if kind is None:
            return None
        _lab.say_once("torch is glowgrad here: PyTorch's names, on an engine you can watch.")
        return ModuleSpec(name, Torch, origin="glowgrad", is_package=kind)

    @staticmethod
    def create_module(spec):
        name = "glowgrad" + spec.name[5:]
        __import__(name)
        module = sys.modules[name]
        spec.loader_state = module.__spec__
        return module

    @staticmethod
    def exec_module(module):
        # The importer gave the module the spec of the name it was asked for.
        module.__spec__ = module.__spec__.loader_state


class Files:
    """Imports the learner's own modules: files in the folders of `sys.path`."""

    looking = False

    @staticmethod
    def find_spec(name, path=None, target=None):
        return Files.search(Files._file, name, path)

    @staticmethod
    def search(find, name, path):
        """What `find` gives in the first of the folders where it gives anything."""
        if Files.looking:
            return None
        Files.looking = True
        try:
            import os

            for folder in sys.path if path is None else path:
                found = find(os, name, os.path.join(folder, name.rpartition(".")[2]))
                if found is not None:
                    return found
            return None
        except AttributeError:
            return None  # `os` itself is being imported, and tries what is not here.
        finally:
            Files.looking = False

    @staticmethod
    def _file(os, name, base):
        for file in (os.path.join(base, "__init__.py"), base + ".py"):
            try:
                with open(file, encoding="utf-8") as stream:
                    source = stream.read()
            except (OSError, NotImplementedError):
                continue
            return Files.spec(name, file, not file.startswith(base + ".py"), base, source)
        return None

    @staticmethod
    def spec(name, file, is_package, base, source):
        spec = ModuleSpec(name, Files, origin=file, is_package=is_package)
        spec.loader_state = source
        if is_package:
            spec.submodule_search_locations = [base]
        return spec

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        spec = module.__spec__
        if spec.origin is not None:
            module.__file__ = spec.origin
        _lab.run_source(spec.origin or spec.name, spec.loader_state, module.__dict__)


class Yielding:
    """Imports the modules of ours that a program may have its own of, once it has none."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        return Ours.found(name) if name.partition(".")[0] in Ours.yielding else None


class Folders:
    """Imports a folder without an `__init__.py` as a package, where nothing else has its name."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        return Files.search(Folders._folder, name, path)

    @staticmethod
    def _folder(os, name, base):
        return Files.spec(name, None, True, base, "") if os.path.isdir(base) else None


class Refusing:
    """Imports modules whose names refuse to be called, such as those that need a network."""

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        import _refusing

        _refusing.fill(module, _lab.refusal_at_call(module.__name__))


class Missing:
    """Comes last: says what to import instead."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if _lab.refusal_at_call(name) is not None:
            return ModuleSpec(name, Refusing, origin="glowgrad", is_package=True)
        raise ModuleNotFoundError(_lab.missing_module(name), name=name)


sys.meta_path[:0] = [Torch, Ours]
sys.meta_path.extend((Files, Yielding, Folders, Missing))


def find_encoding(name):
    """Finds an encoding in the library: the interpreter has UTF-8, Latin-1 and ASCII itself."""
    import encodings
    return encodings.search_function(name)


_codecs.register(find_encoding)


def not_in_the_lab(name, instead):
    def refuse(*args, **kwargs):
        raise RuntimeError(f"{name}() is not in the lab: {instead}")

    refuse.__name__ = refuse.__qualname__ = name
    setattr(builtins, name, refuse)


not_in_the_lab("input", "write the value into the cell")
not_in_the_lab("breakpoint", "print() what you want to see")
not_in_the_lab("help", "print(x.__doc__) shows an object's description")
not_in_the_lab("compile", "exec() and eval() take text")

def open(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True,
         opener=None):
    """Opens a file: text, or bytes where the mode has a `b`."""
    import io
    return io.open(file, mode, buffering, encoding, errors, newline, closefd, opener)


builtins.open = open

_lab.keep(builtins.exec, builtins.eval)
builtins.exec = _lab.exec
builtins.eval = _lab.eval


def exit(code=None):
    """Ends the cell."""
    raise SystemExit(code)


builtins.exit = builtins.quit = exit


sys.builtin_module_names = (*sys.builtin_module_names, "posix")
sys.argv = _lab.arguments() or [""]
# Modules of the learner's own are looked for beside the program.
sys.path[:] = [sys.argv[0].rpartition("/")[0]]

sys.setrecursionlimit = _lab.setrecursionlimit
sys.set_int_max_str_digits = _lab.set_int_max_str_digits
