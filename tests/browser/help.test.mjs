// Help while writing, as a learner meets it: completion with signatures, what a name means, and fixes under an error.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { violations } from "./axe.mjs";
import { CodeView } from "./code.mjs";
import { eventually, narrow, useBrowser, visiting, wide } from "./harness.mjs";
import { Cell, FreeNotebook, Search, Writing } from "./parts.mjs";

useBrowser();

/** The free cell with this code in it, and the caret at its end. */
async function writing(code, options, body) {
  await visiting("#/play", options, async (page) => {
    const cell = new Cell(page, "cell-1");
    await cell.write(code);
    await body(new Writing(cell), cell, page);
  });
}

describe("completion", () => {
  for (const [theme, size] of [
    ["dark", wide],
    ["light", narrow],
  ]) {
    test(`lists the methods of a tensor, with signatures (${theme}, ${size.width} wide)`, async () => {
      await writing(
        "import glowgrad as torch\nx = torch.randn(4, 3)\n",
        { theme, size },
        async (editor, _, page) => {
          await editor.type("y = x.");
          await editor.option("abs").waitFor();
          assert.deepEqual(await violations(page), []);
          await editor.type("unsq");
          // The list of all methods had it too.
          await editor.option("abs").waitFor({ state: "detached" });
          await editor.option("unsqueeze").waitFor();
          await page.keyboard.press("Enter");
          await editor.ends("y = x.unsqueeze");
          await editor.type("(");
          await editor.signature.getByText("unsqueeze(").waitFor();
          assert.equal(await editor.parameter.innerText(), "dim");
          assert.deepEqual(await violations(page), []);
          await page.keyboard.press("Escape");
          await editor.signature.waitFor({ state: "detached" });
        },
      );
    });
  }

  test("knows modules, layers, and what a run left in variables", async () => {
    const code = "import torch\nfrom torch import nn, optim\nweights = torch.ones(2, 5)\n";
    await writing(code, {}, async (editor, cell, page) => {
      assert.equal(await cell.run(), "ok", await cell.output());
      await editor.toEnd();
      await editor.type("optim.");
      await editor.option("Adam").waitFor();
      await editor.type("Ad");
      await editor.option("AdamW").waitFor();
      await page.keyboard.press("Escape");
      await editor.type("\nwei");
      await editor.option(/^weights\s*Tensor \[2, 5\] float32/).waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Escape");
      await editor.type("\nnn.Linear(");
      await editor.signature.getByText("in_features").waitFor();
      await editor.type("5, ");
      await eventually(async () => assert.equal(await editor.parameter.innerText(), "out_features"));
    });
  });

  test("knows the learner's own modules and functions, of this cell and of cells before", async () => {
    const code = [
      "import glowgrad as torch",
      "import glowgrad.nn as nn",
      "class Net(nn.Module):",
      "    def __init__(self, width=4):",
      "        super().__init__()",
      "        self.encoder = nn.Linear(3, width)",
      "    def forward(self, x):",
      "        return self.encoder(x)",
      "def blend(left, right=0.5):",
      "    return left * right",
      "net = Net()",
      "",
    ].join("\n");
    await writing(code, {}, async (_, cell, page) => {
      assert.equal(await cell.run(), "ok", await cell.output());
      await new FreeNotebook(page).press("Add a cell below cell-1");
      const later = new Cell(page, "cell-2");
      await later.write("# another cell\n");
      const there = new Writing(later);
      await there.type("net.");
      await there.option(/^encoder\s*Module/).waitFor();
      await there.type("encoder.");
      await there.option("weight").or(there.option("parameters")).first().waitFor();
      await page.keyboard.press("Escape");
      await there.type("\nblend(1, ");
      await there.signature.getByText("blend(").waitFor();
      await eventually(async () => assert.equal(await there.parameter.innerText(), "right=0.5"));
      await there.type("2)\nNet(");
      await eventually(async () => assert.equal(await there.parameter.innerText(), "width=4"));
      assert.deepEqual(await violations(page), []);
    });
  });

  test("stands in no one's way: a line that is done ends, and Escape and Tab leave", async () => {
    await writing("import glowgrad as torch\n", {}, async (editor, cell, page) => {
      await editor.type("x = torch.ones(2)");
      await page.keyboard.press("Enter");
      await editor.type("print");
      await page.keyboard.press("Enter");
      await editor.type("y = x.sum()");
      await cell.holds("import glowgrad as torch\nx = torch.ones(2)\nprint\ny = x.sum()");
      await editor.type("\nx.");
      await editor.option("abs").waitFor();
      await page.keyboard.press("Escape");
      await editor.options.waitFor({ state: "detached" });
      await page.keyboard.press("Tab");
      await eventually(async () => assert.ok(!(await editor.focused()), "the editor kept the focus"));
    });
  });
});

