// Where the largest (or smallest) element so far stands, along the middle of [outer, n, inner]: the last
// one on ties, and NaN wins. An invocation for each line.

alias Element = f32;

struct Sizes {
  n: u32,
  inner: u32,
  n_lines: u32,
}

@group(0) @binding(0) var<storage, read> source: array<Element>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

const SMALLEST = false;
const IS_FLOAT = true;

fn is_nan(x: Element) -> bool {
  return IS_FLOAT && (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let line = id.y * groups.x * 64u + id.x;
  if (line >= sizes.n_lines) { return; }
  let start = line / sizes.inner * sizes.n * sizes.inner + line % sizes.inner;
  var best = source[start];
  var best_at = 0i;
  out[start] = 0i;
  for (var i = 1u; i < sizes.n; i += 1u) {
    let at = start + i * sizes.inner;
    let x = source[at];
    let wins = select((x >= best), (x <= best), SMALLEST);
    if (is_nan(x) || (wins && !is_nan(best))) {
      best = x;
      best_at = i32(i);
    }
    out[at] = best_at;
  }
}
