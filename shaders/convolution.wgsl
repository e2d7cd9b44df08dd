// A convolution or one of its gradients. All three are factors of the same sum
//
//   Σ x[n, c, i] · w[o, c, k] · y[n, o, j]   with   i = stride · j + dilation · k − before,
//
// and each is, for every group of channels, a product of two matrices that are never stored:
//
//   WANTED   left matrix    right matrix       result         rows   columns   depth
//   RESULT   w[o, (c, k)]   x[(c, k), (n, j)]  y[o, (n, j)]   o      (n, j)    (c, k)
//   INPUT    w[c, (o, k)]   y[(o, k), (n, i)]  x[c, (n, i)]   c      (n, i)    (o, k)
//   WEIGHT   y[o, (n, j)]   x[(n, j), (c, k)]  w[o, (c, k)]   o      (c, k)    (n, j)
//
// The right matrix has an element for every way to lay the kernel on the input; each is read from where it is
// when a tile needs it. Spatial dimensions are three, row-major; those that are missing have size 1.

alias Element = f32;

struct Sizes {
  input: vec3<i32>,
  batch: i32,
  kernel: vec3<i32>,
  groups: i32,
  result: vec3<i32>,
  channels_in: i32, // of a group
  stride: vec3<i32>,
  channels_out: i32, // of a group
  before: vec3<i32>,
  parts: i32, // results, each the sum over a part of the depth
  dilation: vec3<i32>,
  part: i32, // the depth of a part
}

@group(0) @binding(0) var<storage, read> right: array<Element>;
@group(0) @binding(1) var<storage, read> left: array<Element>;

const RESULT = 0u;
const INPUT = 1u;
const WEIGHT = 2u;
const WANTED = 0u;

// An invocation computes EACH × EACH results; the 64 of a workgroup, in LANE_ROWS rows, a tile.
const EACH = 4u;
const LANE_ROWS = 8u;
const LANE_COLUMNS = 64u / LANE_ROWS;
const TILE_ROWS = EACH * LANE_ROWS;
const TILE_COLUMNS = EACH * LANE_COLUMNS;
const FOURS = EACH / 4u;
const DEPTH = 16u;
// Depths whose places are worked out at once, one by each invocation.
const AHEAD = 64u;

// A row more than there are, so that writes of one column do not meet in one bank.
var<workgroup> left_tile: array<array<Element, TILE_ROWS + 1u>, DEPTH>;
var<workgroup> right_tile: array<array<vec4<Element>, TILE_COLUMNS / 4u>, DEPTH>;
// Where an element of the right matrix lies: what its column and its depth say is added, component by component.
// First where a channel of a sample begins, then a place in it.
var<workgroup> column_place: array<vec4<i32>, TILE_COLUMNS>;
var<workgroup> depth_place: array<vec4<i32>, AHEAD>;
// Only where both are the same is there an element.
var<workgroup> column_rest: array<i32, TILE_COLUMNS>;
var<workgroup> depth_rest: array<i32, AHEAD>;
// What depths add to a position in the left matrix.
var<workgroup> depth_left: array<i32, AHEAD>;

fn count(size: vec3<i32>) -> i32 {
  return size.x * size.y * size.z;
}

// The i-th place of so many.
fn place(i: i32, size: vec3<i32>) -> vec3<i32> {
  return vec3<i32>(i / (size.y * size.z), i / size.z % size.y, i % size.z);
}

// The two matrices of a group.
struct Product {
  rows: i32,
  columns: i32,
  depth: i32,
  // How far apart the groups are, and the rows of the left matrix.
  left_group: i32,
  right_group: i32,
  left_row: i32,
  // Columns that lie side by side in the result.
  run: i32,
}

fn product() -> Product {
  let n_input = count(sizes.input);
  let n_kernel = count(sizes.kernel);
  let n_result = count(sizes.result);
  let x = sizes.channels_in * n_input;
  let y = sizes.channels_out * n_result;
  let w = sizes.channels_out * sizes.channels_in * n_kernel;
  let places = sizes.batch * n_result;
  let taps = sizes.channels_in * n_kernel;
  if (WANTED == INPUT) {
    let depth = sizes.channels_out * n_kernel;
    return Product(sizes.channels_in, sizes.batch * n_input, depth, w, y, n_kernel, n_input);
  }
  if (WANTED == WEIGHT) {
    return Product(sizes.channels_out, taps, places, y, x, n_result, taps);
  }
  return Product(sizes.channels_out, places, taps, w, x, taps, n_result);
}

struct Place {
  at: vec4<i32>,
  rest: i32,
}

// What a column or depth that is a channel and an element of its kernel says.
fn tap(i: i32) -> Place {
  let n_kernel = count(sizes.kernel);
  let channel = i / n_kernel;
  let reach = place(i % n_kernel, sizes.kernel) * sizes.dilation;
  if (WANTED == INPUT) {
    let at = vec4<i32>(channel * count(sizes.result), -(reach / sizes.stride));
    return Place(at, rest(reach));
  }
  return Place(vec4<i32>(channel * count(sizes.input), reach), 0);
}

// What a column or depth that is a sample and a place in it says.
fn sample(i: i32) -> Place {
  if (WANTED == INPUT) {
    let n_input = count(sizes.input);
    let start = i / n_input * sizes.groups * sizes.channels_out * count(sizes.result);
    let padded = place(i % n_input, sizes.input) + sizes.before;
    return Place(vec4<i32>(start, padded / sizes.stride), rest(padded));
  }
  let n_result = count(sizes.result);
  let start = i / n_result * sizes.groups * sizes.channels_in * count(sizes.input);
  let first = place(i % n_result, sizes.result) * sizes.stride - sizes.before;
  return Place(vec4<i32>(start, first), 0);
}

