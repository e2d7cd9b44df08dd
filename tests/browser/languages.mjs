// The languages of the page, as parts.mjs has its other parts.
//
// Invariant: a language goes by its own name, as a reader finds it.

import assert from "node:assert/strict";
import { eventually } from "./harness.mjs";

/** The languages of the page: the switch, and the offer to a browser that is set to one of them. */
export class Language {
  constructor(page) {
    this.page = page;
    this.switch = page.getByTestId("languages");
    this.offer = page.getByTestId("language-offer");
  }

  /** The button of a language, by its own name. */
  button(name) {
    return this.switch.getByRole("button", { name });
  }

  /** Chooses a language by its own name; returns when the page is in it. */
  async choose(name) {
    await this.button(name).click();
    await eventually(async () => assert.equal(await this.button(name).getAttribute("aria-pressed"), "true"));
  }

  /** The code of the page's language. */
  async now() {
    return await this.page.evaluate(() => document.documentElement.lang);
  }
}
