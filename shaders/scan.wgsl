// A running value along the middle of [outer, n, inner]: an invocation for each line.

alias Element = f32;

struct Sizes {
  n: u32,
  inner: u32,
  n_lines: u32,
}

@group(0) @binding(0) var<storage, read> source: array<Element>;
@group(0) @binding(1) var<storage, read_write> out: array<Element>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

// 0 adds, 1 multiplies, 2 is the logarithm of the summed exponentials.
const OP = 0;
const IS_FLOAT = true;

fn is_infinite(x: Element) -> bool {
  return IS_FLOAT && (bitcast<u32>(x) & 0x7fffffffu) == 0x7f800000u;
}

fn is_nan(x: Element) -> bool {
  return IS_FLOAT && (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

// ln(1 + x) for x in 0 ..= 1: near 0 Kahan's quotient gives the lost digits back.
fn log_1_plus(x: f32) -> f32 {
  let s = 1.0f + x;
  if (s == 1.0f) { return x; }
  return log(s) * x / (s - 1.0f);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let line = id.y * groups.x * 64u + id.x;
  if (line >= sizes.n_lines) { return; }
  let start = line / sizes.inner * sizes.n * sizes.inner + line % sizes.inner;
  var total = source[start];
  out[start] = total;
  for (var i = 1u; i < sizes.n; i += 1u) {
    let at = start + i * sizes.inner;
    let x = source[at];
    switch OP {
      case 0: { total = total + x; }
      case 1: { total = total * x; }
      default: {
        if (is_nan(x) || is_nan(total)) {
          total = total + x;
        } else if (!(total == x && is_infinite(x))) {
          let high = max(f32(total), f32(x));
          total = Element(high + log_1_plus(exp(min(f32(total), f32(x)) - high)));
        }
      }
    }
    out[at] = total;
  }
}
