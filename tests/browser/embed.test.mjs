// glowgrad in other people's pages: the npm package in a plain page, a cell in an iframe, a lesson on a learning platform.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { strFromU8, unzipSync } from "fflate";
import { violations } from "./axe.mjs";
import { Host } from "./embedding.mjs";
import { eventually, lessons, narrow, useBrowser, visiting } from "./harness.mjs";
import { freeCell } from "./parts.mjs";

useBrowser();
const host = new Host();
before(() => host.start());
after(() => host.stop());

const code = `import glowgrad as torch

w = torch.tensor([0.5, -0.25], requires_grad=True)
loss = (w * torch.tensor([2.0, 4.0])).tanh().sum()
loss.backward()
print(w.grad)`;
const indented = code.replace(/^(?=.)/gm, "      ");
const grads = "tensor([0.8399, 1.6799])";
const printed = async (place) => (await place.getByRole("log").innerText()).trim();

/** A style that reaches wherever a page's can. */
const style = `
  * { letter-spacing: 3px; font-family: cursive; }
  button, pre { background: crimson !important; color: white !important; text-transform: uppercase; }
`;
/** A page that allows what docs/embed.md says that it must, and sends no headers. */
const page = () => `<!doctype html>
<html lang="en"><head><meta charset="utf-8" /><title>A post</title><link rel="icon" href="data:," />
<meta name="viewport" content="width=device-width" />
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'self';
  style-src-attr 'unsafe-inline'; script-src ${new URL(host.elsewhere).origin} 'wasm-unsafe-eval';
  connect-src ${new URL(host.elsewhere).origin}; font-src ${new URL(host.elsewhere).origin}; worker-src blob: ${new URL(host.elsewhere).origin}" />
<link rel="stylesheet" href="style.css" />
<script type="module" src="${host.elsewhere}glowgrad/glowgrad.js"></script></head>
<body><main><h1>A post</h1>
<button id="own">Own button</button>
<glow-cell id="first"><script type="text/plain">
${indented}
</script></glow-cell>
<glow-cell id="second" label="shapes" graph="none" code="print(w.shape)&#10;w.nothing"></glow-cell>
<div style="height: 3000px"></div>
<glow-graph id="graph" label="A network"><script type="text/plain">
${indented}
</script></glow-graph>
</main></body></html>`;

