// Shape, strides and offset over a row of cells: the index arithmetic of views.
//
// Invariant: strides and offset count cells, as in PyTorch, and nothing here reads a value. Movement
// gives a new layout over the same cells; only `reshape` can fail, and then says which stride does not
// fit. `problem` is the only judge of a layout that was written by hand; every other function takes
// layouts that it has passed. The method of `reshape` is ATen's `computeStride`.

import { t } from "../language/language.svelte";

export interface Layout {
  readonly shape: readonly number[];
  /** Cells from one index to the next, one number a dimension. */
  readonly strides: readonly number[];
  /** The cell of the first element. */
  readonly offset: number;
}

/** More dimensions than this are refused. */
export const MOST_DIMENSIONS = 8;

export function count(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

export function contiguousStrides(shape: readonly number[]): number[] {
  const strides: number[] = new Array(shape.length);
  let step = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    strides[d] = step;
    step *= Math.max(1, shape[d] as number);
  }
  return strides;
}

/** Row-major over cells from the first one on. */
export function contiguous(shape: readonly number[], offset = 0): Layout {
  return { shape: [...shape], strides: contiguousStrides(shape), offset };
}

/** The cell of an index. */
export function position(layout: Layout, index: readonly number[]): number {
  return index.reduce((at, i, d) => at + i * (layout.strides[d] as number), layout.offset);
}

/** The index of an element by its row-major number. */
export function indexOf(shape: readonly number[], flat: number): number[] {
  const index: number[] = new Array(shape.length);
  let rest = flat;
  for (let d = shape.length - 1; d >= 0; d--) {
    const size = shape[d] as number;
    index[d] = rest % size;
    rest = Math.floor(rest / size);
  }
  return index;
}

/** The row-major number of an index. */
export function flatOf(shape: readonly number[], index: readonly number[]): number {
  return index.reduce((flat, i, d) => flat * (shape[d] as number) + i, 0);
}

/** The cell of each element, row-major, of at most `most` elements. */
export function positions(layout: Layout, most = 65_536): number[] {
  const total = Math.min(count(layout.shape), most);
  const index: number[] = new Array(layout.shape.length).fill(0);
  const cells: number[] = new Array(total);
  let at = layout.offset;
  for (let flat = 0; flat < total; flat++) {
    cells[flat] = at;
    for (let d = index.length - 1; d >= 0; d--) {
      const [size, stride] = [layout.shape[d] as number, layout.strides[d] as number];
      const next = (index[d] as number) + 1;
      at += stride;
      if (next < size) {
        index[d] = next;
        break;
      }
      index[d] = 0;
      at -= size * stride;
    }
  }
  return cells;
}

/** Which elements read each cell. */
export function readers(layout: Layout, most = 65_536): Map<number, number[]> {
  const found = new Map<number, number[]>();
  positions(layout, most).forEach((cell, flat) => {
    const list = found.get(cell);
    if (list) list.push(flat);
    else found.set(cell, [flat]);
  });
  return found;
}

/** The lowest and the highest cell that is read; null without elements. */
export function reach(layout: Layout): { first: number; last: number } | null {
  let [first, last] = [layout.offset, layout.offset];
  for (const [d, size] of layout.shape.entries()) {
    if (size === 0) return null;
    const far = (size - 1) * (layout.strides[d] as number);
    if (far < 0) first += far;
    else last += far;
  }
  return { first, last };
}

/** Whether the elements lie row-major and without gaps, wherever the first one is. */
export function isContiguous(layout: Layout): boolean {
  if (count(layout.shape) === 0) return true;
  let step = 1;
  for (let d = layout.shape.length - 1; d >= 0; d--) {
    const size = layout.shape[d] as number;
    if (size === 1) continue;
    if (layout.strides[d] !== step) return false;
    step *= size;
  }
  return true;
}

/** Whether some cell is read by two elements. */
export function overlaps(layout: Layout): boolean {
  const cells = positions(layout);
  return new Set(cells).size < cells.length;
}

/** Dimensions in another order. */
export function permute(layout: Layout, order: readonly number[]): Layout {
  return {
    shape: order.map((d) => layout.shape[d] as number),
    strides: order.map((d) => layout.strides[d] as number),
    offset: layout.offset,
  };
}

/** Elements `start, start + step, …` of one dimension, `size` of them. */
export function slice(layout: Layout, dim: number, start: number, size: number, step = 1): Layout {
  const [shape, strides] = [[...layout.shape], [...layout.strides]];
  const stride = strides[dim] as number;
  shape[dim] = size;
  strides[dim] = stride * step;
  return { shape, strides, offset: layout.offset + start * stride };
}

/** Sizes of 1 stretched with a stride of 0, new dimensions in front; `shape` must be a broadcast. */
export function expand(layout: Layout, shape: readonly number[]): Layout {
  const added = shape.length - layout.shape.length;
  const strides = shape.map((size, d) =>
    d >= added && layout.shape[d - added] === size ? (layout.strides[d - added] as number) : 0,
  );
  return { shape: [...shape], strides, offset: layout.offset };
}

export type Reshaped =
  | { fits: true; layout: Layout }
  /** A copy is needed: dimension `dim` cannot be read on into the one after it. */
  | { fits: false; dim: number; stride: number; wanted: number };

