// The studio: a network is drawn by mouse and by keys alone, says what does not fit, and is the same as text and as a link.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { violations } from "./axe.mjs";
import { eventually, measured, narrow, phone, useBrowser, visiting, wide } from "./harness.mjs";
import { restingBox } from "./instruments.mjs";
import { StudioPage } from "./studioParts.mjs";

useBrowser();

/** Opens the studio and waits until there is a network. */
async function inStudio(options, body, route = "#/studio") {
  await visiting(route, options, async (page, visit) => {
    const studio = new StudioPage(page);
    await studio.ready();
    await body(studio, page, visit);
  });
}

const large = { size: { width: 1440, height: 900 } };

/** LeNet from an empty network, with a way to add a layer and a way to set its argument. */
async function drawLeNet(studio, add, set) {
  for (const channels of ["6", "16"]) {
    await add("Conv2d");
    await set("out_channels", channels);
    await set("kernel_size", "5");
    await add("ReLU");
    await add("MaxPool2d");
    await set("kernel_size", "2");
  }
  await add("Flatten");
  for (const features of ["120", "84"]) {
    await add("Linear");
    await set("out_features", features);
    await add("ReLU");
  }
  await add("Linear");
  await set("out_features", "10");
  await eventually(async () => assert.match(await studio.totals.innerText(), /gives\s*N, 10/));
}

test("LeNet is drawn from nothing with the mouse", async () => {
  await inStudio(large, async (studio) => {
    await studio.open("");
    await studio.holds(["x"]);
    const start = performance.now();
    await drawLeNet(
      studio,
      (name) => studio.add(name),
      (name, text) => studio.set(name, text),
    );
    measured(`LeNet by mouse: ${((performance.now() - start) / 1000).toFixed(1)} s`);
    await studio.says("conv", /1 to 6 channels, gives N, 6, 24, 24/);
    await studio.says("fc", /Linear, 256 to 120/);
  });
});

test("LeNet is drawn from nothing with keys alone", async () => {
  await inStudio(large, async (studio, page) => {
    await studio.begin.focus();
    await studio.open("");
    await studio.holds(["x"]);
    // Out of the field, to the canvas.
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press("Enter");
    await eventually(async () => assert.equal(await studio.focused(), "x"));
    const set = async (name, text) => {
      await page.keyboard.press("e");
      const field = studio.form.getByLabel(name, { exact: false }).first();
      const hasFocus = () => field.evaluate((element) => element === document.activeElement);
      for (let tries = 0; tries < 12 && !(await hasFocus()); tries++) await page.keyboard.press("Tab");
      assert.ok(await hasFocus(), `the keys do not reach ${name}`);
      await page.keyboard.press("ControlOrMeta+A");
      await page.keyboard.type(text);
      await page.keyboard.press("Escape");
      await eventually(async () => assert.ok(await studio.focused()));
    };
    const start = performance.now();
    await drawLeNet(studio, (name) => studio.addByKeys(name), set);
    measured(`LeNet by keys: ${((performance.now() - start) / 1000).toFixed(1)} s`);
    // Back along the wires to where it begins.
    for (let steps = 0; steps < 12; steps++) await page.keyboard.press("ArrowLeft");
    await eventually(async () => assert.equal(await studio.focused(), "x"));
  });
});

test("sizes follow a change, and undo takes back one step", async () => {
  await inStudio(large, async (studio, page) => {
    await studio.node("conv1").click();
    await studio.set("out_channels", "12");
    await studio.says("conv2", /12 to 16 channels/);
    await studio.told(/gives N, 12, 28, 28/);
    await studio.node("pool2").click();
    await page.keyboard.press("Delete");
    await studio.says("fc1", /1600 to 120/);
    await page.keyboard.press("ControlOrMeta+z");
    await studio.says("fc1", /400 to 120/);
    await page.keyboard.press("ControlOrMeta+z");
    await studio.says("conv2", /6 to 16 channels/);
    await page.keyboard.press("ControlOrMeta+y");
    await studio.says("conv2", /12 to 16 channels/);
  });
});

