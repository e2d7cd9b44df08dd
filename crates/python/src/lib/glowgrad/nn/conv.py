"""`torch.nn`'s convolutions. Weights are drawn in PyTorch's order, so that seeded numbers match."""

import math

from glowgrad.nn import functional as F
from glowgrad.nn import init
from glowgrad.nn.module import Module
from glowgrad.nn.parameter import _empty

__all__ = ("Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d")


def _tuple(value, n):
    return tuple(value) if hasattr(value, "__iter__") else (value,) * n


class _ConvNd(Module):
    _dims = 0
    _transposed = False
    _modes = ("zeros", "reflect", "replicate", "circular")

    def _prepare(self, in_channels, out_channels, kernel_size, stride, padding, output_padding,
                 dilation, groups, bias, padding_mode, device, dtype):
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        n = self._dims
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(
                    f"Invalid padding string {padding!r}, should be one of ('same', 'valid')"
                )
            if padding == "same" and any(step != 1 for step in _tuple(stride, n)):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in self._modes:
            raise ValueError(
                f"padding_mode must be one of {set(self._modes)}, "
                f"but got padding_mode={padding_mode!r}"
            )
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size, self.stride = _tuple(kernel_size, n), _tuple(stride, n)
        self.padding = padding if isinstance(padding, str) else _tuple(padding, n)
        self.dilation, self.transposed = _tuple(dilation, n), self._transposed
        self.output_padding, self.groups = _tuple(output_padding, n), groups
        self.padding_mode = padding_mode
        self.weight = _empty(*self._weight_shape(), device=device, dtype=dtype)
        if bias:
            self.bias = _empty(out_channels, device=device, dtype=dtype)
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _weight_shape(self):
        first, second = self.out_channels, self.in_channels
        if self._transposed:
            first, second = second, first
        return first, second // self.groups, *self.kernel_size

    def reset_parameters(self):
        """Draws weight and bias again.

        >>> layer = nn.Conv1d(1, 1, 3)
        >>> layer.reset_parameters()
        """
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def _around(self):
        """The padding as `F.pad` takes it: the last dimension first, both sides."""
        sides = []
        for d in reversed(range(self._dims)):
            if self.padding == "valid":
                sides += [0, 0]
            elif self.padding == "same":
                total = self.dilation[d] * (self.kernel_size[d] - 1)
                sides += [total // 2, total - total // 2]
            else:
                sides += [self.padding[d]] * 2
        return sides

    def _conv_forward(self, input, weight, bias):
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._around(), mode=self.padding_mode), 0
        return self._function(
            input, weight, bias, self.stride, padding, self.dilation, self.groups
        )

    def forward(self, input):
        return self._conv_forward(input, self.weight, self.bias)

    def extra_repr(self):
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}"
        )
        if self.padding != (0,) * len(self.padding):
            text += f", padding={self.padding}"
        if self.dilation != (1,) * len(self.dilation):
            text += f", dilation={self.dilation}"
        if self.output_padding != (0,) * len(self.output_padding):
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text


class _Conv(_ConvNd):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1,
                 groups=1, bias=True, padding_mode="zeros", device=None, dtype=None):
        super().__init__()
        self._prepare(in_channels, out_channels, kernel_size, stride, padding, 0, dilation, groups,
                      bias, padding_mode, device, dtype)


class Conv1d(_Conv):
    """A learned kernel moved along signals: [N, C, L].

    >>> nn.Conv1d(3, 8, kernel_size=3)(torch.randn(1, 3, 10)).shape
    """

    _dims = 1
    _function = staticmethod(F.conv1d)


class Conv2d(_Conv):
    """A learned kernel moved over images: [N, C, H, W].

    >>> nn.Conv2d(3, 8, kernel_size=3, padding=1)(torch.randn(1, 3, 16, 16)).shape
    """

    _dims = 2
    _function = staticmethod(F.conv2d)


class Conv3d(_Conv):
    """A learned kernel moved through volumes: [N, C, D, H, W].

    >>> nn.Conv3d(1, 2, kernel_size=3)(torch.randn(1, 1, 5, 5, 5)).shape
    """

    _dims = 3
    _function = staticmethod(F.conv3d)


class _ConvTranspose(_ConvNd):
    _transposed = True

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0,
                 output_padding=0, groups=1, bias=True, dilation=1, padding_mode="zeros",
                 device=None, dtype=None):
        super().__init__()
        if padding_mode != "zeros":
            raise ValueError(
                f'Only "zeros" padding mode is supported for {type(self).__name__}'
            )
        self._prepare(in_channels, out_channels, kernel_size, stride, padding, output_padding,
                      dilation, groups, bias, padding_mode, device, dtype)

    def forward(self, input, output_size=None):
        more = self.output_padding
        if output_size is not None:
            more = self._output_padding(input, output_size)
        return self._function(
            input, self.weight, self.bias, self.stride, self.padding, more, self.groups,
            self.dilation,
        )

    def _output_padding(self, input, output_size):
        """What makes the result as large as wanted."""
        n, output_size = self._dims, list(output_size)
        extra = input.dim() - n
        if len(output_size) == n + extra:
            output_size = output_size[extra:]
        if len(output_size) != n:
            raise ValueError(
                f"ConvTranspose{n}D: for {input.dim()}D input, output_size must have {n} or "
                f"{n + extra} elements (got {len(output_size)})"
            )
        least = [
            (size - 1) * stride - 2 * padding + dilation * (kernel - 1) + 1
            for size, stride, padding, dilation, kernel in zip(
                input.shape[extra:], self.stride, self.padding, self.dilation, self.kernel_size
            )
        ]
        most = [size + stride - 1 for size, stride in zip(least, self.stride)]
        if not all(a <= size <= b for a, size, b in zip(least, output_size, most)):
            raise ValueError(
                f"requested an output size of {output_size}, but valid sizes range from {least} "
                f"to {most} (for an input of {input.shape[2:]})"
            )
        return [size - a for size, a in zip(output_size, least)]


class ConvTranspose1d(_ConvTranspose):
    """Each element of a signal spread by a kernel.

    >>> nn.ConvTranspose1d(3, 2, kernel_size=2, stride=2)(torch.randn(1, 3, 5)).shape
    """

    _dims = 1
    _function = staticmethod(F.conv_transpose1d)


class ConvTranspose2d(_ConvTranspose):
    """Each element of an image spread by a kernel.

    >>> nn.ConvTranspose2d(3, 2, kernel_size=2, stride=2)(torch.randn(1, 3, 5, 5)).shape
    """

    _dims = 2
    _function = staticmethod(F.conv_transpose2d)


class ConvTranspose3d(_ConvTranspose):
    """Each element of a volume spread by a kernel.

    >>> nn.ConvTranspose3d(1, 2, kernel_size=2, stride=2)(torch.randn(1, 1, 2, 2, 2)).shape
    """

    _dims = 3

    def _function(self, *args):
        return F.conv_transpose3d(*args)
