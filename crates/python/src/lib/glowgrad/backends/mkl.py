"""`torch.backends.mkl`: there is no MKL here."""


def is_available():
    return False