test("a wire that does not fit says why, and a press mends it", async () => {
  await inStudio(large, async (studio, page) => {
    await studio.open("mlp");
    await studio.says("fc1", /64 to 128/);
    await studio.node("fc1").click();
    await page.keyboard.press("o");
    await studio.told(/fc1 is the output/);
    await page.keyboard.press("ControlOrMeta+z");
    // The sum of what has 128 features and of what has 10.
    await studio.node("fc2").click();
    await studio.add("add");
    await studio.wire("relu", "add");
    await studio.says("add", /does not fit: .*128/);
    await studio.node("add").click();
    await studio.fixes.first().waitFor();
    const offered = await studio.fixes.allTextContents();
    assert.ok(
      offered.some((text) => text.includes("Linear(128, 10)") || text.includes("Linear(10, 128)")),
      offered.join(),
    );
    await studio.fixes.first().click();
    await eventually(async () => assert.doesNotMatch(await studio.sayingOf("add"), /does not fit/));
  });
});

test("a circle is refused in a sentence, and the network stays as it was", async () => {
  await inStudio(large, async (studio) => {
    const before = await studio.ids();
    await studio.wire("conv2", "conv1");
    await studio.problem.getByText("circle").waitFor();
    assert.deepEqual(await studio.ids(), before);
  });
});

test("a wire is drawn by keys to a node that is searched", async () => {
  await inStudio(large, async (studio, page) => {
    await studio.node("relu").focus();
    await page.keyboard.press("c");
    await studio.dialog.getByRole("option", { name: /conv2/ }).waitFor();
    await page.keyboard.type("conv2");
    await page.keyboard.press("Enter");
    await studio.told(/relu leads to conv2/);
  });
});

test("a node is moved and made another one by keys", async () => {
  await inStudio(large, async (studio, page) => {
    await studio.node("relu").focus();
    const before = await restingBox(studio.node("relu"));
    for (let steps = 0; steps < 3; steps++) await page.keyboard.press("Control+ArrowDown");
    await eventually(async () => {
      const { y } = await restingBox(studio.node("relu"));
      assert.ok(Math.abs(y - before.y - 60) < 3, `${y}, from ${before.y}`);
    });
    await page.keyboard.press("ControlOrMeta+z");
    await eventually(async () =>
      assert.ok(Math.abs((await restingBox(studio.node("relu"))).y - before.y) < 3),
    );
    await page.keyboard.press("r");
    await studio.dialog.waitFor();
    await page.keyboard.type("gelu");
    await page.keyboard.press("Enter");
    await studio.says("relu", /^relu, GELU, gives N, 6, 28, 28/i);
    await studio.says("pool1", /gives N, 6, 14, 14/);
  });
});

test("nodes become a block that repeats, is opened, and is taken apart", async () => {
  await inStudio(large, async (studio, page) => {
    await studio.node("fc2").click();
    await studio.set("out_features", "120");
    await studio.node("fc2").click();
    await page.keyboard.press("Shift+ArrowRight");
    await page.keyboard.press("b");
    await studio.says("block", /Block, gives N, 120/);
    await studio.form.getByLabel("repeat").fill("6");
    await studio.says("block", /6 times in a row, gives N, 120/);
    await studio.node("block").press("Enter");
    await studio.holds(["x", "fc2", "relu_4", "→0"]);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await studio.node("block").waitFor();
    await studio.form.getByLabel("repeat").fill("1");
    await studio.press("Take apart");
    await studio.node("fc2").waitFor();

    // A Sequential becomes a block, whose inside is drawn like any other.
    await studio.open("autoencoder");
    await studio.node("decoder").click();
    await studio.press("Draw its inside");
    await studio.holds(["x", "linear", "re_lu", "linear_2", "re_lu_2", "linear_3", "sigmoid", "→0"]);
    await studio.node("re_lu").click();
    await studio.press("Delete");
    await page.getByRole("navigation", { name: "Open blocks" }).getByText("Autoencoder").click();
    await studio.says("decoder", /Decoder/);
    await studio.tab("Python");
    assert.match(await studio.text(), /self\.decoder = Decoder\(\)/);
  });
});

