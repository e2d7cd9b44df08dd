// The gradient of layer norm for x, from that of the result: without its mean and its part along the normalised x,
// divided by the deviation. LANES invocations share a row.

struct Sizes {
  n: u32,
  rows: u32,
  eps: f32,
}

@group(0) @binding(0) var<storage, read> gradient: array<f32>;
@group(0) @binding(1) var<storage, read> source: array<f32>;
// Without a weight, some other buffer, which is not read.
@group(0) @binding(2) var<storage, read> weight: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;
@group(0) @binding(4) var<uniform> sizes: Sizes;

const HAS_WEIGHT = false;

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
  let n = f32(sizes.n);

  var total = 0.0;
  for (var i = lane; i < sizes.n; i += LANES) {
    total += source[start + i];
  }
  let mean = sum_of_lanes(total, local) / n;

  var squares = 0.0;
  for (var i = lane; i < sizes.n; i += LANES) {
    let off = source[start + i] - mean;
    squares += off * off;
  }
  let deviation = sqrt(sum_of_lanes(squares, local) / n + sizes.eps);

  // The mean of the gradient, and its mean along the normalised x.
  var level = 0.0;
  var along = 0.0;
  for (var i = lane; i < sizes.n; i += LANES) {
    var gy = gradient[start + i];
    if (HAS_WEIGHT) { gy *= weight[i]; }
    level += gy;
    along += gy * ((source[start + i] - mean) / deviation);
  }
  level = sum_of_lanes(level, local) / n;
  along = sum_of_lanes(along, local) / n;

  if (row >= sizes.rows) { return; }
  for (var i = lane; i < sizes.n; i += LANES) {
    var gy = gradient[start + i];
    if (HAS_WEIGHT) { gy *= weight[i]; }
    let normal = (source[start + i] - mean) / deviation;
    out[start + i] = (gy - level - normal * along) / deviation;
  }
}
