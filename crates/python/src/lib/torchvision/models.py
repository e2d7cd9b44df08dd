"""Networks by torchvision's names, without trained weights: `glowgrad.models` has their layers."""

from glowgrad import models as _networks

__all__ = ["ResNet", "resnet18", "MobileNetV2", "mobilenet_v2"]


def _untrained(name, weights, pretrained):
    if weights is not None or pretrained:
        raise NotImplementedError(
            f"torchvision.models.{name}: trained weights are not here; make the network without them, "
            "and load a file with load_state_dict(torch.load(FILE))"
        )


def resnet18(*, weights=None, pretrained=False, progress=True, num_classes=1000):
    """ResNet-18 with weights that have learnt nothing.

    >>> from torchvision.models import resnet18
    >>> sum(p.numel() for p in resnet18(num_classes=10).parameters())
    """
    _untrained("resnet18", weights, pretrained)
    return _networks.resnet18(num_classes)


def mobilenet_v2(*, weights=None, pretrained=False, progress=True, num_classes=1000):
    """MobileNetV2 with weights that have learnt nothing.

    >>> from torchvision.models import mobilenet_v2
    >>> sum(p.numel() for p in mobilenet_v2(num_classes=10).parameters())
    """
    _untrained("mobilenet_v2", weights, pretrained)
    return _networks.mobilenet_v2(num_classes)


def __getattr__(name):
    if name in ("ResNet", "MobileNetV2"):
        return getattr(_networks, name)
    if name.startswith("__"):
        raise AttributeError(name)
    raise NotImplementedError(
        f"torchvision.models.{name}: this network is not here (resnet18 and mobilenet_v2 are); define it with torch.nn"
    )