test("a name under the pointer says what it is, and leads to the reference", async () => {
  await writing("import glowgrad as torch\nx = torch.randn(4, 3)\n", {}, async (editor, _cell, page) => {
    await editor.hover("randn");
    await editor.signature.getByText("randn(").waitFor();
    await editor.signature.getByText(/normal distribution/).waitFor();
    await editor.signature.getByRole("link", { name: "randn in the reference" }).click();
    await page.waitForURL((url) => url.hash === "#/reference/randn");
  });
});

describe("fixes", () => {
  test("a missing import is one press away, and can be undone", async () => {
    await writing("x = torch.ones(2)\nprint(x)", {}, async (editor, cell, page) => {
      assert.equal(await cell.run(), "error");
      await editor.fix("Import torch").waitFor();
      assert.match(await editor.fixes.innerText(), /import glowgrad as torch/);
      assert.deepEqual(await violations(page), []);
      await editor.fix("Import torch").click();
      await cell.holds("import glowgrad as torch\nx = torch.ones(2)\nprint(x)");
      // The message goes along with its line.
      const code = new CodeView(cell);
      await eventually(async () => assert.equal(await code.faulty(), 2));
      await editor.fix("Undo the fix").click();
      await cell.holds("x = torch.ones(2)\nprint(x)");
      await eventually(async () => assert.equal(await code.faulty(), 1));
      await editor.fix("Import torch").click();
      assert.equal(await cell.run(), "ok");
      assert.match(await cell.output(), /tensor\(\[1\., 1\.\]\)/);
    });
  });

  test("a loss without gradients, and sizes that do not meet", async () => {
    const code = [
      "import glowgrad as torch",
      "w = torch.tensor([[1.0, 2.0, 3.0]])",
      "x = torch.ones(4, 3)",
      "loss = (w @ x).sum()",
      "loss.backward()",
      "print(w.grad)",
    ].join("\n");
    await writing(code, {}, async (editor, cell, page) => {
      assert.equal(await cell.run(), "error");
      await editor.fix("Transpose x").click();
      await cell.holds(code.replace("w @ x", "w @ x.T"));
      assert.equal(await cell.run(), "error");
      await editor.fix("Collect gradients for w").click();
      assert.equal(await cell.run(), "ok", await cell.output());
      assert.match(await cell.output(), /tensor\(\[\[4\., 4\., 4\.\]\]\)/);
      // In the editor it is an edit like any other.
      await editor.toEnd();
      await page.keyboard.press("ControlOrMeta+Z");
      await cell.holds(code.replace("w @ x", "w @ x.T"));
    });
  });

  test("a name that is not there is answered with what to use", async () => {
    await writing("import torch\ntorch.ones(2).astype(int)", {}, async (_editor, cell) => {
      assert.equal(await cell.run(), "error");
      assert.match(await cell.fault(), /instead: `x\.to\(dtype\)`, such as `x\.to\(torch\.float32\)`/);
    });
  });
});

test("code that is wider than the editor says so, its message does not go along, and a run shows its beginning", async () => {
  const line = `x = torch.ones(2, 3) @ torch.ones(2, 3)  # ${"so on ".repeat(20)}`;
  await writing(`import glowgrad as torch\n${line}`, {}, async (_editor, cell, page) => {
    const code = new CodeView(cell);
    assert.ok((await code.scrolled()) > 0, "the caret is in sight");
    assert.equal(await cell.run(), "error");
    await cell.fault();
    assert.equal(await code.scrolled(), 0);
    await eventually(async () => assert.equal(await code.goesOn(), "right"));
    assert.ok(await code.showsMessage());
    await code.scrollTo(90);
    await eventually(async () => assert.equal(await code.goesOn(), "left right"));
    assert.ok(await code.showsMessage(), "scrolled sideways");
    // The focus may stay where it is.
    await cell.write(line);
    await page.keyboard.press("Shift+Enter");
    await eventually(async () => assert.equal(await code.scrolled(), 0));
  });
});

test("search finds what Python's side defines", async () => {
  await visiting("#/", {}, async (page) => {
    for (const [word, name] of [
      ["Adam", "optim.Adam"],
      ["Linear", "nn.Linear"],
      ["DataLoader", "utils.data.DataLoader"],
    ]) {
      const search = new Search(page);
      await page.keyboard.press("Control+k");
      await search.field.waitFor();
      await page.keyboard.type(word);
      await search.options
        .filter({ hasText: new RegExp(`^\\s*${name}:`) })
        .first()
        .click();
      await page.waitForURL((url) => url.hash === `#/reference/${name}`);
      await page.getByTestId("op").and(page.locator("[open]")).first().waitFor();
    }
  });
});
