// The studio's state: one network, what is known of it, which of its graphs is on the canvas, and what is selected there.
//
// Invariant: the network's JSON is the only truth. Every change is answered by the module (`edit`: sizes follow, a change
// that gives no network is refused with its sentence) and is a step that undo takes back. Leaves how a change is made to
// edits.ts, and where nodes stand to places.ts.
import { t } from "../language/language.svelte";
import { type Card, cardsOf, isOutput, outputIndex, rowsOf, type Wiring } from "./cards";
import {
  type Clip,
  clipOf,
  connect,
  disconnect,
  dropOutput,
  encase,
  group,
  insert,
  paste,
  remove,
  setOutput,
  unfold,
  ungroup,
  update,
  withoutPlaces,
  withPlaces,
} from "./edits";
import { type Fitting, fitting } from "./fitting";
import { History } from "./history";
import type { Point } from "./layout";
import {
  type Analysis,
  type Catalog,
  counted,
  factOf,
  graphOf,
  type Json,
  type Net,
  type NetNode,
  pathOf,
  type Row,
} from "./model";
import { type Ask, isRefused, type Told } from "./module";
import { type Places, placesOf } from "./places";

interface Change {
  said: string;
  /** Changes that follow each other under one key are one step. */
  key?: string | null;
  select?: readonly string[];
}

export class Studio {
  readonly catalog: Catalog;
  /** Layers and functions by name. */
  readonly rows: ReadonlyMap<string, Row> = new Map();
  net = $state.raw<Net>(EMPTY);
  analysis = $state.raw<Analysis>(NOTHING);
  /** The blocks that are open, the outermost first. */
  trail = $state.raw<readonly string[]>([]);
  selected = $state.raw<readonly string[]>([]);
  /** The wire that is selected, by its id. */
  wire = $state.raw<string | null>(null);
  /** What a screen reader is told. */
  said = $state("");
  /** Why the last change was refused. */
  problem = $state("");
  /** The camera shows this node: the number counts how often that was asked. */
  shown = $state.raw<{ id: string | null; times: number }>({ id: null, times: 0 });
  /** How wide a row of the picture may be, and whether the screen is too narrow for rows. */
  room = $state(1000);
  isNarrow = $state(false);
  canUndo = $state(false);
  canRedo = $state(false);
  private readonly history = new History<Net>();
  private clip: Clip | null = null;
  private isMeasured = false;
  private readonly fits = new Map<string, Fitting[]>();

  constructor(
    readonly ask: Ask,
    /** Hears of each network that is there then. */
    private readonly onchange: (net: Net) => void,
  ) {
    const catalog = ask("catalog", {});
    if (isRefused(catalog)) throw new Error(catalog.error);
    this.catalog = catalog;
    this.rows = rowsOf(catalog);
  }

  /** The block that is on the canvas; null for the network's own graph. */
  readonly block: string | null = $derived.by(() => {
    const last = this.trail.at(-1);
    return last !== undefined && this.net.blocks?.some(({ name }) => name === last) ? last : null;
  });
  readonly graph = $derived(graphOf(this.net, this.block));
  readonly picture: { cards: Card[]; wires: Wiring[] } = $derived(
    cardsOf(this.net, this.analysis, this.rows, this.graph),
  );
  private readonly put = $derived.by(() => {
    const put = new Map<string, Point>();
    const note = (id: string, at: [number, number] | undefined) => at && put.set(id, { x: at[0], y: at[1] });
    for (const { id, at } of this.graph.nodes) note(id, at);
    if (this.block === null) for (const { name, at } of this.net.inputs) note(name, at);
    return put;
  });
  /** Which way each graph goes, by its block: found when it is first seen, and when it is laid out anew. */
  private readonly directions = new Map<string | null, boolean>();
  readonly placed: Places = $derived.by(() => {
    const { room, isNarrow, block, put } = this;
    const { cards, wires } = this.picture;
    const across = this.directions.get(block) ?? null;
    const found = placesOf(cards, wires, put, { room, isNarrow, across });
    if (!isNarrow && put.size === 0) this.directions.set(block, found.across);
    return found;
  });
  readonly isPut: boolean = $derived(this.put.size > 0);
  /** The node whose form is shown. */
  readonly node: NetNode | null = $derived(
    this.selected.length === 1 ? (this.graph.nodes.find(({ id }) => id === this.selected[0]) ?? null) : null,
  );

