// Time travel over a training run: every kept step shows what it showed, a step that is not kept is had again exactly,
// and training that runs by itself takes part.

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { eventually, measured, useBrowser, visiting } from "./harness.mjs";
import { Cell, FreeNotebook, freeCell, StageTools } from "./parts.mjs";
import { RunSteps } from "./run_steps.mjs";

useBrowser();

const model = `import glowgrad as torch
import glowgrad.nn as nn
from glowgrad import lab
torch.manual_seed(0)
x, y = torch.randn(32, 8), torch.randn(32, 1)
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
`;
const body = `    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
`;
const loop = (n) => `${model}losses = []
for i in range(${n}):
${body}    losses.append(loss.item())
print(*losses)
`;

const LOSS = '[data-testid="stage"] .node.loss';

/** A number as the page writes it. */
const written = (number) => String(Number(number.toFixed(4)));

async function trained(source, count, check, options = {}) {
  await visiting("#/play", options, async (page) => {
    const cell = freeCell(page);
    await cell.write(source);
    assert.equal(await cell.run(), "ok", await cell.output());
    const steps = new RunSteps(page);
    await steps.ended(count);
    await check({ page, steps, cell });
  });
}

test("the card of a large parameter has the numbers of the step on stage", async () => {
  const first = `${model}weight = model[0].weight
for i in range(5):
    print(f"{weight[0, 0].item():.4f}")
${body}`;
  await trained(first, 5, async ({ page, steps, cell }) => {
    const numbers = (await cell.printedText()).trim().split(/\s+/);
    const { card } = new StageTools(page);
    const weight = page.locator('[data-testid="stage"] [data-node]', { hasText: "0.weight" }).first();
    await steps.goTo(1);
    await steps.says(/^step 1 of 5/);
    await weight.click();
    for (const step of [1, 4, 2]) {
      await steps.goTo(step);
      await steps.says(new RegExp(`^step ${step} of 5`));
      await eventually(async () => {
        const text = await card.innerText();
        assert.ok(
          text.includes(String(Number(numbers[step - 1]))),
          `step ${step}: not ${numbers[step - 1]} in ${text}`,
        );
      });
    }
  });
});

test("any kept step of a run is put on stage, by hand, key and number, with its loss", async () => {
  await trained(loop(60), 60, async ({ page, steps, cell }) => {
    const losses = (await cell.printedText()).trim().split(/\s+/).map(Number);
    await steps.says(/^step 60 of 60, loss /);
    assert.deepEqual(await violations(page), []);
    for (const step of [1, 17, 42, 60]) {
      await steps.goTo(step);
      await steps.says(
        new RegExp(`^step ${step} of 60, loss ${written(losses[step - 1]).replace(".", "\\.")}`),
      );
      await eventually(async () => assert.equal(await lossOnStage(page), written(losses[step - 1])));
    }
    await steps.slider.focus();
    await page.keyboard.press("Home");
    await steps.says(/^step 1 of 60/);
    await page.keyboard.press("ArrowRight");
    await steps.says(/^step 2 of 60/);
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowLeft");
    await steps.says(/^step 59 of 60/);
    await eventually(async () => assert.equal(await lossOnStage(page), written(losses[58])));
    await steps.goTo(60);
    await eventually(async () => assert.equal(await lossOnStage(page), written(losses[59])));
    // Back to the step on stage before any other has come. What was asked for first comes meanwhile, and must not stay.
    await steps.pressAtOnce("Home", "ArrowRight", "End");
    await page.waitForTimeout(500);
    await steps.says(/^step 60 of 60/);
    await eventually(async () => assert.equal(await lossOnStage(page), written(losses[59])));
    await steps.pressAt(0.5);
    await steps.says(/^step (30|31) of 60/);
    assert.deepEqual(await violations(page), []);

    // A later picture of the same cell is none of them. The loss is what backward() was called on, whatever its name.
    await cell.write("(x * 2).sum()");
    assert.equal(await cell.run(), "ok");
    await steps.notes(/On stage: a later picture of cell-1\./);
    const turns =
      "for i in range(3):\n    w = torch.ones(2, requires_grad=True)\n    y = (w * i).sum()\n    y.backward()";
    await cell.write(turns);
    assert.equal(await cell.run(), "ok");
    await steps.says(/^step 3 of 3, loss 4$/);

    // A loop that ends in a forward pass: the last step stays on stage.
    await cell.write(`${loop(5)}held_out = ((model(x) - y) ** 2).mean()`);
    assert.equal(await cell.run(), "ok");
    const printed = async () => (await cell.printedText()).trim().split(/\s+/).map(Number).at(-1);
    await steps.says(/^step 5 of 5, loss [^,]*$/);
    const last = await printed();
    await eventually(async () => assert.equal(await lossOnStage(page), written(last)));

    // One that ends in an error: its picture is no step's, and the last step can be opened.
    await cell.write(`${loop(4)}model(x) @ torch.ones(99)`);
    assert.equal(await cell.run(), "error");
    await steps.says(/^step 4 of 4, loss .*, on stage: what ran after it$/);
    const fourth = await printed();
    await steps.show(4);
    await steps.says(/^step 4 of 4, loss [^,]*$/);
    await eventually(async () => assert.equal(await lossOnStage(page), written(fourth)));
  });
});