// j = (i + before − dilation · k) / stride has to be whole: both terms leave the same rest.
fn rest(at: vec3<i32>) -> i32 {
  let rests = at % sizes.stride;
  return (rests.x * sizes.stride.y + rests.y) * sizes.stride.z + rests.z;
}

fn place_of_column(i: i32) -> Place {
  if (WANTED == WEIGHT) { return tap(i); }
  return sample(i);
}

fn place_of_depth(i: i32) -> Place {
  if (WANTED == WEIGHT) { return sample(i); }
  return tap(i);
}

// What a depth adds to a position in the left matrix.
fn left_of(i: i32) -> i32 {
  if (WANTED == INPUT) {
    let n_kernel = count(sizes.kernel);
    return i / n_kernel * sizes.channels_in * n_kernel + i % n_kernel;
  }
  if (WANTED == WEIGHT) {
    let n_result = count(sizes.result);
    return i / n_result * sizes.groups * sizes.channels_out * n_result + i % n_result;
  }
  return i;
}

// An element of the right matrix; 0 outside.
fn right_at(start: i32, at: vec3<i32>) -> Element {
  var size = sizes.input;
  if (WANTED == INPUT) { size = sizes.result; }
  if (any(at < vec3<i32>()) || any(at >= size)) { return Element(0); }
  return right[start + (at.x * size.y + at.y) * size.z + at.z];
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(num_workgroups) workgroups: vec3<u32>,
  @builtin(local_invocation_index) lane: u32,
) {
  let matrices = product();
  // Tiles below each other are neighbours: they read the same columns.
  let row_tiles = (u32(matrices.rows) + TILE_ROWS - 1u) / TILE_ROWS;
  let column_tiles = (u32(matrices.columns) + TILE_COLUMNS - 1u) / TILE_COLUMNS;
  let tile = workgroup.y * workgroups.x + workgroup.x;
  let row0 = i32(tile % row_tiles * TILE_ROWS);
  let column0 = i32(tile / row_tiles % column_tiles * TILE_COLUMNS);
  let group_and_part = i32(tile / row_tiles / column_tiles);
  let group = group_and_part % sizes.groups;
  let part = group_and_part / sizes.groups;
  if (part >= sizes.parts) { return; }

  let my_row = lane / LANE_COLUMNS * EACH;
  let my_four = lane % LANE_COLUMNS * FOURS;
  let my_column = column0 + i32(my_four * 4u);
  let has_results = row0 + i32(my_row) < matrices.rows && my_column < matrices.columns;
  var total: array<array<vec4<Element>, FOURS>, EACH>;

  for (var i = lane; i < TILE_COLUMNS; i += 64u) {
    let column = place_of_column(column0 + i32(i));
    column_place[i] = column.at;
    column_rest[i] = column.rest;
  }
  let start = part * sizes.part;
  let end = min(start + sizes.part, matrices.depth);
  for (var depth0 = start; depth0 < end; depth0 += i32(DEPTH)) {
    let ahead = u32(depth0 - start) % AHEAD;
    if (ahead == 0u) {
      let at = depth0 + i32(lane);
      let depth = place_of_depth(at);
      depth_place[lane] = depth.at;
      depth_rest[lane] = depth.rest;
      depth_left[lane] = group * matrices.left_group + left_of(at);
    }
    workgroupBarrier();
    // What lies beyond the last row, column or depth is not read, nor are results made of it.
    let deepest = u32(min(i32(DEPTH), end - depth0));
    for (var i = lane; i < TILE_ROWS * DEPTH; i += 64u) {
      let deep = i % DEPTH;
      let along = i / DEPTH;
      let row = row0 + i32(along);
      if (deep < deepest && row < matrices.rows) {
        left_tile[deep][along] = left[row * matrices.left_row + depth_left[ahead + deep]];
      }
    }
    for (var i = lane; i < TILE_COLUMNS * deepest; i += 64u) {
      let deep = i / TILE_COLUMNS;
      let along = i % TILE_COLUMNS;
      var element = Element(0);
      if (column0 + i32(along) < matrices.columns && column_rest[along] == depth_rest[ahead + deep]) {
        let at = column_place[along] + depth_place[ahead + deep];
        element = right_at(group * matrices.right_group + at.x, at.yzw);
      }
      right_tile[deep][along / 4u][along % 4u] = element;
    }
    workgroupBarrier();
    if (has_results) {
      for (var deep = 0u; deep < deepest; deep += 1u) {
        var fours: array<vec4<Element>, FOURS>;
        for (var four = 0u; four < FOURS; four += 1u) {
          fours[four] = right_tile[deep][my_four + four];
        }
        for (var i = 0u; i < EACH; i += 1u) {
          let factor = left_tile[deep][my_row + i];
          for (var four = 0u; four < FOURS; four += 1u) {
            total[i][four] += factor * fours[four];
          }
        }
      }
    }
  }

  let all_rows = sizes.groups * matrices.rows;
  for (var j = 0u; j < EACH; j += 1u) {
    let column = my_column + i32(j);
    let first_row = column / matrices.run * all_rows + group * matrices.rows;
    for (var i = 0u; i < EACH; i += 1u) {
      let row = row0 + i32(my_row + i);
      if (row < matrices.rows && column < matrices.columns) {
        let at = (first_row + row) * matrices.run + column % matrices.run;
        store(u32(part * all_rows * matrices.columns + at), total[i][j / 4u][j % 4u]);
      }
    }
  }
}
