// Softmax along the middle of [outer, n, inner], or its logarithm: a line's largest element, its sum of
// exponentials and its result in one kernel. LANES invocations share a line.

struct Sizes {
  n: u32,
  inner: u32,
  n_lines: u32,
}

@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

const IS_LOG = false;

// The largest of what the lanes have.
fn largest_of_lanes(x: f32, local: u32) -> f32 {
  if (LANES == 1u) { return x; }
  shared_value[local] = x;
  workgroupBarrier();
  for (var half = LANES / 2u; half > 0u; half /= 2u) {
    if (local % LANES < half) {
      shared_value[local] = max_or_nan(shared_value[local], shared_value[local + half]);
    }
    workgroupBarrier();
  }
  let result = shared_value[local - local % LANES];
  workgroupBarrier();
  return result;
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

  var largest = source[start];
  for (var i = lane; i < sizes.n; i += LANES) {
    largest = max_or_nan(largest, source[start + i * sizes.inner]);
  }
  largest = largest_of_lanes(largest, local);

  var total = 0.0;
  for (var i = lane; i < sizes.n; i += LANES) {
    total += exp_or_nan(source[start + i * sizes.inner] - largest);
  }
  total = sum_of_lanes(total, local);

  if (line >= sizes.n_lines) { return; }
  let log_total = log_or_nan(total);
  for (var i = lane; i < sizes.n; i += LANES) {
    let shifted = source[start + i * sizes.inner] - largest;
    if (IS_LOG) {
      out[start + i * sizes.inner] = shifted - log_total;
    } else {
      out[start + i * sizes.inner] = exp_or_nan(shifted) / total;
    }
  }
}
