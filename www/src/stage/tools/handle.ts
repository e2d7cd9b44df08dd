// The part of the stage that its tools may use: types only, so that the stage loads no tool for it.

import type { Selection } from "../../instruments/selection.svelte";
import type { Preview } from "../../protocol/generated/Preview";
import type { StageGraph } from "../../protocol/generated/StageGraph";
import type { DrawnGraph } from "../fold";
import type { Folding } from "../folding.svelte";
import type { Frame } from "../frame.svelte";
import type { Layout, View } from "../geometry";
import type { Player } from "../player.svelte";
import type { StepHistory } from "./history.svelte";

/** The stage, as it is now: every field is read anew. */
export interface StageHandle {
  /** As it is drawn, modules folded. */
  readonly graph: DrawnGraph;
  /** As it came; the history keeps this one. */
  readonly whole: StageGraph;
  readonly frame: Frame;
  readonly player: Player;
  readonly selection: Selection;
  /** The history of the steps, where the page keeps one. */
  readonly history: StepHistory | null;
  readonly layout: Layout | null;
  readonly view: View;
  /** Size of the table that the graph lies on. */
  readonly width: number;
  readonly height: number;
  /** The stage's root, with its colours. */
  readonly root: HTMLElement | undefined;
  /** Reads the whole value of a node, or of a gradient; null where nothing can be asked. */
  readonly inspect: ((id: number) => Promise<Preview>) | null;
  /** Opens the card of a node, or closes it. */
  select(id: number | null): void;
  /** Puts the keyboard on a node. */
  focus(id: number): void;
  /** Opens the modules that hide a node; true when it is drawn, false when another graph came first. */
  open(id: number): Promise<boolean>;
  fit(): void;
  /** Zooms about the middle of the table. */
  zoom(factor: number): void;
  readonly folding: Folding;
  /** Has graphs run the other way. */
  turn: () => void;
  /** Shows these nodes as large as they fit. */
  show(ids: readonly number[]): void;
  /** Moves a point of the layout to the middle of the table. */
  centre(x: number, y: number): void;
  /** Keeps a node in the middle of the table, at this scale at least, until the view is moved. */
  keep(id: number, scale?: number): void;
  pan(dx: number, dy: number): void;
}
