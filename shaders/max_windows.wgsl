// The windows of a maximum, and how its elements compare. It stands behind both shaders of max pools.

struct Sizes {
  // By dimension: elements of a plane, windows, elements of a window, from one window to the next, padding in
  // front of a plane, from one element of a window to the next.
  n: vec3<u32>,
  n_output: u32,
  count: vec3<u32>,
  size: vec3<u32>,
  step: vec3<u32>,
  before: vec3<u32>,
  dilation: vec3<u32>,
}

const NAN = 0x7fffffff;

// An integer that is larger where the number is: the same for 0 and -0, and for every NaN.
fn key(bits: i32) -> i32 {
  let magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) { return NAN; }
  return select(magnitude, -magnitude, bits < 0);
}
