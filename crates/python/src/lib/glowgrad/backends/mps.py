"""`torch.backends.mps`: Apple's GPUs compute as the device "wgpu" or "webgpu" here."""


def is_available():
    return False


def is_built():
    return False
