"""Names that PyTorch keeps only to say what took their place."""

_INSTEAD = {
    "cholesky": " `torch.cholesky` is deprecated in favor of `torch.linalg.cholesky`.",
    "eig": (
        " `torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` rather than "
        "real tensors mimicking complex tensors."
    ),
    "lstsq": " `torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.",
    "matrix_rank": "\nUse `torch.linalg.matrix_rank`.",
    "qr": (
        " `torch.qr` is deprecated in favor of `torch.linalg.qr` and the boolean parameter `some` "
        "has been replaced with a string parameter `mode`."
    ),
    "solve": (
        " `torch.solve` is deprecated in favor of `torch.linalg.solve`. `torch.linalg.solve` has "
        "its arguments reversed and does not return the LU factorization."
    ),
    "symeig": (
        " The default behavior has changed from using the upper triangular portion of the matrix "
        "by default to using the lower triangular portion."
    ),
}

# Where the new one has another name.
_NEW = {"symeig": "eigvalsh"}


def _refusing(name):
    def function(input, *args, **kwargs):
        raise RuntimeError(
            "This function was deprecated since version 1.9 and is now removed."
            + _INSTEAD[name]
        )

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        "PyTorch removed it: it raises, and names what took its place.\n\n"
        f'>>> hasattr(torch.linalg, "{_NEW.get(name, name)}")'
    )
    return function


for _name in _INSTEAD:
    globals()[_name] = _refusing(_name)
del _name
