// The studio's training: live numbers, pause, another rate, the end of a run, runs beside each other, a step's graph, a sweep.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { violations } from "./axe.mjs";
import { eventually, measured, narrow, useBrowser, visiting } from "./harness.mjs";
import { StudioPage, TrainingPart } from "./studioParts.mjs";

useBrowser();

const root = new URL("../../", import.meta.url);
const large = { size: { width: 1440, height: 900 } };

async function inTraining(options, body) {
  await visiting("#/studio", options, async (page, visit) => {
    const studio = new StudioPage(page);
    await studio.ready();
    await body(new TrainingPart(studio), studio, page, visit);
  });
}

test("a run is paused, its rate changed, and cancelled; the next one is trained to its end and compared", async () => {
  await inTraining(large, async (training, studio, page) => {
    await studio.open("mlp");
    await studio.tab("Train");
    await studio.train.getByLabel("epochs").fill("200");
    await training.start();
    await eventually(async () => assert.ok((await training.step()) > 100, await training.status.innerText()));
    await eventually(async () => assert.match(await training.fact("loss"), /^[01]\./));
    await training.press("Pause");
    await training.is("paused");
    const paused = await training.stands();
    await training.setRate("fast");
    await training.status.getByRole("alert").getByText("is no learning rate").waitFor();
    await training.setRate("0.02");
    await training.press("Resume");
    await training.status.getByText(`learning rate 0.02 from step ${paused + 1}`).waitFor();
    await eventually(async () => assert.ok((await training.step()) > paused));
    await training.press("Cancel");
    await training.is("cancelled");

    await training.settings();
    await studio.train.getByLabel("epochs").fill("2");
    await training.start();
    await training.is("finished");
    assert.equal(await training.step(), 90);
    assert.match(await training.fact("validation"), /^\d\d\.\d %$/);
    await training.predictions.locator("canvas").first().waitFor();
    assert.equal(await training.confusion.locator("tbody tr").count(), 10);
    assert.equal(await training.norms.locator("tbody tr").count(), 4);
    assert.deepEqual(await violations(page), [], "two runs");

    const rows = training.runs.locator("tbody tr");
    assert.equal(await rows.count(), 2);
    assert.match(await rows.nth(1).innerText(), /cancelled at step/);
    assert.match(await training.runs.locator("thead").innerText(), /epochs/);
    await rows.nth(0).getByLabel("Name of").fill("short");
    await rows.nth(0).getByLabel("Name of").press("Enter");
    await rows.nth(1).getByLabel("Draw").check();
    const saving = page.waitForEvent("download");
    await training.runs.getByRole("button", { name: "Save as CSV" }).click();
    const table = await readFile(await (await saving).path(), "utf8");
    assert.match(table, /^run,series,step,value\r\n/);
    assert.equal(table.match(/^short,training loss,/gm).length, 90);
    assert.match(table, /^MLP Adam,validation accuracy,45,/m);

    await page.reload();
    await studio.ready();
    await studio.tab("Train");
    await eventually(async () => assert.equal(await rows.count(), 2));
    assert.equal(await rows.nth(0).getByLabel("Name of").inputValue(), "short");
    await training.is("finished");

    // Keys alone put the graph of the third step on the stage.
    await training.slider.focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Stage of step 3", exact: true }).waitFor();
    assert.deepEqual(await violations(page), [], "a step");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });

    await rows
      .nth(1)
      .getByRole("button", { name: /^Delete/ })
      .click();
    await rows
      .nth(1)
      .getByRole("button", { name: /^Delete .* for good$/ })
      .click();
    await eventually(async () => assert.equal(await rows.count(), 1));
  });
});

