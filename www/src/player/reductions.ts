// Operators that make one number of several: sums, means, softmax, normalizations.
import { alongAxis, whole } from "./movements";
import { axisOf, listOf, needed, numberOf, type Operator } from "./operator";
import { dimension, empty, INT64, sizeOf, stridesOf, type Tensor, walk } from "./tensor";

interface Rule {
  start: number;
  add: (sum: number, value: number) => number;
  end?: (sum: number, n: number) => number;
}

const total = (sum: number, value: number) => sum + value;

const RULES: Record<string, Rule> = {
  ReduceSum: { start: 0, add: total },
  ReduceMean: { start: 0, add: total, end: (sum, n) => sum / n },
  ReduceMax: { start: Number.NEGATIVE_INFINITY, add: Math.max },
  ReduceMin: { start: Number.POSITIVE_INFINITY, add: Math.min },
  ReduceProd: { start: 1, add: (product, value) => product * value },
  ReduceSumSquare: { start: 0, add: (sum, value) => sum + value * value },
  ReduceL1: { start: 0, add: (sum, value) => sum + Math.abs(value) },
  ReduceL2: { start: 0, add: (sum, value) => sum + value * value, end: Math.sqrt },
};

/** The sizes of a reduction, and each dimension's step in its result. */
function layout(x: Tensor, axes: number[], keeps: boolean) {
  const kept = x.shape.map((size, i) => (axes.includes(i) ? 1 : size));
  const own = stridesOf(kept);
  return {
    shape: keeps ? kept : kept.filter((_, i) => !axes.includes(i)),
    strides: own.map((step, i) => (axes.includes(i) ? 0 : step)),
  };
}

function reduce(x: Tensor, axes: number[], keeps: boolean, rule: Rule): Tensor {
  const { shape, strides } = layout(x, axes, keeps);
  const sums = new Float64Array(sizeOf(shape)).fill(rule.start);
  walk(x.shape, [strides], (index, [place]) => {
    const at = place as number;
    sums[at] = rule.add(sums[at] as number, x.data[index] as number);
  });
  const made = empty(x.dtype, shape);
  const n = x.data.length / Math.max(1, sums.length);
  sums.forEach((sum, i) => {
    made.data[i] = rule.end ? rule.end(sum, n) : sum;
  });
  return made;
}

function reducing(rule: Rule): Operator {
  return ([a, given], attributes) => {
    const x = needed(a);
    const axes = whole(given) ?? listOf(attributes, "axes") ?? [];
    if (axes.length === 0 && numberOf(attributes, "noop_with_empty_axes", 0) === 1) return [x];
    const all =
      axes.length === 0 ? x.shape.map((_, i) => i) : axes.map((at) => dimension(at, x.shape.length));
    return [reduce(x, all, numberOf(attributes, "keepdims", 1) === 1, rule)];
  };
}

function logSumExp(x: Tensor, axes: number[], keeps: boolean): Tensor {
  const most = reduce(x, axes, true, RULES.ReduceMax as Rule);
  const { strides } = layout(x, axes, true);
  const moved = empty(x.dtype, x.shape);
  const finite = (value: number) => (Number.isFinite(value) ? value : 0);
  walk(x.shape, [strides], (index, [place]) => {
    moved.data[index] = Math.exp((x.data[index] as number) - finite(most.data[place as number] as number));
  });
  const sums = reduce(moved, axes, keeps, RULES.ReduceSum as Rule);
  sums.data.forEach((sum, i) => {
    sums.data[i] = Math.log(sum) + finite(most.data[i] as number);
  });
  return sums;
}

function softmax(isLog: boolean): Operator {
  return ([a], attributes) => {
    const x = needed(a);
    const axis = axisOf(attributes, -1, x.shape.length);
    const size = x.shape[axis] as number;
    const made = empty(x.dtype, x.shape);
    alongAxis(x, axis, (start, step) => {
      let most = Number.NEGATIVE_INFINITY;
      for (let i = 0; i < size; i++) most = Math.max(most, x.data[start + i * step] as number);
      let sum = 0;
      for (let i = 0; i < size; i++) sum += Math.exp((x.data[start + i * step] as number) - most);
      for (let i = 0; i < size; i++) {
        const value = (x.data[start + i * step] as number) - most;
        made.data[start + i * step] = isLog ? value - Math.log(sum) : Math.exp(value) / sum;
      }
    });
    return [made];
  };
}

function best(isMost: boolean): Operator {
  return ([a], attributes) => {
    const x = needed(a);
    const axis = axisOf(attributes, 0, x.shape.length);
    const isLast = numberOf(attributes, "select_last_index", 0) === 1;
    const { shape } = layout(x, [axis], numberOf(attributes, "keepdims", 1) === 1);
    const made = empty(INT64, shape);
    alongAxis(x, axis, (start, step, row) => {
      let at = 0;
      for (let i = 1; i < (x.shape[axis] as number); i++) {
        const [value, held] = [x.data[start + i * step] as number, x.data[start + at * step] as number];
        if ((isMost ? value > held : value < held) || (isLast && value === held)) at = i;
      }
      made.data[row] = at;
    });
    return [made];
  };
}

