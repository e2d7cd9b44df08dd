// The gradient of the mean of each window on planes of three dimensions: an invocation for each element of a plane
// adds up its shares of the gradients of the windows that have it.

struct Sizes {
  // By dimension: elements of a plane, windows, elements of a window, from one window to the next, padding on
  // both sides of a plane. The divisor is the one that was given.
  n: vec3<u32>,
  n_output: u32,
  count: vec3<u32>,
  divisor: f32,
  size: vec3<u32>,
  step: vec3<u32>,
  before: vec3<u32>,
}

@group(0) @binding(0) var<storage, read> gradient: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

// A sum is divided by 0 the divisor that was given, 1 how many elements of the window lie in the plane or its
// padding, 2 how many lie in the plane.
const DIVISOR = 0;

fn divisor(start: vec3<u32>) -> f32 {
  if (DIVISOR == 0) { return sizes.divisor; }
  var first = start;
  var end = min(start + sizes.size, sizes.n + 2u * sizes.before);
  if (DIVISOR == 2) {
    first = max(start, sizes.before);
    end = min(end, sizes.n + sizes.before);
  }
  let n = vec3<f32>(end - first);
  return n.x * n.y * n.z;
}

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
