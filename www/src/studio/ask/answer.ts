// A network in what a language model wrote: found, and checked before anything is drawn.
//
// Invariant: what is found is data. The module says whether it is a network (`edit`), and each node has to fit; where it is
// drawn is not the model's to say. Sizes and depths are bounded before the module is asked.
import type { Net } from "../model";
import { type Ask, isRefused, type Told } from "../module";

/** A network that fits, with what was left out of it; or what is wrong. */
export type Checked = { told: Told; leftOut: string } | { faults: string[] };

const MOST_DEPTH = 40;
/** Nodes that are drawn of an answer. */
const MOST_NODES = 1000;
const MOST_FAULTS = 12;
const MOST_STARTS = 64;

/** The JSON object in a text that is most likely a network; a sentence where there is none. */
export function findNetwork(text: string): { net: object } | { fault: string } {
  const fenced = [...text.matchAll(/```[\w-]*\s*\n([\s\S]*?)```/g)].flatMap((match) =>
    objectsIn(match[1] ?? ""),
  );
  const found = fenced.some(isNetwork) ? fenced : objectsIn(text);
  const nets = found.filter(isNetwork);
  const net = nets.at(-1);
  if (net) return { net };
  return text.includes("{")
    ? {
        fault:
          "no JSON object with a list of nodes can be read: it is cut off, is no JSON, or has too many levels",
      }
    : { fault: "the answer holds no JSON" };
}

function isNetwork(value: object): boolean {
  return "nodes" in value && Array.isArray(value.nodes);
}

/** Objects that stand in a text, those inside of others not counted. */
function objectsIn(text: string): object[] {
  const objects: object[] = [];
  let start = text.indexOf("{");
  for (let tries = 0; start >= 0 && tries < MOST_STARTS; tries++) {
    const end = endOf(text, start);
    const object = end === null ? null : parsed(text.slice(start, end));
    if (object) objects.push(object);
    start = text.indexOf("{", object && end !== null ? end : start + 1);
  }
  return objects;
}

/** Where the object ends that begins here; null where it does not, or is too deep. */
function endOf(text: string, start: number): number | null {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const letter = text[at];
    if (letter === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === "\\") at++;
    } else if (letter === "{" || letter === "[") {
      if (++depth > MOST_DEPTH) return null;
    } else if ((letter === "}" || letter === "]") && --depth === 0) return at + 1;
  }
  return null;
}

function parsed(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : null;
  } catch {
    return null;
  }
}

/** Checks what is to be a network. */
export function check(ask: Ask, found: object): Checked {
  const candidate = { format: "glowgrad.architecture", version: 1, name: "Net", ...found } as Net;
  const told = ask("edit", { net: candidate, before: candidate });
  if (isRefused(told)) return { faults: [told.error] };
  const { analysis } = told;
  const n_nodes =
    told.net.nodes.length + (told.net.blocks ?? []).reduce((n, { nodes }) => n + nodes.length, 0);
  if (n_nodes === 0) return { faults: ["the network has no nodes"] };
  if (n_nodes > MOST_NODES) {
    return {
      faults: [
        `the network has ${n_nodes} nodes, and at most ${MOST_NODES} are drawn; use blocks and repeat`,
      ],
    };
  }
  const faults = [...analysis.faults];
  for (const [path, { fault, is_waiting }] of Object.entries(analysis.nodes)) {
    if (fault && !is_waiting) faults.push(`${path}: ${fault}`);
  }
  if (faults.length > 0) return { faults: faults.slice(0, MOST_FAULTS).map((fault) => fault.slice(0, 400)) };
  return settled(ask, told);
}

/** Without places, and without a training that the network has no program for. */
function settled(ask: Ask, { net: made }: Told): Checked {
  const net = structuredClone(made);
  const graphs = [net, ...(net.blocks ?? [])];
  for (const part of [...net.inputs, ...graphs.flatMap(({ nodes }) => nodes)]) delete part.at;
  let leftOut = "";
  if (net.training) {
    const program = ask("training", { net });
    if (isRefused(program)) {
      leftOut = `Its training is left out: ${program.error}.`;
      delete net.training;
    }
  }
  const told = ask("edit", { net, before: net });
  return isRefused(told) ? { faults: [told.error] } : { told, leftOut };
}
