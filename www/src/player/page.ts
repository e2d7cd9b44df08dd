// The page of one network: something goes in, the model runs, and what it gives is shown.
//
// Invariant: everything stands in the file; nothing is asked of any network. What the file tells is text, never markup.
import type { About, Brightness, Input, Output } from "./about";
import { brightness, pad } from "./drawing";
import { type Model, run } from "./model";
import { type Packed, unpack } from "./pack";
import { empty, sizeOf, type Tensor } from "./tensor";
import { generator } from "./writing";

const MOST_BARS = 10;

function told<Some>(id: string): Some {
  return JSON.parse(document.getElementById(id)?.textContent ?? "null") as Some;
}

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** One input of the model with these numbers. */
export function tensorOf(model: Model, values: readonly number[]): Tensor {
  const [input] = model.inputs;
  if (!input) throw new Error("the network takes no input");
  const made = empty(input.dtype, input.shape);
  if (values.length !== made.data.length)
    throw new Error(`${made.data.length} numbers are expected, and ${values.length} came`);
  made.data.set(values);
  return made;
}

/** Brightness of each channel's elements, as the network was trained to read it. */
function standard(values: number[], { mean, spread }: Brightness): number[] {
  const each = values.length / mean.length;
  return values.map((value, i) => {
    const channel = Math.floor(i / each);
    return (value - (mean[channel] ?? 0)) / (spread[channel] ?? 1);
  });
}

/** A picture's brightness: one channel of grey, or red, green and blue. */
async function pictureOf(file: Blob, width: number, height: number, channels: number): Promise<number[]> {
  const bitmap = await createImageBitmap(file);
  const canvas = element("canvas", { width, height });
  const context = canvas.getContext("2d");
  if (!context) throw new Error("this browser draws no pictures");
  const side = Math.min(bitmap.width, (bitmap.height * width) / height);
  const tall = (side * height) / width;
  const [left, top] = [(bitmap.width - side) / 2, (bitmap.height - tall) / 2];
  context.drawImage(bitmap, left, top, side, tall, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  const of = (i: number, channel: number) => (data[i * 4 + channel] ?? 0) / 255;
  const grey = (i: number) => 0.299 * of(i, 0) + 0.587 * of(i, 1) + 0.114 * of(i, 2);
  return Array.from({ length: channels * width * height }, (_, index) => {
    const [channel, i] = [Math.floor(index / (width * height)), index % (width * height)];
    return channels === 1 ? grey(i) : of(i, channel);
  });
}

function picker(onFile: (file: File) => void): HTMLElement {
  const input = element("input", { type: "file", accept: "image/*", className: "hidden", tabIndex: -1 });
  input.setAttribute("aria-hidden", "true");
  input.addEventListener("change", () => {
    const [file] = input.files ?? [];
    if (file) onFile(file);
    input.value = "";
  });
  const button = element("button", { type: "button", textContent: "Choose a picture" });
  button.addEventListener("click", () => input.click());
  return element("span", {}, button, input);
}

/** What is put in, and a function that is called with its numbers. */
function inputs(input: Input, onValues: (values: number[] | Promise<number[]>) => void): HTMLElement {
  if (input.kind === "draw") {
    const canvas = element("canvas", { width: 280, height: 280, tabIndex: 0, className: "pad" });
    canvas.setAttribute("role", "img");
    canvas.setAttribute(
      "aria-label",
      "Drawing pad. Arrow keys move the pen, Space puts it down and lifts it.",
    );
    const drawn = pad(canvas, (strokes) => {
      onValues(standard(brightness(strokes, input.side, input.isCounts), input));
    });
    const clear = element("button", { type: "button", textContent: "Clear" });
    clear.addEventListener("click", drawn.clear);
    const choose = picker((file) => {
      drawn.clear();
      onValues(pictureOf(file, input.side, input.side, 1).then((values) => standard(values, input)));
    });
    const keys = element("p", {
      className: "quiet",
      textContent: "Draw here. By keys: arrows move the pen, Space puts it down.",
    });
    return element("div", {}, canvas, keys, element("div", { className: "row" }, clear, choose));
  }
  if (input.kind === "picture") {
    const shown = element("img", { className: "shown", alt: "", hidden: true });
    const choose = picker((file) => {
      URL.revokeObjectURL(shown.src);
      shown.src = URL.createObjectURL(file);
      shown.alt = `The chosen picture, ${file.name}`;
      shown.hidden = false;
      const channels = input.mean.length;
      onValues(
        pictureOf(file, input.width, input.height, channels).then((values) => standard(values, input)),
      );
    });
    const size = `It is cut to its middle and made ${input.width} by ${input.height}.`;
    return element("div", {}, choose, element("p", { className: "quiet", textContent: size }), shown);
  }
  const names = input.kind === "numbers" ? input.names : [];
  const fields = names.map((name) => {
    const field = element("input", { type: "number", step: "any", value: "0" });
    return { field, label: element("label", {}, `${name} `, field) };
  });
  const read = () => onValues(fields.map(({ field }) => Number(field.value) || 0));
  for (const { field } of fields) field.addEventListener("input", read);
  queueMicrotask(read);
  return element("div", { className: "fields" }, ...fields.map(({ label }) => label));
}

export const number = (value: number) =>
  Number.isFinite(value) ? Number(value.toPrecision(4)).toString() : `${value}`;

function softmax(values: number[]): number[] {
  const most = Math.max(...values);
  const powers = values.map((value) => Math.exp(value - most));
  const sum = powers.reduce((total, value) => total + value, 0);
  return powers.map((value) => value / sum);
}

function show(place: HTMLElement, result: Tensor, output: Output) {
  const values = Array.from(result.data, Number);
  if (output.kind === "classes") {
    const shares = softmax(values);
    const ranked = shares.map((_, i) => i).sort((i, j) => (shares[j] as number) - (shares[i] as number));
    const name = (i: number) => output.names?.[i] ?? `class ${i}`;
    const rows = ranked.slice(0, MOST_BARS).map((i) => {
      const share = shares[i] as number;
      const bar = element("meter", { value: share, min: 0, max: 1 });
      bar.setAttribute("aria-label", name(i));
      return element(
        "li",
        {},
        element("span", { textContent: name(i) }),
        bar,
        element("span", { className: "number", textContent: `${(share * 100).toFixed(1)} %` }),
      );
    });
    const best = element("p", { className: "best", textContent: name(ranked[0] ?? 0) });
    best.dataset.testid = "answer";
    place.replaceChildren(best, element("ol", {}, ...rows));
  } else if (output.kind === "picture") {
    place.replaceChildren(painted(values, output));
  } else {
    const shown = values.slice(0, 64).map(number).join(", ");
    const rest = values.length > 64 ? `, and ${values.length - 64} more` : "";
    const text = element("p", { className: "number", textContent: shown + rest });
    text.dataset.testid = "answer";
    place.replaceChildren(
      element("p", { className: "quiet", textContent: `[${result.shape.join(", ")}]` }),
      text,
    );
  }
}

/** A picture of numbers, the smallest black and the largest white. */
function painted(
  values: number[],
  { channels, height, width }: Extract<Output, { kind: "picture" }>,
): HTMLElement {
  const canvas = element("canvas", { width, height, className: "shown" });
  const context = canvas.getContext("2d");
  const image = context?.createImageData(width, height);
  if (!context || !image) return canvas;
  const [least, most] = values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ] as [number, number]);
  const each = width * height;
  for (let i = 0; i < each; i++) {
    for (let channel = 0; channel < 3; channel++) {
      const value = values[(channels === 3 ? channel * each : 0) + i] as number;
      image.data[i * 4 + channel] = ((value - least) / (most - least || 1)) * 255;
    }
    image.data[i * 4 + 3] = 255;
  }
  context.putImageData(image, 0, 0);
  canvas.setAttribute("role", "img");
  canvas.setAttribute(
    "aria-label",
    `A picture of ${width} by ${height}, from ${number(least)} to ${number(most)}`,
  );
  return canvas;
}

