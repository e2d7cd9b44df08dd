// What the page keeps, as a learner meets it: the session of a lesson, and the free notebook with its files.
//
// Invariant: a part of parts.mjs, which exports it: no test file names a selector.

import assert from "node:assert/strict";
import { eventually, killWorkers, patience } from "./harness.mjs";

/** What the page of a lesson says of the session, and of what was kept. */
export class Session {
  constructor(page) {
    this.tally = page.getByTestId("tally");
    /** Over the stage: what stands here is of an earlier session. */
    this.earlier = page.getByTestId("earlier");
    /** The picture on stage is of an earlier session. */
    this.earlierPicture = page.getByTestId("earlier-picture");
    /** What stands here is of the author's run. */
    this.authors = page.getByTestId("author");
    /** The checks of an exercise drew what stands here. */
    this.checks = page.getByTestId("check-picture");
    /** The browser keeps nothing. */
    this.notKept = page.getByTestId("not-kept");
  }

  /** Waits until the header counts so many cells. */
  async counts(pattern) {
    await eventually(async () => assert.match(await this.tally.innerText(), pattern));
  }
}

export async function pythonReady(page) {
  await page.locator('[data-testid="python-status"][data-phase="ready"]').waitFor({ timeout: patience });
}

/**
 * Gives the page a session in which nothing ran: ends Python's worker and waits until another has taken its place. The
 * page holds the compiled module, so that this takes a part of a reload's time.
 */
export async function freshSession(page) {
  await pythonReady(page);
  const before = page.workers();
  const another = page.waitForEvent("worker", { timeout: patience });
  assert.equal(await killWorkers(page, "python"), 1);
  assert.ok(!before.includes(await another), "the page goes on with the session that it had");
  await pythonReady(page);
}

/** The free notebook: its cells and notes, and the file that it is saved as. */
export class FreeNotebook {
  constructor(page) {
    this.page = page;
  }

  /** Its cells and notes, as they stand. */
  async names() {
    const blocks = this.page.locator('[data-testid="cell"], [data-testid="note"]');
    return await blocks.evaluateAll((all) => all.map((each) => each.dataset.cell ?? each.dataset.note));
  }

  note(name) {
    return this.page.locator(`[data-note="${name}"]`);
  }

  async press(name) {
    await this.page.getByRole("button", { name, exact: true }).click();
  }

  /** Writes a note that is open, and reads it. */
  async writeNote(name, text) {
    await this.note(name).getByRole("textbox").fill(text);
    await this.page.keyboard.press("Shift+Enter");
    await this.note(name)
      .getByRole("button", { name: `Write ${name}` })
      .waitFor();
  }

  /** The formulas of a note that are set. */
  formulas(name) {
    return this.note(name).locator("math");
  }

  /** What a note links, each text with its address. */
  async links(name) {
    const all = this.note(name).getByRole("link");
    return await all.evaluateAll((links) => links.map((link) => [link.innerText, link.getAttribute("href")]));
  }

  async save(kind) {
    const download = this.page.waitForEvent("download");
    await this.press(`Save as .${kind}`);
    const stream = await (await download).createReadStream();
    return Buffer.concat(await stream.toArray());
  }

  async open(name, buffer) {
    await this.page.getByLabel("Open a notebook").setInputFiles({ name, mimeType: "text/plain", buffer });
  }

  /** Drops a file on the page. */
  async drop(name, text) {
    await dropFile(this.page, name, text);
  }
}

/** The list of files above the notebook. */
export class Shelf {
  constructor(page) {
    this.page = page;
    this.root = page.locator("details.shelf");
    this.problem = this.root.getByRole("alert");
  }

  async open() {
    if (!(await this.root.getAttribute("open"))) await this.root.locator("summary").click();
  }

  /** Picks files, each a name and its content. */
  async pick(...files) {
    await this.add(files.map(([name, content]) => ({ name, mimeType: "", buffer: Buffer.from(content) })));
  }

  /** Picks files of this computer by their paths, or others as Playwright describes them. */
  async add(files) {
    await this.page.getByLabel("Add files for cells").setInputFiles(files);
  }

  async fetch(address) {
    await this.root.getByLabel("Address of a file").fill(address);
    await this.root.getByRole("button", { name: "Fetch" }).click();
  }

  async paths() {
    return await this.root.locator(".path").allInnerTexts();
  }

  async has(...paths) {
    await eventually(async () => assert.deepEqual(await this.paths(), paths));
  }
}

/** What the page says when another version of it waits. */
export class NewVersion {
  constructor(page) {
    this.root = page.getByTestId("new-version");
  }

  async ready() {
    await this.root.getByText("A new version is ready.").waitFor({ timeout: patience });
  }

  async accept() {
    await this.root.getByRole("button", { name: "Update now" }).click();
  }
}

/** Drops a file on the page. */
export async function dropFile(page, name, text) {
  const data = await page.evaluateHandle(
    ([called, content]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], called));
      return transfer;
    },
    [name, text],
  );
  for (const type of ["dragover", "drop"]) {
    await page.locator("main").dispatchEvent(type, { dataTransfer: data });
  }
}

/**
 * Waits until what was written and done is on disk: what is read from a store comes after what was
 * written to it before.
 */
export async function saved(page) {
  // A picture is copied when the page is at rest.
  await page.waitForTimeout(450);
  for (const name of ["glowgrad", "glowgrad-kept"]) await page.evaluate(flushed, name);
}

/** Runs in the page: reads each store of a database once. */
async function flushed(name) {
  // One that is not there yet holds nothing to wait for, and must not be made here.
  if (!(await indexedDB.databases()).some((each) => each.name === name)) return;
  const request = indexedDB.open(name);
  await new Promise((resolve, reject) => Object.assign(request, { onsuccess: resolve, onerror: reject }));
  const database = request.result;
  const reading = database.transaction([...database.objectStoreNames], "readonly");
  await new Promise((resolve, reject) => {
    Object.assign(reading, { oncomplete: resolve, onerror: reject });
    for (const each of reading.objectStoreNames) reading.objectStore(each).count();
  });
  database.close();
}
