// What the instruments beside the text are called, and how a learner uses them; the rest is in parts.mjs.
//
// Invariant: as in parts.mjs, which gives these out too: a part that is renamed is renamed here.

import assert from "node:assert/strict";
import { eventually, patience } from "./harness.mjs";
import { Sheet } from "./sheet.mjs";

/** Where an element is on the page, once it rests there. */
export async function restingBox(locator) {
  const element = await locator.elementHandle();
  await element.waitForElementState("stable");
  return await element.boundingBox();
}

/** The Plot instrument, or the same as a widget. */
export class PlotInstrument {
  constructor(page) {
    this.page = page;
    this.root = page.getByTestId("plot-view");
    this.chart = this.root.getByRole("slider", { name: /^Position in the plot/ });
    this.canvas = this.chart.locator("canvas");
    this.smoothing = this.root.getByLabel("Smoothing");
    this.log = this.root.getByLabel("Log scale");
    this.figures = this.root.getByTestId("figure");
  }

  async open() {
    await new Sheet(this.page).opened();
    await this.page.getByRole("tab", { name: "Plot" }).click();
    await this.root.waitFor();
  }

  /** The table as rows of text, the newest run first; a run by its name. */
  async table() {
    return await this.root
      .locator("tbody tr")
      .evaluateAll((rows) =>
        rows.map((row) => [
          row.querySelector("input:not([type])").value,
          ...[...row.querySelectorAll("td")].map((cell) => cell.textContent.trim()),
        ]),
      );
  }

  /** Waits until the table has these rows. */
  async tells(rows) {
    await eventually(async () => assert.deepEqual(await this.table(), rows));
  }

  /** What stands over the table: where its numbers are from. */
  async caption() {
    return await this.root.locator("caption").innerText();
  }

  /** How many points of the chart, as it is painted now, have this colour, more or less. */
  async painted([red, green, blue]) {
    return await this.canvas.evaluate(
      (canvas, wanted) => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let at = 0; at < data.length; at += 4) {
          const near = wanted.every((value, channel) => Math.abs(data[at + channel] - value) < 12);
          if (near && data[at + 3] > 200) count += 1;
        }
        return count;
      },
      [red, green, blue],
    );
  }

  async saveCsv() {
    const download = this.page.waitForEvent("download");
    await this.root.getByRole("button", { name: "Save as CSV" }).click();
    return await download;
  }
}

/** The tools of a stage: search, marks, comparison, pins. */
export class StageTools {
  constructor(page) {
    this.page = page;
    this.stage = page.getByRole("region", { name: "Stage", exact: true });
    this.field = page.getByRole("combobox", { name: /^Search nodes/ });
    this.options = page.getByRole("listbox", { name: "Matches" }).getByRole("option");
    this.menu = page.getByRole("menu", { name: "More tools" });
    this.overview = page.getByRole("button", { name: /^Overview of the graph/ });
    this.keys = page.getByRole("region", { name: "Keys of the stage" });
    this.differences = page.getByRole("region", { name: "Differences from the kept run" });
    this.pins = page.getByRole("group", { name: "Pinned nodes, step by step" });
    this.stop = page.getByRole("group", { name: "Numbers of this stop" });
    /** Where the stage is small: shows those. */
    this.numbers = page.getByRole("button", { name: "Numbers of each stop" });
    this.card = page.getByRole("complementary", { name: /^Node / });
    /** Marks over the nodes, by what they mark. */
    this.marks = (kind) => page.locator(`svg.marks > g.${kind}`);
    /** Which signs of marks lie on what is written in the graph. */
    this.signsOnTexts = () =>
      page.locator("svg.marks").evaluate((svg) => {
        const graph = svg.getRootNode().querySelector('[role="group"][aria-label^="Graph of"]');
        const seen = (text) => text.checkVisibility({ opacityProperty: true });
        const texts = [...graph.querySelectorAll("text")].filter(seen);
        return [...svg.querySelectorAll(".plate")].flatMap((plate) => {
          const sign = plate.getBoundingClientRect();
          return texts
            .filter((text) => {
              const room = text.getBoundingClientRect();
              const across = Math.min(room.right, sign.right) - Math.max(room.left, sign.left);
              const down = Math.min(room.bottom, sign.bottom) - Math.max(room.top, sign.top);
              return across > 1 && down > 1;
            })
            .map((text) => `${plate.nextElementSibling.textContent} on ${text.textContent}`);
        });
      });
  }

