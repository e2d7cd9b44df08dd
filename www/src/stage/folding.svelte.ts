// The folds of the graph on stage, and the graph as it is drawn with them.
//
// Invariant: `graph` is always placed, and always of the graph that was given; while another set of
// folds or for another stage is laid out, the last one stays. A graph with the same modules as the one before keeps its folds.
import { t } from "../language/language.svelte";
import type { Flow } from "../protocol/generated/Flow";
import type { StageGraph } from "../protocol/generated/StageGraph";
import { type DrawnGraph, fold } from "./fold";
import {
  type Folds,
  foldAll,
  foldAround,
  foldsAnything,
  foldsAtFirst,
  foldUp,
  modulesOf,
  openTo,
  openTurn,
  unfoldNode,
} from "./folds";
import { flowsSo } from "./geometry";
import type { Placed } from "./places";

interface Chosen {
  modules: string;
  folds: Folds;
}

export class Folding {
  #given: () => StageGraph | null;
  #flow: () => Flow | null;
  #chosen: Chosen | null = $state.raw(null);
  #answer: Placed | null = $state.raw(null);

  readonly whole = $derived.by(() => this.#given());
  readonly modules = $derived(this.whole ? modulesOf(this.whole) : new Map<string, Set<string>>());
  /** Whether there is anything to fold. */
  readonly canFold = $derived(this.whole ? foldsAnything(this.whole) : false);
  readonly #key = $derived([...this.modules.keys()].join(" "));
  readonly folds: Folds = $derived.by(() => {
    if (!this.whole) return new Set<string>();
    return this.#chosen?.modules === this.#key ? this.#chosen.folds : foldsAtFirst(this.whole);
  });
  readonly #wanted: DrawnGraph | null = $derived(this.whole ? fold(this.whole, this.folds) : null);
  readonly #isPlaced = $derived.by(() => {
    const [wanted, flow] = [this.#wanted, this.#flow()];
    return wanted !== null && flow !== null && wanted.placed && flowsSo(wanted, flow);
  });
  readonly #current = $derived(this.#answer?.graph.whole === this.whole ? this.#answer : null);
  /** The graph as it is drawn; none before the first layout of a graph is there. */
  readonly graph: DrawnGraph | null = $derived(
    this.#isPlaced ? this.#wanted : (this.#current?.graph ?? null),
  );
  /** A message about it. */
  readonly notice = $derived.by(() => {
    const dropped = this.whole?.dropped ?? 0;
    const layout = this.#isPlaced ? "" : (this.#current?.notice ?? "");
    if (layout || !dropped) return layout;
    return t("The graph is larger than the stage can show: its {n} oldest nodes are left out.", {
      n: dropped,
    });
  });

  /** Made while a component is. `flow` is null until the size of the stage is known. */
  constructor(given: () => StageGraph | null, flow: () => Flow | null) {
    this.#given = given;
    this.#flow = flow;
    $effect(() => {
      const [wanted, flow] = [this.#wanted, this.#flow()];
      if (wanted && this.#isPlaced) this.#answer = { graph: wanted, notice: "" };
      if (!wanted || !flow || this.#isPlaced) return;
      const abandoned = new AbortController();
      // The first picture needs no other places than the engine's.
      void import("./places")
        .then(({ place }) => place(wanted, flow, abandoned.signal))
        .then((answer) => {
          if (!abandoned.signal.aborted) this.#answer = answer;
        })
        .catch(() => {
          const graph = fold(wanted.whole, new Set());
          if (!abandoned.signal.aborted)
            this.#answer = { graph, notice: t("A part of the page could not be loaded: nothing is folded.") };
        });
      return () => abandoned.abort();
    });
  }

  choose(folds: Folds): void {
    this.#chosen = { modules: this.#key, folds };
  }

  foldAll(): void {
    if (this.whole) this.choose(foldAll(this.whole));
  }

  unfoldAll(): void {
    this.choose(new Set());
  }

  /** Opens the modules that hide a node of the whole graph; false where none does. */
  openTo(id: number): boolean {
    const folds = this.whole ? openTo(this.whole, this.folds, id) : this.folds;
    if (folds === this.folds) return false;
    this.choose(folds);
    return true;
  }

  /** Opens one turn of a repeat. */
  openTurn(key: string, turn: number): void {
    this.choose(openTurn(this.folds, key, turn));
  }

  /** Opens a folded module by a level; folds the module around any other node. */
  toggle(id: number): boolean {
    const node = this.graph?.nodes.find((each) => each.id === id);
    if (!node || !this.whole) return false;
    if (node.module) {
      this.choose(unfoldNode(this.whole, this.folds, node.module));
      return true;
    }
    return this.foldAround(id);
  }

  /** Folds the module around a node: of a folded module, the next one out. */
  foldAround(id: number): boolean {
    const node = this.graph?.nodes.find((each) => each.id === id);
    const path = node && this.whole ? foldAround(this.whole, this.folds, node) : null;
    if (path === null) return false;
    this.choose(foldUp(this.folds, path));
    return true;
  }
}
