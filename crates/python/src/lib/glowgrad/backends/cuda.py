"""`torch.backends.cuda`: products are computed in the dtype of their operands."""


class _MatMul:
    allow_tf32 = False
    allow_fp16_reduced_precision_reduction = True
    allow_bf16_reduced_precision_reduction = True


matmul = _MatMul()


def is_built():
    return False


# Which of PyTorch's ways of attention may be taken; kept.
_attention = dict.fromkeys(("flash", "mem_efficient", "math", "cudnn"), True)


def _pair(name):
    def enabled():
        return _attention[name]

    def enable(enabled):
        _attention[name] = bool(enabled)

    return enabled, enable


flash_sdp_enabled, enable_flash_sdp = _pair("flash")
mem_efficient_sdp_enabled, enable_mem_efficient_sdp = _pair("mem_efficient")
math_sdp_enabled, enable_math_sdp = _pair("math")
cudnn_sdp_enabled, enable_cudnn_sdp = _pair("cudnn")


class sdp_kernel:
    def __init__(self, enable_flash=True, enable_math=True, enable_mem_efficient=True,
                 enable_cudnn=True):
        self._asked = dict(
            flash=enable_flash, math=enable_math, mem_efficient=enable_mem_efficient,
            cudnn=enable_cudnn,
        )

    def __enter__(self):
        self._before = dict(_attention)
        _attention.update(self._asked)

    def __exit__(self, *exception):
        _attention.update(self._before)
        return False