/** The same elements in the same order in another shape of as many, if that needs no copy. */
export function reshape(layout: Layout, shape: readonly number[]): Reshaped {
  if (count(layout.shape) === 0 || isContiguous(layout)) {
    return { fits: true, layout: contiguous(shape, layout.offset) };
  }
  const strides: number[] = new Array(shape.length).fill(0);
  let newDim = shape.length;
  let [chunk, covered] = [1, 1];
  let base = layout.strides.at(-1) ?? 1;
  for (let d = layout.shape.length - 1; d >= 0; d--) {
    chunk *= layout.shape[d] as number;
    const before = layout.strides[d - 1] as number;
    const ends = d === 0 || (layout.shape[d - 1] !== 1 && before !== chunk * base);
    if (!ends) continue;
    while (newDim > 0 && (covered < chunk || shape[newDim - 1] === 1)) {
      newDim -= 1;
      strides[newDim] = base * covered;
      covered *= shape[newDim] as number;
    }
    if (covered !== chunk) return { fits: false, dim: d - 1, stride: before, wanted: chunk * base };
    if (d > 0) {
      base = before;
      [chunk, covered] = [1, 1];
    }
  }
  return { fits: true, layout: { shape: [...shape], strides, offset: layout.offset } };
}

/** Why a layout cannot be a view of `length` cells, as a sentence; null when it can. */
export function problem(layout: Layout, length: number): string | null {
  const { shape, strides, offset } = layout;
  if (shape.length > MOST_DIMENSIONS) {
    return t("This has {n} dimensions; {m} are the most shown here.", {
      n: shape.length,
      m: MOST_DIMENSIONS,
    });
  }
  if (shape.length !== strides.length) {
    return unequal(shape.length, strides.length);
  }
  const size = shape.find((each) => each < 0);
  if (size !== undefined) return t("A size of {n} is no size. Sizes are 0 or more.", { n: size });
  const back = strides.findIndex((stride) => stride < 0);
  if (back >= 0) {
    return t("The stride of dimension {n} is {m}. PyTorch has no strides below 0; flip() copies instead.", {
      n: back,
      m: strides[back] ?? 0,
    });
  }
  if (offset < 0)
    return t("An offset of {n} is before the first cell. The offset is 0 or more.", { n: offset });
  const range = reach(layout);
  if (range && range.last >= length) {
    const index = shape.map((each) => each - 1);
    const steps = index.map((i, d) => `${i} × ${strides[d]}`);
    const sum = [offset, ...steps].join(" + ");
    return `${t("Out of range: the last element, [{index}], would be in cell {sum} = {at}.", {
      index: index.join(", "),
      sum,
      at: range.last,
    })} ${cellsText(length)}`;
  }
  return null;
}

function unequal(sizes: number, strides: number): string {
  const values = { n: sizes, m: strides };
  if (sizes === 1)
    return t("The shape has 1 size and there are {m} strides. Every dimension needs one of each.", values);
  if (strides === 1)
    return t("The shape has {n} sizes and there is 1 stride. Every dimension needs one of each.", values);
  return t("The shape has {n} sizes and there are {m} strides. Every dimension needs one of each.", values);
}

function cellsText(length: number): string {
  if (length === 0) return t("The storage has 0 cells.");
  if (length === 1) return t("The storage has 1 cell, 0 to 0.");
  return t("The storage has {n} cells, 0 to {last}.", { n: length.toLocaleString("en"), last: length - 1 });
}

/** Why a shape needs a copy, as a sentence. */
export function whyCopied(layout: Layout, failed: Extract<Reshaped, { fits: false }>): string {
  const { dim, stride, wanted } = failed;
  return (
    t(
      "It needs a copy. Reading on from dimension {next} into dimension {dim} with one stride would take a stride of {wanted} in dimension {dim}; it is {stride}.",
      { next: dim + 1, dim, wanted, stride },
    ) +
    (layout.strides.some((each) => each === 0)
      ? t(" A stride of 0 repeats cells, and a longer row cannot.")
      : "")
  );
}

/** A shape with one −1 filled in, or a sentence. */
export function infer(shape: readonly number[], total: number): number[] | string {
  const open = shape.filter((size) => size === -1).length;
  if (open > 1) return t("Only one size can be −1.");
  if (shape.some((size) => size < -1)) return t("Sizes are 0 or more, or one −1 to be filled in.");
  const known = count(shape.filter((size) => size !== -1));
  if (open === 1) {
    if (known === 0 || total % known !== 0) {
      return t("{n} elements do not divide by {m}, so −1 has no size.", { n: total, m: known });
    }
    return shape.map((size) => (size === -1 ? total / known : size));
  }
  if (known !== total) {
    return known === 1
      ? t("The shape [{shape}] has 1 element; the tensor has {m}.", { shape: shape.join(", "), m: total })
      : t("The shape [{shape}] has {n} elements; the tensor has {m}.", {
          shape: shape.join(", "),
          n: known.toLocaleString("en"),
          m: total,
        });
  }
  return [...shape];
}

/** Whole numbers out of `3, 4` or `(3, 4)`; none for anything else. */
export function parseSizes(text: string): number[] | null {
  const inner = text
    .trim()
    .replace(/^[[(]|[\])]$/g, "")
    .replaceAll("−", "-")
    .trim();
  if (inner === "") return [];
  const parts = inner.replace(/,\s*$/, "").split(/\s*,\s*|\s+/);
  const numbers = parts.map((part) => (/^-?\d{1,9}$/.test(part) ? Number(part) : Number.NaN));
  return numbers.some(Number.isNaN) ? null : numbers;
}

/** `(3, 4)`, `(3,)`: as Python writes a tuple. */
export function tuple(numbers: readonly number[]): string {
  return numbers.length === 1 ? `(${numbers[0]},)` : `(${numbers.join(", ")})`;
}
