"""Writes `tests/data/exports.bin`: small networks as PyTorch exports them, with what it computes.

    python crates/onnx/tests/make_exports.py crates/onnx/tests/data/exports.bin

Needs torch 2.15, onnx 1.20. The format is that of `make_cases.py`.
"""

import io
import pathlib
import sys

import onnx.numpy_helper
import torch
import torch.nn.functional as F
from torch import nn

from make_cases import number, packed


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 5, padding=2)
        self.norm = nn.BatchNorm2d(4)
        self.conv2 = nn.Conv2d(4, 8, 5)
        self.fc1 = nn.Linear(8 * 5 * 5, 16)
        self.fc2 = nn.Linear(16, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm(self.conv1(x))), 2)
        x = F.avg_pool2d(F.relu(self.conv2(x)), 2)
        x = F.dropout(F.relu(self.fc1(x.flatten(1))), training=self.training)
        return F.log_softmax(self.fc2(x), dim=1)


class Tagger(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.embedding = nn.Embedding(20, 6)
        self.layer = kind(6, 5, num_layers=2, bidirectional=True, batch_first=True)
        self.out = nn.Linear(10, 4)

    def forward(self, tokens):
        hidden, _ = self.layer(self.embedding(tokens))
        return self.out(hidden)


class Block(nn.Module):
    def __init__(self, n, heads):
        super().__init__()
        self.heads = heads
        self.ln1, self.ln2 = nn.LayerNorm(n), nn.LayerNorm(n)
        self.qkv, self.proj = nn.Linear(n, 3 * n), nn.Linear(n, n)
        self.up, self.down = nn.Linear(n, 4 * n), nn.Linear(4 * n, n)

    def forward(self, x):
        B, T, C = x.shape
        split = (B, T, self.heads, C // self.heads)
        q, k, v = (part.view(split).transpose(1, 2) for part in self.qkv(self.ln1(x)).split(C, 2))
        mask = torch.tril(torch.ones(T, T, dtype=torch.bool))
        weights = (q @ k.transpose(-2, -1)) * (C // self.heads) ** -0.5
        weights = weights.masked_fill(~mask, float("-inf")).softmax(-1)
        x = x + self.proj((weights @ v).transpose(1, 2).reshape(B, T, C))
        return x + self.down(F.gelu(self.up(self.ln2(x))))


class GPT(nn.Module):
    def __init__(self, vocabulary=24, context=12, n=16):
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocabulary, n), nn.Embedding(context, n)
        self.blocks = nn.Sequential(Block(n, 2))
        self.norm, self.head = nn.LayerNorm(n), nn.Linear(n, vocabulary, bias=False)

    def forward(self, tokens):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.head(self.norm(self.blocks(self.tokens(tokens) + self.places(places))))


def tokens(most, *shape):
    return torch.randint(most, shape)


NETWORKS = {
    "mlp": (
        lambda: nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 3)),
        [torch.randn(4, 6), torch.randn(1, 6)],
        {0: "batch"},
        17,
    ),
    "lenet": (LeNet, [torch.randn(2, 1, 28, 28)], {0: "batch"}, 13),
    "lstm": (lambda: Tagger(nn.LSTM), [tokens(20, 2, 7), tokens(20, 1, 4)], {0: "batch", 1: "time"}, 17),
    "gru": (lambda: Tagger(nn.GRU), [tokens(20, 3, 5)], {0: "batch", 1: "time"}, 11),
    "gpt": (GPT, [tokens(24, 2, 12), tokens(24, 1, 5)], {0: "batch", 1: "time"}, 17),
}


def proto(tensor, name):
    return onnx.numpy_helper.from_array(tensor.detach().numpy(), name).SerializeToString()


def main(out):
    cases = []
    for seed, (name, (make, inputs, sizes, opset)) in enumerate(NETWORKS.items()):
        torch.manual_seed(seed)
        network = make()
        for module in network.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.running_mean.uniform_(-0.5, 0.5)
                module.running_var.uniform_(0.5, 2.0)
        network.eval()
        file = io.BytesIO()
        torch.onnx.export(
            network, (inputs[0],), file, dynamo=False, opset_version=opset,
            input_names=["x"], output_names=["y"], dynamic_axes={"x": sizes, "y": sizes},
        )
        data = [([proto(x, "x")], [proto(network(x), "y")]) for x in inputs]
        cases.append(packed(name, file.getvalue(), data))
        print(f"{name}: {len(cases[-1])} bytes")
    pathlib.Path(out).write_bytes(number(len(cases)) + b"".join(cases))


if __name__ == "__main__":
    torch.manual_seed(0)
    main(*sys.argv[1:])