  /** The canvas has a width; before it had one, no direction was right. */
  measure(room: number): void {
    if (!this.isMeasured) this.directions.clear();
    this.isMeasured = true;
    this.room = room;
  }

  // What is there

  /** Whether the module that came with the page answers such a question; what is wrong with a network is another matter. */
  answers(face: "python" | "rust" | "describe"): boolean {
    const net = structuredClone(EMPTY);
    const told = face === "describe" ? this.ask(face, { text: "an MLP" }) : this.ask(face, { net });
    return !isRefused(told) || !told.error.startsWith("the request cannot be read");
  }

  /** Takes a network in the place of the one that is there; a sentence where it is none. */
  open(net: unknown, said: string, isStep = true): string {
    const told = this.ask("edit", { net: net as Net, before: net as Net });
    if (isRefused(told)) return told.error;
    if (isStep) this.history.note(this.net);
    this.directions.clear();
    this.show(told, { said, select: [] });
    this.trail = [];
    this.showNode(null);
    return "";
  }

  /** Begins with the first preset, so that there is something to see. */
  begin(): void {
    const lenet = this.catalog.presets.find(({ name }) => name === "lenet") ?? this.catalog.presets[0];
    const told = lenet ? this.ask("preset", { name: lenet.name }) : null;
    if (told && !isRefused(told)) this.show(told, { said: "", select: [] });
    else this.open(EMPTY, "", false);
  }

  openPreset(name: string): void {
    const told = this.ask("preset", { name });
    if (isRefused(told)) this.refuse(told.error);
    else this.take(told, `${told.net.name}: ${counted(told.net.nodes.length, "node")}.`);
  }

  /** Takes a network that the module has made. */
  take(told: Told, said: string): void {
    this.history.note(this.net);
    this.directions.clear();
    this.show(told, { said, select: [] });
    this.trail = [];
    this.showNode(null);
  }

  /** Makes a change; whether the module took it. */
  change(next: Net, { key = null, ...change }: Change): boolean {
    const told = this.ask("edit", { net: next, before: this.net });
    if (isRefused(told)) {
      this.refuse(told.error);
      return false;
    }
    this.history.note(this.net, key);
    this.show(told, change);
    return true;
  }

  private show({ net, analysis }: Told, { said, select }: Change): void {
    this.net = net;
    this.analysis = analysis;
    this.problem = "";
    this.trail = this.trail.filter((block) => net.blocks?.some(({ name }) => name === block));
    if (select) this.selected = select;
    else this.keepSelection();
    this.wire = null;
    this.settleHistory();
    if (said) this.say(said);
    this.onchange(net);
  }

  private keepSelection(): void {
    const there = new Set(this.picture.cards.map(({ id }) => id));
    if (this.selected.some((id) => !there.has(id)))
      this.selected = this.selected.filter((id) => there.has(id));
  }

  private settleHistory(): void {
    this.canUndo = this.history.canUndo;
    this.canRedo = this.history.canRedo;
  }

  /** Tells what has changed; the same words twice are told twice. */
  say(text: string): void {
    this.said = this.said === text ? `${text}\u00a0` : text;
  }

  refuse(sentence: string): void {
    this.problem = sentence;
    this.say(sentence);
  }

  undo(): void {
    this.travel(this.history.undo(this.net), "Undone.", "There is nothing to undo.");
  }

  redo(): void {
    this.travel(this.history.redo(this.net), "Done again.", "There is nothing to do again.");
  }

