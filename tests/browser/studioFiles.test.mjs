// Files of the studio: a network is taken away in every form, and comes back from each that can; its weights with it.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { eventually, measured, phone, useBrowser, visiting } from "./harness.mjs";
import { StudioPage, TrainingPart } from "./studioParts.mjs";

/** Writes a cell anew. */
async function write(cell, text) {
  await cell.getByRole("textbox").first().click();
  await cell.page().keyboard.press("Control+a");
  await cell.page().keyboard.insertText(text);
}

useBrowser();

const large = { size: { width: 1440, height: 900 } };

/** What the tab for files has. */
class Files {
  constructor(page) {
    this.page = page;
    this.away = page.getByTestId("studio-away");
    this.opened = page.getByTestId("studio-open");
    this.weights = page.getByTestId("studio-weights");
  }

  /** Takes a form away by keys; gives its name and its bytes. */
  async take(end) {
    const row = this.away.getByRole("button", { name: end });
    const coming = this.page.waitForEvent("download");
    await row.focus();
    await this.page.keyboard.press("Enter");
    const download = await coming;
    await this.away.getByText("being made…").waitFor({ state: "detached" });
    return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
  }

  async open(name, bytes) {
    const buffer = Buffer.from(bytes);
    await this.page.locator("input[type=file]").setInputFiles({ name, mimeType: "", buffer });
    await this.opened.getByText("being read").waitFor({ state: "detached" });
  }
}

async function inFiles(options, body) {
  await visiting("#/studio", options, async (page, visit) => {
    const studio = new StudioPage(page);
    await studio.ready();
    await studio.open("mlp");
    await studio.tab("Files");
    const files = new Files(page);
    await files.away.waitFor();
    await body(files, studio, page, visit);
  });
}

/** Names and shapes of a safetensors file. */
function namesOf(bytes) {
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true));
  const { __metadata__: _, ...tensors } = JSON.parse(bytes.subarray(8, 8 + length).toString("utf8"));
  return Object.fromEntries(Object.entries(tensors).map(([name, { shape }]) => [name, shape]));
}

test("a network leaves in every form, by keys, and comes back from a file", async () => {
  await inFiles(large, async (files, studio, page) => {
    await eventually(async () => assert.match(await files.weights.innerText(), /fresh ones/));
    assert.deepEqual(await violations(page), []);
    const python = await files.take("mlp.py");
    assert.match(python.bytes.toString(), /class MLP\(nn\.Module\)/);
    const json = await files.take("mlp.json");
    assert.equal(JSON.parse(json.bytes).format, "glowgrad.architecture");

    const start = performance.now();
    const weights = await files.take("mlp.safetensors");
    measured(`weights of an MLP, Python loaded: ${((performance.now() - start) / 1000).toFixed(1)} s`);
    const shapes = namesOf(weights.bytes);
    assert.deepEqual(Object.keys(shapes).sort(), ["fc1.bias", "fc1.weight", "fc2.bias", "fc2.weight"]);
    const pt = await files.take("mlp.pt");
    assert.equal(pt.bytes.subarray(0, 2).toString(), "PK");
    const onnx = await files.take("mlp.onnx");
    for (const end of ["mlp-rust.zip", "mlp-project.zip"]) {
      assert.equal((await files.take(end)).bytes.subarray(0, 2).toString(), "PK", end);
    }

    // Each comes back over another network, and undo takes it back.
    await studio.open("lenet");
    await files.open("mlp.json", json.bytes);
    await studio.told(/mlp\.json is open/);
    await studio.holds(["x", "fc1", "relu", "fc2", "→0"]);
    await studio.open("lenet");
    await files.open("mlp.py", python.bytes);
    await studio.holds(["x", "fc1", "relu", "fc2", "→0"]);
    await studio.open("lenet");
    await files.open("mlp.onnx", onnx.bytes);
    await studio.told(/mlp\.onnx is open, with its weights/);
    await studio.says("fc1", /Linear, 64 to/);
    await eventually(async () => assert.match(await files.weights.innerText(), /mlp\.onnx/));
    // The weights went through the model: the same numbers come out of it.
    const back = await files.take(".safetensors");
    assert.deepEqual(back.bytes, weights.bytes);

    // Trained, the network leaves with what it learned; a file that is opened then is newer.
    const training = new TrainingPart(studio);
    await studio.tab("Train");
    await studio.train.getByLabel("epochs").fill("1");
    await training.start();
    await training.is("finished");
    await studio.tab("Files");
    await eventually(async () => assert.match(await files.weights.innerText(), /those of its training/));
    const trained = await files.take(".safetensors");
    assert.deepEqual(namesOf(trained.bytes), shapes);
    assert.notDeepEqual(trained.bytes, weights.bytes);

    await files.open("mlp.pt", pt.bytes);
    await studio.told(/The weights of mlp\.pt fit/);
    await eventually(async () => assert.match(await files.weights.innerText(), /training begins with them/));
    await studio.open("lenet");
    await files.open("mlp.safetensors", weights.bytes);
    await files.opened.getByText(/holds weights of another network: .*fc2\.weight is/).waitFor();
    await studio.open("vae");
    await files.away.getByRole("button", { name: "vae.onnx" }).click();
    await files.away.getByText("this network draws random numbers").waitFor();
    await files.open("broken.onnx", onnx.bytes.subarray(0, onnx.bytes.length >> 1));
    await files.opened.getByRole("alert").waitFor();
    await files.open("notes.txt", Buffer.from("words"));
    await files.opened.getByText("notes.txt is none of the files").waitFor();
    assert.deepEqual(await violations(page), []);
  });
});

