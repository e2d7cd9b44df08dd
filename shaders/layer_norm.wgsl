// (x − mean) / √(variance + eps) · weight + bias of each row of [rows, n]: a row's mean, its variance and its result
// in one kernel. LANES invocations share a row.

struct Sizes {
  n: u32,
  rows: u32,
  eps: f32,
}

@group(0) @binding(0) var<storage, read> source: array<f32>;
// Without a weight or a bias, some other buffer, which is not read.
@group(0) @binding(1) var<storage, read> weight: array<f32>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;
@group(0) @binding(4) var<uniform> sizes: Sizes;

const HAS_WEIGHT = false;
const HAS_BIAS = false;

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let row = (group.y * groups.x + group.x) * (64u / LANES) + local / LANES;
  // Lanes without a row go through the last one, and write nothing.
  let start = min(row, sizes.rows - 1u) * sizes.n;
  let lane = local % LANES;

  var total = 0.0;
  for (var i = lane; i < sizes.n; i += LANES) {
    total += source[start + i];
  }
  let mean = sum_of_lanes(total, local) / f32(sizes.n);

  var squares = 0.0;
  for (var i = lane; i < sizes.n; i += LANES) {
    let off = source[start + i] - mean;
    squares += off * off;
  }
  let variance = sum_of_lanes(squares, local) / f32(sizes.n);

  if (row >= sizes.rows) { return; }
  let deviation = sqrt(variance + sizes.eps);
  for (var i = lane; i < sizes.n; i += LANES) {
    var y = (source[start + i] - mean) / deviation;
    if (HAS_WEIGHT) { y *= weight[i]; }
    if (HAS_BIAS) { y += bias[i]; }
    out[start + i] = y;
  }
}
