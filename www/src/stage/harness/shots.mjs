// Takes pictures of the stage in the harness, for a person to look at.
//
// Usage: with `npx vite --port 5199` running, `node shots.mjs OUT [NAME=QUERY;SIZE;T …]`, such as
// `mlp=graph=mlp&theme=dark;1280x800;18.6`. Nothing is asserted here.
import { chromium } from "playwright-core";

const [out, ...wanted] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking"],
});
for (const each of wanted) {
  const cut = each.indexOf("=");
  const [query, size, at, action] = each.slice(cut + 1).split(";");
  const [width, height] = size.split("x").map(Number);
  const page = await browser.newPage({ viewport: { width, height }, deviceScaleFactor: 1.5 });
  page.on("console", (message) => message.type() === "error" && console.log(each, message.text()));
  page.on("pageerror", (error) => console.log(each, error.message));
  await page.goto(`http://localhost:5199/www/src/stage/harness/index.html?${query}`, {
    waitUntil: "networkidle",
  });
  await page.waitForTimeout(300);
  if (at) await page.evaluate((t) => window.stage.seek(t), Number(at));
  const [verb, value] = action?.split(":") ?? [];
  if (verb === "hover") await page.hover(`[data-node="${value}"]`);
  if (verb === "click") await page.click(`[data-node="${value}"]`);
  if (verb === "press") await page.click(`[aria-label="${value}"]`);
  await page.waitForTimeout(350);
  await page.screenshot({ path: `${out}/${each.slice(0, cut)}.png` });
  await page.close();
}
await browser.close();
