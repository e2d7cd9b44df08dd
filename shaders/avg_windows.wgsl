// The windows of a mean, and what its sums are divided by. It stands behind both shaders of average pools.

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
