// The free notebook: cells and notes that come, go and move, and files that carry it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { violations } from "./axe.mjs";
import { goesOn } from "./code.mjs";
import { eventually, narrow, phone, useBrowser, visiting, wide } from "./harness.mjs";
import { Cell, FreeNotebook, freeCell, pythonReady, saved, sideways } from "./parts.mjs";

useBrowser();

test("an edited cell keeps its bar of one row, on every screen, with a finger's targets on a telephone", async () => {
  for (const touch of [false, true]) {
    await visiting("#/play", { touch, size: touch ? phone : wide }, async (page) => {
      const cell = freeCell(page);
      await cell.write("import glowgrad.nn as nn\nclass Net(nn.Module):\n    pass\n");
      assert.equal(await cell.run(), "ok");
      await cell.root.locator(".cm-content").focus();
      await page.keyboard.insertText("# changed");
      await eventually(async () => assert.equal(await cell.note(), "Changed since it ran"));
      for (const width of touch ? [430, 390, 320] : [1440, 1280, 1024, 800]) {
        await page.setViewportSize({ width, height: 800 });
        assert.equal(await cell.barHeight(), touch ? 44 : 30, `${width} px`);
        assert.equal((await sideways(page)).beyond <= 0, true, `${width} px scrolls sideways`);
      }
      assert.deepEqual(await violations(page), []);
    });
  }
});

test("a page at rest has imported the library before the first cell, and leaves no name of it", async () => {
  await visiting("#/play", {}, async (page) => {
    await pythonReady(page);
    const cell = freeCell(page);
    await cell.write("import sys\nprint('glowgrad' in sys.modules, 'glowgrad' in dir())");
    assert.equal(await cell.run(), "ok");
    assert.equal((await cell.printedText()).trim(), "True False");
  });
});

test("cells and notes are added, moved and deleted, run in order, and are there after a reload", async () => {
  await visiting("#/play", {}, async (page) => {
    const notebook = new FreeNotebook(page);
    const one = freeCell(page);
    await one.write("a = 2\nprint(a)");
    await notebook.press("Add a cell below cell-1");
    const two = new Cell(page, "cell-2");
    await two.write("b = a * 21\nprint(b)");
    await notebook.press("Add a note below cell-1");
    await notebook.writeNote("note-1", "# What it is\nA `product`, and <b>no HTML</b>.");
    assert.deepEqual(await notebook.names(), ["cell-1", "note-1", "cell-2"]);
    await notebook.note("note-1").getByRole("heading", { name: "What it is" }).waitFor();
    assert.match(await notebook.note("note-1").innerText(), /<b>no HTML<\/b>/);

    await notebook.press("Run all");
    await eventually(async () => assert.equal(await two.root.getAttribute("data-result"), "ok"));
    assert.equal((await two.printedText()).trim(), "42");
    assert.deepEqual([await one.order(), await two.order()], [1, 2]);

    await notebook.press("Move cell-2 up");
    await notebook.press("Move cell-2 up");
    assert.deepEqual(await notebook.names(), ["cell-2", "cell-1", "note-1"]);
    await saved(page);
    await page.reload();
    await eventually(async () => assert.deepEqual(await notebook.names(), ["cell-2", "cell-1", "note-1"]));
    await two.holds("b = a * 21\nprint(b)");
    assert.ok(await two.isEarlier());
    // Above it stands nothing now, so a missing name is not offered from below.
    assert.equal(await two.run(), "error");
    assert.equal(await two.runAboveFirst.count(), 0);

    await notebook.press("Delete cell-1");
    assert.deepEqual(await notebook.names(), ["cell-2", "note-1"]);
    await notebook.press("Take it back");
    assert.deepEqual(await notebook.names(), ["cell-2", "cell-1", "note-1"]);
    await one.holds("a = 2\nprint(a)");
    for (const name of ["cell-1", "cell-2", "note-1"]) await notebook.press(`Delete ${name}`);
    await notebook.press("Let it be");
    await saved(page);
    await page.reload();
    await page.getByRole("button", { name: "Add a cell", exact: true }).waitFor();
    assert.deepEqual(await notebook.names(), []);
    await page.getByRole("button", { name: "Add a cell", exact: true }).click();
    assert.equal((await notebook.names()).length, 1);
  });
});

