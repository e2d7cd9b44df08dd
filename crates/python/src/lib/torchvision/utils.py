"""Batches of images as one image, and image files."""

import math

import glowgrad as torch

__all__ = ["make_grid", "save_image"]


def _checked(tensor):
    if isinstance(tensor, list):
        for each in tensor:
            if not torch.is_tensor(each):
                raise TypeError(
                    f"tensor or list of tensors expected, got a list containing {type(each)}"
                )
        return torch.stack(tensor, dim=0)
    if not torch.is_tensor(tensor):
        raise TypeError(f"tensor or list of tensors expected, got {type(tensor)}")
    return tensor


def _scaled(images, value_range):
    low, high = value_range or (float(images.min()), float(images.max()))
    images.clamp_(min=low, max=high).sub_(low).div_(max(high - low, 1e-5))


@torch.no_grad()
def make_grid(tensor, nrow=8, padding=2, normalize=False, value_range=None, scale_each=False,
              pad_value=0.0):
    """One image [C, H, W] in which the images of a batch stand in rows.

    >>> from torchvision.utils import make_grid
    >>> make_grid(torch.rand(10, 1, 28, 28)).shape
    """
    tensor = _checked(tensor)
    if tensor.dim() == 2:
        tensor = tensor.unsqueeze(0)
    if tensor.dim() == 3:
        tensor = tensor.unsqueeze(0)
    if tensor.dim() == 4 and tensor.size(1) == 1:
        tensor = torch.cat((tensor, tensor, tensor), 1)
    if normalize is True:
        if value_range is not None and not isinstance(value_range, tuple):
            raise TypeError(
                "value_range has to be a tuple (min, max) if specified. min and max are numbers"
            )
        tensor = tensor.clone()
        for images in tensor if scale_each is True else [tensor]:
            _scaled(images, value_range)
    count = tensor.size(0)
    if count == 1:
        return tensor.squeeze(0)
    columns = min(nrow, count)
    rows = math.ceil(count / columns)
    height, width = tensor.size(2) + padding, tensor.size(3) + padding
    grid = tensor.new_full(
        (tensor.size(1), height * rows + padding, width * columns + padding), pad_value
    )
    for k in range(count):
        top, left = k // columns * height + padding, k % columns * width + padding
        grid[:, top:top + height - padding, left:left + width - padding] = tensor[k]
    return grid


@torch.no_grad()
def save_image(tensor, fp, format=None, **kwargs):
    """Writes an image, or a batch as one (see `make_grid`), into a PNG or PPM file.

    >>> import io
    >>> from torchvision.utils import save_image
    >>> save_image(torch.rand(4, 1, 8, 8), io.BytesIO(), "png")
    """
    from ._files import write_image

    grid = make_grid(tensor, **kwargs)
    write_image(grid.mul(255).add_(0.5).clamp_(0, 255).to("cpu", torch.uint8), fp, format)


def __getattr__(name):
    if name in ("draw_bounding_boxes", "draw_segmentation_masks", "draw_keypoints",
                "flow_to_image"):
        raise NotImplementedError(f"torchvision.utils.{name}: plt.imshow and plt.plot draw here")
    raise AttributeError(f"module 'torchvision.utils' has no attribute {name!r}")
