"""Ready-made networks: not here, and a sentence says so."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise NotImplementedError(
        f"torchvision.models.{name}: trained networks are not here; define one with torch.nn"
    )