  /** What is said of each place where numbers first went wrong. */
  async brokenRows() {
    const rows = await this.page.locator(".strip .row.broken p").allInnerTexts();
    return rows.map((text) => text.replace(/\s+/g, " "));
  }

  /** Waits until the tools are there. */
  async ready() {
    await this.page.getByRole("button", { name: "More tools" }).waitFor();
  }

  /** Presses a key with the focus on the stage. */
  async press(key) {
    await this.stage.focus();
    await this.page.keyboard.press(key);
  }

  /** Opens the search and writes into it. */
  async search(text) {
    await this.press("/");
    await this.field.and(this.page.locator(":focus")).waitFor();
    await this.page.keyboard.insertText(text);
    await this.options.first().waitFor();
  }

  async choose(item) {
    await this.page.getByRole("button", { name: "More tools" }).click();
    await this.menu.getByRole("menuitem", { name: item }).click();
  }
}

/** The memory instrument, and a widget that shows the same. */
export class Memory {
  constructor(page, root = page.getByRole("tabpanel", { name: "Memory" })) {
    this.page = page;
    this.root = root;
    this.tensor = root.getByRole("combobox", { name: "Tensor" });
    this.elements = root.locator("[data-flat]");
    this.cells = root.getByRole("group", { name: /^Storage/ }).locator("[data-cell]");
    this.copy = root.getByRole("group", { name: /^The copy/ }).locator("[data-cell]");
    this.address = root.getByTestId("address");
    this.problem = root.getByRole("alert");
    this.answer = root.getByRole("status");
    this.bits = root.locator("[data-bit]");
    this.usage = root.getByRole("slider", { name: "Bytes over the step" });
  }

  /** Opens the instrument and waits for the tensors. */
  async open() {
    await new Sheet(this.page).opened();
    await this.page.getByRole("tab", { name: "Memory" }).click();
    await this.tensor.waitFor();
  }

  field(name) {
    return this.root.getByRole("textbox", { name, exact: true });
  }

  element(flat) {
    return this.root.locator(`[data-flat="${flat}"]`);
  }

  /** The cell of each element, as their names say it. */
  async positions() {
    const names = await this.elements.evaluateAll((all) =>
      all.map((each) => each.getAttribute("aria-label")),
    );
    return names.map((name) => Number(/cell (\d+)$/.exec(name)[1]));
  }

  /** What the elements show, as numbers. */
  async values() {
    return (await this.elements.allTextContents()).map(Number);
  }

  /** Waits until the elements show these numbers. */
  async shows(numbers, message) {
    await eventually(async () => assert.deepEqual(await this.values(), numbers, message));
  }

  /** Waits until a number in hand is written like this. */
  async number(name, text) {
    await eventually(async () => assert.equal(await this.field(name).inputValue(), text));
  }

  /** Waits until a part of it says so. */
  async says(part, pattern) {
    await eventually(async () => assert.match(await part.innerText(), pattern));
  }

  /** Waits until these elements or cells are lit. */
  async lights(what, numbers) {
    await eventually(async () => assert.deepEqual(await this.lit(what), numbers));
  }

  /** The elements or cells that are lit. */
  async lit(what) {
    const all = await what.evaluateAll((each) =>
      each.filter((one) => one.classList.contains("hot")).map((one) => one.dataset.flat ?? one.dataset.cell),
    );
    return all.map(Number);
  }

  async view(name) {
    await this.root
      .getByRole("group", { name: "Views of this storage" })
      .getByRole("button", { name })
      .click();
  }

  async reshape(shape) {
    await this.field("Shape to view it as").fill(shape);
    await this.root.getByRole("button", { name: "Try" }).click();
    await this.answer.waitFor();
  }
}

/** The instrument that shows kernels. */
export class KernelInstrument {
  constructor(page) {
    this.page = page;
    this.root = page.getByTestId("kernels");
    this.rows = this.root.locator("[data-kernel]");
    this.switch = this.root.getByRole("switch", { name: /^Fuse/ });
  }

  async select() {
    await new Sheet(this.page).opened();
    await this.page.getByRole("tab", { name: "Kernels" }).click();
    await this.root.waitFor();
  }

  async show() {
    await this.select();
    await this.rows.first().waitFor();
  }

