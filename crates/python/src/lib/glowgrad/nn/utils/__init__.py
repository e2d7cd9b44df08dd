"""`torch.nn.utils`: what is done to parameters. Each part is loaded when it is first asked for."""

from glowgrad._later import _later

_LATER = {
    "clip_grad": (
        "clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_",
        "get_total_norm",
    ),
    "convert_parameters": ("parameters_to_vector", "vector_to_parameters"),
    "memory_format": (
        "convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format",
    ),
    "fusion": (
        "fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval",
        "fuse_linear_bn_weights",
    ),
    "init": ("skip_init",),
    "_norms": ("weight_norm", "remove_weight_norm", "spectral_norm", "remove_spectral_norm"),
    "parametrizations": (), "parametrize": (), "prune": (), "rnn": (), "stateless": (),
}
__getattr__, __dir__ = _later(__name__, _LATER, __name__)
__all__ = [name for name in __dir__() if not name.startswith("_")]