test("opening a step of the run takes no longer than an eye notices", async () => {
  await trained(loop(200), 200, async ({ page }) => {
    const times = [];
    for (const step of [1, 41, 81, 121, 161]) {
      const before = await lossOnStage(page);
      const millis = await page.evaluate(
        async ([step, selector]) => {
          const text = () => document.querySelector(selector)?.getAttribute("aria-label");
          const input = document.querySelector('[data-testid="steps"] input');
          const old = text();
          const began = performance.now();
          input.value = String(step);
          input.dispatchEvent(new Event("change", { bubbles: true }));
          while (text() === old && performance.now() - began < 5000) await new Promise(requestAnimationFrame);
          return performance.now() - began;
        },
        [step, LOSS],
      );
      assert.notEqual(await lossOnStage(page), before);
      times.push(millis);
    }
    measured(`opening a step: ${times.map((millis) => millis.toFixed(0)).join(", ")} ms`);
  });
});

test("a step that is not kept is computed again exactly, or it is said why not", async () => {
  await trained(loop(600), 600, async ({ page, steps, cell }) => {
    const losses = (await cell.printedText()).trim().split(/\s+/).map(Number);
    await steps.goTo(402);
    await steps.says(/^step 402 of 600, .*not kept/);
    await steps.compute.click();
    await steps.notes(/computed again from the first cell on: all 402 losses are the same/);
    assert.equal(await lossOnStage(page), written(losses[401]));
    // The session itself knows nothing of it.
    await cell.write("print(len(losses), losses[-1] == loss.item())");
    assert.equal(await cell.run(), "ok");
    assert.equal((await cell.printedText()).trim(), "600 True");
  });
  const unlike = loop(600).replace("losses = []", "import time\nx = x * (1 + time.time() % 1)\nlosses = []");
  await trained(unlike, 600, async ({ steps }) => {
    await steps.goTo(402);
    await steps.compute.click();
    await steps.notes(/cannot be had again: step 1 came out otherwise.*manual_seed/);
  });
});

test("the steps stay when a later cell draws, and put one of theirs back on stage", async () => {
  await trained(loop(5), 5, async ({ page, steps }) => {
    await new FreeNotebook(page).press("Add a cell below cell-1");
    const later = new Cell(page, "cell-2");
    await later.write("(torch.ones(3) * 2).sum()");
    assert.equal(await later.run(), "ok", await later.output());
    await steps.notes(/On stage: the picture of cell-2\./);
    await steps.says(/^step 5 of 5, loss .*On stage: the picture of cell-2\.$/);
    await steps.show(5);
    await steps.says(/^step 5 of 5, loss [^,]*$/);
    await page.locator(LOSS).waitFor();
    await steps.goTo(2);
    await steps.says(/^step 2 of 5/);
  });
});

test("a run of lab.train takes part", async () => {
  const source = `${model}def step():\n${body}    return loss\n\nlosses = lab.train(step, 300)\nprint(*losses)\n`;
  await trained(source, 300, async ({ page, steps, cell }) => {
    const losses = (await cell.printedText()).trim().split(/\s+/).map(Number);
    await steps.goTo(33);
    await steps.says(/^step 33 of 300, loss/);
    await eventually(async () => assert.equal(await lossOnStage(page), written(losses[32])));
  });
});

test("the curve follows a node through the steps", async () => {
  await trained(loop(40), 40, async ({ page, steps }) => {
    await steps.goTo(20);
    await steps.says(/^step 20 of 40/);
    await page.locator(LOSS).focus();
    await page.keyboard.press("Enter");
    await steps.notes(/through the steps.*norm of its value/s);
    // What is chosen stays chosen from step to step.
    await steps.goTo(25);
    await steps.says(/^step 25 of 40/);
    await steps.notes(/through the steps/);
  });
});

test("a node that is chosen moves nothing: not the graph, and not when it is let go", async () => {
  await trained(loop(40), 40, async ({ page, steps }) => {
    const places = () =>
      page.locator('[data-testid="stage"] .node').evaluateAll((nodes) =>
        nodes.map((node) => {
          const { a, e, f } = node.getScreenCTM();
          return [a.toFixed(3), Math.round(e), Math.round(f)];
        }),
      );
    // Until the wave has ended the camera follows it.
    await page
      .getByRole("group", { name: "Playback" })
      .getByRole("button", { name: "Play", exact: true })
      .waitFor();
    let before = await places();
    await eventually(async () => {
      const then = before;
      await page.waitForTimeout(200);
      before = await places();
      assert.deepEqual(before, then, "the graph is at rest");
    });
    await page.locator('[data-testid="stage"] .node.parameter').first().click();
    await steps.notes(/through the steps/);
    assert.deepEqual(await places(), before);
    await page.keyboard.press("Escape");
    await steps.notes(/Choose a node/);
    assert.deepEqual(await places(), before);
  });
});

/** The number at the loss on stage, as its name has it. */
async function lossOnStage(page) {
  const name = await page.locator(LOSS).getAttribute("aria-label");
  return /value (\S+?),/.exec(`${name},`)?.[1];
}
