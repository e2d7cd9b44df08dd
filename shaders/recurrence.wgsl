// h[i] = a[i] · h[i − 1] + b[i] along the middle of [outer, n, inner], from h[0] = b[0]: an invocation
// for each line.

alias Element = f32;

struct Sizes {
  n: u32,
  inner: u32,
  n_lines: u32,
}

@group(0) @binding(0) var<storage, read> a: array<Element>;
@group(0) @binding(1) var<storage, read> b: array<Element>;
@group(0) @binding(2) var<storage, read_write> out: array<Element>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let line = id.y * groups.x * 64u + id.x;
  if (line >= sizes.n_lines) { return; }
  let start = line / sizes.inner * sizes.n * sizes.inner + line % sizes.inner;
  var h = b[start];
  out[start] = h;
  for (var i = 1u; i < sizes.n; i += 1u) {
    let at = start + i * sizes.inner;
    h = a[at] * h + b[at];
    out[at] = h;
  }
}