test("a plain page has cells and graphs by the package's files of another host, and its own look", async () => {
  host.pages.set("index.html", page());
  host.pages.set("style.css", style);
  host.asked.length = 0;
  await visiting("", { site: host.address, theme: "light", size: narrow }, async (page) => {
    const first = page.locator("#first");
    await first.getByRole("button", { name: "Run cell 1" }).waitFor();
    const heavy = () => host.asked.filter((path) => /worker|\.wasm|library/.test(path));
    assert.deepEqual(heavy(), [], "something that runs Python came before anything was run");

    // By keyboard alone: into the code, and run.
    await first.getByRole("textbox").focus();
    await page.keyboard.press("Shift+Enter");
    await eventually(async () => assert.equal(await printed(first), grads));
    await first.locator("[data-node]").first().waitFor();
    await first.getByRole("slider").waitFor();

    // The cells of a page share variables; an error stands under its line, and the page hears of it.
    await page.evaluate(() => {
      globalThis.heard = [];
      document.addEventListener("glow-result", ({ target, detail }) =>
        globalThis.heard.push([target.id, detail.ok, detail.text, detail.error?.line]),
      );
    });
    const second = page.locator("#second");
    await second.getByRole("button", { name: "Run shapes" }).click();
    await eventually(async () =>
      assert.match(await second.locator(".line-error").innerText(), /AttributeError/),
    );
    assert.deepEqual(await page.evaluate(() => globalThis.heard), [
      ["second", false, "torch.Size([2])\n", 2],
    ]);
    assert.equal(await page.locator("#graph [data-node]").count(), 0, "a graph ran before it was seen");

    // Nothing of the page reaches in, and nothing leaks out.
    const looks = await page.evaluate(() => {
      const style = (element) => getComputedStyle(element);
      const inner = document.querySelector("#first").shadowRoot.querySelector("button.primary");
      const { backgroundColor, letterSpacing, textTransform } = style(inner);
      const own = style(document.querySelector("#own")).backgroundColor;
      return { own, backgroundColor, letterSpacing, textTransform, sheets: document.styleSheets.length };
    });
    assert.deepEqual(looks, {
      own: "rgb(220, 20, 60)",
      backgroundColor: "rgb(27, 31, 36)",
      letterSpacing: "normal",
      textTransform: "none",
      sheets: 1,
    });

    // A graph runs when it is seen, and is scrubbed by keys.
    const graph = page.locator("#graph");
    await graph.scrollIntoViewIfNeeded();
    await graph.locator("[data-node]").first().waitFor();
    const slider = graph.getByRole("slider");
    await slider.focus();
    await page.keyboard.press("Home");
    await eventually(async () => assert.equal(await slider.getAttribute("aria-valuenow"), "0"));
    await page.keyboard.press("ArrowRight");
    await eventually(async () => assert.equal(await slider.getAttribute("aria-valuenow"), "1"));
    assert.deepEqual(await violations(page), []);

    // Python for the page's own code.
    const said = await page.evaluate(async (address) => {
      const { run, graph, createSession } = await import(address);
      const told = {};
      const short = ({ ok, text, value, error }) => ({ ok, text, value, kind: error?.kind });
      const values = "[torch.ones(2, 2), float('nan'), {'a': 1}]";
      told.value = short(await run("import glowgrad as torch\nprint('hi')", { value: values }));
      told.forgotten = short(await run("torch"));
      const stop = new AbortController();
      const looping = run("print('on')\nwhile True: pass", {
        signal: stop.signal,
        onText: () => stop.abort(),
      });
      told.stopped = short(await looping);
      const session = createSession();
      await session.run("a = 41\ndef twice(x): return x * 2");
      told.kept = short(await session.run("a + 1", { value: "a" }));
      told.called = await session.call("twice", [1, 2], [2]);
      session.dispose();
      told.ended = await session.run("1").catch((error) => error.message);
      told.none = await graph("1").catch((error) => error.message);
      const source = document.querySelector("#graph");
      told.nodes = (await graph(source, { into: source.parentElement })).nodes.length;
      return told;
    }, `${host.elsewhere}glowgrad/glowgrad.js`);
    assert.deepEqual(said.value, {
      ok: true,
      text: "hi\n",
      value: [
        [
          [1, 1],
          [1, 1],
        ],
        null,
        { a: 1 },
      ],
      kind: undefined,
    });
    assert.equal(said.forgotten.kind, "NameError");
    assert.deepEqual(said.stopped, { ok: false, text: "on\n", value: undefined, kind: "KeyboardInterrupt" });
    assert.deepEqual(said.kept, { ok: true, text: "42\n", value: 41, kind: undefined });
    assert.deepEqual(said.called, [2, 4]);
    assert.match(said.ended, /ended by dispose/);
    assert.match(said.none, /call backward\(\)/);
    assert.equal(said.nodes, 5);

    // What `anywidget` calls in Jupyter and marimo.
    const traits = await page.evaluate(async (address) => {
      const { default: widget } = await import(address);
      const all = { kind: "cell", code: "print(6 * 7)", theme: "dark" };
      const listeners = new Map();
      const model = {
        get: (name) => all[name],
        set: (name, value) => (all[name] = value),
        on: (name, listener) => listeners.set(name, listener),
        off: (name) => listeners.delete(name),
        save_changes: () => (all.saved = (all.saved ?? 0) + 1),
      };
      const el = document.querySelector("main").appendChild(document.createElement("div"));
      const end = widget.render({ model, el });
      await el.firstElementChild.run();
      all.code = "changed";
      listeners.get("change:code")();
      const shown = el.firstElementChild.code;
      end();
      return { text: all.result.text, ok: all.result.ok, saved: all.saved, shown, left: listeners.size };
    }, `${host.elsewhere}glowgrad/anywidget.js`);
    assert.deepEqual(traits, { text: "42\n", ok: true, saved: 1, shown: "changed", left: 0 });
    await page.locator("main > glow-graph").nth(1).locator("[data-node]").first().waitFor();
    await page.evaluate(
      async (address) => (await import(address)).dispose(),
      `${host.elsewhere}glowgrad/glowgrad.js`,
    );
    await eventually(async () => {
      const names = await Promise.all(
        page.workers().map((worker) => worker.evaluate(() => self.name).catch(() => "")),
      );
      assert.deepEqual(
        names.filter((name) => name.includes("python") || name.includes("layout")),
        [],
      );
    });
  });
});

