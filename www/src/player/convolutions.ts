// Convolutions and pools over one or two dimensions of space.

import { type Attribute, listOf, needed, numberOf, type Operator } from "./operator";
import { empty, FLOAT, sizeOf, spend, type Tensor } from "./tensor";

type Pair = [number, number];

/** A window's settings over two dimensions; one dimension is a row of height 1. */
interface Window {
  kernel: Pair;
  strides: Pair;
  dilations: Pair;
  /** Before and after, of each. */
  pads: [Pair, Pair];
}

function flatOnly(x: Tensor): Tensor {
  const n = x.shape.length - 2;
  if (n === 2) return x;
  if (n === 1) return { ...x, shape: [...x.shape.slice(0, 2), 1, x.shape[2] as number] };
  throw new Error(`windows over ${n} dimensions do not run here`);
}

/** Takes the row of height 1 away again. */
function asBefore(made: Tensor, x: Tensor): Tensor {
  if (x.shape.length !== 3) return made;
  return { ...made, shape: [...made.shape.slice(0, 2), made.shape[3] as number] };
}

function windowOf(attributes: Record<string, Attribute>, kernel: number[]): Window {
  const n = kernel.length;
  const pair = (values: number[] | undefined, usual: number): Pair => {
    const all = values ?? new Array<number>(n).fill(usual);
    return n === 1 ? [usual, all[0] as number] : [all[0] as number, all[1] as number];
  };
  if (attributes.auto_pad && attributes.auto_pad !== "NOTSET") throw new Error("auto_pad does not run here");
  const pads = listOf(attributes, "pads") ?? new Array<number>(2 * n).fill(0);
  const [before, after] = [pads.slice(0, n), pads.slice(n)];
  return {
    kernel: n === 1 ? [1, kernel[0] as number] : (kernel as Pair),
    strides: pair(listOf(attributes, "strides"), 1),
    dilations: pair(listOf(attributes, "dilations"), 1),
    pads:
      n === 1
        ? [
            [0, 0],
            [before[0] as number, after[0] as number],
          ]
        : [
            [before[0] as number, after[0] as number],
            [before[1] as number, after[1] as number],
          ],
  };
}

/** How many places a window has along a dimension. */
function places(
  size: number,
  { kernel, strides, dilations, pads }: Window,
  i: 0 | 1,
  isCeil = false,
): number {
  const reach = dilations[i] * (kernel[i] - 1) + 1;
  const room = size + pads[i][0] + pads[i][1] - reach;
  const n = (isCeil ? Math.ceil : Math.floor)(room / strides[i]) + 1;
  // A last window that would begin beyond the input and its first padding is left out.
  return isCeil && (n - 1) * strides[i] >= size + pads[i][0] ? n - 1 : n;
}

const convolution: Operator = ([a, w, bias], attributes) => {
  const original = needed(a);
  const [x, weight] = [flatOnly(original), flatOnly(needed(w))];
  const window = windowOf(attributes, needed(w).shape.slice(2));
  const groups = numberOf(attributes, "group", 1);
  const [n, channels, height, width] = x.shape as [number, number, number, number];
  const [outputs, each, kh, kw] = weight.shape as [number, number, number, number];
  const { strides, dilations, pads } = window;
  const [rows, columns] = [places(height, window, 0), places(width, window, 1)];
  const made = empty(FLOAT, [n, outputs, rows, columns]);
  spend(made.data.length * each * kh * kw);
  const sums = new Float64Array(rows * columns);
  for (let image = 0; image < n; image++) {
    for (let output = 0; output < outputs; output++) {
      sums.fill(bias?.data[output] ?? 0);
      const first = Math.floor(output / (outputs / groups)) * each;
      for (let c = 0; c < each; c++) {
        const plane = (image * channels + first + c) * height * width;
        for (let i = 0; i < kh; i++) {
          for (let j = 0; j < kw; j++) {
            const factor = weight.data[((output * each + c) * kh + i) * kw + j] as number;
            for (let row = 0; row < rows; row++) {
              const y = row * strides[0] + i * dilations[0] - pads[0][0];
              if (y < 0 || y >= height) continue;
              for (let column = 0; column < columns; column++) {
                const at = column * strides[1] + j * dilations[1] - pads[1][0];
                if (at < 0 || at >= width) continue;
                const to = row * columns + column;
                sums[to] = (sums[to] as number) + factor * (x.data[plane + y * width + at] as number);
              }
            }
          }
        }
      }
      made.data.set(sums, (image * outputs + output) * rows * columns);
    }
  }
  return [asBefore(made, original)];
};

