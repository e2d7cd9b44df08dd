"""Writes cases.json: modules as ONNX, an input, and what glowgrad gives for it. Run by `glow python tests/player/make.py`.

The page that holds a network (`www/src/player`) is held to these numbers. glowgrad's own are held to PyTorch's elsewhere.
"""

import base64
import json
import os

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Call(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


class First(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x):
        return self.module(x)[0]


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x)[0]


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 3, padding=1)
        self.norm = nn.BatchNorm2d(3)

    def forward(self, x):
        return F.relu(x + self.norm(self.conv(x)))


def random_norm(norm):
    for name, buffer in norm.named_buffers():
        if buffer.is_floating_point():
            buffer.copy_(torch.rand(buffer.shape) + 0.5)
    for parameter in norm.parameters():
        with torch.no_grad():
            parameter.copy_(torch.randn(parameter.shape))
    return norm


N = [2, 3, 6, 6]
CASES = {
    "Linear": (nn.Linear(5, 4), [3, 5]),
    "Linear without bias, three dimensions": (nn.Linear(5, 4, bias=False), [2, 3, 5]),
    "Conv1d": (nn.Conv1d(3, 4, 3, stride=2, padding=1, dilation=2), [2, 3, 9]),
    "Conv2d": (nn.Conv2d(3, 4, 3, stride=2, padding=1), N),
    "Conv2d in groups": (nn.Conv2d(4, 6, 3, groups=2, dilation=2, padding=2), [1, 4, 7, 5]),
    "Conv2d depthwise": (nn.Conv2d(3, 3, 3, groups=3, padding=1, bias=False), N),
    "ConvTranspose2d": (nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1, output_padding=1), N),
    "ConvTranspose1d in groups": (nn.ConvTranspose1d(4, 6, 3, stride=2, groups=2), [2, 4, 5]),
    "BatchNorm1d": (random_norm(nn.BatchNorm1d(3)), [4, 3]),
    "BatchNorm2d": (random_norm(nn.BatchNorm2d(3)), N),
    "LayerNorm": (random_norm(nn.LayerNorm(6)), [2, 4, 6]),
    "GroupNorm": (random_norm(nn.GroupNorm(2, 4)), [2, 4, 3, 3]),
    "InstanceNorm2d": (nn.InstanceNorm2d(3), N),
    "RMSNorm": (random_norm(nn.RMSNorm(6)), [2, 4, 6]),
    "MaxPool2d": (nn.MaxPool2d(2), N),
    "MaxPool2d with padding": (nn.MaxPool2d(3, stride=2, padding=1), N),
    "MaxPool2d rounded up": (nn.MaxPool2d(2, stride=2, ceil_mode=True), [1, 2, 5, 5]),
    "MaxPool1d": (nn.MaxPool1d(2), [2, 3, 8]),
    "AvgPool2d": (nn.AvgPool2d(3, stride=2, padding=1), N),
    "AvgPool2d of inputs alone": (nn.AvgPool2d(3, stride=2, padding=1, count_include_pad=False), N),
    "AdaptiveAvgPool2d": (nn.AdaptiveAvgPool2d(1), N),
    "AdaptiveAvgPool2d of even parts": (nn.AdaptiveAvgPool2d(3), N),
    "AdaptiveMaxPool2d": (nn.AdaptiveMaxPool2d(1), N),
    "Embedding": (nn.Embedding(7, 4), ("tokens", 7, [2, 5])),
    "RNN": (First(nn.RNN(4, 5, batch_first=True)), [2, 3, 4]),
    "LSTM": (First(nn.LSTM(4, 5, num_layers=2, batch_first=True)), [2, 3, 4]),
    "GRU": (First(nn.GRU(4, 5, batch_first=True)), [2, 3, 4]),
    "MultiheadAttention": (Attention(), [2, 4, 8]),
    "TransformerEncoderLayer": (nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), [2, 4, 8]),
    "residual": (Residual(), N),
    "Flatten": (nn.Flatten(), N),
    "Dropout": (nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5)), [2, 4]),
    "PixelShuffle": (nn.PixelShuffle(2), [1, 8, 3, 3]),
    "ZeroPad2d": (nn.ZeroPad2d((1, 2, 0, 1)), N),
    "ReflectionPad2d": (nn.ReflectionPad2d(2), N),
    "ReplicationPad2d": (nn.ReplicationPad2d(2), N),
    "PReLU": (nn.PReLU(3), N),
}
for name in ["ReLU", "ReLU6", "LeakyReLU", "ELU", "CELU", "SELU", "GELU", "SiLU", "Mish", "Tanh", "Sigmoid", "Softplus", "Softsign", "Hardtanh", "Hardswish", "Hardsigmoid", "LogSigmoid", "Tanhshrink", "Softshrink", "Hardshrink", "Threshold"]:
    args = (0.1, 20.0) if name == "Threshold" else ()
    CASES[name] = (getattr(nn, name)(*args), [4, 9])