test("a GAN, a diffusion and a VAE are trained, and show what they make; a step of each is computed again", async () => {
  await inTraining(large, async (training, studio, page) => {
    const made = studio.train.getByTestId("train-made");
    const trained = async (epochs) => {
      await studio.tab("Train");
      const field = studio.train.getByLabel("epochs");
      if (!(await field.isVisible())) await training.settings();
      await field.fill(epochs);
      await training.start();
      await training.is("finished");
      assert.match(await training.fact("loss"), /^\d+\.\d/);
    };
    /** The graph of the step where the curve ends. */
    const again = async (step) => {
      await training.slider.focus();
      await page.keyboard.press("End");
      await page.keyboard.press("Enter");
      await page.getByRole("region", { name: `Stage of step ${step}`, exact: true }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    };
    await studio.open("generator");
    await trained("2");
    assert.equal(await made.locator("canvas").count(), 12);
    assert.match(await made.innerText(), /Made after epoch 2/);
    await studio.train.getByText("discriminator", { exact: true }).first().waitFor();
    await again(46);

    await studio.open("diffusion");
    await trained("2");
    assert.equal(await made.locator("circle").count(), 200);
    assert.ok((await made.locator("path").count()) > 0);
    assert.deepEqual(await violations(page), [], "points that a network made");
    await again(16);

    const preset = await readFile(new URL("crates/architecture/presets/vae.json", root), "utf8");
    await studio.tab("JSON");
    await studio.write(preset.replaceAll("784", "64").replace("mnist", "digits"));
    await studio.says("fc4", /gives N, 64,/);
    await trained("2");
    // Each sample, and what the network makes of it.
    assert.equal(await training.predictions.locator("canvas").count(), 24);
    await again(46);
  });
});

test("two settings are tried with each other, in the light and on a phone's width", async () => {
  await inTraining({ theme: "light", size: narrow }, async (training, studio, page) => {
    await studio.open("mlp");
    await studio.tab("Train");
    await studio.train.getByLabel("epochs").fill("1");
    await training.sweep.locator("summary").click();
    await training.sweep.getByLabel("Values of lr").fill("0.1, x");
    await training.sweep.getByRole("button", { name: "Train each pair" }).click();
    await training.sweep.getByRole("alert").getByText("“x” is no lr").waitFor();
    await training.sweep.getByLabel("Values of lr").fill("0.01, 0.001");
    await training.sweep.getByLabel("Values of batch size").fill("32");
    await training.sweep.getByRole("button", { name: "Train each pair" }).click();
    const cells = page.getByTestId("train-grid").locator("td");
    await eventually(async () => {
      const texts = await cells.allInnerTexts();
      assert.equal(texts.length, 2);
      for (const text of texts) assert.match(text, /^\s*\d+\.\d %\s*$/);
    });
    await training.is("finished");
    assert.deepEqual(await violations(page), [], "a sweep");
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `the page scrolls sideways by ${overflow} px`);
  });
});

test("a run that fails says why", async () => {
  await inTraining(large, async (training, studio) => {
    await studio.open("lenet");
    await studio.tab("Train");
    await training.start();
    await training.is("failed");
    await training.status
      .getByRole("alert")
      .getByText(/train-images/)
      .waitFor();
  });
});

for (const way of ["mouse", "keys"]) {
  test(`from an empty studio to a training ResNet-18 by ${way} alone`, async () => {
    await inTraining(large, async (training, studio, page) => {
      await studio.open("");
      await studio.holds(["x"]);
      const start = performance.now();
      await (way === "mouse" ? byMouse : byKeys)(training, studio, page);
      await eventually(async () => assert.match(await training.fact("loss"), /^\d/));
      measured(
        `empty studio to ResNet-18's first loss by ${way}, noise, batches of 8: ${((performance.now() - start) / 1000).toFixed(1)} s`,
      );
      await training.press("Cancel");
      await training.is("cancelled");
    });
  });
}

async function byMouse(training, studio) {
  await studio.open("resnet18");
  await studio.tab("Train");
  await studio.train.getByLabel("data").selectOption("noise");
  await studio.train.getByRole("spinbutton", { name: "batch size" }).fill("8");
  await training.start();
}

