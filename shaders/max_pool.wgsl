// The largest element of each window on planes of three dimensions, the last NaN if there is one: an invocation
// for each window.

// Elements as their bits: they are compared as integers, and none is changed.
@group(0) @binding(0) var<storage, read> source: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;
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
  // Minus infinity, if a window has nothing else.
  var largest = bitcast<i32>(0xff800000u);
  var largest_key = key(largest);
  for (var i = 0u; i < sizes.size.x; i += 1u) {
    for (var j = 0u; j < sizes.size.y; j += 1u) {
      for (var k = 0u; k < sizes.size.z; k += 1u) {
        let place = start + vec3<u32>(i, j, k) * sizes.dilation;
        if (any(place < sizes.before) || any(place >= sizes.before + sizes.n)) { continue; }
        let p = place - sizes.before;
        let bits = source[((plane * sizes.n.x + p.x) * sizes.n.y + p.y) * sizes.n.z + p.z];
        let bits_key = key(bits);
        if (bits_key > largest_key || bits_key == NAN) {
          largest = bits;
          largest_key = bits_key;
        }
      }
    }
  }
  out[at] = largest;
}
