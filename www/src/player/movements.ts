// Operators that lay elements out anew.
import { axisOf, listOf, needed, numberOf, type Operator } from "./operator";
import {
  broadcastShape,
  checked,
  dimension,
  empty,
  gathered,
  INT64,
  sizeOf,
  stridesIn,
  stridesOf,
  type Tensor,
} from "./tensor";

/** Whole numbers that an operand holds. */
export function whole(tensor: Tensor | undefined): number[] | undefined {
  return tensor && Array.from(tensor.data, Number);
}

const numbers = (values: number[]): Tensor => ({
  dtype: INT64,
  shape: [values.length],
  data: Float64Array.from(values),
});

/** The same elements with other sizes. */
function withShape(x: Tensor, shape: number[]): Tensor {
  if (sizeOf(checked(shape)) !== x.data.length)
    throw new Error(`[${x.shape}] cannot be laid out as [${shape}]`);
  return { ...x, shape };
}

function reshape(x: Tensor, wanted: number[], keepsZero: boolean): Tensor {
  const shape = wanted.map((size, i) => (size === 0 && !keepsZero ? (x.shape[i] ?? 0) : size));
  const open = shape.indexOf(-1);
  if (open >= 0) {
    const known = shape.reduce((product, size) => (size === -1 ? product : product * size), 1);
    shape[open] = known === 0 ? 0 : x.data.length / known;
  }
  return withShape(x, shape);
}

function concat(inputs: readonly Tensor[], at: number): Tensor {
  const [first] = inputs as [Tensor];
  const axis = dimension(at, first.shape.length);
  const shape = first.shape.slice();
  shape[axis] = inputs.reduce((sum, { shape: own }) => sum + (own[axis] as number), 0);
  const made = empty(first.dtype, shape);
  const outer = sizeOf(shape.slice(0, axis));
  const row = sizeOf(shape.slice(axis));
  let start = 0;
  for (const { data, shape: own } of inputs) {
    const part = sizeOf(own.slice(axis));
    for (let i = 0; i < outer; i++) made.data.set(data.subarray(i * part, (i + 1) * part), i * row + start);
    start += part;
  }
  return made;
}

function slice(x: Tensor, starts: number[], ends: number[], axes?: number[], steps?: number[]): Tensor {
  const shape = x.shape.slice();
  const strides = stridesOf(x.shape);
  let offset = 0;
  starts.forEach((start, k) => {
    const axis = dimension(axes?.[k] ?? k, shape.length);
    const size = x.shape[axis] as number;
    const step = steps?.[k] ?? 1;
    if (step === 0) throw new Error("a slice steps by 0");
    const [least, most] = step > 0 ? [0, size] : [-1, size - 1];
    const held = (at: number) => Math.min(most, Math.max(least, at < 0 ? at + size : at));
    const from = Math.min(step > 0 ? size : size - 1, Math.max(0, start < 0 ? start + size : start));
    const to = (ends[k] as number) < -size && step < 0 ? -1 : held(ends[k] as number);
    shape[axis] = Math.max(0, Math.ceil((to - from) / step));
    offset += from * (strides[axis] as number);
    strides[axis] = step * (strides[axis] as number);
  });
  return gathered(x, shape, strides, offset);
}

function pad(x: Tensor, pads: number[], value: number, axes: number[] | undefined, mode: string): Tensor {
  const n = x.shape.length;
  const [before, after] = [new Array<number>(n).fill(0), new Array<number>(n).fill(0)];
  const named = axes?.map((axis) => dimension(axis, n)) ?? x.shape.map((_, i) => i);
  named.forEach((axis, k) => {
    before[axis] = pads[k] as number;
    after[axis] = pads[k + named.length] as number;
  });
  const shape = x.shape.map((size, i) => size + (before[i] as number) + (after[i] as number));
  const made = empty(x.dtype, shape);
  const strides = stridesOf(x.shape);
  const inside = (at: number, size: number) => {
    if (at >= 0 && at < size) return at;
    if (mode === "edge") return at < 0 ? 0 : size - 1;
    if (mode === "reflect") return at < 0 ? -at : 2 * (size - 1) - at;
    return mode === "wrap" ? (at + size) % size : -1;
  };
  const own = stridesOf(shape);
  for (let index = 0; index < made.data.length; index++) {
    let place = 0;
    for (let i = 0; i < n && place >= 0; i++) {
      const at = Math.floor(index / (own[i] as number)) % (shape[i] as number);
      const from = inside(at - (before[i] as number), x.shape[i] as number);
      place = from < 0 ? -1 : place + from * (strides[i] as number);
    }
    made.data[index] = place < 0 ? value : (x.data[place] as number);
  }
  return made;
}

function transpose(x: Tensor, order: number[]): Tensor {
  const strides = stridesOf(x.shape);
  return gathered(
    x,
    order.map((i) => x.shape[i] as number),
    order.map((i) => strides[i] as number),
  );
}

