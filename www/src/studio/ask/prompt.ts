// What a language model is told: what a network's document is, which names it may use, and two examples.
//
// Invariant: made of the catalog, so a layer that is new is in it. Optional arguments of layers are left out: local servers give a
// model little context (Ollama 4,096 tokens), and the 7,800 characters of this text leave room there for an answer.
import type { Catalog, Row } from "../model";
import { type Ask, isRefused } from "../module";

const FORM = `You turn a description of a neural network into one JSON document. Answer with the JSON alone: no prose, no comments.

{"format": "glowgrad.architecture", "version": 1, "name": a class name, "note": one sentence,
 "inputs": [{"name": "x", "shape": ["N", 1, 28, 28]}],
 "nodes": [{"id": "conv", "type": "Conv2d", "args": {"in_channels": 1, "out_channels": 8, "kernel_size": 3}, "inputs": ["x"]}],
 "outputs": ["conv"], "blocks": [], "training": {"data", "loss", "optimizer", "optimizer_args", "batch_size", "epochs", "seed"}}

- A shape begins with "N", the open batch size. An input of token indices has "dtype": "int64".
- ids and names: letters, digits, _; unique; no Python keywords. Nodes stand after their sources.
- "inputs" of a node are names of inputs or nodes; "lstm.1" is the second result of lstm.
- Write every required argument; sizes have to fit what comes in. Other arguments are PyTorch's.
- A residual is a node of type add with two inputs. "repeat": 3 stacks a node that keeps its shape.
- A block is {"name", "parameters": [{"name": "n", "default": 8}], "inputs": ["x"], "nodes", "outputs"}; its name is the type of nodes of the network. Its arguments may be expressions: "=2 * n".
- Recurrent layers and attention: "batch_first": true. Class scores: no softmax at the end. Leave training out if unsure.`;

/** Presets that show the form: branches and sequences, a parameter, repeats. */
const EXAMPLES = ["char_lstm", "vit"];

export function promptOf(ask: Ask, catalog: Catalog): string {
  const layers = catalog.layers.filter(({ family }) => family !== "lazy").map(signature);
  const functions = catalog.functions.map(called);
  const names = (rows: readonly { name: string }[]) => rows.map(({ name }) => name).join(" ");
  return [
    FORM,
    `Layers, with their required arguments: ${layers.join(" ")}`,
    `Functions, with operands; arguments: ${functions.join(" ")}`,
    `Losses: ${names(catalog.losses)}`,
    `Optimizers: ${names(catalog.optimizers)}`,
    `Data: ${names(catalog.data)}`,
    ...EXAMPLES.flatMap((name) => {
      const told = ask("preset", { name });
      return isRefused(told) ? [] : [`Example: ${JSON.stringify(told.net)}`];
    }),
  ].join("\n\n");
}

function signature({ name, arguments: all }: Row): string {
  return `${name}(${all
    .filter(({ required }) => required)
    .map((argument) => argument.name)
    .join(", ")})`;
}

function called({ name, operands, variadic, arguments: all }: Row): string {
  const taken = typeof operands === "number" ? `${operands}` : operands.join(",");
  const args = all.map((argument) => argument.name).join(", ");
  return `${name}(${taken}${variadic ? "…" : ""}${args && `; ${args}`})`;
}

/** What the model is told of the faults of its answer. */
export function repairOf(faults: readonly string[]): string {
  return `That is no network that can be drawn:\n${faults.map((fault) => `- ${fault}`).join("\n")}\nAnswer with the whole JSON once more, mended.`;
}