function start() {
  const about = told<About>("about");
  const model = unpack(
    told<Packed>("graph"),
    (document.getElementById("elements")?.textContent ?? "").trim(),
  );
  const answer = element("section", { className: "answer" });
  answer.setAttribute("aria-live", "polite");
  answer.setAttribute("aria-label", "What the network says");
  const took = element("p", { className: "quiet" });

  function answered(values: number[]) {
    const began = performance.now();
    const [result] = run(model, [tensorOf(model, values)]);
    if (!result) return;
    show(answer, result, about.output);
    took.textContent = `computed here in ${(performance.now() - began).toFixed(0)} ms`;
  }

  function failed(error: unknown) {
    const text = error instanceof Error ? error.message : String(error);
    answer.replaceChildren(element("p", { className: "problem", textContent: text }));
  }

  let waiting = 0;
  function onValues(values: number[] | Promise<number[]>) {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => void Promise.resolve(values).then(answered).catch(failed));
  }

  const { input } = about;
  const asked = input.kind === "text" ? generator(model, input, failed, answer) : inputs(input, onValues);
  if (input.kind === "draw") onValues(standard(brightness([], input.side, input.isCounts), input));
  const size = sizeOf(model.inputs[0]?.shape ?? []);
  const facts = `${about.parameters.toLocaleString("en")} parameters, ${size.toLocaleString("en")} numbers in.${about.isTrained ? "" : " Its weights are not trained."} It runs in this page, and nothing is sent anywhere.`;
  const drawing = element("pre", { textContent: JSON.stringify(told("network"), null, 1), tabIndex: 0 });
  document.body.append(
    element(
      "main",
      {},
      element("h1", { textContent: about.name }),
      ...(about.note ? [element("p", { textContent: about.note })] : []),
      element(
        "div",
        { className: "both" },
        element("section", { ariaLabel: "What goes in" }, asked),
        element("div", {}, answer, took),
      ),
      element("p", { className: "quiet", textContent: facts }),
      element("details", {}, element("summary", { textContent: "The network as JSON" }), drawing),
      element("p", { className: "quiet", textContent: "Made with glowgrad." }),
    ),
  );
}

start();
