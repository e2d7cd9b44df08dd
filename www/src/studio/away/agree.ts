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
  layers: [string, number | null][];
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

export function told(name: string, { outputs, counts, largest, layers }: Agreement): Found {
  const most = 1e-5 * (1 + largest);
  const isFar = (difference: number | null) => !(difference !== null && difference <= most);
  const first = layers.find(([, difference]) => isFar(difference));
  const where =
    first === undefined
      ? ""
      : ` The first layer that differs is ${first[0]}${first[1] === null ? ", in its shape" : `, by ${shown(first[1])}`}.`;
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

function shown(x: number): string {
  return x === 0 ? "0" : x.toPrecision(2).replace(/\.?0+(?=e|$)/, "");
}