/** Takes groups of neighbours to mean 0 and spread 1, or to spread 1 alone. */
function normalized(x: Tensor, group: number, epsilon: number, keepsMean = false): Float64Array {
  const made = new Float64Array(x.data.length);
  if (!(Number.isInteger(group) && group > 0)) throw new Error(`there are no groups of ${group}`);
  for (let start = 0; start < x.data.length; start += group) {
    let mean = 0;
    if (!keepsMean) for (let i = 0; i < group; i++) mean += (x.data[start + i] as number) / group;
    let spread = 0;
    for (let i = 0; i < group; i++) spread += ((x.data[start + i] as number) - mean) ** 2 / group;
    const factor = 1 / Math.sqrt(spread + epsilon);
    for (let i = 0; i < group; i++) made[start + i] = ((x.data[start + i] as number) - mean) * factor;
  }
  return made;
}

/** Weights and biases for each element, by what the element's index says. */
function scaled(
  x: Tensor,
  values: Float64Array,
  scale?: Tensor,
  bias?: Tensor,
  at = (i: number) => i,
): Tensor {
  const made = empty(x.dtype, x.shape);
  values.forEach((value, i) => {
    made.data[i] = value * (scale?.data[at(i)] ?? 1) + (bias?.data[at(i)] ?? 0);
  });
  return made;
}

const NORMALIZATIONS: Record<string, Operator> = {
  BatchNormalization: ([a, scale, bias, mean, spread], attributes) => {
    const x = needed(a);
    const [channels, inner] = [x.shape[1] as number, sizeOf(x.shape.slice(2))];
    const epsilon = numberOf(attributes, "epsilon", 1e-5);
    const factors = Array.from(needed(spread).data, (value) => 1 / Math.sqrt(value + epsilon));
    const at = (i: number) => Math.floor(i / inner) % channels;
    const means = needed(mean).data;
    const values = Float64Array.from(x.data, (value, i) => {
      return (value - (means[at(i)] as number)) * (factors[at(i)] as number);
    });
    return [scaled(x, values, scale, bias, at)];
  },
  InstanceNormalization: ([a, scale, bias], attributes) => {
    const x = needed(a);
    const [channels, inner] = [x.shape[1] as number, sizeOf(x.shape.slice(2))];
    const values = normalized(x, inner, numberOf(attributes, "epsilon", 1e-5));
    return [scaled(x, values, scale, bias, (i) => Math.floor(i / inner) % channels)];
  },
  GroupNormalization: ([a, scale, bias], attributes) => {
    const x = needed(a);
    const [channels, inner] = [x.shape[1] as number, sizeOf(x.shape.slice(2))];
    const groups = numberOf(attributes, "num_groups", 1);
    const values = normalized(x, (channels / groups) * inner, numberOf(attributes, "epsilon", 1e-5));
    // Up to opset 20 there is one weight a group, from 21 on one a channel.
    const each = channels / needed(scale).data.length;
    return [scaled(x, values, scale, bias, (i) => Math.floor((Math.floor(i / inner) % channels) / each))];
  },
  LayerNormalization: ([a, scale, bias], attributes) => {
    const x = needed(a);
    const group = sizeOf(x.shape.slice(axisOf(attributes, -1, x.shape.length)));
    const values = normalized(x, group, numberOf(attributes, "epsilon", 1e-5));
    return [scaled(x, values, scale, bias, (i) => i % group)];
  },
  RMSNormalization: ([a, scale], attributes) => {
    const x = needed(a);
    const group = sizeOf(x.shape.slice(axisOf(attributes, -1, x.shape.length)));
    const values = normalized(x, group, numberOf(attributes, "epsilon", 1e-5), true);
    return [scaled(x, values, scale, undefined, (i) => i % group)];
  },
};

export const REDUCTIONS: Record<string, Operator> = {
  ...Object.fromEntries(Object.entries(RULES).map(([name, rule]) => [name, reducing(rule)])),
  ...NORMALIZATIONS,
  ReduceLogSumExp: ([a, given], attributes) => {
    const x = needed(a);
    const axes = whole(given)?.map((at) => dimension(at, x.shape.length)) ?? x.shape.map((_, i) => i);
    return [logSumExp(x, axes, numberOf(attributes, "keepdims", 1) === 1)];
  },
  Softmax: softmax(false),
  LogSoftmax: softmax(true),
  ArgMax: best(true),
  ArgMin: best(false),
  CumSum: ([a, given], attributes) => {
    const x = needed(a);
    const axis = dimension(needed(given).data[0] as number, x.shape.length);
    const isReversed = numberOf(attributes, "reverse", 0) === 1;
    const skips = numberOf(attributes, "exclusive", 0) === 1;
    const made = empty(x.dtype, x.shape);
    const size = x.shape[axis] as number;
    alongAxis(x, axis, (start, step) => {
      let sum = 0;
      for (let i = 0; i < size; i++) {
        const at = start + (isReversed ? size - 1 - i : i) * step;
        const value = x.data[at] as number;
        made.data[at] = skips ? sum : sum + value;
        sum += value;
      }
    });
    return [made];
  },
};
