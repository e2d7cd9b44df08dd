// Numbers as text: inside a sentence, and in rows the way PyTorch prints a tensor.
//
// Invariant: nothing here throws on any input; NaN, infinities and the null that JSON makes of them
// all have a text. Column layout follows PyTorch's torch/_tensor_str.py (4 decimals, integers as
// `2.`, scientific when the range asks for it).
import type { GraphNode } from "../protocol/generated/GraphNode";

export type Value = number | null | undefined;

/** One number in a sentence: at most 4 decimals, no trailing zeros, a true minus sign. */
export function formatNumber(value: Value): string {
  if (value === null || value === undefined) return "NaN";
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "−inf";
  const size = Math.abs(value);
  let text: string;
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) text = scientific(size);
  else text = size.toFixed(size >= 1000 ? 2 : 4).replace(/\.?0+$/, "");
  return value < 0 && text !== "0" ? `−${text}` : text;
}

/** A shape as Python writes it: `[2, 3]`. */
export function formatShape(shape: readonly number[]): string {
  return `[${shape.join(", ")}]`;
}

/** What stands beside a node: its shape; the shapes that came, where it failed and has none. */
export function sizeText(node: Pick<GraphNode, "kind" | "shape" | "formula">): string {
  return node.kind === "failed" ? node.formula : formatShape(node.shape);
}

/** How many elements a shape has. */
export function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** Formats every element alike, as PyTorch does for one tensor; pads to one width. */
export function formatTensor(values: readonly Value[], dtype: string): string[] {
  const texts = values.map(elementFormat(values, dtype));
  const width = texts.reduce((widest, text) => Math.max(widest, text.length), 0);
  return texts.map((text) => text.padStart(width));
}

function elementFormat(values: readonly Value[], dtype: string): (value: Value) => string {
  if (dtype === "bool") return (value) => (value ? "True" : "False");
  if (/^u?int/.test(dtype)) return (value) => (value === null ? "nan" : String(value));
  const finite = values.filter((value): value is number => Number.isFinite(value));
  const sizes = finite.filter((value) => value !== 0).map(Math.abs);
  const largest = sizes.reduce((top, size) => Math.max(top, size), 0);
  const smallest = sizes.reduce((low, size) => Math.min(low, size), Infinity);
  const integral = finite.every(Number.isInteger);
  const wide = sizes.length > 0 && (largest / smallest > 1000 || largest > 1e8);
  if (wide || (!integral && smallest < 1e-4)) {
    return (value) => nonFinite(value) ?? signed(value as number, scientific(Math.abs(value as number)));
  }
  if (integral) return (value) => nonFinite(value) ?? `${value}.`;
  return (value) => nonFinite(value) ?? (value as number).toFixed(4);
}

function nonFinite(value: Value): string | null {
  if (value === null || value === undefined || Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  return null;
}

function signed(value: number, text: string): string {
  return value < 0 ? `-${text}` : text;
}

/** `1.2346e-05`: two digits of exponent at least, as Python prints. */
function scientific(size: number): string {
  return size.toExponential(4).replace(/e([+-])(\d)$/, "e$10$2");
}
