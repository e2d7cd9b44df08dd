// softmax(q kᵀ · scale) v without the table of scores. An invocation has one query; keys and values come in tiles
// through workgroup memory, and a sum of weighted values is corrected when a larger score turns up.

struct Sizes {
  batch: u32,
  queries: u32,
  keys: u32,
  width: u32,
  v_width: u32,
  scale: f32,
}

@group(0) @binding(0) var<storage, read> q: array<f32>;
@group(0) @binding(1) var<storage, read> k: array<f32>;
@group(0) @binding(2) var<storage, read> v: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;
@group(0) @binding(4) var<uniform> sizes: Sizes;

// Whether query i sees the keys up to i alone.
const IS_CAUSAL = false;
// Room for a row of q, k or v.
const WIDTH = 128u;
const QUERIES = 64u;
const KEYS = 8u;

var<workgroup> key_tile: array<array<f32, WIDTH>, KEYS>;
var<workgroup> value_tile: array<array<f32, WIDTH>, KEYS>;

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) lane: u32,
) {
  let tiles = (sizes.queries + QUERIES - 1u) / QUERIES;
  let tile = group.y * groups.x + group.x;
  let batch = tile / tiles;
  if (batch >= sizes.batch) { return; }
  let query0 = tile % tiles * QUERIES;
  let query = query0 + lane;
  // Invocations without a query go along with the last one, and write nothing.
  let at = min(query, sizes.queries - 1u);

  var mine: array<f32, WIDTH>;
  var total: array<f32, WIDTH>;
  for (var i = 0u; i < sizes.width; i += 1u) {
    mine[i] = q[(batch * sizes.queries + at) * sizes.width + i];
  }
  // The largest score so far, and the weights' sum beside it.
  var largest = -0x1.fffffep+127f;
  var weights = 0.0;

  var end = sizes.keys;
  if (IS_CAUSAL) { end = min(end, query0 + QUERIES); }
  for (var key0 = 0u; key0 < end; key0 += KEYS) {
    let n_keys = min(KEYS, end - key0);
    for (var i = lane; i < n_keys * sizes.width; i += QUERIES) {
      key_tile[i / sizes.width][i % sizes.width] = k[(batch * sizes.keys + key0) * sizes.width + i];
    }
    for (var i = lane; i < n_keys * sizes.v_width; i += QUERIES) {
      value_tile[i / sizes.v_width][i % sizes.v_width] = v[(batch * sizes.keys + key0) * sizes.v_width + i];
    }
    workgroupBarrier();
    for (var key = 0u; key < n_keys; key += 1u) {
      if (IS_CAUSAL && key0 + key > at) { break; }
      var score = 0.0;
      for (var i = 0u; i < sizes.width; i += 1u) {
        score += mine[i] * key_tile[key][i];
      }
      score *= sizes.scale;
      let before = largest;
      largest = max_or_nan(largest, score);
      let correction = exp_or_nan(before - largest);
      let weight = exp_or_nan(score - largest);
      weights = weights * correction + weight;
      for (var i = 0u; i < sizes.v_width; i += 1u) {
        total[i] = total[i] * correction + weight * value_tile[key][i];
      }
    }
    workgroupBarrier();
  }

  if (query >= sizes.queries) { return; }
  for (var i = 0u; i < sizes.v_width; i += 1u) {
    out[(batch * sizes.queries + query) * sizes.v_width + i] = total[i] / weights;
  }
}
