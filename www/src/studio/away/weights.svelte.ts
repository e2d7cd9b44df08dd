// Weights that came from a file: for which network, and whether a training has given newer ones since.
//
// Invariant: the bytes are held as they came; the session reads them when a file or a training asks for them.
import type { Net } from "../model";
import { session, type Trained } from "../session.svelte";

type Bytes = Uint8Array<ArrayBuffer>;

/** Weights of a file, which fit the network. */
export interface Opened {
  net: Net;
  name: string;
  bytes: Bytes;
  /** What was trained when the file came. */
  trained: Trained | null;
}

/** Where the weights of a network come from. */
export type Weights = { from: "training" } | { from: "seed" } | { from: "file"; opened: Opened };

class OpenedWeights {
  now = $state.raw<Opened | null>(null);

  keep(net: Net, name: string, bytes: Bytes): void {
    this.now = { net, name, bytes, trained: session.trained };
  }
}

export const openedWeights = new OpenedWeights();

/** The newest weights that there are for this network. */
export function weightsOf(net: Net): Weights {
  const { trained } = session;
  const opened = openedWeights.now;
  const isOpened = opened !== null && isSame(opened.net, net);
  if (trained !== null && isSame(trained.net, net) && !(isOpened && opened.trained === trained)) {
    return { from: "training" };
  }
  return isOpened ? { from: "file", opened } : { from: "seed" };
}

/** Whether two networks have the same layers under the same names, wherever they are drawn. */
export function isSame(a: Net, b: Net): boolean {
  if (a === b) return true;
  const bare = ({ inputs, nodes, outputs, blocks }: Net) =>
    JSON.stringify([inputs, nodes, outputs, blocks ?? []], (key, value) =>
      key === "at" || key === "note" ? undefined : value,
    );
  return bare(a) === bare(b);
}
