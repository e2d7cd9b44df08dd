// The graph at one position of the trace as a file: SVG with every colour resolved, or PNG at twice the size.
//
// Invariant: the picture is drawn anew by the same shapes as on the stage, whole and without the view,
// so that a file does not depend on zoom, hover or selection. It needs nothing from outside: colours are
// numbers, faces are names with fallbacks.

import { flushSync, mount, unmount } from "svelte";
import { t } from "../../language/language.svelte";
import { Frame } from "../frame.svelte";
import { layOut } from "../geometry";
import type { StageHandle } from "./handle";
import Print from "./Print.svelte";
import { resolveStyles } from "./resolve";

/** No side of a PNG is longer: browsers give up beyond. */
const LONGEST_SIDE = 8192;

/** The picture as the text of an SVG file. */
export function graphSvg(stage: Pick<StageHandle, "graph" | "layout" | "root" | "frame">): {
  text: string;
  width: number;
  height: number;
} {
  const { graph, root } = stage;
  if (!stage.layout || !root) throw new Error(t("there is no graph on the stage"));
  // A painted graph has no curves until it is drawn as one.
  const layout = stage.layout.curves.length === graph.edges.length ? stage.layout : layOut(graph);
  const frame = new Frame(graph);
  frame.show(stage.frame.t);
  const place = document.createElement("div");
  place.setAttribute("aria-hidden", "true");
  place.inert = true;
  place.style.cssText = "position:absolute;width:0;height:0;overflow:hidden;visibility:visible";
  root.append(place);
  const print = mount(Print, { target: place, props: { graph, frame, layout } });
  try {
    flushSync();
    const drawn = place.querySelector("svg");
    if (!drawn) throw new Error(t("the graph could not be drawn"));
    const copy = resolveStyles(drawn);
    const { width, height } = layout.bounds;
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("width", String(Math.ceil(width)));
    copy.setAttribute("height", String(Math.ceil(height)));
    return {
      text: new XMLSerializer().serializeToString(copy),
      width: Math.ceil(width),
      height: Math.ceil(height),
    };
  } finally {
    void unmount(print);
    place.remove();
  }
}

/** Saves the picture as a file; returns the file's name. */
export async function saveGraph(stage: StageHandle, format: "svg" | "png"): Promise<string> {
  const { text, width, height } = graphSvg(stage);
  const at = Math.floor(stage.frame.t * 100) / 100;
  const name = `glowgrad-step-${stage.graph.step}-event-${at}.${format}`;
  const svg = new Blob([text], { type: "image/svg+xml" });
  download(format === "svg" ? svg : await rasterise(text, width, height), name);
  return name;
}

/** The picture in pixels, two for each unit of the layout, fewer where it would be too large. */
export async function rasterise(text: string, width: number, height: number): Promise<Blob> {
  const factor = Math.min(2, LONGEST_SIDE / Math.max(width, height));
  const image = new Image();
  // A data address, not one of a blob: the page's rules for images allow it everywhere.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(width * factor));
  canvas.height = Math.max(1, Math.round(height * factor));
  const context = canvas.getContext("2d");
  if (!context) throw new Error(t("this browser gave no canvas to draw on"));
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return await new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error(t("the canvas gave no picture")))),
      "image/png",
    );
  });
}

function download(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
