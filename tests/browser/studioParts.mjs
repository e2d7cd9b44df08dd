// What the studio's parts are called, and how a network is drawn there by mouse and by keys.
//
// Invariant: as in parts.mjs, tests of the studio name no selector themselves.

import assert from "node:assert/strict";
import { eventually } from "./harness.mjs";
import { restingBox } from "./instruments.mjs";

export class StudioPage {
  constructor(page) {
    this.page = page;
    this.graph = page.getByTestId("studio-graph");
    this.form = page.getByTestId("studio-form");
    this.totals = page.getByTestId("studio-totals");
    this.dialog = page.getByTestId("studio-choose");
    this.begin = page.getByLabel("Begin with a network");
    this.train = page.getByTestId("studio-train");
  }

  async ready() {
    await this.nodes.first().waitFor();
  }

  get nodes() {
    return this.graph.locator("[data-node]");
  }

  node(id) {
    return this.graph.locator(`[data-node="${id}"]`);
  }

  /** Begins with a preset, or with an empty network. */
  async open(preset) {
    await this.begin.selectOption(preset);
  }

  /** Presses an entry of the palette. */
  async add(name) {
    const entry = this.page.getByRole("button", { name: `Add ${name}`, exact: true }).first();
    if (!(await entry.isVisible())) await this.page.getByLabel("Find a layer or function").fill(name);
    await entry.click();
    await this.page.getByLabel("Find a layer or function").fill("");
  }

  /** Adds behind the selected node by keys alone. */
  async addByKeys(name, key = "Enter") {
    await this.page.keyboard.press("a");
    await this.dialog.waitFor();
    await this.page.keyboard.type(name);
    await this.page.keyboard.press(key);
    await this.dialog.waitFor({ state: "detached" });
  }

  /** Writes an argument of the selected node. */
  async set(name, text) {
    await this.form.getByLabel(name, { exact: false }).first().fill(text);
  }

  /** What a screen reader says of a node. */
  async sayingOf(id) {
    return await this.node(id).locator(".unseen").textContent();
  }

  /** Waits until a node says this. */
  async says(id, pattern) {
    await eventually(async () => assert.match(await this.sayingOf(id), pattern));
  }

  /** Waits until the live region says this. */
  async told(pattern) {
    await eventually(async () =>
      assert.match(await this.page.getByTestId("studio-said").innerText(), pattern),
    );
  }

  async ids() {
    return await this.nodes.evaluateAll((all) => all.map((node) => node.dataset.node));
  }

  /** Waits until these are the nodes. */
  async holds(ids) {
    await eventually(async () => assert.deepEqual(await this.ids(), ids));
  }

  /** The node that has the focus. */
  async focused() {
    return await this.page.evaluate(() => document.activeElement?.getAttribute("data-node"));
  }

  /** Draws a wire with the pointer, from a node's first result to the middle of another node. */
  async wire(from, to) {
    const start = await restingBox(this.graph.locator(`[data-out="0"][data-of="${from}"]`));
    const end = await restingBox(this.node(to));
    await this.page.mouse.move(start.x + start.width / 2, start.y + start.height / 2);
    await this.page.mouse.down();
    await this.page.mouse.move(end.x + end.width / 2 - 20, end.y + end.height / 2, { steps: 4 });
    await this.page.mouse.move(end.x + end.width / 2, end.y + end.height / 2, { steps: 2 });
    await this.page.mouse.up();
  }

  /** Drags a node by so much. */
  async drag(id, dx, dy) {
    const box = await restingBox(this.node(id));
    await this.page.mouse.move(box.x + 20, box.y + 10);
    await this.page.mouse.down();
    await this.page.mouse.move(box.x + 20 + dx / 2, box.y + 10 + dy / 2, { steps: 3 });
    await this.page.mouse.move(box.x + 20 + dx, box.y + 10 + dy, { steps: 3 });
    await this.page.mouse.up();
    return box;
  }

  /** What would mend the selected node, as its form offers it. */
  get fixes() {
    return this.form.getByRole("group", { name: /^Fault of/ }).getByRole("button");
  }

  get problem() {
    return this.page.getByTestId("studio").getByRole("alert");
  }

  async tab(name) {
    await this.page.getByRole("tab", { name, exact: true }).click();
  }

  /** The text of a face of the network, as far as it is in view. */
  async text() {
    await this.page.locator(".cm-content").waitFor();
    return (await this.page.locator(".cm-line").allTextContents()).join("\n");
  }

  /** Replaces the text of the face that is shown. */
  async write(text) {
    await this.page.locator(".cm-content").focus();
    await this.page.keyboard.press("ControlOrMeta+A");
    await this.page.keyboard.insertText(text);
  }

  async copyLink() {
    await this.page.getByRole("button", { name: "Link", exact: true }).click();
    await this.page.getByText("Link copied").first().waitFor();
    return await this.page.evaluate(() => navigator.clipboard.readText());
  }

  async press(name) {
    await this.page.getByRole("button", { name, exact: true }).first().click();
  }
}

/** The training panel of a studio. */
export class TrainingPart {
  constructor(studio) {
    this.studio = studio;
    const { page } = studio;
    this.status = page.getByTestId("train-status");
    this.predictions = page.getByTestId("train-predictions");
    this.confusion = page.getByTestId("train-confusion");
    this.norms = page.getByTestId("train-norms");
    this.runs = page.getByTestId("train-runs");
    this.sweep = page.getByTestId("train-sweep");
    this.slider = page.getByTestId("train-curves").getByRole("slider", { name: "Position in the curves" });
  }

  /** Presses Train, and waits until its run is there instead of the one before. */
  async start() {
    const shown = async () =>
      (await this.status.count()) === 0 ? null : await this.status.getAttribute("data-run");
    const before = await shown();
    await this.studio.train.getByRole("button", { name: "Train", exact: true }).click();
    await eventually(async () => assert.notEqual((await shown()) ?? before, before));
  }

  /** Opens the settings, which a run folds away. */
  async settings() {
    await this.studio.train.locator(".settings > summary").click();
  }

  async press(name) {
    await this.status.getByRole("button", { name, exact: true }).click();
  }

  async setRate(text) {
    await this.status.getByLabel("learning rate").fill(text);
    await this.press("Set");
  }

  /** Waits until the run's state is this. */
  async is(state) {
    await eventually(async () =>
      assert.equal(await this.status.getAttribute("data-state"), state, await this.status.innerText()),
    );
  }

  /** How many steps the run has had. */
  async step() {
    const text = await this.status.innerText();
    return Number(/step ([\d,]+) of/.exec(text)?.[1].replaceAll(",", "") ?? "0");
  }

  /** Waits until no step comes any more: a slice that has begun ends. */
  async stands() {
    return await eventually(async () => {
      // A validation that runs stands in its place.
      assert.match(await this.status.innerText(), /step [\d,]+ of/);
      const before = await this.step();
      await this.studio.page.evaluate(() => new Promise((done) => setTimeout(done, 1200)));
      assert.equal(await this.step(), before);
      return before;
    });
  }

  /** A number of the run. */
  async fact(name) {
    return await this.status
      .locator("dl > div", { has: this.studio.page.getByText(name, { exact: true }) })
      .locator("dd")
      .innerText();
  }
}
