// out[i, j] = source[index[i], j]. The indices are known to be rows of the source.

alias Element = f32;

struct Sizes {
  inner: u32,
  n_output: u32,
}

@group(0) @binding(0) var<storage, read> source: array<Element>;
@group(0) @binding(1) var<storage, read> index: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<Element>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let at = id.y * groups.x * 64u + id.x;
  if (at >= sizes.n_output) { return; }
  let row = u32(index[at / sizes.inner]);
  out[at] = source[row * sizes.inner + at % sizes.inner];
}
