// The mean of each window on planes of three dimensions: an invocation for each window.

@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let at = id.y * groups.x * 64u + id.x;
  if (at >= sizes.n_output) { return; }
  let row = at / sizes.count.z;
  let slice = row / sizes.count.y;
  let plane = slice / sizes.count.x;
  let window = vec3<u32>(slice % sizes.count.x, row % sizes.count.y, at % sizes.count.z);
  let start = window * sizes.step;
  // What lies in the plane.
  let first = max(start, sizes.before) - sizes.before;
  let end = min(start + sizes.size, sizes.n + sizes.before) - sizes.before;
  var total = 0.0;
  for (var i = first.x; i < end.x; i += 1u) {
    for (var j = first.y; j < end.y; j += 1u) {
      for (var k = first.z; k < end.z; k += 1u) {
        total += source[((plane * sizes.n.x + i) * sizes.n.y + j) * sizes.n.z + k];
      }
    }
  }
  out[at] = total / divisor(start);
}
