// uPlot in the page's colours. Loaded with the first points of a plot.
//
// Invariant: `draw` may be called at any rate; it draws at most once a frame, with the newest points.
// Its drawing is made only then. The cursor stays where it was put, also when that was before the first drawing. Leaves
// which lines there are to the caller.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { short } from "../notebook/series";

export interface Line {
  label: string;
  /** A custom property of the page. */
  colour: string;
  dash?: number[];
  /** The raw line behind a smooth one. */
  faint?: boolean;
}

export interface Drawing {
  lines: Line[];
  /** One x axis, then a row for each line. */
  data: [number[], ...(number | null)[][]];
  log?: boolean;
}

export interface Size {
  width: number;
  height: number;
  /** Changes when colours must be read again. */
  theme: number;
}

export interface Chart {
  draw(make: () => Drawing, size: Size): void;
  /** Puts the cursor at a place of the x axis; null takes it away. */
  point(index: number | null): void;
  destroy(): void;
}

export function makeChart(host: HTMLElement, onpoint?: (index: number | null) => void): Chart {
  let plot: uPlot | null = null;
  let built = "";
  let wanted: { make: () => Drawing; size: Size } | null = null;
  let frame = 0;
  /** Where the cursor is. */
  let at: number | null = null;
  const moved = (index: number | null) => {
    at = index;
    onpoint?.(index);
  };

  function show() {
    if (!plot) return;
    const x = at === null ? undefined : plot.data[0][at];
    const left = x === undefined ? -10 : plot.valToPos(x, "x");
    plot.setCursor({ left, top: at === null ? -10 : 10 }, false);
  }

  function draw() {
    frame = 0;
    if (!wanted) return;
    const { make, size } = wanted;
    const { lines, data, log = false } = make();
    const key = JSON.stringify([size.theme, log, lines]);
    if (!plot || key !== built) {
      plot?.destroy();
      plot = new uPlot(options(host, lines, log, size, onpoint && moved), data as uPlot.AlignedData, host);
      built = key;
      // Its scales are there once it has drawn, in a microtask of its own.
      queueMicrotask(show);
    } else {
      if (plot.width !== size.width || plot.height !== size.height) plot.setSize(size);
      plot.setData(data as uPlot.AlignedData);
    }
  }

  return {
    draw(make, size) {
      wanted = { make, size };
      if (!frame) frame = requestAnimationFrame(draw);
    },
    point(index) {
      at = index;
      show();
    },
    destroy() {
      cancelAnimationFrame(frame);
      plot?.destroy();
      plot = null;
    },
  };
}

function options(
  host: HTMLElement,
  lines: Line[],
  log: boolean,
  { width, height }: Size,
  onpoint?: (index: number | null) => void,
): uPlot.Options {
  const style = getComputedStyle(host);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour("--quiet"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
    font: `11px ${colour("--font-mono")}`,
  };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 }, drag: { x: true, y: false, setScale: true } },
    scales: { x: { time: false }, y: log ? { distr: 3, log: 10 } : {} },
    axes: [
      { ...axis, size: 28, values: (_plot, values) => values.map(short) },
      // On a log scale only some ticks have a number.
      { ...axis, size: 52, values: (_plot, values) => values.map((v) => (v === null ? "" : short(v))) },
    ],
    // A new chart sets its cursor too, without a pointer.
    hooks: onpoint ? { setCursor: [(plot) => plot.cursor.event && onpoint(plot.cursor.idx ?? null)] } : {},
    series: [
      {},
      ...lines.map(({ label, colour: name, dash, faint }) => ({
        label,
        stroke: colour(name),
        width: faint ? 1 : 1.5,
        alpha: faint ? 0.3 : 1,
        points: { show: false },
        spanGaps: true,
        dash,
      })),
    ],
  };
}
