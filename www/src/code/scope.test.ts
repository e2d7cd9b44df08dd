import { describe, expect, it } from "vitest";
import { asMethod, Names, type NamesData } from "./names";
import {
  callBefore,
  calledName,
  chainBefore,
  currentParameter,
  kindOf,
  parameters,
  readScope,
} from "./scope";

const entries: NamesData["entries"] = [
  ["randn", "randn(*size, dtype=None, requires_grad=False)", "Random numbers.", "function"],
  ["manual_seed", "manual_seed(seed)", "Starts over.", "function"],
  ["tanh", "tanh(input)", "The hyperbolic tangent.", "op"],
  ["nn.Linear", "nn.Linear(in_features, out_features, bias=True)", "y = x Wᵀ + b.", "class"],
  ["nn.Module", "nn.Module()", "A function with parameters.", "class"],
  ["optim.Adam", "optim.Adam(params, lr=0.001)", "Adaptive moments.", "class"],
  ["Tensor.item", "Tensor.item()", "The number.", "function"],
  ["Tensor.shape", "Tensor.shape", "The size of each dimension.", "property"],
  ["Module.eval", "Module.eval()", "Ends training.", "function"],
  ["Optimizer.step", "Optimizer.step()", "One step.", "function"],
  ["utils.data.DataLoader", "utils.data.DataLoader(dataset, batch_size=1)", "Batches.", "class"],
];
const names = new Names({
  entries,
  places: {
    torch: [
      ["randn", 0],
      ["manual_seed", 1],
      ["tanh", 2],
    ],
    F: [["tanh", 2]],
    nn: [
      ["Linear", 3],
      ["Module", 4],
    ],
    optim: [["Adam", 5]],
    Tensor: [
      ["tanh", 2],
      ["item", 6],
      ["shape", 7],
    ],
    Module: [["eval", 8]],
    Optimizer: [["step", 9]],
    "utils.data": [["DataLoader", 10]],
  },
  values: ["float32"],
});
const scopeOf = (...sources: string[]) => readScope(sources, names);
const objectIn = (source: string, name: string) => {
  const kind = scopeOf(source).kinds.get(name);
  return kind?.is === "object" ? kind.of : null;
};

describe("what a variable holds", () => {
  it.each([
    ["x = torch.randn(2, 3)", "x", "Tensor"],
    ["x = torch.randn(2).tanh() * 2", "x", "Tensor"],
    ["x = torch.randn(\n    2,\n    3,\n)", "x", "Tensor"],
    ["x = torch.randn(2)\ny = 2 * x + 1", "y", "Tensor"],
    ["x = torch.randn(2)\ny = x.T @ x", "y", "Tensor"],
    ["x = torch.randn(2)\ny = (x - 1)[0]", "y", "Tensor"],
    ["a, b = torch.randn(2), 3", "a", "Tensor"],
    ["import glowgrad as t\nx = t.randn(2)", "x", "Tensor"],
    ["from glowgrad import randn\nx = randn(2)", "x", "Tensor"],
    ["import torch\nx = torch.randn(2)", "x", "Tensor"],
    ["import torch.nn as nn\nlayer = nn.Linear(3, 2)", "layer", "Module"],
    ["from torch import nn, optim\no = optim.Adam(p, lr=1e-3)", "o", "Optimizer"],
    ["layer = nn.Linear(3, 2)", "layer", "Module"],
    ["layer = nn.Linear(3, 2).eval()", "layer", "Module"],
    ["layer = nn.Linear(3, 2)\ny = layer(x)", "y", "Tensor"],
    ["class Net(nn.Module):\n    pass\nnet = Net()\ny = net(1)", "y", "Tensor"],
    ["o = optim.Adam(p, lr=1e-3)", "o", "Optimizer"],
  ])("%j: %s is a %s", (source, name, kind) => {
    expect(objectIn(source, name)).toBe(kind);
  });

  it.each([
    ["x = torch.randn(2).item()", "x"],
    ["x = torch.randn(2).shape", "x"],
    ["x = torch.randn(2)\nx = 3", "x"],
    ["for x in y:\n    pass", "x"],
    ["# x = torch.randn(2)", "x"],
    ['x = "torch.randn(2)"', "x"],
    ["x = unknown(torch.randn(2))", "x"],
  ])("%j: nothing is said of %s", (source, name) => {
    expect(objectIn(source, name)).toBeNull();
  });

  it("believes the session, and what is assigned above the caret", () => {
    const known = [{ name: "x", class: "Tensor", words: "Tensor [2] float32" }];
    expect(readScope(["x = f()"], names, known).kinds.get("x")).toEqual({ is: "object", of: "Tensor" });
    expect(readScope(["x = nn.Linear(1, 2)"], names, known).kinds.get("x")).toEqual({
      is: "object",
      of: "Module",
    });
  });

  it("follows modules wherever they are imported to", () => {
    const scope = scopeOf("from glowgrad.utils import data\nimport glowgrad.nn.functional as G");
    expect(kindOf("data", scope, names)).toEqual({ is: "module", place: "utils.data" });
    expect(kindOf("d", scopeOf("import torch.utils.data as d"), names)).toEqual({
      is: "module",
      place: "utils.data",
    });
    expect(kindOf("torch.utils.data", scope, names)).toEqual({ is: "module", place: "utils.data" });
    expect(kindOf("G", scope, names)).toEqual({ is: "module", place: "F" });
    expect(kindOf("G.tanh", scope, names)).toEqual({ is: "name", place: "F", label: "tanh" });
    expect(kindOf("numpy.tanh", scope, names)).toBeNull();
  });

  it("survives half-written and strange code", () => {
    for (const source of [
      "x = (",
      "x = torch.randn(",
      "= 3",
      "class (",
      "from import",
      "\u0000",
      "a".repeat(5000),
      "((((((",
      "x[",
      "import ,",
      '"""',
    ])
      expect(() => scopeOf(source)).not.toThrow();
  });
});

