"""Writes images into files: PNG and PPM."""

import binascii

import numpy as np


def _adler(data):
    values = np.frombuffer(data, dtype=np.uint8).astype(np.int64)
    first, second = 1, 0
    for start in range(0, len(values), 65536):
        part = values[start:start + 65536]
        n = len(part)
        second += n * first + int((part * np.arange(n, 0, -1)).sum())
        first += int(part.sum())
        first, second = first % 65521, second % 65521
    return second << 16 | first


def _compressed(data):
    """The bytes in zlib's format: packed where zlib is there, else as they are."""
    try:
        import zlib

        return zlib.compress(data)
    except ImportError:
        pass
    blocks = [b"\x78\x01"]
    for start in range(0, len(data), 65535):
        part = data[start:start + 65535]
        last = start + 65535 >= len(data)
        n = len(part)
        head = bytes([last]) + n.to_bytes(2, "little") + (n ^ 0xFFFF).to_bytes(2, "little")
        blocks.append(head + part)
    return b"".join([*blocks, _adler(data).to_bytes(4, "big")])


def _chunk(kind, data):
    check = binascii.crc32(kind + data) & 0xFFFFFFFF
    return len(data).to_bytes(4, "big") + kind + data + check.to_bytes(4, "big")


def png(pixels):
    """The bytes of a PNG file with the pixels [C, H, W], uint8."""
    channels, height, width = pixels.shape
    rows = pixels.permute(1, 2, 0).reshape(height, width * channels).contiguous().numpy()
    lines = np.concatenate([np.zeros((height, 1), dtype=np.uint8), rows], axis=1).tobytes()
    size = width.to_bytes(4, "big") + height.to_bytes(4, "big")
    head = size + bytes([8, {1: 0, 2: 4, 3: 2, 4: 6}[channels], 0, 0, 0])
    parts = _chunk(b"IHDR", head), _chunk(b"IDAT", _compressed(lines)), _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _ppm(pixels):
    colours = pixels[:3] if pixels.shape[0] > 2 else pixels[:1].expand(3, -1, -1)
    head = f"P6\n{pixels.shape[2]} {pixels.shape[1]}\n255\n".encode()
    return head + colours.permute(1, 2, 0).contiguous().numpy().tobytes()


def write_image(pixels, fp, format=None):
    """Writes pixels [C, H, W] to a path or a file."""
    kind = (format or str(getattr(fp, "name", fp)).rpartition(".")[2]).lower()
    if kind not in ("png", "ppm"):
        raise ValueError(f"images are written as png or ppm here, not as {kind!r}")
    data = png(pixels) if kind == "png" else _ppm(pixels)
    if hasattr(fp, "write"):
        fp.write(data)
        return
    with open(fp, "wb") as file:
        file.write(data)
