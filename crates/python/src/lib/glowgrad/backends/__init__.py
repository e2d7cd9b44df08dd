"""`torch.backends`: settings of libraries that PyTorch computes with.

None of them is here, and a setting changes nothing.
"""

from glowgrad._later import _later
from glowgrad.backends import cpu, cuda, cudnn, mkl, mps, openmp

fp32_precision = "none"
# Loaded when first asked for.
_LATER = dict.fromkeys(("cusparselt", "kleidiai", "mha", "miopen", "mkldnn", "nnpack",
                        "opt_einsum", "quantized", "xnnpack"), ())
__getattr__, __dir__ = _later(__name__, _LATER, __name__)
