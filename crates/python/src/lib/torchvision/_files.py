"""Writes images into files: PNG and PPM."""

from glowgrad._codec import encode


def _ppm(pixels):
    colours = pixels[:3] if pixels.shape[0] > 2 else pixels[:1].expand(3, -1, -1)
    head = f"P6\n{pixels.shape[2]} {pixels.shape[1]}\n255\n".encode()
    return head + colours.permute(1, 2, 0).contiguous().numpy().tobytes()


def write_image(pixels, fp, format=None):
    """Writes pixels [C, H, W] to a path or a file."""
    kind = (format or str(getattr(fp, "name", fp)).rpartition(".")[2]).lower()
    if kind not in ("png", "ppm"):
        raise ValueError(f"images are written as png or ppm here, not as {kind!r}")
    data = encode("png", [("", pixels)]) if kind == "png" else _ppm(pixels)
    if hasattr(fp, "write"):
        fp.write(data)
        return
    with open(fp, "wb") as file:
        file.write(data)
