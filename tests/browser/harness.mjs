// Chromium for the tests: one browser a file, one page a test, everything that goes wrong recorded.
//
// Invariant: a page closed with `finish()` had no console error, no uncaught error and no failed
// request, unless the test said which to expect. The site is served by `cargo lab test browser`,
// which names its address in GLOW_LAB_URL; what the page's parts are called is in parts.mjs.

import { AssertionError } from "node:assert";
import { readFileSync } from "node:fs";
import { after, before } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";

const address = process.env.GLOW_LAB_URL;
if (!address) {
  throw new Error("GLOW_LAB_URL is not set: run these tests with `cargo lab test browser`");
}

/**
 * What Chromium does without. The list below the address bar is a page in a process of its own, which each context would
 * start; the other names are those that Playwright gives for this system, since the last such flag counts.
 */
const withoutFeatures = [
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxFullPopup",
  "WebUIOmniboxPopup",
  "WebUIOmniboxPreload",
  "AimEnabled",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "ThirdPartyStoragePartitioning",
];

/** Flags under which Chromium runs without a display, as any user, with WebGPU in software. */
const flags = [
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--enable-unsafe-webgpu",
  "--use-webgpu-adapter=swiftshader",
  // Without a GPU the page is painted faster by the CPU than by a GPU that is software.
  "--disable-gpu-compositing",
  "--disable-gpu-rasterization",
  `--disable-features=${withoutFeatures.join()}`,
];

export const wide = { width: 1280, height: 800 };
export const narrow = { width: 375, height: 812 };
/** A telephone, for pages opened with `touch`. */
export const phone = { width: 390, height: 844 };

/** Long enough for the slowest machine; a test that waits this long has failed. */
export const patience = 60_000;

/**
 * Waits until what is asserted holds; fails with its own words when it never does. What the page shows
 * after a key or a click comes when the page comes to it, so it is awaited, not read once.
 */
export async function eventually(assertion) {
  const end = performance.now() + patience;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (!(error instanceof AssertionError) || performance.now() > end) throw error;
    }
    await sleep(30);
  }
}

let browser;

/** Chromium, and the same without windows, tabs and settings, which takes less to open a page. */
const { CHROMIUM, CHROMIUM_SHELL = CHROMIUM } = process.env;

/** `moreFlags` are for this browser alone. */
export async function launch(moreFlags = [], executablePath = CHROMIUM_SHELL) {
  browser = await chromium.launch({ executablePath, headless: true, args: [...flags, ...moreFlags] });
}

/** Crashes the process that all pages' GPU work runs in, as a driver can. */
export async function crashGpu() {
  const session = await browser.newBrowserCDPSession();
  await session.send("Browser.crashGpuProcess").catch(() => {});
  await session.detach().catch(() => {});
}

export async function quit() {
  await browser?.close();
}

/** Starts the browser for a test file and ends it afterwards. Call it once, at the top. */
export function useBrowser(moreFlags = []) {
  before(() => launch(moreFlags));
  after(quit);
}

/** The same with all of Chromium. */
export function useWholeBrowser(moreFlags = []) {
  before(() => launch(moreFlags, CHROMIUM));
  after(quit);
}

/** The lessons as the page has them. */
export function lessons() {
  const folder = new URL("../../www/src/course/generated/", import.meta.url);
  const read = (name) => JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8"));
  return read("index").map((lesson) => read(lesson.slug));
}

/** A number worth telling, repeated at the end of the run. Never asserted. */
export function measured(text) {
  console.log(`measured: ${text}`);
}

/**
 * Opens a route in a fresh profile.
 *
 * `withoutJspi` takes JavaScript Promise Integration away, from the page and from its workers, as in
 * a browser that has none; `inWorkers` is a script that workers run first. `watchGlow` notes when the first gradient is lit. `site` is an address other
 * than that of the served site. `touch` is a screen for fingers; `zoom` is how large the browser shows the page, `locale` the
 * language that it is set to, `language` the one that was chosen on the page before. `offline`
 * lets the page keep all of itself for offline, 20 MB, as soon as it rests; what its service worker answers cannot be
 * changed on its way.
 */
