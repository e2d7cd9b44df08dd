// The clock of the stage: which event of the trace is on at which millisecond of playback.
//
// Invariant: time is the trace. A position `t` in 0..=events.length picks the picture: at `t = i`
// event i has not begun, at `t = i + 1` it is over. Milliseconds only say how fast `t` moves while
// playing, so no duration here can change what is drawn at rest.
// Leaves drawing to picture.ts and the moving hand to player.svelte.ts.
import type { StageGraph } from "../protocol/generated/StageGraph";
import type { TraceEvent } from "../protocol/generated/TraceEvent";

export type EventKind = TraceEvent["type"];

/** How long an event takes at normal speed, before a long trace is compressed. */
export const EVENT_MILLIS: Record<EventKind, number> = {
  made: 120,
  backward: 500,
  vjp: 400,
  accumulate: 360,
  grad: 220,
  backwardEnd: 400,
  write: 160,
};

/** No trace plays for longer than this at normal speed. */
export const LONGEST_PLAY_MILLIS = 8000;

export interface Timeline {
  /** `starts[i]` is when event i begins; the last entry, one past the events, is the end. */
  starts: Float64Array;
  millis: number;
  /** 1, or less where a long trace is compressed. */
  scale: number;
}

const timelines = new WeakMap<StageGraph, Timeline>();

/** The timeline of a graph's events. The same graph gives the same object. */
export function timeline(graph: StageGraph): Timeline {
  const known = timelines.get(graph);
  if (known) return known;
  const natural = graph.events.reduce((total, event) => total + EVENT_MILLIS[event.type], 0);
  const scale = natural > LONGEST_PLAY_MILLIS ? LONGEST_PLAY_MILLIS / natural : 1;
  const starts = new Float64Array(graph.events.length + 1);
  let millis = 0;
  graph.events.forEach((event, index) => {
    millis += EVENT_MILLIS[event.type] * scale;
    starts[index + 1] = millis;
  });
  const made = { starts, millis, scale };
  timelines.set(graph, made);
  return made;
}

/** When event `index` begins; one past the last event, when the trace ends. */
export function startOf({ starts }: Timeline, index: number): number {
  return starts[index] ?? 0;
}

/** The position that playback has reached after `millis`. */
export function positionAt(line: Timeline, millis: number): number {
  const last = line.starts.length - 1;
  if (!(millis > 0)) return 0;
  if (millis >= line.millis) return last;
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (startOf(line, middle) <= millis) low = middle;
    else high = middle;
  }
  return low + (millis - startOf(line, low)) / (startOf(line, low + 1) - startOf(line, low));
}

/** When playback reaches position `t`; the inverse of `positionAt`. */
export function millisAt(line: Timeline, t: number): number {
  const last = line.starts.length - 1;
  const at = clampPosition(t, last);
  const index = Math.min(Math.floor(at), last - 1);
  if (index < 0) return 0;
  return startOf(line, index) + (at - index) * (startOf(line, index + 1) - startOf(line, index));
}

/** `t` within the trace; anything that is no number counts as its beginning. */
export function clampPosition(t: number, count: number): number {
  return t > 0 ? Math.min(t, count) : 0;
}

/** The event that is on at `t`, or that ended there; none at the very beginning. */
export function eventAt(graph: StageGraph, t: number): number | null {
  const at = clampPosition(t, graph.events.length);
  return at === 0 ? null : Math.ceil(at) - 1;
}

/** The position of one step on: the end of the event that is on, or of the next. */
export function stepForward(t: number, count: number): number {
  return Math.min(Math.floor(t) + 1, count);
}

/** The position of one step back: the end of the event before the one that is on. */
export function stepBack(t: number): number {
  return Math.max(Math.ceil(t) - 1, 0);
}

/** Where the first `backward()` begins: the graph is drawn and still dark. */
export function backwardStart(graph: StageGraph): number {
  const index = graph.events.findIndex((event) => event.type === "backward");
  return index < 0 ? graph.events.length : index;
}
