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

/** What `run` of a trained network begins with where its weights came from a file. */
const FROM_FILE = "file:";
const CELL = "files";
const PATH = "glowgrad-studio.tmp";

/** Where the weights of a network come from. */
export type Weights = { from: "training" | "seed" } | { from: "file"; name: string };

export function fromFile(name: string): string {
  return FROM_FILE + name;
}

/** Weights that the session has for this network. */
export function weightsOf(net: Net): Weights {
  const { trained } = session;
  if (trained === null || !isSame(trained.net, net)) return { from: "seed" };
  if (!trained.run.startsWith(FROM_FILE)) return { from: "training" };
  return { from: "file", name: trained.run.slice(FROM_FILE.length) };
}

/** Whether two networks have the same layers under the same names, wherever they are drawn. */
function isSame(a: Net, b: Net): boolean {
  const bare = ({ inputs, nodes, outputs, blocks }: Net) =>
    JSON.stringify([inputs, nodes, outputs, blocks ?? []], (key, value) =>
      key === "at" || key === "note" ? undefined : value,
    );
  return bare(a) === bare(b);
}

/** As Python writes it. */
export function literal(value: unknown): string {
  return JSON.stringify(value)
    .replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .replace(/^(?:true|false|null)$/, (word) => ({ true: "True", false: "False" })[word] ?? "None");
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
  if (error) throw new Error(error.kind === "EngineLost" ? error.message : `${error.kind}: ${error.message}`);
  return answer;
}

/** Python that makes the network `_network.net`, with the weights of its training where there are some. */
export function making(studio: Studio, net: Net, weights: Weights = weightsOf(net)): string {
  const told = studio.ask("python", { net });
  if (isRefused(told)) throw new Error(told.error);
  const { seed } = trainingOf(studio.ask, net);
  const trained = weights.from === "seed" ? "None" : "model";
  return `${NETWORK}\n_network.make(${literal(told.text)}, ${literal(net.name)}, ${seed}, ${trained})\n`;
}

/** A file that Python writes of the network, and what it said while it wrote. */
export async function written(
  studio: Studio,
  write: string,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; said: string }> {
  const said = await ran(making(studio, studio.net) + write);
  const bytes = await session.file(PATH);
  await ran("_network.forget()");
  if (bytes === null) throw new Error("The file was not written; try again.");
  return { bytes, said };
}
