// A network from a sentence: by the page's own grammar, and by a language model that a stand-in plays.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./axe.mjs";
import { eventually, narrow, useBrowser, visiting } from "./harness.mjs";
import { ModelServer } from "./modelServer.mjs";
import { StudioPage } from "./studioParts.mjs";

useBrowser();
const server = new ModelServer();
before(() => server.start());
after(() => server.stop());

const KEY = "sk-test-0123456789abcdef";
const large = { width: 1440, height: 900 };

/** Opens the studio and waits until there is a network. */
async function inStudio(options, body) {
  await visiting("#/studio", { size: large, ...options }, async (page, visit) => {
    const studio = new StudioPage(page);
    await studio.ready();
    await body(new Describing(page, studio), studio, page, visit);
  });
}

/** The field for sentences, and the form that asks a model. */
class Describing {
  constructor(page, studio) {
    this.page = page;
    this.studio = studio;
    this.field = page.getByLabel("Describe", { exact: true });
    this.told = page.getByTestId("studio-told");
    this.form = page.getByTestId("studio-ask");
  }

  async say(sentence) {
    await this.field.fill(sentence);
    await this.field.press("Enter");
  }

  async openModels() {
    await this.page.getByRole("button", { name: "Ask a language model" }).click();
    await this.form.waitFor();
  }

  get ask() {
    return this.form.getByRole("button", { name: "Ask the model" });
  }

  /** Asks a model, and waits until that has come to something. */
  async model(name) {
    await this.form.getByLabel("Model", { exact: true }).fill(name);
    await this.ask.click();
    await this.ask.waitFor();
  }

  /** Asks a model whose answer is not drawn, and waits for why. */
  async refused(name, pattern) {
    const before = await this.studio.ids();
    await this.model(name);
    await eventually(async () => assert.match(await this.form.getByRole("alert").innerText(), pattern, name));
    assert.deepEqual(await this.studio.ids(), before, `${name}: the network stays`);
  }
}

/** Everything of the page in which a key could be found. */
async function traces(page) {
  return await page.evaluate(() => {
    const stored = (store) => JSON.stringify(Object.entries(store));
    return [
      document.documentElement.outerHTML,
      location.href,
      stored(localStorage),
      stored(sessionStorage),
    ].join("\n");
  });
}

for (const theme of ["dark", "light"]) {
  for (const size of [large, narrow]) {
    test(`a sentence is drawn and told, ${theme}, ${size.width} wide`, async () => {
      await inStudio({ theme, size }, async (describing, studio, page) => {
        await describing.say("CNN for MNIST with 2 conv layers, dropout 0.3, and a flurb");
        await studio.told(/Understood:/);
        await eventually(async () => {
          const told = await describing.told.innerText();
          assert.match(told, /^CNN: the kind of network/m);
          assert.match(told, /dropout 0\.3: dropout: 0\.3/);
          assert.match(told, /assumed: /);
          assert.match(told, /not understood: flurb/);
        });
        assert.match(await studio.totals.innerText(), /gives\s*N, 10/);
        const drawn = await studio.ids();
        assert.deepEqual(await violations(page), [], "a sentence");

        await describing.say("banana soup");
        await studio.told(/No network that can be drawn is named/);
        assert.match(await describing.told.innerText(), /not understood: banana/);
        assert.doesNotMatch(await describing.told.innerText(), /assumed: No network/);
        assert.deepEqual(await studio.ids(), drawn, "nonsense draws nothing");

        await describing.say("MLP with dropout 0.3 and no dropout");
        await eventually(async () =>
          assert.match(await describing.told.innerText(), /contradict each other about dropout/),
        );
        await studio.press("Undo");
        await studio.holds(drawn);

        await describing.openModels();
        assert.match(
          await describing.form.innerText(),
          /are sent to http:\/\/localhost:11434\/v1\/chat\/completions/,
        );
        assert.deepEqual(await violations(page), [], "the form that asks a model");
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(overflow <= 0, `the page scrolls sideways by ${overflow} px`);
      });
    });
  }
}

test("a model's network is drawn as one step, from either form of service, and by keys alone", async () => {
  await inStudio({}, async (describing, studio, page) => {
    const before = await studio.ids();
    const begun = server.requests.length;
    await describing.field.fill("three flowers from eight numbers");
    // From the field by Tab: Draw it, and the button that opens the form.
    for (let tabs = 0; tabs < 2; tabs++) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await describing.form.waitFor();
    assert.equal(await describing.ask.isDisabled(), true);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.type(server.address);
    await page.keyboard.press("Tab");
    await page.keyboard.type("right");
    await page.keyboard.press("Enter");
    await studio.holds(["x", "first", "second", "→0"]);
    await studio.press("Undo");
    await studio.holds(before);

    await describing.form.getByLabel("Service").selectOption("anthropic");
    await describing.form.getByLabel("Address", { exact: true }).fill(server.address);
    await describing.form.getByLabel("Key", { exact: true }).fill(KEY);
    await describing.model("mended");
    await studio.holds(["x", "first", "second", "→0"]);
    await describing.form.getByText(/The first answer was mended: second: .*17/).waitFor();

    const [first, second, third] = server.requests.slice(begun);
    assert.equal(first.url, "/v1/chat/completions");
    assert.equal(first.headers.authorization, undefined);
    assert.equal(first.headers.referer, undefined);
    assert.deepEqual(first.asked.messages[1], { role: "user", content: "three flowers from eight numbers" });
    assert.match(first.asked.messages[0].content, /Conv2d\(in_channels, out_channels, kernel_size\)/);
    assert.deepEqual([second.url, second.headers["x-api-key"]], ["/v1/messages", KEY]);
    assert.match(third.asked.messages[2].content, /- second: /);
  });
});

