// What the page keeps: reloads in mid-lesson, cells against their order, changed cells, two tabs, and browsers that keep
// nothing.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { violations } from "./axe.mjs";
import { eventually, lessons, measured, narrow, useBrowser, visiting } from "./harness.mjs";
import { Cell, DeviceMenu, Exercise, freeCell, pythonReady, Session, Stage, saved } from "./parts.mjs";

useBrowser();

const course = lessons();
const cellsOf = (lesson) => lesson.blocks.filter(({ type }) => type === "cell").map(({ id }) => id);
const named = (slug) => course.find((lesson) => lesson.slug === slug);

/** What a learner sees of a cell, and where. */
async function seen(cell) {
  return { output: await cell.printed.innerText(), order: await cell.order() };
}

/** After how many cells to reload: four places, spread over the lesson. */
function places(count) {
  return [...new Set([1, 2, 3, 4].map((part) => Math.max(1, Math.round((count * part) / 4.5))))];
}

describe("a reload in mid-lesson brings everything back, marked, and claims nothing", () => {
  const chosen = ["buffer", "broadcasting", "a-neuron-lights-up", "gradients-that-broadcast", "read-a-digit"];
  let reloads = 0;
  for (const slug of chosen) {
    const lesson = named(slug);
    const ids = cellsOf(lesson);
    const stops = places(ids.length);
    test(`${slug}, after ${stops.join(", ")} of ${ids.length} cells`, async () => {
      await visiting(`#/lesson/${slug}`, {}, async (page) => {
        const cells = ids.map((id) => new Cell(page, id));
        const session = new Session(page);
        for (const [index, cell] of cells.entries()) {
          if (index >= stops.at(-1)) break;
          assert.equal(await cell.run(), "ok", `${cell}: ${await cell.output()}`);
          const done = index + 1;
          if (!stops.includes(done)) continue;
          const drawn = await page.locator("[data-testid='stage'] [data-node]").count();
          await saved(page);
          const before = await Promise.all(cells.slice(0, done).map(seen));
          const top = await cell.top();
          await page.reload();
          reloads += 1;

          await session.counts(new RegExp(`^0 of ${ids.length} cells run in this session, ${done} earlier`));
          // Pictures are drawn by code that the page fetches when there are some.
          await eventually(async () =>
            assert.deepEqual(await Promise.all(cells.slice(0, done).map(seen)), before, `${slug} ${done}`),
          );
          for (const each of cells.slice(0, done)) {
            assert.ok(await each.isEarlier());
            assert.match(await each.note(), /^Earlier session, \d\d:\d\d$/);
          }
          for (const each of cells.slice(done)) assert.equal(await each.isEarlier(), false);
          await eventually(async () => {
            const now = await cell.top();
            assert.ok(Math.abs(now - top) <= 3, `${slug} ${done}: cell at ${now}, not ${top}`);
          });
          if (drawn > 0) {
            const stage = new Stage(page, page.getByTestId("stage"));
            // Some lessons open with another instrument.
            await page.getByTestId("stage").getByRole("tab", { name: "Graph" }).click();
            await stage.ready();
            // Drawn before: it rests, and does not play again.
            await stage.rest(await stage.position());
          }
          await session.earlier.waitFor();

          const next = cells[index + 1];
          if (!next || done === stops.at(-1)) continue;
          await next.runAllAbove(cell);
          await session.counts(new RegExp(`^${done} of ${ids.length} cells run ·`));
          await session.earlier.waitFor({ state: "detached" });
          assert.deepEqual(
            await Promise.all(cells.slice(0, done).map((each) => each.order())),
            before.map((_, at) => at + 1),
          );
        }
      });
    });
  }
  test("that was at twenty places", () => {
    measured(`${reloads} reloads in mid-lesson`);
    assert.ok(reloads >= 20, `${reloads} places`);
  });
});

test("the notice over the stage runs again what had run, and a narrow page has no accessibility fault", async () => {
  const lesson = named("buffer");
  const ids = cellsOf(lesson).slice(0, 3);
  await visiting(`#/lesson/${lesson.slug}`, { size: narrow, theme: "light" }, async (page) => {
    const cells = ids.map((id) => new Cell(page, id));
    for (const cell of cells) assert.equal(await cell.run(), "ok");
    await saved(page);
    await page.reload();
    const session = new Session(page);
    await session.earlier.waitFor();
    assert.deepEqual(await violations(page), []);
    await session.earlier.getByRole("button", { name: "Run 3 cells again" }).click();
    await session.counts(/^3 of \d+ cells run ·/);
    for (const cell of cells) assert.equal(await cell.isEarlier(), false);
  });
});

