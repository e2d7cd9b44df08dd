// Where numbers first went wrong, as the engine found it: the first NaN and the first infinity that is not meant, of
// values and of gradients. The engine's crate `session` decides in `nonfinite.rs`, and writes the sentence.
//
// Invariant: pure, and computes nothing; only places in the trace are moved to those of the drawn graph. Leaves
// marking node and line to the tools and the page.
import type { Finding as Found } from "../../protocol/generated/Finding";
import type { StageGraph } from "../../protocol/generated/StageGraph";
import { type DrawnGraph, fromWhole } from "../fold";

export interface Finding extends Found {
  /** `NaN`, `inf` or `−inf`. */
  label: string;
  /** Its node in the whole graph: the drawn one may be a module. */
  inside: number;
  /** Whether it was there when the step began. */
  isGiven: boolean;
  /** Position of the trace at which it is there. */
  t: number;
  line: number | null;
  cell: string | null;
  /** What the steps of a run say of it, where they do. */
  told?: string;
}

/** Of a leaf that was broken when the step began: which step of the run wrote it, and where in the code. */
export interface Blame {
  told: string;
  line: number | null;
  cell: string | null;
}

const LABELS: Record<Found["kind"], string> = { nan: "NaN", inf: "inf", minusInf: "−inf" };

const known = new WeakMap<StageGraph, Finding[]>();

/** The first broken values and gradients, in the order of the trace; mostly none. */
export function firstBroken(graph: StageGraph): Finding[] {
  let found = known.get(graph);
  if (!found) {
    found = (graph.nonFinite?.findings ?? []).map((finding) => placed(graph, finding));
    known.set(graph, found);
  }
  return found;
}

function placed(graph: StageGraph, finding: Found): Finding {
  const drawn = "whole" in graph ? (graph as DrawnGraph) : null;
  const node = (drawn?.whole ?? graph).nodes.find((each) => each.id === finding.node);
  return {
    ...finding,
    node: drawn?.standsFor(finding.node) ?? finding.node,
    inside: finding.node,
    isGiven: !finding.backward && node?.kind === "parameter" && node.src.length === 0,
    label: LABELS[finding.kind],
    t: drawn ? fromWhole(drawn, finding.event + 1) : finding.event + 1,
    line: node?.line ?? null,
    cell: node?.cell ?? null,
  };
}
