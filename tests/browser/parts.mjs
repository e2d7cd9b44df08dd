// What the page's parts are called, and how a learner uses them.
//
// Invariant: no other test file names a selector, so a part that is renamed is renamed here. Parts
// are found as a screen reader finds them, by role and name, wherever that is enough.

import assert from "node:assert/strict";
import { eventually, patience } from "./harness.mjs";
import { restingBox } from "./instruments.mjs";
import { settled, untilBegun } from "./press.mjs";

export * from "./drawing.mjs";
export * from "./instruments.mjs";
export * from "./keeping.mjs";
export * from "./languages.mjs";
export * from "./sheet.mjs";

/** A piece of code with a button: a cell, or an exercise. */
class Runnable {
  constructor(page, root, output) {
    this.page = page;
    this.root = root;
    this.printed = output;
    this.runButton = root.getByRole("button", { name: /^(Run|Check) (?!all above)/ });
    this.stopButton = root.getByRole("button", { name: /^Stop / });
  }

  /** Replaces the text, as typing over a selection does. */
  async write(text) {
    await this.root.scrollIntoViewIfNeeded();
    await this.root.locator(".cm-content").focus();
    await this.page.keyboard.press("ControlOrMeta+A");
    await this.page.keyboard.insertText(text);
  }

  /** The text as it stands in the editor. */
  async text() {
    await this.root.locator(".cm-content").waitFor();
    return (await this.root.locator(".cm-line").allTextContents()).join("\n");
  }

  /** Waits until this text stands in the editor. */
  async holds(text) {
    await eventually(async () => assert.equal(await this.text(), text));
  }

  /** Presses the button by a key, or has it run in another way; returns when the page shows that it is busy. */
  async start(press = () => this.runButton.press("Enter")) {
    await this.root.locator(".cm-content").waitFor();
    await untilBegun(this.root, press);
  }

  async stop() {
    await this.stopButton.click();
  }

  /** Presses the button with the pointer, which takes longer: it has to stand still. */
  async click() {
    await settled(this.runButton);
    await this.start(() => this.runButton.click());
  }

  /** The same with a finger. */
  async tap() {
    await settled(this.runButton);
    await this.start(() => this.runButton.tap());
  }

  /** Waits until Python, not the page, is at work. */
  async running() {
    await this.root.locator(".state", { hasText: "Running" }).waitFor({ timeout: patience });
  }

  /** Waits until it is done, however it ended. */
  async ended(timeout = patience) {
    await this.runButton.waitFor({ timeout });
  }

  /** What stands under the code: printed text, errors and notices. */
  async output() {
    return await this.printed.innerText();
  }

  /** What it printed, and nothing else that stands there. */
  async printedText() {
    return (await this.printed.getByRole("log").allInnerTexts()).join("\n");
  }

  /** Copies a link to it, and gives what the clipboard has then. */
  async copyLink() {
    await this.root.getByRole("button", { name: /^Copy link to / }).click();
    await this.root.getByText("Link copied").first().waitFor();
    return await this.page.evaluate(() => navigator.clipboard.readText());
  }

  /** How the page says that it stands: its time, or why what is under it may not hold. */
  async note() {
    return (await this.root.locator(".state").innerText()).trim();
  }

  /** The button under a NameError that runs all above and then this. */
  get runAboveFirst() {
    return this.root.getByTestId("missing-above").getByRole("button");
  }

  /** The note on a text that another tab wrote. */
  get otherText() {
    return this.root.getByTestId("other-text");
  }

  /** What was raised, as it stands under its line in the code. */
  async fault() {
    return await this.root.locator(".line-error").innerText();
  }

  /** The lines of Python's traceback, which are folded. */
  async traceback() {
    await this.printed.locator("summary", { hasText: "Traceback" }).click();
    return await this.printed.getByRole("region", { name: "Traceback" }).innerText();
  }
}

/** A cell, by the id it has in its lesson. */
export class Cell extends Runnable {
  constructor(page, id) {
    const named = `[data-cell="${id}"]`;
    super(page, page.locator(`[data-testid="cell"]${named}`), page.locator(`[data-testid="output"]${named}`));
  }

  /** Runs to the end; returns `ok`, `error`, or null when the worker was lost. */
  async run(timeout = patience) {
    await this.start();
    return await this.result(timeout);
  }

  async result(timeout = patience) {
    await this.ended(timeout);
    return await this.root.getAttribute("data-result");
  }

  /** Whether what stands under it is of an earlier session. */
  async isEarlier() {
    return (await this.root.getAttribute("data-earlier")) === "true";
  }