export async function open(route, options = {}) {
  const { size = wide, theme = "dark", motion = "reduce", withoutJspi = false, watchGlow = false } = options;
  const { site = address, inWorkers = withoutJspi ? noJspi : "" } = options;
  const serviceWorkers = options.offline ? "allow" : "block";
  const { touch = false, zoom = 1, locale = "en-US" } = options;
  const look = {
    viewport: size,
    colorScheme: theme,
    reducedMotion: motion,
    hasTouch: touch,
    isMobile: touch,
    deviceScaleFactor: zoom,
    locale,
  };
  const context = await browser.newContext({ ...look, serviceWorkers });
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  const visit = new Visit(context, page);
  if (withoutJspi) await page.addInitScript(noJspi);
  if (inWorkers) await runInWorkers(page, inWorkers);
  if (watchGlow) await page.addInitScript(noteFirstGlow);
  if (options.language)
    await page.addInitScript((code) => localStorage.setItem("glowgrad.language", code), options.language);
  await page.goto(site + route, { waitUntil: "load" });
  return visit;
}

/** A page, and what happened to it. */
class Visit {
  constructor(context, page) {
    this.context = context;
    this.page = page;
    this.problems = [];
    this.expected = [];
    this.received = [];
    page.on("console", (message) => {
      if (message.type() === "error") this.problems.push(`console: ${message.text()}`);
    });
    page.on("pageerror", (error) => this.problems.push(`uncaught: ${error.stack ?? error}`));
    page.on("requestfailed", (request) => {
      // A replaced worker gives up its downloads: that is what replacing means.
      if (request.failure()?.errorText !== "net::ERR_ABORTED") {
        this.problems.push(`request: ${request.url()} ${request.failure()?.errorText}`);
      }
    });
    page.on("response", (response) => {
      if (response.status() >= 400) this.problems.push(`response: ${response.status()} ${response.url()}`);
      const length = Number(response.headers()["content-length"] ?? 0);
      this.received.push({ url: response.url(), bytes: response.fromServiceWorker() ? 0 : length });
    });
  }

  /** Bytes over the wire so far, as the server compressed them. */
  get bytes() {
    return this.received.reduce((sum, response) => sum + response.bytes, 0);
  }

  /** A problem whose text matches is part of the test. */
  expect(pattern) {
    this.expected.push(pattern);
  }

  /** Closes the page; throws when something went wrong on it. */
  async finish() {
    await this.context.close();
    const unexpected = this.problems.filter((text) => !this.expected.some((pattern) => pattern.test(text)));
    if (unexpected.length > 0) throw new Error(`the page reported:\n${unexpected.join("\n")}`);
  }
}

/** Runs a test on an opened page and finishes it, also when the test throws. */
export async function visiting(route, options, body) {
  const visit = await open(route, options);
  let failure;
  try {
    await body(visit.page, visit);
  } catch (error) {
    failure = error;
  }
  try {
    await visit.finish();
  } catch (error) {
    if (!failure) throw error;
    failure.message += `\n${error.message}`;
  }
  if (failure) throw failure;
}

/** Opens a route once for all tests of a suite, and finishes the page after them. The answer gives the page. */
export function sharing(route, options = {}) {
  let visit;
  before(async () => {
    visit = await open(route, options);
  });
  after(() => visit?.finish());
  return () => visit.page;
}

const noJspi = "delete WebAssembly.promising; delete WebAssembly.Suspending;";

/** Scripts of workers see no init script, so what a worker loads is changed on its way. */
async function runInWorkers(page, script) {
  await page.route(/worker[^/]*\.js/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${script}\n${await response.text()}` });
  });
}

/** Runs in the page: notes on `window` when a node is drawn and one glows first, and the service workers then. */
function noteFirstGlow() {
  const notes = { drawn: null, glowed: null, registered: null };
  window.glowNotes = notes;
  const look = () => {
    const now = performance.now();
    notes.drawn ??= document.querySelector("[data-node]") ? now : null;
    notes.glowed ??= document.querySelector("[data-node] :is(.bloom, .lit, .hot, .gauge)") ? now : null;
    if (notes.glowed === null) requestAnimationFrame(look);
    else
      void navigator.serviceWorker
        .getRegistrations()
        .then((all) => Object.assign(notes, { registered: all.length }));
  };
  requestAnimationFrame(look);
}

/** Ends the page's workers of that name from inside, without a word to the page. Returns how many. */
export async function killWorkers(page, name) {
  let count = 0;
  for (const worker of page.workers()) {
    if ((await worker.evaluate(() => self.name)).includes(name)) {
      await worker.evaluate(() => self.close());
      count += 1;
    }
  }
  return count;
}
