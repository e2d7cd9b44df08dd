"""Writes the public names of PyTorch's modules to names.json: what `cargo lab coverage` compares glowgrad with.

    python -m venv venv
    venv/bin/pip install torch==2.15.0 numpy
    venv/bin/python tests/coverage/make_names.py
"""

import importlib
import json
import pathlib
import types
import warnings

import torch

MODULES = [
    "torch", "torch.Tensor", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.utils", "torch.nn.utils.rnn",
    "torch.nn.utils.parametrize", "torch.nn.utils.parametrizations", "torch.optim", "torch.optim.lr_scheduler",
    "torch.optim.swa_utils", "torch.linalg", "torch.special", "torch.autograd", "torch.autograd.functional", "torch.func",
    "torch.utils.data", "torch.random", "torch.distributions",
]


def home(name):
    if name == "torch.Tensor":
        return torch.Tensor
    return importlib.import_module(name)


def public(name):
    """The names that are of the module itself: no modules, no private names, nothing that is only imported there."""
    place = home(name)
    names = []
    listed = getattr(place, "__all__", None)
    documented = set(listed or ())
    for each in sorted(set(dir(place)) | documented):
        if each.startswith("_"):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = getattr(place, each, None)
        if isinstance(value, types.ModuleType):
            continue
        where = getattr(value, "__module__", None) or ""
        foreign = not where.startswith("torch") and where not in ("", "builtins", "_sre") and each not in documented
        typing_name = where in ("typing", "typing_extensions", "collections.abc", "collections", "functools", "enum", "abc")
        if foreign or typing_name:
            continue
        if listed is not None and name != "torch" and each not in documented and not isinstance(place, type):
            continue
        names.append(each)
    return names


def main():
    found = {name: public(name) for name in MODULES}
    text = json.dumps({"torch": torch.__version__.split("+")[0], "names": found}, indent=0)
    (pathlib.Path(__file__).parent / "names.json").write_text(text + "\n")
    for name, names in found.items():
        print(f"{name}: {len(names)}")


main()