  private travel(net: Net | null, done: string, none: string): void {
    if (net === null) {
      this.say(none);
      return;
    }
    // The same network before and after: nothing is settled anew.
    const told = this.ask("edit", { net, before: net });
    if (isRefused(told)) {
      this.refuse(told.error);
      return;
    }
    this.show(told, { said: done });
  }

  // Selecting, and going from graph to graph

  select(ids: readonly string[]): void {
    if (ids.length === this.selected.length && ids.every((id, i) => id === this.selected[i])) return;
    this.history.seal();
    this.selected = ids;
    if (ids.length > 0) this.wire = null;
  }

  /** Has the camera show a node, or all of them. */
  showNode(id: string | null): void {
    this.shown = { id, times: this.shown.times + 1 };
  }

  enter(block: string): void {
    if (!this.net.blocks?.some(({ name }) => name === block)) return;
    this.trail = [...this.trail.filter((name) => name !== block), block];
    this.selected = [];
    this.showNode(null);
    this.say(t("The block {name} is open.", { name: block }));
  }

  /** Goes back to the first so many blocks. */
  leave(depth: number): void {
    const left = this.trail[depth];
    this.trail = this.trail.slice(0, depth);
    const use = this.graph.nodes.find(({ type }) => type === left);
    this.selected = use ? [use.id] : [];
    this.showNode(use?.id ?? null);
    this.say(
      depth === 0
        ? t("{name} is on the canvas.", { name: this.net.name })
        : t("The block {name} is on the canvas.", { name: this.block ?? "" }),
    );
  }

  // Drawing

  /** The source behind which something is added: the selected node's, or what the graph gives. */
  readonly tip: string | null = $derived.by(() => {
    const id = this.selected.at(-1);
    if (id !== undefined) return isOutput(id) ? (this.graph.outputs[outputIndex(id)] ?? null) : id;
    return this.graph.outputs.at(-1) ?? this.graph.nodes.at(-1)?.id ?? this.graph.inputs[0] ?? null;
  });

  /** What may stand behind a source: of each type whether it fits there, and what it would give. */
  fitsAfter(source: string | null): Fitting[] {
    const fact = source === null ? null : factOf(this.net, this.analysis, this.graph, source);
    if (!fact) return [];
    const key = `${fact.dtype} ${fact.shape.join()}`;
    const found = this.fits.get(key) ?? fitting(this.ask, this.catalog, fact);
    this.fits.set(key, found);
    return found;
  }

  /**
   * Adds a node behind the tip, with the arguments that its source decides. `between`: what the tip feeds is fed by the
   * new node then. Several selected nodes all lead to it.
   */
  add(
    kind: string,
    { between = true, after = this.tip }: { between?: boolean; after?: string | null } = {},
  ): void {
    const several = this.selected.length > 1 ? this.selected.filter((id) => !isOutput(id)) : [];
    const made = this.made(kind, after);
    if (made === null) return;
    const { node, name } = made;
    if (several.length > 1) node.inputs = [...several];
    const goesBetween = between && several.length < 2 && this.takesOne(kind);
    const { net, id } = insert(this.net, this.block, node, name, after, goesBetween);
    const where = after === null ? "" : ` after ${several.length > 1 ? several.join(" and ") : after}`;
    if (!this.change(net, { said: "", select: [id] })) return;
    this.showNode(id);
    this.say(`${id}, ${kind}, is added${where}. ${this.toldOf(id)}`);
  }

  /** Puts another type in the place of the selected node's; its wires stay. */
  replace(kind: string): void {
    const { node } = this;
    const made = node && this.made(kind, node.inputs?.[0] ?? null);
    if (!node || !made) return;
    const { id } = node;
    const next = update(this.net, this.block, id, (draft) => {
      delete draft.same;
      delete draft.children;
      delete draft.args;
      Object.assign(draft, made.node);
    });
    if (this.change(next, { said: "" })) this.say(`${id} is ${kind} now. ${this.toldOf(id)}`);
  }

  private takesOne(kind: string): boolean {
    const operands = this.rows.get(kind)?.operands;
    return typeof operands === "object" ? operands.length === 1 : true;
  }

