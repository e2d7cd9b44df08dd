// The operators of ONNX that exported networks have, one function each.
//
// Invariant: a form that is not computed here is an error that names it, never another number.
import { CONVOLUTIONS } from "./convolutions";
import { INDEXING } from "./indexing";
import { MOVEMENTS } from "./movements";
import { type Attribute, needed, numberOf, type Operator } from "./operator";
import { REDUCTIONS } from "./reductions";
import { RESIZING } from "./resizing";
import {
  BOOL,
  broadcastShape,
  combined,
  empty,
  FLOAT,
  gathered,
  INT64,
  sizeOf,
  spend,
  stridesIn,
  type Tensor,
} from "./tensor";

export function mapped(x: Tensor, f: (value: number) => number, dtype = x.dtype): Tensor {
  const made = empty(dtype, x.shape);
  for (let i = 0; i < x.data.length; i++) made.data[i] = f(x.data[i] as number);
  return made;
}

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
const softplus = (x: number) => (x > 0 ? x + Math.log1p(Math.exp(-x)) : Math.log1p(Math.exp(x)));

/** The error function: a series of positive terms, which loses no digits. */
export function erf(x: number): number {
  const a = Math.abs(x);
  if (a > 6) return Math.sign(x);
  if (!(a > 0)) return x;
  let term = a;
  let sum = a;
  for (let n = 1; term > sum * 1e-17; n++) {
    term *= (2 * a * a) / (2 * n + 1);
    sum += term;
  }
  return (Math.sign(x) * 2 * Math.exp(-a * a) * sum) / Math.sqrt(Math.PI);
}

function halfEven(x: number): number {
  const floor = Math.floor(x);
  const rest = x - floor;
  if (rest !== 0.5) return Math.round(x);
  return floor % 2 === 0 ? floor : floor + 1;
}

const UNARY: Record<string, (x: number) => number> = {
  Abs: Math.abs,
  Neg: (x) => -x,
  Exp: Math.exp,
  Log: Math.log,
  Sqrt: Math.sqrt,
  Reciprocal: (x) => 1 / x,
  Sin: Math.sin,
  Cos: Math.cos,
  Tan: Math.tan,
  Asin: Math.asin,
  Acos: Math.acos,
  Atan: Math.atan,
  Sinh: Math.sinh,
  Cosh: Math.cosh,
  Tanh: Math.tanh,
  Asinh: Math.asinh,
  Acosh: Math.acosh,
  Atanh: Math.atanh,
  Sigmoid: sigmoid,
  Relu: (x) => (x < 0 ? 0 : x),
  Floor: Math.floor,
  Ceil: Math.ceil,
  Round: halfEven,
  Sign: Math.sign,
  Softsign: (x) => x / (1 + Math.abs(x)),
  Softplus: softplus,
  Erf: erf,
  Mish: (x) => x * Math.tanh(softplus(x)),
  HardSwish: (x) => x * Math.min(1, Math.max(0, x / 6 + 0.5)),
  Identity: (x) => x,
};

/** Activations with constants of their own. */
const WITH_CONSTANTS: Record<string, (attributes: Record<string, Attribute>) => (x: number) => number> = {
  Elu: (attributes) => {
    const alpha = numberOf(attributes, "alpha", 1);
    return (x) => (x < 0 ? alpha * Math.expm1(x) : x);
  },
  Celu: (attributes) => {
    const alpha = numberOf(attributes, "alpha", 1);
    return (x) => Math.max(0, x) + Math.min(0, alpha * Math.expm1(x / alpha));
  },
  Selu: (attributes) => {
    const alpha = numberOf(attributes, "alpha", 1.6732631921768188);
    const gamma = numberOf(attributes, "gamma", 1.0507010221481323);
    return (x) => gamma * (x > 0 ? x : alpha * Math.expm1(x));
  },
  LeakyRelu: (attributes) => {
    const alpha = numberOf(attributes, "alpha", 0.01);
    return (x) => (x < 0 ? alpha * x : x);
  },
  HardSigmoid: (attributes) => {
    const [alpha, beta] = [numberOf(attributes, "alpha", 0.2), numberOf(attributes, "beta", 0.5)];
    return (x) => Math.min(1, Math.max(0, alpha * x + beta));
  },
  Gelu: ({ approximate }) =>
    approximate === "tanh"
      ? (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x)))
      : (x) => 0.5 * x * (1 + erf(x / Math.SQRT2)),
};

