// What the invocations of a workgroup that share a line have in common. It stands behind the shaders of layers.

// How many share a line: a power of two, at most 64.
const LANES = 64u;

var<workgroup> shared_value: array<f32, 64>;

// The sum of what the lanes have.
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
