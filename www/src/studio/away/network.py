"""What the studio asks of a network in its session: made from its program, with weights, and written to files.

All of it stands in one name, beside what a training has there.
"""

import json
import os

import torch


class Misfit(ValueError):
    """Weights that are not this network's."""


class _Network:
    """The network that is on the canvas, apart from the `model` that was trained."""

    # Where a file lies until the page has it.
    PATH = "glowgrad-studio.tmp"

    def make(self, code, name, seed, trained):
        """The network of a program, with the weights of `trained`, or drawn anew. Numbers that a training draws stay."""
        names = {}
        before = torch.get_rng_state()
        torch.manual_seed(seed)
        exec(code, names)
        self.net = names[name]()
        torch.set_rng_state(before)
        if trained is not None:
            self.net.load_state_dict(trained.state_dict())
        self.net.eval()

    def load(self, name):
        """Weights of a file of this name, which lies at the path."""
        if name.endswith(".safetensors"):
            from safetensors.torch import load_file

            state = load_file(self.PATH)
        else:
            state = torch.load(self.PATH, weights_only=True)
        for key in ("state_dict", "model_state_dict", "model"):
            if isinstance(state, dict) and isinstance(state.get(key), dict):
                state = state[key]
        if not isinstance(state, dict) or not all(isinstance(each, torch.Tensor) for each in state.values()):
            raise Misfit(f"{name} holds no state_dict(): save model.state_dict(), and not the model")
        if state and all(key.startswith("module.") for key in state):
            state = {key.removeprefix("module."): each for key, each in state.items()}
        self.check(name, state)
        self.net.load_state_dict(state)

    def check(self, name, state):
        """Says each name and shape that does not fit."""
        own = self.net.state_dict()
        faults = [
            f"{key} is {list(state[key].shape)} there, and {list(own[key].shape)} here"
            for key in own if key in state and state[key].shape != own[key].shape
        ]
        faults += [f"{key} is not there" for key in own if key not in state]
        faults += [f"{key} is not in the network" for key in state if key not in own]
        if faults:
            more = f"; and {len(faults) - 8} more" if len(faults) > 8 else ""
            raise Misfit(f"{name} holds weights of another network: {'; '.join(faults[:8])}{more}")

    def state(self):
        return {name: tensor.detach().cpu() for name, tensor in self.net.state_dict().items()}

    def write_pt(self):
        torch.save(self.state(), self.PATH)

    def write_safetensors(self):
        from safetensors.torch import save_file

        save_file({name: tensor.contiguous() for name, tensor in self.state().items()}, self.PATH)

    def write_onnx(self, inputs, outputs):
        """Sizes that are open stay so, where what the network makes of them has a form in ONNX: why not, otherwise."""
        args = tuple([self.sample(shape, dtype) for _, shape, dtype in inputs])
        names = [name for name, _, _ in inputs]
        axes = {name: {i: size for i, size in enumerate(shape) if isinstance(size, str)} for name, shape, _ in inputs}
        options = {"input_names": names, "output_names": outputs}
        try:
            torch.onnx.export(self.net, args, self.PATH, dynamic_axes=axes, **options)
        except Exception as error:
            if not any(axes.values()):
                raise
            torch.onnx.export(self.net, args, self.PATH, **options)
            print(f"Its sizes are fixed, {', '.join([str(list(x.shape)) for x in args])}: {error}")

    def write_page(self, name, shape, dtype, n_outputs):
        """ONNX of fixed sizes, and on one sample what the network gives first, for the page to be held to."""
        x = self.sample(shape, dtype)
        names = [f"output_{i}" for i in range(n_outputs)]
        torch.onnx.export(self.net, (x,), self.PATH, input_names=[name], output_names=names)
        with torch.no_grad():
            y = self.net(x) if n_outputs == 1 else self.net(x)[0]
        text = globals().get("text")
        vocabulary = "".join(sorted(set(text))) if dtype == "int64" and isinstance(text, str) else None
        told = {"values": x.flatten().tolist(), "result": y.flatten().tolist(), "shape": list(y.shape), "vocabulary": vocabulary}
        print(json.dumps(told))

    @staticmethod
    def sample(shape, dtype):
        """Random numbers; an open size is 2, and whole numbers are 0 and 1, which every table has."""
        sizes = [size if isinstance(size, int) else 2 for size in shape]
        if dtype == "float32":
            return torch.randn(sizes)
        return torch.randint(0, 2, sizes).to(getattr(torch, dtype))

    def forget(self):
        if os.path.exists(self.PATH):
            os.remove(self.PATH)


_network = _Network()
