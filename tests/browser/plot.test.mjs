// The Plot instrument: live, several runs over each other, by keyboard, as a file; and figures.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { violations } from "./axe.mjs";
import { eventually, narrow, phone, useBrowser, visiting, wide } from "./harness.mjs";
import { freeCell, hardToTap, PlotInstrument, restingBox } from "./parts.mjs";

useBrowser();

const FORWARD = [86, 180, 233];

const training = (scale) => `from glowgrad import lab
for step in range(50):
    lab.plot(loss=${scale} / (1 + step), zero=0)`;

const figures = `import glowgrad as torch
from glowgrad import lab
x = torch.tensor([[-1.0, 0.0, 0.5], [1.0, float("nan"), 2.0]])
lab.histogram(torch.arange(10.0), name="ten", bins=5)
lab.heatmap(x)
lab.image(x, name="pixels")`;

/** Runs texts in the free cell, one after another, with the Plot instrument open. */
async function plotting(texts, options, body) {
  await visiting("#/play", options, async (page, visit) => {
    const cell = freeCell(page);
    for (const text of texts) {
      await cell.write(text);
      assert.equal(await cell.run(), "ok", await cell.output());
    }
    const plot = new PlotInstrument(page);
    await plot.open();
    await body(plot, page, visit, cell);
  });
}

test("runs lie over each other, have names, and can be hidden", async () => {
  await plotting([training(1), training(2)], {}, async (plot) => {
    await plot.tells([
      ["run 2", "0.04", "0"],
      ["run 1", "0.02", "0"],
    ]);
    const blue = () => plot.painted(FORWARD);
    const both = await eventually(async () => {
      const points = await blue();
      assert.ok(points > 100, `${points} blue points`);
      assert.equal(await blue(), points, "it is still being painted");
      return points;
    });
    await plot.root.getByLabel("Show run 1").uncheck();
    await eventually(async () => {
      const one = await blue();
      assert.ok(one > 50 && one < both, `${one} of ${both} blue points are left`);
    });
    await plot.root.getByLabel("Name of run 2").fill("twice as high");
    await plot.tells([
      ["twice as high", "0.04", "0"],
      ["run 1", "", ""],
    ]);
    await plot.root.getByLabel("loss").uncheck();
    await eventually(async () => assert.equal(await blue(), 0));
  });
});

test("on a telephone every control of a plot takes a fingertip", async () => {
  const curves = `from glowgrad import lab
for step in range(50):
    lab.plot(surprise=1 / (1 + step), surprise_slope=-1, squared=step, squared_slope=2)`;
  await plotting([curves, curves], { size: phone, touch: true }, async (plot, page) => {
    await plot.root.getByLabel("Show run 2").waitFor();
    assert.deepEqual(await hardToTap(page, "[data-testid=plot-view]"), []);
  });
});

test("a plot grows while the cell runs", async () => {
  const slow = `from glowgrad import lab
import time
for step in range(1000):
    lab.plot(loss=step)
    time.sleep(0.02)`;
  await visiting("#/play", {}, async (page) => {
    const cell = freeCell(page);
    await cell.write(slow);
    await cell.start();
    await cell.running();
    const plot = new PlotInstrument(page);
    await plot.open();
    await plot.root.locator("tbody tr").waitFor();
    const value = async () => Number((await plot.table())[0][1]);
    const first = await value();
    await eventually(async () => assert.ok((await value()) > first, `it stays at ${first}`));
    assert.match(await plot.caption(), /still running/);
    await cell.stop();
    await cell.ended();
  });
});

test("values are read by pointer and by keys", async () => {
  await plotting([training(1)], {}, async (plot, page) => {
    const caption = (text) => eventually(async () => assert.equal(await plot.caption(), text));
    await caption("At the end");
    await plot.chart.focus();
    await page.keyboard.press("Home");
    await caption("At step 0");
    await plot.tells([["run 1", "1", "0"]]);
    await page.keyboard.press("ArrowRight");
    const said = () => plot.chart.getAttribute("aria-valuetext");
    await eventually(async () => assert.equal(await said(), "Step 1: loss, run 1 0.5; zero, run 1 0"));
    await page.keyboard.press("Escape");
    await caption("At the end");
    const box = await restingBox(plot.canvas);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await eventually(async () => {
      const step = Number(/At step (\d+)/.exec(await plot.caption())?.[1]);
      assert.ok(step > 10 && step < 40, `step ${step} under the middle`);
    });
  });
});

