// What the bench measures: each row with the Python that computes it and the work that this takes at least.
//
// Invariant: a row's `code` is what runs and what the page shows. `amount` is counted, not measured: floating-point
// operations of matrix products, or bytes that are read and written once. Rows follow the targets of `bench/targets.py`.

import { t } from "../language/language.svelte";

export type Unit = "GFLOP/s" | "GB/s";

export interface Row {
  id: string;
  title: () => string;
  /** An expression that gives a tensor; its names are those of `bench.py`. */
  code: string;
  unit: Unit;
  /** Operations, or bytes, of one result. */
  amount: number;
  /** Nothing does the same kind of work with less around it: the fastest such row is the device's limit. */
  isLimit?: boolean;
  /** Runs with fusion off: each op is a kernel of its own. */
  isUnfused?: boolean;
  /** Left out on a device that needs more than `millis` for a row above. */
  unless?: { row: string; millis: number };
}

export interface Group {
  title: () => string;
  rows: readonly Row[];
}

const FLOAT = 4;
const MILLION = 1_000_000;

/** Operations of a product [m, k] by [k, n]: a multiplication and an addition for each term. */
const product = (m: number, k: number, n: number) => 2 * m * k * n;

/** Operations of a training step, counted in its products: each layer's result, the gradient of its weights and, but for the
 * first layer, of its input. */
function step(layers: readonly number[]): number {
  const all = layers.reduce((sum, each) => sum + each, 0);
  return 3 * all - (layers[0] ?? 0);
}

const MLP = [product(128, 784, 256), product(128, 256, 128), product(128, 128, 10)];
/** A convolution is the product of its windows by its weights. */
const CNN = [product(32 * 26 * 26, 9, 8), product(32 * 11 * 11, 8 * 9, 16), product(32, 400, 10)];

/** Cheap ops, whose time is that of the memory they move. */
const EIGHT_OPS = "((x * 2 + y).relu() * y - x).abs() * 0.5 + 1";
const bytes = (n: number, tensors: number) => n * FLOAT * tensors;

export const GROUPS: readonly Group[] = [
  {
    title: () => t("One op"),
    rows: [
      {
        id: "product",
        title: () => t("Product of 512 × 512"),
        code: "a @ b",
        unit: "GFLOP/s",
        amount: product(512, 512, 512),
        isLimit: true,
      },
      {
        id: "add",
        title: () => t("Sum of two tensors, 1,000,000 elements"),
        code: "x + y",
        unit: "GB/s",
        amount: bytes(MILLION, 3),
        isLimit: true,
      },
      {
        id: "exp",
        title: () => t("Exponential, 1,000,000 elements"),
        code: "x.exp()",
        unit: "GB/s",
        amount: bytes(MILLION, 2),
      },
      {
        id: "softmax",
        title: () => t("Softmax, 1000 × 1000"),
        code: "torch.softmax(x, 1)",
        unit: "GB/s",
        amount: bytes(MILLION, 2),
      },
      {
        id: "norm",
        title: () => t("Layer norm, 1000 × 1000"),
        code: "F.layer_norm(x, (1000,), weight, bias)",
        unit: "GB/s",
        amount: bytes(MILLION, 2),
      },
    ],
  },
  {
    title: () => t("Eight ops in a row, 1,000,000 elements"),
    rows: [
      {
        id: "fused",
        title: () => t("Fused: one kernel"),
        code: EIGHT_OPS,
        unit: "GB/s",
        amount: bytes(MILLION, 3),
      },
      {
        id: "unfused",
        title: () => t("Not fused: a kernel for each op"),
        code: EIGHT_OPS,
        unit: "GB/s",
        // What the chain has to move is the same; what each kernel moves besides is the cost of not fusing.
        amount: bytes(MILLION, 3),
        isUnfused: true,
      },
    ],
  },
  {
    title: () => t("A training step: forward, backward and Adam"),
    rows: [
      {
        id: "mlp",
        title: () => t("Perceptron 784-256-128-10, 128 images"),
        code: "mlp_step()",
        unit: "GFLOP/s",
        amount: step(MLP),
      },
      {
        id: "cnn",
        title: () => t("CNN of two convolutions, 32 images"),
        code: "cnn_step()",
        unit: "GFLOP/s",
        amount: step(CNN),
      },
    ],
  },
  {
    title: () => t("Limits"),
    rows: [
      {
        id: "peak",
        title: () => t("Product of 1024 × 1024"),
        code: "large_a @ large_b",
        unit: "GFLOP/s",
        amount: product(1024, 1024, 1024),
        isLimit: true,
        unless: { row: "product", millis: 250 },
      },
      {
        id: "pass",
        title: () => t("Plain pass over 1,000,000 elements"),
        code: "x + 1",
        unit: "GB/s",
        amount: bytes(MILLION, 2),
        isLimit: true,
      },
      {
        id: "memory",
        title: () => t("Plain pass over 16,000,000 elements, more than caches hold"),
        code: "many + 1",
        unit: "GB/s",
        amount: bytes(16 * MILLION, 2),
      },
    ],
  },
];

export const ROWS: readonly Row[] = GROUPS.flatMap(({ rows }) => rows);
