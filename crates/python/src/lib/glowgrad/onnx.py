"""`torch.onnx`: models as files for other tools, which glowgrad does not write yet."""

__all__ = ["dynamo_export", "export", "is_in_onnx_export"]


def _refused(name):
    def function(*args, **kwargs):
        raise NotImplementedError(
            f"torch.onnx.{name}: glowgrad writes no ONNX files; torch.save(model.state_dict(), path) "
            "keeps the weights, and lab.to_json(model) describes the layers"
        )

    function.__name__ = function.__qualname__ = name
    return function


export, dynamo_export = map(_refused, ("export", "dynamo_export"))


def is_in_onnx_export():
    """Whether a model is being written just now: it is not.

    >>> torch.onnx.is_in_onnx_export()
    """
    return False
