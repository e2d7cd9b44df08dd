import { describe, expect, it } from "vitest";
import sampleJson from "./fixtures/sample.json";
import {
  allOps,
  bareName,
  findOp,
  groupDtypes,
  loadReference,
  type OpEntry,
  type Reference,
  runnable,
} from "./reference";

const sample = sampleJson as Reference;

describe("findOp", () => {
  it.each([
    ["softmax", "softmax"],
    ["SoftMax", "softmax"],
    ["absolute", "abs"],
    ["mm", "matmul"],
    ["tanh_", "tanh"],
    ["torch.tanh", "tanh"],
    ["F.cross_entropy(input)", "cross_entropy"],
    ["<TanhBackward0>", "tanh"],
    ["VarBackward0", "var"],
  ])("knows %s as %s", (wanted, name) => {
    expect(findOp(sample, wanted)?.name).toBe(name);
  });

  it.each(["", "sofmax", "softmax_", "soft max", "__proto__", "toString"])("does not know “%s”", (wanted) => {
    expect(findOp(sample, wanted)).toBeNull();
  });
});

it("takes off what stands around a name in code", () => {
  expect(["torch.exp(x)", "F.relu", " Tanh ", "torch.linalg.norm", "index_add_"].map(bareName)).toEqual([
    "exp",
    "relu",
    "tanh",
    "norm",
    "index_add_",
  ]);
});

describe("runnable", () => {
  const entry = (imports: string, example: string) => ({ imports, example }) as OpEntry;

  it("puts the imports that an example lacks before it", () => {
    expect(runnable(entry("import glowgrad as torch", "torch.tanh(x)\n"))).toBe(
      "import glowgrad as torch\n\ntorch.tanh(x)",
    );
    expect(runnable(entry("", "import torch\ntorch.ones(2)"))).toBe("import torch\ntorch.ones(2)");
  });
});

describe("groupDtypes", () => {
  it("puts what is kept first, then what becomes another, by result", () => {
    expect(
      groupDtypes([
        { from: "int64", to: "float32" },
        { from: "float32", to: "float32" },
        { from: "bool", to: "int64" },
        { from: "float64", to: "float64" },
        { from: "uint8", to: "float32" },
      ]),
    ).toEqual([
      { from: ["float32", "float64"], to: null },
      { from: ["int64", "uint8"], to: "float32" },
      { from: ["bool"], to: "int64" },
    ]);
  });

  it("says nothing of nothing", () => {
    expect(groupDtypes([])).toEqual([]);
  });
});

const generated = await loadReference();

describe.skipIf(!generated)("the reference that cargo lab wrote", () => {
  const ops = generated ? allOps(generated) : [];

  it("finds each op by its name, and none twice", () => {
    expect(ops.map(({ name }) => name)).toEqual([...new Set(ops.map(({ name }) => name))]);
    for (const op of ops) expect(findOp(generated as Reference, op.name)).toBe(op);
  });

  it("says of each op what it is for, and of its gradient how it flows or why not", () => {
    for (const op of ops) {
      expect(op.doc, op.name).not.toBe("");
      const begins = op.kind === "property" || op.name === "dtype" ? op.name : `${op.name}(`;
      expect(op.signature.startsWith(begins), op.signature).toBe(true);
      for (const { operand, rule } of op.gradients) {
        expect(operand, op.name).not.toBe("");
        expect(rule, op.name).not.toMatch(/^$|[{}]/);
      }
    }
  });
});
