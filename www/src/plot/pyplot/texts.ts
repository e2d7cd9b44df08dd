// The texts in a frame, and what they take into account: what lies below them, how large they are.
import { inkOn, opacityOf, shown } from "./colours";
import { barBox, type DrawnAxes, isThere, near, places, type Spot } from "./place";
import { type Box, LINE, POINT, type Shape, TICK_SIZE } from "./scene";
import type { Colour, TextMark } from "./schema";
import { plain } from "./words";

/** The colour of the bar or shape that lies at a spot, below a text. */
function below(text: TextMark, spot: Spot, place: DrawnAxes): Colour {
  let found: Colour = null;
  for (const mark of place.marks) {
    if (mark === text) break;
    if (mark.kind === "bars") {
      for (let index = 0; index < mark.x.length; index++) {
        const box = barBox(mark, index, place);
        if (box && near(box, spot)) found = mark.color[index % mark.color.length] ?? found;
      }
    } else if (mark.kind === "polygon" && inPolygon(places(mark.x, mark.y, place), spot)) found = mark.color;
  }
  return found && opacityOf(found) > 0.5 ? shown(found, place.palette) : null;
}

function inPolygon(corners: readonly Spot[], [x, y]: Spot): boolean {
  let inside = false;
  for (const [index, [x1, y1]] of corners.entries()) {
    const [x0, y0] = corners.at(index - 1) ?? [x1, y1];
    if (y1 > y !== y0 > y && x < x1 + ((x0 - x1) * (y - y1)) / (y0 - y1)) inside = !inside;
  }
  return inside;
}

/** In pixels. */
export const sizeOf = ({ size }: TextMark): number => Math.min(Math.max((size ?? 10) * POINT, TICK_SIZE), 32);

/** Where a level text stands; `wide` is its longest line. */
export function textBox(mark: TextMark, place: Pick<DrawnAxes, "x" | "y">, wide: number): Box {
  const size = sizeOf(mark);
  const height = size * LINE * plain(mark.text).split("\n").length;
  const across = { left: 0, center: 0.5, right: 1 }[mark.across];
  const up = { top: 0, center: 0.5, baseline: 1, bottom: 1 }[mark.along];
  return { x: place.x(mark.x) - wide * across, y: place.y(mark.y) - height * up, width: wide, height };
}

const SHIFT = { baseline: 0, bottom: -0.22, center: 0.35, top: 0.78 };
const ANCHOR = { left: "start", center: "middle", right: "end" } as const;

export function drawText(mark: TextMark, place: DrawnAxes, shapes: Shape[]): void {
  const { frame } = place;
  const [x, y] =
    mark.place === "data"
      ? [place.x(mark.x), place.y(mark.y)]
      : [frame.x + frame.width * mark.x, frame.y + frame.height * (1 - mark.y)];
  const inside = mark.place !== "data" || near(frame, [x, y]);
  const own = shown(mark.color, place.palette, place.onImage, true);
  if (!inside || !isThere([x, y]) || !own) return;
  const size = sizeOf(mark);
  const fill = mark.place === "data" && !place.onImage ? below(mark, [x, y - size * 0.3], place) : null;
  // A text without a colour of its own is legible on what it stands on.
  const color = fill && mark.color === "#000000" ? inkOn(fill) : own;
  const lines = plain(mark.text).split("\n");
  const turn = -mark.rotation || 0;
  const [sin, cos] = [Math.sin((turn * Math.PI) / 180), Math.cos((turn * Math.PI) / 180)];
  // The last line's base line is the text's; a text from its top hangs, one at its centre spreads.
  const above = { baseline: 1, bottom: 1, center: 0.5, top: 0 }[mark.along] * (lines.length - 1);
  for (const [index, words] of lines.entries()) {
    const down = size * (SHIFT[mark.along] + LINE * (index - above));
    shapes.push({
      kind: "text",
      x: x - sin * down,
      y: y + cos * down,
      text: words,
      size,
      color,
      anchor: ANCHOR[mark.across],
      turn,
      bold: mark.bold,
      halo: place.onImage || fill ? undefined : place.palette.ground,
    });
  }
}
