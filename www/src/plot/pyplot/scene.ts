// What a chart is drawn with: paths, texts and images in pixels.
import type { Dash, ImageMark } from "./schema";

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface PathShape {
  kind: "path";
  d: string;
  fill?: string | null;
  stroke?: string | null;
  width?: number;
  dash?: string;
  /** Ends and corners are round. */
  round?: boolean;
  /** Which of the scene's clips cuts it. */
  clip?: number;
}
export interface TextShape {
  kind: "text";
  x: number;
  y: number;
  text: string;
  size: number;
  color: string;
  anchor: "start" | "middle" | "end";
  /** In degrees, clockwise, around its point. */
  turn?: number;
  bold?: boolean;
  mono?: boolean;
  /** A rim in the ground's colour keeps it legible over lines. */
  halo?: string;
}
export interface ImageShape extends Box {
  kind: "image";
  image: ImageMark;
  flip: { x: boolean; y: boolean };
  smooth: boolean;
  clip?: number;
}
export type Shape = PathShape | TextShape | ImageShape;

export interface Scene {
  width: number;
  height: number;
  background: string | null;
  clips: Box[];
  shapes: Shape[];
}

/** How wide a text is, in pixels. */
export type Measure = (text: string, size: number, font: { bold?: boolean; mono?: boolean }) => number;

/** Pixels of a point of Matplotlib. */
export const POINT = 1.15;
/** No text is smaller. */
export const TICK_SIZE = 11;
export const LABEL_SIZE = 12;
export const TITLE_SIZE = 13;
export const HEAD_SIZE = 14.5;
/** From one line of text to the next, as a share of its size. */
export const LINE = 1.28;

/** A coordinate as SVG has it. */
export const at = (value: number): number => Math.round(Math.min(Math.max(value, -99_999), 99_999) * 10) / 10;

export function rectangle({ x, y, width, height }: Box): string {
  return `M${at(x)} ${at(y)}h${at(width)}v${at(height)}h${at(-width)}z`;
}

export function dashes(dash: Dash, width: number): string | undefined {
  const unit = Math.max(width, 1);
  const pattern = { solid: null, dashed: [4, 2.2], dashdot: [5, 2, 1, 2], dotted: [0.9, 2] }[dash ?? "solid"];
  return pattern?.map((each) => at(each * unit)).join(" ");
}

/** Lines of a text that are no wider than `most`, at most `lines` of them; the last ends in an ellipsis. */
export function wrapped(
  text: string,
  most: number,
  lines: number,
  width: (text: string) => number,
): string[] {
  const found: string[] = [];
  for (const line of text.split("\n")) {
    let current = "";
    for (const word of line.split(" ")) {
      const longer = current ? `${current} ${word}` : word;
      if (current && width(longer) > most) {
        found.push(current);
        current = word;
      } else current = longer;
    }
    found.push(current);
  }
  const kept = found.slice(0, lines);
  if (found.length > lines) kept[lines - 1] = `${kept[lines - 1]} …`;
  return kept.map((line) => cut(line, most, width));
}

export function cut(text: string, most: number, width: (text: string) => number): string {
  if (width(text) <= most) return text;
  let end = text.length;
  while (end > 1 && width(`${text.slice(0, end)}…`) > most) end--;
  return `${text.slice(0, end).trimEnd()}…`;
}
