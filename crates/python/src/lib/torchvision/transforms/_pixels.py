"""Arithmetic on pixels [C, H, W]: sizes as PIL computes them, colours, places."""

import math
from functools import lru_cache

import glowgrad as torch
import glowgrad.nn.functional as F


def _cubic(x):
    x = abs(x)
    if x < 1:
        return (1.5 * x - 2.5) * x * x + 1
    return (((x - 5) * x + 8) * x - 4) * -0.5 if x < 2 else 0.0


def _sinc(x):
    return math.sin(math.pi * x) / (math.pi * x) if x else 1.0


_FILTERS = {
    "box": (0.5, lambda x: 1.0 if -0.5 < x <= 0.5 else 0.0),
    "bilinear": (1.0, lambda x: max(1.0 - abs(x), 0.0)),
    "hamming": (1.0, lambda x: _sinc(x) * (0.54 + 0.46 * math.cos(math.pi * x)) * (abs(x) < 1)),
    "bicubic": (2.0, _cubic),
    "lanczos": (3.0, lambda x: _sinc(x) * _sinc(x / 3) if -3 <= x < 3 else 0.0),
}


@lru_cache(maxsize=64)
def _weights(n, m, mode):
    """The matrix [m, n] that makes m pixels of n, in PIL's whole numbers of 2**-22."""
    support, weight = _FILTERS[mode]
    scale = n / m
    wide = max(scale, 1.0)
    rows = []
    for place in range(m):
        centre = (place + 0.5) * scale
        first = max(int(centre - support * wide + 0.5), 0)
        last = min(int(centre + support * wide + 0.5), n)
        found = [weight((x - centre + 0.5) * (1.0 / wide)) for x in range(first, last)]
        total = sum(found)
        row = [0.0] * n
        for x, each in zip(range(first, last), found):
            each = each / total * (1 << 22)
            row[x] = float(int(each + (0.5 if each >= 0 else -0.5)))
        rows.append(row)
    return torch.tensor(rows, dtype=torch.float64)


def _whole(sums):
    return ((sums + (1 << 21)) / (1 << 22)).floor_().clamp_(0, 255)


def resized(pixels, size, mode):
    """Pixels of whole numbers with another height and width, as PIL computes them."""
    mode = getattr(mode, "value", mode)
    mode = {0: "nearest", 1: "lanczos", 2: "bilinear", 3: "bicubic", 4: "box", 5: "hamming"}.get(
        mode, mode
    )
    (height, width), (h, w) = size, pixels.shape[1:]
    if (height, width) == (h, w):
        return pixels.clone()
    if mode not in _FILTERS:
        rows = torch.tensor([int((i + 0.5) * (h / height)) for i in range(height)])
        columns = torch.tensor([int((i + 0.5) * (w / width)) for i in range(width)])
        return pixels[:, rows][:, :, columns]
    x = pixels.to(torch.float64)
    if width != w:
        x = _whole(x @ _weights(w, width, mode).t())
    if height != h:
        x = _whole(_weights(h, height, mode) @ x)
    return x.to(torch.uint8)


def interpolated(x, size, mode, antialias):
    """A tensor of images with another height and width, as F.interpolate computes it."""
    if x.shape[-2:] == torch.Size(size):
        return x
    mode = getattr(mode, "value", mode)
    if mode not in ("nearest", "nearest-exact", "bilinear", "bicubic"):
        raise ValueError(
            "This Interpolation mode is unsupported with Tensor input"
        )
    smooth = mode in ("bilinear", "bicubic")
    kind, lead = x.dtype, x.shape[:-3]
    y = x.reshape(-1, *x.shape[-3:])
    if not kind.is_floating_point:
        y = y.to(torch.float32)
    y = F.interpolate(
        y, size=list(size), mode=mode, align_corners=False if smooth else None,
        antialias=bool(antialias) and smooth,
    )
    if not kind.is_floating_point:
        if mode == "bicubic" and kind == torch.uint8:
            y = y.clamp(0, 255)
        y = y.round().to(kind)
    return y.reshape(*lead, *y.shape[-3:])


def most(x):
    """The number of white: 1 for real numbers, 255 for bytes."""
    return 1.0 if x.dtype.is_floating_point else 255


def blended(x, y, ratio):
    """`ratio` of one picture and the rest of another."""
    return (ratio * x + (1.0 - ratio) * y).clamp(0, most(x)).to(x.dtype)


def blended_whole(x, y, ratio):
    """The same in PIL's arithmetic: bytes, cut off after the point."""
    start = y.to(torch.float32)
    mixed = start + torch.tensor(ratio, dtype=torch.float32) * (x.to(torch.float32) - start)
    return mixed.clamp(0, 255).to(torch.uint8)


