"""Runs random networks of the studio under PyTorch and records what they give: `networks.json`.

    cargo run -p glowgrad-architecture --example random_networks -- 100 | python tests/golden/make_networks.py

Weights and inputs are not drawn but follow from `filled`, which the tests that read the file have too.
"""

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


def model_of(source, net):
    """The model of a program in evaluation mode, with weights by `filled`."""
    scope = {}
    exec(source, scope)
    model = scope[net["name"]]().eval()
    with torch.no_grad():
        for k, (name, tensor) in enumerate(model.state_dict().items()):
            if tensor.is_floating_point():
                # A variance is not negative.
                tensor.copy_(filled(tensor.shape, k) + (1.0 if name.endswith("running_var") else 0.0))
    return model


def input_of(net):
    """Its one input, where an open size is 2."""
    (given,) = net["inputs"]
    x = filled([2 if isinstance(size, str) else size for size in given["shape"]], 1000)
    if given.get("dtype") == "int64":
        x = ((x + 0.5) * 11).long().clamp(0, 10)
    return x


def main():
    cases = []
    for line in sys.stdin:
        read = json.loads(line)
        with torch.no_grad():
            output = model_of(read["python"], read["net"])(input_of(read["net"]))
        cases.append({
            "net": read["net"], "shape": list(output.shape),
            "output": [float(f"{value:.7g}") for value in output.flatten()[:24].tolist()],
        })
    with open("tests/golden/networks.json", "w", encoding="utf-8") as file:
        file.write('{"torch": ' + json.dumps(torch.__version__.split("+")[0]) + ', "cases": [\n')
        file.write(",\n".join(json.dumps(case) for case in cases))
        file.write("\n]}\n")
    print(f"{len(cases)} networks")


if __name__ == "__main__":
    main()
