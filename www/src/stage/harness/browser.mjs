// Serves the harness and opens it in Chromium, for pictures and for checks.
//
// Invariant: needs nothing running before and leaves nothing running after `close()`.
import { chromium } from "playwright-core";
import { createServer } from "vite";

/** Starts Vite's dev server and Chromium; `open` gives a page that shows the harness. */
export async function start() {
  const server = await createServer({ server: { port: 0, host: "127.0.0.1" }, logLevel: "error" });
  await server.listen();
  const address = server.resolvedUrls.local[0];
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking"],
  });
  return {
    /** A page of a size, showing the harness with a query; what goes wrong in it is told to `onerror`. */
    async open(query, width, height, onerror, options = {}) {
      const page = await browser.newPage({ viewport: { width, height }, ...options });
      page.on("pageerror", (error) => onerror(`${query}: ${error.message}`));
      page.on("console", (message) => message.type() === "error" && onerror(`${query}: ${message.text()}`));
      await page.goto(`${address}www/src/stage/harness/index.html?${query}`, { waitUntil: "networkidle" });
      return page;
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}
