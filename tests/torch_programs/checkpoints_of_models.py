"""Whole models in checkpoints, read back with the classes that the program names as safe."""

import io

import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.2)
        self.embed = nn.Embedding(7, 8)
        self.rnn = nn.GRU(8, 8)
        self.mix = nn.TransformerEncoderLayer(8, 2, 16)
        self.last = nn.Linear(8, 7)
        self.last.weight = self.embed.weight

    def forward(self, x):
        y, _ = self.rnn(self.drop(self.embed(x)))
        return self.last(self.mix(y))


torch.manual_seed(3)
model = Reader().eval()
file = io.BytesIO()
torch.save(model, file)
SAFE = [
    Reader,
    torch.nn.modules.dropout.Dropout,
    torch.nn.modules.sparse.Embedding,
    torch.nn.modules.rnn.GRU,
    torch.nn.modules.activation.MultiheadAttention,
    torch.nn.modules.linear.NonDynamicallyQuantizableLinear,
    torch.nn.modules.linear.Linear,
    torch.nn.modules.normalization.LayerNorm,
    torch.nn.modules.transformer.TransformerEncoderLayer,
    torch.nn.functional.relu,
]
file.seek(0)
with torch.serialization.safe_globals(SAFE):
    again = torch.load(file)
again.rnn.flatten_parameters()
print(again)
x = torch.tensor([[1, 2], [3, 4], [5, 6]])
print(torch.equal(model(x), again(x)), again.last.weight is again.embed.weight)
out_proj = again.mix.self_attn.out_proj
print(type(out_proj).__module__, isinstance(out_proj, nn.Linear))
print(again.mix.activation is torch.nn.functional.relu)
# Files name PyTorch's modules alone, so that PyTorch reads them.
print(b"glowgrad" in file.getvalue())
