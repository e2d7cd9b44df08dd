// A network as an address: its JSON, packed.
//
// Invariant: a link is data. `decodeNetwork` gives a value or one sentence; that the value is a network the module checks
// (`edit` of crates/architecture), and nothing of it runs.
import { packed, unpacked } from "../link/packed";
import { networkLink } from "../link/route";
import type { Net } from "./model";

/** Raised when the form of the address changes; the form of a network has a version of its own. */
export const VERSION = "1";
/** Characters of a network in an address: what browsers and most messages carry. */
export const LONGEST = 24_000;
/** What a network may have unpacked, as the module reads it. */
const MOST_BYTES = 1 << 20;

const DAMAGED = "This link is damaged: a part of it was cut off or changed on its way. Ask for it again.";

/** The whole address; a sentence where the network does not fit. */
export function addressOf(net: Net): { address: string } | { problem: string } {
  const text = packed(JSON.stringify(net));
  if (text.length > LONGEST) {
    return {
      problem: `This network is too long for a link: ${text.length} characters of ${LONGEST}, packed. Copy its JSON instead.`,
    };
  }
  return { address: location.href.replace(/#.*$/, "") + networkLink(VERSION, text) };
}

export function decodeNetwork(version: string, text: string): { net: unknown } | { problem: string } {
  if (version !== VERSION) {
    return /^\d{1,6}$/.test(version)
      ? {
          problem: `This link has version ${version}, and this page reads version ${VERSION}. Reload the page, or ask for the link again.`,
        }
      : { problem: DAMAGED };
  }
  if (text.length > LONGEST) {
    return { problem: `This link is too long: ${text.length} characters, and at most ${LONGEST} are read.` };
  }
  try {
    const plain = unpacked(text, MOST_BYTES);
    const net = plain === null ? null : JSON.parse(plain);
    return typeof net === "object" && net !== null ? { net } : { problem: DAMAGED };
  } catch {
    return { problem: DAMAGED };
  }
}
