// out[b, m, n] = Σk a[b, m, k] · b[b, k, n], through strides of any sign.
//
// A workgroup computes a tile of 32 × 32, each of its 64 invocations 4 × 4 of it. Sixteen columns of a
// and as many rows of b lie in workgroup memory at a time.

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

const TILE = 32u;
const DEPTH = 16u;

var<workgroup> a_tile: array<array<Element, TILE>, DEPTH>;
var<workgroup> b_tile: array<array<Element, TILE>, DEPTH>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let batch = group.z;
  let row0 = group.y * TILE;
  let column0 = group.x * TILE;
  let my_row = (lane / 8u) * 4u;
  let my_column = (lane % 8u) * 4u;
  var total: array<array<Element, 4>, 4>;

  for (var k0 = 0u; k0 < sizes.k; k0 += DEPTH) {
    for (var i = lane; i < TILE * DEPTH; i += 64u) {
      let along = i % TILE;
      let deep = i / TILE;
      let k = k0 + deep;
      var left = Element(0);
      if (row0 + along < sizes.m && k < sizes.k) {
        left = a[u32(sizes.a_offset + i32(batch) * sizes.a_batch + i32(row0 + along) * sizes.a_row + i32(k) * sizes.a_column)];
      }
      a_tile[deep][along] = left;
      var right = Element(0);
      if (column0 + along < sizes.n && k < sizes.k) {
        right = b[u32(sizes.b_offset + i32(batch) * sizes.b_batch + i32(k) * sizes.b_row + i32(column0 + along) * sizes.b_column)];
      }
      b_tile[deep][along] = right;
    }
    workgroupBarrier();
    // What lies beyond k is not added: 0 · ∞ would be NaN.
    let deepest = min(DEPTH, sizes.k - k0);
    for (var deep = 0u; deep < deepest; deep += 1u) {
      for (var i = 0u; i < 4u; i += 1u) {
        let left = a_tile[deep][my_row + i];
        for (var j = 0u; j < 4u; j += 1u) {
          total[i][j] += left * b_tile[deep][my_column + j];
        }
      }
    }
    workgroupBarrier();
  }

  for (var i = 0u; i < 4u; i += 1u) {
    let row = row0 + my_row + i;
    for (var j = 0u; j < 4u; j += 1u) {
      let column = column0 + my_column + j;
      if (row < sizes.m && column < sizes.n) {
        store((batch * sizes.m + row) * sizes.n + column, total[i][j]);
      }
    }
  }
}
