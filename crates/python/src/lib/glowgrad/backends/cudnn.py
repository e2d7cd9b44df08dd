"""`torch.backends.cudnn`: there is no cuDNN here. Its settings hold what they are given and change nothing."""

enabled = True
benchmark = False
deterministic = False
allow_tf32 = True
benchmark_limit = 10


def is_available():
    return False


def version():
    return None