describe("the learner's own code", () => {
  const net = [
    "class Net(nn.Module):",
    "    def __init__(self, width, depth=2):",
    "        super().__init__()",
    "        self.fc = nn.Linear(3, width)",
    "        self.scale = torch.randn(2)",
    "        self.depth = depth",
    "    def forward(self, x, *, mask=None):",
    '        """Runs it."""',
    "        return self.fc(x)",
    "class Outer(nn.Module):",
    "    def __init__(self):",
    "        self.inner = Net(4)",
    "net = Net(8)",
    "outer = Outer()",
  ].join("\n");
  const own = (chain: string, source = net) => {
    const scope = scopeOf(source);
    return { scope, kind: kindOf(chain, scope, names) };
  };

  it.each([
    ["net.fc", "Module"],
    ["net.scale", "Tensor"],
    ["net.fc(x)", "Tensor"],
    ["outer.inner.fc", "Module"],
    ["outer.inner.scale.T", "Tensor"],
    ["net.eval().fc", null],
    ["net.depth", null],
    ["net.gone", null],
  ])("%s is a %s", (chain, of) => {
    const { kind } = own(chain);
    expect(kind?.is === "object" ? kind.of : null).toBe(of);
  });

  it("has members where they are being written", () => {
    const above = net.slice(0, net.indexOf("        return"));
    expect(own("self.fc", above).kind).toEqual({ is: "object", of: "Module" });
    expect(own("self.fc").kind).toBeNull();
    // Another cell's self is none of a function here.
    expect(own("self.fc", "def f(self):\n    pass").kind).toBeNull();
  });

  it.each([
    ["Net", "Net(width, depth=2)", ""],
    ["net", "forward(x, *, mask=None)", "Runs it."],
    ["net.forward", "forward(x, *, mask=None)", "Runs it."],
    ["outer.inner", "forward(x, *, mask=None)", "Runs it."],
  ])("%s has the signature %s", (chain, signature, doc) => {
    const { scope, kind } = own(chain);
    expect(calledName(kind, scope, names)).toMatchObject({ signature, doc });
  });

  it.each([
    ["def f(a, b=2):\n    return a", "f(a, b=2)", ""],
    [
      'def f(a: int, *rest, k=(1, 2)) -> int:\n    "Adds."\n    return a',
      "f(a: int, *rest, k=(1, 2))",
      "Adds.",
    ],
    ["def f(\n    a,\n    b=[1, 2],\n):\n    return a", "f(a, b=[1, 2])", ""],
    ["def f(): return 1", "f()", ""],
  ])("%j is called as %s", (source, signature, doc) => {
    const { scope, kind } = own("f", source);
    expect(calledName(kind, scope, names)).toMatchObject({ signature, doc });
  });

  it("is what it was assigned last, and half a definition is none", () => {
    expect(own("f", "def f(a):\n    return a\nf = torch.randn(2)").kind).toEqual({
      is: "object",
      of: "Tensor",
    });
    expect(own("f", "def f(a").kind).toBeNull();
    expect(own("g", "y = f(3)").kind).toBeNull();
  });
});

describe("where the caret stands", () => {
  it.each([
    ["y = x", "x"],
    ["y = torch.randn(2, (3)).T", "torch.randn(2, (3)).T"],
    ["f(a, b[0].c", "b[0].c"],
    ["(a + b)", "(a + b)"],
    ["2 * x.tanh()", "x.tanh()"],
    ["", ""],
    ["x + ", ""],
  ])("%j ends with the chain %j", (text, chain) => {
    expect(chainBefore(text)).toBe(chain);
  });

  it.each([
    ["torch.randn(", "torch.randn", 0, null],
    ["torch.randn(2, ", "torch.randn", 1, null],
    ["nn.Linear(3, (1, 2), bias=", "nn.Linear", 2, "bias"],
    ["f(g(1, 2), ", "f", 1, null],
    ['f("a, (b", ', "f", 1, null],
    ["torch.tensor([1, 2", "torch.tensor", 0, null],
  ])("%j is in a call", (text, callee, argument, keyword) => {
    expect(callBefore(text)).toEqual({ callee, argument, keyword });
  });

  it("is in no call behind one, or in plain brackets", () => {
    expect(callBefore("f(1)")).toBeNull();
    expect(callBefore("(1, 2")).toBeNull();
    expect(callBefore("")).toBeNull();
  });

  it("knows which parameter an argument is", () => {
    const { head, parts } = parameters("nn.Linear(in_features, out_features, bias=True, *, device=None)");
    expect(head).toBe("nn.Linear");
    expect(currentParameter(parts, 1, null)).toBe(1);
    expect(currentParameter(parts, 0, "bias")).toBe(2);
    expect(currentParameter(parts, 3, null)).toBe(-1);
    expect(currentParameter(parameters("zeros(*size, dtype=None)").parts, 2, null)).toBe(0);
    expect(parameters("max(input), max(input, dim)").parts).toEqual(["input"]);
  });
});

describe("the signature of a method", () => {
  it("leaves out the tensor before the dot", () => {
    expect(names.find("Tensor", "tanh")?.signature).toBe("tanh()");
    expect(names.find("torch", "tanh")?.signature).toBe("tanh(input)");
    expect(asMethod("max(input), max(input, dim, keepdim=False)")).toBe("max(), max(dim, keepdim=False)");
    expect(asMethod("where(condition, input, other)")).toBe("where(condition, input, other)");
  });
});
