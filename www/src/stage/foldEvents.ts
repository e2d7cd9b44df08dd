// The trace of a folded graph: events inside a module become events of its node.
//
// Invariant: every node is made after what it reads, and `from` never falls. A module is made when its
// first inner node is; its rule runs once a walk, when the last inner rule has run; what its inner
// rules do to nodes outside is told after that. What stays inside is not told.
import type { GraphNode } from "../protocol/generated/GraphNode";
import type { StageGraph } from "../protocol/generated/StageGraph";
import type { TraceEvent } from "../protocol/generated/TraceEvent";

type Vjp = Extract<TraceEvent, { type: "vjp" }>;
type Accumulate = Extract<TraceEvent, { type: "accumulate" }>;

export interface FoldedEvents {
  events: TraceEvent[];
  from: number[];
}

/** A module whose inner rules are running. */
interface Walk {
  module: number;
  rules: Vjp[];
  additions: Accumulate[];
  fills: TraceEvent[];
  /** The last event of the whole graph that belongs to it. */
  last: number;
}

export function foldEvents(
  graph: StageGraph,
  drawn: ReadonlyMap<number, GraphNode>,
  standsFor: (id: number) => number,
): FoldedEvents {
  const events: TraceEvent[] = [];
  const from: number[] = [];
  const made = new Set<number>();
  const inner = new Map(graph.nodes.map((node) => [node.id, node]));
  // Ids of gradients that no rule recorded lie beyond all that were.
  let unknown = 0;
  for (const { id } of graph.previews) unknown = Math.max(unknown, id);
  for (const { id } of graph.nodes) unknown = Math.max(unknown, id);
  let walk: Walk | null = null;

  const push = (event: TraceEvent, index: number) => {
    events.push(event);
    from.push(index);
  };
  const isModule = (id: number) => inner.get(id) !== undefined && drawn.get(standsFor(id))?.op === "module";

  /** A node is made after what it reads. */
  const enter = (id: number, index: number) => {
    const stack = [id];
    while (stack.length > 0) {
      const at = stack.at(-1) as number;
      const waiting = made.has(at) ? [] : (drawn.get(at)?.src ?? []).filter((source) => !made.has(source));
      if (waiting.length > 0) {
        stack.push(...waiting.reverse());
        continue;
      }
      stack.pop();
      if (made.has(at)) continue;
      made.add(at);
      push({ type: "made", node: at }, index);
    }
  };

  const close = () => {
    const ended = walk;
    walk = null;
    if (!ended) return;
    const node = drawn.get(ended.module);
    const lead = ended.rules.find((rule) => rule.node === ended.module) ?? ended.rules[0];
    if (!node || !lead) return;
    const left = leaving(ended, inner, standsFor, () => ++unknown);
    push(
      {
        type: "vjp",
        node: ended.module,
        gradient: lead.gradient,
        grads: node.src.map((source) => left.grads.get(source) ?? null),
      },
      ended.last,
    );
    for (const event of [...left.additions, ...ended.fills]) push(event, ended.last);
  };

  graph.events.forEach((event, index) => {
    switch (event.type) {
      case "made":
        enter(standsFor(event.node), index);
        break;
      case "vjp": {
        const module = isModule(event.node) ? standsFor(event.node) : null;
        if (walk && walk.module !== module) close();
        if (module === null) push(event, index);
        else {
          walk ??= { module, rules: [], additions: [], fills: [], last: index };
          walk.rules.push(event);
          walk.last = index;
        }
        break;
      }
      case "accumulate":
        if (!walk) push({ ...event, node: standsFor(event.node) }, index);
        else {
          if (standsFor(event.node) !== walk.module) walk.additions.push(event);
          walk.last = index;
        }
        break;
      case "grad":
        // A parameter inside keeps its `.grad` to itself.
        if (isModule(event.node)) break;
        if (walk) {
          walk.fills.push(event);
          walk.last = index;
        } else push(event, index);
        break;
      case "write": {
        const node = standsFor(event.node);
        const before = events.at(-1);
        if (before?.type !== "write" || before.node !== node) push({ ...event, node }, index);
        break;
      }
      case "backward":
      case "backwardEnd":
        close();
        push({ ...event, root: standsFor(event.root) }, index);
    }
  });
  close();
  return { events, from };
}

/** The gradients that a module sends to each drawn source, and the additions that they cause there. */
function leaving(
  walk: Walk,
  inner: ReadonlyMap<number, GraphNode>,
  standsFor: (id: number) => number,
  unknown: () => number,
): { grads: Map<number, number>; additions: Accumulate[] } {
  const sent = new Map<number, number[]>();
  for (const rule of walk.rules) {
    inner.get(rule.node)?.src.forEach((source, operand) => {
      const value = rule.grads[operand];
      if (value === null || value === undefined || standsFor(source) === walk.module) return;
      sent.set(source, [...(sent.get(source) ?? []), value]);
    });
  }
  const grads = new Map<number, number>();
  const additions: Accumulate[] = [];
  for (const [source, values] of sent) {
    const to = standsFor(source);
    const added = walk.additions.filter((event) => event.node === source);
    const sum = added.at(-1)?.sum;
    const lone = values.length === 1 ? values[0] : undefined;
    // The source held nothing before: what the additions came to is what this module sent.
    const total = added.length < values.length ? sum : undefined;
    const value = grads.has(to) ? unknown() : (lone ?? total ?? unknown());
    grads.set(to, value);
    if (sum !== undefined && added.length >= values.length) {
      additions.push({ type: "accumulate", node: to, added: lone ?? value, sum });
    }
  }
  return { grads, additions };
}
