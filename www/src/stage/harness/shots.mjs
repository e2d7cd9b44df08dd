// Takes pictures of the stage, for a person to look at.
//
// Usage: `node shots.mjs OUT NAME=QUERY;SIZE;T;ACTION …`, such as
// `lit=graph=mlp&theme=dark;1280x800;18.6;hover:3`. Nothing is asserted here.
import { start } from "./browser.mjs";

const [out, ...wanted] = process.argv.slice(2);
const harness = await start();
for (const each of wanted) {
  const cut = each.indexOf("=");
  const [query, size, at, action] = each.slice(cut + 1).split(";");
  const [width, height] = size.split("x").map(Number);
  const page = await harness.open(query, width, height, console.log, { deviceScaleFactor: 1.5 });
  if (at) await page.evaluate((t) => window.stage.seek(t), Number(at));
  const [verb, value] = action?.split(":") ?? [];
  if (verb === "hover") await page.hover(`[data-node="${value}"]`);
  if (verb === "click") await page.click(`[data-node="${value}"]`);
  if (verb === "press") await page.click(`[aria-label="${value}"]`);
  await page.waitForTimeout(350);
  await page.screenshot({ path: `${out}/${each.slice(0, cut)}.png` });
  await page.close();
}
await harness.close();
