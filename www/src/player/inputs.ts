// The fields of a page: each gives the numbers of one input of the network.
//
// Invariant: a field says nothing (null) until it has something to read; it is read once a frame at most.
import type { Brightness, Field } from "./about";
import { brightness, pad } from "./drawing";
import { button, element, number, paint, quiet, type Size } from "./elements";

/** Reads a field: its numbers, or null where it is empty. */
export type Read = () => number[] | null | Promise<number[]>;
type Of<Kind> = Extract<Field, { kind: Kind }>;

/** More numbers than these are written into one field. */
const MOST_FIELDS = 8;

/** Brightness of each channel's elements, as the network was trained to read it. */
export function standard(values: number[], { mean, spread }: Brightness): number[] {
  const each = values.length / mean.length;
  return values.map((value, i) => {
    const channel = Math.floor(i / each);
    return (value - (mean[channel] ?? 0)) / (spread[channel] ?? 1);
  });
}

export function field(name: string, of: Field, onChange: (read: Read) => void): HTMLElement {
  if (of.kind === "draw") return drawing(of, onChange);
  if (of.kind === "picture") return choosing(of, onChange);
  return numbers(name, of as Of<"numbers">, onChange);
}

/** The side of a small picture, about. */
const SEEN = 80;

/** What the network reads, as a small picture beside the field. */
function preview(of: Size) {
  const canvas = element("canvas", { className: "seen" });
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `What the network reads: ${of.width} by ${of.height}`);
  // Each element has the same whole number of dots.
  canvas.style.width = `${Math.max(1, Math.round(SEEN / of.width)) * of.width}px`;
  const place = element("figure", {}, canvas, element("figcaption", { textContent: "What it reads" }));
  const see = (values: number[]) => {
    paint(canvas, values, of, [0, 1]);
    return values;
  };
  see(new Array<number>(of.channels * of.height * of.width).fill(0));
  return { place, see };
}

function drawing(of: Of<"draw">, onChange: (read: Read) => void): HTMLElement {
  const { side } = of;
  const seen = preview({ channels: 1, height: side, width: side });
  const canvas = element("canvas", { width: 560, height: 560, tabIndex: 0, className: "pad" });
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "Drawing pad. Arrow keys move the pen, Space puts it down and lifts it.");
  const drawn = pad(canvas, (strokes) => {
    onChange(() => {
      const values = seen.see(brightness(strokes, side, of.isCounts));
      return strokes.length === 0 ? null : standard(values, of);
    });
  });
  const choose = picker((file) => {
    drawn.clear();
    onChange(async () => {
      const values = await pictureOf(file, { channels: 1, height: side, width: side });
      return standard(seen.see(asInk(values)), of);
    });
  });
  const tools = element("div", { className: "tools" }, button("Clear", drawn.clear), choose, seen.place);
  const keys = quiet(
    "Draw here. By keys: arrows move the pen, Space puts it down. In a light picture, what is dark is read as ink.",
  );
  return element("div", { className: "field" }, canvas, keys, tools);
}

/** Ink is bright: a picture on a light ground becomes its negative. */
function asInk(values: number[]): number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return mean > 0.5 ? values.map((value) => 1 - value) : values;
}

function choosing(of: Of<"picture">, onChange: (read: Read) => void): HTMLElement {
  const size = { channels: of.mean.length, height: of.height, width: of.width };
  const seen = preview(size);
  seen.place.hidden = true;
  const choose = picker((file) => {
    onChange(async () => {
      const values = seen.see(await pictureOf(file, size));
      seen.place.hidden = false;
      return standard(values, of);
    });
  });
  const cut = quiet(`It is cut to its middle and made ${of.width} by ${of.height}.`);
  return element(
    "div",
    { className: "field" },
    element("div", { className: "tools" }, choose, seen.place),
    cut,
  );
}

function picker(onFile: (file: File) => void): HTMLElement {
  const input = element("input", { type: "file", accept: "image/*", hidden: true });
  input.addEventListener("change", () => {
    const [file] = input.files ?? [];
    if (file) onFile(file);
    input.value = "";
  });
  return element(
    "span",
    {},
    button("Choose a picture", () => input.click()),
    input,
  );
}

/** A picture's brightness from its middle: one channel of grey, or red, green and blue. */
async function pictureOf(file: Blob, { channels, height, width }: Size): Promise<number[]> {
  const bitmap = await createImageBitmap(file).catch(() => null);
  if (!bitmap) throw new Error("this file is no picture that the browser reads; choose a PNG or a JPEG");
  const canvas = element("canvas", { width, height });
  const context = canvas.getContext("2d");
  if (!context) throw new Error("this browser draws no pictures");
  const side = Math.min(bitmap.width, (bitmap.height * width) / height);
  const tall = (side * height) / width;
  const [left, top] = [(bitmap.width - side) / 2, (bitmap.height - tall) / 2];
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, left, top, side, tall, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  const at = (i: number, channel: number) => (data[i * 4 + channel] ?? 0) / 255;
  const grey = (i: number) => 0.299 * at(i, 0) + 0.587 * at(i, 1) + 0.114 * at(i, 2);
  return Array.from({ length: channels * width * height }, (_, index) => {
    const [channel, i] = [Math.floor(index / (width * height)), index % (width * height)];
    return channels === 1 ? grey(i) : at(i, channel);
  });
}

/** Numbers of the normal distribution (Box and Muller). */
function normal(n: number): number[] {
  return Array.from({ length: n }, () => {
    const size = Math.sqrt(-2 * Math.log(1 - Math.random()));
    return size * Math.cos(2 * Math.PI * Math.random());
  });
}

function numbers(name: string, { n, isWhole }: Of<"numbers">, onChange: (read: Read) => void): HTMLElement {
  const isMany = n > MOST_FIELDS;
  const fields = isMany
    ? [element("textarea", { rows: 6, spellcheck: false })]
    : Array.from({ length: n }, () => element("input", { type: "number", step: isWhole ? "1" : "any" }));
  const write = (values: number[]) => {
    const texts = values.map(number);
    fields.forEach((one, i) => {
      one.value = isMany ? texts.join(", ") : (texts[i] ?? "0");
    });
    read();
  };
  const read = () => onChange(() => fields.flatMap((one) => numbersOf(one.value, isWhole, isMany ? n : 1)));
  for (const one of fields) one.addEventListener("input", read);
  const caption = isMany ? `${name}: ${n.toLocaleString("en")} numbers` : name;
  const labels = fields.map((one, i) =>
    element("label", {}, isMany || n === 1 ? caption : `${name} ${i + 1}`, one),
  );
  write(new Array<number>(n).fill(0));
  const random = isWhole ? [] : [button("Draw random numbers", () => write(normal(n)))];
  const grid = element("div", { className: isMany ? "" : "fields" }, ...labels);
  return element("div", { className: "field" }, grid, element("div", { className: "tools" }, ...random));
}

/** The numbers of a text. */
function numbersOf(text: string, isWhole: boolean, n: number): number[] {
  const words = text.split(/[\s,;[\]]+/).filter(Boolean);
  const values = words.map(Number);
  const wrong = values.findIndex((value) => !(isWhole ? Number.isInteger(value) : Number.isFinite(value)));
  if (wrong >= 0) throw new Error(`${words[wrong]} is no ${isWhole ? "whole " : ""}number`);
  if (values.length === 0) throw new Error("a number is missing");
  if (values.length > n) throw new Error(`${n} numbers are expected, and ${values.length} came`);
  return values;
}