test("a cell in a frame is run and heard by the page around it alone, at the height that it needs", async () => {
  let link = "";
  await visiting("#/play", {}, async (page, visit) => {
    await visit.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const cell = freeCell(page);
    await cell.write(code);
    link = (await cell.copyLink()).replace("#/shared/", "#/embed/");
  });
  const frame = `${link}?theme=light&origin=${encodeURIComponent(host.address)}`;
  const around = `<!doctype html><html lang="en"><head><meta charset="utf-8" /><title>Around</title>
<link rel="icon" href="data:," /></head><body><main><h1>Around</h1><iframe title="A cell" style="width: 600px; height: 100px"></iframe></main><script>
  const [frame] = document.querySelectorAll("iframe");
  globalThis.heard = [];
  addEventListener("message", ({ data, source }) => {
    if (source !== frame.contentWindow || data?.source !== "glowgrad") return;
    globalThis.heard.push(data);
    if (data.type === "height") frame.style.height = data.height + "px";
  });
  globalThis.say = (message) => frame.contentWindow.postMessage({ target: "glowgrad", ...message }, "*");
  frame.src = ${JSON.stringify(frame)};
</script></body></html>`;
  host.pages.set("around.html", around);
  await visiting("around.html", { site: host.address }, async (page) => {
    const heard = async (type) => {
      const all = await page.evaluate(() => globalThis.heard);
      return all.filter((message) => message.type === type);
    };
    await eventually(async () => assert.equal((await heard("ready")).length, 1));
    assert.deepEqual(await heard("ready"), [{ source: "glowgrad", type: "ready", protocol: 1 }]);
    const cell = page.frameLocator("iframe");
    await cell.getByRole("button", { name: "Run shared" }).waitFor();
    assert.equal(await cell.locator("header, nav").count(), 0);
    assert.deepEqual(await heard("result"), [], "something ran by itself");
    await page.evaluate(() => globalThis.say({ type: "dance" }));
    await eventually(async () => assert.match((await heard("refused"))[0]?.problem ?? "", /"dance" came/));
    await page.evaluate(
      (text) => globalThis.say({ type: "run", id: 7, code: text }),
      `${code}\nprint("again")`,
    );
    await eventually(async () => assert.equal((await heard("result")).length, 1));
    const [{ id, result }] = await heard("result");
    assert.deepEqual([id, result.ok, result.text], [7, true, `${grads}\nagain\n`]);
    await cell.locator("[data-node]").first().waitFor();
    await eventually(async () => {
      const [inside, outside] = [
        await cell.getByTestId("embed").evaluate((element) => element.getBoundingClientRect().height),
        await page.locator("iframe").evaluate((element) => element.clientHeight),
      ];
      assert.ok(inside > 400 && Math.abs(inside - outside) <= 1, `${inside} px in ${outside} px`);
    });
    assert.deepEqual(await violations(page.frames().at(-1)), []);
  });
  // A page that the address does not name is told nothing, and runs nothing.
  host.pages.set("other.html", around);
  await visiting("other.html", { site: host.elsewhere }, async (page) => {
    const cell = page.frameLocator("iframe");
    await cell.getByRole("button", { name: "Run shared" }).waitFor();
    await page.evaluate(() => globalThis.say({ type: "run", id: 1 }));
    await cell.getByRole("button", { name: "Run shared" }).click();
    await eventually(async () => assert.equal(await printed(cell), grads));
    assert.deepEqual(await page.evaluate(() => globalThis.heard), []);
  });
});

