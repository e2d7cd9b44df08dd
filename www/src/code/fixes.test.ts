import { describe, expect, it } from "vitest";
import { difference, fixesFor, type RaisedError } from "./fixes";

const raised = (kind: string, message: string, line: number | null = null, traceback = ""): RaisedError => ({
  kind,
  message,
  traceback,
  line,
});
const missing = (name: string) => raised("NameError", `name '${name}' is not defined`, 1);
const only = (error: RaisedError, source: string) => {
  const fixes = fixesFor(error, source);
  expect(fixes).toHaveLength(1);
  return fixes[0]?.source;
};
const NO_GRAD = "element 0 of tensors does not require grad and does not have a grad_fn";
const inner = (a: string, b: string, meant = "to transpose the second") =>
  `matmul: cannot multiply ${a} by ${b}: inner sizes 3 and 4 differ (did you mean ${meant}?)`;
const carets = (line: string, marked: string, number: number) => {
  const shown = line.trim();
  const at = shown.indexOf(marked);
  return `Traceback (most recent call last):\n  File "cell", line ${number}, in <module>\n    ${shown}\n    ${" ".repeat(at)}${"^".repeat(marked.length)}\nRuntimeError: x`;
};

describe("a name that is not defined", () => {
  it.each([
    ["torch", "import glowgrad as torch"],
    ["nn", "from glowgrad import nn"],
    ["F", "import glowgrad.nn.functional as F"],
    ["DataLoader", "from glowgrad.utils.data import DataLoader"],
    ["math", "import math"],
    ["np", "import numpy as np"],
    ["plt", "import matplotlib.pyplot as plt"],
    ["Path", "from pathlib import Path"],
  ])("%s is imported", (name, line) => {
    expect(only(missing(name), "x = 1")).toBe(`${line}\nx = 1`);
  });

  it("goes below the imports that are there, and above a comment about the code", () => {
    expect(only(missing("nn"), "import glowgrad as torch\n\n# A layer.\nnn.Linear(1, 2)")).toBe(
      "import glowgrad as torch\nfrom glowgrad import nn\n\n# A layer.\nnn.Linear(1, 2)",
    );
    expect(only(missing("torch"), "# A tensor.\ntorch.ones(2)")).toBe(
      "import glowgrad as torch\n# A tensor.\ntorch.ones(2)",
    );
  });

  it("of the learner's own is left to the message", () => {
    expect(fixesFor(missing("xx"), "print(xx)")).toEqual([]);
  });
});

describe("a loss that does not require grad", () => {
  it("is mended where its parameter is made", () => {
    const source =
      "x = torch.ones(3)\nw = torch.tensor([1.0, 2.0, 3.0])\nloss = (w * x).sum()\nloss.backward()";
    expect(only(raised("RuntimeError", NO_GRAD, 4), source)).toBe(
      source.replace("3.0])", "3.0], requires_grad=True)"),
    );
  });

  it("offers every maker where no name tells", () => {
    const source = "x = torch.randn(3)\ny = torch.randn(3)\nz = x * y\nz.sum().backward()";
    const titles = fixesFor(raised("RuntimeError", NO_GRAD, 4), source).map(({ title }) => title);
    expect(titles).toEqual(["Collect gradients for x", "Collect gradients for y"]);
  });

  it("offers all parameters together first", () => {
    const source = "w = torch.randn(3)\nb = torch.zeros(1)\nloss = (w * 2 + b).sum()\nloss.backward()";
    const [first, ...rest] = fixesFor(raised("RuntimeError", NO_GRAD, 4), source);
    expect(first?.title).toBe("Collect gradients for w and b");
    expect(first?.source.match(/requires_grad=True/g)).toHaveLength(2);
    expect(rest).toHaveLength(2);
  });

  it("is left alone where nothing shows what to change", () => {
    for (const source of [
      "loss.backward()",
      "w = torch.tensor([1, 2])\nloss = w.sum()\nloss.backward()",
      "w = torch.randn(3, requires_grad=True)\nloss = w.detach().sum()\nloss.backward()",
      "w = torch.randn(3) * 2\nloss = w.sum()\nloss.backward()",
      "w = torch.randn(\n    3\n)\nloss = w.sum()\nloss.backward()",
    ])
      expect(fixesFor(raised("RuntimeError", NO_GRAD, source.split("\n").length), source)).toEqual([]);
  });
});

describe("sizes that a transpose would mend", () => {
  it.each([
    ["c = a @ b", "a @ b", "c = a @ b.T"],
    ["c = (a @ b).sum()", "a @ b", "c = (a @ b.T).sum()"],
    ["y = a @ d + a @ b", "a @ b", "y = a @ d + a @ b.T"],
    ["    y = torch.matmul(a, b)", "torch.matmul(a, b)", "    y = torch.matmul(a, b.T)"],
    ["y = a.mm(f(b))", "a.mm(f(b))", "y = a.mm(f(b).T)"],
    ["y = torch.mm(a, b + c)", "torch.mm(a, b + c)", "y = torch.mm(a, (b + c).T)"],
    ["y = a @ b @ c", "a @ b @ c", "y = a @ b @ c.T"],
  ])("%s", (line, marked, mended) => {
    expect(only(raised("RuntimeError", inner("[2, 3]", "[4, 3]"), 1, carets(line, marked, 1)), line)).toBe(
      mended,
    );
  });

  it("without carets the whole line is looked at", () => {
    expect(only(raised("RuntimeError", inner("[2, 3]", "[4, 3]"), 2), "x = 1\ny = a @ b")).toBe(
      "x = 1\ny = a @ b.T",
    );
  });

  it("turns the left one where the message says so", () => {
    expect(only(raised("RuntimeError", inner("[3, 2]", "[3, 4]", "mat1.T"), 1), "y = a @ b")).toBe(
      "y = a.T @ b",
    );
  });

  it("turns the weight of linear, or the input of a layer, only if the sizes then meet", () => {
    const message = (x: string, w: string) =>
      `linear: input of shape ${x} does not fit weight of shape ${w}; the last size`;
    expect(only(raised("RuntimeError", message("[2, 3]", "[3, 4]"), 1), "y = F.linear(x, w)")).toBe(
      "y = F.linear(x, w.T)",
    );
    expect(only(raised("RuntimeError", message("[3, 5]", "[4, 3]"), 1), "y = layer(x)")).toBe(
      "y = layer(x.T)",
    );
    expect(fixesFor(raised("RuntimeError", message("[2, 5]", "[4, 3]"), 1), "y = layer(x)")).toEqual([]);
    expect(fixesFor(raised("RuntimeError", message("[3, 5]", "[4, 3]"), 1), "y = f(g(x))")).toEqual([]);
  });

  it("is not guessed where the product is not seen", () => {
    expect(fixesFor(raised("RuntimeError", inner("[2, 3]", "[4, 3]"), 1), "y = attention(a, b)")).toEqual([]);
    expect(fixesFor(raised("RuntimeError", inner("[2, 3]", "[4, 3]"), 9), "y = a @ b")).toEqual([]);
  });
});

it("a difference is the lines that go and those that come", () => {
  expect(difference("a\nb\nc", "a\nB\nc")).toEqual([
    { kind: "out", line: 2, text: "b" },
    { kind: "in", line: 2, text: "B" },
  ]);
  expect(difference("a\nb", "x\na\nb")).toEqual([{ kind: "in", line: 1, text: "x" }]);
  expect(difference("a", "a")).toEqual([]);
});