  /** Every kernel as the list has it. */
  async list() {
    return await this.rows.evaluateAll((rows) =>
      rows.map((row) => ({
        name: row.querySelector(".name").textContent,
        bytes: Number(row.dataset.bytes),
        nodes: [...row.querySelectorAll(".chip")].map((chip) => chip.textContent),
      })),
    );
  }

  async totals() {
    const { kernels, bytes } = await this.root
      .getByTestId("kernel-totals")
      .evaluate((each) => ({ ...each.dataset }));
    return { kernels: Number(kernels), bytes: Number(bytes) };
  }

  /** Presses the switch, and waits until the cell has run again. */
  async fuse(on) {
    await this.switch.click();
    await this.root.locator(`[role="switch"][aria-checked="${on}"]:enabled`).waitFor({ timeout: patience });
  }

  /** Kernels fused, and kernels each alone. */
  async comparison() {
    const rows = this.root.getByTestId("kernel-comparison").locator("tbody tr");
    return await rows.evaluateAll((each) => each.map((row) => Number(row.cells[1].textContent)));
  }

  /** Opens the first kernel whose nodes match. */
  async open(nodes) {
    const row = this.rows.filter({ has: this.page.locator(".chip", { hasText: nodes }) }).first();
    await row.locator(".opener").click();
    return new KernelSource(row);
  }

  /** What is written on the nodes that are pointed at, on the map. */
  async near() {
    return (await this.root.locator(".map .node.near").allTextContents()).join(" ");
  }
}

class KernelSource {
  constructor(row) {
    this.row = row;
    this.code = row.getByRole("listbox");
  }

  async text() {
    return (await this.code.locator("code").allTextContents()).join("\n");
  }

  /** Waits until this is in it. */
  async holds(pattern) {
    await eventually(async () => assert.match(await this.text(), pattern));
  }

  async language(name) {
    await this.row.getByRole("tab", { name }).click();
  }

  async point(line) {
    await this.code.getByRole("option").filter({ hasText: line }).first().hover();
  }

  /** Which line the keyboard has come to, from 0. */
  async current() {
    const id = await this.code.getAttribute("aria-activedescendant");
    return await this.code.evaluate((list, id) => [...list.children].findIndex((each) => each.id === id), id);
  }
}

/** The graph on stage: its nodes, its folds, its canvas where it is large. */
export class Graph {
  constructor(page) {
    this.page = page;
    this.root = page.getByRole("group", { name: /^Graph of/ });
    this.canvas = this.root.locator("canvas");
    /** The card of the node that is selected. */
    this.selected = page.getByRole("complementary", { name: /^Node / });
  }

  async ready() {
    await this.root.waitFor();
    await this.root.locator("[data-node]").first().waitFor();
  }

  /** How many nodes are drawn. */
  async count() {
    return Number(/^Graph of (\d+)/.exec(await this.root.getAttribute("aria-label"))?.[1]);
  }

  /** Waits until so many are. */
  async until(count) {
    await this.page.getByRole("group", { name: new RegExp(`^Graph of ${count} nodes`) }).waitFor();
  }

  /** A node by the beginning of its name. */
  node(name) {
    return this.root.getByRole("button", { name }).first();
  }

  /** A button over the graph, or its item in the menu of a small stage. */
  async press(name) {
    const modules = this.page.getByRole("group", { name: "Folds", exact: true });
    if ((await modules.count()) === 0) {
      await this.page.getByRole("button", { name: "More tools" }).click();
      await this.page.getByRole("menuitem", { name: name, exact: true }).click();
      return;
    }
    await modules.getByRole("button", { name, exact: true }).click();
  }

  /** Opens all that is folded; false where nothing is. */
  async opened() {
    const unfold = this.page
      .getByRole("group", { name: "Folds", exact: true })
      .getByRole("button", { name: "Unfold all", exact: true });
    if ((await unfold.count()) === 0 || (await unfold.isDisabled())) return false;
    await unfold.click();
    await unfold.and(this.page.locator(":disabled")).waitFor();
    return true;
  }

  /** A double click whose second press comes when the card of the first has moved the graph. */
  async doublePress(node) {
    const box = await restingBox(node);
    await this.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    for (const clickCount of [1, 2]) {
      await this.page.mouse.down({ clickCount });
      await this.page.mouse.up({ clickCount });
      if (clickCount === 1) await this.selected.waitFor();
    }
  }

