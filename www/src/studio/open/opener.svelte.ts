// A file that is opened in the studio: a network in the place of the one that is there, or weights for it.
//
// Invariant: nothing of a file runs. A network is checked by the module before it is drawn, and is a step that undo takes
// back; weights are taken only where every name and shape fits. What cannot be opened is a sentence, and nothing changes.
import { t } from "../../language/language.svelte";
import { load, make, ran } from "../away/asking";
import { openedWeights } from "../away/weights.svelte";
import { isRefused } from "../module";
import type { Studio } from "../studio.svelte";

type Bytes = Uint8Array<ArrayBuffer>;

/** What a file chooser offers. */
export const KINDS = ".onnx,.json,.py,.safetensors,.pt,.pth";
/** Texts that the module reads. */
const MOST_TEXT = 1 << 20;
/** What a page can hold several times over. */
const MOST_BYTES = 1 << 29;

class Opener {
  /** What is being done. */
  doing = $state("");
  problem = $state("");
  /** What came of it. */
  said = $state("");
  canStop = $state(false);
  #stop: AbortController | null = null;

  get isBusy(): boolean {
    return this.doing !== "";
  }

  stop(): void {
    this.#stop?.abort(new Error(t("Opening was stopped; the network is as it was.")));
  }

  async open(studio: Studio, file: File): Promise<void> {
    if (this.isBusy) return;
    this.problem = this.said = "";
    this.doing = t("{name} is being read", { name: file.name });
    this.#stop = new AbortController();
    try {
      this.said = await this.#opened(studio, file, this.#stop.signal);
      studio.say(this.said);
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
      studio.say(this.problem);
    } finally {
      this.doing = "";
      this.canStop = false;
      this.#stop = null;
    }
  }

  async #opened(studio: Studio, file: File, signal: AbortSignal): Promise<string> {
    const { name, size } = file;
    const end = name.slice(name.lastIndexOf(".")).toLowerCase();
    const most = end === ".json" || end === ".py" ? MOST_TEXT : MOST_BYTES;
    if (size > most) {
      throw new Error(
        `${name} has ${size.toLocaleString("en")} bytes, and at most ${most.toLocaleString("en")} are read.`,
      );
    }
    if (end === ".json") return fromJson(studio, name, await file.text());
    if (end === ".py") return fromPython(studio, name, await file.text());
    if (end !== ".onnx" && end !== ".safetensors" && end !== ".pt" && end !== ".pth") {
      throw new Error(`${name} is none of the files that are read here: ${KINDS.replaceAll(",", ", ")}.`);
    }
    const bytes: Bytes = new Uint8Array(await file.arrayBuffer());
    this.canStop = end === ".onnx";
    if (end === ".onnx") return await fromModel(studio, name, bytes, signal);
    return await weights(studio, name, bytes);
  }
}

function fromJson(studio: Studio, name: string, text: string): string {
  let net: unknown;
  try {
    net = JSON.parse(text);
  } catch (error) {
    throw new Error(`${name} is no JSON: ${String(error).replace(/^SyntaxError: /, "")}`);
  }
  const problem = studio.open(net, `${name} is open.`);
  if (problem) throw new Error(`${name}: ${problem}`);
  return `${name} is open.`;
}

function fromPython(studio: Studio, name: string, text: string): string {
  const told = studio.ask("read_python", { text, before: null });
  if (isRefused(told)) throw new Error(`${name}: ${told.error}`);
  studio.take(told, `${name} is open.`);
  const out = told.left_out ?? [];
  return `${name} is open.${out.length > 0 ? ` Not part of the picture: ${out.join("; ")}.` : ""}`;
}

async function fromModel(studio: Studio, name: string, bytes: Bytes, signal: AbortSignal): Promise<string> {
  const { readModel } = await import("./model");
  const { net, weights } = await readModel(bytes, signal);
  const problem = studio.open(net, `${name} is open.`);
  if (problem) throw new Error(`${name}: ${problem}`);
  openedWeights.keep(studio.net, name, weights);
  return `${name} is open, with its weights.`;
}

async function weights(studio: Studio, name: string, bytes: Bytes): Promise<string> {
  const { net } = studio;
  await make(studio, net, { from: "seed" });
  await load(bytes, name);
  openedWeights.keep(net, name, bytes);
  const count = await ran("print(sum(p.numel() for p in _network.net.parameters()))");
  return t("The weights of {name} fit {net}: {n} numbers.", {
    name,
    net: net.name,
    n: Number(count).toLocaleString("en"),
  });
}

export const opener = new Opener();
