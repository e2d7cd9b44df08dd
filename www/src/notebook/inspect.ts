// The whole value of a node on stage, from an engine.
//
// Invariant: the answer is the engine's, or a sentence about why there is none.
import type { Done } from "../engine/client";
import { t } from "../language/language.svelte";
import type { Event, Preview } from "../protocol";

/** Reads the whole value of a node from whichever engine drew it. */
export async function inspectWith(
  run: (body: { type: "inspect"; node: number }, onEvent: (event: Event) => void) => Promise<Done>,
  node: number,
): Promise<Preview> {
  let preview: Preview | null = null;
  let problem = "";
  await run({ type: "inspect", node }, (event) => {
    if (event.type === "inspected") preview = event.preview;
    if (event.type === "error") problem = event.error.message;
  });
  if (!preview) throw new Error(problem || t("The engine did not answer."));
  return preview;
}
