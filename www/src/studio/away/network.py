"""What the studio asks of a network in its session: made from its program, with weights, and written to files.

All of it stands in one name, beside what a training has there.
"""

import json
import os

import torch


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

    @staticmethod
    def sample(shape, dtype):
        sizes = [size if isinstance(size, int) else 2 for size in shape]
        if dtype == "float32":
            return torch.randn(sizes)
        return torch.zeros(sizes, dtype=getattr(torch, dtype))

    def forget(self):
        if os.path.exists(self.PATH):
            os.remove(self.PATH)


_network = _Network()