  /** Its place in the order of running; null before its first run. */
  async order() {
    const text = await this.root.locator(".runbar").innerText();
    return Number(/\[(\d+)\]/.exec(text)?.[1]) || null;
  }

  /** How high the bar under its code is. */
  async barHeight() {
    return (await restingBox(this.root.locator(".runbar"))).height;
  }

  /** Runs all cells above, by the button in its bar, and waits for the last of them. */
  async runAllAbove(last) {
    await this.root.getByRole("button", { name: "Run all above" }).click();
    await eventually(async () => {
      assert.equal(await last.isEarlier(), false);
      assert.equal(await last.root.getAttribute("data-result"), "ok");
      assert.equal(await last.stopButton.count(), 0);
    });
  }

  /** How far below the window's top it begins, in pixels. */
  async top() {
    return await this.root.evaluate((element) => element.getBoundingClientRect().top);
  }
}

/** An exercise, by the id it has in its lesson. */
export class Exercise extends Runnable {
  constructor(page, id) {
    const root = page.locator(`[data-testid="exercise"][aria-labelledby="${id}-title"]`);
    super(page, root, root.getByTestId("report"));
    /** The learner's code beside the solution. */
    this.comparison = root.getByTestId("comparison");
    // The cells that it uses have a button too.
    this.runButton = root.getByRole("button", { name: /^Check / });
    /** Which cells it uses. */
    this.needs = root.getByTestId("needs");
  }

  /** Presses the button; returns whether every check held, and all that is said: the report, or what was raised. */
  async submit() {
    await this.start();
    await this.ended();
    const [report, output] = [await this.output(), await this.root.getByTestId("output").innerText()];
    return { passed: /^All \d+ checks hold\./.test(report), said: `${report}\n${output}` };
  }

  /** Presses the button, and returns whether every check held. */
  async check() {
    await this.start();
    await this.ended();
    const report = await this.output();
    if (/^All \d+ checks hold\./.test(report)) return true;
    if (/^\d+ of \d+ checks hold\./.test(report)) return false;
    throw new Error(`the checks gave no report: ${await this.root.getByTestId("output").innerText()}`);
  }

  async passed() {
    return (await this.root.getAttribute("data-passed")) === "true";
  }
}

/** Takes a lesson: every cell runs, every exercise's start fails its checks and its solution holds them. */
export async function takeLesson(page, blocks) {
  const first = blocks.find(({ type }) => type === "cell");
  for (const block of blocks) {
    const { type, id, solution } = block;
    if (type === "cell") {
      const cell = new Cell(page, id);
      // One cell is run with the pointer, the others with a key.
      await (block === first ? cell.click() : cell.start());
      assert.equal(await cell.result(), "ok", `${id}: ${await cell.output()}`);
    } else if (type === "exercise") {
      const exercise = new Exercise(page, id);
      assert.equal(await exercise.check(), false, `${id}: the start passes its checks`);
      await exercise.write(solution);
      assert.equal(await exercise.check(), true, `${id}: ${await exercise.output()}`);
      await eventually(async () => assert.ok(await exercise.passed(), `${id} is not marked as passed`));
    }
  }
}

/** The cell of the free page. */
export function freeCell(page) {
  return new Cell(page, "cell-1");
}

/** The cell of a shared link. */
export class SharedCell extends Cell {
  constructor(page) {
    super(page, "shared");
  }

  /** What the page says of it. */
  async words() {
    return await this.page.getByTestId("shared").innerText();
  }
}

/** The stage that is on the page; beside the text, where the text has stages too. */
export class Stage {
  constructor(page, root = page) {
    this.page = page;
    this.transport = root.getByRole("group", { name: "Playback" });
    this.slider = this.transport.getByRole("slider");
    this.graph = root.getByRole("group", { name: /^Graph of/ });
    this.caption = root.locator(".caption");
  }

  async ready() {
    await this.graph.locator("[data-node]").first().waitFor();
    await this.slider.waitFor();
  }

  async press(name) {
    const button = this.transport.getByRole("button", { name, exact: true });
    const key = { "To the start": "Home", "To the end": "End" }[name];
    // Half a sheet has no button for it.
    if (key && (await button.count()) === 0) return await this.slider.press(key);
    // Playback may come to the end by itself meanwhile: there the button is disabled, and nothing to wait for.
    if (name === "To the end") await button.evaluate((element) => element.click());
    else await button.click();
  }

  async position() {
    return Number(await this.slider.getAttribute("aria-valuenow"));
  }

  async count() {
    return Number(await this.slider.getAttribute("aria-valuemax"));
  }

