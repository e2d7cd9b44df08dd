// Without a network: what was visited once opens again with the server stopped, Python too if it was
// loaded before. And updates: a new version waits until the learner lets it in, and costs no work.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { lessons, measured, useBrowser, visiting } from "./harness.mjs";
import { Cell, freeCell, NewVersion, pythonReady, Stage, saved } from "./parts.mjs";
import { Site } from "./site.mjs";

useBrowser();

/** Runs a test on a site that can be stopped. */
async function withSite(body) {
  const site = new Site();
  await site.start();
  try {
    await body(site);
  } finally {
    await site.stop().catch(() => {});
    site.remove();
  }
}

/** Waits until the site is kept: one version whole, and in charge of this page. */
async function kept(page) {
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
}

/** Waits until the module with Python is kept too. */
async function keptPython(page) {
  await page.waitForFunction(async () => {
    const modules = [];
    for (const name of await caches.keys()) {
      for (const { url } of await (await caches.open(name)).keys())
        if (url.endsWith(".wasm")) modules.push(url);
    }
    return modules.length === 2;
  });
}

describe("without a network", () => {
  test("after one visit, the first page glows, the course and every lesson open, and search finds", async () => {
    await withSite(async (site) => {
      await visiting("#/", { site: site.address, offline: true }, async (page, visit) => {
        await new Stage(page).ready();
        await kept(page);
        await site.stop();
        visit.expect(/ERR_CONNECTION_REFUSED|Failed to fetch|offline\.js/);
        await page.reload();
        const stage = new Stage(page);
        await stage.ready();
        await stage.press("Step");
        await page.goto(`${site.address}#/course`);
        await page.getByTestId("lesson-link").first().waitFor();
        for (const { slug, title } of lessons()) {
          await page.goto(`${site.address}#/lesson/${slug}`);
          await page.getByRole("heading", { level: 1, name: title }).waitFor();
          await page.locator(".cm-content").first().waitFor();
        }
        await page.goto(`${site.address}#/reference/tanh`);
        await page.getByTestId("op").first().waitFor();
        await page.keyboard.press("ControlOrMeta+k");
        await page.getByRole("combobox").fill("gradient");
        await page.getByRole("option").first().waitFor();
        await site.start();
      });
    });
  });

  test("Python runs if it was loaded before", async () => {
    await withSite(async (site) => {
      await visiting("#/play", { site: site.address, offline: true }, async (page, visit) => {
        await pythonReady(page);
        await kept(page);
        await keptPython(page);
        await site.stop();
        visit.expect(/ERR_CONNECTION_REFUSED|Failed to fetch|offline\.js/);
        await page.reload();
        const cell = freeCell(page);
        await cell.write("import glowgrad as torch\nprint(torch.ones(2).sum().item())");
        assert.equal(await cell.run(), "ok", await cell.output());
        assert.equal((await cell.output()).trim(), "2.0");
        await site.start();
      });
    });
  });

  test("what is kept came once: the first load, and nothing before its picture", async () => {
    await withSite(async (site) => {
      await visiting(
        "#/",
        { site: site.address, offline: true, watchGlow: true, motion: "no-preference" },
        async (page) => {
          await page.waitForFunction(() => window.glowNotes.glowed !== null);
          const glowed = await page.evaluate(() => performance.timeOrigin + window.glowNotes.glowed);
          await kept(page);
          assert.ok(site.askedAt.get("offline.js") > glowed, "the worker came before the first glow");
          await pythonReady(page);
          await keptPython(page);
          const twice = site.asked.filter((path, index) => path && site.asked.indexOf(path) !== index);
          assert.deepEqual(
            twice.filter((path) => path.startsWith("assets/")),
            [],
            "came twice",
          );
          measured(`kept for offline: ${new Set(site.asked).size} files`);
        },
      );
    });
  });
});

describe("a new version", () => {
  test("waits, says so, and takes over without losing what was written", async () => {
    await withSite(async (site) => {
      const [lesson] = lessons();
      const block = lesson.blocks.find(({ type }) => type === "cell");
      await visiting(
        `#/lesson/${lesson.slug}`,
        { site: site.address, offline: true },
        async (page, visit) => {
          const build = () =>
            page.evaluate(() => document.querySelector('meta[name="build"]')?.content ?? null);
          await kept(page);
          const cell = new Cell(page, block.id);
          await cell.write("written = 'before the update'");
          assert.equal(await cell.run(), "ok");
          await saved(page);

          site.publish("two");
          await page.reload();
          // The page that opens is the one that is kept; the new one comes behind it.
          assert.equal(await build(), null);
          const news = new NewVersion(page);
          await news.ready();
          assert.equal(await build(), null);
          await news.accept();
          await page.waitForFunction(() => document.querySelector('meta[name="build"]')?.content === "two");
          await new Cell(page, block.id).holds("written = 'before the update'");

          // It is whole: it opens with the server stopped, Python with it, because it was there before.
          await keptPython(page);
          await site.stop();
          visit.expect(/ERR_CONNECTION_REFUSED|Failed to fetch|offline\.js/);
          await page.reload();
          assert.equal(await build(), "two");
          assert.equal(await new Cell(page, block.id).run(), "ok");
          await site.start();
        },
      );
    });
  });

  test("that arrives damaged does not take the place of the one that works", async () => {
    await withSite(async (site) => {
      await visiting("#/course", { site: site.address, offline: true }, async (page, visit) => {
        await kept(page);
        // As on a host where the worker arrives before the page that it lists.
        site.publish("half", { whole: false });
        visit.expect(/integrity/);
        await page.evaluate(async () => {
          const registration = await navigator.serviceWorker.ready;
          await registration.update().catch(() => {});
          const worker = registration.installing;
          if (worker) {
            await new Promise((resolve) => {
              worker.addEventListener("statechange", () => worker.state === "redundant" && resolve());
            });
          }
        });
        assert.equal(await page.evaluate(async () => (await navigator.serviceWorker.ready).waiting), null);
        await page.reload();
        await page.getByTestId("lesson-link").first().waitFor();
      });
    });
  });
});
