// The op table on WebGPU: golden numbers forward and backward, extreme values and training, in wasm in
// Chromium with its software adapter. All golden cases run natively on Vulkan, from the same shaders
// (crates/check/tests); here the first of each op, and one in a few of the others. What a difference may be is written in
// crates/check/src/tolerance.rs; what is skipped, and what runs on the CPU instead, is printed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { measured, useBrowser, visiting } from "./harness.mjs";

const site = process.env.GLOW_LAB_CHECK_URL;

useBrowser();

/** Of an op's golden cases one in so many runs. */
const EVERY = 16;

/** Parts that run natively alone, and why; benchmarks are for `glow gpu-check`. */
const LEFT_OUT = {
  "training: transformer": "a minute in software; natively it follows the CPU step by step",
};

test("every op on WebGPU gives PyTorch's numbers, and training follows the CPU", async () => {
  assert.ok(site, "GLOW_LAB_CHECK_URL is not set: run this test with `cargo lab test browser`");
  await visiting("", { site }, async (page) => {
    const parts = await page.evaluate(async (every) => {
      const check = await import("./check.js");
      await check.default({ module_or_path: new URL("./check_bg.wasm", location.href) });
      await check.open("webgpu", every);
      window.check = check;
      return check.parts();
    }, EVERY);
    // One call each, so that none runs for long without a word. Times are for `glow gpu-check`.
    for (const [at, name] of parts.entries()) {
      if (/^benchmark/.test(name)) continue;
      if (name in LEFT_OUT) {
        console.log(`skipped: ${name}: ${LEFT_OUT[name]}`);
        continue;
      }
      const part = await page.evaluate(async (at) => JSON.parse(await window.check.run(at)), at);
      console.log(
        `${name}: ${part.passed} passed, ${part.failed} failed, ${part.skipped} not checked, ${part.seconds.toFixed(1)} s`,
      );
    }
    console.log(await page.evaluate(() => window.check.summary()));
    const report = await page.evaluate(() => JSON.parse(window.check.report()));
    measured(`${report.passed} cases on ${report.device}: ${report.seconds.toFixed(0)} s`);
    assert.deepEqual(report.failed, []);
    assert.equal(report.training.length, 2);
    assert.ok(report.passed > 1_500, `${report.passed} passed`);
    assert.ok(report.dispatches > 2_000, `${report.dispatches} dispatches: the device did not run the ops`);
  });
});