  /** A node of a type with the arguments that a source decides. */
  made(kind: string, after: string | null): { node: Omit<NetNode, "id">; name: string } | null {
    const fact = after === null ? null : factOf(this.net, this.analysis, this.graph, after);
    const shape = (fact?.shape ?? ["N"]).map((size) =>
      typeof size === "number" || /^\w+$/.test(size) ? size : "M",
    );
    const net: Net = {
      format: this.net.format,
      version: this.net.version,
      name: "Asked",
      inputs: [{ name: "x", shape, dtype: fact?.dtype ?? "float32" }],
      nodes: [],
      outputs: [],
      blocks: this.net.blocks ?? [],
    };
    const told = this.ask("add", { net, after: "x", kind });
    if (isRefused(told)) {
      this.refuse(told.error);
      return null;
    }
    const { id, inputs: _, ...node } = told.net.nodes.find((each) => each.id === told.id) ?? { id: kind };
    return { node, name: id };
  }

  /** What is known of a node, as a sentence. */
  toldOf(id: string): string {
    const facts = this.analysis.nodes[pathOf(this.block, id)];
    if (facts?.fault && !facts.is_waiting) return t("It does not fit: {problem}.", { problem: facts.fault });
    const shapes = facts?.results.map(({ shape }) => shape.join(", ")) ?? [];
    return shapes.length > 0 ? t("It gives {shapes}.", { shapes: shapes.join(t(" and ")) }) : "";
  }

  /** Draws a wire; whether that gave a network. `instead` is the wire whose end was moved. */
  connect(source: string, target: string, port: number, instead: Wiring | null = null): boolean {
    const { block } = this;
    const cut = instead ? disconnect(this.net, block, instead.target, instead.port) : this.net;
    if (isOutput(target)) {
      return this.change(setOutput(cut, block, source, outputIndex(target)), {
        said: `${source} is the output now.`,
      });
    }
    // Ports of the same node move up when one of them is cut.
    const free = instead?.target === target && instead.port < port ? port - 1 : port;
    if (!this.change(connect(cut, block, source, target, free), { said: "" })) return false;
    this.say(`${source} leads to ${target}. ${this.toldOf(target)}`);
    return true;
  }

  /** What a wire would do, without drawing it: null where all is well. */
  wouldSay(source: string, target: string, port: number): string | null {
    if (isOutput(target)) return null;
    const told = this.ask("edit", {
      net: connect(this.net, this.block, source, target, port),
      before: this.net,
    });
    if (isRefused(told)) return told.error;
    return told.analysis.nodes[pathOf(this.block, target)]?.fault ?? null;
  }

  cutWire(id: string): void {
    const wire = this.picture.wires.find((each) => each.id === id);
    if (!wire) return;
    const next = isOutput(wire.target)
      ? dropOutput(this.net, this.block, outputIndex(wire.target))
      : disconnect(this.net, this.block, wire.target, wire.port);
    this.change(next, { said: t("The wire from {name} is cut.", { name: wire.source }) });
  }

  removeSelected(): void {
    if (this.wire !== null) {
      this.cutWire(this.wire);
      return;
    }
    if (this.selected.length === 0) return;
    const before = this.picture.wires.find(({ target }) => target === this.selected[0])?.source;
    const outputs = this.selected.filter(isOutput).map(outputIndex);
    let next = remove(
      this.net,
      this.block,
      this.selected.filter((id) => !isOutput(id)),
    );
    for (const index of outputs.sort((a, b) => b - a)) next = dropOutput(next, this.block, index);
    const gone =
      this.selected.length === 1
        ? `${this.selected[0]} is removed.`
        : `${this.selected.length} nodes are removed.`;
    const left = before !== undefined && !this.selected.includes(before) ? [before] : [];
    this.change(next, { said: gone.replace("→0", "The output"), select: left });
  }

  duplicate(): void {
    this.pasted(clipOf(this.net, this.block, this.selected));
  }

