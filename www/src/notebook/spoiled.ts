// Which step of a run made a parameter NaN or infinite, from its norms in the steps that are kept.
//
// Invariant: `spoiledBy` is pure. A step is named only where the kept steps, or a gradient of the run that is not finite, leave no other;
// otherwise the steps between which it happened are. A value is read before the optimizer writes: what a step reads
// broken, one before it has written.

import { t } from "../language/language.svelte";
import type { StageGraph } from "../protocol";
import type { NodePoint } from "../protocol/generated/NodePoint";
import type { StepPoint } from "../protocol/generated/StepPoint";
import type { Blame, Finding } from "../stage/tools/broken";
import type { Steps } from "./steps.svelte";

export interface Spoiled {
  /** The first step that may have written it, and the last. */
  first: number;
  last: number;
  /** The gradient of the step, where it was not finite. */
  gradient: "NaN" | "inf" | null;
}

const isBroken = (value: number | null | undefined) => typeof value === "number" && !Number.isFinite(value);

/** Null where no kept step before has it finite. */
export function spoiledBy(through: readonly NodePoint[], run: readonly StepPoint[]): Spoiled | null {
  const known = through.filter(({ value }) => value !== null).sort((a, b) => a.step - b.step);
  const at = known.findIndex(({ value }) => isBroken(value));
  const [before, broken] = [known[at - 1], known[at]];
  if (!before || !broken) return null;
  const [first, last] = [before.step, broken.step - 1];
  const own = through.find(({ step, gradient }) => step >= first && step <= last && isBroken(gradient));
  // A gradient of the parameter's own, in a kept step, or else that of all, which every step of the run has.
  const all = run.find(({ step, gradient }) => step >= first && step <= last && isBroken(gradient));
  const cause = own ?? all;
  if (!cause) return { first, last, gradient: null };
  return { first: cause.step, last: cause.step, gradient: Number.isNaN(cause.gradient) ? "NaN" : "inf" };
}

/**
 * What the kept steps say of the leaves that were broken when a graph's step began, by their ids. `ran`: the text of the
 * run's cell.
 */
export async function blame(
  given: readonly Finding[],
  graph: StageGraph,
  steps: Pick<Steps, "through" | "points" | "cell">,
  ran: string,
): Promise<Map<number, Blame>> {
  const by = new Map<number, Blame>();
  for (const { inside, label } of given) {
    const found = spoiledBy(await steps.through(inside), steps.points);
    const name = graph.nodes.find(({ id }) => id === inside)?.name;
    if (found)
      by.set(inside, {
        told: told(found, name ?? t("the parameter"), label),
        ...stepLine(graph, steps.cell, ran),
      });
  }
  return by;
}

/** Where the run's cell calls its optimizer; the line of the loss where that cannot be told. */
export function stepLine(graph: StageGraph, cell: string | null, ran: string): Pick<Blame, "line" | "cell"> {
  const lines = ran.split("\n").map((line) => line.replace(/#.*/, ""));
  const all = lines.flatMap((line, at) => (/\.step\(/.test(line) ? [at + 1] : []));
  const named = all.filter((at) => /opt\w*\.step\(/i.test(lines[at - 1] ?? ""));
  const [line, other] = named.length > 0 ? named : all;
  if (line !== undefined && other === undefined) return { line, cell };
  const began = graph.events.findLast(({ type }) => type === "backward");
  const loss = graph.nodes.find(({ id }) => began?.type === "backward" && id === began.root);
  return { line: loss?.line ?? null, cell: loss?.cell ?? null };
}

function told({ first, last, gradient }: Spoiled, name: string, label: string): string {
  if (gradient)
    return t("Step {n} made {name} {label}: its gradient was {gradient}.", {
      n: first,
      name,
      label,
      gradient,
    });
  if (first === last) return t("Step {n} made {name} {label}.", { n: first, name, label });
  return t("One of the steps {n} to {last} made {name} {label}.", { n: first, last, name, label });
}
