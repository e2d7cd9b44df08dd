// The address of a shared cell, and getting it to the clipboard. Loaded when a link is asked for.
import { sharedLink } from "./route";
import { encode, type SharedState, VERSION } from "./state";

/** The whole address; a sentence where the state does not fit. */
export function addressOf(state: SharedState): { address: string } | { problem: string } {
  const encoded = encode(state);
  if ("problem" in encoded) return encoded;
  return { address: location.href.replace(/#.*$/, "") + sharedLink(VERSION, encoded.text) };
}

/** Whether the clipboard took it. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
