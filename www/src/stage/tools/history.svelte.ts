// The history of the steps: the last graphs, the numbers of pinned nodes, and the run that the
// next ones are compared with.
//
// Invariant: the history is bounded, and `note` says how much was dropped. A pinned node keeps its numbers
// when the graph they came from is dropped; each step adds to them at most once.
import { t } from "../../language/language.svelte";
import type { StageGraph } from "../../protocol/generated/StageGraph";
import { eventIndex } from "../eventIndex";
import type { Blame } from "./broken";
import { lastGradient } from "./compare";
import { identify, placedTitle } from "./identity";

/** Graphs kept, and nodes in all of them together. */
export const MOST_GRAPHS = 64;
export const MOST_NODES = 20_000;
/** Steps whose numbers a pinned node keeps. */
export const MOST_POINTS = 4096;
export const MOST_PINS = 6;

/** A node's numbers in one step: norms, or the number itself of a single element. */
export interface Point {
  step: number;
  value: number | null;
  gradient: number | null;
}

export interface Pin {
  key: string;
  title: string;
  points: Point[];
  /** Points that were dropped. */
  dropped: number;
  /** Whether it is on the graph that came last. */
  present: boolean;
}

export class StepHistory {
  /** The graphs kept, oldest first. */
  graphs = $state.raw<readonly StageGraph[]>([]);
  /** Graphs that came. */
  seen = $state(0);
  pins = $state.raw<readonly Pin[]>([]);
  /** The run that others are compared with. */
  reference = $state.raw<StageGraph | null>(null);

  /** What the steps of a run say of the leaves that were broken when a graph's step began, by their ids. */
  spoiled = $state.raw<{ graph: StageGraph; by: ReadonlyMap<number, Blame> } | null>(null);

  readonly #onpins: () => void;

  /** `onpins` is called when another node is pinned, or one is let go. */
  constructor(onpins: () => void = () => {}) {
    this.#onpins = onpins;
  }

  /** The pinned nodes that are on a graph, by its ids. */
  onGraph(graph: StageGraph): { key: string; id: number }[] {
    const { nodes } = identify(graph);
    return this.pins.flatMap(({ key }) => {
      const id = nodes.get(key)?.id;
      return id === undefined ? [] : [{ key, id }];
    });
  }

  /** A graph came on stage. */
  take(graph: StageGraph): void {
    if (this.graphs.at(-1) === graph) return;
    this.seen += 1;
    const kept = [...this.graphs, graph];
    let nodes = kept.reduce((sum, each) => sum + each.nodes.length, 0);
    while (kept.length > 1 && (kept.length > MOST_GRAPHS || nodes > MOST_NODES)) {
      nodes -= kept.shift()?.nodes.length ?? 0;
    }
    this.graphs = kept;
    this.pins = this.pins.map((pin) => follow(pin, graph));
  }

  /** Notes which steps of the run broke leaves of a graph. */
  spoil(graph: StageGraph, by: ReadonlyMap<number, Blame>): void {
    this.spoiled = { graph, by };
  }

  isPinned(graph: StageGraph, node: number): boolean {
    const key = identify(graph).keys.get(node);
    return this.pins.some((pin) => pin.key === key);
  }

  /** Pins a node, with its numbers in the graphs still kept; or lets it go. False when there is no room. */
  toggle(graph: StageGraph, id: number): boolean {
    const { keys, nodes } = identify(graph);
    const key = keys.get(id);
    const node = key === undefined ? undefined : nodes.get(key);
    if (key === undefined || !node) return false;
    if (this.pins.some((pin) => pin.key === key)) {
      this.unpin(key);
      return true;
    }
    if (this.pins.length >= MOST_PINS) return false;
    let pin: Pin = { key, title: placedTitle(node), points: [], dropped: 0, present: true };
    for (const each of this.graphs.includes(graph) ? this.graphs : [graph]) pin = follow(pin, each);
    this.pins = [...this.pins, pin];
    this.#onpins();
    return true;
  }

  unpin(key: string): void {
    this.pins = this.pins.filter((pin) => pin.key !== key);
    this.#onpins();
  }

  /** Numbers of a step whose graph did not come: the engine sent the pinned tensors' alone. */
  add(key: string, point: Point): void {
    this.pins = this.pins.map((pin) => (pin.key === key ? withPoint(pin, point) : pin));
  }

  keep(graph: StageGraph): void {
    this.reference = graph;
  }

  release(): void {
    this.reference = null;
  }

  /** How much is kept and how much was dropped, in a sentence. */
  get note(): string {
    const count = this.graphs.length;
    const last = this.graphs.at(-1)?.step ?? 0;
    const steps = Math.max(last, this.seen);
    if (steps === 0) return "";
    const ran = steps === 1 ? t("1 step") : t("{n} steps", { n: steps.toLocaleString("en") });
    const graphs = count === 1 ? t("1 graph kept") : t("{n} graphs kept", { n: count.toLocaleString("en") });
    const bound = t("at most {n} graphs or {m} nodes", {
      n: MOST_GRAPHS,
      m: MOST_NODES.toLocaleString("en"),
    });
    const dropped = this.pins.reduce((sum, pin) => sum + pin.dropped, 0);
    const points =
      dropped > 0
        ? `${t("pinned nodes keep their last {n} steps", { n: MOST_POINTS.toLocaleString("en") })}, ${dropped === 1 ? t("1 older number dropped") : t("{n} older numbers dropped", { n: dropped.toLocaleString("en") })}`
        : t("pinned nodes keep all their numbers");
    return `${ran}, ${graphs} (${bound}); ${points}.`;
  }
}

function follow(pin: Pin, graph: StageGraph): Pin {
  const node = identify(graph).nodes.get(pin.key);
  if (!node) return { ...pin, present: false };
  const value = eventIndex(graph).previews.get(node.id);
  const gradient = lastGradient(graph, node.id);
  return withPoint(
    { ...pin, present: true },
    { step: graph.step, value: value?.norm ?? null, gradient: gradient?.norm ?? null },
  );
}

/** A step that is run again, as after a reset, begins anew: its number is lower than the last. */
function withPoint(pin: Pin, point: Point): Pin {
  const last = pin.points.at(-1);
  const points = last && last.step === point.step ? pin.points.slice(0, -1) : [...pin.points];
  points.push(point);
  const over = Math.max(0, points.length - MOST_POINTS);
  return { ...pin, points: points.slice(over), dropped: pin.dropped + over };
}