test("a lesson on a learning platform reports its score, is completed, and goes on where it was left", async () => {
  const lesson = lessons().find(({ slug }) => slug === "buffer");
  const of = (type) => lesson.blocks.filter((block) => block.type === type);
  let zip;
  await visiting("#/course", {}, async (page) => {
    await page.getByRole("combobox", { name: "Lesson" }).selectOption(lesson.slug);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download the package" }).press("Enter");
    const file = await (await download).path();
    zip = unzipSync(readFileSync(file));
    assert.deepEqual(await violations(page), []);
  });
  const manifest = strFromU8(zip["imsmanifest.xml"]);
  const listed = [...manifest.matchAll(/<file href="([^"]+)"/g)].map(([, path]) => path);
  assert.deepEqual([...listed, "imsmanifest.xml"].sort(), Object.keys(zip).sort());
  const [, entry] = /adlcp:scormtype="sco" href="([^"]+)"/.exec(manifest);
  for (const [path, bytes] of Object.entries(zip)) host.pages.set(`course/${path}`, Buffer.from(bytes));
  // The platform's side, as SCORM 1.2 has it: an object `API` in a frame around the lesson.
  host.pages.set(
    "platform.html",
    `<!doctype html><html lang="en"><head><meta charset="utf-8" /><title>Platform</title><link rel="icon" href="data:," />
<script>
  const kept = JSON.parse(sessionStorage.getItem("kept") ?? '{"cmi.core.lesson_status":"not attempted"}');
  const calls = [];
  let open = false;
  const answer = (name, is) => { calls.push(name); return String(is); };
  globalThis.API = {
    LMSInitialize: (text) => answer("LMSInitialize", text === "" && !open && (open = true)),
    LMSFinish: (text) => { const was = open; open = false; return answer("LMSFinish", text === "" && was); },
    LMSGetValue: (name) => (open ? kept[name] ?? "" : ""),
    LMSSetValue: (name, value) => {
      if (!open || typeof value !== "string") return "false";
      kept[name] = value;
      return "true";
    },
    LMSCommit: (text) => {
      sessionStorage.setItem("kept", JSON.stringify(kept));
      return answer("LMSCommit", text === "" && open);
    },
    LMSGetLastError: () => "0", LMSGetErrorString: () => "", LMSGetDiagnostic: () => "",
  };
  globalThis.platform = { kept, calls };
</script></head><body><iframe title="The lesson" style="width: 1200px; height: 740px" src="course/${entry}"></iframe></body></html>`,
  );
  await visiting("platform.html", { site: host.address }, async (page) => {
    const kept = (name) => page.evaluate((key) => globalThis.platform.kept[`cmi.${key}`], name);
    const inside = page.frameLocator("iframe");
    await inside.getByText("How far you are goes to the learning platform.").waitFor();
    assert.equal(await kept("core.lesson_status"), "incomplete");
    assert.equal(await kept("core.score.raw"), "0");
    const [cell] = of("cell");
    await inside
      .locator(`[data-testid="cell"][data-cell="${cell.id}"]`)
      .getByRole("button", { name: `Run ${cell.id}` })
      .click();
    await inside.locator(`[data-testid="cell"][data-cell="${cell.id}"][data-result="ok"]`).waitFor();
    await eventually(async () => assert.match(await kept("suspend_data"), new RegExp(`"${cell.id}"`)));
    const [quiz] = of("quiz");
    const right = quiz.options.findIndex(({ correct }) => correct);
    await inside.locator(`[id="${quiz.id}"]`).getByRole("radio").nth(right).check();
    const score = Math.round(100 / (4 * of("exercise").length + of("quiz").length));
    await eventually(async () => assert.equal(await kept("core.score.raw"), String(score)));
    assert.equal(await kept("core.lesson_location"), quiz.id);

    const ended = await page.evaluate(async () => {
      const frame = document.querySelector("iframe");
      const gone = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
      frame.src = "about:blank";
      await gone;
      return [globalThis.platform.kept, globalThis.platform.calls];
    });
    assert.match(ended[0]["cmi.core.session_time"], /^\d{4}:\d\d:\d\d$/);
    assert.equal(ended[0]["cmi.core.exit"], "suspend");
    assert.deepEqual(ended[1].slice(-2), ["LMSCommit", "LMSFinish"]);

    // All the rest was done on another computer: the platform brings it back, and the lesson is completed.
    const rightOf = ({ options }) => options.findIndex(({ correct }) => correct);
    const answers = Object.fromEntries(of("quiz").map((block) => [block.id, rightOf(block)]));
    const ids = (type) => of(type).map(({ id }) => id);
    const rest = JSON.stringify([1, ids("cell"), ids("exercise"), answers, [], []]);
    await page.evaluate(
      ([address, done]) => {
        globalThis.platform.kept["cmi.suspend_data"] = done;
        document.querySelector("iframe").src = address;
      },
      [`course/${entry}`, rest],
    );
    await eventually(async () => assert.equal(await kept("core.lesson_status"), "completed"));
    assert.equal(await kept("core.score.raw"), "100");
  });
});
