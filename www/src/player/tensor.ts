// Tensors of the player: row-major elements with sizes, and what broadcasting makes of two of them.
//
// Invariant: elements of float32 are rounded to it after each operation; whole numbers and truth values are exact doubles.

/** ONNX's numbers for the dtypes that models here have. */
export const FLOAT = 1;
export const INT64 = 7;
export const BOOL = 9;

export interface Tensor {
  dtype: number;
  shape: number[];
  data: Float32Array | Float64Array;
}

export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** Elements of a tensor, dimensions, and steps of arithmetic in one run. */
const MOST_ELEMENTS = 1 << 26;
const MOST_DIMENSIONS = 16;
const MOST_STEPS = 4e9;
/** What an element costs that is made: as many steps as that takes time. */
const STEPS_OF_AN_ELEMENT = 16;

/** Outside of runs nothing is counted. */
let stepsLeft = Number.POSITIVE_INFINITY;

/** Computes within so many steps. */
export function bounded<Result>(compute: () => Result, steps = MOST_STEPS): Result {
  stepsLeft = steps;
  try {
    return compute();
  } finally {
    stepsLeft = Number.POSITIVE_INFINITY;
  }
}

/** Takes steps of arithmetic from the run: a model comes from a file, and one that would not end says so before it begins. */
export function spend(steps: number): void {
  stepsLeft -= steps;
  if (!(stepsLeft >= 0)) throw new Error("this is more than a page computes");
}

/** The shape, unless no tensor has it: it comes from a file. */
export function checked(shape: number[]): number[] {
  const n = shape.reduce((product, size) => product * Math.max(1, size), 1);
  const isPossible = shape.every((size) => Number.isInteger(size) && size >= 0);
  if (isPossible && n <= MOST_ELEMENTS && shape.length <= MOST_DIMENSIONS) return shape;
  throw new Error(`there is no room for a tensor of [${shape.slice(0, MOST_DIMENSIONS).join(", ")}]`);
}

export function empty(dtype: number, shape: number[]): Tensor {
  const n = sizeOf(checked(shape));
  spend(n * STEPS_OF_AN_ELEMENT);
  return { dtype, shape, data: dtype === FLOAT ? new Float32Array(n) : new Float64Array(n) };
}

/** Steps in memory of each dimension. */
export function stridesOf(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length);
  let step = 1;
  for (let i = shape.length - 1; i >= 0; i--) {
    strides[i] = step;
    step *= shape[i] as number;
  }
  return strides;
}

/** A dimension by number, counted from the end where it is negative. */
export function dimension(at: number, n: number): number {
  const found = at < 0 ? at + n : at;
  if (!(found >= 0 && found < Math.max(n, 1))) throw new Error(`there is no dimension ${at} of ${n}`);
  return found;
}

export function broadcastShape(shapes: number[][]): number[] {
  const n = Math.max(0, ...shapes.map((shape) => shape.length));
  return Array.from({ length: n }, (_, i) => {
    const sizes = shapes.map((shape) => shape[i - n + shape.length] ?? 1).filter((size) => size !== 1);
    const size = sizes[0] ?? 1;
    if (sizes.some((other) => other !== size)) throw new Error("shapes do not go together");
    return size;
  });
}

/** Steps in a tensor for each dimension of a larger shape: 0 where its one element stands for all. */
export function stridesIn(tensor: Tensor, shape: number[]): number[] {
  const own = stridesOf(tensor.shape);
  const skipped = shape.length - tensor.shape.length;
  return shape.map((_, i) => {
    const at = i - skipped;
    return at < 0 || tensor.shape[at] === 1 ? 0 : (own[at] as number);
  });
}

/** Goes through a shape, with the place in each of several layouts. */
export function walk(
  shape: readonly number[],
  strides: readonly number[][],
  visit: (index: number, places: number[]) => void,
): void {
  const n = sizeOf(shape);
  const at = new Array<number>(shape.length).fill(0);
  const places = new Array<number>(strides.length).fill(0);
  for (let index = 0; index < n; index++) {
    visit(index, places);
    for (let dim = shape.length - 1; dim >= 0; dim--) {
      const size = shape[dim] as number;
      at[dim] = (at[dim] as number) + 1;
      const wraps = at[dim] === size;
      for (let k = 0; k < strides.length; k++) {
        const step = strides[k]?.[dim] as number;
        places[k] = (places[k] as number) + (wraps ? step * (1 - size) : step);
      }
      if (!wraps) break;
      at[dim] = 0;
    }
  }
}

/** A tensor whose element at each place is read from another's, through these steps. */
export function gathered(source: Tensor, shape: number[], strides: number[], offset = 0): Tensor {
  const made = empty(source.dtype, shape);
  walk(shape, [strides], (index, [place]) => {
    made.data[index] = source.data[offset + (place as number)] as number;
  });
  return made;
}

export function combined(
  inputs: readonly Tensor[],
  dtype: number,
  combine: (values: number[]) => number,
): Tensor {
  const shape = broadcastShape(inputs.map((input) => input.shape));
  const made = empty(dtype, shape);
  const values = new Array<number>(inputs.length);
  const strides = inputs.map((input) => stridesIn(input, shape));
  walk(shape, strides, (index, places) => {
    for (let k = 0; k < inputs.length; k++) values[k] = inputs[k]?.data[places[k] as number] as number;
    made.data[index] = combine(values);
  });
  return made;
}
