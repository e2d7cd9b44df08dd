// The forms in which a network is taken away, one row each: what the file is called, what opens it, and how it is made.
//
// Invariant: a row says what opens its file in a sentence that is true without this page. What needs weights is written by
// the session, by the calls that a program would make.
import { t } from "../../language/language.svelte";
import { jsonText } from "../jsonText";
import { isRefused } from "../module";
import type { Studio } from "../studio.svelte";
import { call, ran, written } from "./asking";
import { withDocument } from "./onnxDocument";
import { weightsOf } from "./weights.svelte";

type Content = string | Uint8Array<ArrayBuffer>;

export interface Made {
  content: Content;
  /** What is to be said of it besides. */
  said?: string;
}

export interface Format {
  label: string;
  /** What follows the network's name in the file's. */
  end: string;
  type: string;
  opens: string;
  hasWeights: boolean;
  make: (studio: Studio) => Made | Promise<Made>;
}

const BINARY = "application/octet-stream";

export const FORMATS: readonly Format[] = [
  {
    label: "Python",
    end: ".py",
    type: "text/x-python",
    get opens() {
      return t("Its class, for PyTorch and for glowgrad. The studio reads it again.");
    },
    hasWeights: false,
    make: ({ ask, net }) => ({ content: text(ask("python", { net })) }),
  },
  {
    label: "Rust",
    end: "-rust.zip",
    type: "application/zip",
    get opens() {
      return t("A crate that depends on glowgrad: cargo run.");
    },
    hasWeights: true,
    make: async (studio) => {
      const { files } = told(studio.ask("crate_files", { net: studio.net }));
      return await zipped(studio, files, "weights.safetensors");
    },
  },
  {
    label: "JSON",
    end: ".json",
    type: "application/json",
    get opens() {
      return t("The drawing itself: the studio, glow serve and glowgrad::network read it.");
    },
    hasWeights: false,
    make: ({ net }) => ({ content: jsonText(net) }),
  },
  {
    label: "safetensors",
    end: ".safetensors",
    type: BINARY,
    get opens() {
      return t("The weights by name: load_state_dict of the class, and glow serve beside the JSON.");
    },
    hasWeights: true,
    make: safetensors,
  },
  {
    get label() {
      return t("PyTorch weights");
    },
    end: ".pt",
    type: BINARY,
    get opens() {
      return t("The same weights, as torch.load reads them.");
    },
    hasWeights: true,
    make: async (studio) => made(await written(studio, call("_network.write_pt"))),
  },
  {
    label: "ONNX",
    end: ".onnx",
    type: BINARY,
    get opens() {
      return t(
        "Network and weights in one file: onnxruntime and most tools that run models, glow serve, and the studio.",
      );
    },
    hasWeights: true,
    make: async (studio) => {
      const { inputs, outputs } = studio.net;
      const given = inputs.map(({ name, shape, dtype }) => [name, shape, dtype ?? "float32"]);
      const names = outputs.map((_, index) => (outputs.length === 1 ? "output" : `output_${index}`));
      const file = await written(studio, call("_network.write_onnx", given, names));
      const weights = JSON.parse(await ran("print(json.dumps(list(_network.net.state_dict())))")) as string[];
      return made({ ...file, bytes: withDocument(file.bytes, studio.net, weights) });
    },
  },
  {
    get label() {
      return t("Page");
    },
    end: ".html",
    type: "text/html",
    get opens() {
      return t(
        "One file of at most 1 MB: a double click opens it, and it reads what is drawn, typed or chosen, with no network.",
      );
    },
    hasWeights: true,
    make: async (studio) => await (await import("./html")).htmlFile(studio),
  },
  {
    get label() {
      return t("PyTorch project");
    },
    end: "-project.zip",
    type: "application/zip",
    get opens() {
      return t(
        "Class, data and a training that torchrun spreads over processes and machines; it begins with these weights.",
      );
    },
    hasWeights: true,
    make: async (studio) => {
      const { files } = told(studio.ask("project", { net: studio.net }));
      // Without training the project draws weights of its own.
      const isTrained = weightsOf(studio.net).from !== "seed";
      return await zipped(studio, files, isTrained ? "weights.safetensors" : null);
    },
  },
];

async function safetensors(studio: Studio): Promise<Made> {
  return made(await written(studio, call("_network.write_safetensors")));
}

/** Files in a folder of the network's name, its weights among them. */
async function zipped(
  studio: Studio,
  files: { name: string; text: string }[],
  weights: string | null,
): Promise<Made> {
  const { strToU8, zipSync } = await import("fflate");
  const folder = fileName(studio.net.name);
  const all: Record<string, Uint8Array> = Object.fromEntries(
    files.map(({ name, text }) => [`${folder}/${name}`, strToU8(text)]),
  );
  if (weights !== null) all[`${folder}/${weights}`] = (await safetensors(studio)).content as Uint8Array;
  return { content: zipSync(all) };
}

/** What a network's files are called. */
export function fileName(name: string): string {
  return name.toLowerCase();
}

function made({ bytes, said }: { bytes: Uint8Array<ArrayBuffer>; said: string }): Made {
  return { content: bytes, said };
}

function told<Some extends object>(answer: Some | { error: string; line: number | null }): Some {
  if (isRefused(answer)) throw new Error(answer.error);
  return answer as Some;
}

function text(answer: { text: string } | { error: string; line: number | null }): string {
  return told(answer).text;
}
