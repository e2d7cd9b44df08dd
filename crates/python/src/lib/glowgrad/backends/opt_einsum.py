"""`torch.backends.opt_einsum`: there is no opt_einsum here."""


def is_available():
    return False


def get_opt_einsum():
    return None


enabled, strategy = False, None
