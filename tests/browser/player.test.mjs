// A network as one HTML file: taken from the studio, opened from the disk with no network, drawn on, and right.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { violations } from "./axe.mjs";
import { eventually, measured, narrow, useBrowser, visiting } from "./harness.mjs";
import { Shelf } from "./keeping.mjs";
import { freeCell } from "./parts.mjs";
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

/** A picture file of one colour, as the browser writes it. */
async function pictureFile(page) {
  const bytes = await page.evaluate(async () => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 40, height: 20 });
    canvas.getContext("2d").fillRect(0, 0, 40, 20);
    const blob = await new Promise((resolve) => canvas.toBlob(resolve));
    return [...new Uint8Array(await blob.arrayBuffer())];
  });
  return { name: "a.png", mimeType: "image/png", buffer: Buffer.from(bytes) };
}

const node = (id, type, inputs, args = {}) => ({ id, type, inputs: [inputs], args });
const net = (name, rest) => ({ format: "glowgrad.architecture", version: 1, name, ...rest });
const LINE = "to be or not to be; ";
const WRITER = net("Writer", {
  inputs: [{ name: "tokens", dtype: "int64", shape: ["N", 16] }],
  nodes: [
    node("table", "Embedding", "tokens", { num_embeddings: 10, embedding_dim: 16 }),
    node("rnn", "GRU", "table", { input_size: 16, hidden_size: 32, batch_first: true }),
    node("head", "Linear", "rnn", { in_features: 32, out_features: 10 }),
  ],
  outputs: ["head"],
  training: {
    ...{ data: "shakespeare", loss: "CrossEntropyLoss", optimizer: "Adam", optimizer_args: { lr: 0.02 } },
    ...{ batch_size: 16, epochs: 4, seed: 0 },
  },
});
const NOTE = "</script><img src=x onerror=alert(1)> & more";
const PLANE = net("Plane", {
  note: NOTE,
  inputs: [{ name: "x", shape: ["N", 2] }],
  nodes: [node("fc", "Linear", "x", { in_features: 2, out_features: 3 })],
  outputs: ["fc"],
  training: {
    ...{ data: "spirals", loss: "CrossEntropyLoss", optimizer: "SGD", optimizer_args: { lr: 0.1 } },
    ...{ batch_size: 32, epochs: 1, seed: 0 },
  },
});

test("text goes on, a point is set, numbers and pictures are read; what has no room says so", async () => {
  const files = {};
  await visiting("#/play", {}, async (page) => {
    const shelf = new Shelf(page);
    await freeCell(page).write("1 + 1");
    await shelf.open();
    await shelf.pick(["input.txt", LINE.repeat(300)]);
    await shelf.has("input.txt");
    await page.evaluate(() => {
      location.hash = "#/studio";
    });
    const studio = new StudioPage(page);
    await studio.ready();
    const draw = async (drawn) => {
      await studio.tab("JSON");
      await studio.write(JSON.stringify(drawn));
      await studio.holds([...drawn.inputs.map(({ name }) => name), ...drawn.nodes.map(({ id }) => id), "→0"]);
    };
    await draw(WRITER);
    await studio.tab("Train");
    const training = new TrainingPart(studio);
    await training.start();
    await training.is("finished");
    await studio.tab("Files");
    files.text = await taken(page, "writer.html");
    await draw(PLANE);
    await studio.tab("Files");
    files.plane = await taken(page, "plane.html");
    for (const preset of ["diffusion", "vit"]) {
      await studio.open(preset);
      files[preset] = await taken(page, `${preset}.html`);
    }
    await studio.open("autoencoder");
    await taken(page, "autoencoder.html");
    await aside(page).getByText("Its weights are rounded to 16 bits, to fit in 1 MB").waitFor();
    await studio.open("resnet18");
    await aside(page).getByRole("button", { name: /^Page/ }).click();
    const refused = aside(page).getByRole("alert");
    await refused.getByText(/MB at 16 bits a weight, and a page has 1 MB/).waitFor();
  });

  await onDisk(files.text, {}, async (page) => {
    const answer = page.getByTestId("answer");
    const begin = page.getByLabel("It goes on from");
    await begin.fill("to be or ");
    await page.getByRole("button", { name: "Write on" }).click();
    await eventually(async () => assert.match(await answer.innerText(), /to be or not to be; to be/));
    await page.getByRole("button", { name: "Stop" }).click();
    assert.deepEqual(await violations(page), []);
    await begin.fill("to x");
    await page.getByRole("button", { name: "Write on" }).click();
    await page.getByRole("alert").getByText('the network knows no "x"').waitFor();
  });

  await onDisk(files.plane, { theme: "light" }, async (page) => {
    await page.getByText(NOTE, { exact: true }).waitFor();
    const plane = page.getByRole("img", { name: "A plane of points" });
    await page.getByText("The point (0, 0.1)").waitFor();
    await plane.press("ArrowRight");
    await page.getByText("The point (0.065, 0.1)").waitFor();
    await page
      .getByTestId("answer")
      .getByText(/class \d/)
      .waitFor();
    assert.deepEqual(await violations(page), []);
  });

  await onDisk(files.diffusion, { size: narrow }, async (page) => {
    const answer = page.getByTestId("answer");
    const before = await answer.innerText();
    await page.getByLabel("x 2").fill("1.5");
    await eventually(async () => assert.notEqual(await answer.innerText(), before));
    await page.getByLabel("t", { exact: true }).fill("0.5");
    await page.getByRole("alert").getByText("0.5 is no whole number").waitFor();
    // A row beyond the network's table is an error, and no number.
    await page.getByLabel("t", { exact: true }).fill("1000000");
    await page.getByRole("alert").getByText("Gather: the index 1000000 lies beyond").waitFor();
    assert.deepEqual(await violations(page), []);
  });

  await onDisk(files.vit, {}, async (page) => {
    const choose = page.locator("input[type=file]");
    await choose.setInputFiles(await pictureFile(page));
    await page
      .getByTestId("answer")
      .getByText(/airplane|automobile|bird|cat|deer|dog|frog|horse|ship|truck/)
      .waitFor();
    assert.deepEqual(await violations(page), []);
    await choose.setInputFiles({ name: "a.png", mimeType: "image/png", buffer: Buffer.from("none") });
    await page.getByRole("alert").getByText("this file is no picture").waitFor();
  });
});
