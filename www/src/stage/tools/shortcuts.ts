// Which key asks the tools for which action. It is apart so that the stage loads it without them.

export type Action = "search" | "help" | "fit" | "zoom" | "pin" | "compare" | "broken";

/** Keys that the tools act on; the stage loads the tools when one is pressed. */
export const SHORTCUTS: Readonly<Record<string, Action>> = {
  "/": "search",
  "?": "help",
  "0": "fit",
  z: "zoom",
  p: "pin",
  c: "compare",
  n: "broken",
};
