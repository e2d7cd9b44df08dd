// Which key orders what of the tools. It is apart so that the stage loads it without them.

export type Order = "search" | "help" | "fit" | "zoom" | "pin" | "compare" | "broken";

/** Keys that the tools act on; the stage loads the tools when one is pressed. */
export const ORDERS: Readonly<Record<string, Order>> = {
  "/": "search",
  "?": "help",
  "0": "fit",
  z: "zoom",
  p: "pin",
  c: "compare",
  n: "broken",
};
