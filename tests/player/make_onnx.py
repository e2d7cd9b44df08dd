"""Writes networks.bin.gz: the random networks of `tests/golden/networks.json` as ONNX, which have PyTorch's results there.

    cargo run -p glowgrad-architecture --example random_networks -- 100 > networks.jsonl
    glow python tests/player/make_onnx.py networks.jsonl

The file is a list: for each network the length of its ONNX in four bytes, and its ONNX. Weights follow from `filled` of
`tests/golden/make_networks.py`, so they pack well.
"""

import gzip
import io
import json
import sys

import torch

sys.path.insert(0, "tests/golden")
from make_networks import input_of, model_of


def exported(source, net):
    file = io.BytesIO()
    torch.onnx.export(model_of(source, net), (input_of(net),), file, input_names=["x"], output_names=["y"])
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
