// Models that nothing made: whatever stands in a file, its run ends, and an error is one in words.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Call, type Model, run } from "./model";
import { readOnnx } from "./onnx";
import type { Attribute } from "./operator";
import { OPERATORS } from "./operators";
import { pack, unpack } from "./pack";
import { empty, FLOAT, INT64, type Tensor } from "./tensor";

const models = (JSON.parse(readFileSync("tests/player/cases.json", "utf8")) as { model: string }[]).map(
  ({ model }) => readOnnx(Uint8Array.from(Buffer.from(model, "base64"))),
);

/** Fewer than a page has, so that many models run here. */
const STEPS = 1e7;

/** Whether it ended as it may: with tensors, or with an error of ours or of the browser's. */
function ends(compute: () => unknown): void {
  try {
    compute();
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).toMatch(/[a-z]{3}/);
  }
}

function ran(model: Model): void {
  ends(() => {
    const { graph, elements } = pack(model, 16);
    const again = unpack(JSON.parse(JSON.stringify(graph)), elements);
    const inputs = again.inputs.map(({ dtype, shape }) => empty(dtype, shape));
    run(again, inputs, STEPS);
  });
}

const size = fc.oneof(
  fc.integer({ min: -2, max: 8 }),
  fc.constantFrom(0, 1e3, 1e5, 2 ** 31, 1e15, 0.5, -1e9, Number.MAX_SAFE_INTEGER),
);
const attribute: fc.Arbitrary<Attribute> = fc.oneof(
  size,
  fc.array(size, { maxLength: 5 }),
  fc.constantFrom("reflect", "wrap", "tanh", "CRD", "SAME_UPPER", "__proto__"),
);
const names = [
  ...["axis", "axes", "kernel_shape", "strides", "pads", "dilations", "group", "num_groups", "keepdims"],
  ...["perm", "blocksize", "epsilon", "mode", "ceil_mode", "to", "largest", "exclusive", "output_padding"],
  ...["transA", "transB", "batch_dims", "reduction", "start", "end", "upper", "count_include_pad"],
];

const tensor: fc.Arbitrary<Tensor> = fc
  .record({
    dtype: fc.constantFrom(FLOAT, INT64),
    shape: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 5 }),
    values: fc.array(fc.oneof(size, fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, 0.25)), {
      minLength: 1,
      maxLength: 8,
    }),
  })
  .map(({ dtype, shape, values }) => {
    const made = empty(dtype, shape);
    made.data.forEach((_, i) => {
      made.data[i] = values[i % values.length] as number;
    });
    return made;
  });

/** A few calls in a row, each of what stands before it. */
const made = fc
  .record({
    constants: fc.array(tensor, { minLength: 2, maxLength: 5 }),
    calls: fc.array(
      fc.record({
        operator: fc.constantFrom(...OPERATORS.keys()),
        inputs: fc.array(fc.nat(12), { maxLength: 5 }),
        nOutputs: fc.integer({ min: 1, max: 3 }),
        attributes: fc.dictionary(fc.constantFrom(...names), attribute, { maxKeys: 4 }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  })
  .map(({ constants, calls }): Model => {
    const known = constants.map((_, i) => `c${i}`);
    const written = calls.map(({ operator, inputs, nOutputs, attributes }, i): Call => {
      const read = inputs.map((at) => known[known.length - 1 - (at % known.length)] as string);
      const outputs = Array.from({ length: nOutputs }, (_, k) => `v${i}.${k}`);
      known.push(outputs[0] as string);
      return { operator, inputs: read, outputs, attributes };
    });
    return {
      inputs: [],
      outputs: [known.at(-1) as string],
      calls: written,
      constants: new Map(constants.map((one, i) => [`c${i}`, one])),
    };
  });

test("calls of any operator, of anything", () => {
  fc.assert(fc.property(made, ran), { numRuns: 4000 });
});

test("exported networks with an attribute, an operand, an operator or a shape changed", () => {
  const change = fc.record({
    which: fc.nat(models.length - 1),
    at: fc.nat(30),
    name: fc.constantFrom(...names),
    attribute,
    operator: fc.constantFrom(...OPERATORS.keys()),
    operand: fc.nat(12),
    shape: fc.array(size, { maxLength: 5 }),
    what: fc.constantFrom("attribute", "operator", "operand", "input", "constant"),
  });
  fc.assert(
    fc.property(change, ({ which, at, name, attribute: value, operator, operand, shape, what }) => {
      const model = models[which] as Model;
      const calls = model.calls.map((call) => ({ ...call, attributes: { ...call.attributes } }));
      const call = calls[at % calls.length] as Call;
      const changed = { ...model, calls, constants: new Map(model.constants) };
      const all = [...model.constants.keys(), ...calls.flatMap(({ outputs }) => outputs)];
      if (what === "attribute") {
        const own = Object.keys(call.attributes);
        call.attributes[own[at % Math.max(1, own.length)] ?? name] = value;
      } else if (what === "operator") call.operator = operator;
      else if (what === "operand")
        call.inputs = call.inputs.map((input, i) => (i === operand % 3 ? (all[operand] ?? "") : input));
      else if (what === "input") changed.inputs = model.inputs.map((input) => ({ ...input, shape }));
      else {
        const [key, constant] = [...model.constants][at % Math.max(1, model.constants.size)] ?? [];
        if (key !== undefined && constant)
          changed.constants.set(key, { ...constant, data: constant.data.map((_, i) => shape[i % 5] ?? 0) });
      }
      ran(changed);
    }),
    { numRuns: 2000 },
  );
});
