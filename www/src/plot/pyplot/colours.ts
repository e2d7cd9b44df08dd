// A chart's colours in the page: Matplotlib's own cycle in hues of the page, what a program chose as it is.
//
// Invariant: no default hue is the gradient's. Lines and marks of default colours keep a contrast of 3 with the ground
// in both themes. Black on a ground that is dark is the ink; on an image it stays black, because the program chose it
// for what is below.
import type { Colour } from "./schema";

/** What the page draws with; all are "#rrggbb". */
export interface Palette {
  dark: boolean;
  ground: string;
  ink: string;
  quiet: string;
  line: string;
  edge: string;
  /** The ground is the program's: so are all colours on it, but for the cycle. */
  chosen?: boolean;
}

const CYCLE = "#1f77b4 #ff7f0e #2ca02c #d62728 #9467bd #8c564b #e377c2 #7f7f7f #bcbd22 #17becf".split(" ");
/** The same hues, the first and the third the page's own. Orange is vermilion, away from the gradient's amber. */
const ON_DARK = "#56b4e9 #f28a62 #1fb489 #ef6f86 #a996ee #b99281 #de8ec4 #9aa4b2 #b3bd55 #3fc8d2".split(" ");
const ON_LIGHT = "#0072b2 #c64f1c #007a5a #bb2747 #6c4fb5 #7d5546 #b2478f #6a727c #71781a #0a7f8e".split(" ");

/** Below this contrast with the page's dark ground a chosen colour cannot be seen, and moves towards the ink. */
const UNSEEN = 2;
/** The same of a text, which has to be read. */
const UNREAD = 4.5;

export type Rgb = [number, number, number];

export function rgbOf(hex: string): Rgb {
  const at = (start: number) => Number.parseInt(hex.slice(start, start + 2), 16) || 0;
  return [at(1), at(3), at(5)];
}

const hexOf = (rgb: readonly number[]) =>
  `#${rgb.map((each) => Math.round(each).toString(16).padStart(2, "0")).join("")}`;

export function mixed(from: string, to: string, part: number): string {
  const [a, b] = [rgbOf(from), rgbOf(to)];
  return hexOf(a.map((each, channel) => each + ((b[channel] ?? 0) - each) * part));
}

export function luminance(hex: string): number {
  const [red, green, blue] = rgbOf(hex).map((each) => {
    const part = each / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function contrast(a: string, b: string): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** The palette on a ground that the program chose. */
export function paletteOn(ground: string, page: Palette): Palette {
  const solid = mixed(page.ground, ground.slice(0, 7), opacityOf(ground));
  const dark = luminance(solid) < 0.2;
  const ink = dark ? "#e8eaed" : "#1b1f24";
  return {
    dark,
    ground: solid,
    ink,
    quiet: mixed(solid, ink, 0.72),
    line: mixed(solid, ink, 0.16),
    edge: mixed(solid, ink, 0.5),
    chosen: true,
  };
}

export function opacityOf(colour: string): number {
  return colour.length === 9 ? Number.parseInt(colour.slice(7), 16) / 255 : 1;
}

/** Black or white, whichever is more legible on a colour. */
export function inkOn(colour: string): string {
  const plain = colour.slice(0, 7);
  return contrast(plain, "#ffffff") > contrast(plain, "#0e1116") ? "#ffffff" : "#0e1116";
}

/** What a colour of the program is in the page. */
export function shown(colour: Colour, palette: Palette, onImage = false, isText = false): Colour {
  if (colour === null) return null;
  const [plain, alpha] = [colour.slice(0, 7), colour.slice(7)];
  const place = CYCLE.indexOf(plain);
  if (place >= 0) return `${(palette.dark ? ON_DARK : ON_LIGHT)[place] ?? plain}${alpha}`;
  if (onImage || palette.chosen) return colour;
  if (plain === "#000000") return `${palette.ink}${alpha}`;
  // White on white is the program's wish; dark on dark is not.
  const least = isText ? UNREAD : UNSEEN;
  if (!palette.dark || contrast(plain, palette.ground) >= least) return colour;
  for (let part = 0.1; part < 1; part += 0.1) {
    const lighter = mixed(plain, palette.ink, part);
    if (contrast(lighter, palette.ground) >= least + 0.3) return `${lighter}${alpha}`;
  }
  return `${palette.ink}${alpha}`;
}

/** The outline of a filled shape: black and white ones part shapes from each other, and so do ground and ink. */
export function outline(
  edge: Colour,
  face: Colour,
  { palette, onImage = false }: { palette: Palette; onImage?: boolean },
): Colour {
  if (edge === null) return null;
  const [plain, alpha] = [edge.slice(0, 7), edge.slice(7)];
  if (face !== null && !palette.chosen && !onImage) {
    if (plain === "#ffffff") return `${palette.ground}${alpha}`;
    if (palette.dark && plain === "#000000") return palette.ground;
  }
  return shown(edge, palette, onImage);
}
