"""`torch.backends.cusparselt`: there is no cuSPARSELt here."""


def is_available():
    return False


def version():
    return None
