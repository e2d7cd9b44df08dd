// A sentence becomes a network through a language model: it is asked, its answer is checked, and it may mend it once.
//
// Invariant: sends the sentence, the form of networks with the names of the catalog, and what was wrong with the first
// answer; nothing of the network on the canvas. Nothing is drawn here. What is given back holds no key.
import type { Catalog } from "../model";
import type { Ask, Told } from "../module";
import { check, findNetwork } from "./answer";
import { promptOf, repairOf } from "./prompt";
import { complete, type Message, Refusal, type Service, withoutKey } from "./service";

/** A network, and what was wrong with the first answer; or what is wrong with the last one, and its text. */
export type Outcome = { told: Told; leftOut: string; mended: string[] } | { faults: string[]; text: string };

const ROUNDS = 2;
export const LONGEST_SENTENCE = 4000;
/** Of an answer that is to be mended, so many characters go back. */
const LONGEST_BACK = 60_000;

export async function askedFor(
  { ask, catalog }: { ask: Ask; catalog: Catalog },
  service: Service,
  sentence: string,
  signal: AbortSignal,
  /** Hears that the answer is being mended. */
  onmend: () => void,
): Promise<Outcome> {
  if (sentence.length > LONGEST_SENTENCE) {
    throw new Refusal(
      `The description has ${sentence.length} characters, and at most ${LONGEST_SENTENCE} are sent. Make it shorter.`,
    );
  }
  const system = promptOf(ask, catalog);
  const messages: Message[] = [{ role: "user", content: sentence }];
  const key = service.key.trim();
  let mended: string[] = [];
  for (let round = 1; ; round++) {
    const text = await complete(service, system, messages, signal);
    const found = findNetwork(text);
    const checked = "fault" in found ? { faults: [found.fault] } : check(ask, found.net);
    if ("told" in checked) {
      const { told, leftOut } = checked;
      // An escaped key is found once it is plain: in a link it would travel.
      const plain = JSON.stringify(told.net);
      if (withoutKey(plain, key) === plain) return { told, leftOut, mended };
      throw new Refusal(
        "The answer holds the key, so it is not drawn. Do not ask this service again, and change the key.",
      );
    }
    const faults = checked.faults.map((fault) => withoutKey(fault, key));
    if (round === ROUNDS) return { faults, text };
    mended = faults;
    messages.push({ role: "assistant", content: text.slice(0, LONGEST_BACK) });
    messages.push({ role: "user", content: repairOf(faults) });
    onmend();
  }
}
