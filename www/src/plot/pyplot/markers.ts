// The shapes of points, by Matplotlib's letters.
import { at } from "./scene";

/** Corners in units of the radius, y downwards; several outlines of one marker. */
type Outline = readonly (readonly [number, number])[];

const ring = (corners: number, turn: number, inner = 0): Outline =>
  Array.from({ length: inner ? corners * 2 : corners }, (_, place) => {
    const angle = turn + (place * 2 * Math.PI) / (inner ? corners * 2 : corners);
    const far = inner && place % 2 ? inner : 1;
    return [far * Math.sin(angle), -far * Math.cos(angle)] as const;
  });
const turned = (outline: Outline, quarter: number): Outline =>
  outline.map(([x, y]) => (quarter === 2 ? [-x, -y] : quarter === 1 ? [-y, x] : [y, -x]));
const box = (half: number): Outline => [
  [-half, -half],
  [half, -half],
  [half, half],
  [-half, half],
];
const UP: Outline = [
  [0, -1],
  [0.95, 0.8],
  [-0.95, 0.8],
];
const CROSS: Outline = (
  [
    [-0.33, -1],
    [0.33, -1],
    [0.33, -0.33],
    [1, -0.33],
    [1, 0.33],
    [0.33, 0.33],
    [0.33, 1],
    [-0.33, 1],
    [-0.33, 0.33],
    [-1, 0.33],
    [-1, -0.33],
    [-0.33, -0.33],
  ] as const
).map((corner) => corner);
const rotated = (outline: Outline, angle: number): Outline =>
  outline.map(([x, y]) => [
    x * Math.cos(angle) - y * Math.sin(angle),
    x * Math.sin(angle) + y * Math.cos(angle),
  ]);

const FILLED: Record<string, Outline> = {
  s: box(0.89),
  D: rotated(box(0.89), Math.PI / 4),
  d: rotated(box(0.89), Math.PI / 4).map(([x, y]) => [x * 0.6, y]),
  "^": UP,
  v: turned(UP, 2),
  ">": turned(UP, 1),
  "<": turned(UP, 3),
  p: ring(5, 0),
  "*": ring(5, 0, 0.4),
  h: ring(6, 0),
  H: ring(6, Math.PI / 6),
  "8": ring(8, Math.PI / 8),
  P: CROSS,
  X: rotated(CROSS, Math.PI / 4),
};
/** Strokes alone, from a point to another. */
const STROKES: Record<string, Outline[]> = {
  x: [
    [
      [-0.75, -0.75],
      [0.75, 0.75],
    ],
    [
      [-0.75, 0.75],
      [0.75, -0.75],
    ],
  ],
  "+": [
    [
      [-1, 0],
      [1, 0],
    ],
    [
      [0, -1],
      [0, 1],
    ],
  ],
  _: [
    [
      [-1, 0],
      [1, 0],
    ],
  ],
  "|": [
    [
      [0, -1],
      [0, 1],
    ],
  ],
};
for (const [place, letter] of ["1", "2", "3", "4"].entries()) {
  const tips = ring(3, [Math.PI, 0, -Math.PI / 2, Math.PI / 2][place] ?? 0);
  STROKES[letter] = tips.map((tip) => [[0, 0], tip]);
}

export const isStroke = (marker: string): boolean => marker in STROKES;

/** The path of one marker at each place; circles are arcs. */
export function markerPath(marker: string, places: readonly (readonly [number, number])[], diameter: number) {
  const radius = (marker === "." ? 0.5 : marker === "," ? 0.15 : 1) * (diameter / 2);
  const strokes = STROKES[marker];
  const outline = FILLED[marker];
  let path = "";
  for (const [x, y] of places) {
    const point = ([dx, dy]: readonly [number, number]) => `${at(x + dx * radius)} ${at(y + dy * radius)}`;
    if (strokes) path += strokes.map((stroke) => `M${stroke.map(point).join("L")}`).join("");
    else if (outline) path += `M${outline.map(point).join("L")}z`;
    else {
      const r = Math.max(Math.round(radius * 100) / 100, 0.3);
      path += `M${at(x - r)} ${at(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
    }
  }
  return path;
}
