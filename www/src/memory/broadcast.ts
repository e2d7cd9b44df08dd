// Two shapes aligned from the right: which sizes meet, and which are stretched with a stride of 0.
//
// Invariant: says what PyTorch does for any two shapes, and where they do not fit, in words. Holds no
// values.
import { t } from "../language/language.svelte";
import { contiguousStrides } from "./layout";

/** One dimension of the result, seen from both sides. */
export interface Column {
  /** Null where the shape has no such dimension. */
  a: number | null;
  b: number | null;
  /** Null where the sizes do not fit. */
  size: number | null;
  /** The stride with which each side is read; 0 where it is stretched. */
  strideA: number;
  strideB: number;
}

export interface Broadcast {
  columns: Column[];
  /** Null where the shapes do not fit. */
  shape: number[] | null;
  /** Why they do not fit. */
  problem: string | null;
}

export function broadcast(a: readonly number[], b: readonly number[]): Broadcast {
  const n = Math.max(a.length, b.length);
  const [stridesA, stridesB] = [contiguousStrides(a), contiguousStrides(b)];
  let problem: string | null = null;
  const columns = Array.from({ length: n }, (_, d): Column => {
    const [i, j] = [d - n + a.length, d - n + b.length];
    const sizeA = i >= 0 ? (a[i] as number) : null;
    const sizeB = j >= 0 ? (b[j] as number) : null;
    const [x, y] = [sizeA ?? 1, sizeB ?? 1];
    const fits = x === y || x === 1 || y === 1;
    const size = fits ? (x === 1 ? y : x) : null;
    if (!fits) {
      problem = t("Dimension {n} does not fit: {x} against {y}. Two sizes must be equal, or one of them 1.", {
        n: d - n,
        x: x ?? "",
        y: y ?? "",
      });
    }
    return {
      a: sizeA,
      b: sizeB,
      size,
      strideA: sizeA === null || (sizeA === 1 && size !== 1) ? 0 : (stridesA[i] as number),
      strideB: sizeB === null || (sizeB === 1 && size !== 1) ? 0 : (stridesB[j] as number),
    };
  });
  const sizes = columns.map(({ size }) => size);
  const shape = sizes.some((size) => size === null) ? null : (sizes as number[]);
  return { columns, shape, problem };
}
