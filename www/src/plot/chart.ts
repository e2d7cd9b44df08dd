// uPlot in the page's colours. Loaded with the first points of a plot.
//
// Invariant: `draw` may be called at any rate; it draws at most once a frame, with the newest points.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { type Series, short } from "./series";

const HEIGHT = 180;

export interface Chart {
  /** `theme` changes when colours must be read again. */
  draw(series: Series, width: number, theme: number): void;
  destroy(): void;
}

export function makeChart(host: HTMLElement, colours: string[]): Chart {
  let plot: uPlot | null = null;
  let built = "";
  let wanted: { series: Series; width: number; theme: number } | null = null;
  let frame = 0;

  function draw() {
    frame = 0;
    if (!wanted) return;
    const { series, width, theme } = wanted;
    const names = series.list.map((column) => column.name);
    const key = `${theme}\n${names.join("\n")}`;
    const data = series.aligned() as uPlot.AlignedData;
    if (!plot || key !== built) {
      plot?.destroy();
      plot = new uPlot(options(names, width, colours), data, host);
      built = key;
    } else {
      if (plot.width !== width) plot.setSize({ width, height: HEIGHT });
      plot.setData(data);
    }
  }

  return {
    draw(series, width, theme) {
      wanted = { series, width, theme };
      if (!frame) frame = requestAnimationFrame(draw);
    },
    destroy() {
      cancelAnimationFrame(frame);
      plot?.destroy();
      plot = null;
    },
  };
}

function options(names: string[], width: number, colours: string[]): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour("--quiet"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
    font: `11px ${colour("--font-mono")}`,
  };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 } },
    scales: { x: { time: false } },
    axes: [
      { ...axis, size: 28, values: (_plot, values) => values.map((value) => short(value)) },
      { ...axis, size: 52, values: (_plot, values) => values.map((value) => short(value)) },
    ],
    series: [
      {},
      ...names.map((name, index) => ({
        label: name,
        stroke: colour(colours[index % colours.length] ?? "--ink"),
        width: 1.5,
        points: { show: false },
        spanGaps: true,
        // Past the colours, the dash tells series apart.
        dash: index >= colours.length ? [5, 3] : undefined,
      })),
    ],
  };
}
