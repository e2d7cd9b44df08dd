// The picture of the stage at one position of the trace.
//
// Invariant: `picture(graph, t)` is a pure function: the same graph and position give an equal
// picture, whatever was shown before. At a whole `t` every motion of the events before it has
// arrived, so stepping on and back again lands on the same picture.
// Leaves colours, curves and sizes to the components, durations to timeline.ts, words to outline.ts.
import type { StageGraph } from "../protocol/generated/StageGraph";
import { type EdgeEvents, type EventIndex, eventIndex, type Loudness, type NodeEvents } from "./eventIndex";
import { clampPosition, eventAt, millisAt, startOf, type Timeline, timeline } from "./timeline";

/** All fractions run from 0 to 1. */
export interface NodePicture {
  id: number;
  /** How far it has appeared. */
  drawn: number;
  /** It was made a moment ago (the forward hue). */
  fresh: number;
  /** Its rule is running, or a gradient is being added here. */
  glow: number;
  /** How far the gradient that rests here has arrived, and how loud it is. */
  warm: number;
  level: number;
  broken: boolean;
  /** The value id of that gradient; none before it arrives. */
  gradient: number | null;
  /** How full its `.grad` is; only ever above 0 for a leaf. */
  gauge: number;
  /** The `+=` sign: how far it has appeared, and whether an addition happens now. */
  badge: number;
  adding: number;
  /** It was written in place a moment ago. */
  written: number;
}

/** A gradient on its way from the consumer (0) back to the source (1). */
export interface Pulse {
  position: number;
  /** In the units of the layout. */
  width: number;
  brightness: number;
}

export interface EdgePicture {
  /** How far it has been drawn, from source to consumer. */
  drawn: number;
  fresh: number;
  /** How much of it a gradient has crossed, measured from the consumer. */
  trace: number;
  /** A gradient crossed it a moment ago. */
  heat: number;
  level: number;
  broken: boolean;
  /** The norm of the gradient on it, shown while `heat` lasts. */
  label: string;
  gradient: number | null;
  pulse: Pulse | null;
}

export interface Picture {
  t: number;
  /** The event that is on, or that ended at `t`; none at 0. */
  event: number | null;
  nodes: NodePicture[];
  edges: EdgePicture[];
}

/** How long light lingers after an event, in milliseconds of playback. */
const AFTERGLOW_MILLIS = 480;
/** Where a long trace is compressed light fades sooner, but never in less than this part of it. */
const SHORTEST_AFTERGLOW = 0.5;
/** The part of a vjp's time in which the node itself lights up before the pulses leave it. */
const IGNITION = 0.3;

/** The picture of `graph` at position `t`, clamped to the trace. */
export function picture(graph: StageGraph, t: number): Picture {
  const at = clampPosition(t, graph.events.length);
  const moment: Moment = { t: at, index: eventIndex(graph), clock: timeline(graph) };
  return {
    t: at,
    event: eventAt(graph, at),
    nodes: moment.index.nodes.map((entry) => nodePicture(entry, moment)),
    edges: moment.index.edges.map((entry) => edgePicture(entry, moment)),
  };
}

/**
 * `next` with the parts that equal `before` replaced by the very objects of `before`, so that a
 * view that compares by identity touches only what changed.
 */
export function settle(before: Picture | null, next: Picture): Picture {
  if (!before) return next;
  return {
    ...next,
    nodes: next.nodes.map((entry, index) => same(before.nodes[index], entry)),
    edges: next.edges.map((entry, index) => same(before.edges[index], entry)),
  };
}

interface Moment {
  t: number;
  index: EventIndex;
  clock: Timeline;
}

function nodePicture(entry: NodeEvents, moment: Moment): NodePicture {
  const made = entry.made === null ? 1 : progress(entry.made, moment);
  const arrival = latest(entry.arrivals, moment.t, (visit) => visit.event);
  const faded = arrival ? staleness(arrival.event, moment) : 1;
  const fill = latest(entry.fills, moment.t, (each) => each.event);
  const addition = latest(entry.accumulations, moment.t, identity);
  const loud: Loudness | undefined = arrival && moment.index.loudness.get(arrival.value);
  const adding = addition === undefined ? 0 : envelope(addition, moment);
  return {
    id: entry.node.id,
    drawn: easeOut(range(made, 0.3, 1)),
    fresh: entry.made === null ? 0 : envelope(entry.made, moment),
    glow: maximum(entry.works, (event) => envelope(event, moment)),
    warm: arrival ? arrived(entry, arrival.event, moment) * (1 - faded) : 0,
    level: loud?.level ?? (arrival ? 0.5 : 0),
    broken: loud?.broken ?? false,
    gradient: arrival && faded < 1 ? arrival.value : null,
    gauge: gauge(entry, fill, moment),
    badge: addition === undefined ? 0 : easeOut(range(progress(addition, moment), 0, 0.4)),
    adding,
    written: maximum(entry.writes, (event) => envelope(event, moment)),
  };
}