test("copies are pasted with their wires, and a dragged node stays where it was put", async () => {
  await inStudio(large, async (studio, page) => {
    const before = await studio.drag("conv1", 60, 90);
    const after = await restingBox(studio.node("conv1"));
    assert.ok(Math.abs(after.x - before.x - 60) < 3 && Math.abs(after.y - before.y - 90) < 3);
    await page.keyboard.press("ControlOrMeta+c");
    await page.keyboard.press("ControlOrMeta+v");
    await studio.node("conv1_2").waitFor();
    await studio.says("conv1_2", /1 to 6 channels, gives N, 6, 28, 28/);
    await page.reload();
    await studio.ready();
    const kept = await restingBox(studio.node("conv1"));
    const x = await restingBox(studio.node("x"));
    assert.ok(kept.y - x.y > 60, "the place is kept");
  });
});

test("a network goes through a link as data, and one's own stays as it was", async () => {
  let link;
  await inStudio({ ...large }, async (studio, _, visit) => {
    await visit.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await studio.open("mlp");
    await studio.node("fc1").click();
    await studio.set("out_features", "77");
    link = new URL(await studio.copyLink()).hash;
  });
  await inStudio(
    large,
    async (studio, page) => {
      await studio.says("fc2", /77 to 10/);
      await page.getByText("A shared network.").first().waitFor();
      await page.getByRole("link", { name: "Back to your own" }).click();
      await studio.node("conv1").waitFor();
      await page.goBack();
      await studio.says("fc2", /77 to 10/);
      await page.getByRole("button", { name: "Keep this one in its place" }).click();
      await page.evaluate(() => location.assign("#/studio"));
      await studio.says("fc2", /77 to 10/);
    },
    link,
  );
});

test("a link that holds no network is a sentence and a way on", async () => {
  for (const [hash, sentence] of [
    ["#/studio/1/AAAAAAAAAA", "This link is damaged"],
    ["#/studio/9/AAAAAAAAAA", "This link has version 9"],
  ]) {
    await visiting(hash, {}, async (page) => {
      await page.getByText(sentence).waitFor();
      await page.getByRole("main").getByRole("link", { name: "Back to the start" }).waitFor();
    });
  }
});

test("Python and JSON follow the picture, and the picture follows them", async () => {
  await inStudio(large, async (studio, page) => {
    await studio.open("mlp");
    await studio.tab("Python");
    await eventually(async () => assert.match(await studio.text(), /nn\.Linear\(64, 128\)/));
    await studio.write((await studio.text()).replaceAll("128", "96"));
    await studio.says("fc2", /96 to 10/);
    await studio.tab("JSON");
    await eventually(async () => assert.match(await studio.text(), /"out_features": 96/));
    await studio.write((await studio.text()).replaceAll("96", "80"));
    await studio.says("fc2", /80 to 10/);
    await studio.write("{");
    await page.getByText("This is no JSON yet").first().waitFor();
    await studio.says("fc2", /80 to 10/);
    await studio.node("fc1").click();
    await studio.tab("Node");
    await studio.set("out_features", "72");
    await studio.tab("Python");
    await eventually(async () => assert.match(await studio.text(), /nn\.Linear\(64, 72\)/));
  });
});

test("every preset opens and is drawn without a fault", async () => {
  await inStudio(large, async (studio) => {
    const names = await studio.begin.locator("option").evaluateAll((all) => all.map(({ value }) => value));
    for (const name of names.filter((each) => each !== "" && each !== "?")) {
      await studio.open(name);
      await studio.told(/nodes?\.|Undone/);
      assert.doesNotMatch(await studio.totals.innerText(), /not fit/, name);
    }
  });
});

