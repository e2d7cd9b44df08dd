// `glow lab` in Chromium: the page with this computer's engine behind it, and without when it is gone.
//
// GLOW names the program, which the native tests built; the site is the one the other tests see.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { violations } from "./axe.mjs";
import { eventually, lessons, measured, narrow, open, patience, useBrowser, wide } from "./harness.mjs";
import { Cell, DeviceMenu, freeCell, Gone, pythonReady, restingBox, takeLesson } from "./parts.mjs";

const program = process.env.GLOW;
const skip = program ? false : "GLOW does not name the program: run `cargo lab test browser`";
if (skip) console.log(`skipped: ${skip}`);

useBrowser();

/**
 * Lessons with a graph, data and figures, and a GPU's shader. `glow lesson verify` runs all of them on the same engine,
 * and lessons.test.mjs in the page.
 */
const LESSONS = ["a-neuron-lights-up", "read-a-digit", "write-a-shader"];

/** `glow lab` on a port of its own. */
class Server {
  async start(port = 0) {
    const site = fileURLToPath(new URL("../../dist/", import.meta.url));
    const options = ["lab", "--no-open", "--port", String(port), "--site", site];
    this.process = spawn(program, options, { stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    for await (const piece of this.process.stdout) {
      said += piece;
      this.address = /http:\S+/.exec(said)?.[0];
      if (this.address && said.endsWith("stop it.\n")) break;
    }
    assert.ok(this.address, `glow lab said no address: ${said}`);
    this.site = this.address.split("#")[0];
    return this;
  }

  /** The processes of its sessions. */
  sessions() {
    const listed = execFileSync("pgrep", ["-P", String(this.process.pid)], { encoding: "utf8" });
    return listed.split("\n").filter(Boolean).map(Number);
  }

  async stop() {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.kill();
    await ended;
  }
}

/** Opens the address that was printed, then a route; whatever goes wrong fails the test. */
async function visiting(server, route, options, body) {
  const visit = await open("", { ...options, site: server.address });
  try {
    await visit.page.evaluate((hash) => location.assign(hash), route);
    await body(visit.page, visit);
  } finally {
    await visit.finish();
  }
}

describe("glow lab", { skip }, () => {
  let server;
  before(async () => {
    server = await new Server().start();
  });
  after(() => server?.stop());

  test("takes the token out of the address, keeps it over a reload, and registers no worker", async () => {
    await visiting(server, "#/play", { offline: true }, async (page) => {
      const cell = freeCell(page);
      await cell.write("print(6 * 7)");
      assert.equal(await cell.run(), "ok", await cell.output());
      assert.equal(page.url(), `${server.site}#/play`);
      await new DeviceMenu(page).says(/^this computer · cpu \(/);
      await page.reload();
      await cell.write("print(6 * 8)");
      assert.equal(await cell.run(), "ok", await cell.output());
      await new DeviceMenu(page).says(/^this computer/);
      const registered = await page.evaluate(
        async () => (await navigator.serviceWorker.getRegistrations()).length,
      );
      assert.equal(registered, 0);
    });
  });

  test("a link from elsewhere opens the page with the browser's own engine", async () => {
    for (const route of ["#/play", `#token=${"0".repeat(31)}`]) {
      const visit = await open(route, { site: server.site });
      await visit.page.evaluate(() => location.assign("#/play"));
      const cell = freeCell(visit.page);
      await cell.write("print(6 * 7)");
      assert.equal(await cell.run(), "ok", await cell.output());
      await new DeviceMenu(visit.page).says(/^this browser · cpu \(wasm/);
      await visit.finish();
    }
  });

  test("the landing page draws what this computer computed, and loads no engine for it", async () => {
    await visiting(server, "#/", {}, async (page, visit) => {
      await page.locator("[data-node]").first().waitFor();
      const modules = visit.received.map(({ url }) => url).filter((url) => url.endsWith(".wasm"));
      assert.deepEqual(modules, []);
    });
  });

  test("numbers that JSON does not have arrive as they are", async () => {
    await visiting(server, "#/play", {}, async (page) => {
      const cell = freeCell(page);
      await cell.write(
        "import glowgrad as torch\nx = torch.tensor([1.0, 0.0, -1.0], requires_grad=True)\ny = (x / 0).sum()\ny.backward()\nprint(y)",
      );
      assert.equal(await cell.run(), "ok", await cell.output());
      assert.match(await cell.output(), /tensor\(nan/);
      await cell.root
        .getByText(/^First (NaN|Inf)/)
        .first()
        .waitFor();
    });
  });

  test("Stop: KeyboardInterrupt, and the variables are kept", async () => {
    await visiting(server, "#/play", {}, async (page) => {
      const cell = freeCell(page);
      await cell.write("kept = 41");
      assert.equal(await cell.run(), "ok", await cell.output());
      for (const loop of ["while True: pass", "n = 0\nwhile True:\n    n += 1\n    print(n)"]) {
        await cell.write(loop);
        await cell.start();
        await cell.running();
        await page.waitForTimeout(200);
        const began = performance.now();
        await cell.stop();
        assert.equal(await cell.result(), "error");
        measured(`Stop on this computer: ${(performance.now() - began).toFixed(0)} ms`);
        assert.match(await cell.output(), /Stopped\. Your variables are kept\./);
      }
      await cell.write("print(kept + 1)");
      assert.equal(await cell.run(), "ok", await cell.output());
      assert.equal((await cell.output()).trim(), "42");
    });
  });

  test("a session that is killed: the page says how it ended and begins another; another tab keeps its variables", async () => {
    await visiting(server, "#/play", {}, async (page) => {
      const other = freeCell(page);
      await other.write("kept = 41");
      assert.equal(await other.run(), "ok", await other.output());
      const others = server.sessions();
      const [{ slug, names }] = lessons()
        .map(({ slug, blocks }) => ({
          slug,
          names: blocks.filter(({ type }) => type === "cell").map(({ id }) => id),
        }))
        .filter(({ names }) => names.length > 1);
      await visiting(server, `#/lesson/${slug}`, {}, async (page) => {
        const [first, cell] = names.map((name) => new Cell(page, name));
        await first.write("kept = 1");
        assert.equal(await first.run(), "ok", await first.output());
        const mine = "print('mine')\nwhile True: pass";
        await cell.write(mine);
        await cell.start();
        await cell.running();
        const own = server.sessions().filter((id) => !others.includes(id));
        assert.ok(own.length > 0);
        for (const id of own) process.kill(id, "SIGKILL");
        await cell.ended();
        assert.match(
          await cell.output(),
          /ended by SIGKILL.*Its variables are gone\. Run these again: cell-1\./,
        );
        await cell.holds(mine);
        assert.deepEqual(await violations(page), []);
        await cell.write("print('kept' in globals())");
        assert.equal(await cell.run(), "ok", await cell.output());
        assert.equal((await cell.printedText()).trim(), "False");
        await page.getByTestId("lost").getByRole("button", { name: "Run cell-1 again" }).click();
        await page.getByTestId("lost").waitFor({ state: "detached" });
        assert.equal(await cell.run(), "ok", await cell.output());
        assert.equal((await cell.printedText()).trim(), "True");
        await new DeviceMenu(page).says(/^this computer/);
      });
      await other.write("print(kept + 1)");
      assert.equal(await other.run(), "ok", await other.output());
      assert.equal((await other.printedText()).trim(), "42");
    });
  });

  test("what the menu names computes: a cell trains there, and on the CPU again", async (t) => {
    const fit = `import glowgrad as torch
torch.manual_seed(0)
x = torch.randn(32, 4)
y = x @ torch.tensor([[1.0], [-2.0], [0.5], [3.0]])
w = torch.zeros(4, 1, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for step in range(60):
    optimizer.zero_grad()
    loss = ((x @ w - y) ** 2).mean()
    loss.backward()
    optimizer.step()
print(w.grad.device, [round(number, 2) for number in w.flatten().tolist()])`;
    await visiting(server, "#/play", {}, async (page) => {
      const [cell, menu] = [freeCell(page), new DeviceMenu(page)];
      const fits = async (device) => {
        assert.equal(await cell.run(), "ok", await cell.output());
        assert.equal((await cell.printedText()).trim(), `${device} [1.0, -2.0, 0.5, 3.0]`);
      };
      await cell.write(fit);
      await fits("cpu");
      if (!(await menu.offers("wgpu"))) {
        const reason = "this computer has no wgpu to choose";
        console.log(`skipped: ${reason}`);
        t.skip(reason);
        return;
      }
      await menu.choose("wgpu");
      await fits("wgpu:0");
      await menu.choose("cpu");
      await fits("cpu");
    });
  });

  for (const { slug, blocks } of lessons().filter(({ slug }) => LESSONS.includes(slug))) {
    test(`lesson ${slug}: every cell runs, every start fails, every solution passes`, async () => {
      await visiting(server, `#/lesson/${slug}`, {}, async (page) => {
        const began = performance.now();
        await takeLesson(page, blocks);
        await new DeviceMenu(page).says(/^this computer/);
        measured(`lesson ${slug} on this computer in ${((performance.now() - began) / 1000).toFixed(1)} s`);
      });
    });
  }
});

test("when its server ends, the page says so, keeps what was written and goes on", { skip }, async () => {
  const lesson = lessons().find(({ slug }) => slug === "buffer");
  const [block] = lesson.blocks.filter(({ type }) => type === "cell");
  const server = await new Server().start();
  const visit = await open("", { site: server.address });
  const { page } = visit;
  try {
    await page.evaluate((hash) => location.assign(hash), `#/lesson/${lesson.slug}`);
    const cell = new Cell(page, block.id);
    assert.equal(await cell.run(), "ok", await cell.output());
    await pythonReady(page);
    // Meanwhile the browser keeps the files of its own engine.
    await keptOwnEngine(visit);
    const mine = `${block.source.trimEnd()}\nprint("mine")\nwhile True: pass`;
    await cell.write(mine);
    await cell.start();
    await cell.running();
    visit.expect(/WebSocket|ERR_CONNECTION_(REFUSED|RESET)/);
    await server.stop();
    await cell.ended();
    assert.match(await cell.output(), /its variables are gone/i);
    const gone = new Gone(page);
    await gone.root.getByText("This computer’s engine is gone").waitFor();
    assert.deepEqual(await violations(page), []);
    await cell.holds(mine);

    await gone.goOn();
    await pythonReady(page);
    await gone.root.waitFor({ state: "detached" });
    await new DeviceMenu(page).says(/^this browser · cpu \(wasm/);
    await cell.write(block.source);
    assert.equal(await cell.run(), "ok", await cell.output());
  } finally {
    await server.stop();
    await visit.finish();
  }
});

/** Waits until the browser has both modules of its own engine, and the workers that asked have ended. */
async function keptOwnEngine({ page, received }) {
  const modules = () => new Set(received.map(({ url }) => url).filter((url) => url.endsWith(".wasm")));
  const until = performance.now() + patience;
  while (modules().size < 2 || page.workers().length > 0) {
    assert.ok(performance.now() < until, `it asked for ${[...modules()].join(", ") || "no module"}`);
    await page.waitForTimeout(100);
  }
}

const devices = [
  { name: "cpu", label: "cpu (avx2)", note: null },
  { name: "wgpu", label: "wgpu (llvmpipe)", note: "A program on the processor: slower than cpu" },
];

describe("the menu of devices", { skip }, () => {
  let server;
  before(async () => {
    server = await new Server().start();
  });
  after(() => server?.stop());

  for (const theme of ["dark", "light"]) {
    for (const size of [wide, narrow]) {
      test(`${theme}, ${size.width} wide: by keyboard, and accessible`, async () => {
        const visit = await open("#/play", { theme, size, site: server.site });
        const { page } = visit;
        try {
          await haveTwoDevices(page);
          // Pasted over an address without a token, the one that was printed begins the page anew.
          await page.goto(server.address);
          await page.waitForURL(server.site);
          await page.evaluate(() => location.assign("#/play"));
          const cell = freeCell(page);
          await cell.write("print(6 * 7)");
          assert.equal(await cell.run(), "ok", await cell.output());

          const menu = new DeviceMenu(page);
          await menu.button.focus();
          await page.keyboard.press("Enter");
          await menu.items.first().waitFor();
          assert.deepEqual(await violations(page), []);
          const items = devices.map(({ label, note }) => (note ? `${label}\n${note}` : label));
          assert.deepEqual(await menu.items.allInnerTexts(), items);
          const box = await restingBox(menu.menu);
          assert.ok(box.x >= 0 && box.x + box.width <= size.width, `the menu stands at ${box.x}`);
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(overflow <= 0, `the page scrolls sideways by ${overflow} px`);

          await page.keyboard.press("ArrowDown");
          await page.keyboard.press("Enter");
          await menu.chosen("wgpu");
          const focused = () => menu.button.evaluate((element) => element === document.activeElement);
          await eventually(async () => assert.ok(await focused(), "the focus is back on the button"));
          await page.keyboard.press("Enter");
          await menu.items.first().waitFor();
          await page.keyboard.press("Escape");
          await menu.menu.waitFor({ state: "detached" });
        } finally {
          await visit.finish();
        }
      });
    }
  }
});

/** Has sessions name two devices, whatever this computer has. */
async function haveTwoDevices(page) {
  await page.routeWebSocket(/\/session/, (socket) => {
    const server = socket.connectToServer();
    const name = (current) => socket.send(Buffer.from(cbor({ type: "devices", devices, current })));
    server.onMessage((message) => {
      if (message.includes("devices")) name("cpu");
      else socket.send(message);
    });
    socket.onMessage((message) => {
      const { type, id, device } = JSON.parse(message);
      if (type !== "setDevice") return server.send(message);
      name(device);
      socket.send(Buffer.from(cbor({ type: "done", id, ok: true, millis: 1, memory: {} })));
    });
  });
}

/** Short texts, small numbers, and lists and maps of few. */
function cbor(value) {
  if (value === null) return [0xf6];
  if (value === true) return [0xf5];
  if (typeof value === "number") return [value];
  if (typeof value === "string") return [0x78, value.length, ...Buffer.from(value)];
  if (Array.isArray(value)) return [0x80 + value.length, ...value.flatMap(cbor)];
  const entries = Object.entries(value);
  return [0xa0 + entries.length, ...entries.flatMap(([key, each]) => [...cbor(key), ...cbor(each)])];
}
