// A model as a graph of calls with its constants, and its run.
//
// Invariant: a model whose operators are not all in the table is refused before it runs, by their names. A value goes after
// its last reader. Whatever a model is, its run ends: with results, or with an error that names the operator.
import type { Attribute } from "./operator";
import { OPERATORS } from "./operators";
import { bounded, type Tensor } from "./tensor";

export interface Call {
  operator: string;
  inputs: string[];
  outputs: string[];
  attributes: Record<string, Attribute>;
}

export interface Model {
  inputs: { name: string; dtype: number; shape: number[] }[];
  outputs: string[];
  calls: Call[];
  constants: Map<string, Tensor>;
}

/** Operators of a model that cannot run here. */
export function unknownOperators(model: Model): string[] {
  const unknown = model.calls.filter(({ operator }) => !OPERATORS.has(operator));
  return [...new Set(unknown.map(({ operator }) => operator))].sort();
}

/** What a call gives; its error says which one it was. */
function computed(call: Call, compute: () => Tensor[]): Tensor[] {
  try {
    return compute();
  } catch (error) {
    throw new Error(`${call.operator}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** What a model gives for its inputs, in their order. A run that takes more steps of arithmetic than it has is an error. */
export function run(model: Model, inputs: readonly Tensor[], steps?: number): Tensor[] {
  return bounded(() => results(model, inputs), steps);
}

function results(model: Model, inputs: readonly Tensor[]): Tensor[] {
  const values = new Map(model.constants);
  model.inputs.forEach(({ name }, i) => {
    const input = inputs[i];
    if (!input) throw new Error(`the input ${name} is missing`);
    values.set(name, input);
  });
  const lastReader = new Map<string, number>();
  model.calls.forEach(({ inputs: read }, i) => {
    for (const name of read) lastReader.set(name, i);
  });
  for (const name of model.outputs) lastReader.set(name, Number.POSITIVE_INFINITY);
  model.calls.forEach((call, i) => {
    const operator = OPERATORS.get(call.operator);
    if (!operator) throw new Error(`there is no operator ${call.operator} here`);
    const read = call.inputs.map((name) => {
      if (name === "") return undefined;
      const value = values.get(name);
      if (!value) throw new Error(`${call.operator} reads ${name}, which has no value`);
      return value;
    });
    const made = computed(call, () => operator(read, call.attributes, call.outputs.length));
    call.outputs.forEach((name, k) => {
      const result = made[k];
      if (name !== "" && result) values.set(name, result);
    });
    for (const name of call.inputs) if (lastReader.get(name) === i) values.delete(name);
  });
  return model.outputs.map((name) => {
    const value = values.get(name);
    if (!value) throw new Error(`the output ${name} has no value`);
    return value;
  });
}
