// out[index[i], j] = how(out[index[i], j], values[i, j]), in order of i: an invocation for each element
// of the result goes through all indices, so that no two write the same place. The result holds what
// it starts from. The indices are known to be its rows.

alias Element = f32;

struct Sizes {
  n: u32,
  inner: u32,
  n_output: u32,
}

@group(0) @binding(0) var<storage, read> index: array<i32>;
@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read_write> out: array<Element>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

// 0 sets, 1 adds, 2 multiplies, 3 takes the larger, 4 the smaller; 5 is "or" of bools.
const HOW = 1;

fn is_nan(x: Element) -> bool {
  return IS_FLOAT && (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

const IS_FLOAT = true;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let at = id.y * groups.x * 64u + id.x;
  if (at >= sizes.n_output) { return; }
  let row = i32(at / sizes.inner);
  let column = at % sizes.inner;
  var value = out[at];
  for (var i = 0u; i < sizes.n; i += 1u) {
    if (index[i] != row) { continue; }
    let put = values[i * sizes.inner + column];
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
