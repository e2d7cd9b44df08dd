// Operators that read and write elements at places that a tensor names.
import { alongAxis, whole } from "./movements";
import { axisOf, needed, numberOf, type Operator } from "./operator";
import { empty, INT64, sizeOf, stridesOf, type Tensor } from "./tensor";

function held(index: number, size: number): number {
  const at = index < 0 ? index + size : index;
  if (!(at >= 0 && at < size)) throw new Error(`the index ${index} lies beyond ${size}`);
  return at;
}

function gather(x: Tensor, indices: Tensor, axis: number): Tensor {
  const size = x.shape[axis] as number;
  const inner = sizeOf(x.shape.slice(axis + 1));
  const outer = sizeOf(x.shape.slice(0, axis));
  const made = empty(x.dtype, [...x.shape.slice(0, axis), ...indices.shape, ...x.shape.slice(axis + 1)]);
  let to = 0;
  for (let i = 0; i < outer; i++) {
    for (const index of indices.data) {
      const from = (i * size + held(index, size)) * inner;
      made.data.set(x.data.subarray(from, from + inner), to);
      to += inner;
    }
  }
  return made;
}

/** Where the elements of rows that indices name lie in a tensor: for GatherND and ScatterND. */
function rowsAt(x: Tensor, indices: Tensor): { starts: number[]; length: number; depth: number } {
  const depth = indices.shape.at(-1) as number;
  const strides = stridesOf(x.shape);
  const starts: number[] = [];
  for (let i = 0; i < indices.data.length; i += depth) {
    let start = 0;
    for (let k = 0; k < depth; k++)
      start += held(indices.data[i + k] as number, x.shape[k] as number) * (strides[k] as number);
    starts.push(start);
  }
  return { starts, length: sizeOf(x.shape.slice(depth)), depth };
}

const REDUCED: Record<string, (old: number, value: number) => number> = {
  none: (_, value) => value,
  add: (old, value) => old + value,
  mul: (old, value) => old * value,
  max: Math.max,
  min: Math.min,
};

function reduction(name: unknown): (old: number, value: number) => number {
  const found = REDUCED[typeof name === "string" ? name : "none"];
  if (!found) throw new Error(`there is no reduction ${String(name)} here`);
  return found;
}

/** Goes through the places that indices name along a dimension. */
function elementsAt(x: Tensor, indices: Tensor, axis: number, visit: (index: number, place: number) => void) {
  const strides = stridesOf(x.shape);
  const own = stridesOf(indices.shape);
  for (let i = 0; i < indices.data.length; i++) {
    let place = 0;
    for (let dim = 0; dim < x.shape.length; dim++) {
      const at =
        dim === axis
          ? held(indices.data[i] as number, x.shape[axis] as number)
          : Math.floor(i / (own[dim] as number)) % (indices.shape[dim] as number);
      place += at * (strides[dim] as number);
    }
    visit(i, place);
  }
}

export const INDEXING: Record<string, Operator> = {
  Gather: ([x, indices], attributes) => [
    gather(needed(x), needed(indices), axisOf(attributes, 0, needed(x).shape.length)),
  ],
  GatherElements: ([a, b], attributes) => {
    const [x, indices] = [needed(a), needed(b)];
    const made = empty(x.dtype, indices.shape);
    elementsAt(x, indices, axisOf(attributes, 0, x.shape.length), (i, place) => {
      made.data[i] = x.data[place] as number;
    });
    return [made];
  },
  GatherND: ([a, b], attributes) => {
    if (numberOf(attributes, "batch_dims", 0) !== 0) throw new Error("GatherND has no batch_dims here");
    const [x, indices] = [needed(a), needed(b)];
    const { starts, length, depth } = rowsAt(x, indices);
    const made = empty(x.dtype, [...indices.shape.slice(0, -1), ...x.shape.slice(depth)]);
    starts.forEach((start, i) => {
      made.data.set(x.data.subarray(start, start + length), i * length);
    });
    return [made];
  },
  ScatterND: ([a, b, c], attributes) => {
    const [x, indices, updates] = [needed(a), needed(b), needed(c)];
    const join = reduction(attributes.reduction);
    const { starts, length } = rowsAt(x, indices);
    const made = { ...x, data: x.data.slice() };
    starts.forEach((start, i) => {
      for (let k = 0; k < length; k++)
        made.data[start + k] = join(made.data[start + k] as number, updates.data[i * length + k] as number);
    });
    return [made];
  },
  ScatterElements: ([a, b, c], attributes) => {
    const [x, indices, updates] = [needed(a), needed(b), needed(c)];
    const join = reduction(attributes.reduction);
    const made = { ...x, data: x.data.slice() };
    elementsAt(x, indices, axisOf(attributes, 0, x.shape.length), (i, place) => {
      made.data[place] = join(made.data[place] as number, updates.data[i] as number);
    });
    return [made];
  },
  TopK: ([a, k], attributes) => {
    const x = needed(a);
    const axis = axisOf(attributes, -1, x.shape.length);
    const n = whole(needed(k))?.[0] ?? 0;
    const sign = numberOf(attributes, "largest", 1) === 1 ? -1 : 1;
    const shape = x.shape.map((size, i) => (i === axis ? n : size));
    const [values, places] = [empty(x.dtype, shape), empty(INT64, shape)];
    alongAxis(x, axis, (start, step, row) => {
      const at = Array.from({ length: x.shape[axis] as number }, (_, i) => i);
      const value = (i: number) => x.data[start + i * step] as number;
      at.sort((i, j) => sign * (value(i) - value(j)) || i - j);
      const to = Math.floor(row / step) * n * step + (row % step);
      at.slice(0, n).forEach((i, rank) => {
        values.data[to + rank * step] = value(i);
        places.data[to + rank * step] = i;
      });
    });
    return [values, places];
  },
};
