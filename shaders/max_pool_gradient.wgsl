// The gradient of the largest element of each window on planes of three dimensions: an invocation for each element
// of a plane adds up the gradients of the windows in which it is the largest, the first of equals, the last NaN.

// Elements and results as their bits: they are compared as integers.
@group(0) @binding(0) var<storage, read> gradient: array<f32>;
@group(0) @binding(1) var<storage, read> source: array<i32>;
@group(0) @binding(2) var<storage, read> result: array<i32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;
@group(0) @binding(4) var<uniform> sizes: Sizes;

// Whether an element of a window, one of the largest, is the one that counts: none before it is as large, or, of
// NaNs, none after it.
fn counts(plane: u32, start: vec3<u32>, own: vec3<u32>, own_key: i32) -> bool {
  let n_elements = sizes.size.x * sizes.size.y * sizes.size.z;
  let own_at = (own.x * sizes.size.y + own.y) * sizes.size.z + own.z;
  let is_nan = own_key == NAN;
  let end = select(own_at, n_elements, is_nan);
  for (var i = select(0u, own_at + 1u, is_nan); i < end; i += 1u) {
    let row = i / sizes.size.z;
    let other = vec3<u32>(row / sizes.size.y, row % sizes.size.y, i % sizes.size.z);
    let place = start + other * sizes.dilation;
    if (any(place < sizes.before) || any(place >= sizes.before + sizes.n)) { continue; }
    let p = place - sizes.before;
    let bits = source[((plane * sizes.n.x + p.x) * sizes.n.y + p.y) * sizes.n.z + p.z];
    if (key(bits) == own_key) { return false; }
  }
  return true;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let at = id.y * groups.x * 64u + id.x;
  if (at >= sizes.n_output) { return; }
  let row = at / sizes.n.z;
  let slice = row / sizes.n.y;
  let plane = slice / sizes.n.x;
  let place = vec3<u32>(slice % sizes.n.x, row % sizes.n.y, at % sizes.n.z) + sizes.before;
  let own_key = key(source[at]);

  // The windows that reach over this place.
  let reach = (sizes.size - 1u) * sizes.dilation;
  let first = (max(place, reach) - reach + sizes.step - 1u) / sizes.step;
  let last = min(place / sizes.step, sizes.count - 1u);
  var total = 0.0;
  for (var i = first.x; i <= last.x; i += 1u) {
    for (var j = first.y; j <= last.y; j += 1u) {
      for (var k = first.z; k <= last.z; k += 1u) {
        let start = vec3<u32>(i, j, k) * sizes.step;
        let offset = place - start;
        if (any(offset % sizes.dilation != vec3<u32>(0u))) { continue; }
        let window = ((plane * sizes.count.x + i) * sizes.count.y + j) * sizes.count.z + k;
        if (key(result[window]) != own_key) { continue; }
        if (counts(plane, start, offset / sizes.dilation, own_key)) {
          total += gradient[window];
        }
      }
    }
  }
  out[at] = total;
}
