// The state of the tools: which is open, the matches, the comparison; and what each key does.
//
// Invariant: knows nothing of how the graph is drawn. One toolbox serves one stage; the history outlives it.
import { t } from "../../language/language.svelte";
import type { StageGraph } from "../../protocol/generated/StageGraph";
import { type Finding, firstBroken } from "./broken";
import { type Comparison, compare } from "./compare";
import type { StageHandle } from "./handle";
import { StepHistory } from "./history.svelte";
import { type Match, matchesIn } from "./search";
import type { Action } from "./shortcuts";

/** A node that was unfolded to be seen is shown at this scale at least. */
const NEAR_SCALE = 0.8;

export class Toolbox {
  readonly stage: StageHandle;
  readonly #own = new StepHistory();
  #graph: StageGraph | null = null;
  open = $state<"search" | "help" | "menu" | "differences" | null>(null);
  /** On a small stage: the numbers of each stop, in place of its sentence. */
  numbers = $state(false);
  query = $state("");
  /** Which of the matches is the current one. */
  at = $state(0);
  /** A tool's message, which a screen reader reads out too. */
  message = $state("");

  readonly matches: readonly Match[] = $derived.by(() =>
    this.open === "search" ? matchesIn(this.stage.graph, this.query) : [],
  );
  readonly findings: readonly Finding[] = $derived.by(() => firstBroken(this.stage.graph));
  readonly comparison: Comparison | null = $derived.by(() => {
    const { reference } = this.history;
    return reference && reference !== this.stage.whole ? compare(reference, this.stage.whole) : null;
  });

  constructor(stage: StageHandle) {
    this.stage = stage;
  }

  /** The page's, or one of its own where the page keeps none. */
  get history(): StepHistory {
    return this.stage.history ?? this.#own;
  }

  /** A graph came on stage. */
  take(graph: StageGraph): void {
    this.history.take(graph);
    this.at = 0;
    if (this.#graph && this.#graph !== graph) this.message = "";
    this.#graph = graph;
  }

  act(action: Action): void {
    this.message = "";
    const { stage } = this;
    if (action === "search" || action === "help") this.toggle(action);
    else if (action === "fit") stage.fit();
    else if (action === "zoom") this.zoom();
    else if (action === "pin") this.pin();
    else if (action === "compare") this.keep();
    else this.jump();
  }

  toggle(what: "search" | "help" | "menu" | "differences"): void {
    this.open = this.open === what ? null : what;
    if (this.open === "search") this.at = 0;
  }

  close(): void {
    this.open = null;
  }

  /** Closes what is open, and puts the keyboard back on the button that opened it. */
  leave(): void {
    const button = this.open === "search" ? "search" : "menu";
    const was = this.open;
    this.close();
    const find = (name: string) => this.stage.root?.querySelector<HTMLElement>(`[data-tool="${name}"]`);
    if (was) (find(button) ?? find("menu"))?.focus();
  }

  /** Goes on to another match, round at the ends. */
  walk(by: number): void {
    const count = this.matches.length;
    if (count > 0) this.at = (this.at + by + count) % count;
  }

  /** Opens the current match, in the middle of the table; a module that hides it is unfolded first. */
  choose(at = this.at): void {
    const found = this.matches[at];
    if (!found) return;
    this.at = at;
    if (found.inside) void this.unfoldTo(found.node.id, found.inside.module);
    else this.go(found.node.id);
    this.close();
  }

  /** Opens the modules that hide a node, then goes to it. */
  async unfoldTo(id: number, module: string): Promise<void> {
    const { stage } = this;
    if (!(await stage.open(id))) return;
    this.go(id);
    stage.keep(id, NEAR_SCALE);
    this.message = t("{name} is unfolded to show it.", { name: module });
  }

  /** Selects a node, centres it, and puts the keyboard on it. */
  go(id: number): void {
    const { stage } = this;
    if (stage.selection.selected !== id) stage.select(id);
    // On a graph that lies whole on the table, nothing needs to move.
    if (!this.fits) stage.keep(id);
    stage.focus(id);
  }

  /** Whether the whole graph is on the table. */
  get fits(): boolean {
    const { layout, view, width, height } = this.stage;
    if (!layout) return true;
    const { bounds } = layout;
    const [left, top] = [bounds.x * view.scale + view.x, bounds.y * view.scale + view.y];
    const slack = 2;
    return (
      left >= -slack &&
      top >= -slack &&
      left + bounds.width * view.scale <= width + slack &&
      top + bounds.height * view.scale <= height + slack
    );
  }

  zoom(): void {
    const { selection } = this.stage;
    const ids =
      this.matches.length > 0
        ? this.matches.map(({ node, inside }) => inside?.id ?? node.id)
        : selection.selected !== null
          ? [selection.selected]
          : [...selection.marked];
    if (ids.length > 0) this.stage.show(ids);
    else this.message = t("Select a node first: z zooms to it.");
  }

  pin(): void {
    const { selection, whole } = this.stage;
    if (selection.selected === null) this.message = t("Select a node first: p pins it.");
    else if (!this.history.toggle(whole, selection.selected))
      this.message = t("{n} nodes are pinned, and there is no room for more. Let one go first.", {
        n: this.history.pins.length,
      });
  }

  keep(): void {
    if (this.history.reference) {
      this.history.release();
      this.message = t("The comparison has ended.");
      if (this.open === "differences") this.close();
    } else {
      this.history.keep(this.stage.whole);
      this.message = t("This run is kept. Change something and run again: the differences are marked.");
    }
  }

  /** To where numbers first went wrong. */
  jump(finding: Finding | undefined = this.findings[0]): void {
    if (!finding) {
      this.message = t("No value and no gradient of this run holds NaN or infinity.");
      return;
    }
    this.stage.player.seek(finding.t);
    this.go(finding.node);
  }
}
