// Ticks of an axis with the room that their labels need.
//
// Invariant: no two labels of an axis overlap. Names that do not fit beside each other stand in two lines, then aslant;
// numbers, and names that are too many, leave some out.
import { makeScale, type Tick, ticksOf } from "./scale";
import { cut, LINE, type Measure, TICK_SIZE, wrapped } from "./scene";
import type { Axis } from "./schema";
import { plain } from "./words";

export interface Labelled extends Omit<Tick, "label"> {
  lines: string[];
}
export interface TickPlan {
  major: Labelled[];
  minor: number[];
  /** The labels stand aslant. */
  slanted: boolean;
  /** From the frame to the far end of the labels. */
  room: number;
}

export const TICK_LENGTH = 4;
const GAP = 4;
const SLANT = (38 * Math.PI) / 180;
const MOST_SLANTED = 130;
const NUMBER = /^[−-]?[\d.]+(?:e[−-]?\d+)?$/;

export const isNumber = (label: string): boolean => NUMBER.test(label);

/** The ticks below or above a frame of this width. */
export function acrossTicks(axis: Axis, width: number, measure: Measure): TickPlan {
  const scale = makeScale({ ...axis, inverted: false }, 0, width);
  const size = (text: string) => measure(text, TICK_SIZE, { mono: isNumber(text) });
  if (!axis.ticks) {
    let found = ticksOf(axis, Math.min(Math.max(Math.floor(width / 58), 2), 9));
    for (let most = found.major.length; most >= 2; most--) {
      const total = found.major.reduce((sum, { label }) => sum + size(label) + 14, 0);
      if (total <= width + 20) break;
      found = ticksOf(axis, most - 1);
    }
    const major = found.major.map(({ value, label }) => ({ value, lines: [label] }));
    return { major, minor: found.minor, slanted: false, room: roomOf(major) };
  }
  const ticks = ticksOf(axis, 0).major.map(({ value, label }) => ({ value, label: plain(label) }));
  const places = ticks.map(({ value }) => scale(value)).sort((a, b) => a - b);
  let spacing = width;
  for (const [index, place] of places.entries()) {
    const next = places[index + 1];
    if (next !== undefined && next > place) spacing = Math.min(spacing, next - place);
  }
  const widest = Math.max(0, ...ticks.map(({ label }) => Math.max(...label.split("\n").map(size))));
  if (widest + 8 <= spacing)
    return level(ticks.map(({ value, label }) => ({ value, lines: label.split("\n") })));
  const numeric = ticks.every(({ label }) => label === "" || isNumber(label));
  const short = widest <= 26;
  if (numeric || short) {
    const every = Math.ceil((widest + 8) / spacing);
    return level(ticks.map(({ value, label }, index) => ({ value, lines: [index % every ? "" : label] })));
  }
  const folded = ticks.map(({ value, label }) => ({ value, lines: wrapped(label, spacing - 8, 3, size) }));
  const whole = folded.every(
    ({ lines }, index) =>
      lines.join(" ") === ticks[index]?.label && lines.every((line) => size(line) <= spacing - 6),
  );
  if (whole) return level(folded);
  const every = Math.max(1, Math.ceil(15 / spacing));
  const major = ticks.map(({ value, label }, index) => ({
    value,
    lines: [index % every ? "" : cut(label.replaceAll("\n", " "), MOST_SLANTED, size)],
  }));
  const longest = Math.max(...major.map(({ lines }) => size(lines[0] ?? "")));
  return { major, minor: [], slanted: true, room: TICK_LENGTH + GAP + longest * Math.sin(SLANT) + TICK_SIZE };
}

const level = (major: Labelled[]): TickPlan => ({ major, minor: [], slanted: false, room: roomOf(major) });

function roomOf(major: readonly Labelled[]): number {
  const lines = Math.max(0, ...major.map((tick) => (tick.lines.some(Boolean) ? tick.lines.length : 0)));
  if (!major.length) return 0;
  return lines ? TICK_LENGTH + GAP + lines * TICK_SIZE * LINE : TICK_LENGTH;
}

/** The ticks beside a frame of this height; labels are no wider than `most`. */
export function besideTicks(
  axis: Pick<Axis, "low" | "high" | "log" | "ticks">,
  height: number,
  measure: Measure,
  most = 150,
): TickPlan {
  const size = (text: string) => measure(text, TICK_SIZE, { mono: isNumber(text) });
  const { major, minor } = ticksOf(axis, Math.min(Math.max(Math.floor(height / 34), 2), 9));
  const every = axis.ticks ? Math.max(1, Math.ceil((major.length * 13) / Math.max(height, 1))) : 1;
  const labelled = major.map(({ value, label }, index) => ({
    value,
    lines:
      index % every
        ? [""]
        : plain(label)
            .split("\n")
            .map((line) => cut(line, most, size)),
  }));
  const widest = Math.max(0, ...labelled.flatMap(({ lines }) => lines.map(size)));
  const room = labelled.length ? TICK_LENGTH + (widest ? GAP + widest : 0) : 0;
  return { major: labelled, minor, slanted: false, room };
}

export const SLANT_DEGREES = (-SLANT * 180) / Math.PI;
