"""Networks that are good to read: each is one file of layers, and runs under PyTorch unchanged.

>>> from glowgrad import models
>>> sum(p.numel() for p in torch.models.LeNet().parameters())
"""

from glowgrad._later import _later

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

__all__ = [name for names in _FILES.values() for name in names]

# A file is loaded when one of its names is first asked for.
__getattr__, __dir__ = _later(__name__, _FILES, __name__)