test("a note shows formulas, links, tables and quotes; the typesetter comes with the first formula, and nothing becomes active", async () => {
  await visiting("#/play", { touch: true, size: phone }, async (page, visit) => {
    const notebook = new FreeNotebook(page);
    const isLoaded = () => visit.received.some(({ url }) => url.includes("typesetter"));
    await freeCell(page).text();
    await notebook.press("Add a note below cell-1");
    await notebook.writeNote(
      "note-1",
      [
        "See [*Adam*](https://arxiv.org/abs/1412.6980), [the course](#/course), https://pytorch.org/docs.",
        "![A plot](https://pytorch.org/a.png), [no link](javascript:alert(1)), $5 and $6.",
        "> quoted",
        "| name | a value that is long | another that is long |",
        "|:-----|-----:|---|",
        "| `one` | **2** | https://pytorch.org/docs/stable/optim.html |",
      ].join("\n"),
    );
    const note = notebook.note("note-1");
    await note.getByRole("cell", { name: "one" }).waitFor();
    await note.getByRole("blockquote").getByText("quoted").waitFor();
    assert.match(await note.innerText(), /\[no link\]\(javascript:alert\(1\)\), \$5 and \$6\./);
    assert.deepEqual(await notebook.links("note-1"), [
      ["Adam", "https://arxiv.org/abs/1412.6980"],
      ["the course", "#/course"],
      ["https://pytorch.org/docs", "https://pytorch.org/docs"],
      ["A plot", "https://pytorch.org/a.png"],
      ["https://pytorch.org/docs/stable/optim.html", "https://pytorch.org/docs/stable/optim.html"],
    ]);
    assert.equal(isLoaded(), false);

    await notebook.press("Add a note below note-1");
    const long = Array.from({ length: 30 }, (_, i) => `x_{${i}}`).join(" + ");
    await notebook.writeNote(
      "note-2",
      `So $\\mathbb{R}$ and\n$$\n${long}\n$$\nand $${long}$, but $\\frac{1$ and $\\href{javascript:alert(1)}{x}$ and $<img src=x onerror=alert(1)>$.`,
    );
    await eventually(async () => assert.equal(await notebook.formulas("note-2").count(), 4));
    assert.ok(isLoaded());
    assert.match(await notebook.formulas("note-2").first().textContent(), /^ℝ/);
    await notebook
      .note("note-2")
      .getByTitle(/cannot be typeset/)
      .getByText("\\frac{1")
      .waitFor();
    assert.deepEqual(await notebook.links("note-2"), []);
    assert.equal(await notebook.note("note-2").getByRole("img").count(), 0);
    assert.ok((await sideways(page)).beyond <= 0);
    assert.deepEqual(await violations(page), []);
  });
});

