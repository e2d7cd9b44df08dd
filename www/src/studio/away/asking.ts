// The network on the canvas in the studio's session: made there, with the weights of its training, and asked for files.
//
// Invariant: what is trained under `model` stays as it is: this network is another object, made anew for each question. A
// question that fails says the sentence of Python.
import type { Net } from "../model";
import { isRefused } from "../module";
import { type Answer, session } from "../session.svelte";
import type { Studio } from "../studio.svelte";
import { trainingOf } from "../training";
import NETWORK from "./network.py?raw";
import { type Weights, weightsOf } from "./weights.svelte";

type Bytes = Uint8Array<ArrayBuffer>;

const CELL = "files";
const PATH = "glowgrad-studio.tmp";

/** Texts, numbers and lists of them as Python writes them. */
export function literal(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function call(name: string, ...args: unknown[]): string {
  return `${name}(${args.map(literal).join(", ")})\n`;
}

/** Runs Python in the session; what it printed, or its error thrown. */
export async function ran(source: string): Promise<string> {
  return taken(await session.run(source, { cell: CELL })).text.trim();
}

export function taken<Some extends Answer>(answer: Some): Some {
  const { error } = answer;
  // What the studio's own Python says of a file is a sentence already.
  const isSentence = error?.kind === "EngineLost" || error?.kind === "Misfit";
  if (error) throw new Error(isSentence ? error.message : `${error.kind}: ${error.message}`);
  return answer;
}

/** Makes the network `_network.net` in the session, with the newest weights that there are for it. `text` is its class. */
export async function make(
  studio: Studio,
  net: Net,
  weights: Weights = weightsOf(net),
  text: string = classOf(studio, net),
): Promise<void> {
  const { seed } = trainingOf(studio.ask, net);
  const trained = weights.from === "training" ? "model" : "None";
  await ran(`${NETWORK}\n_network.make(${literal(text)}, ${literal(net.name)}, ${seed}, ${trained})\n`);
  if (weights.from === "file") await load(weights.opened.bytes, weights.opened.name);
}

function classOf(studio: Studio, net: Net): string {
  const told = studio.ask("python", { net });
  if (isRefused(told)) throw new Error(told.error);
  return told.text;
}

/** Loads weights of a file into `_network.net`; every name and shape that does not fit is in the error. */
export async function load(bytes: Bytes, name: string): Promise<void> {
  taken(await session.put(PATH, bytes));
  try {
    await ran(call("_network.load", name));
  } finally {
    await ran("_network.forget()");
  }
}

/** A file that Python writes of the network, and what it said while it wrote. */
export async function written(studio: Studio, write: string): Promise<{ bytes: Bytes; said: string }> {
  await make(studio, studio.net);
  const said = await ran(write);
  const bytes = await session.file(PATH);
  await ran("_network.forget()");
  if (bytes === null) throw new Error("The file was not written; try again.");
  return { bytes, said };
}