test("a key is nowhere but in requests, until it is to be kept", async () => {
  await inStudio({}, async (describing, studio, page, visit) => {
    const logged = [];
    page.on("console", (message) => logged.push(message.text()));
    visit.expect(/status of (401|429|500)|response: (401|429|500)/);
    await describing.field.fill("anything");
    await describing.openModels();
    await describing.form.getByLabel("Address", { exact: true }).fill(server.address);
    await describing.form.getByLabel("Key", { exact: true }).fill(KEY);
    await describing.refused("refused", /does not accept the key \(401\)\. It says: “No: \(the key\)/);
    await describing.refused("busy", /asks you to wait.*\(429\)/);
    await describing.refused("broken", /failed; try again later \(500\)/);
    await describing.refused("elsewhere", /sends requests on to another address/);
    assert.ok(!server.requests.some(({ url }) => url === "/taken"), "the redirect is not followed");
    // The server puts the key into its answer: what is drawn does not have it.
    await describing.model("echo");
    await studio.holds(["x", "first", "second", "→0"]);
    await visit.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const link = await studio.copyLink();
    for (const tab of ["Python", "JSON"]) {
      await studio.tab(tab);
      assert.ok(!(await studio.text()).includes(KEY), tab);
    }
    assert.ok(![await traces(page), link, ...logged].some((text) => text.includes(KEY)));

    const keep = describing.form.getByRole("checkbox", { name: /Keep address/ });
    await keep.check();
    await describing.form.getByText("Every person with access to this browser can read the key.").waitFor();
    await page.reload();
    await studio.ready();
    await describing.openModels();
    assert.equal(await describing.form.getByLabel("Key", { exact: true }).inputValue(), KEY);
    await describing.form.getByRole("button", { name: "Forget them" }).click();
    await eventually(async () => assert.ok(!(await traces(page)).includes(KEY)));
    await page.reload();
    await studio.ready();
    await describing.openModels();
    assert.equal(await describing.form.getByLabel("Key", { exact: true }).inputValue(), "");
  });
});

test("answers that are slow, wrong or malicious draw nothing and harm nothing", async () => {
  await inStudio({}, async (describing, studio, page, visit) => {
    // What the browser itself says of a server that lets no page in, and of one that is not there.
    visit.expect(/CORS policy|ERR_FAILED|ERR_CONNECTION_REFUSED/);
    await describing.field.fill("anything");
    await describing.openModels();
    const address = describing.form.getByLabel("Address", { exact: true });
    await address.fill("http://192.168.1.5:11434");
    await describing.form.getByText(/is not encrypted/).waitFor();
    await address.fill(server.address);

    const before = await studio.ids();
    await describing.form.getByLabel("Model", { exact: true }).fill("slow");
    await describing.ask.click();
    await describing.form.getByText("The model is being asked…").waitFor();
    await describing.form.getByRole("button", { name: "Stop" }).click();
    await describing.ask.waitFor();
    await studio.told(/Stopped; nothing is drawn/);
    assert.deepEqual(await studio.ids(), before);

    for (const [model, pattern] of [
      ["prose", /the answer holds no JSON/],
      ["asks for the key", /the answer holds no JSON/],
      ["cut", /it is cut off/],
      ["faulty", /second: .*18/],
      ["named", /a name has letters, digits and _/],
      ["many", /at most 5000 nodes, and this one 8000/],
      ["long", /longer than 1 MB/],
      ["deep", /too many levels/],
      ["doubled", /more than 50000 nodes/],
      ["machinery", /no argument "__proto__"/],
      ["huge", /Linear takes out_features as size/],
      ["endless", /longer than 1 MB/],
      ["closed", /does not let this page read its answers.*OLLAMA_ORIGINS=/],
    ]) {
      await describing.refused(model, pattern);
    }
    await describing.refused("prose", /no JSON/);
    await describing.form.getByText("Read the answer").click();
    await describing.form.getByText("I would rather talk.").waitFor();
    assert.deepEqual(await violations(page), [], "a refused answer");

    await describing.model("noted");
    await studio.holds(["x", "first", "second", "→0"]);
    await studio.tab("Python");
    await eventually(async () => assert.match(await studio.text(), /class Noted\(nn\.Module\)/));
    assert.equal(await page.evaluate(() => window.harmed ?? {}.harmed), undefined);

    const gone = new ModelServer();
    await gone.start();
    await gone.stop();
    await address.fill(gone.address);
    await describing.refused("right", /Nothing answers this page at http:\/\/127\.0\.0\.1:/);
  });
});