test("a run that a reload cuts off says so, and a cell that failed says that; one press is offered", async () => {
  await visiting("#/lesson/build-the-engine", {}, async (page) => {
    const [one, early, train] = ["cell-1", "too-early", "train"].map((id) => new Cell(page, id));
    assert.equal(await one.run(), "ok");
    assert.equal(await early.run(), "error");
    await train.write("print('begun')\nwhile True:\n    pass");
    await train.start();
    await eventually(async () => assert.equal((await train.printedText()).trim(), "begun"));
    await saved(page);
    await page.reload();
    await eventually(async () =>
      assert.match(await train.note(), /^Interrupted by leaving the page, \d\d:\d\d$/),
    );
    assert.equal((await train.printedText()).trim(), "begun");
    assert.match(await train.output(), /Leaving the page interrupted this run/);
    assert.equal(await train.order(), null);

    await page.getByTestId("graph-widget").first().getByText("It raised an error").waitFor();
    const { earlier, authors } = new Session(page);
    await earlier.getByRole("button", { name: "Run cell-1 and too-early again" }).waitFor();
    await authors.first().waitFor();
    assert.equal(await authors.getByRole("button").count(), 0);
    // Its tools stay in one row.
    const tools = ["Run all above", "Copy link to too-early"].map((name) =>
      early.root.getByRole("button", { name }),
    );
    const rows = await Promise.all(
      [early.runButton, ...tools].map(async (tool) => (await tool.boundingBox()).y),
    );
    for (const y of rows) assert.ok(Math.abs(y - rows[0]) < 2, `rows at ${rows}`);
    await earlier.getByRole("button", { name: "Not now" }).click();
    await authors.getByRole("button", { name: "Run cell-1 to too-early" }).first().waitFor();
  });
});

test("leaving for another page and coming back keeps the variables, the picture and the place", async () => {
  const lesson = named("a-neuron-lights-up");
  const ids = cellsOf(lesson);
  await visiting(`#/lesson/${lesson.slug}`, {}, async (page) => {
    const cells = ids.slice(0, 3).map((id) => new Cell(page, id));
    for (const cell of cells) assert.equal(await cell.run(), "ok");
    await saved(page);
    const [before, top] = [await Promise.all(cells.map(seen)), await cells[2].top()];
    await page.getByRole("link", { name: "Course", exact: true }).click();
    await page.getByTestId("onward").waitFor();
    await page.evaluate((slug) => (location.hash = `#/lesson/${slug}`), lesson.slug);
    await eventually(async () => assert.deepEqual(await Promise.all(cells.map(seen)), before));
    await eventually(async () => assert.ok(Math.abs((await cells[2].top()) - top) <= 3));
    const session = new Session(page);
    await session.counts(/^3 of \d+ cells run ·/);
    for (const cell of cells) assert.equal(await cell.isEarlier(), false);
    // Its variables are there: the next cell needs nothing above.
    assert.equal(await new Cell(page, ids[3]).run(), "ok");
    assert.equal(await new Cell(page, ids[3]).order(), 4);
  });
});

