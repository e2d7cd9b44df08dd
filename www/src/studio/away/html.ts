// A trained network as one HTML file: model, weights, and a field for what goes in.
//
// Invariant: the file asks no network for anything; a network that a page cannot run, or that has no room in one, is an
// error, and no file. What is written has been run here on a sample beside the session, and agreed.
import { script, style } from "virtual:player";
import type { About, Field, Shown } from "../../player/about";
import { type Model, run, unknownOperators } from "../../player/model";
import { readOnnx } from "../../player/onnx";
import { pack, unpack } from "../../player/pack";
import { empty } from "../../player/tensor";
import { jsonText } from "../jsonText";
import type { Net, Training } from "../model";
import type { Studio } from "../studio.svelte";
import { trainingOf } from "../training";
import { call, written } from "./asking";
import { weightsOf } from "./weights.svelte";

/** The most bytes of a file. */
const MOST_BYTES = 1_000_000;
/** How far the page's arithmetic may be from the session's, to the size of the numbers. */
const MOST_DIFFERENCE = 1e-5;
/** Tokens that a page reads at once where the network leaves their number open. */
const LENGTH = 64;
const CLASSES: Record<string, string[]> = {
  cifar10: ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"],
};

interface Sample {
  inputs: number[][];
  outputs: { values: number[]; shape: number[] }[];
  vocabulary: string | null;
  /** Whether the network drew random numbers. */
  draws: boolean;
}

export async function htmlFile(studio: Studio): Promise<{ content: string; said: string }> {
  const { net } = studio;
  if (net.inputs.length === 0)
    throw new Error("The network takes no input, so a page of it has nothing to show.");
  const { parameters } = studio.analysis;
  if (sizeAt16(parameters) > MOST_BYTES) throw tooLarge(sizeAt16(parameters));
  const shapes = shapesOf(net);
  const given = net.inputs.map(({ name, dtype }, i) => [name, shapes[i] ?? [], dtype ?? "float32"]);
  const outputs = net.outputs.map((_, i) => (net.outputs.length === 1 ? "output" : `output_${i}`));
  const { bytes, said } = await written(studio, call("_network.write_page", given, outputs));
  const sample = JSON.parse(said.split("\n").at(-1) ?? "null") as Sample;
  const model = readOnnx(bytes);
  const unknown = unknownOperators(model);
  if (unknown.length > 0)
    throw new Error(`A page cannot run ${unknown.join(", ")} yet. Take the network away as ONNX.`);
  const difference = differenceOf(model, sample);
  if (!(difference <= MOST_DIFFERENCE))
    throw new Error(
      `The page's arithmetic differs from the session's by ${difference.toExponential(1)}, so no file is written. Take the network away as ONNX.`,
    );
  const training = trainingOf(studio.ask, net);
  const reads = net.inputs.map(({ name, dtype = "float32" }, i) => {
    const of = fieldOf(shapes[i] ?? [], dtype, training, sample, net.inputs.length);
    return { name, ...of };
  });
  const about: About = {
    name: net.name,
    note: net.note ?? "",
    parameters,
    isTrained: weightsOf(net).from !== "seed",
    inputs: reads,
    outputs: sample.outputs.map(({ shape }, i) => ({
      name: net.outputs[i] ?? "",
      ...shownOf(shape, training, reads[0] as Field, reads.length),
    })),
  };
  const noise = sample.draws ? " The random numbers that the network draws are 0 in it." : "";
  const whole = await page(net, about, model, 32);
  if (sizeOf(whole) <= MOST_BYTES) return { content: whole, said: noise.trim() };
  const half = await page(net, about, model, 16);
  if (sizeOf(half) > MOST_BYTES) throw tooLarge(sizeOf(half));
  const rounded = differenceOf(halved(model), sample).toExponential(1);
  return {
    content: half,
    said: `Its weights are rounded to 16 bits, to fit in 1 MB: on a sample its numbers are off by ${rounded} of the largest.${noise}`,
  };
}

/** The model as a page of 16 bits has it. */
function halved(model: Model): Model {
  const { graph, elements } = pack(model, 16);
  return unpack(graph, elements);
}

/** Sizes of one sample: what is open in front is 1. */
function shapesOf({ inputs }: Net): number[][] {
  const batch = inputs[0]?.shape[0];
  return inputs.map(({ shape }) =>
    shape.map((size, i) => (typeof size === "number" ? size : size === batch || i === 0 ? 1 : LENGTH)),
  );
}

/** What the weights alone take. */
function sizeAt16(parameters: number): number {
  return (parameters * 2 * 4) / 3;
}

function tooLarge(bytes: number): Error {
  const megabytes = (bytes / 1e6).toFixed(1);
  return new Error(
    `The file would have ${megabytes} MB at 16 bits a weight, and a page has 1 MB. Take the network away as ONNX, or make it smaller.`,
  );
}

/** The largest difference of what the page and the session give for one sample, to the size of the largest number. */
function differenceOf(model: Model, { inputs, outputs }: Sample): number {
  const given = model.inputs.map(({ dtype, shape }, i) => {
    const x = empty(dtype, shape);
    x.data.set(inputs[i] ?? []);
    return x;
  });
  const made = run(model, given);
  const away = outputs.map(({ values }, k) => {
    const size = values.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
    return values.reduce((most, value, i) => {
      const one = Math.abs(value - (made[k]?.data[i] ?? Number.NaN)) / size;
      // A number that is none is the largest.
      return one <= most ? most : one;
    }, 0);
  });
  return away.reduce((most, one) => (one <= most ? most : one), 0);
}

