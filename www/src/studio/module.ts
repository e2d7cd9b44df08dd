// The module that knows networks, `crates/architecture`, called on the page's own thread: a question is a text, and so is
// its answer.
//
// Invariant: fetched when the studio opens, by no other page. An instance that broke off is replaced, so that one question
// spoils no other.
import { architecture } from "virtual:builds";
import { ask as askModule, type Exports, instanceOf } from "../engine/answering";
import type { Analysis, Args, Catalog, Net, Training } from "./model";

/** Words of a description, and what they mean here. */
export interface Said {
  words: string;
  meaning: string;
}

interface Described extends Partial<Told> {
  understood: Said[];
  assumed: string[];
  unclear: Said[];
  contradictions: string[];
}

export interface Told {
  net: Net;
  analysis: Analysis;
}

/** What is asked, and what the answer holds. */
export interface Questions {
  catalog: [Record<never, never>, Catalog];
  preset: [{ name: string }, Told];
  edit: [{ net: Net; before?: Net }, Told];
  add: [{ net: Net; after: string; kind: string; args?: Args }, Told & { id: string }];
  fixes: [{ net: Net; path: string }, { fixes: { title: string; net: Net }[] }];
  python: [{ net: Net }, { text: string; lines?: Record<string, number | [number, number]> }];
  read_python: [{ text: string; before: Net | null }, Told & { left_out?: string[] }];
  rust: [{ net: Net }, { text: string }];
  /** `setup` is the part of the program that trains nothing yet. */
  training: [{ net: Net }, { training: Training; text: string; setup: string }];
  project: [{ net: Net }, { files: { name: string; text: string }[] }];
  crate_files: [{ net: Net }, { files: { name: string; text: string }[] }];
  describe: [{ text: string }, Described];
}

export interface Refused {
  error: string;
  line: number | null;
}

export type Ask = <Name extends keyof Questions>(
  name: Name,
  beside: Questions[Name][0],
) => Questions[Name][1] | Refused;

export function isRefused(answer: object): answer is Refused {
  return "error" in answer;
}

/** Rows of the registry are read once an instance; one that has grown beyond this is replaced. */
const MOST_BYTES = 128 * 1024 * 1024;
const BROKE_OFF =
  "The question broke the module that answers it. Undo the last change, and go on from there.";

export async function openModule(): Promise<Ask> {
  if (architecture === null) throw new Error("This copy of the page was built without the studio's module.");
  const response = await fetch(architecture);
  if (!response.ok) throw new Error("The studio's module did not arrive. Check the connection, and reload.");
  return answering(await WebAssembly.compile(await response.arrayBuffer()));
}

export function answering(module: WebAssembly.Module): Ask {
  let exports: Exports | null = null;
  return ((name: string, beside: object) => {
    try {
      exports ??= instanceOf(module);
      const { text } = askModule(exports, JSON.stringify({ ask: name, ...beside }));
      if (exports.memory.buffer.byteLength > MOST_BYTES) exports = null;
      return JSON.parse(text);
    } catch {
      exports = null;
      return { error: BROKE_OFF, line: null };
    }
  }) as Ask;
}
