// out[o, k, i] is where the k-th smallest element of source[o, :, i] stands, equal ones in the order
// they came. An invocation for each element counts those that stand before it: its place.

alias Element = f32;

struct Sizes {
  n: u32,
  inner: u32,
  n_output: u32,
}

@group(0) @binding(0) var<storage, read> source: array<Element>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

const DESCENDING = false;
const IS_FLOAT = true;

// An order in which NaN is larger than any number, and zeros are equal whatever their sign.
fn key(x: Element) -> i32 {
  if (!IS_FLOAT) { return i32(x); }
  let bits = bitcast<i32>(x);
  if ((bits & 0x7fffffff) > 0x7f800000) { return 0x7fffffff; }
  if (bits >= 0) { return bits; }
  return -(bits & 0x7fffffff);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let at = id.y * groups.x * 64u + id.x;
  if (at >= sizes.n_output) { return; }
  let mine = at / sizes.inner % sizes.n;
  let start = at - mine * sizes.inner;
  let value = key(source[at]);
  var place = 0u;
  for (var i = 0u; i < sizes.n; i += 1u) {
    let other = key(source[start + i * sizes.inner]);
    let before = select((other < value), (other > value), DESCENDING);
    if (before || (other == value && i < mine)) { place += 1u; }
  }
  out[start + place * sizes.inner] = i32(mine);
}
