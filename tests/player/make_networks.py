"""Writes networks.bin.gz: the random networks of `tests/golden/networks.json` as ONNX, which have PyTorch's results there.

    cargo run -p glowgrad-architecture --example random_networks -- 100 > networks.jsonl
    glow python tests/player/make_networks.py networks.jsonl

The file is a list: for each network the length of its ONNX in four bytes, and its ONNX. Weights follow from `filled`, as in
`tests/golden/make_networks.py`, so they pack well.
"""

import gzip
import io
import json
import sys

import torch


def filled(shape, k):
    """Numbers between -0.5 and 0.5 that any language computes alike."""
    n = 1
    for size in shape:
        n *= size
    numbers = torch.arange(n, dtype=torch.float64)
    return ((numbers * 7919 + 104729 * (k + 1)) % 1009 / 1009 - 0.5).float().reshape(shape)


def exported(source, net):
    scope = {}
    exec(source, scope)
    model = scope[net["name"]]().eval()
    with torch.no_grad():
        for k, (name, tensor) in enumerate(model.state_dict().items()):
            if tensor.is_floating_point():
                # A variance is not negative.
                tensor.copy_(filled(tensor.shape, k) + (1.0 if name.endswith("running_var") else 0.0))
    (given,) = net["inputs"]
    shape = [2 if isinstance(size, str) else size for size in given["shape"]]
    x = filled(shape, 1000)
    if given.get("dtype") == "int64":
        x = ((x + 0.5) * 11).long().clamp(0, 10)
    file = io.BytesIO()
    torch.onnx.export(model, (x,), file, input_names=["x"], output_names=["y"])
    return file.getvalue()


parts = []
with open(sys.argv[1]) as file:
    for line in file:
        read = json.loads(line)
        try:
            model = exported(read["python"], read["net"])
        except Exception as error:
            print(f"{read['net']['name']}: {error}")
            model = b""
        parts += [len(model).to_bytes(4, "little"), model]
with open("tests/player/networks.bin.gz", "wb") as file:
    file.write(gzip.compress(b"".join(parts), 9))
