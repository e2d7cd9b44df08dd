// The gradient of the mean of each window on planes of three dimensions: an invocation for each element of a plane
// adds up its shares of the gradients of the windows that have it.

@group(0) @binding(0) var<storage, read> gradient: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let at = id.y * groups.x * 64u + id.x;
  if (at >= sizes.n_output) { return; }
  let row = at / sizes.n.z;
  let slice = row / sizes.n.y;
  let plane = slice / sizes.n.x;
  let place = vec3<u32>(slice % sizes.n.x, row % sizes.n.y, at % sizes.n.z) + sizes.before;

  // The windows that have this place.
  let reach = sizes.size - 1u;
  let first = (max(place, reach) - reach + sizes.step - 1u) / sizes.step;
  let last = min(place / sizes.step, sizes.count - 1u);
  var total = 0.0;
  for (var i = first.x; i <= last.x; i += 1u) {
    for (var j = first.y; j <= last.y; j += 1u) {
      for (var k = first.z; k <= last.z; k += 1u) {
        let window = ((plane * sizes.count.x + i) * sizes.count.y + j) * sizes.count.z + k;
        total += gradient[window] / divisor(vec3<u32>(i, j, k) * sizes.step);
      }
    }
  }
  out[at] = total;
}
