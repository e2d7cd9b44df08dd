import glowgrad as torch
from glowgrad import lab

SAXPY = """
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> y: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  if (i < arrayLength(&x)) {
    out[i] = a[0] * x[i] + y[i];
  }
}
"""


def saxpy(a, x, y):
    """a * x + y, for a number a and two tensors of one shape."""
    factor = torch.tensor([a], dtype=torch.float32, device="webgpu")
    groups = (x.numel() + 63) // 64
    return lab.shader(SAXPY)(factor, x, y, size=x.shape, groups=(groups,))