def grey(x):
    """The brightness [..., 1, H, W] of colours [..., 3, H, W]."""
    if x.shape[-3] == 1:
        return x.clone()
    red, green, blue = x.unbind(dim=-3)
    return (0.2989 * red + 0.587 * green + 0.114 * blue).to(x.dtype).unsqueeze(-3)


def turned_hue(x, turn):
    """Colours whose hue is turned by a part of the circle."""
    kind = x.dtype
    x = x if kind.is_floating_point else x.to(torch.float32) / 255
    red, green, blue = x.unbind(dim=-3)
    high, low = x.max(dim=-3).values, x.min(dim=-3).values
    same = high == low
    spread = high - low
    part = torch.where(same, torch.ones_like(high), spread)
    r, g, b = (high - red) / part, (high - green) / part, (high - blue) / part
    hue = (high == red) * (b - g)
    hue = hue + ((high == green) & (high != red)) * (2.0 + r - b)
    hue = hue + ((high != green) & (high != red)) * (4.0 + g - r)
    hue = (torch.fmod(hue / 6.0 + 1.0, 1.0) + turn) % 1.0
    strength = spread / torch.where(same, torch.ones_like(high), high)
    sector = torch.floor(hue * 6.0)
    rest = hue * 6.0 - sector
    p = (high * (1.0 - strength)).clamp(0, 1)
    q = (high * (1.0 - strength * rest)).clamp(0, 1)
    t = (high * (1.0 - strength * (1.0 - rest))).clamp(0, 1)
    place = (sector.to(torch.int64) % 6).unsqueeze(0)
    bands = ((high, q, p, p, t, high), (t, high, high, q, p, p), (p, p, t, high, high, q))
    found = torch.stack([torch.stack(band).gather(0, place).squeeze(0) for band in bands], dim=-3)
    return found if kind.is_floating_point else (found * 255.999).to(kind)


def warped(x, matrix, size, mode, fill):
    """Images seen through an inverse matrix [a, b, c, d, e, f] around their middle."""
    kind, lead = x.dtype, x.shape[:-3]
    y = x.reshape(-1, *x.shape[-3:]).to(torch.float32 if not kind.is_floating_point else kind)
    height, width = size
    h, w = x.shape[-2:]
    theta = torch.tensor(matrix, dtype=y.dtype).reshape(1, 2, 3)
    base = torch.empty(1, height, width, 3, dtype=y.dtype)
    base[..., 0].copy_(torch.linspace(-width * 0.5 + 0.5, width * 0.5 - 0.5, width))
    rows = torch.linspace(-height * 0.5 + 0.5, height * 0.5 - 0.5, height)
    base[..., 1].copy_(rows.unsqueeze(-1))
    base[..., 2].fill_(1)
    rescaled = theta.transpose(1, 2) / torch.tensor([0.5 * w, 0.5 * h], dtype=y.dtype)
    grid = base.view(1, height * width, 3).bmm(rescaled).view(1, height, width, 2)
    grid = grid.expand(y.shape[0], -1, -1, -1)
    filled = fill is not None
    if filled:
        y = torch.cat([y, torch.ones_like(y[:, :1])], dim=1)
    y = F.grid_sample(y, grid, mode=mode, padding_mode="zeros", align_corners=False)
    if filled:
        y, mask = y[:, :-1], y[:, -1:].expand(-1, y.shape[1] - 1, -1, -1)
        colour = torch.tensor(fill, dtype=y.dtype).reshape(1, -1, 1, 1).expand_as(y)
        if mode == "nearest":
            y = torch.where(mask < 0.5, colour, y)
        else:
            y = y * mask + (1.0 - mask) * colour
    if not kind.is_floating_point:
        y = y.round()
    return y.to(kind).reshape(*lead, *y.shape[-3:])


def inverse(centre, angle, translate, scale, shear):
    """The inverse matrix of a turn, a move, a scale and a shear, angles in degrees."""
    turn, sx, sy = (math.radians(each) for each in (angle, *shear))
    (cx, cy), (tx, ty) = centre, translate
    a = math.cos(turn - sy) / math.cos(sy)
    b = -math.cos(turn - sy) * math.tan(sx) / math.cos(sy) - math.sin(turn)
    c = math.sin(turn - sy) / math.cos(sy)
    d = -math.sin(turn - sy) * math.tan(sx) / math.cos(sy) + math.cos(turn)
    matrix = [d / scale, -b / scale, 0.0, -c / scale, a / scale, 0.0]
    matrix[2] = matrix[0] * (-cx - tx) + matrix[1] * (-cy - ty) + cx
    matrix[5] = matrix[3] * (-cx - tx) + matrix[4] * (-cy - ty) + cy
    return matrix
