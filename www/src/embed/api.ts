// What the npm package `glowgrad` gives, as types. `cargo lab package` writes the package's .d.ts files of it.
//
// Invariant: types and no code, so that it is read without the sources; index.ts is held to it by `satisfies`.
import type { Chart } from "../protocol/generated/Chart";
import type { ErrorInfo } from "../protocol/generated/ErrorInfo";
import type { Figure } from "../protocol/generated/Figure";
import type { StageGraph } from "../protocol/generated/StageGraph";

export type { Chart } from "../protocol/generated/Chart";
export type { ErrorInfo } from "../protocol/generated/ErrorInfo";
export type { Figure } from "../protocol/generated/Figure";
export type { GraphEdge } from "../protocol/generated/GraphEdge";
export type { GraphNode } from "../protocol/generated/GraphNode";
export type { Preview } from "../protocol/generated/Preview";
export type { StageGraph } from "../protocol/generated/StageGraph";
export type { TraceEvent } from "../protocol/generated/TraceEvent";

export interface RunOptions {
  /** The name of the code in tracebacks; `script` without it. */
  name?: string;
  /** A Python expression; its value, as JSON has it, is the result's `value`. Tensors become nested lists. */
  value?: string;
  /** Stops the run when it is aborted; the result then has an error of the kind `KeyboardInterrupt`. */
  signal?: AbortSignal;
  /** Stops the run after so many milliseconds. */
  timeout?: number;
  /** Told of text while it is printed. */
  onText?: (text: string) => void;
  /** Told how many bytes of Python have arrived. */
  onLoading?: (done: number, total: number) => void;
}

export interface Point {
  x: number;
  y: number;
}

export interface RunResult {
  /** Whether the code ran to its end. */
  ok: boolean;
  /** What it printed; of more than 200,000 characters the beginning and the end. */
  text: string;
  /** Of the option `value`; NaN and the infinities are null. Undefined without that option, and after an error. */
  value?: unknown;
  /** What it raised, or why it was cut off. */
  error: ErrorInfo | null;
  /** The graph of its last `backward()`. */
  graph: StageGraph | null;
  /** The points that `lab.plot` was given, by series. */
  series: Record<string, Point[]>;
  /** What `lab.image`, `lab.heatmap` and `lab.histogram` drew. */
  figures: Figure[];
  /** What Matplotlib's names drew, as JSON text. */
  charts: Chart[];
  /** How long it ran. */
  millis: number;
}

/** Variables that stay from run to run, in a worker of their own. */
export interface PythonSession {
  /** Runs after what was asked before. */
  run(code: string, options?: RunOptions): Promise<RunResult>;
  /** Calls a function of one tensor that was defined by a run. */
  call(name: string, values: number[], shape: number[]): Promise<number[]>;
  /** Stops what runs. */
  stop(): void;
  /** Forgets all variables. */
  reset(): Promise<void>;
  /** Ends the worker. A later `run` is refused. */
  dispose(): void;
}

export interface GraphOptions extends RunOptions {
  /** An element to draw the graph in, by a `<glow-graph>` that is appended to it. */
  into?: Element;
}

/** Attributes: `code`, `start` (`press`, `visible`), `graph` (`below`, `none`), `label`, `theme` (`dark`, `light`). */
export interface GlowCellElement extends HTMLElement {
  /** The code as it stands in the editor. */
  code: string;
  /** Runs it, after the other cells of the page that run. */
  run(): Promise<RunResult>;
  stop(): void;
}

/** Attributes: `code`, `start` (`visible`, `press`), `label`, `theme` (`dark`, `light`). */
export interface GlowGraphElement extends HTMLElement {
  code: string;
  /** The graph that is drawn; one that is set is drawn without running anything. */
  graph: StageGraph | null;
  /** Runs the code and draws its graph. */
  run(): Promise<RunResult>;
  stop(): void;
  /** Plays the graph from its beginning. */
  play(): void;
  /** Shows the graph after `position` of its events. */
  seek(position: number): void;
}

/** Runs code; no variable stays for the next run. */
export declare function run(code: string, options?: RunOptions): Promise<RunResult>;
/** Runs code, or the text of an element, and gives the graph of its last `backward()`; rejects where there is none. */
export declare function graph(code: string | Element, options?: GraphOptions): Promise<StageGraph>;
export declare function createSession(): PythonSession;
/** Ends the workers of `run`, `graph` and all elements; the next use starts others. */
export declare function dispose(): void;

declare global {
  interface HTMLElementTagNameMap {
    "glow-cell": GlowCellElement;
    "glow-graph": GlowGraphElement;
  }
  interface HTMLElementEventMap {
    "glow-change": CustomEvent<{ code: string }>;
    "glow-result": CustomEvent<RunResult>;
  }
}