test("training is set, and its program opens as a cell that has not run", async () => {
  await inStudio(large, async (studio, page) => {
    await studio.open("resnet18");
    await studio.tab("Train");
    await studio.train.getByLabel("epochs").fill("2");
    await studio.train.getByRole("button", { name: "Open as a cell" }).click();
    await page.getByTestId("shared").waitFor();
    await page.getByText("Nothing has run yet").waitFor();
  });
});

describe("quiet and accessible", () => {
  for (const theme of ["dark", "light"]) {
    for (const size of [wide, narrow]) {
      test(`${theme}, ${size.width} wide`, async () => {
        await inStudio({ theme, size }, async (studio, page) => {
          assert.deepEqual(await violations(page), [], "the network");
          await studio.node("conv1").focus();
          assert.deepEqual(await violations(page), [], "a node");
          await page.keyboard.press("a");
          await studio.dialog.waitFor();
          assert.deepEqual(await violations(page), [], "what can be added");
          await page.keyboard.press("Escape");
          await page.keyboard.press("?");
          await page.getByRole("dialog").waitFor();
          assert.deepEqual(await violations(page), [], "the keys");
          await page.keyboard.press("Escape");
          for (const name of ["Python", "JSON", "Train"]) {
            await studio.tab(name);
            if (name !== "Train") await studio.text();
            assert.deepEqual(await violations(page), [], name);
          }
          await studio.open("");
          assert.deepEqual(await violations(page), [], "an empty network");
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(overflow <= 0, `the page scrolls sideways by ${overflow} px`);
        });
      });
    }
  }
});

test("on a phone a network is seen from top to bottom, and a node's form stands below", async () => {
  await inStudio({ size: phone, touch: true }, async (studio) => {
    const [first, second] = [await restingBox(studio.node("x")), await restingBox(studio.node("conv1"))];
    assert.ok(second.y > first.y + first.height);
    await studio.node("conv1").tap();
    const field = studio.form.getByLabel("out_channels");
    await field.fill("8");
    assert.ok((await restingBox(field)).height >= 44);
    await studio.says("conv2", /8 to 16 channels/);
  });
});

test("500 nodes: a drag keeps up with the screen", async () => {
  await inStudio(large, async (studio, page) => {
    await page.evaluate((net) => localStorage.setItem("glowgrad.studio", JSON.stringify(net)), chainOf(500));
    await page.reload();
    await studio.node("n2").waitFor();
    await page.evaluate(() => {
      window.frames60 = [];
      const note = (before) => (now) => {
        window.frames60.push(now - before);
        requestAnimationFrame(note(now));
      };
      requestAnimationFrame(note(performance.now()));
    });
    for (let turn = 0; turn < 8; turn++) await studio.drag("n2", turn % 2 === 0 ? 120 : -120, 0);
    const frames = await page.evaluate(() => window.frames60.sort((a, b) => a - b));
    const median = frames[frames.length >> 1];
    measured(
      `500 nodes dragged: ${median.toFixed(1)} ms a frame in the middle, ${frames.at(-1).toFixed(0)} ms at most`,
    );
    assert.ok(median < 34, `${median} ms a frame`);
  });
});

/** A chain with a way around every fifth node. */
function chainOf(count) {
  const nodes = [];
  for (let i = 0; i < count; i++) {
    const [id, source] = [`n${i}`, i === 0 ? "x" : `n${i - 1}`];
    if (i % 5 === 4) nodes.push({ id, type: "add", inputs: [source, `n${i - 4}`] });
    else if (i % 2 === 1) nodes.push({ id, type: "relu", inputs: [source] });
    else nodes.push({ id, type: "Linear", args: { in_features: 64, out_features: 64 }, inputs: [source] });
  }
  const head = { format: "glowgrad.architecture", version: 1, name: "Long" };
  return { ...head, inputs: [{ name: "x", shape: ["N", 64] }], nodes, outputs: [`n${count - 1}`] };
}