const PLAIN = { mean: [0], spread: [1] };
const MNIST = { mean: [0.1307], spread: [0.3081] };
const CIFAR = { mean: [0.4914, 0.4822, 0.4465], spread: [0.247, 0.2435, 0.2616] };
/** The part of the plane in which the points of a data set lie. */
const PLANES: Record<string, { left: number; bottom: number; side: number }> = {
  moons: { left: -1.5, bottom: -1.7, side: 4 },
  spirals: { left: -1.3, bottom: -1.2, side: 2.6 },
  blobs: { left: -11, bottom: -13, side: 26 },
};

type Settings = Pick<Training, "data" | "loss">;

export function fieldOf(
  shape: number[],
  dtype: string,
  { data, loss }: Settings,
  sample: Sample,
  nInputs: number,
): Field {
  const sizes = shape.slice(1);
  const n = sizes.reduce((product, size) => product * size, 1);
  const result = sample.outputs[0]?.shape ?? [];
  if (dtype === "int64" && sizes.length === 1 && nInputs === 1 && isNext(shape, result, loss))
    return { kind: "text", length: n, vocabulary: data === "shakespeare" ? sample.vocabulary : null };
  const numbers: Field = { kind: "numbers", n: n * (shape[0] ?? 1), isWhole: dtype !== "float32" };
  if (dtype !== "float32") return numbers;
  const isMnist = data === "mnist" && n === 784;
  if (data === "digits" && n === 64) return { kind: "draw", side: 8, isCounts: true, ...PLAIN };
  if (n === 784 && (sizes.length === 1 || sizes[0] === 1))
    return { kind: "draw", side: 28, isCounts: false, ...(isMnist ? MNIST : PLAIN) };
  const plane = PLANES[data];
  const nClasses = result.at(-1) ?? 0;
  if (plane && n === 2 && isClasses(result, loss, nInputs) && nClasses <= 3)
    return { kind: "point", ...plane, nClasses };
  const [channels = 0, height = 0, width = 0] = sizes;
  if (sizes.length !== 3 || height < 4 || width < 4) return numbers;
  if (channels === 1 && height === width) return { kind: "draw", side: height, isCounts: false, ...PLAIN };
  if (channels !== 1 && channels !== 3) return numbers;
  const each = new Array<number>(channels).fill(0);
  const brightness = data === "cifar10" && channels === 3 ? CIFAR : { mean: each, spread: each.map(() => 1) };
  return { kind: "picture", height, width, ...brightness };
}

const isClassLoss = (loss: string) => ["CrossEntropyLoss", "NLLLoss", "MultiMarginLoss"].includes(loss);

/** Whether a result is one score for each class. A network of several inputs is not trained here. */
function isClasses(shape: number[], loss: string, nInputs: number): boolean {
  return nInputs === 1 && shape.length === 2 && (shape[1] ?? 0) > 1 && isClassLoss(loss);
}

/** Whether a result scores what comes after tokens: after each, or after the last. */
function isNext(given: number[], result: number[], loss: string): boolean {
  const isEach = result.length === 3 && result[1] === given[1];
  return isClassLoss(loss) && (isEach || result.length === 2);
}

export function shownOf(shape: number[], { data, loss }: Settings, input: Field, nInputs: number): Shown {
  if (input.kind === "text") return { kind: "next", isLast: shape.length === 2 };
  const [channels = 0, height = 0, width = 0] = shape.slice(1);
  const n = shape.slice(1).reduce((product, size) => product * size, 1);
  // A network that gives as much as it reads gives a picture of that size.
  if (input.kind === "draw" && n === input.side ** 2)
    return { kind: "picture", channels: 1, height: input.side, width: input.side };
  if (shape.length === 4 && (channels === 1 || channels === 3) && height > 1 && width > 1)
    return { kind: "picture", channels, height, width };
  if (!isClasses(shape, loss, nInputs)) return { kind: "numbers" };
  const known = CLASSES[data];
  const isDigits = (data === "digits" || data === "mnist") && n === 10;
  const name = (i: number) => (known?.length === n ? (known[i] ?? "") : isDigits ? `${i}` : `class ${i}`);
  return { kind: "classes", names: Array.from({ length: n }, (_, i) => name(i)) };
}

function sizeOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** JSON that ends no script, whatever stands in it. */
function json(value: unknown): string {
  const plain = (_: string, each: unknown) =>
    ArrayBuffer.isView(each) ? Array.from(each as Float32Array, Number) : each;
  return JSON.stringify(value, plain).replaceAll("<", "\\u003c");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** What the policy of the page names of a script or a style sheet: itself, where the browser can tell. */
async function named(text: string): Promise<string> {
  if (!globalThis.crypto?.subtle) return "'unsafe-inline'";
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return `'sha256-${btoa(String.fromCharCode(...hash))}'`;
}

export async function page(net: Net, about: About, model: Model, bits: 16 | 32): Promise<string> {
  const { graph, elements } = pack(model, bits);
  // A script ends where it says so, whatever stands around it.
  const program = script.replaceAll("</script", "<\\/script");
  const policy = `default-src 'none'; script-src ${await named(program)}; style-src ${await named(style)}; img-src blob: data:`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escaped(about.name)}</title>
<style>${style}</style>
</head>
<body>
<script type="application/json" id="about">${json(about)}</script>
<script type="application/json" id="network">${json(JSON.parse(jsonText(net)))}</script>
<script type="application/json" id="graph">${json(graph)}</script>
<script type="text/plain" id="elements">${elements}</script>
<script>${program}</script>
</body>
</html>
`;
}