function edgePicture(entry: EdgeEvents, moment: Moment): EdgePicture {
  const made = entry.made === null ? 1 : progress(entry.made, moment);
  const pass = latest(entry.passes, moment.t, (each) => each.event);
  const faded = pass ? staleness(pass.event, moment) : 1;
  const travelled = pass ? easeOut(range(progress(pass.event, moment), IGNITION, 1), 2) : 0;
  const moving = pass !== undefined && travelled > 0 && travelled < 1;
  return {
    drawn: easeOut(range(made, 0, 0.8)),
    fresh: entry.made === null ? 0 : envelope(entry.made, moment),
    trace: faded < 1 ? travelled : 0,
    heat: pass && travelled > 0 ? linger(pass.event, moment) * Math.min(1, travelled * 3) : 0,
    level: pass && faded < 1 ? pass.level : 0,
    broken: (pass && faded < 1 && pass.broken) ?? false,
    label: pass?.label ?? "",
    gradient: pass && faded < 1 && travelled === 1 ? pass.value : null,
    pulse: moving
      ? {
          position: travelled,
          width: 1.5 + 3.1 * pass.level,
          brightness: 0.35 + 0.65 * pass.level,
        }
      : null,
  };
}

/** A gradient reaches a node when its pulse does; one that was there before stays warm. */
function arrived(entry: NodeEvents, event: number, moment: Moment): number {
  const start = moment.index.backwards.findLast((each) => each <= event) ?? 0;
  if (entry.arrivals.some((visit) => visit.event >= start && visit.event < event)) return 1;
  return easeOut(range(progress(event, moment), IGNITION + (1 - IGNITION) * 0.6, 1));
}

/** A `.grad` left by an earlier `backward()`, before this trace, is full from the beginning. */
function gauge(entry: NodeEvents, fill: NodeEvents["fills"][number] | undefined, moment: Moment): number {
  const first = entry.fills[0];
  if (first?.accumulated || (fill && fill !== first)) return 1;
  return fill ? easeOut(progress(fill.event, moment)) : 0;
}

/** How far event `index` has run. */
function progress(index: number, { t }: Moment): number {
  return Math.min(1, Math.max(0, t - index));
}

/** 0 while what `event` left still stands, to 1 as the next `backward()` begins and clears it. */
function staleness(event: number, moment: Moment): number {
  const next = moment.index.backwards.find((each) => each > event);
  return next === undefined ? 0 : progress(next, moment);
}

/** Rises with the event, is whole at its end, then fades over the afterglow. */
function envelope(event: number, moment: Moment): number {
  return easeOut(range(progress(event, moment), 0, IGNITION)) * linger(event, moment);
}

/** 1 until the event ends, then falling to 0 over the afterglow. */
function linger(event: number, { t, clock }: Moment): number {
  if (t <= event + 1) return 1;
  const since = millisAt(clock, t) - startOf(clock, event + 1);
  const afterglow = AFTERGLOW_MILLIS * Math.max(SHORTEST_AFTERGLOW, clock.scale);
  return 1 - easeOut(Math.min(1, since / afterglow), 2);
}

/** The last entry whose event has begun by `t`. */
function latest<Entry>(entries: Entry[], t: number, eventOf: (entry: Entry) => number): Entry | undefined {
  return entries.findLast((entry) => eventOf(entry) < t);
}

function maximum(events: number[], of: (event: number) => number): number {
  return events.reduce((top, event) => Math.max(top, of(event)), 0);
}

function range(value: number, from: number, to: number): number {
  return Math.min(1, Math.max(0, (value - from) / (to - from)));
}

function easeOut(value: number, power = 3): number {
  return 1 - (1 - value) ** power;
}

function identity<Each>(each: Each): Each {
  return each;
}

function same<Part extends object>(before: Part | undefined, next: Part): Part {
  if (!before) return next;
  for (const key of Object.keys(next) as (keyof Part)[]) {
    const [a, b] = [before[key], next[key]];
    if (Object.is(a, b)) continue;
    if (typeof a !== "object" || typeof b !== "object" || !a || !b) return next;
    if (same(a as object, b as object) !== a) return next;
  }
  return before;
}