  /** Waits until nothing moves at this position. */
  async rest(position) {
    // Both at once: what plays passes every position.
    await eventually(async () => {
      const [now, resting] = await this.transport.evaluate((group) => [
        Number(group.querySelector('[role="slider"]').getAttribute("aria-valuenow")),
        group.querySelector('button[aria-label="Play"]') !== null,
      ]);
      assert.ok(resting && Math.abs(now - position) < 1e-6, `at ${now}, not resting at ${position}`);
    });
  }

  /** The picture as text: every shape, colour class, opacity and label, without focus and hover. */
  async picture() {
    await this.page.mouse.move(0, 0);
    return await this.graph.evaluate((svg) => {
      const copy = svg.cloneNode(true);
      for (const element of copy.querySelectorAll("*")) {
        element.removeAttribute("tabindex");
        element.classList.remove("near");
        // A style that was set and taken away leaves its empty attribute behind.
        if (element.getAttribute("style") === "") element.removeAttribute("style");
      }
      return copy.innerHTML.replace(/<!--.*?-->/g, "");
    });
  }
}

/** What the page says in a browser where Python cannot wait for messages; empty elsewhere. */
export async function suspensionNote(page) {
  const note = page.getByTestId("no-suspension");
  return (await note.isVisible()) ? await note.innerText() : "";
}

/** Where Python is: `idle`, `loading`, `ready` or `failed`. */
export async function pythonPhase(page) {
  return await page.getByTestId("python-status").getAttribute("data-phase");
}

/** What computes, in the header: a word, or a menu where there is a choice. */
export class DeviceMenu {
  constructor(page) {
    this.page = page;
    this.root = page.getByTestId("devices");
    this.button = this.root.getByRole("button");
    this.menu = this.root.getByRole("menu");
    this.items = this.root.getByRole("menuitemradio");
  }

  /** Waits until what it says, closed, is this. */
  async says(pattern) {
    await eventually(async () => assert.match(await this.root.innerText({ timeout: patience }), pattern));
  }

  /** The item of a device by the name that Python has for it. */
  item(name) {
    return this.root.getByRole("menuitemradio", { name: new RegExp(`^${name}\\b`) });
  }

  /** Whether there is a choice, and this device in it. */
  async offers(name) {
    await this.root.waitFor({ timeout: patience });
    if ((await this.button.count()) === 0) return false;
    await this.button.click();
    await this.items.first().waitFor();
    const found = await this.item(name).count();
    await this.page.keyboard.press("Escape");
    await this.menu.waitFor({ state: "detached" });
    return found > 0;
  }

  /** Chooses a device, and waits until the session computes there. */
  async choose(name) {
    await this.button.click();
    await this.item(name).click();
    await this.chosen(name);
  }

  /** Waits until the session computes there. */
  async chosen(name) {
    await this.root.and(this.page.locator(`[data-device="${name}"]`)).waitFor();
  }
}

/** What the page says when this computer's engine is gone. */
export class Gone {
  constructor(page) {
    this.root = page.getByTestId("gone");
  }

  async goOn() {
    await this.root.getByRole("button", { name: "Go on in the browser" }).click();
  }
}

/** The square that digits are drawn on. */
export class Pad {
  constructor(page) {
    this.page = page;
    this.root = page.getByTestId("digit-pad");
    this.field = this.root.locator("canvas").first();
    this.clear = this.root.getByRole("button", { name: "Clear" });
  }

  /** Draws strokes given in the unit square, and returns the digit that is read. */
  async read(strokes) {
    if (await this.clear.isEnabled()) await this.clear.click();
    await this.field.scrollIntoViewIfNeeded();
    const box = await restingBox(this.field);
    const at = ([x, y]) => [box.x + x * box.width, box.y + y * box.height];
    for (const stroke of strokes) {
      await this.page.mouse.move(...at(stroke[0]));
      await this.page.mouse.down();
      for (const point of stroke.slice(1)) await this.page.mouse.move(...at(point));
      await this.page.mouse.up();
    }
    // The pad asks when the pen is lifted, so Python is running by now or has answered already.
    await this.page.getByTestId("python-status").getByText("Python is ready").waitFor({ timeout: patience });
    // Every stroke is answered; what stands there is the answer to the last when none is waited for.
    const guess = this.root.locator('[data-testid="digit-guess"][data-newest="true"]:not([data-guess=""])');
    return Number(await guess.getAttribute("data-guess", { timeout: patience }));
  }
}

