// out[b, m, n] = Σk a[b, m, k] · b[b, k, n] for large float32 matrices, through strides of any sign.
//
// As matmul.wgsl, in larger pieces: a workgroup computes a tile of 64 × 64, each of its 64 invocations
// 8 × 8 of it, two vec4 to a row. What an invocation reads of workgroup memory serves eight times.

alias Element = f32;

struct Sizes {
  m: u32,
  n: u32,
  k: u32,
  a_offset: i32,
  a_batch: i32,
  a_row: i32,
  a_column: i32,
  b_offset: i32,
  b_batch: i32,
  b_row: i32,
  b_column: i32,
}

@group(0) @binding(0) var<storage, read> a: array<Element>;
@group(0) @binding(1) var<storage, read> b: array<Element>;

const TILE = 64u;
const DEPTH = 8u;

var<workgroup> a_tile: array<array<Element, TILE>, DEPTH>;
var<workgroup> b_tile: array<array<vec4<Element>, 16>, DEPTH>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let batch = group.z;
  let row0 = group.y * TILE;
  let column0 = group.x * TILE;
  let my_row = (lane / 8u) * 8u;
  let my_four = (lane % 8u) * 2u;
  var left_half: array<vec4<Element>, 8>;
  var right_half: array<vec4<Element>, 8>;

  let a_start = sizes.a_offset + i32(batch) * sizes.a_batch + i32(row0 + lane) * sizes.a_row;
  let b_start = sizes.b_offset + i32(batch) * sizes.b_batch + i32(column0 + lane) * sizes.b_column;
  let has_row = row0 + lane < sizes.m;
  let has_column = column0 + lane < sizes.n;

  for (var k0 = 0u; k0 < sizes.k; k0 += DEPTH) {
    // An invocation brings a piece of one row of a and of one column of b.
    let deepest = min(DEPTH, sizes.k - k0);
    for (var deep = 0u; deep < deepest; deep += 1u) {
      let k = i32(k0 + deep);
      var left = Element(0);
      if (has_row) { left = a[u32(a_start + k * sizes.a_column)]; }
      a_tile[deep][lane] = left;
      var right = Element(0);
      if (has_column) { right = b[u32(b_start + k * sizes.b_row)]; }
      b_tile[deep][lane / 4u][lane % 4u] = right;
    }
    workgroupBarrier();
    for (var deep = 0u; deep < deepest; deep += 1u) {
      let near = b_tile[deep][my_four];
      let far = b_tile[deep][my_four + 1u];
      for (var i = 0u; i < 8u; i += 1u) {
        let left = a_tile[deep][my_row + i];
        left_half[i] += left * near;
        right_half[i] += left * far;
      }
    }
    workgroupBarrier();
  }

  for (var i = 0u; i < 8u; i += 1u) {
    let row = row0 + my_row + i;
    let column = column0 + my_four * 4u;
    for (var j = 0u; j < 4u; j += 1u) {
      let at = (batch * sizes.m + row) * sizes.n + column + j;
      if (row < sizes.m && column + j < sizes.n) { store(at, left_half[i][j]); }
      if (row < sizes.m && column + j + 4u < sizes.n) { store(at + 4u, right_half[i][j]); }
    }
  }
}
