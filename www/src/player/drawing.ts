// A pad on which strokes are drawn, by pointer and by keys, and what a network reads of them.
import { type Point, reduce, type Stroke } from "../widgets/digit";

/** The share of the side that a drawing's longer edge takes, as MNIST's makers set it. */
const BOX = 20 / 28;
/** The pen's radius in a box of side 1. */
const PEN = 0.042;
const KEY_STEP = 0.04;

/** Brightness from 0 to 1 of a drawing, as a square of so many elements: moved to the middle, and scaled. */
export function brightness(strokes: Stroke[], side: number, isCounts: boolean): number[] {
  if (isCounts && side === 8) return reduce(strokes).map((count) => count / 16);
  const points = strokes.flat();
  if (points.length === 0) return new Array<number>(side * side).fill(0);
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const size = Math.max(Math.max(...xs) - left, Math.max(...ys) - top, 0.2);
  const scale = BOX / size;
  const placed = (dx: number, dy: number) =>
    strokes.map((stroke) =>
      stroke.map(({ x, y }) => ({ x: (x - left) * scale + dx, y: (y - top) * scale + dy })),
    );
  // Once to find its middle of mass, and once more with that in the middle.
  const first = raster(placed(0.15, 0.15), side);
  let [sum, x, y] = [0, 0, 0];
  first.forEach((ink, i) => {
    sum += ink;
    x += ink * ((i % side) + 0.5);
    y += ink * (Math.floor(i / side) + 0.5);
  });
  if (sum === 0) return first;
  return raster(placed(0.15 + 0.5 - x / sum / side, 0.15 + 0.5 - y / sum / side), side);
}

function raster(strokes: Stroke[], side: number): number[] {
  const radius = PEN * side;
  return Array.from({ length: side * side }, (_, i) => {
    const at = { x: (i % side) + 0.5, y: Math.floor(i / side) + 0.5 };
    let nearest = Number.POSITIVE_INFINITY;
    for (const stroke of strokes)
      for (let k = 0; k < stroke.length; k++) {
        const [from, to] = [stroke[Math.max(0, k - 1)] as Point, stroke[k] as Point];
        nearest = Math.min(nearest, distance(at, from, to, side));
      }
    return Math.min(1, Math.max(0, radius + 0.5 - nearest));
  });
}

/** From a point to a piece of a line, whose ends are shares of the side. */
function distance(at: Point, from: Point, to: Point, side: number): number {
  const [ax, ay] = [from.x * side, from.y * side];
  const [dx, dy] = [to.x * side - ax, to.y * side - ay];
  const length = dx * dx + dy * dy;
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, ((at.x - ax) * dx + (at.y - ay) * dy) / length));
  return Math.hypot(at.x - ax - share * dx, at.y - ay - share * dy);
}

/** The pad: a canvas that draws on itself and tells of each change. */
export function pad(canvas: HTMLCanvasElement, onChange: (strokes: Stroke[]) => void): { clear: () => void } {
  const strokes: Stroke[] = [];
  let pen: Point = { x: 0.5, y: 0.5 };
  let isDown = false;
  let showsPen = false;

  function paint() {
    const context = canvas.getContext("2d");
    if (!context) return;
    const { width, height } = canvas;
    const style = getComputedStyle(canvas);
    context.clearRect(0, 0, width, height);
    context.strokeStyle = context.fillStyle = style.color;
    context.lineWidth = width * 0.07;
    context.lineCap = context.lineJoin = "round";
    for (const stroke of strokes) {
      context.beginPath();
      for (const { x, y } of stroke) context.lineTo(x * width, y * height);
      const [first] = stroke;
      if (stroke.length === 1 && first) context.lineTo(first.x * width + 0.01, first.y * height);
      context.stroke();
    }
    if (showsPen) {
      context.beginPath();
      context.lineWidth = width / 140;
      context.arc(pen.x * width, pen.y * height, width * (isDown ? 0.018 : 0.028), 0, 2 * Math.PI);
      context.stroke();
    }
  }

  function changed() {
    paint();
    onChange(strokes);
  }

  function placeOf(event: PointerEvent): Point {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    return { x: (event.clientX - left) / width, y: (event.clientY - top) / height };
  }

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    showsPen = false;
    strokes.push([placeOf(event)]);
    changed();
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!canvas.hasPointerCapture(event.pointerId)) return;
    strokes.at(-1)?.push(placeOf(event));
    changed();
  });
  canvas.addEventListener("keydown", (event) => {
    const moves: Record<string, Point> = {
      ArrowLeft: { x: -KEY_STEP, y: 0 },
      ArrowRight: { x: KEY_STEP, y: 0 },
      ArrowUp: { x: 0, y: -KEY_STEP },
      ArrowDown: { x: 0, y: KEY_STEP },
    };
    const move = moves[event.key];
    if (move) {
      const held = (value: number) => Math.min(1, Math.max(0, value));
      pen = { x: held(pen.x + move.x), y: held(pen.y + move.y) };
      if (isDown) strokes.at(-1)?.push(pen);
    } else if (event.key === " ") {
      isDown = !isDown;
      if (isDown) strokes.push([pen]);
    } else return;
    event.preventDefault();
    showsPen = true;
    if (isDown) changed();
    else paint();
  });
  canvas.addEventListener("blur", () => {
    isDown = showsPen = false;
    paint();
  });
  matchMedia("(prefers-color-scheme: light)").addEventListener("change", paint);
  return {
    clear() {
      strokes.length = 0;
      isDown = false;
      changed();
    },
  };
}
