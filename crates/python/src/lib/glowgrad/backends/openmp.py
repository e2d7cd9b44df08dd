"""`torch.backends.openmp`: there is no OpenMP here."""


def is_available():
    return False
