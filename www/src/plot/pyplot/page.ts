// What a chart takes from the page: its colours and faces, how wide texts are, images as data; and back, as a file.
import { luminance, type Palette } from "./colours";
import { finer, pixels } from "./image";
import type { ImageShape, Measure } from "./scene";

export interface Page {
  palette: Palette;
  face: string;
  mono: string;
}

export function pageOf(element: Element): Page {
  const style = getComputedStyle(element);
  const read = (name: string, otherwise: string) => style.getPropertyValue(name).trim() || otherwise;
  const ground = read("--ground", "#fbfaf7");
  return {
    palette: {
      dark: luminance(ground) < 0.2,
      ground,
      ink: read("--ink", "#1b1f24"),
      quiet: read("--quiet", "#59636f"),
      line: read("--line", "#ddd9d0"),
      edge: read("--edge", "#8b8779"),
    },
    face: read("--font-ui", "sans-serif"),
    mono: read("--font-mono", "monospace"),
  };
}

let context: CanvasRenderingContext2D | null | undefined;

export function measureIn({ face, mono }: Page): Measure {
  context ??= document.createElement("canvas").getContext("2d");
  const known = new Map<string, number>();
  return (text, size, font) => {
    const key = `${size} ${font.bold} ${font.mono} ${text}`;
    let width = known.get(key);
    if (width === undefined) {
      // Without a canvas a letter is about half as wide as high.
      width = text.length * size * 0.56;
      if (context) {
        context.font = `${font.bold ? 600 : 400} ${size}px ${font.mono ? mono : face}`;
        width = context.measureText(text).width;
      }
      known.set(key, width);
    }
    return width;
  };
}

/** An image as a `data:` address. */
export function picture({ image: given, flip }: ImageShape, palette: Palette): string {
  const image = finer(given);
  const canvas = document.createElement("canvas");
  canvas.width = image.columns;
  canvas.height = image.rows;
  const drawing = canvas.getContext("2d");
  if (!drawing) return "";
  drawing.putImageData(new ImageData(pixels(image, palette, flip), image.columns, image.rows), 0, 0);
  return canvas.toDataURL();
}

/** Around a drawing that has no ground of its own. */
const PAD = 12;

/** The drawing as a file of its own, on the ground it has in the page. */
export function fileOf(svg: SVGSVGElement, { palette }: Page): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.removeAttribute("class");
  if (!svg.querySelector(":scope > rect")) {
    const [width, height] = [svg.width.baseVal.value + 2 * PAD, svg.height.baseVal.value + 2 * PAD];
    copy.setAttribute("viewBox", `${-PAD} ${-PAD} ${width} ${height}`);
    copy.setAttribute("width", `${width}`);
    copy.setAttribute("height", `${height}`);
  }
  copy.setAttribute("style", `background: ${palette.ground}`);
  return new XMLSerializer().serializeToString(copy);
}
