// What is drawn under a cell, as images for a file: an SVG of a chart, a PNG of a plot or a figure, with the words around it.
//
// Invariant: an image has the colours and the ground of the page, so it can be read on any other. It is what is on
// screen: what has not been drawn yet is waited for, and then missing from the answer.
import type { Picture } from "../notebook/fileOutputs";
import type { Output } from "../notebook/output.svelte";
import { fileOf, pageOf } from "./pyplot/page";

/** How long drawings that are still on their way are waited for. */
const WAIT_MILLIS = 4000;
const PAD = 12;

/** The drawings under a cell, in their order, and how many of them could not be had. */
export async function picturesOf(
  cell: string,
  output: Output,
): Promise<{ pictures: Picture[]; missing: number }> {
  const wanted = (output.points > 0 ? 1 : 0) + output.figures.length + output.charts.length;
  const figures = () => [...(document.getElementById(cell)?.querySelectorAll("figure") ?? [])];
  const end = performance.now() + WAIT_MILLIS;
  for (;;) {
    const pictures = figures().map(pictureOf);
    const drawn = pictures.filter((picture) => picture !== null);
    const done = drawn.length >= wanted;
    if (done || performance.now() > end)
      return { pictures: drawn, missing: Math.max(0, wanted - drawn.length) };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function pictureOf(figure: HTMLElement): Picture | null {
  const text = figure.querySelector("[aria-label]")?.getAttribute("aria-label") ?? "";
  const svg = figure.querySelector<SVGSVGElement>("svg[role='img']");
  if (svg) return { type: "image/svg+xml", data: fileOf(svg, pageOf(figure)), text };
  const canvas = figure.querySelector("canvas");
  // An empty tensor has words and no picture.
  if (!canvas)
    return figure.querySelector("figcaption") && !figure.querySelector(".chart")
      ? painted(figure, [], text)
      : null;
  return canvas.width > 0 && canvas.height > 0 ? painted(figure, [canvas], text) : null;
}

/** A figure with what is written in it, as it stands on the page. */
function painted(figure: HTMLElement, canvases: HTMLCanvasElement[], text: string): Picture | null {
  const box = figure.getBoundingClientRect();
  const [width, height] = [Math.ceil(box.width) + 2 * PAD, Math.ceil(box.height) + 2 * PAD];
  const scale = Math.max(2, devicePixelRatio || 1);
  const page = document.createElement("canvas");
  page.width = width * scale;
  page.height = height * scale;
  const context = page.getContext("2d");
  if (!context) return null;
  const place = (element: Element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return { x: left - box.left + PAD, y: top - box.top + PAD, width, height };
  };
  context.scale(scale, scale);
  context.fillStyle = pageOf(figure).palette.ground;
  context.fillRect(0, 0, width, height);
  for (const element of figure.querySelectorAll<HTMLElement>(".swatch, .ramp"))
    fill(context, element, place(element));
  for (const canvas of canvases) {
    const { x, y, width, height } = place(canvas);
    context.drawImage(canvas, x, y, width, height);
  }
  write(context, figure, box);
  return { type: "image/png", data: page.toDataURL("image/png").replace(/^.*,/, ""), text, width, height };
}

/** Fills a sign of a legend: with its colour, or with those of its gradient. */
function fill(
  context: CanvasRenderingContext2D,
  element: HTMLElement,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
): void {
  const { backgroundColor, backgroundImage } = getComputedStyle(element);
  const stops = backgroundImage.match(/(?:rgba?|color|oklab|oklch)\([^)]*\)|#[0-9a-f]+/gi);
  if (stops) {
    const along = context.createLinearGradient(x, 0, x + width, 0);
    for (const [at, stop] of stops.entries()) along.addColorStop(at / Math.max(1, stops.length - 1), stop);
    context.fillStyle = along;
  } else context.fillStyle = backgroundColor;
  context.fillRect(x, y, width, height);
}

/** Writes the texts of a figure where they stand, but for what only a pointer needs. */
function write(context: CanvasRenderingContext2D, figure: HTMLElement, box: DOMRect): void {
  const texts = document.createTreeWalker(figure, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  context.textBaseline = "middle";
  while (texts.nextNode()) {
    const node = texts.currentNode;
    const words = node.textContent?.trim();
    const parent = node.parentElement;
    if (!words || !parent || parent.closest("button, .hint, .uplot")) continue;
    range.selectNodeContents(node);
    const at = range.getBoundingClientRect();
    const { fontWeight, fontSize, fontFamily, color } = getComputedStyle(parent);
    context.font = `${fontWeight} ${fontSize} ${fontFamily}`;
    context.fillStyle = color;
    context.fillText(words, at.left - box.left + PAD, at.top - box.top + PAD + at.height / 2);
  }
}
