"""Checks exports with onnx's own checker, and runs them in onnxruntime.

    EXPORTS=exports.bin cargo test -p glowgrad-onnx --test it exports_are_written_to_a_file -- --ignored
    python crates/onnx/tests/check_exports.py exports.bin

Needs onnx 1.20, onnxruntime 1.2x, numpy. A case holds if the checker takes the model and onnxruntime gives the engine's
numbers within a tolerance. What is counted apart, and leaves the exit status as it is: onnxruntime has no kernel for some
types on a CPU; and what NaN and integers that overflow give, ONNX leaves to runtimes for some operators (`ReduceMax`,
`ArgMax`, `MaxPool`, `Sign`, `ReduceSum`). With `-v` these cases are listed.
"""

import collections
import pathlib
import sys

import numpy as np
import onnx
import onnx.checker
import onnx.numpy_helper
import onnxruntime

# By type: what numbers may differ by, as a share and as such.
TOLERANCES = {np.dtype("float16"): 1e-2, np.dtype("float64"): 1e-6}


class Parts:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        self.at += 4
        return int.from_bytes(self.data[self.at - 4:self.at], "little")

    def part(self):
        n = self.number()
        self.at += n
        return self.data[self.at - n:self.at]

    def parts(self):
        return [self.part() for _ in range(self.number())]


def cases(data):
    parts = Parts(data)
    for _ in range(parts.number()):
        name, model = parts.part().decode(), parts.part()
        for _ in range(parts.number()):
            yield name, model, parts.parts(), parts.parts()


def arrays(protos):
    tensors = [onnx.TensorProto.FromString(proto) for proto in protos]
    return {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in tensors}


def differs(got, want, is_bfloat16):
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype} {got.shape}, expected {want.dtype} {want.shape}"
    if not np.issubdtype(want.dtype, np.floating):
        return None if np.array_equal(got, want) else f"{got.ravel()[:8]}, expected {want.ravel()[:8]}"
    within = 3e-2 if is_bfloat16 else TOLERANCES.get(want.dtype, 1e-4)
    close = np.isclose(got, want, rtol=within, atol=within, equal_nan=True)
    if close.all():
        return None
    at = np.flatnonzero(~close.ravel())[0]
    return f"{got.ravel()[at]} at {at}, expected {want.ravel()[at]}"


def without_bfloat16(model):
    """The model with float32 in the place of inputs and outputs of bfloat16, for which NumPy has no type."""
    graph, float32 = model.graph, onnx.TensorProto.FLOAT
    wide = lambda value: value.type.tensor_type.elem_type == onnx.TensorProto.BFLOAT16
    nodes = list(graph.node)
    for value in [value for value in graph.input if wide(value)]:
        narrow = value.name + "_bfloat16"
        for node in nodes:
            node.input[:] = [narrow if name == value.name else name for name in node.input]
        value.type.tensor_type.elem_type = float32
        nodes.insert(0, onnx.helper.make_node("Cast", [value.name], [narrow], to=onnx.TensorProto.BFLOAT16))
    for value in [value for value in graph.output if wide(value)]:
        nodes.append(onnx.helper.make_node("Cast", [value.name], [value.name + "_float32"], to=float32))
        value.name += "_float32"
        value.type.tensor_type.elem_type = float32
    del graph.node[:]
    graph.node.extend(nodes)
    return model


def as_numpy(array):
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


def is_left_to_runtimes(inputs, want):
    """Why a difference is none of the model's."""
    numbers = [array for array in [*inputs.values(), *want.values()] if array.size]
    if any(np.issubdtype(a.dtype, np.floating) and np.isnan(a).any() for a in numbers):
        return "different for NaN"
    integers = [a for a in numbers if np.issubdtype(a.dtype, np.integer)]
    large = any(max(int(a.max()), -int(a.min())) >= 2**31 - 1 for a in integers)
    return "different where integers overflow" if large else None


APART = {
    "the same", "without a kernel in onnxruntime", "different for NaN", "different where integers overflow",
}


def main(path):
    counts, why = collections.Counter(), []
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    for name, data, inputs, outputs in cases(pathlib.Path(path).read_bytes()):
        model = onnx.load_from_string(data)
        try:
            onnx.checker.check_model(model, full_check=True)
        except Exception as error:
            counts["refused by the checker"] += 1
            why.append(f"{name}: checker: {str(error)[:1500]}")
            continue
        try:
            data = without_bfloat16(model).SerializeToString()
            session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        except Exception as error:
            text = str(error)
            lacks = "NOT_IMPLEMENTED" in text or "Could not find an implementation" in text
            kind = "without a kernel in onnxruntime" if lacks else "refused by onnxruntime"
            counts[kind] += 1
            if not lacks or "-v" in sys.argv:
                why.append(f"{name}: {text[:1500]}")
            continue
        given, want = arrays(inputs), arrays(outputs)
        try:
            got = session.run(None, {name: as_numpy(array) for name, array in given.items()})
        except Exception as error:
            counts["stopped in onnxruntime"] += 1
            why.append(f"{name}: {str(error)[:1500]}")
            continue
        narrow = {name for name, array in want.items() if array.dtype.name == "bfloat16"}
        pairs = zip(got, want.items())
        differences = [differs(np.asarray(a), as_numpy(b), name in narrow) for a, (name, b) in pairs]
        found = next((found for found in differences if found), None)
        kind = (is_left_to_runtimes(given, want) or "different") if found else "the same"
        counts[kind] += 1
        if kind not in APART or found and "-v" in sys.argv:
            why.append(f"{name}: {kind}: {found}")
    for line in why:
        print(line)
    print(", ".join(f"{n} {kind}" for kind, n in counts.most_common()))
    return bool(set(counts) - APART)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