describe("cells against their order", () => {
  test("a NameError offers to run all above, and one press does it in order", async () => {
    const lesson = named("read-a-digit");
    const cells = cellsOf(lesson);
    await visiting(`#/lesson/${lesson.slug}`, {}, async (page) => {
      const [one, two, three] = cells.map((id) => new Cell(page, id));
      assert.equal(await three.run(), "error");
      assert.match(await three.fault(), /NameError/);
      assert.equal(await three.order(), 1);
      await three.root.getByText("is made in cell-1, which has not run in this session.").waitFor();
      await three.runAboveFirst.click();
      await eventually(async () => assert.equal(await three.root.getAttribute("data-result"), "ok"));
      assert.deepEqual([await one.order(), await two.order(), await three.order()], [2, 3, 4]);
      assert.equal(await three.runAboveFirst.count(), 0);
      await eventually(async () => {
        const focused = await page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
        assert.equal(focused, "Run cell-3");
      });
    });
  });

  test("a module that a cell above imports is no import to add", async () => {
    const lesson = named("broadcasting");
    await visiting(`#/lesson/${lesson.slug}`, {}, async (page) => {
      const last = new Cell(page, cellsOf(lesson).at(-1));
      assert.equal(await last.run(), "error");
      await last.root.getByText("torch is made in cell-1, which has not run in this session.").waitFor();
      assert.equal(await last.root.getByTestId("fixes").count(), 0);
    });
  });

  test("an exercise that needs a cell offers the same, and is checked then", async () => {
    const lesson = named("buffer");
    const { id } = lesson.blocks.find(({ type }) => type === "exercise");
    await visiting(`#/lesson/${lesson.slug}`, {}, async (page) => {
      const exercise = new Exercise(page, id);
      await exercise.write("print(x.shape)");
      await exercise.start();
      await exercise.ended();
      await exercise.root.getByText("is made in cell-8, which has not run in this session.").waitFor();
      await exercise.runAboveFirst.click();
      await exercise.root.getByText("checks hold.").waitFor();
      assert.equal(await exercise.runAboveFirst.count(), 0);
      assert.equal(await new Cell(page, "cell-1").order(), 1);
    });
  });

  test("a name that no cell above makes is the learner's own to mend", async () => {
    const lesson = named("read-a-digit");
    await visiting(`#/lesson/${lesson.slug}`, {}, async (page) => {
      const three = new Cell(page, cellsOf(lesson)[2]);
      await three.write("print(no_cell_makes_this)");
      assert.equal(await three.run(), "error");
      assert.match(await three.fault(), /NameError/);
      assert.equal(await three.runAboveFirst.count(), 0);
    });
  });

  test("one that fails on the way is gone to, and nothing after it runs", async () => {
    const lesson = named("read-a-digit");
    await visiting(`#/lesson/${lesson.slug}`, {}, async (page) => {
      const [one, two, three] = cellsOf(lesson).map((id) => new Cell(page, id));
      await two.write("raise ValueError('on the way')");
      assert.equal(await three.run(), "error");
      await three.runAboveFirst.click();
      await eventually(async () => assert.equal(await two.root.getAttribute("data-result"), "error"));
      assert.equal(await one.root.getAttribute("data-result"), "ok");
      // What it missed is there now; the rest is the failing cell's.
      await eventually(async () => assert.equal(await three.runAboveFirst.count(), 0));
      assert.equal(await three.order(), 1);
      const top = await two.top();
      assert.ok(top > 0 && top < 800, `the failing cell is at ${top}`);
    });
  });
});

test("a changed cell marks itself and what ran below, until that has run again", async () => {
  const lesson = named("read-a-digit");
  await visiting(`#/lesson/${lesson.slug}`, {}, async (page) => {
    const [one, two, three] = cellsOf(lesson).map((id) => new Cell(page, id));
    const text = lesson.blocks.find(({ id }) => id === "cell-2").source.trimEnd();
    for (const cell of [one, two, three]) assert.equal(await cell.run(), "ok");
    await two.write(`${text}\nmine = 1`);
    await eventually(async () => assert.equal(await two.note(), "Changed since it ran"));
    assert.equal(await three.note(), "Out of date: cell-2 changed");
    assert.match(await one.note(), /ms|s$/);
    // The same text again is no change.
    await two.write(text);
    await eventually(async () => assert.match(await three.note(), /ms|s$/));
    await two.write(`${text}\nmine = 1`);
    await three.runAllAbove(two);
    assert.equal(await three.note(), "Out of date: cell-2 changed");
    assert.equal(await three.run(), "ok");
    assert.match(await three.note(), /ms|s$/);
    // And it is told after a reload too.
    await two.write(`${text}\nmine = 2`);
    await saved(page);
    await page.reload();
    await eventually(async () => assert.equal(await two.note(), "Earlier session, changed since"));
  });
});

