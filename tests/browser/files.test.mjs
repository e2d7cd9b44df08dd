// Files that cells read and write: added to the page, kept over a reload; and a training run that goes on from its
// checkpoint after the page was closed in the middle of it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { eventually, measured, phone, useBrowser, visiting } from "./harness.mjs";
import { dropFile, Shelf } from "./keeping.mjs";
import { freeCell, freshSession, sideways } from "./parts.mjs";

useBrowser();

test("files are dropped, picked and fetched, read and written by cells, and are there after a reload", async () => {
  await visiting("#/play", {}, async (page, visit) => {
    const shelf = new Shelf(page);
    const cell = freeCell(page);
    await cell.write("1 + 1");
    await shelf.open();
    await shelf.pick(["trees.csv", "length,kind\n1.5,oak\n2,ash\n"]);
    await shelf.has("trees.csv");
    await dropFile(page, "note.txt", "dropped");
    await shelf.has("note.txt", "trees.csv");
    await cell.write(`import torch
print(open("note.txt").read())
table = torch.datasets.load_csv("trees.csv")
print(table["length"], table.labels)
torch.save({"x": torch.ones(2)}, "made.pt")
from safetensors.torch import save_file
save_file({"x": torch.ones(3)}, "made.safetensors")`);
    assert.equal(await cell.run(), "ok", await cell.output());
    assert.match(
      await cell.printedText(),
      /dropped\ntensor\(\[1\.5000, 2\.0000\], dtype=torch\.float64\) \{'kind': \['ash', 'oak'\]\}/,
    );
    await shelf.has("made.pt", "made.safetensors", "note.txt", "trees.csv");
    assert.deepEqual(await violations(page), []);

    // A download of what a cell wrote.
    const download = page.waitForEvent("download");
    await shelf.root.getByRole("button", { name: "Save made.safetensors" }).click();
    assert.equal((await download).suggestedFilename(), "made.safetensors");

    await shelf.root.getByRole("button", { name: "Remove note.txt" }).click();
    await shelf.has("made.pt", "made.safetensors", "trees.csv");
    await page.reload();
    await shelf.has("made.pt", "made.safetensors", "trees.csv");
    await cell.write(`import os, torch
from safetensors.torch import load_file
print(sorted(os.listdir(".")), torch.load("made.pt"), load_file("made.safetensors"))`);
    assert.equal(await cell.run(), "ok", await cell.output());
    assert.match(
      await cell.printedText(),
      /\['made\.pt', 'made\.safetensors', 'trees\.csv'\] \{'x': tensor\(\[1\., 1\.\]\)\}/,
    );

    // A damaged file names its fault and leaves everything as it was.
    await shelf.pick(["bad.safetensors", "no such file"]);
    await shelf.has("bad.safetensors", "made.pt", "made.safetensors", "trees.csv");
    await cell.write('load_file("bad.safetensors")');
    assert.equal(await cell.run(), "error");
    assert.match(await cell.fault(), /SafetensorError: safetensors: /);

    const here = await page.evaluate(() => location.pathname);
    visit.expect(/404/);
    await shelf.fetch(`${here}no-such-file.csv`);
    await eventually(async () => assert.match(await shelf.problem.innerText(), /the server answered 404/));
    await shelf.fetch(`${here}index.html`);
    await shelf.has("bad.safetensors", "index.html", "made.pt", "made.safetensors", "trees.csv");
    assert.equal(await shelf.problem.count(), 0);
  });
});

/** A run of some seconds, with dropout and shuffled batches, that keeps a checkpoint. */
const training = (name) => `import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from glowgrad.training import Trainer

torch.manual_seed(0)
x = torch.randn(512, 16)
y = (x.sum(1) > 0).long()
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 2))
trainer = Trainer(model, torch.optim.Adam(model.parameters()), nn.functional.cross_entropy,
                  checkpoint="runs/${name}.safetensors", every=64, progress=False)
trainer.fit(DataLoader(TensorDataset(x, y), batch_size=8, shuffle=True), epochs=30)
print(trainer.step, len(trainer.history), trainer.history.losses[-3:], model[0].weight.sum().item())`;

test("training goes on in a hidden tab, and after a reload from its checkpoint, to the same numbers", async () => {
  await visiting("#/play", {}, async (page, { context }) => {
    const shelf = new Shelf(page);
    const cell = freeCell(page);
    await cell.write(training("whole"));
    await cell.start();
    const other = await context.newPage();
    await other.bringToFront();
    await new Promise((done) => setTimeout(done, 500));
    await page.bringToFront();
    await other.close();
    assert.equal(await cell.result(), "ok", await cell.output());
    const expected = await cell.printedText();
    assert.match(expected, /^1920 30 \[/);

    await freshSession(page);
    await cell.write(training("cut"));
    await cell.start();
    await shelf.has("runs/cut.safetensors", "runs/whole.safetensors");
    assert.equal(await cell.stopButton.count(), 1, "the run had ended before the page was reloaded");
    await page.reload();
    await shelf.has("runs/cut.safetensors", "runs/whole.safetensors");
    const began = performance.now();
    await cell.write(`import os
assert os.path.exists("runs/cut.safetensors")
${training("cut")}`);
    assert.equal(await cell.run(), "ok", await cell.output());
    assert.equal(await cell.printedText(), expected);
    measured(
      `a run of 1,920 steps went on after a reload in ${((performance.now() - began) / 1000).toFixed(1)} s`,
    );
  });
});

test("a model is exported, taken over a reload and imported: the same numbers, lit on the stage", async () => {
  await visiting("#/play", {}, async (page) => {
    const shelf = new Shelf(page);
    const cell = freeCell(page);
    const network = `import torch
from torch import nn
torch.manual_seed(0)
x = torch.randn(4, 6)`;
    await cell.write(`${network}
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.scores = nn.Linear(6, 5), nn.Linear(5, 3)
    def forward(self, x):
        return self.scores(torch.relu(self.hidden(x)))
net = Net()
torch.onnx.export(net, (x,), "net.onnx")
print(net(x).tolist())`);
    assert.equal(await cell.run(), "ok", await cell.output());
    const expected = await cell.printedText();
    await shelf.has("net.onnx");

    await page.reload();
    await shelf.has("net.onnx");
    await cell.write(`${network}
model = torch.onnx.load("net.onnx")
y = model(x)
print(y.tolist())
y.sum().backward()`);
    assert.equal(await cell.run(), "ok", await cell.output());
    assert.equal(await cell.printedText(), expected);
    await eventually(async () => {
      const labels = await page
        .locator("[data-node]")
        .evaluateAll((nodes) => nodes.map((node) => node.getAttribute("aria-label")));
      for (const lit of [/^model\.hidden\.weight \[5, 6\], parameter, .*gradient norm/, /^linear \[4, 5\]/])
        assert.ok(
          labels.some((label) => lit.test(label)),
          labels.join("; "),
        );
    });

    await cell.write(`import torch
torch.onnx.load("net.onnx")(torch.ones(2, 6))`);
    assert.equal(await cell.run(), "error");
    assert.match(await cell.fault(), /the model expects x float32 \[4, 6\]/);
  });
});

test("on a telephone the list of files fits", async () => {
  await visiting("#/play", { size: phone, touch: true }, async (page) => {
    const shelf = new Shelf(page);
    await shelf.root.waitFor();
    await shelf.pick([`${"a-long-name".repeat(12)}.csv`, "1,2"]);
    await eventually(async () => assert.equal((await shelf.paths()).length, 1));
    assert.ok((await sideways(page)).beyond <= 0, "the page scrolls sideways");
    assert.deepEqual(await violations(page), []);
  });
});