CASES |= {
    "GELU by tanh": (nn.GELU(approximate="tanh"), [4, 9]),
    "Softmax": (nn.Softmax(dim=1), [2, 5, 3]),
    "LogSoftmax": (nn.LogSoftmax(dim=-1), [2, 5]),
    "arithmetic": (Call(lambda x: (x * 2 - 1) / (x.abs() + 3) + x**2 - x.exp().log()), [3, 4]),
    "broadcasting": (Call(lambda x: x * x.mean(0, keepdim=True) + x.amax(-1, keepdim=True)), [3, 4, 2]),
    "sums": (Call(lambda x: x.sum((0, 2)) + x.prod(-1).mean(0) + x.amin((0, 2))), [3, 4, 2]),
    "cat, stack and chunk": (Call(lambda x: torch.cat([torch.stack(x.chunk(2, 1), 1).flatten(1), x.flatten(1)], 1)), [2, 4, 3]),
    "movements": (Call(lambda x: x.permute(2, 0, 1).transpose(0, 1).unsqueeze(1).expand(-1, 3, -1, -1).reshape(2, -1)), [2, 3, 4]),
    "slices": (Call(lambda x: x[:, 1:, ::2] - x[:, :-1, 1::2].flip(-1)), [2, 4, 6]),
    "select and narrow": (Call(lambda x: x[:, -1] + x.narrow(1, 1, 2).sum(1)), [2, 4, 6]),
    "products": (Call(lambda x: (x @ x.transpose(-1, -2)).softmax(-1) @ x), [2, 3, 4]),
    "attention with a mask": (Call(lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True)), [2, 2, 5, 4]),
    "norms": (Call(lambda x: F.normalize(x, dim=-1) + x.norm(dim=-1, keepdim=True)), [3, 5]),
    "comparisons": (Call(lambda x: torch.where((x > 0) & (x <= 1), x, -x.clamp(-0.5, 0.5))), [4, 5]),
    "rounding": (Call(lambda x: (x * 3).round() + x.floor() * x.ceil() + x.sign() + torch.fmod(x, 0.7)), [4, 5]),
    "trigonometry": (Call(lambda x: x.sin() + x.cos() * torch.tan(x / 4) + torch.atan(x) + torch.erf(x)), [4, 5]),
    "logsumexp and cumsum": (Call(lambda x: x.logsumexp(1, keepdim=True) + x.cumsum(1)), [3, 5]),
    "argmax": (Call(lambda x: x.argmax(1).float() - x.argmin(1)), [3, 5]),
    "topk": (Call(lambda x: x.topk(3, dim=1)[0]), [3, 6]),
    "triangles": (Call(lambda x: x.tril() - x.triu(1)), [4, 4]),
    "gather": (Call(lambda x: x.gather(1, x.argsort(1))), [3, 5]),
    "Upsample": (nn.Upsample(scale_factor=2), [1, 2, 3, 4]),
    "Upsample by lines": (nn.Upsample(size=(7, 5), mode="bilinear"), [1, 2, 3, 4]),
    "Upsample from corner to corner": (nn.Upsample(size=(7, 2), mode="bilinear", align_corners=True), [1, 2, 3, 4]),
    "Upsample of one dimension": (nn.Upsample(size=9, mode="linear"), [2, 2, 4]),
    "turned weights and none": (Call(lambda x: F.linear(x, torch.arange(12.0).reshape(3, 4) / 7)), [2, 4]),
}


def inputs_of(spec):
    if isinstance(spec, tuple):
        _, n, shape = spec
        return torch.randint(0, n, shape)
    return torch.randn(spec)


def rounded(tensor):
    """As many digits as a float32 has."""
    return [float(f"{value:.9g}") for value in tensor.flatten().tolist()]


def main():
    cases, left_out = [], []
    for name, (module, spec) in CASES.items():
        module.eval()
        x = inputs_of(spec)
        try:
            torch.onnx.export(module, (x,), "case.onnx", input_names=["x"], output_names=["y"])
        except Exception as error:
            left_out.append(f"{name}: {error}")
            continue
        with open("case.onnx", "rb") as file:
            model = base64.b64encode(file.read()).decode()
        with torch.no_grad():
            y = module(x)
        cases.append({
            "name": name,
            "model": model,
            "input": {"shape": list(x.shape), "values": rounded(x)},
            "output": {"shape": list(y.shape), "values": rounded(y)},
        })
    os.remove("case.onnx")
    with open("tests/player/cases.json", "w") as file:
        file.write("[\n" + ",\n".join([json.dumps(case) for case in cases]) + "\n]\n")
    print(len(cases), "cases; left out:", left_out)


main()
