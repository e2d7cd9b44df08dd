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

    random = torch.Generator().manual_seed(0)

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
        with open(self.PATH, "rb") as file:
            head = file.read(9)
        # A file of safetensors begins with the length of its JSON.
        if head[8:] == b"{":
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
        """Sizes that are open stay so, where what the network makes of them has a form in ONNX; otherwise they are fixed."""
        args = tuple([self.sample(shape, dtype) for _, shape, dtype in inputs])
        names = [name for name, _, _ in inputs]
        axes = {name: {i: size for i, size in enumerate(shape) if isinstance(size, str)} for name, shape, _ in inputs}
        options = {"input_names": names, "output_names": outputs}
        try:
            torch.onnx.export(self.net, args, self.PATH, dynamic_axes=axes, **options)
        except Exception:
            if not any(axes.values()):
                raise
            self.write_fixed(args, options)

    def write_fixed(self, args, options):
        try:
            torch.onnx.export(self.net, args, self.PATH, **options)
        except RuntimeError as error:
            if "drew random numbers" not in str(error):
                raise
            raise Misfit(
                "this network draws random numbers when it is used, which an ONNX file would hold as they came; "
                "take the Python, or leave randn_like out"
            ) from None
        shapes = ", ".join([str(list(x.shape)) for x in args])
        print(f"Its sizes are fixed: it takes {shapes}. With open ones this network has no form in ONNX.")

    def write_page(self, inputs, outputs):
        """ONNX of fixed sizes, and on one sample what the network gives, for the page to be held to. Numbers that the
        network draws are 0 in both."""
        args = tuple([self.sample(shape, dtype) for _, shape, dtype in inputs])
        drawn = []

        def no_noise(x):
            drawn.append(x.shape)
            return torch.zeros_like(x)

        noise, torch.randn_like = torch.randn_like, no_noise
        try:
            names = [name for name, _, _ in inputs]
            torch.onnx.export(self.net, args, self.PATH, input_names=names, output_names=outputs)
            with torch.no_grad():
                results = self.net(*args)
        finally:
            torch.randn_like = noise
        results = results if isinstance(results, tuple) else (results,)
        # The text that a training read.
        text = globals().get("text")
        print(json.dumps({
            "inputs": [x.flatten().tolist() for x in args],
            "outputs": [{"shape": list(y.shape), "values": y.flatten().tolist()} for y in results],
            "vocabulary": "".join(sorted(set(text))) if isinstance(text, str) else None,
            "draws": len(drawn) > 0,
        }))

    def sample(self, shape, dtype):
        """Random numbers, apart from those of a training; an open size is 2, and whole numbers are 0 and 1, which every
        table has."""
        sizes = [size if isinstance(size, int) else 2 for size in shape]
        if dtype == "float32":
            return torch.randn(sizes, generator=self.random)
        return torch.randint(0, 2, sizes, generator=self.random).to(getattr(torch, dtype))

    def forget(self):
        if os.path.exists(self.PATH):
            os.remove(self.PATH)


_network = _Network()
