"""Networks that are good to read: each is one file of layers, and runs under PyTorch unchanged.

>>> from glowgrad import models
>>> sum(p.numel() for p in torch.models.LeNet().parameters())
"""

from importlib import import_module

_FILES = {
    "autoencoder": ("Autoencoder", "VAE"),
    "char_rnn": ("CharRNN",),
    "diffusion": ("Diffusion",),
    "gan": ("GAN",),
    "gpt": ("GPT", "GPTConfig"),
    "lenet": ("LeNet",),
    "mlp": ("MLP",),
    "mobilenet": ("MobileNetV2", "mobilenet_v2"),
    "resnet": ("ResNet", "resnet18"),
    "sampling": ("choose",),
    "vit": ("ViT",),
}
_HOMES = {name: file for file, names in _FILES.items() for name in names}

__all__ = list(_HOMES)


def __getattr__(name):
    if name in _FILES:
        return import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {__all__}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__():
    return sorted(__all__)
