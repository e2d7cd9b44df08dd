import { expect, it } from "vitest";
import { withAlpha } from "./paint";

it("keeps a colour's hue where its light ends", () => {
  expect(withAlpha("rgb(199, 119, 0)", 0)).toBe("rgb(199, 119, 0, 0)");
  expect(withAlpha("oklab(0.7 0.05 0.12)", 0.28)).toBe("oklab(0.7 0.05 0.12 / 0.28)");
});
