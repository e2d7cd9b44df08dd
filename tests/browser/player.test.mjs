// A network as one HTML file: taken from the studio, opened from the disk with no network, drawn on, and right.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { violations } from "./axe.mjs";
import { eventually, measured, narrow, useBrowser, visiting } from "./harness.mjs";
import { StudioPage, TrainingPart } from "./studioParts.mjs";

useBrowser();

const folder = await mkdtemp(join(tmpdir(), "glowgrad-player-"));
after(() => rm(folder, { recursive: true, force: true }));

const aside = (page) => page.getByTestId("studio-away");

/** Takes the network away as a page; where the file is. */
async function taken(page, name) {
  const download = page.waitForEvent("download");
  await aside(page).getByRole("button", { name: /^Page/ }).click();
  const file = join(folder, name);
  await (await download).saveAs(file);
  return file;
}

/** Opens a file of the disk, and lets no request out. */
async function onDisk(file, options, body) {
  await visiting("", { ...options, site: pathToFileURL(file).href }, async (page, visit) => {
    await visit.context.setOffline(true);
    await body(page);
    assert.deepEqual(
      visit.received
        .map(({ url }) => url)
        .filter((url) => !url.startsWith("file:") && !url.startsWith("blob:")),
      [],
    );
  });
}

test("a trained network reads a drawn digit in a file of its own", async () => {
  let file;
  await visiting("#/studio", {}, async (page) => {
    const studio = new StudioPage(page);
    await studio.ready();
    await studio.open("mlp");
    await studio.tab("Train");
    const training = new TrainingPart(studio);
    await studio.train.getByLabel("epochs").fill("4");
    await training.start();
    await training.is("finished");
    await studio.tab("Files");
    file = await taken(page, "mlp.html");
  });
  const { length } = await readFile(file);
  measured(`the page of an MLP: ${(length / 1024).toFixed(0)} KB`);
  assert.ok(length < 1_000_000);

  for (const [theme, size] of [
    ["dark", { width: 1280, height: 800 }],
    ["light", narrow],
  ]) {
    await onDisk(file, { theme, size }, async (page) => {
      const pad = page.getByRole("img", { name: "Drawing pad" });
      const { x, y, width, height } = await pad.boundingBox();
      await page.mouse.move(x + width * 0.5, y + height * 0.15);
      await page.mouse.down();
      await page.mouse.move(x + width * 0.5, y + height * 0.85, { steps: 8 });
      await page.mouse.up();
      const answer = page.getByTestId("answer");
      await eventually(async () => assert.equal(await answer.innerText(), "1"));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${wide} px stand out to the side`);
      assert.deepEqual(await violations(page), [], theme);

      await page.getByRole("button", { name: "Clear" }).click();
      await pad.focus();
      // A ring, by keys.
      await page.keyboard.press("ArrowUp");
      for (let i = 0; i < 6; i++) await page.keyboard.press("ArrowUp");
      await page.keyboard.press("Space");
      const sides = [
        ["ArrowRight", 3],
        ["ArrowDown", 4],
        ["ArrowRight", 2],
        ["ArrowDown", 6],
        ["ArrowLeft", 2],
        ["ArrowDown", 4],
        ["ArrowLeft", 6],
        ["ArrowUp", 4],
        ["ArrowLeft", 2],
        ["ArrowUp", 6],
        ["ArrowRight", 2],
        ["ArrowUp", 4],
        ["ArrowRight", 3],
      ];
      for (const [key, times] of sides) for (let i = 0; i < times; i++) await page.keyboard.press(key);
      await eventually(async () => assert.equal(await answer.innerText(), "0"));
    });
  }
});

test("text is written on, and what has no room or no field says so", async () => {
  let file;
  await visiting("#/studio", {}, async (page) => {
    const studio = new StudioPage(page);
    await studio.ready();
    await studio.open("char_lstm");
    await studio.tab("Files");
    file = await taken(page, "char_lstm.html");
    await studio.open("resnet18");
    await aside(page).getByRole("button", { name: /^Page/ }).click();
    await aside(page)
      .getByRole("alert")
      .getByText(/MB at 16 bits a weight, and a page has 1 MB/)
      .waitFor();
  });
  await onDisk(file, {}, async (page) => {
    await page.getByLabel("Tokens, as numbers").fill("3, 1, 4");
    await page.getByRole("button", { name: "Write on" }).click();
    const answer = page.getByTestId("answer");
    await eventually(async () => assert.match(await answer.innerText(), /^3, 1, 4(, \d+){3,}/));
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByLabel("Tokens, as numbers").fill("-1");
    await page.getByRole("button", { name: "Write on" }).click();
    await page.getByText("a token is a whole number from 0").waitFor();
    assert.deepEqual(await violations(page), []);
  });
});
