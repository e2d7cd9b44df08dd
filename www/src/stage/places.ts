// Where the nodes of a drawn graph stand: asked of the layout worker, with a limit on its time.
//
// Invariant: every call settles with a graph that can be drawn. Where the worker fails or takes too
// long the nodes stand in plain layers, and `notice` says so. A call that is given up has no effect.
import { t } from "../language/language.svelte";
import type { Flow } from "../protocol/generated/Flow";
import type { DrawnGraph } from "./fold";
import { roomOf } from "./geometry";
import { spawnLayout } from "./layoutSpawn";

export interface Request {
  id: number;
  /** How many operands each node has, and all operands by index. */
  counts: Uint32Array;
  src: Uint32Array;
  /** The room of each node: see `roomOf`. */
  rooms: Float32Array;
  flow: Flow;
}

export interface Response {
  id: number;
  places: Float32Array | null;
  problem: string;
}

export interface Placed {
  graph: DrawnGraph;
  /** A message about it; empty mostly. */
  notice: string;
}

/** How long the worker may take for one layout. */
export const LIMIT_MILLIS = 10_000;
/** One that is given up sooner may end: a new worker takes longer to start. */
const PATIENCE_MILLIS = 250;
const LAYER_PITCH = 150;
const ROW_PITCH = 86;

let worker: Worker | null = null;
let lastId = 0;

/** The graph with its nodes in their places, laid out so. */
export async function place(graph: DrawnGraph, flow: Flow, signal: AbortSignal): Promise<Placed> {
  if (typeof Worker === "undefined") return { graph: inLayers(graph), notice: "" };
  const request = requestFor(graph, flow, ++lastId);
  const { places, problem } = await answer(start(), request, signal);
  if (places) return { graph: withPlaces(graph, flow, places), notice: "" };
  return {
    graph: inLayers(graph),
    notice: t(
      "These {n} nodes stand in plain layers, because laying them out failed: {problem}. Fold a module to see more.",
      { n: graph.nodes.length, problem: problem ?? "" },
    ),
  };
}

/** Has the worker ready before the first layout is wanted. */
export function warm(): void {
  if (typeof Worker === "undefined" || worker) return;
  start().postMessage(requestOf([], [], { direction: "across", row: 0 }, ++lastId));
}

/** Ends the worker, for a page that draws no more graphs; a later layout starts another. */
export function end(): void {
  const ended = worker;
  worker = null;
  ended?.terminate();
  // A layout that waits hears of it.
  ended?.dispatchEvent(new Event("error"));
}

function start(): Worker {
  if (worker) return worker;
  const started = spawnLayout();
  started.addEventListener("error", () => {
    if (worker === started) worker = null;
  });
  worker = started;
  return started;
}

function answer(port: Worker, request: Request, signal: AbortSignal): Promise<Response> {
  return new Promise((resolve) => {
    const done = new AbortController();
    const begun = performance.now();
    const settle = (response: Response) => {
      clearTimeout(timer);
      done.abort();
      resolve(response);
    };
    const giveUp = (problem: string) => settle({ id: request.id, places: null, problem });
    const fail = (problem: string) => {
      port.terminate();
      if (worker === port) worker = null;
      giveUp(problem);
    };
    const timer = setTimeout(() => fail(`it took longer than ${LIMIT_MILLIS / 1000} s`), LIMIT_MILLIS);
    const listening = { signal: done.signal };
    const message = ({ data }: MessageEvent<Response>) => {
      if (data.id === request.id) settle(data);
    };
    port.addEventListener("message", message, listening);
    port.addEventListener("error", () => fail("its worker could not be started"), listening);
    // Another layout is wanted: one that takes long is in its way.
    const abandon = () => (performance.now() - begun > PATIENCE_MILLIS ? fail : giveUp)("it was given up");
    signal.addEventListener("abort", abandon, listening);
    port.postMessage(request);
  });
}

function requestFor(graph: DrawnGraph, flow: Flow, id: number): Request {
  const index = new Map(graph.nodes.map((node, at) => [node.id, at]));
  const operands = graph.nodes.map((node) => node.src.map((source) => index.get(source) ?? 0));
  const rooms = graph.nodes.flatMap((node) => roomOf(node, flow.direction));
  return requestOf(operands, rooms, flow, id);
}

function requestOf(operands: number[][], rooms: number[], flow: Flow, id: number): Request {
  return {
    id,
    counts: Uint32Array.from(operands, (each) => each.length),
    src: Uint32Array.from(operands.flat()),
    rooms: Float32Array.from(rooms),
    flow,
  };
}

/** The places of the engine's answer: size, centres, then each operand's way points. */
export function withPlaces(graph: DrawnGraph, flow: Flow, places: Float32Array): DrawnGraph {
  const [width = 0, height = 0] = places;
  let at = 2;
  const next = () => places[at++] ?? 0;
  const nodes = graph.nodes.map((node) => ({ ...node, x: next(), y: next() }));
  const edges = graph.nodes.flatMap((node) =>
    node.src.map((from, operand) => ({
      from,
      to: node.id,
      operand,
      points: Array.from({ length: next() }, (): [number, number] => [next(), next()]),
    })),
  );
  return { ...graph, nodes, edges, flow, width, height, placed: true };
}

/** Layers by longest path, in the order in which nodes were made. */
export function inLayers(graph: DrawnGraph): DrawnGraph {
  const layerOf = new Map<number, number>();
  const counts: number[] = [];
  const nodes = graph.nodes.map((node) => {
    const layer = Math.max(0, ...node.src.map((source) => (layerOf.get(source) ?? -1) + 1));
    layerOf.set(node.id, layer);
    const row = counts[layer] ?? 0;
    counts[layer] = row + 1;
    return { ...node, x: 60 + layer * LAYER_PITCH, y: 40 + row * ROW_PITCH };
  });
  const height = 80 + ROW_PITCH * counts.reduce((most, count) => Math.max(most, count), 0);
  const flow: Flow = { direction: "across", row: 0 };
  return { ...graph, nodes, flow, width: 120 + counts.length * LAYER_PITCH, height, placed: true };
}
