"""Images in files of compressed kinds: not here, and a sentence says so."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise NotImplementedError(
        f"torchvision.io.{name}: images are not read here; np.load reads arrays"
    )