  copy(): void {
    const clip = clipOf(this.net, this.block, this.selected);
    if (clip.nodes.length === 0) {
      this.say("Select a node to copy it.");
      return;
    }
    this.clip = clip;
    this.say(`${counted(clip.nodes.length, "node")} copied.`);
  }

  paste(): void {
    if (this.clip) this.pasted(this.clip);
    else this.say("Nothing is copied yet.");
  }

  private pasted(clip: Clip): void {
    if (clip.nodes.length === 0) return;
    const { net, ids } = paste(this.net, this.block, clip);
    if (
      this.change(net, { said: `${ids.join(", ")}: ${counted(ids.length, "copy", "copies")}.`, select: ids })
    ) {
      this.showNode(ids[0] ?? null);
    }
  }

  group(): void {
    const made = group(this.net, this.block, this.selected, "Block");
    if (!made) {
      this.say("Select the nodes of the block.");
      return;
    }
    if (this.change(made.net, { said: `${made.name} is a block now.`, select: [made.id] }))
      this.showNode(made.id);
  }

  ungroup(id: string): void {
    const made = ungroup(this.net, this.block, id);
    if (!made) {
      this.refuse("A block that repeats, or has parameters, stays one. Set its repeat to 1 first.");
      return;
    }
    this.change(made.net, { said: "The block is taken apart.", select: made.ids });
  }

  /** Puts the layers of a Sequential in its place. */
  unfold(id: string): void {
    const made = unfold(this.net, this.block, id);
    if (made) this.change(made.net, { said: `${id} is taken apart.`, select: made.ids });
    else this.refuse("Layers that repeat, or are used once more, stay together.");
  }

  /** Makes a Sequential a block, and puts its layers on the canvas. */
  encase(id: string): void {
    const made = encase(this.net, this.block, id);
    if (!made) {
      this.refuse("Layers that are used once more stay as they are. Take that use out first.");
      return;
    }
    if (this.change(made.net, { said: "" })) this.enter(made.name);
  }

  // Places

  /** Nodes were dragged: from then on every node stays where it is. */
  move(moved: ReadonlyMap<string, Point>, key: string | null = null): void {
    const places = new Map([...this.placed.places, ...moved]);
    this.history.note(this.net, key);
    this.net = withPlaces(this.net, this.block, places);
    this.settleHistory();
    this.onchange(this.net);
  }

  /** Moves what is selected by keys; steps of the same nodes are undone as one. */
  nudge(dx: number, dy: number): void {
    const { places } = this.placed;
    const moved = this.selected.map((id): [string, Point] => {
      const { x, y } = places.get(id) ?? { x: 0, y: 0 };
      return [id, { x: x + dx, y: y + dy }];
    });
    if (moved.length > 0) this.move(new Map(moved), `move ${this.selected.join()}`);
  }

  layOut(): void {
    this.directions.delete(this.block);
    this.change(withoutPlaces(this.net, this.block), { said: "The graph is laid out anew." });
    this.showNode(null);
  }

  // Faults

  fixes(id: string): { title: string; net: Net }[] {
    const told = this.ask("fixes", { net: this.net, path: pathOf(this.block, id) });
    return isRefused(told) ? [] : told.fixes;
  }

  mend(fix: { title: string; net: Net }): void {
    this.change(fix.net, { said: `${fix.title}: done.` });
  }

  /** What stands in the way, by node of this graph. */
  readonly faults: { id: string; fault: string }[] = $derived(
    this.picture.cards.flatMap(({ id, fault, isWaiting }) => (fault && !isWaiting ? [{ id, fault }] : [])),
  );

  argument(name: string): Json | undefined {
    return this.node?.args?.[name];
  }
}

const NOTHING: Analysis = { nodes: {}, inputs: {}, outputs: [], parameters: 0, faults: [] };
const EMPTY: Net = {
  format: "glowgrad.architecture",
  version: 1,
  name: "Net",
  inputs: [{ name: "x", shape: ["N", 1, 28, 28] }],
  nodes: [],
  outputs: [],
};

export { EMPTY as emptyNet };
