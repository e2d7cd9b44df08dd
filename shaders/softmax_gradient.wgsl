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