async function byKeys(_, studio, page) {
  await tabTo(page, studio.begin);
  await page.keyboard.type("resnet18");
  await eventually(async () =>
    assert.equal(await page.getByLabel("Name of the network").inputValue(), "ResNet18"),
  );
  await tabTo(page, page.getByRole("tab", { name: "Node", exact: true }));
  for (let tabs = 0; tabs < 4; tabs++) await page.keyboard.press("ArrowRight");
  await tabTo(page, studio.train.getByLabel("data"));
  await page.keyboard.type("noise");
  await tabTo(page, studio.train.getByRole("spinbutton", { name: "batch size" }));
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("8");
  await tabTo(page, studio.train.getByRole("button", { name: "Train", exact: true }));
  await page.keyboard.press("Enter");
}

/** Presses Tab until this has the focus. */
async function tabTo(page, locator) {
  for (let presses = 0; presses < 120; presses++) {
    if (await locator.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail("Tab does not lead there");
}

test("slices compute what the program computes as a whole, to the bit", async () => {
  const ask = await architecture();
  const dashboard = await readFile(new URL("www/src/studio/train/dashboard.py", root), "utf8");
  for (const [name, schedule] of [
    ["mlp", "OneCycleLR"],
    ["autoencoder", ""],
    ["vae", ""],
    ["diffusion", "StepLR"],
  ]) {
    const { net } = ask({ ask: "preset", name });
    net.training = { ...net.training, data: "noise", epochs: 2, batch_size: 64, schedule };
    const { text, setup } = ask({ ask: "training", net });
    const program = `${setup}\n${dashboard}\n${IN_SLICES}\n${text}\n${SAME}`;
    const path = await written(program);
    const { stdout } = spawnSync(process.env.GLOW, ["python", path], {
      encoding: "utf8",
      cwd: dirname(path),
    });
    assert.match(stdout, /^steps 8, same losses True, same validation True, same rate True$/m, name);
  }
});

async function written(program) {
  const path = join(await mkdtemp(join(tmpdir(), "glow-slices-")), "program.py");
  await writeFile(path, program);
  after(() => rm(dirname(path), { recursive: true }));
  return path;
}

/** Two epochs, as the page asks for them. */
const IN_SLICES = `
from glowgrad import tensor
losses = []
for epoch in range(2):
    while len(slice := _advance(tensor([3.0]))) > 2:
        losses += slice[2:]
        # What comes behind a checkpoint is what comes without one.
        if len(losses) in (3, 6):
            _dashboard.keep("checkpoint.tmp", 1 << 30)
            _advance(tensor([1.0]))
            _dashboard.batches = None
            _dashboard.go_on("checkpoint.tmp")
    while (validation := _validate(tensor([2.0])))[2] < len(test.dataset):
        pass
    _norms(tensor([])), _confusion(tensor([])), _pictures(tensor([]))
    if _dashboard.sample: _made(tensor([3.0]))
rate = _dashboard.rate()
`;

const SAME = `
last = trainer.history[-1]
print(f"steps {len(losses)}, same losses {losses == trainer.history.losses}, "
      f"same validation {validation[0] == last['validation loss']}, "
      f"same rate {rate == optimizer.param_groups[0]['lr']}")
`;

/** The module that knows networks, as the page has it. */
async function architecture() {
  const bytes = await readFile(new URL("www/src/wasm/python/architecture.wasm", root));
  const { exports } = (await WebAssembly.instantiate(bytes)).instance;
  return (question) => {
    const asked = new TextEncoder().encode(JSON.stringify(question));
    const start = exports.reserve(asked.length);
    new Uint8Array(exports.memory.buffer, start, asked.length).set(asked);
    exports.answer(asked.length);
    const [at, length] = [exports.text(), exports.text_length()];
    return JSON.parse(new TextDecoder().decode(new Uint8Array(exports.memory.buffer, at, length)));
  };
}