const divided = (a: number, b: number, isWhole: boolean) => (isWhole ? Math.trunc(a / b) : a / b);

const BINARY: Record<string, (a: number, b: number, isWhole: boolean) => number> = {
  Add: (a, b) => a + b,
  Sub: (a, b) => a - b,
  Mul: (a, b) => a * b,
  Div: divided,
  Pow: (a, b) => a ** b,
  PRelu: (a, b) => (a < 0 ? a * b : a),
};

const COMPARISONS: Record<string, (a: number, b: number) => boolean> = {
  Equal: (a, b) => a === b,
  Less: (a, b) => a < b,
  LessOrEqual: (a, b) => a <= b,
  Greater: (a, b) => a > b,
  GreaterOrEqual: (a, b) => a >= b,
  And: (a, b) => a !== 0 && b !== 0,
  Or: (a, b) => a !== 0 || b !== 0,
  Xor: (a, b) => (a !== 0) !== (b !== 0),
};

/** The larger or smaller one, NaN where either is. */
const extreme = (pick: (...values: number[]) => number): Operator => {
  return (inputs) => {
    const all = inputs.map(needed);
    return [combined(all, needed(all[0]).dtype, (values) => pick(...values))];
  };
};

function cast(x: Tensor, to: number): Tensor {
  if (to === BOOL) return mapped(x, (value) => Number(value !== 0), to);
  if (to === FLOAT || to === 11 || to === 10) return mapped(x, (value) => value, to === 11 ? 11 : FLOAT);
  return mapped(x, Math.trunc, INT64);
}

const OTHERS: Record<string, Operator> = {
  Cast: ([x], attributes) => [cast(needed(x), numberOf(attributes, "to", FLOAT))],
  Not: ([x]) => [mapped(needed(x), (value) => Number(value === 0))],
  IsNaN: ([x]) => [mapped(needed(x), (value) => Number(Number.isNaN(value)), BOOL)],
  IsInf: ([x]) => [mapped(needed(x), (value) => Number(Math.abs(value) === Number.POSITIVE_INFINITY), BOOL)],
  Max: extreme(Math.max),
  Min: extreme(Math.min),
  Mod: ([a, b], attributes) => {
    const isC = numberOf(attributes, "fmod", 0) === 1;
    const rest = (x: number, y: number) => (isC ? x % y : x - y * Math.floor(x / y));
    return [combined([needed(a), needed(b)], needed(a).dtype, ([x, y]) => rest(x as number, y as number))];
  },
  Where: ([test, a, b]) => {
    const all = [needed(test), needed(a), needed(b)];
    return [combined(all, needed(a).dtype, ([is, x, y]) => (is !== 0 ? (x as number) : (y as number)))];
  },
  Clip: ([x, low, high]) => {
    const [least, most] = [
      low?.data[0] ?? Number.NEGATIVE_INFINITY,
      high?.data[0] ?? Number.POSITIVE_INFINITY,
    ];
    return [mapped(needed(x), (value) => Math.min(most, Math.max(least, value)))];
  },
  MatMul: ([a, b]) => [product(needed(a), needed(b))],
  Gemm: ([a, b, c], attributes) => {
    const turned = (x: Tensor, is: number) => {
      const [rows = 1, columns = 1] = x.shape;
      return is === 0 ? x : gathered(x, [columns, rows], [1, columns]);
    };
    const left = turned(needed(a), numberOf(attributes, "transA", 0));
    const made = numberOf(attributes, "transB", 0) === 1 ? dots(left, needed(b)) : product(left, needed(b));
    const [alpha, beta] = [numberOf(attributes, "alpha", 1), numberOf(attributes, "beta", 1)];
    const scaled = alpha === 1 ? made : mapped(made, (value) => alpha * value);
    if (!c) return [scaled];
    return [combined([scaled, c], scaled.dtype, ([x, y]) => (x as number) + beta * (y as number))];
  },
};

