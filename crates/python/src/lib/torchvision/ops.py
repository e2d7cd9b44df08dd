"""Operations of detection networks: not here, and a sentence says so."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise NotImplementedError(f"torchvision.ops.{name} is not here; write it in ops of torch")
