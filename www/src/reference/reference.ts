// The reference as `cargo lab` wrote it under course/generated/, and how an op or another name is found in it by what an
// address or a node on stage calls it.
//
// Invariant: nothing is fetched before `loadReference` is called; a copy without a reference is null,
// a name that no op has is null. Leaves what the learner types to search.ts.

import type { OpEntry, Reference } from "../protocol";

export type { OpEntry, OpFamily, Reference } from "../protocol";

const files = import.meta.glob<Reference>("../course/generated/reference.json", { import: "default" });

export async function loadReference(): Promise<Reference | null> {
  const [file] = Object.values(files);
  return file ? await file() : null;
}

export function allOps(reference: Reference): OpEntry[] {
  return reference.families.flatMap((family) => family.ops);
}

/** A name without what may stand around it: `torch.relu_(` and `F.relu` are `relu_` and `relu`. */
export function bareName(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/^(?:torch\.nn\.functional|torch\.linalg|torch\.special|torch|glowgrad|f|x)\./, "")
    .replace(/\(.*$/, "");
}

/**
 * The op that goes by `wanted`: by name, else by alias, else as the in-place twin or the `grad_fn` of one.
 */
export function findOp(reference: Reference, wanted: string): OpEntry | null {
  const ops = allOps(reference);
  const name = bareName(wanted);
  const called = (each: string) => each.toLowerCase() === name || each === wanted;
  return (
    ops.find((op) => op.name === wanted) ??
    ops.find((op) => called(op.name)) ??
    ops.find((op) => op.aliases.some(called)) ??
    ops.find((op) => op.in_place && `${op.name}_` === name) ??
    ops.find((op) => op.grad_fn !== null && bareGradFn(op.grad_fn) === bareGradFn(wanted)) ??
    null
  );
}

/** `<TanhBackward0>` and `TanhBackward0` are one. */
function bareGradFn(text: string): string {
  return text.replace(/[<>]/g, "").toLowerCase();
}

/** The example as a cell can run it. */
export const runnable = ({ imports, example }: OpEntry) =>
  [imports, example.trimEnd()].filter(Boolean).join("\n\n");

/** An op's dtypes in few lines: those it keeps, and those it turns into another, by the result. */
export function groupDtypes(dtypes: OpEntry["dtypes"]): { from: string[]; to: string | null }[] {
  const kept = dtypes.filter(({ from, to }) => from === to).map(({ from }) => from);
  const changed = new Map<string, string[]>();
  for (const { from, to } of dtypes) {
    if (from !== to) changed.set(to, [...(changed.get(to) ?? []), from]);
  }
  return [
    ...(kept.length > 0 ? [{ from: kept, to: null }] : []),
    ...[...changed].map(([to, from]) => ({ from, to })),
  ];
}
