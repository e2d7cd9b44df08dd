import glowgrad as torch
from glowgrad import lab

TILED = """
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read> sizes: array<u32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

var<workgroup> a_tile: array<array<f32, 16>, 16>;
var<workgroup> b_tile: array<array<f32, 16>, 16>;

@compute @workgroup_size(16, 16)
fn main(
  @builtin(global_invocation_id) id: vec3<u32>,
  @builtin(local_invocation_id) local: vec3<u32>,
) {
  let m = sizes[0];
  let k = sizes[1];
  let n = sizes[2];
  let row = id.y;
  let column = id.x;

  var total = 0.0;
  for (var k0 = 0u; k0 < k; k0 += 16u) {
    // Each brings one number of a and one of b.
    a_tile[local.y][local.x] = a[row * k + k0 + local.x];
    b_tile[local.y][local.x] = b[(k0 + local.y) * n + column];

    for (var i = 0u; i < 16u; i += 1u) {
      total += a_tile[local.y][i] * b_tile[i][local.x];
    }
  }

  if (row < m && column < n) {
    out[row * n + column] = total;
  }
}
"""


def matmul(a, b):
    """a @ b, in tiles of 16 × 16."""
    m, k = a.shape
    n = b.shape[1]
    sizes = torch.tensor([m, k, n], dtype=torch.int32, device="webgpu")
    groups = ((n + 15) // 16, (m + 15) // 16)
    return lab.shader(TILED)(a, b, sizes, size=(m, n), groups=groups)