/** The page with every op. */
export class OpReference {
  constructor(page) {
    this.page = page;
    /** Its rows, open or not. */
    this.ops = page.getByTestId("op");
    /** The names of folded families. */
    this.names = page.getByTestId("op-name");
    /** What it says of a name that no op has. */
    this.unknown = page.getByTestId("unknown-op");
    /** How many ops fit what was typed. */
    this.count = page.getByTestId("op-count");
  }

  async ready() {
    await this.names.first().waitFor();
  }

  /** An op that is open. */
  opened(name) {
    return this.page.locator(`[id="op-${name}"][open]`);
  }

  /** Waits until the focus is on an op. */
  async focused(name) {
    await this.page.waitForFunction(
      (id) => document.activeElement?.closest("details")?.id === id,
      `op-${name}`,
    );
  }
}

/** The page with all lessons, and the learner's work as a file. */
export class Course {
  constructor(page) {
    this.page = page;
    this.onward = page.getByTestId("onward").getByRole("link");
    this.parts = page.getByTestId("part");
  }

  /** Opens a file of progress: a value that is written as JSON, or bytes. */
  async open(name, content) {
    const buffer = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
    const input = this.page.getByLabel("Open a file");
    await input.setInputFiles({ name, mimeType: "application/json", buffer });
  }

  /** Waits until it says this. */
  async says(text) {
    await this.page.getByTestId("said").getByText(text).waitFor();
  }
}

/** The dialog that finds sentences and ops. */
export class Search {
  constructor(page) {
    this.dialog = page.getByTestId("search");
    this.field = this.dialog.getByRole("combobox");
    this.options = this.dialog.getByRole("option");
  }

  /** The place of the option that Enter opens, as the field tells a screen reader; -1 for none. */
  async active() {
    const id = await this.field.getAttribute("aria-activedescendant");
    const ids = await this.options.evaluateAll((options) => options.map((option) => option.id));
    return ids.indexOf(id);
  }
}

/** What helps while one writes in a cell. */
export class Writing {
  constructor(cell) {
    this.cell = cell;
    this.page = cell.page;
    this.content = cell.root.locator(".cm-content");
    /** The list of completions. */
    this.options = cell.root.getByRole("listbox", { name: "Completions" });
    /** What is said of a call or of a name. */
    this.signature = cell.root.locator(".help").first();
    /** The parameter that is being written. */
    this.parameter = this.signature.locator("strong");
    this.fixes = cell.root.getByTestId("fixes");
  }

  async type(text) {
    await this.page.keyboard.type(text, { delay: 15 });
  }

  /** Puts the caret behind the last letter. */
  async toEnd() {
    await this.content.click();
    await this.page.keyboard.press("ControlOrMeta+End");
  }

  option(name) {
    const text = typeof name === "string" ? new RegExp(`^${name}(?![\\w])`) : name;
    return this.options.getByRole("option").filter({ hasText: text }).first();
  }

  async ends(text) {
    await eventually(async () => assert.ok((await this.cell.text()).endsWith(text), await this.cell.text()));
  }

  async focused() {
    return await this.content.evaluate((element) => element === document.activeElement);
  }

  /** Rests the pointer on a word of the code. */
  async hover(word) {
    await this.content.getByText(word).last().waitFor();
    const box = await this.content.evaluate((element, wanted) => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const at = node.data.indexOf(wanted);
        if (at < 0) continue;
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + wanted.length);
        const { x, y, width, height } = range.getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
      }
      return null;
    }, word);
    await this.page.mouse.move(box.x - 40, box.y);
    await this.page.mouse.move(box.x, box.y, { steps: 4 });
  }

  /** The button that applies a fix, or undoes it. */
  fix(name) {
    return this.cell.root.getByRole("button", { name, exact: true });
  }
}

/** A keyboard, and nothing else. */
export class Keys {
  constructor(page) {
    this.page = page;
  }

  async press(key) {
    await this.page.keyboard.press(key);
  }

  async isOn(target) {
    return await target.evaluate((element) => element === document.activeElement);
  }

  /** Goes forward with Tab until the focus is there; out of an editor with Escape first. */
  async tabTo(target, most = 400) {
    await target.waitFor({ state: "attached" });
    for (let count = 0; count < most; count += 1) {
      if (await this.isOn(target)) return;
      const inEditor = await this.page.evaluate(() => document.activeElement?.matches(".cm-content"));
      if (inEditor) await this.press("Escape");
      await this.press("Tab");
    }
    throw new Error(`Tab does not lead to ${target}`);
  }

  /** Replaces what stands in the editor in focus. */
  async retype(text) {
    await this.press("ControlOrMeta+a");
    await this.page.keyboard.insertText(text);
  }
}
