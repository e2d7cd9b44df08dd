// The gradient of softmax along the middle of [outer, n, inner], or of its logarithm, from that of the result and
// the result: a line's sum and its gradients in one kernel. LANES invocations share a line.

struct Sizes {
  n: u32,
  inner: u32,
  n_lines: u32,
}

@group(0) @binding(0) var<storage, read> gradient: array<f32>;
@group(0) @binding(1) var<storage, read> result: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

const IS_LOG = false;
// A power of two, at most 64.
const LANES = 64u;

var<workgroup> shared_value: array<f32, 64>;

// A device may give a number for the exponential of NaN.
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }
fn exp_or_nan(x: f32) -> f32 { return select(exp(x), x, is_nan(x)); }

// The sum of what the lanes of a line have.
fn sum_of_lanes(x: f32, local: u32) -> f32 {
  if (LANES == 1u) { return x; }
  shared_value[local] = x;
  workgroupBarrier();
  for (var half = LANES / 2u; half > 0u; half /= 2u) {
    if (local % LANES < half) {
      shared_value[local] = shared_value[local] + shared_value[local + half];
    }
    workgroupBarrier();
  }
  let sum = shared_value[local - local % LANES];
  workgroupBarrier();
  return sum;
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let line = (group.y * groups.x + group.x) * (64u / LANES) + local / LANES;
  // Lanes without a line go through the last one, and write nothing.
  let at = min(line, sizes.n_lines - 1u);
  let start = at / sizes.inner * sizes.n * sizes.inner + at % sizes.inner;
  let lane = local % LANES;

  var total = 0.0;
  for (var i = lane; i < sizes.n; i += LANES) {
    let place = start + i * sizes.inner;
    if (IS_LOG) {
      total += gradient[place];
    } else {
      total += gradient[place] * result[place];
    }
  }
  total = sum_of_lanes(total, local);

  if (line >= sizes.n_lines) { return; }
  for (var i = lane; i < sizes.n; i += LANES) {
    let place = start + i * sizes.inner;
    if (IS_LOG) {
      out[place] = gradient[place] - exp_or_nan(result[place]) * total;
    } else {
      out[place] = (gradient[place] - total) * result[place];
    }
  }
}
