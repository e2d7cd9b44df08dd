// The code of a cell as it is seen: how far it is scrolled sideways, and the message under a line.
//
// Invariant: as in parts.mjs: no test file names a selector.

/** What is seen of the code of a cell or an exercise. */
export class CodeView {
  constructor(runnable) {
    this.box = runnable.root.locator(".cm-scroller");
    this.message = runnable.root.locator(".line-error");
  }

  /** How far it is scrolled sideways, in pixels. */
  async scrolled() {
    return await this.box.evaluate((box) => box.scrollLeft);
  }

  async scrollTo(left) {
    await this.box.evaluate((box, to) => box.scrollTo({ left: to, behavior: "instant" }), left);
  }

  /** The line that is marked as faulty, counted from 1; 0 where none is. */
  async faulty() {
    const lines = this.box.locator(".cm-line");
    return await lines.evaluateAll((all) => all.findIndex((line) => line.matches(".faulty")) + 1);
  }

  /** At which edges it says that it goes on: `left`, `right`, both or neither. */
  async goesOn() {
    return await goesOn(this.box);
  }

  /** Whether the message stands within what is seen of the code, beside the line numbers. */
  async showsMessage() {
    const [box, message] = [await this.box.boundingBox(), await this.message.boundingBox()];
    return message.x >= box.x + 40 && message.x + message.width <= box.x + box.width + 1;
  }
}

/** At which edges a box says that it goes on. */
export async function goesOn(box) {
  return ((await box.getAttribute("data-more")) ?? "").trim();
}
