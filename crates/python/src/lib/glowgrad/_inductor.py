"""`torch._inductor`: settings of PyTorch's compiler, which hold what they are given."""

from types import SimpleNamespace

config = SimpleNamespace(
    coordinate_descent_tuning=False, epilogue_fusion=True, force_fuse_int_mm_with_mul=False,
    fx_graph_cache=True, max_autotune=False, triton=SimpleNamespace(),
)
