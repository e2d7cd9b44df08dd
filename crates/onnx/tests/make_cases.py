"""Writes `tests/data/cases.bin`, a selection of ONNX's own backend tests.

    python -m venv t && t/bin/pip install onnx==1.20
    FOLDER=t/lib/python3.*/site-packages/onnx/backend/test/data/node
    GLOW_ONNX_CASES=$FOLDER GLOW_ONNX_PASSED=passed.txt \
        cargo test -p glowgrad-onnx -- --ignored --nocapture every_case
    python crates/onnx/tests/make_cases.py $FOLDER passed.txt crates/onnx/tests/data/cases.bin

It takes small cases that pass, some of each operator, until the file is full. Format: numbers are four bytes, little-endian;
a part is its length and its bytes. The number of cases, then of each case its name, its model, the number of its data
sets, and of each data set the number of inputs, the inputs, the number of outputs, the outputs: `TensorProto`s.
"""

import itertools
import pathlib
import struct
import sys

MOST_BYTES = 290_000
MOST_CASES = 260
MOST_BYTES_OF_A_CASE = 9_000


def number(n):
    return struct.pack("<I", n)


def part(data):
    return number(len(data)) + data


def parts(files):
    return number(len(files)) + b"".join(part(file) for file in files)


def packed(name, model, data_sets):
    """A case; a data set is a list of inputs and a list of outputs."""
    sets = b"".join(parts(inputs) + parts(outputs) for inputs, outputs in data_sets)
    return part(name.encode()) + part(model) + number(len(data_sets)) + sets


def files(folder, kind):
    names = (folder / f"{kind}_{i}.pb" for i in itertools.count())
    return [file.read_bytes() for file in itertools.takewhile(pathlib.Path.exists, names)]


def case(folder):
    sets = sorted(folder.glob("test_data_set_*"))
    data = [(files(one, "input"), files(one, "output")) for one in sets]
    return packed(folder.name, (folder / "model.onnx").read_bytes(), data)


def operator(folder):
    """What a case is about: the first word of its name that says something."""
    words = folder.name.removeprefix("test_").split("_")
    return "_".join(words[:2]) if words[0] in ("reduce", "cast", "global") else words[0]


def main(root, passed, out):
    names = pathlib.Path(passed).read_text().split()
    by_operator = {}
    for folder in (pathlib.Path(root) / name for name in names):
        if not folder.name.endswith("_expanded"):
            by_operator.setdefault(operator(folder), []).append(case(folder))
    chosen, size = [], 4
    lists = [sorted(cases, key=len) for cases in by_operator.values()]
    # A round takes one case of each operator.
    for one in itertools.chain.from_iterable(itertools.zip_longest(*lists)):
        fits = one and len(one) <= MOST_BYTES_OF_A_CASE and size + len(one) <= MOST_BYTES
        if fits and len(chosen) < MOST_CASES:
            chosen.append(one)
            size += len(one)
    pathlib.Path(out).write_bytes(number(len(chosen)) + b"".join(chosen))
    print(f"{len(chosen)} of {len(names)} cases, {len(by_operator)} operators, {size} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