describe("two tabs", () => {
  test("show each other's texts, offer what stood there, and lose nothing", async () => {
    const lesson = named("buffer");
    const [id, other] = cellsOf(lesson);
    const original = lesson.blocks.find((block) => block.id === id).source.trimEnd();
    await visiting(`#/lesson/${lesson.slug}`, {}, async (page, visit) => {
      const second = await visit.context.newPage();
      second.setDefaultTimeout(60_000);
      await second.goto(page.url());
      const [here, there] = [page, second].map((each) => new Cell(each, id));
      await there.holds(original);
      await here.write("print('from the first tab')");
      await there.holds("print('from the first tab')");
      await there.otherText.waitFor();
      assert.equal(await here.otherText.count(), 0);
      // Cells are joined one by one: what the second writes elsewhere stays.
      await new Cell(second, other).write("print('from the second tab')");
      await new Cell(page, other).holds("print('from the second tab')");
      assert.equal(await here.text(), "print('from the first tab')");

      await there.otherText.getByText("Show the other text").click();
      assert.equal(await there.otherText.getByRole("region").innerText(), original);
      await there.otherText.getByRole("button", { name: "Put the other text here" }).click();
      await there.holds(original);
      await here.holds(original);
      await here.otherText.getByRole("button", { name: "Put the other text here" }).click();
      await there.holds("print('from the first tab')");
      await saved(page);

      // Each tab has a Python of its own; of outputs, the newest is kept.
      assert.equal(await there.run(), "ok");
      await there.write("print('newest')");
      assert.equal(await there.run(), "ok");
      await saved(second);
      await second.close();
      await page.reload();
      await here.holds("print('newest')");
      assert.equal((await here.printedText()).trim(), "newest");
      assert.ok(await here.isEarlier());
    });
  });

  test("unite what was done", async () => {
    const lesson = named("buffer");
    const [one, two] = cellsOf(lesson);
    await visiting(`#/lesson/${lesson.slug}`, {}, async (page, visit) => {
      const second = await visit.context.newPage();
      second.setDefaultTimeout(60_000);
      await second.goto(page.url());
      assert.equal(await new Cell(page, one).run(), "ok");
      const there = new Session(second);
      await there.counts(/^0 of \d+ cells run in this session, 1 earlier/);
      await new Cell(second, one).run();
      assert.equal(await new Cell(second, two).run(), "ok");
      await new Session(page).counts(/^1 of \d+ cells run in this session, 1 earlier/);
      await saved(second);
      await second.close();
      await page.reload();
      await new Session(page).counts(/^0 of \d+ cells run in this session, 2 earlier/);
    });
  });
});

describe("a browser that keeps nothing", () => {
  const refusals = {
    "because databases are forbidden": () => {
      indexedDB.open = () => {
        throw new DOMException("denied", "SecurityError");
      };
      for (const name of ["getItem", "setItem"]) {
        Storage.prototype[name] = () => {
          throw new DOMException("denied", "SecurityError");
        };
      }
    },
    "because its disk is full": () => {
      IDBObjectStore.prototype.put = () => {
        throw new DOMException("no room", "QuotaExceededError");
      };
    },
  };
  for (const [why, script] of Object.entries(refusals)) {
    test(`${why}, runs lessons and says so`, async () => {
      const lesson = named("buffer");
      await visiting(`#/lesson/${lesson.slug}`, {}, async (page) => {
        await page.addInitScript(script);
        await page.reload();
        const [one, two] = cellsOf(lesson).map((id) => new Cell(page, id));
        assert.equal(await one.run(), "ok");
        await two.write("print(x.shape)");
        assert.equal(await two.run(), "ok");
        const exercise = new Exercise(page, lesson.blocks.find(({ type }) => type === "exercise").id);
        assert.equal(await exercise.check(), false);
        await new Session(page).notKept.waitFor();
        await page.reload();
        await new Session(page).counts(/^0 of \d+ cells run ·/);
        assert.equal(await one.run(), "ok");
      });
    });
  }
});

test("a picture too large to keep is told of, and running its cell draws it", async () => {
  await visiting("#/play", {}, async (page) => {
    const cell = freeCell(page);
    await cell.write(
      "import glowgrad as torch\nx = torch.ones(64, requires_grad=True)\ny = x\nfor _ in range(9000):\n    y = y + x\ny.sum().backward()",
    );
    assert.equal(await cell.run(), "ok", await cell.output());
    await saved(page);
    await page.reload();
    await page.getByTestId("picture-gone").waitFor();
    assert.ok(await cell.isEarlier());
    assert.equal(await cell.run(), "ok");
    await eventually(async () => assert.equal(await page.getByTestId("picture-gone").count(), 0));
  });
});

test("the chosen device computes after a reload", async () => {
  await visiting("#/play", {}, async (page) => {
    await pythonReady(page);
    const menu = new DeviceMenu(page);
    if (!(await menu.offers("webgpu"))) {
      measured("no GPU in this browser: the choice of a device was not tested");
      return;
    }
    await menu.choose("webgpu");
    await page.reload();
    await pythonReady(page);
    await menu.chosen("webgpu");
    const cell = freeCell(page);
    await cell.write("import glowgrad as torch\nprint(torch.ones(2).device)");
    assert.equal(await cell.run(), "ok", await cell.output());
    assert.match(await cell.printedText(), /webgpu/);
    await menu.choose("cpu");
    await page.reload();
    await pythonReady(page);
    await menu.chosen("cpu");
  });
});
