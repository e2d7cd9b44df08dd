"""Checkpoints: a training run in a safetensors file, from which it goes on bit for bit.

The file's tensors are `model.NAME` of the module's state dict, `optimizer.INDEX.NAME` of the optimizer's state, the
states of the random numbers, now (`random.now`) and when the epoch began (`random.epoch`), and the loss of each step
(`history.losses`). Its texts, JSON each, are `optimizer` (options and numbers), `scheduler`, `progress`, `epochs`, `norms`
and `python_random`.
"""

import json
import os
import random as _random

import glowgrad as torch
from glowgrad._codec import decode, encode, write_whole
from glowgrad.training.history import History

FORMAT = "glowgrad-checkpoint 1"


class Checkpoint:
    """What a file holds: `tensors` by name, and `texts`: what its JSON says, by name.

    >>> from glowgrad.training import Checkpoint
    >>> Checkpoint({"model.weight": torch.ones(1)}, {"progress": {"step": 3}}).texts["progress"]
    """

    def __init__(self, tensors, texts):
        self.tensors, self.texts = tensors, texts

    def part(self, name):
        """The tensors whose names begin with `name` and a dot, without that.

        >>> from glowgrad.training import Checkpoint
        >>> list(Checkpoint({"model.weight": torch.ones(1)}, {}).part("model"))
        """
        start = name + "."
        return {key[len(start):]: tensor for key, tensor in self.tensors.items() if key.startswith(start)}

    def history(self):
        """What the run recorded.

        >>> from glowgrad.training import Checkpoint
        >>> Checkpoint({}, {"epochs": [{"epoch": 1, "loss": 0.5}]}).history()
        """
        losses = self.tensors.get("history.losses")
        losses = [] if losses is None else losses.tolist()
        return History(self.texts.get("epochs", ()), losses, self.texts.get("norms", ()))

    def save(self, path):
        """Writes the file: until the new one is whole, the old one stays.

        >>> from glowgrad.training import Checkpoint
        >>> Checkpoint({"model.weight": torch.ones(1)}, {}).save("a.safetensors")
        """
        texts = {name: json.dumps(value) for name, value in self.texts.items()}
        folder = os.path.dirname(os.fspath(path))
        if folder:
            os.makedirs(folder, exist_ok=True)
        write_whole(path, encode("safetensors", self.tensors.items(), {"format": FORMAT, **texts}))

    @staticmethod
    def load(path):
        """Reads a file that `save` wrote.

        >>> from glowgrad.training import Checkpoint
        >>> Checkpoint({"model.weight": torch.ones(1)}, {}).save("a.safetensors")
        >>> Checkpoint.load("a.safetensors").part("model")
        """
        with open(os.fspath(path), "rb") as file:
            data = file.read()
        try:
            decoded = decode("safetensors", data)
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)} is no checkpoint: {error}") from None
        texts = decoded.metadata or {}
        if texts.get("format") != FORMAT:
            raise ValueError(
                f"{os.fspath(path)} is no checkpoint of a training run: its format is {texts.get('format')!r}, and "
                f"expected is {FORMAT!r}; safetensors.torch.load_file reads the tensors of any such file"
            )
        texts = {name: json.loads(text) for name, text in texts.items() if name != "format"}
        return Checkpoint(dict(decoded.tensors), texts)


def save_checkpoint(path, model, optimizer=None, scheduler=None, *, progress=None, history=None, epoch_random=None):
    """Writes all that a run needs to go on.

    `progress` is anything that JSON holds, `history` a `History`; `epoch_random` is the state of the random numbers when
    the epoch began, from which its batches are drawn again.

    >>> from glowgrad.training import load_checkpoint, save_checkpoint
    >>> model = torch.nn.Linear(2, 1)
    >>> save_checkpoint("a.safetensors", model, progress={"step": 3})
    >>> load_checkpoint("a.safetensors", model).texts["progress"]
    """
    tensors = {f"model.{name}": value for name, value in model.state_dict().items()}
    texts = {"progress": progress}
    if history is not None:
        # As a tensor: a long run has many losses, and is saved often.
        tensors["history.losses"] = torch.tensor(history.losses, dtype=torch.float64)
        texts["epochs"], texts["norms"] = list(history), history.norms
    if optimizer is not None:
        state = optimizer.state_dict()
        numbers = {}
        for index, values in state["state"].items():
            for name, value in values.items():
                if isinstance(value, torch.Tensor):
                    tensors[f"optimizer.{index}.{name}"] = value
                else:
                    numbers[f"{index}.{name}"] = _json(value, f"the optimizer's {name}")
        texts["optimizer"] = {"groups": _json(state["param_groups"], "the optimizer's options"), "numbers": numbers}
    if scheduler is not None:
        texts["scheduler"] = _json(scheduler.state_dict(), "the schedule's state")
    tensors["random.now"] = torch.get_rng_state()
    if epoch_random is not None:
        tensors["random.epoch"] = epoch_random
    texts["python_random"] = _random.getstate()
    # What is shared between two names, such as tied weights, is written for each.
    Checkpoint(tensors, {name: value for name, value in texts.items() if value is not None}).save(path)


def load_checkpoint(path, model, optimizer=None, scheduler=None):
    """Puts a run's state into its parts, and the random numbers where they were; gives the checkpoint.

    >>> from glowgrad.training import load_checkpoint, save_checkpoint
    >>> model = torch.nn.Linear(2, 1)
    >>> optimizer = torch.optim.Adam(model.parameters())
    >>> save_checkpoint("a.safetensors", model, optimizer)
    >>> list(load_checkpoint("a.safetensors", model, optimizer).part("model"))
    """
    found = Checkpoint.load(path)
    if optimizer is not None:
        if "optimizer" not in found.texts:
            raise ValueError(f"{os.fspath(path)} holds no optimizer; pass the model alone")
        options = found.texts["optimizer"]
        state = {}
        for key, value in [*found.part("optimizer").items(), *options["numbers"].items()]:
            index, _, name = key.partition(".")
            state.setdefault(int(index) if index.isdigit() else index, {})[name] = value
        groups = [_tuples(group) for group in options["groups"]]
        optimizer.load_state_dict({"state": state, "param_groups": groups})
    if scheduler is not None:
        if "scheduler" not in found.texts:
            raise ValueError(f"{os.fspath(path)} holds no schedule; leave the scheduler away")
        scheduler.load_state_dict(found.texts["scheduler"])
    model.load_state_dict(found.part("model"))
    torch.set_rng_state(found.tensors["random.now"])
    # A run in Rust has none.
    if "python_random" in found.texts:
        version, words, gauss = found.texts["python_random"]
        _random.setstate((version, tuple(words), gauss))
    return found


def _tuples(group):
    """The options of a group: JSON has lists where `betas` and the like are tuples."""
    return {
        name: tuple(value) if isinstance(value, list) and name != "params" else value
        for name, value in group.items()
    }


def _json(value, what):
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"{what} cannot be kept in a checkpoint: it holds more than numbers, texts, lists and dicts"
        ) from None
    return value
