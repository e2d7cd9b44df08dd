"""The order in which the weights of convolutions lie in memory, which the engine chooses itself."""

from glowgrad.nn.module import Module


def _kept(name, layers):
    def function(module, memory_format):
        if not isinstance(module, Module):
            raise TypeError(f"{name}(): expected a module, got {type(module).__name__}")
        return module

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"The module itself: the weights of {layers} convolutions keep their order in memory.\n\n"
        f">>> nn.utils.{name}(nn.ReLU(), torch.channels_last)"
    )
    return function


convert_conv2d_weight_memory_format = _kept("convert_conv2d_weight_memory_format", "2D")
convert_conv3d_weight_memory_format = _kept("convert_conv3d_weight_memory_format", "3D")