const transposed: Operator = ([a, w, bias], attributes) => {
  const original = needed(a);
  const [x, weight] = [flatOnly(original), flatOnly(needed(w))];
  const window = windowOf(attributes, needed(w).shape.slice(2));
  if (attributes.output_shape) throw new Error("output_shape does not run here");
  const extra = listOf(attributes, "output_padding") ?? [];
  const more: Pair = original.shape.length === 3 ? [0, extra[0] ?? 0] : [extra[0] ?? 0, extra[1] ?? 0];
  const groups = numberOf(attributes, "group", 1);
  const [n, channels, height, width] = x.shape as [number, number, number, number];
  const [, each, kh, kw] = weight.shape as [number, number, number, number];
  const { strides, dilations, pads } = window;
  const size = (inner: number, i: 0 | 1, k: number) =>
    strides[i] * (inner - 1) + dilations[i] * (k - 1) + 1 + more[i] - pads[i][0] - pads[i][1];
  const [rows, columns] = [size(height, 0, kh), size(width, 1, kw)];
  const outputs = each * groups;
  const made = empty(FLOAT, [n, outputs, rows, columns]);
  spend(x.data.length * each * kh * kw);
  const sums = new Float64Array(made.data.length);
  for (let i = 0; i < sums.length; i++) sums[i] = bias?.data[Math.floor(i / (rows * columns)) % outputs] ?? 0;
  for (let image = 0; image < n; image++) {
    for (let c = 0; c < channels; c++) {
      const group = Math.floor(c / (channels / groups));
      for (let k = 0; k < each; k++) {
        const plane = (image * outputs + group * each + k) * rows * columns;
        for (let i = 0; i < kh; i++) {
          for (let j = 0; j < kw; j++) {
            const factor = weight.data[((c * each + k) * kh + i) * kw + j] as number;
            for (let y = 0; y < height; y++) {
              const row = y * strides[0] + i * dilations[0] - pads[0][0];
              if (row < 0 || row >= rows) continue;
              for (let at = 0; at < width; at++) {
                const column = at * strides[1] + j * dilations[1] - pads[1][0];
                if (column < 0 || column >= columns) continue;
                const to = plane + row * columns + column;
                const from = ((image * channels + c) * height + y) * width + at;
                sums[to] = (sums[to] as number) + factor * (x.data[from] as number);
              }
            }
          }
        }
      }
    }
  }
  made.data.set(sums);
  return [asBefore(made, original)];
};

function pool(isMost: boolean): Operator {
  return ([a], attributes) => {
    const original = needed(a);
    const x = flatOnly(original);
    const kernel = listOf(attributes, "kernel_shape") ?? [];
    const window = windowOf(attributes, kernel);
    const isCeil = numberOf(attributes, "ceil_mode", 0) === 1;
    const countsPads = numberOf(attributes, "count_include_pad", 0) === 1;
    const [n, channels, height, width] = x.shape as [number, number, number, number];
    const { strides, dilations, pads } = window;
    const [rows, columns] = [places(height, window, 0, isCeil), places(width, window, 1, isCeil)];
    const made = empty(x.dtype, [n, channels, rows, columns]);
    spend(made.data.length * window.kernel[0] * window.kernel[1]);
    // Padding counts up to its end; what a rounded-up window has beyond that does not.
    const isPadded = (at: number, size: number, i: 0 | 1) => at >= -pads[i][0] && at < size + pads[i][1];
    let to = 0;
    for (let plane = 0; plane < n * channels; plane++) {
      for (let row = 0; row < rows; row++) {
        for (let column = 0; column < columns; column++) {
          let [value, count] = [isMost ? Number.NEGATIVE_INFINITY : 0, 0];
          for (let i = 0; i < window.kernel[0]; i++) {
            const y = row * strides[0] + i * dilations[0] - pads[0][0];
            for (let j = 0; j < window.kernel[1]; j++) {
              const at = column * strides[1] + j * dilations[1] - pads[1][0];
              if (y < 0 || y >= height || at < 0 || at >= width) {
                if (countsPads && isPadded(y, height, 0) && isPadded(at, width, 1)) count++;
                continue;
              }
              const element = x.data[(plane * height + y) * width + at] as number;
              value = isMost ? Math.max(value, element) : value + element;
              count++;
            }
          }
          made.data[to++] = isMost ? value : value / count;
        }
      }
    }
    return [asBefore(made, original)];
  };
}

function overAll(join: (values: number[]) => number): Operator {
  return ([a]) => {
    const x = needed(a);
    const inner = sizeOf(x.shape.slice(2));
    const made = empty(x.dtype, [...x.shape.slice(0, 2), ...x.shape.slice(2).map(() => 1)]);
    for (let i = 0; i < made.data.length; i++)
      made.data[i] = join(Array.from(x.data.subarray(i * inner, (i + 1) * inner)));
    return [made];
  };
}

export const CONVOLUTIONS: Record<string, Operator> = {
  Conv: convolution,
  ConvTranspose: transposed,
  MaxPool: pool(true),
  AveragePool: pool(false),
  GlobalMaxPool: overAll((values) =>
    values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY),
  ),
  GlobalAveragePool: overAll((values) => values.reduce((sum, value) => sum + value / values.length, 0)),
};
