"""`torch.backends.cpu`: how the processor computes is what `glow devices` says."""


def get_cpu_capability():
    return "DEFAULT"