export const MOVEMENTS: Record<string, Operator> = {
  Reshape: ([x, shape], attributes) => [
    reshape(needed(x), whole(needed(shape)) ?? [], numberOf(attributes, "allowzero", 0) === 1),
  ],
  Flatten: ([a], attributes) => {
    const x = needed(a);
    const axis = numberOf(attributes, "axis", 1);
    const at = axis < 0 ? axis + x.shape.length : axis;
    return [withShape(x, [sizeOf(x.shape.slice(0, at)), sizeOf(x.shape.slice(at))])];
  },
  Transpose: ([a], attributes) => {
    const x = needed(a);
    return [transpose(x, listOf(attributes, "perm") ?? x.shape.map((_, i) => i).reverse())];
  },
  Squeeze: ([a, axes]) => {
    const x = needed(a);
    const gone = whole(axes)?.map((axis) => dimension(axis, x.shape.length));
    const stays = (size: number, i: number) => (gone ? !gone.includes(i) : size !== 1);
    return [withShape(x, x.shape.filter(stays))];
  },
  Unsqueeze: ([a, axes]) => {
    const x = needed(a);
    const added = whole(needed(axes)) ?? [];
    const n = x.shape.length + added.length;
    if (n > 16) throw new Error(`there is no room for ${n} dimensions`);
    const places = added.map((axis) => dimension(axis, n));
    const sizes = x.shape.values();
    const size = (i: number) => (places.includes(i) ? 1 : ((sizes.next().value as number | undefined) ?? 1));
    return [
      withShape(
        x,
        Array.from({ length: n }, (_, i) => size(i)),
      ),
    ];
  },
  Expand: ([a, wanted]) => {
    const x = needed(a);
    const shape = broadcastShape([x.shape, whole(needed(wanted)) ?? []]);
    return [gathered(x, shape, stridesIn(x, shape))];
  },
  Tile: ([a, times]) => {
    let x = needed(a);
    whole(needed(times))?.forEach((n, axis) => {
      checked([n, ...x.shape]);
      x = concat(new Array<Tensor>(n).fill(x), axis);
    });
    return [x];
  },
  Concat: (inputs, attributes) => [concat(inputs.map(needed), numberOf(attributes, "axis", 0))],
  Slice: ([x, starts, ends, axes, steps]) => [
    slice(needed(x), whole(starts) ?? [], whole(ends) ?? [], whole(axes), whole(steps)),
  ],
  Split: ([a, sizes], attributes, nOutputs) => {
    const x = needed(a);
    const axis = axisOf(attributes, 0, x.shape.length);
    const size = x.shape[axis] as number;
    const part = Math.ceil(size / nOutputs);
    const parts = whole(sizes) ?? Array.from({ length: nOutputs }, (_, i) => Math.min(part, size - i * part));
    let start = 0;
    return parts.map((length) => {
      start += length;
      return slice(x, [start - length], [start], [axis]);
    });
  },
  Pad: ([x, pads, value, axes], attributes) => {
    const mode = typeof attributes.mode === "string" ? attributes.mode : "constant";
    return [pad(needed(x), whole(pads) ?? [], value?.data[0] ?? 0, whole(axes), mode)];
  },
  Shape: ([x], attributes) => {
    const { shape } = needed(x);
    const end = attributes.end;
    return [
      numbers(shape.slice(numberOf(attributes, "start", 0), typeof end === "number" ? end : undefined)),
    ];
  },
  Trilu: ([a, k], attributes) => {
    const x = needed(a);
    const [rows, columns] = x.shape.slice(-2) as [number, number];
    const by = k?.data[0] ?? 0;
    const isUpper = numberOf(attributes, "upper", 1) === 1;
    const made = empty(x.dtype, x.shape);
    for (let i = 0; i < x.data.length; i++) {
      const [row, column] = [Math.floor(i / columns) % rows, i % columns];
      const stays = isUpper ? column - row >= by : column - row <= by;
      if (stays) made.data[i] = x.data[i] as number;
    }
    return [made];
  },
  DepthToSpace: ([a], attributes) => {
    const x = needed(a);
    const [n, c, h, w] = x.shape as [number, number, number, number];
    const block = numberOf(attributes, "blocksize", 1);
    const inner = c / (block * block);
    const isColumns = attributes.mode === "CRD";
    const sizes = isColumns ? [n, inner, block, block, h, w] : [n, block, block, inner, h, w];
    const order = isColumns ? [0, 1, 4, 2, 5, 3] : [0, 3, 4, 1, 5, 2];
    return [withShape(transpose(withShape(x, sizes), order), [n, inner, h * block, w * block])];
  },
  ConstantOfShape: ([shape], attributes) => {
    const value = attributes.value as Tensor | undefined;
    const made = empty(value?.dtype ?? 1, whole(needed(shape)) ?? []);
    made.data.fill(value?.data[0] ?? 0);
    return [made];
  },
  Range: ([from, to, step]) => {
    const [start, end, by] = [from, to, step].map((x) => needed(x).data[0] as number) as [
      number,
      number,
      number,
    ];
    const n = Math.max(0, Math.ceil((end - start) / by));
    const made = empty(needed(from).dtype, [n]);
    for (let i = 0; i < n; i++) made.data[i] = start + i * by;
    return [made];
  },
};

/** Goes through the rows along a dimension: where each begins, and the step between its elements. */
export function alongAxis(
  x: Tensor,
  axis: number,
  visit: (start: number, step: number, row: number) => void,
) {
  const step = sizeOf(x.shape.slice(axis + 1));
  const outer = sizeOf(x.shape.slice(0, axis));
  const size = x.shape[axis] as number;
  for (let i = 0; i < outer; i++)
    for (let j = 0; j < step; j++) visit(i * size * step + j, step, i * step + j);
}
