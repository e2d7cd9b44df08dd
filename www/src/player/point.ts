// A plane on which a point is set, coloured by what the network says of each place.
//
// Invariant: the colours are of the classes' order, and the answer says the class in words. The map is computed in slices,
// so the page stays at hand.
import type { Field } from "./about";
import { element, number, quiet } from "./elements";
import type { Read } from "./inputs";

/** Places along a side of the map, dots of one, and after how many a class is named on it. */
const PLACES = 48;
const DOTS = 12;
const NAMED = 8;
/** How long a slice of the map takes. */
const SLICE = 12;
const STEP = 1 / 40;
const COLORS = ["--forward", "--input", "--parameter"];

type Plane = Extract<Field, { kind: "point" }>;

/** The field; `classAt` says which class the network gives a point. */
export function plane(
  of: Plane,
  classAt: (values: number[]) => number,
  onChange: (read: Read) => void,
): HTMLElement {
  const side = PLACES * DOTS;
  const canvas = element("canvas", { width: side, height: side, tabIndex: 0, className: "pad" });
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "A plane of points. Arrow keys move the point.");
  const classes: number[] = [];
  let at = { x: 0.5, y: 0.5 };
  const pointAt = (x: number, y: number) => [of.left + x * of.side, of.bottom + (1 - y) * of.side];
  const place = quiet("");

  function paint() {
    const context = canvas.getContext("2d");
    if (!context) return;
    const { width, height } = canvas;
    const style = getComputedStyle(canvas);
    context.clearRect(0, 0, width, height);
    context.globalAlpha = 0.45;
    classes.forEach((found, i) => {
      context.fillStyle = style.getPropertyValue(COLORS[found] ?? "--edge");
      context.fillRect((i % PLACES) * DOTS, Math.floor(i / PLACES) * DOTS, DOTS, DOTS);
    });
    context.globalAlpha = 1;
    context.fillStyle = style.color;
    context.font = `20px ${style.getPropertyValue("--font-mono")}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    classes.forEach((found, i) => {
      const [column, row] = [i % PLACES, Math.floor(i / PLACES)];
      if (column % NAMED === NAMED / 2 && row % NAMED === NAMED / 2)
        context.fillText(`${found}`, (column + 0.5) * DOTS, (row + 0.5) * DOTS);
    });
    context.lineWidth = 4;
    context.strokeStyle = style.color;
    context.fillStyle = style.getPropertyValue("--ground");
    context.beginPath();
    context.arc(at.x * width, at.y * height, 11, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
  }

  function set(x: number, y: number) {
    const held = (value: number) => Math.min(1, Math.max(0, value));
    at = { x: held(x), y: held(y) };
    const values = pointAt(at.x, at.y);
    place.textContent = `The point (${values.map(number).join(", ")}). Set it by a press, or move it by arrow keys.`;
    paint();
    onChange(() => values);
  }

  function fromPointer(event: PointerEvent) {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    set((event.clientX - left) / width, (event.clientY - top) / height);
  }

  function map() {
    const end = performance.now() + SLICE;
    while (classes.length < PLACES * PLACES && performance.now() < end) {
      const i = classes.length;
      classes.push(classAt(pointAt(((i % PLACES) + 0.5) / PLACES, (Math.floor(i / PLACES) + 0.5) / PLACES)));
    }
    paint();
    if (classes.length < PLACES * PLACES) requestAnimationFrame(map);
  }

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fromPointer(event);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (canvas.hasPointerCapture(event.pointerId)) fromPointer(event);
  });
  canvas.addEventListener("keydown", (event) => {
    const dx = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key] ?? 0;
    const dy = { ArrowUp: -STEP, ArrowDown: STEP }[event.key] ?? 0;
    if (dx === 0 && dy === 0) return;
    event.preventDefault();
    set(at.x + dx, at.y + dy);
  });
  matchMedia("(prefers-color-scheme: light)").addEventListener("change", paint);
  requestAnimationFrame(() => {
    set(at.x, at.y);
    map();
  });
  return element("div", { className: "field" }, canvas, place);
}
