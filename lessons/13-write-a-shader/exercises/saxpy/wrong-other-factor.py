# must say: given a = 2, x = [1, 2, 3], y = [10, 20, 30] got tensor([21, 42, 63])
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
    out[i] = x[i] + a[0] * y[i];
  }
}
"""


def saxpy(a, x, y):
    factor = torch.tensor([a], dtype=torch.float32, device="webgpu")
    groups = (x.numel() + 63) // 64
    return lab.shader(SAXPY)(factor, x, y, size=x.shape, groups=(groups,))
