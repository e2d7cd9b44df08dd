"""`torch.backends.kleidiai`: there is no KleidiAI here."""


def is_available():
    return False
