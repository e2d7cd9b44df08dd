// out[r, j] is where values[r, j] goes into the ascending sorted[r, :], by halving: an invocation for
// each value. A comparison with NaN does not hold, so the search goes on to the right.

alias Element = f32;

struct Sizes {
  n: u32,
  m: u32,
  n_output: u32,
}

@group(0) @binding(0) var<storage, read> sorted: array<Element>;
@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

const RIGHT = false;
const IS_FLOAT = true;

fn is_nan(x: Element) -> bool {
  return IS_FLOAT && (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let at = id.y * groups.x * 64u + id.x;
  if (at >= sizes.n_output) { return; }
  let value = values[at];
  let row = at / sizes.m * sizes.n;
  var start = 0u;
  var end = sizes.n;
  while (start < end) {
    let middle = start + (end - start) / 2u;
    let seen = sorted[row + middle];
    let left = value < seen || (!RIGHT && value == seen);
    if (left && !is_nan(seen) && !is_nan(value)) {
      end = middle;
    } else {
      start = middle + 1u;
    }
  }
  out[at] = i32(start);
}
