// What is known of each layer, loss and optimizer, as `cargo lab reference` wrote it under course/generated/: typed
// arguments, shape rules, ONNX's operators. The rows are defined in crates/python/src/lib/glowgrad/_rows.
//
// Invariant: nothing is fetched before a row is asked for, and then once; a copy without rows has none.

import type { LayerArgument, LayerRow, LayerValue } from "../protocol";

export type { LayerRow } from "../protocol";

const files = import.meta.glob<LayerRow[]>("../course/generated/layers.json", { import: "default" });

let rows: Promise<Map<string, LayerRow>> | null = null;

async function load(): Promise<Map<string, LayerRow>> {
  const [file] = Object.values(files);
  return new Map(file ? (await file()).map((row) => [row.name, row]) : []);
}

/** The row of `nn.Linear`; null of a name that has none. */
export async function layerRow(name: string): Promise<LayerRow | null> {
  if (!/^(?:nn|optim)\.[A-Z]/.test(name)) return null;
  rows ??= load();
  return (await rows).get(name) ?? null;
}

/** The default of an argument as Python writes it; empty where it must be given. */
export function defaultText({ required, default: value }: LayerArgument): string {
  return required ? "" : inPython(value);
}

function inPython(value: LayerValue | null): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `(${value.map(inPython).join(", ")})`;
  if (typeof value === "object") return value.type;
  return JSON.stringify(value);
}
