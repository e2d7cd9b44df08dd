// What an element becomes when it is seen: a cell of the page's one notebook, or a graph; in its shadow tree.
//
// Invariant: loaded when the first element is seen. All cells of a page share one Python session, in the order in which
// they stand in the page; graphs have another, in which no variable stays.
import "./host.css";
import "../style/tokens.css";
import "../style/base.css";
import { mount, unmount } from "svelte";
import { python } from "../engine/engines.svelte";
import { type Cell, Notebook } from "../notebook/notebook.svelte";
import type { StageGraph } from "../protocol";
import { end as endLayout } from "../stage/places";
import type { RunResult } from "./api";
import { Drawing } from "./drawing.svelte";
import EmbedCell from "./EmbedCell.svelte";
import EmbedGraph from "./EmbedGraph.svelte";
import { addFaces } from "./faces";
import { resultOf } from "./result";
import { sharedSession } from "./session";
import { styled } from "./styles";

/** What an element does with its view. */
export interface View {
  code: string;
  run(): Promise<RunResult>;
  stop(): void;
  /** Draws it again, in other colours. */
  redraw(): void;
  end(): void;
}

export interface GraphView extends View {
  graph: StageGraph | null;
  play(): void;
  seek(position: number): void;
}

interface CellOptions {
  root: ShadowRoot;
  code: string;
  label: string | null;
  drawn: boolean;
  onchange(code: string): void;
  onresult(result: RunResult): void;
}

const notebook = new Notebook(null);
const cells = new Map<Element, Cell>();

export function mountCell({ root, code, label, drawn, onchange, onresult }: CellOptions): View {
  const { host } = root;
  const cell = notebook.add(freeName(label), code);
  cells.set(host, cell);
  arrange();
  const run = async () => {
    await notebook.run(cell);
    const result = resultOf(cell.output, notebook.graphs.get(cell.name) ?? null);
    onresult(result);
    return result;
  };
  const shown = show(root, (target) =>
    mount(EmbedCell, { target, props: { notebook, cell, drawn, onrun: run, onchange } }),
  );
  return {
    get code() {
      return cell.source;
    },
    set code(text: string) {
      notebook.edit(cell, text);
    },
    run,
    stop() {
      if (cell.state !== "idle") python.client.stop();
    },
    redraw: shown.redraw,
    end() {
      this.stop();
      cells.delete(host);
      notebook.cells = new Map([...notebook.cells].filter(([, each]) => each !== cell));
      shown.end();
    },
  };
}

interface GraphOptions {
  root: ShadowRoot;
  code: string;
  graph: StageGraph | null;
  label: string | null;
  onresult(result: RunResult): void;
}

export function mountGraph({ root, code, graph, label, onresult }: GraphOptions): GraphView {
  const drawing = new Drawing(sharedSession);
  drawing.code = code;
  drawing.graph = graph;
  const run = async () => {
    const result = await drawing.run();
    onresult(result);
    return result;
  };
  let view: { play(): void; seek(position: number): void } | null = null;
  // What a run that failed has to say stands in the drawing.
  const onrun = () => void run().catch(() => {});
  const shown = show(root, (target) => {
    const made = mount(EmbedGraph, { target, props: { drawing, name: label ?? "Graph", onrun } });
    view = made as unknown as typeof view;
    return made;
  });
  return {
    get code() {
      return drawing.code;
    },
    set code(text: string) {
      drawing.code = text;
    },
    get graph() {
      return drawing.graph;
    },
    set graph(next: StageGraph | null) {
      drawing.graph = next;
    },
    run,
    stop: () => drawing.stop(),
    play: () => view?.play(),
    seek: (position) => view?.seek(position),
    redraw: shown.redraw,
    end() {
      drawing.stop();
      shown.end();
    },
  };
}

/** Ends the workers of the cells and of layouts; the next run starts others. */
export function endCells(): void {
  endLayout();
  python.client.close();
  notebook.forget();
}

/** Draws in a tree that holds nothing else. */
function show(root: ShadowRoot, draw: (target: Element) => Record<string, unknown>) {
  addFaces();
  const unstyle = styled(root);
  const place = document.createElement("div");
  place.className = "glow-root";
  root.replaceChildren(place);
  let made = draw(place);
  return {
    redraw() {
      void unmount(made);
      made = draw(place);
    },
    end() {
      void unmount(made);
      root.replaceChildren();
      unstyle();
    },
  };
}

function freeName(label: string | null): string {
  const wanted = label?.trim().slice(0, 80) || null;
  if (wanted && !notebook.cells.has(wanted)) return wanted;
  let number = wanted ? 2 : 1;
  while (notebook.cells.has(`${wanted ?? "cell"} ${number}`)) number += 1;
  return `${wanted ?? "cell"} ${number}`;
}

/** Cells run before those that stand after them in the page. */
function arrange(): void {
  const order = [...cells].sort(([a], [b]) =>
    a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
  );
  notebook.arrange(order.map(([, { name }]) => name));
}
