// What a page must survive: many references to one object, and recursion without end. Neither may
// cost the worker its variables.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { useBrowser, visiting } from "./harness.mjs";
import { freeCell } from "./parts.mjs";

useBrowser();

describe("one object with very many references", () => {
  const sources = {
    "a list of 300,000 times True": "flags = [True] * 300_000\nprint(len(flags))",
    "a list of 100,000 floats": "values = [float(i) for i in range(100_000)]\nprint(len(values))",
    "tolist() of all the digits":
      "import glowgrad as torch\nfrom glowgrad import datasets\nimages, labels = datasets.load_digits()[:2]\nrows = images.reshape(-1).tolist()\nprint(len(rows))",
  };
  for (const [name, source] of Object.entries(sources)) {
    test(name, async () => {
      await visiting("#/play", {}, async (page) => {
        const cell = freeCell(page);
        await cell.write(`kept = 41\n${source}`);
        assert.equal(await cell.run(), "ok", await cell.output());
        assert.match((await cell.output()).trim(), /^\d{6}$/);
        await cell.write("print(kept + 1)");
        assert.equal(await cell.run(), "ok", await cell.output());
        assert.equal((await cell.output()).trim(), "42");
      });
    });
  }
});

describe("recursion", () => {
  // Each ends in a RecursionError and leaves the worker alive.
  const endless = {
    "a function": "def f(n):\n    return f(n + 1)\nf(0)",
    "a repr of itself": "class A:\n    def __repr__(self):\n        return repr(self)\nrepr(A())",
    "an attribute looked up by itself":
      "class A:\n    def __getattr__(self, name):\n        return getattr(self, name + 'x')\nA().x",
    "a comparison": "class A:\n    def __eq__(self, other):\n        return self == other\nA() == 1",
    "a sort key": "def f(x):\n    return sorted([x, x], key=f)[0]\nf(1)",
    "map, list and sum": "def f(x):\n    return sum(list(map(f, [x])))\nf(1)",
    eval: "def f():\n    return eval('f()')\nf()",
    exec: "source = 'exec(source)'\nexec(source)",
    "a generator": "def f():\n    yield from f()\nlist(f())",
    "a constructor": "class A:\n    def __init__(self):\n        self.a = A()\nA()",
    "a call": "class A:\n    def __call__(self, x):\n        return max([x, x], key=self)\nA()(1)",
    "a decorator": "def d(f):\n    return d(lambda: f)\nd(print)",
    "a comprehension": "def f(n):\n    return [f(n + 1) for _ in range(1)]\nf(0)",
    "a gradient rule":
      "import glowgrad as torch\nclass F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return F.apply(x)\n    @staticmethod\n    def backward(ctx, g):\n        return g\nF.apply(torch.ones(1))",
    "a module":
      "import glowgrad as torch\nclass M(torch.nn.Module):\n    def forward(self, x):\n        return self(x)\nM()(torch.ones(1))",
  };
  for (const withoutJspi of [false, true]) {
    const where = withoutJspi ? "without JSPI" : "with JSPI";
    test(`endless recursion of ${Object.keys(endless).length} kinds, ${where}`, async () => {
      await visiting("#/play", { withoutJspi }, async (page) => {
        const cell = freeCell(page);
        await cell.write("kept = 41");
        assert.equal(await cell.run(), "ok", await cell.output());
        for (const [name, source] of Object.entries(endless)) {
          await cell.write(source);
          assert.equal(await cell.run(), "error", name);
          assert.match(await cell.fault(), /RecursionError/, name);
        }
        await cell.write("print(kept + 1)");
        assert.equal(await cell.run(), "ok", await cell.output());
        assert.equal((await cell.output()).trim(), "42");
      });
    });
  }

  test("nested values are printed, compared and freed, or refused", async () => {
    await visiting("#/play", {}, async (page) => {
      const cell = freeCell(page);
      await cell.write(
        [
          "def nest():",
          "    a = []",
          "    for _ in range(100_000):",
          "        a = [a]",
          "    return a",
          "for use in (repr, str, lambda a: a == nest()):",
          "    try:",
          "        use(nest())",
          "    except RecursionError:",
          "        print('refused')",
        ].join("\n"),
      );
      assert.equal(await cell.run(), "ok", await cell.output());
      assert.match(await cell.output(), /^(refused\s*){3}$/);
      await cell.write(
        [
          "t = (int,)",
          "for _ in range(100_000):",
          "    t = (t,)",
          "for check in (lambda: isinstance(1.5, t), lambda: issubclass(str, t)):",
          "    try:",
          "        check()",
          "    except RecursionError:",
          "        print('refused')",
        ].join("\n"),
      );
      assert.equal(await cell.run(), "ok", await cell.output());
      assert.match(await cell.output(), /^(refused\s*){2}$/);
    });
  });

  test("with JSPI a function calls itself 450 times", async () => {
    await visiting("#/play", {}, async (page) => {
      const cell = freeCell(page);
      await cell.write("def f(n):\n    return 0 if n == 0 else 1 + f(n - 1)\nprint(f(450))");
      assert.equal(await cell.run(), "ok", await cell.output());
      assert.equal((await cell.output()).trim(), "450");
    });
  });
});

describe("what a page has and has not", () => {
  test("a tensor of 1.6 GB is made; what is refused is as large as it is said to be", async () => {
    await visiting("#/play", {}, async (page) => {
      const cell = freeCell(page);
      await cell.write(
        "import glowgrad as torch\nx = torch.zeros(400_000_000)\nprint(x.nbytes, x[-1].item())",
      );
      assert.equal(await cell.run(), "ok", await cell.output());
      assert.equal((await cell.output()).trim(), "1600000000 0.0");
      await cell.write("torch.ones(400_000_000, dtype=torch.float64)");
      assert.equal(await cell.run(), "error");
      assert.match(
        await cell.fault(),
        /ones: a tensor of shape \[400000000\] and float64 needs 3200000000 bytes, more than the 2147483647/,
      );
      // What the memory of a page cannot hold is an error too, and no end of the worker.
      await cell.write("(x + 1).double().sum()");
      await cell.run();
      await cell.write("print(x.shape)");
      assert.equal(await cell.run(), "ok", await cell.output());
    });
  });

  test("there is no CUDA, and questions after it have answers", async () => {
    await visiting("#/play", {}, async (page) => {
      const cell = freeCell(page);
      await cell.write(`import glowgrad as torch
torch.cuda.manual_seed_all(0)
torch.backends.cudnn.deterministic = True
print(torch.cuda.is_available(), torch.cuda.device_count(), torch.backends.mps.is_available())`);
      assert.equal(await cell.run(), "ok", await cell.output());
      assert.equal((await cell.output()).trim(), "False 0 False");
      await cell.write("!pip install numpy");
      assert.equal(await cell.run(), "error");
      assert.match(
        await cell.fault(),
        /installs nothing here: glowgrad, Python's own library and parts of NumPy, matplotlib and torchvision are here already/,
      );
    });
  });
});
