// Random layouts for the tests: chains of movement over a storage, each with the naive model of what
// it does, in which a tensor is a nested list of the cells it reads.
//
// Invariant: the same seed gives the same chains; the model never looks at strides.
import { count, expand, type Layout, permute, reshape, slice } from "./layout";

/** Numbers from 0 to 1 (mulberry32). */
export function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A tensor as the cells of its elements, row-major, without strides. */
export interface Model {
  shape: number[];
  cells: number[];
}

export interface Movement {
  /** As it is written in Python, on a tensor called `x`. */
  python: string;
  layout: Layout;
  model: Model;
}

function at(model: Model, index: readonly number[]): number {
  let flat = 0;
  for (const [d, i] of index.entries()) flat = flat * (model.shape[d] as number) + i;
  return model.cells[flat] as number;
}

/** Every index of a shape, row-major, by counting. */
function indices(shape: readonly number[]): number[][] {
  return shape.reduce<number[][]>(
    (heads, size) => heads.flatMap((head) => Array.from({ length: size }, (_, i) => [...head, i])),
    [[]],
  );
}

function rebuilt(shape: number[], from: (index: number[]) => number): Model {
  return { shape, cells: indices(shape).map(from) };
}

/** A chain of at most `most` movements that need no copy. */
export function chain(random: () => number, start: Layout, model: Model, most: number): Movement[] {
  const movements: Movement[] = [];
  let now = { layout: start, model };
  const below = (n: number) => Math.floor(random() * n);
  for (let i = 0; i < most; i++) {
    const next = moved(below, now.layout, now.model);
    if (!next) continue;
    movements.push(next);
    now = next;
  }
  return movements;
}

function moved(below: (n: number) => number, layout: Layout, model: Model): Movement | null {
  const shape = [...layout.shape];
  const n = shape.length;
  switch (below(5)) {
    case 0: {
      const order = shape.map((_, d) => d).sort(() => below(3) - 1);
      return {
        python: `x = x.permute(${order.join(", ")})`,
        layout: permute(layout, order),
        model: rebuilt(
          order.map((d) => shape[d] as number),
          (index) =>
            at(
              model,
              order.map((_, d) => index[order.indexOf(d)] as number),
            ),
        ),
      };
    }
    case 1: {
      if (n === 0) return null;
      const dim = below(n);
      const size = shape[dim] as number;
      const start = below(size + 1);
      const step = 1 + below(3);
      const taken = Math.max(0, Math.ceil((size - start) / step));
      const before = ":, ".repeat(dim);
      return {
        python: `x = x[${before}${start}::${step}]`,
        layout: slice(layout, dim, taken === 0 ? Math.min(start, size) : start, taken, step),
        model: rebuilt(
          shape.map((each, d) => (d === dim ? taken : each)),
          (index) =>
            at(
              model,
              index.map((i, d) => (d === dim ? start + i * step : i)),
            ),
        ),
      };
    }
    case 2: {
      if (n > 4 || count(shape) > 200) return null;
      const wide = [...(below(2) ? [1 + below(3)] : []), ...shape.map((s) => (s === 1 ? 1 + below(3) : s))];
      const added = wide.length - n;
      return {
        python: `x = x.expand(${wide.join(", ")})`,
        layout: expand(layout, wide),
        model: rebuilt(wide, (index) =>
          at(
            model,
            index.slice(added).map((i, d) => (shape[d] === 1 ? 0 : i)),
          ),
        ),
      };
    }
    case 3: {
      if (n > 4) return null;
      const dim = below(n + 1);
      const target = [...shape.slice(0, dim), 1, ...shape.slice(dim)];
      return viewed(layout, model, target);
    }
    default: {
      const target: number[] = [];
      let rest = count(shape);
      if (rest === 0) return null;
      while (rest > 1 && target.length < 4) {
        const divisors = Array.from({ length: rest }, (_, i) => i + 1).filter((d) => rest % d === 0);
        const size = divisors[below(divisors.length)] as number;
        target.push(size);
        rest /= size;
      }
      if (rest > 1) target.push(rest);
      return viewed(layout, model, target);
    }
  }
}

function viewed(layout: Layout, model: Model, target: number[]): Movement | null {
  const result = reshape(layout, target);
  if (!result.fits) return null;
  const python = `x = x.view(${target.length === 0 ? "()" : target.join(", ")})`;
  return { python, layout: result.layout, model: { shape: target, cells: model.cells } };
}
