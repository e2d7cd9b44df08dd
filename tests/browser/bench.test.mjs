// The page's bench: every row gets a figure, Stop ends a run, a notebook keeps its variables, and axe finds nothing.
//
// No time is asserted. The whole run is that of the CPU, in a browser without JSPI, which computes on nothing else: a GPU that is
// software takes a minute for it. What each row computes on WebGPU is tested in every_op_on_webgpu.test.mjs.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { violations } from "./axe.mjs";
import { measured, narrow, useBrowser, visiting, wide } from "./harness.mjs";
import { Cell, freeCell } from "./parts.mjs";

useBrowser();

const N_ROWS = 12;

/** The page, as a visitor uses it. */
class BenchPage {
  constructor(page) {
    this.page = page;
    this.root = page.getByTestId("bench");
    this.legend = page.getByTestId("legend");
    this.rows = page.getByTestId("row");
    this.table = page.getByRole("region", { name: "The figures" });
    this.run = page.getByRole("button", { name: "Run", exact: true });
    this.stop = page.getByRole("button", { name: "Stop", exact: true });
  }

  async rounds(count) {
    await this.page.getByLabel("Rounds").selectOption(String(count));
  }

  /** Waits until a run is there: opening, warming, timing, done, stopped or failed. */
  async is(phase) {
    await this.root.and(this.page.locator(`[data-phase="${phase}"]`)).waitFor();
  }

  /** The rate of each row on a device, as a number. */
  async rates(device) {
    const texts = await this.lanes(device).getByTestId("rate").allInnerTexts();
    return texts.map((text) => Number(text.split(" ")[0].replaceAll(",", "")));
  }

  lanes(device) {
    return this.rows.locator(`[data-device="${device}"]`);
  }

  /** Waits until a row has run on a device, if untimed. */
  async hasRun(row, device) {
    const lane = this.page.locator(`[data-row="${row}"] [data-device="${device}"]`);
    await lane.getByText(/ m?s\b/).waitFor();
  }
}

/** In both themes, wide and narrow. */
async function isAccessible(page, when) {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    for (const size of [narrow, wide]) {
      await page.setViewportSize(size);
      const where = `${when}, ${colorScheme}, ${size.width} wide`;
      assert.deepEqual(await violations(page), [], where);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${where}: the page scrolls sideways by ${overflow} px`);
    }
  }
}

describe("a run on the CPU", () => {
  test("gives every row a figure, which the table and the JSON have too", async () => {
    await visiting("#/bench", { withoutJspi: true }, async (page, visit) => {
      const bench = new BenchPage(page);
      await bench.run.waitFor();
      assert.equal(await bench.rows.count(), 0, "nothing is shown before a run");
      await isAccessible(page, "before a run");
      await bench.rounds(3);
      await bench.run.click();
      await bench.is("done");

      assert.equal(await bench.rows.count(), N_ROWS);
      const rates = await bench.rates("cpu");
      assert.equal(rates.length, N_ROWS);
      for (const rate of rates) assert.ok(rate > 0, `rates: ${rates}`);
      assert.equal(await bench.table.getByRole("row").count(), 1 + N_ROWS);
      assert.match(await bench.legend.innerText(), /cpu \(wasm relaxed simd\), one thread/);
      await isAccessible(page, "after a run");

      await visit.context.grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.getByRole("button", { name: "Copy as JSON" }).click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      const report = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
      assert.equal(report.figures.length, N_ROWS);
      for (const { row, runs_ms, rate, unit } of report.figures) {
        assert.ok(runs_ms.length > 0 && runs_ms.every((millis) => millis > 0), `${row}: ${runs_ms}`);
        measured(`${row}: ${rate} ${unit}`);
      }
    });
  });

  test("Stop ends it also where Python cannot be interrupted, and what was measured stays", async () => {
    await visiting("#/bench", { withoutJspi: true }, async (page) => {
      const bench = new BenchPage(page);
      await bench.rounds(15);
      await bench.run.click();
      // The first round is over; a busy page shows only some of the numbers.
      await page.getByText(/Round ([2-9]|1\d) of 15/).waitFor();
      await bench.stop.click();
      await bench.is("stopped");
      assert.equal((await bench.rates("cpu")).length, N_ROWS);
      assert.equal(await bench.table.getByRole("row").count(), 1 + N_ROWS);
    });
  });
});

describe("a run with WebGPU", () => {
  test("tells of a software adapter, is stopped at any time, and leaves a notebook's variables", async () => {
    await visiting("#/play", {}, async (page) => {
      const cell = freeCell(page);
      await cell.write("kept = 41");
      assert.equal(await cell.run(), "ok");

      await page.evaluate(() => location.assign("#/bench"));
      const bench = new BenchPage(page);
      await bench.run.click();
      await bench.stop.click();
      await bench.is("stopped");
      assert.equal(await bench.rows.count(), 0, "stopped while Python starts");

      await bench.run.click();
      await bench.hasRun("add", "webgpu");
      assert.match(await bench.legend.innerText(), /a program on the processor/);
      await bench.stop.click();
      await bench.is("stopped");
      assert.equal(await bench.run.evaluate((button) => button === document.activeElement), true);

      await page.evaluate(() => location.assign("#/play"));
      const again = new Cell(page, "cell-1");
      await again.write("print(kept + 1)");
      assert.equal(await again.run(), "ok", await again.output());
      assert.equal((await again.printedText()).trim(), "42");
    });
  });
});