/** The product of a matrix with another one that lies turned, as weights do: each row with each row. */
function dots(a: Tensor, b: Tensor): Tensor {
  const [m = 0, k = 0] = a.shape;
  const [n = 0, columns = 0] = b.shape;
  if (a.shape.length !== 2 || b.shape.length !== 2 || k !== columns)
    throw new Error(`a product of [${a.shape}] and [${b.shape}], turned, does not go`);
  const made = empty(FLOAT, [m, n]);
  spend(m * n * k);
  for (let row = 0; row < m; row++) {
    for (let column = 0; column < n; column++) {
      let sum = 0;
      for (let i = 0; i < k; i++) sum += (a.data[row * k + i] as number) * (b.data[column * k + i] as number);
      made.data[row * n + column] = sum;
    }
  }
  return made;
}

/** A product of matrices, over the dimensions before them. */
function product(a: Tensor, b: Tensor): Tensor {
  const one = a.shape.length === 1 ? { ...a, shape: [1, ...a.shape] } : a;
  const other = b.shape.length === 1 ? { ...b, shape: [...b.shape, 1] } : b;
  const [m, k] = one.shape.slice(-2) as [number, number];
  const [rows, n] = other.shape.slice(-2) as [number, number];
  if (k !== rows) throw new Error(`a product of [${a.shape}] and [${b.shape}] does not go`);
  const outer = broadcastShape([one.shape.slice(0, -2), other.shape.slice(0, -2)]);
  const shape = [...outer, m, n];
  const made = empty(FLOAT, shape);
  const places = (x: Tensor, size: number) => {
    const lead = { ...x, shape: x.shape.slice(0, -2) };
    return stridesIn(lead, outer).map((step) => step * size);
  };
  const [inOne, inOther] = [places(one, m * k), places(other, k * n)];
  spend(made.data.length * k);
  const sums = new Float64Array(n);
  const count = sizeOf(outer);
  for (let batch = 0; batch < count; batch++) {
    let [from, against, left] = [0, 0, batch];
    for (let i = outer.length - 1; i >= 0; i--) {
      const at = left % (outer[i] as number);
      left = Math.floor(left / (outer[i] as number));
      from += at * (inOne[i] as number);
      against += at * (inOther[i] as number);
    }
    for (let row = 0; row < m; row++) {
      sums.fill(0);
      for (let i = 0; i < k; i++) {
        const value = one.data[from + row * k + i] as number;
        if (value === 0) continue;
        const start = against + i * n;
        for (let column = 0; column < n; column++)
          sums[column] = (sums[column] as number) + value * (other.data[start + column] as number);
      }
      made.data.set(sums, (batch * m + row) * n);
    }
  }
  made.shape = [...outer, ...(a.shape.length === 1 ? [] : [m]), ...(b.shape.length === 1 ? [] : [n])];
  return made;
}

export const OPERATORS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ...Object.entries(UNARY).map(([name, f]): [string, Operator] => [name, ([x]) => [mapped(needed(x), f)]]),
  ...Object.entries(WITH_CONSTANTS).map(([name, of]): [string, Operator] => [
    name,
    ([x], attributes) => [mapped(needed(x), of(attributes))],
  ]),
  ...Object.entries(BINARY).map(([name, f]): [string, Operator] => [
    name,
    ([a, b]) => {
      const [x, y] = [needed(a), needed(b)];
      const isWhole = x.dtype !== FLOAT && x.dtype !== 11;
      return [combined([x, y], x.dtype, ([one, other]) => f(one as number, other as number, isWhole))];
    },
  ]),
  ...Object.entries(COMPARISONS).map(([name, f]): [string, Operator] => [
    name,
    ([a, b]) => [combined([needed(a), needed(b)], BOOL, ([x, y]) => Number(f(x as number, y as number)))],
  ]),
  ...Object.entries(OTHERS),
  ...Object.entries(MOVEMENTS),
  ...Object.entries(INDEXING),
  ...Object.entries(REDUCTIONS),
  ...Object.entries(CONVOLUTIONS),
  ...Object.entries(RESIZING),
]);
