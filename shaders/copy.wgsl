// out[to[i]] = source[origin[i]] for every index i of a shape of up to eight dimensions, through strides
// of any sign: one part of a write, a cat or a stack.

alias Element = f32;

struct Sizes {
  shape: array<vec4<u32>, 2>,
  to: array<vec4<i32>, 2>,
  origin: array<vec4<i32>, 2>,
  to_offset: i32,
  origin_offset: i32,
  n: u32,
}

@group(0) @binding(0) var<storage, read> source: array<Element>;
@group(0) @binding(1) var<storage, read_write> out: array<Element>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let at = id.y * groups.x * 64u + id.x;
  if (at >= sizes.n) { return; }
  var left = at;
  var to = sizes.to_offset;
  var origin = sizes.origin_offset;
  for (var back = 0u; back < 8u; back += 1u) {
    let dim = 7u - back;
    let size = sizes.shape[dim / 4u][dim % 4u];
    let i = i32(left % size);
    left = left / size;
    to += i * sizes.to[dim / 4u][dim % 4u];
    origin += i * sizes.origin[dim / 4u][dim % 4u];
  }
  out[u32(to)] = source[u32(origin)];
}
