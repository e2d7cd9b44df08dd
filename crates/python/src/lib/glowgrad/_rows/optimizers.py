"""Rows of optimizers: instead of a shape rule, what each remembers of a parameter of the shape `[*]`.

What is remembered under a condition is None where it does not hold. `step` counts the steps of this parameter.
"""

from glowgrad._rows.row import Row

_NONE = "none: ONNX's training operators are Adagrad, Adam and Momentum alone"
_OPSET = "; of the domain ai.onnx.preview.training"
_MOMENTS = {"step": "[]", "exp_avg": "[*]", "exp_avg_sq": "[*]"}
_LARGEST = {**_MOMENTS, "max_exp_avg_sq": "[*] if amsgrad else None"}


def _optimizer(name, state, onnx=_NONE, *cases, where=None, is_here=True, **more):
    # The parameter of a case is a tensor of this shape.
    cases = [(given, "4x3") for given in cases or ({},)] if is_here else []
    return Row(name, "optimizer", (), onnx, cases, state=state, where=where, **more)


OPTIMIZERS = [
    _optimizer(
        "SGD", {"momentum_buffer": "[*] if momentum != 0 else None"}, "Momentum" + _OPSET, {}, dict(momentum=0.9),
    ),
    _optimizer("Adam", _LARGEST, "Adam" + _OPSET, {}, dict(amsgrad=True)),
    _optimizer("AdamW", _LARGEST, "Adam" + _OPSET),
    # Gradients are dense here, which it refuses.
    _optimizer("SparseAdam", _MOMENTS, is_here=False),
    _optimizer("Adamax", {"step": "[]", "exp_avg": "[*]", "exp_inf": "[*]"}),
    _optimizer("NAdam", {**_MOMENTS, "mu_product": "[]"}),
    _optimizer("RAdam", _MOMENTS),
    _optimizer("Adagrad", {"step": "[]", "sum": "[*]"}, "Adagrad" + _OPSET),
    _optimizer("Adadelta", {"step": "[]", "square_avg": "[*]", "acc_delta": "[*]"}),
    _optimizer(
        "Adafactor", {
            "step": "[]", "row_var": "[*batch, rows, 1] if is_matrix else None",
            "col_var": "[*batch, 1, columns] if is_matrix else None", "variance": "None if is_matrix else [*]",
        }, _NONE, {}, where={
            "is_matrix": "len(any_) > 1", "batch": "any_[:-2]", "rows": "any_[-2] if is_matrix else 1",
            "columns": "any_[-1] if is_matrix else 1",
        }, types={"eps": "numbers"},
    ),
    _optimizer(
        "RMSprop", {
            "step": "[]", "square_avg": "[*]", "momentum_buffer": "[*] if momentum > 0 else None",
            "grad_avg": "[*] if centered else None",
        }, _NONE, {}, dict(momentum=0.9, centered=True),
    ),
    _optimizer("Rprop", {"step": "[]", "prev": "[*]", "step_size": "[*]"}),
    _optimizer("ASGD", {"step": "[]", "eta": "[]", "mu": "[]", "ax": "[*]"}),
    _optimizer("Lion", {"exp_avg": "[*]"}, is_torch=False),
    _optimizer("Muon", {"momentum_buffer": "[*]"}),
    # Of all parameters together, as one line of numbers: the state is that of the first of them.
    _optimizer(
        "LBFGS", {
            "func_evals": "[]", "n_iter": "[]", "d": "[n]", "t": "[]", "H_diag": "[]", "prev_flat_grad": "[n]",
            "prev_loss": "[]", "old_dirs": "None", "old_stps": "None", "ro": "None",
        }, _NONE, {}, where={"n": "prod(any_)"},
    ),
]
