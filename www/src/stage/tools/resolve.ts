// A copy of an SVG that looks the same away from its page: styles written out, colours as numbers.
//
// Invariant: the copy has no class, no variable and no colour function that only browsers know.

/** Properties that the shapes of the stage use, as presentation attributes. */
const PROPERTIES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "opacity",
  "visibility",
  "display",
  "filter",
  "stop-color",
  "stop-opacity",
  "paint-order",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
] as const;
const COLOURS = new Set<string>(["fill", "stroke", "stop-color"]);
/** What SVG takes for granted. */
const INITIAL: Partial<Record<(typeof PROPERTIES)[number], string>> = {
  "fill-opacity": "1",
  stroke: "none",
  "stroke-width": "1",
  "stroke-opacity": "1",
  "stroke-dasharray": "none",
  "stroke-linecap": "butt",
  "stroke-linejoin": "miter",
  opacity: "1",
  visibility: "visible",
  display: "inline",
  filter: "none",
  "stop-opacity": "1",
  "paint-order": "normal",
  "text-anchor": "start",
};
const TEXT_ONLY = new Set<string>(["font-family", "font-size", "font-weight", "text-anchor"]);
const FALLBACKS = "ui-monospace, Menlo, Consolas, monospace";

/** A copy with the styles that the original has on its page. */
export function resolveStyles(svg: SVGSVGElement): SVGSVGElement {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const colours = new Colours();
  const originals = [svg, ...svg.querySelectorAll("*")];
  const copies = [copy, ...copy.querySelectorAll("*")];
  originals.forEach((original, index) => {
    const element = copies[index] as SVGElement | undefined;
    if (!element) return;
    const style = getComputedStyle(original);
    const isStop = original.tagName === "stop";
    const isText = original.tagName === "text" || original.tagName === "tspan";
    const isShape = original.closest("defs") === null;
    for (const name of PROPERTIES) {
      const stop = name.startsWith("stop-");
      if (isStop ? !stop : stop || !isShape || (TEXT_ONLY.has(name) && !isText)) continue;
      let value = style.getPropertyValue(name).trim();
      if (COLOURS.has(name) && value !== "none" && !value.startsWith("url(")) value = colours.resolve(value);
      if (name === "filter" || value.startsWith("url("))
        value = value.replace(/url\(["']?[^#]*#([^"')]+)["']?\)/, "url(#$1)");
      if (name === "font-family") value = `${value.replace(/"/g, "'")}, ${FALLBACKS}`;
      if (!value || value === INITIAL[name]) element.removeAttribute(name);
      else element.setAttribute(name, value);
    }
    for (const name of ["style", "class", "tabindex", "role", "data-node", "aria-pressed"])
      element.removeAttribute(name);
    if (element.getAttribute("aria-label") === null) return;
    element.removeAttribute("aria-label");
  });
  for (const element of [...copy.querySelectorAll("*")]) {
    if (element.getAttribute("display") === "none" || element.getAttribute("visibility") === "hidden")
      element.remove();
  }
  // Comments are the traces of the template that drew it.
  const walker = document.createTreeWalker(copy, NodeFilter.SHOW_COMMENT);
  const comments: Node[] = [];
  while (walker.nextNode()) comments.push(walker.currentNode);
  for (const comment of comments) comment.parentNode?.removeChild(comment);
  return copy;
}

/** Colours as `#rrggbb` or `rgba(…)`, by painting them. */
class Colours {
  readonly #known = new Map<string, string>();
  readonly #context: CanvasRenderingContext2D | null;

  constructor() {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 1;
    this.#context = canvas.getContext("2d", { willReadFrequently: true });
  }

  resolve(colour: string): string {
    const known = this.#known.get(colour);
    if (known) return known;
    const context = this.#context;
    let found = colour;
    if (context) {
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = colour;
      context.fillRect(0, 0, 1, 1);
      const [r = 0, g = 0, b = 0, a = 0] = context.getImageData(0, 0, 1, 1).data;
      const hex = [r, g, b].map((channel) => channel.toString(16).padStart(2, "0")).join("");
      found = a === 255 ? `#${hex}` : a === 0 ? "none" : `rgba(${r},${g},${b},${(a / 255).toFixed(3)})`;
    }
    this.#known.set(colour, found);
    return found;
  }
}