test("the Python and the drawing agree on an input, and where they do not is said", async () => {
  await inFiles({ ...large, theme: "light" }, async (_, studio, page) => {
    await studio.open("resnet18");
    await studio.tab("Python");
    await studio.text();
    const agree = page.getByTestId("studio-agree");
    await page.getByRole("button", { name: "Check they agree" }).click();
    await eventually(async () => assert.match(await agree.innerText(), /of ResNet18 agree/));
    assert.deepEqual(await violations(page), []);
    await studio.open("mlp");
    // What cannot be drawn keeps its text, which is run all the same.
    const text = await studio.text();
    await studio.write(
      text.replace(/return (.*)/, "if x.sum() > 1e9:\n            return x\n        return $1 * 2"),
    );
    await page.getByRole("button", { name: "Check they agree" }).click();
    await eventually(async () => assert.match(await agree.innerText(), /of MLP differ/));
    await studio.write(
      text.replace("torch.relu(self.fc1(x))", "torch.relu(self.fc1(x)) if x.sum() > 1e9 else self.fc1(x)"),
    );
    await page.getByRole("button", { name: "Check they agree" }).click();
    await eventually(async () =>
      assert.match(await agree.innerText(), /first difference is in the function relu, before fc2/),
    );
  });
});

test("on a phone the files fit, and one is taken by a tap", async () => {
  await inFiles({ size: phone, touch: true, theme: "light" }, async (files, _, page) => {
    const coming = page.waitForEvent("download");
    await files.away.getByRole("button", { name: "mlp.py" }).tap();
    assert.equal((await coming).suggestedFilename(), "mlp.py");
    assert.deepEqual(await violations(page), []);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `the page scrolls sideways by ${overflow} px`);
  });
});

test("a lesson's network and a cell's class open in the studio, and the way back is one click", async () => {
  await visiting("#/lesson/read-a-digit", large, async (page) => {
    const studio = new StudioPage(page);
    await page.getByRole("link", { name: "This network in the studio" }).click();
    await studio.ready();
    await studio.holds(["x", "jurors", "squashed", "clerks", "→0"]);
    await page.goBack();
    await page.getByRole("heading", { name: "Go deeper" }).waitFor();
  });
  await visiting("#/play", { ...large, theme: "light" }, async (page) => {
    const cell = page.getByTestId("cell").first();
    const inStudio = cell.getByRole("button", { name: /^Open in the studio: the network of/ });
    await write(cell, "x = 1");
    await inStudio.waitFor({ state: "detached" });
    await write(
      cell,
      `import torch
from torch import nn

class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, x):
        # x: [N, 3]
        return self.fc(x).tanh()
`,
    );
    await inStudio.focus();
    await page.keyboard.press("Enter");
    const studio = new StudioPage(page);
    await studio.ready();
    await studio.holds(["x", "fc", "tanh", "→0"]);
    await page.goBack();
    await write(
      page.getByTestId("cell").first(),
      "class Net(nn.Module):\n    def forward(self, x):\n        while x: pass",
    );
    await page
      .getByRole("button", { name: /^Open in the studio: the network of/ })
      .first()
      .click();
    await page.getByText(/This has no picture: line 3/).waitFor();
  });
});
