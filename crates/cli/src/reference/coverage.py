# Which of the names in NAMES glowgrad has, as one line of JSON: for each module the names that it lacks. `glow reference`
# runs this as a cell, with NAMES before it.
import json
import sys

import glowgrad as torch


def home(place):
    if place == "torch.Tensor":
        return torch.Tensor
    name = "glowgrad" + place[len("torch"):]
    try:
        __import__(name)
    except ImportError:
        return None
    return sys.modules[name]


def lacking(place, names):
    owner = home(place)
    return [name for name in names if owner is None or not hasattr(owner, name)]


print(json.dumps({place: lacking(place, names) for place, names in NAMES.items()}))
