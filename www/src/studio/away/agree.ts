// Whether the Python and the document compute the same: both run in the session on one random input, with the same weights.
import type { Net } from "../model";
import type { Studio } from "../studio.svelte";
import AGREE from "./agree.py?raw";
import { literal, make, ran } from "./asking";

interface Agreement {
  /** Of each result the largest difference, null where shapes differ; null where their numbers do. */
  outputs: (number | null)[] | null;
  counts: [number, number];
  largest: number;
  /** Of each layer, in the order of the document. */
  layers: Layer[];
  /** Of each result of the document, those that made it of layers' results. */
  functions: string[][];
}

interface Layer {
  name: string;
  /** How far its result differs, and each tensor that it reads; null where shapes differ. */
  given: number | null;
  read: (number | null)[];
  /** Those that made what it reads of other layers' results. */
  functions: string[];
}

/** What was found, in words. */
export interface Found {
  agrees: boolean;
  text: string;
}

/** Runs a class in `text` and the document of the network. */
export async function agreement(studio: Studio, text: string): Promise<Found> {
  const { net } = studio;
  await make(studio, net, undefined, text);
  const { inputs, name } = net;
  const given = inputs.map(({ shape, dtype }) => [shape, dtype ?? "float32"]);
  const document = JSON.stringify(bare(net));
  const printed = await ran(
    `${AGREE}\nprint(json.dumps(agreement(json.loads(${literal(document)}), _network.net, [_network.sample(*each) for each in ${literal(given)}])))\n`,
  );
  return told(name, JSON.parse(printed.split("\n").at(-1) ?? "null"));
}

function bare({ inputs, nodes, outputs, blocks = [] }: Net) {
  return { inputs, nodes, outputs, blocks };
}

export function told(name: string, { outputs, counts, largest, layers, functions }: Agreement): Found {
  const most = 1e-5 * (1 + largest);
  const isFar = (difference: number | null) => !(difference !== null && difference <= most);
  const far = outputs?.findIndex(isFar) ?? 0;
  const where = placeOf(layers, functions[far] ?? [], far >= 0, isFar);
  if (outputs === null) {
    return {
      agrees: false,
      text: `The Python gives ${counts[0]} results, and the drawing ${counts[1]}.${where}`,
    };
  }
  if (outputs.includes(null)) return { agrees: false, text: `The results have different shapes.${where}` };
  const all = (outputs as number[]).map(shown).join(", ");
  const each = outputs.length === 1 ? "The largest difference" : "The largest differences of the results";
  const on = `${each} on a random input: ${all}, of numbers up to ${shown(largest)}.`;
  if (!outputs.some(isFar))
    return { agrees: true, text: `The Python and the drawing of ${name} agree. ${on}` };
  return { agrees: false, text: `The Python and the drawing of ${name} differ. ${on}${where}` };
}

/** Where the first difference is: in a layer, in what it reads, or in what comes behind all layers. */
function placeOf(
  layers: readonly Layer[],
  last: readonly string[],
  isApart: boolean,
  isFar: (difference: number | null) => boolean,
): string {
  for (const { name, given, read, functions } of layers) {
    if (read.some(isFar)) {
      if (functions.length > 0) return ` The first difference is in ${among(functions)}, before ${name}.`;
      return ` The first difference is in what ${name} reads.`;
    }
    if (isFar(given))
      return ` The first layer that differs is ${name}${given === null ? ", in its shape" : `, by ${shown(given)}`}.`;
  }
  return isApart && last.length > 0 ? ` The first difference is in ${among(last)}, before the result.` : "";
}

function among(functions: readonly string[]): string {
  if (functions.length === 1) return `the function ${functions[0]}`;
  return `one of the functions ${functions.slice(0, -1).join(", ")} and ${functions.at(-1)}`;
}

function shown(x: number): string {
  return x === 0 ? "0" : x.toPrecision(2).replace(/\.?0+(?=e|$)/, "");
}
