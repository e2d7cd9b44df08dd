// Checks the stage in a real browser: keys, the same picture after stepping on and back, walking the
// graph, no axe violations, what a frame costs at 300 nodes.
//
// Usage: `node check.mjs`. Exits with 1 where something is wrong.
// Frame times are printed, not judged: they belong to the machine.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { start } from "./browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const harness = await start();
let wrong = 0;
function expect(truth, message) {
  console.log(truth ? "ok  " : "BAD ", message);
  if (!truth) wrong++;
}

const open = (query, width = 1280, height = 800, options = {}) =>
  harness.open(query, width, height, (message) => expect(false, message), options);
const drawing = (page) => page.evaluate(() => document.querySelector(".canvas > svg")?.innerHTML);
const position = (page) =>
  page.evaluate(() => Number(document.querySelector("[role=slider]")?.getAttribute("aria-valuenow")));
/** Waits until playback has come to rest at `t`. */
const rest = (page, t) =>
  page.waitForFunction(
    (t) => Number(document.querySelector("[role=slider]")?.getAttribute("aria-valuenow")) === t,
    t,
  );

{
  const page = await open("graph=mlp");
  const dark = await position(page);
  expect(dark === 15, `rests before backward() (${dark})`);
  await page.evaluate(() => document.querySelector(".stage").focus());
  await page.keyboard.press("ArrowRight");
  await rest(page, 16);
  const [first, at] = [await drawing(page), await position(page)];
  expect(at === dark + 1, `→ steps one event and rests (${at})`);
  await page.keyboard.press("ArrowRight");
  await rest(page, 17);
  expect((await drawing(page)) !== first, "the next step changes the picture");
  await page.keyboard.press("ArrowLeft");
  await rest(page, 16);
  expect((await drawing(page)) === first, "stepping back gives the very same picture");
  await page.keyboard.press("End");
  expect((await position(page)) === 32, "End goes to the end");
  await page.keyboard.press("Home");
  expect((await position(page)) === 0, "Home goes to the start");
  await page.keyboard.press("Space");
  await page.waitForTimeout(600);
  await page.keyboard.press("Space");
  const paused = await position(page);
  expect(paused > 1 && paused < 20, `space plays and pauses (${paused})`);
  await page.waitForTimeout(500);
  expect((await position(page)) === paused, "pausing holds the position");

  await page.keyboard.press("Tab");
  const focus = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "");
  expect(/^X .*data/.test(await focus()), `Tab reaches the first node (${await focus()})`);
  await page.keyboard.press("Shift+ArrowRight");
  expect((await focus()).startsWith("@ [8, 12], matmul"), `Shift+→ walks to its consumer (${await focus()})`);
  await page.keyboard.press("Enter");
  expect(await page.isVisible("aside.pinned"), "Enter pins the node's card");
  await page.keyboard.press("Tab");
  expect((await focus()) === "Zoom in", `Tab leaves the graph (${await focus()})`);
  await page.keyboard.press("Escape");
  expect(!(await page.isVisible("aside.pinned")), "Escape closes the card");
  expect((await focus()).startsWith("@ [8, 12], matmul"), "and gives the focus back to the node");
  const slider = await page.locator("[role=slider]").boundingBox();
  await page.mouse.click(slider.x + slider.width / 2, slider.y + slider.height / 2);
  expect(Math.abs((await position(page)) - 16) < 0.2, "a click on the scrubber seeks");
  await page.mouse.move(400, 640);
  await page.mouse.down();
  await page.mouse.move(460, 600, { steps: 4 });
  await page.mouse.up();
  expect(await page.isEnabled('[aria-label="Fit the graph"]'), "dragging pans");
  await page.click('[aria-label="Fit the graph"]');
  expect(!(await page.isEnabled('[aria-label="Fit the graph"]')), "and the fit button undoes it");
  await page.close();
}
{
  const page = await open("graph=neuron&autoplay=1", 1280, 800, { reducedMotion: "reduce" });
  const seen = [];
  for (let sample = 0; sample < 30; sample++) {
    seen.push(await position(page));
    await page.waitForTimeout(60);
  }
  expect(
    seen.every(Number.isInteger) && new Set(seen).size > 4,
    `reduced motion steps (${[...new Set(seen)].join(" ")})`,
  );
  await page.close();
}
for (const theme of ["dark", "light"])
  for (const [width, height] of [
    [1280, 800],
    [390, 844],
  ])
    for (const graph of ["mlp", "non-finite", "none"]) {
      const page = await open(`graph=${graph}&theme=${theme}`, width, height);
      if (graph !== "none") {
        await page.evaluate(() => window.stage.seek(12));
        await page.click(".node.op");
        if (width > 800) await page.click('[aria-label="Outline"]');
      }
      await page.waitForTimeout(300);
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run(document.querySelector("#harness")));
      expect(
        violations.length === 0,
        `axe: ${graph} ${theme} ${width} ${violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.target).join(" ")}`).join("; ")}`,
      );
      await page.close();
    }
{
  const page = await open("graph=large&nodes=320");
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable");
  const metrics = async () =>
    Object.fromEntries(
      (await client.send("Performance.getMetrics")).metrics.map(({ name, value }) => [name, value]),
    );
  const before = await metrics();
  const frames = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const times = [];
        window.stage.play();
        const tick = (now) => {
          times.push(now);
          if (now - times[0] < 8200) requestAnimationFrame(tick);
          else resolve(times);
        };
        requestAnimationFrame(tick);
      }),
  );
  const after = await metrics();
  const each = (name) => (((after[name] - before[name]) / frames.length) * 1000).toFixed(2);
  const gaps = frames
    .slice(1)
    .map((time, index) => time - frames[index])
    .sort((a, b) => a - b);
  console.log(
    `320 nodes: ${frames.length} frames in 8.2 s, median gap ${gaps[gaps.length >> 1].toFixed(1)} ms, p95 ${gaps[Math.floor(gaps.length * 0.95)].toFixed(1)} ms;`,
    `per frame: script ${each("ScriptDuration")} ms, style ${each("RecalcStyleDuration")} ms, layout ${each("LayoutDuration")} ms, task ${each("TaskDuration")} ms`,
  );
  await page.close();
}
await harness.close();
process.exit(wrong ? 1 : 0);
