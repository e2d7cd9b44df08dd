// The steps of a training run, under the stage.

import assert from "node:assert/strict";
import { eventually, patience } from "./harness.mjs";

export class RunSteps {
  constructor(page) {
    this.page = page;
    this.root = page.getByTestId("steps");
    this.slider = this.root.getByRole("slider", { name: "Steps of the run" });
    this.place = this.root.getByRole("spinbutton");
    this.compute = this.root.getByRole("button", { name: /^Compute step .* again$/ });
    this.cancel = this.root.getByRole("button", { name: "Cancel" });
  }

  /** Waits until the run of so many steps has ended. */
  async ended(count) {
    await eventually(async () =>
      assert.equal(await this.slider.getAttribute("aria-valuemax"), String(count)),
    );
    await eventually(async () => assert.equal(await this.slider.getAttribute("aria-disabled"), "false"));
  }

  /** What it says of the step under the hand. */
  async words() {
    return await this.slider.getAttribute("aria-valuetext");
  }

  /** Waits until it says so. */
  async says(pattern) {
    await eventually(async () => assert.match(await this.words(), pattern));
  }

  /** Writes the number of a step. */
  async goTo(step) {
    await this.place.fill(String(step));
    await this.place.press("Enter");
  }

  /** Presses the button that puts the last step on stage, in place of what ran after it. */
  async show(step) {
    await this.root.getByRole("button", { name: `Show step ${step}` }).click();
  }

  /** Presses the curve at this share of its width. */
  async pressAt(share) {
    const box = await this.slider.boundingBox();
    await this.slider.click({ position: { x: share * box.width, y: box.height / 2 } });
  }

  /** Presses keys on the curve with no time between them. */
  async pressAtOnce(...keys) {
    await this.slider.evaluate((slider, pressed) => {
      for (const key of pressed) slider.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    }, keys);
  }

  /** What is written below the curve. */
  async note() {
    return await this.root.locator(".note").innerText();
  }

  async notes(pattern) {
    await this.root.locator(".note").filter({ hasText: pattern }).waitFor({ timeout: patience });
  }
}