  /** Waits until a node is selected, or is not. */
  async pressed(node, selected) {
    await node.and(this.page.locator(`[aria-pressed="${selected}"]`)).waitFor();
  }

  /** Waits until the keyboard is on a node. */
  async focused() {
    await this.page.waitForFunction(() => document.activeElement?.hasAttribute("data-node"));
  }

  /** Goes from the node with the focus to another by a key, and waits until the focus is drawn there. */
  async walk(key) {
    const drawn = () => document.activeElement?.getAttribute("data-node") ?? null;
    const before = await this.page.evaluate(drawn);
    await this.page.keyboard.press(key);
    await this.page.waitForFunction((old) => {
      const now = document.activeElement?.getAttribute("data-node") ?? null;
      return now !== null && now !== old;
    }, before);
  }

  /** The first folded module. */
  get module() {
    return this.root.getByRole("button", { name: /, module of \d+ nodes/ }).first();
  }

  /**
   * Presses a key or a button that folds or unfolds something. Returns the milliseconds from the event
   * to the frame in which the other graph has been painted.
   */
  async redrawn(act) {
    await this.page.evaluate((named) => {
      const label = () => document.querySelector(named)?.getAttribute("aria-label");
      const before = label();
      let start = Infinity;
      const begin = (event) => {
        start = Math.min(start, event.timeStamp);
      };
      addEventListener("keydown", begin, { capture: true, once: true });
      addEventListener("click", begin, { capture: true, once: true });
      window.redrawn = new Promise((resolve) => {
        const seen = new MutationObserver(() => {
          if (label() === before) return;
          seen.disconnect();
          // A message from the frame that shows it comes when that has been laid out and painted.
          const painted = new MessageChannel();
          painted.port1.onmessage = () => resolve(performance.now() - start);
          requestAnimationFrame(() => painted.port2.postMessage(null));
        });
        seen.observe(document.body, { subtree: true, childList: true, attributes: true });
      });
    }, '[role="group"][aria-label^="Graph of"]');
    await act();
    return await this.page.evaluate(() => window.redrawn);
  }

  /** What the layout worker measured last: its own words and milliseconds, inside wasm alone. */
  async layoutMillis() {
    for (const worker of this.page.workers()) {
      const last = await worker.evaluate(() => {
        const entry = self.name === "glowgrad layout" && performance.getEntriesByType("measure").at(-1);
        return entry ? { name: entry.name, millis: entry.duration } : null;
      });
      if (last) return last;
    }
    throw new Error("the layout worker has measured nothing");
  }

  /** Drags the graph to and fro, or zooms; returns frames a second, and the longest frame. */
  async moving(how) {
    const area = await restingBox(this.root);
    const [x, y] = [area.x + area.width / 2, area.y + area.height / 2];
    await this.page.mouse.move(x, y);
    return await this.framesDuring(async () => {
      if (how === "pan") {
        await this.page.mouse.down();
        for (let step = 0; step < 120; step++) {
          await this.page.mouse.move(x - 160 * Math.sin(step / 12), y + 90 * Math.sin(step / 17));
        }
        await this.page.mouse.up();
      } else {
        await this.page.keyboard.down("Control");
        for (let step = 0; step < 80; step++) await this.page.mouse.wheel(0, step % 40 < 20 ? -20 : 20);
        await this.page.keyboard.up("Control");
      }
    });
  }

  /** Frames a second, and the longest frame in milliseconds, while something happens. */
  async framesDuring(happens) {
    await this.page.evaluate(() => {
      const times = [];
      window.frames = { times, over: false };
      const tick = (now) => {
        times.push(now);
        if (!window.frames.over) requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
    });
    await happens();
    return await this.page.evaluate(() => {
      window.frames.over = true;
      const { times } = window.frames;
      const gaps = times.slice(1).map((time, at) => time - times[at]);
      return {
        rate: (1000 * gaps.length) / (times.at(-1) - times[0]),
        longest: Math.max(...gaps),
      };
    });
  }

  /** How many colours the canvas shows. */
  async colours() {
    return await this.canvas.evaluate((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const seen = new Set();
      for (let at = 0; at < data.length; at += 4)
        if (data[at + 3] > 0) seen.add(data.slice(at, at + 3).join());
      return seen.size;
    });
  }
}
