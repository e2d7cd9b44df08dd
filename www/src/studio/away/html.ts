// A trained network as one HTML file: model, weights, and a field for what goes in.
//
// Invariant: the file asks no network for anything; a network that a page cannot run, or that has no room in one, is an
// error, and no file. What is written has been run here on a sample beside the session, and agreed.
import { script, style } from "virtual:player";
import type { About, Input, Output } from "../../player/about";
import { type Model, run, unknownOperators } from "../../player/model";
import { readOnnx } from "../../player/onnx";
import { pack } from "../../player/pack";
import { empty, FLOAT } from "../../player/tensor";
import { jsonText } from "../jsonText";
import type { Net } from "../model";
import { isRefused } from "../module";
import type { Studio } from "../studio.svelte";
import { trainingOf } from "../training";
import { call, written } from "./asking";
import { weightsOf } from "./weights.svelte";

/** The most bytes of a file. */
const MOST_BYTES = 1_000_000;
/** How far the page's arithmetic may be from the session's, to the size of the numbers. */
const MOST_DIFFERENCE = 1e-4;
/** Tokens that a page reads at once where the network leaves their number open. */
const LENGTH = 64;
const CLASSES: Record<string, string[]> = {
  cifar10: ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"],
};

interface Sample {
  values: number[];
  result: number[];
  shape: number[];
  vocabulary: string | null;
}

export async function htmlFile(studio: Studio): Promise<{ content: string; said: string }> {
  const { net } = studio;
  const [input, ...others] = net.inputs;
  if (!input || others.length > 0)
    throw new Error(
      `A page has one input, and this network has ${net.inputs.length}. ONNX has room for all.`,
    );
  if (parametersOf(studio) * 2 > MOST_BYTES * 0.75) throw tooLarge((parametersOf(studio) * 2) / 0.75);
  const dtype = input.dtype ?? "float32";
  const shape = input.shape.map((size, i) => (typeof size === "number" ? size : i === 0 ? 1 : LENGTH));
  const { bytes, said } = await written(
    studio,
    call("_network.write_page", input.name, shape, dtype, net.outputs.length),
  );
  const sample = JSON.parse(said) as Sample;
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
  const about: About = {
    name: net.name,
    note: net.note ?? "",
    parameters: [...model.constants.values()].reduce(
      (sum, { dtype: kind, data }) => sum + (kind === FLOAT ? data.length : 0),
      0,
    ),
    isTrained: weightsOf(net).from !== "seed",
    input: isCopy(shape, sample.shape, training.loss)
      ? asPixels(inputOf(shape, dtype, training.data, sample.vocabulary))
      : inputOf(shape, dtype, training.data, sample.vocabulary),
    output: outputOf(sample.shape, dtype, training),
  };
  const whole = await page(net, about, model, 32);
  if (sizeOf(whole) <= MOST_BYTES) return { content: whole, said: "" };
  const half = await page(net, about, model, 16);
  if (sizeOf(half) <= MOST_BYTES)
    return { content: half, said: "Its weights are rounded to 16 bits, to fit in 1 MB." };
  throw tooLarge(sizeOf(half));
}

function parametersOf({ ask, net }: Studio): number {
  const told = ask("edit", { net, before: net });
  return isRefused(told) ? 0 : told.analysis.parameters;
}

function tooLarge(bytes: number): Error {
  const megabytes = (bytes / 1e6).toFixed(1);
  return new Error(
    `The file would have ${megabytes} MB at 16 bits a weight, and a page has 1 MB. Take the network away as ONNX, or make it smaller.`,
  );
}

/** The largest difference of what the page and the session give for one sample. */
function differenceOf(model: Model, { values, result }: Sample): number {
  const [input] = model.inputs;
  if (!input) throw new Error("The network takes no input.");
  const x = empty(input.dtype, input.shape);
  x.data.set(values);
  const [y] = run(model, [x]);
  const size = Math.max(1, ...result.map(Math.abs));
  return result.reduce((most, value, i) => {
    const away = Math.abs(value - (y?.data[i] ?? Number.NaN)) / size;
    return away <= most ? most : away;
  }, 0);
}

function inputOf(shape: number[], dtype: string, data: string, vocabulary: string | null): Input {
  const sizes = shape.slice(1);
  if (dtype === "int64" && sizes.length === 1)
    return { kind: "text", length: sizes[0] as number, vocabulary };
  if (dtype !== "float32") throw new Error(`A page has no field for an input of ${dtype}.`);
  const n = sizes.reduce((product, size) => product * size, 1);
  const plain = { mean: [0], spread: [1] };
  if (data === "digits" && n === 64) return { kind: "draw", side: 8, isCounts: true, ...plain };
  if (data === "mnist" && n === 784)
    return { kind: "draw", side: 28, isCounts: false, mean: [0.1307], spread: [0.3081] };
  const [channels, height, width] = sizes;
  if (sizes.length === 3 && channels === 1 && height === width)
    return { kind: "draw", side: height as number, isCounts: false, ...plain };
  if (sizes.length === 3 && (channels === 1 || channels === 3)) {
    const standard = { mean: [0.4914, 0.4822, 0.4465], spread: [0.247, 0.2435, 0.2616] };
    const each = new Array<number>(channels).fill(0);
    const brightness =
      data === "cifar10" && channels === 3 ? standard : { mean: each, spread: each.map(() => 1) };
    return { kind: "picture", height: height as number, width: width as number, ...brightness };
  }
  if (n > 64) throw new Error(`A page has no field for ${n} numbers of shape [${sizes.join(", ")}].`);
  return { kind: "numbers", names: Array.from({ length: n }, (_, i) => `${i}`) };
}

/** Whether a network gives what it takes: then its training reads images as pixels from 0 to 1 (`training.rs`). */
function isCopy(taken: readonly number[], given: readonly number[], loss: string): boolean {
  const isClass = ["CrossEntropyLoss", "NLLLoss", "MultiMarginLoss"].includes(loss);
  return !isClass && taken.slice(1).join() === given.slice(1).join();
}

function asPixels(input: Input): Input {
  return "mean" in input
    ? { ...input, mean: input.mean.map(() => 0), spread: input.spread.map(() => 1) }
    : input;
}

function outputOf(shape: number[], dtype: string, { data, loss }: { data: string; loss: string }): Output {
  if (dtype === "int64" && (shape.length === 3 || loss === "CrossEntropyLoss")) return { kind: "next" };
  const sizes = shape.slice(1);
  if (sizes.length === 1 && (loss === "CrossEntropyLoss" || loss === "NLLLoss")) {
    const digits = data === "digits" || data === "mnist";
    const names = digits ? Array.from({ length: 10 }, (_, i) => `${i}`) : CLASSES[data];
    return { kind: "classes", names: names && names.length === sizes[0] ? names : null };
  }
  const [channels, height, width] = sizes;
  if (sizes.length === 3 && (channels === 1 || channels === 3))
    return { kind: "picture", channels, height: height as number, width: width as number };
  return { kind: "numbers" };
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
