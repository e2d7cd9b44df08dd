// out[index[i], j] = how(out[index[i], j], values[i, j]), in order of i: an invocation for each element of
// the result, so that no two write the same place. The host has grouped the indices: those that name row r
// stand in order[start[r]] to order[start[r + 1] - 1], in their own order. The result holds what it starts
// from.

alias Element = f32;

struct Sizes {
  inner: u32,
  n_output: u32,
}

@group(0) @binding(0) var<storage, read> values: array<Element>;
@group(0) @binding(1) var<storage, read> start: array<i32>;
@group(0) @binding(2) var<storage, read> order: array<i32>;
@group(0) @binding(3) var<storage, read_write> out: array<Element>;
@group(0) @binding(4) var<uniform> sizes: Sizes;

// 0 sets, 1 adds, 2 multiplies, 3 takes the larger, 4 the smaller; 5 is "or" of bools.
const HOW = 1;

fn is_nan(x: Element) -> bool {
  return IS_FLOAT && (bitcast<u32>(f32(x)) & 0x7fffffffu) > 0x7f800000u;
}

const IS_FLOAT = true;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let at = id.y * groups.x * 64u + id.x;
  if (at >= sizes.n_output) { return; }
  let row = at / sizes.inner;
  let column = at % sizes.inner;
  var value = out[at];
  for (var i = start[row]; i < start[row + 1u]; i += 1) {
    let put = values[u32(order[i]) * sizes.inner + column];
    switch HOW {
      case 1: { value = value + put; }
      case 2: { value = value * put; }
      case 3: { value = select(put, value, is_nan(value) || value > put); }
      case 4: { value = select(put, value, is_nan(value) || value < put); }
      case 5: { value = max(value, put); }
      default: { value = put; }
    }
  }
  out[at] = value;
}