test("smoothing and a log scale change what is drawn, and the file has the raw points", async () => {
  await plotting([training(1), training(2)], {}, async (plot, page) => {
    await plot.smoothing.fill("0.9");
    await eventually(async () => {
      const smooth = Number((await plot.table())[1][1]);
      assert.ok(smooth > 0.025 && smooth < 0.2, `the smooth end is ${smooth}`);
    });
    await plot.log.check();
    await page.getByText("100 points of 0 or less have no place on a log scale.").waitFor();
    const download = await plot.saveCsv();
    assert.equal(download.suggestedFilename(), "cell-1.csv");
    const rows = readFileSync(await download.path(), "utf8").split("\r\n");
    assert.equal(rows[0], "run,series,step,value");
    assert.equal(rows.length, 1 + 2 * 2 * 50 + 1);
    assert.ok(rows.includes("run 1,loss,49,0.02"), rows.slice(0, 4).join(" "));
    assert.ok(rows.includes("run 2,loss,0,2"));
  });
});

test("figures are drawn, read by keys and say what they leave out", async () => {
  await plotting([figures], {}, async (plot, page, _visit, cell) => {
    await eventually(async () => assert.equal(await plot.figures.count(), 3));
    await eventually(async () => assert.equal(await cell.printed.getByTestId("figure").count(), 3));
    const [bars, heat, image] = [0, 1, 2].map((at) => plot.figures.nth(at));
    await bars.getByRole("slider").focus();
    await page.keyboard.press("Home");
    await bars.getByText("0 to 1.8: 2 of 10").waitFor();
    await heat.getByRole("slider").focus();
    await page.keyboard.press("End");
    await heat.getByText("[1, 2] = 2").waitFor();
    await page.keyboard.press("ArrowLeft");
    await heat.getByText("[1, 1] = NaN").waitFor();
    await heat.getByText("1 NaN, hatched.").waitFor();
    assert.match(
      await heat.getByRole("slider").getAttribute("aria-label"),
      /^Heat-map of x, \[2, 3\] float32/,
    );
    await image.getByText("2 outside 0 to 1, drawn as the nearer end.").waitFor();
    const centre = (figure, column, row, colour) =>
      eventually(async () => {
        const painted = await figure
          .locator("canvas")
          .evaluate(
            (canvas, [x, y]) => [
              ...canvas
                .getContext("2d")
                .getImageData(((x + 0.5) / 3) * canvas.width, ((y + 0.25) / 2) * canvas.height, 1, 1).data,
            ],
            [column, row],
          );
        assert.deepEqual(painted, [...colour, 255]);
      });
    await centre(image, 0, 0, [0, 0, 0]);
    await centre(image, 2, 1, [255, 255, 255]);
    await centre(image, 2, 0, [128, 128, 128]);
    await centre(heat, 2, 1, FORWARD);
  });
});

test("a loop of figures stays bounded, and the last one is shown", async () => {
  const loop = `import glowgrad as torch
from glowgrad import lab
for step in range(400):
    lab.histogram(torch.full((4,), float(step)), name="moving", bins=2)
try:
    for step in range(40):
        lab.heatmap(torch.eye(2))
except RuntimeError as error:
    print(error)`;
  await plotting([loop], {}, async (plot, _page, _visit, cell) => {
    await eventually(async () => assert.equal(await plot.figures.count(), 32));
    await plot.figures.first().getByText("Drawn 400 times; this is the last.").waitFor();
    await plot.figures.first().getByText("mean 399").waitFor();
    assert.match(await cell.printedText(), /this run has drawn 32 pictures; give each a name/);
  });
});

test("lab.bytes prints the bytes and opens the Memory view on the tensor", async () => {
  await visiting("#/play", {}, async (page) => {
    const cell = freeCell(page);
    await cell.write(`import glowgrad as torch
from glowgrad import lab
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
y = x.t() * 2
lab.bytes(x.t())`);
    assert.equal(await cell.run(), "ok");
    assert.match(await cell.printedText(), /\[0, 1\]\s+8 {2}00 00 40 40\s+3/);
    await page.locator('[role=tab][data-instrument="memory"][aria-selected="true"]').waitFor();
  });
});

describe("the Plot instrument is quiet and accessible", () => {
  for (const theme of ["dark", "light"]) {
    for (const size of [wide, { ...narrow, width: 375 }]) {
      test(`${theme}, ${size.width} wide`, async () => {
        await plotting([training(1), `${training(2)}\n${figures}`], { theme, size }, async (plot, page) => {
          await plot.smoothing.fill("0.5");
          await plot.canvas.waitFor();
          await eventually(async () => assert.equal(await plot.figures.count(), 3));
          assert.deepEqual(await violations(page), []);
          const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(over <= 0, `${over} px too wide`);
        });
      });
    }
  }
});