describe("a notebook as a file", () => {
  for (const kind of ["ipynb", "py"]) {
    test(`.${kind}: saved here and opened in a fresh page, it is the same, and runs the same`, async () => {
      let file;
      await visiting("#/play", {}, async (page) => {
        const notebook = new FreeNotebook(page);
        await freeCell(page).write('x = "näh 🦀"\nprint(x)');
        await notebook.press("Add a note below cell-1");
        await notebook.writeNote("note-1", "## Second\n\n- an item");
        await notebook.press("Add a cell below note-1");
        await new Cell(page, "cell-2").write("for i in range(2):\n    print(i, x)");
        await notebook.press("Run all");
        await eventually(async () => assert.match(await new Cell(page, "cell-2").printedText(), /1 näh/));
        file = await notebook.save(kind);
      });
      if (kind === "ipynb") {
        const { cells, nbformat } = JSON.parse(file.toString("utf8"));
        assert.equal(nbformat, 4);
        assert.deepEqual(
          cells.map(({ cell_type }) => cell_type),
          ["code", "markdown", "code"],
        );
        assert.equal(cells[0].outputs[0].text.join(""), "näh 🦀\n");
      }
      await visiting("#/play", {}, async (page) => {
        const notebook = new FreeNotebook(page);
        await freeCell(page).text();
        await notebook.open(`work.${kind}`, file);
        await eventually(async () =>
          assert.deepEqual(await notebook.names(), ["cell-1", "note-1", "cell-2"]),
        );
        await freeCell(page).holds('x = "näh 🦀"\nprint(x)');
        await notebook.note("note-1").getByRole("heading", { name: "Second" }).waitFor();
        await notebook.press("Run all");
        await eventually(async () => assert.match(await new Cell(page, "cell-2").printedText(), /1 näh/));
        assert.deepEqual(await notebook.save(kind), file);
      });
    });
  }

  test(".ipynb holds printed text, errors, plots, figures and charts, and shows them where it is opened", async () => {
    let file;
    await visiting("#/play", {}, async (page) => {
      const notebook = new FreeNotebook(page);
      const cell = freeCell(page);
      await cell.write(
        [
          "import glowgrad as torch, matplotlib.pyplot as plt",
          "from glowgrad import lab",
          "print('said')",
          "for i in range(20):",
          "    lab.plot(square=i * i)",
          "lab.heatmap(torch.arange(6.0).reshape(2, 3) - 2)",
          "plt.plot([1, 4, 9])",
          "plt.title('Squares')",
          "plt.show()",
          "1 / 0",
        ].join("\n"),
      );
      assert.equal(await cell.run(), "error");
      file = await notebook.save("ipynb");
    });
    const { outputs } = JSON.parse(file.toString("utf8")).cells[0];
    assert.deepEqual(
      outputs.map(({ output_type, data }) => [output_type, ...Object.keys(data ?? {})].join(" ")),
      [
        "stream",
        "display_data image/png text/plain",
        "display_data image/png text/plain",
        "display_data image/svg+xml text/plain",
        "error",
      ],
    );
    const words = outputs.slice(1, 4).map(({ data }) => data["text/plain"].join(""));
    assert.match(words[0], /^Plot of .*square went from 0 to 361/);
    assert.match(words[1], /^Heat-map.*\[2, 3\] float32/);
    assert.match(words[2], /^Chart.*Squares/);
    await visiting("#/play", {}, async (page) => {
      const notebook = new FreeNotebook(page);
      const cell = freeCell(page);
      await cell.text();
      await notebook.open("work.ipynb", file);
      await eventually(async () => assert.match(await cell.printedText(), /^said/));
      const pictures = page.getByTestId("output").locator("img");
      await eventually(async () =>
        assert.deepEqual(
          await pictures.evaluateAll((all) => all.map(({ naturalWidth, alt }) => [naturalWidth > 0, alt])),
          words.map((each) => [true, each]),
        ),
      );
      await page.getByText("ZeroDivisionError").first().waitFor();
      assert.equal(await cell.note(), "From work.ipynb");
      assert.deepEqual(await violations(page), []);
      assert.deepEqual(JSON.parse(await notebook.save("ipynb")), JSON.parse(file));
      // They are there after a reload, and go with the next run.
      await saved(page);
      await page.reload();
      await eventually(async () => assert.equal(await pictures.count(), 3));
      assert.equal(await cell.note(), "From work.ipynb");
      assert.equal(await cell.run(), "error");
      assert.equal(await pictures.count(), 0);
    });
  });

  test("asks where it goes when there is work, and can be taken back", async () => {
    await visiting("#/play", {}, async (page) => {
      const notebook = new FreeNotebook(page);
      const one = freeCell(page);
      await one.write("mine = 1");
      await notebook.open("their.py", Buffer.from("theirs = 1\n# %%\nmore = 2\n"));
      await page.getByRole("button", { name: "Below what is here" }).click();
      assert.deepEqual(await notebook.names(), ["cell-1", "cell-2", "cell-3"]);
      await one.holds("mine = 1");
      await new Cell(page, "cell-3").holds("more = 2");
      await notebook.press("Take it back");
      assert.deepEqual(await notebook.names(), ["cell-1"]);
      await notebook.drop("their.py", "theirs = 1\n# %%\nmore = 2\n");
      await page.getByRole("button", { name: "In place of what is here" }).click();
      assert.deepEqual(await notebook.names(), ["cell-1", "cell-2"]);
      await one.holds("theirs = 1");
      await notebook.press("Take it back");
      assert.deepEqual(await notebook.names(), ["cell-1"]);
      await one.holds("mine = 1");
    });
  });

  test("that is none gets a sentence, and changes nothing", async () => {
    await visiting("#/play", {}, async (page) => {
      const notebook = new FreeNotebook(page);
      const before = await freeCell(page).text();
      for (const [name, content, says] of [
        ["a.ipynb", "{", "This is not a notebook: it is not JSON."],
        ["a.ipynb", '{"nbformat": 3}', "This notebook is not of nbformat 4"],
        ["a.ipynb", '{"nbformat": 4, "cells": [7]}', "This notebook is damaged at cell 1."],
        ["a.txt", "x", "Choose a file that ends in .py or .ipynb."],
        ["a.py", Buffer.alloc(9_000_000, "x"), "8 is the most that is read here."],
      ]) {
        await notebook.open(name, Buffer.from(content));
        await page.getByRole("alert").getByText(says).waitFor();
        assert.deepEqual(await notebook.names(), ["cell-1"]);
        await freeCell(page).holds(before);
      }
    });
  });
});

test("two tabs have the same cells, notes and order", async () => {
  await visiting("#/play", {}, async (page, visit) => {
    const second = await visit.context.newPage();
    second.setDefaultTimeout(60_000);
    await second.goto(page.url());
    const [here, there] = [page, second].map((each) => new FreeNotebook(each));
    await freeCell(second).text();
    await here.press("Add a cell below cell-1");
    await new Cell(page, "cell-2").write("here = 1");
    await eventually(async () => assert.deepEqual(await there.names(), ["cell-1", "cell-2"]));
    await new Cell(second, "cell-2").holds("here = 1");
    await there.press("Move cell-2 up");
    await eventually(async () => assert.deepEqual(await here.names(), ["cell-2", "cell-1"]));
    await there.press("Delete cell-2");
    await eventually(async () => assert.deepEqual(await here.names(), ["cell-1"]));
    await second.close();
  });
});

test("has no accessibility fault on a narrow page, with wide output, a note open and a file asked about", async () => {
  await visiting("#/play", { size: narrow }, async (page) => {
    const notebook = new FreeNotebook(page);
    const cell = freeCell(page);
    await cell.write("print(list(range(60)))\nx = 1");
    assert.equal(await cell.run(), "ok");
    // A line of numbers stays one, and scrolls.
    const log = cell.printed.getByRole("log");
    await eventually(async () => assert.equal(await goesOn(log), "right"));
    assert.ok((await log.boundingBox()).height < 50);
    await notebook.press("Add a note below cell-1");
    await notebook.writeNote("note-1", "# One\n- two\n```\nthree\n```");
    await notebook.press("Add a note below note-1");
    await notebook.open("a.py", Buffer.from("x = 1"));
    await page.getByRole("button", { name: "Below what is here" }).waitFor();
    assert.deepEqual(await violations(page), []);
  });
});
