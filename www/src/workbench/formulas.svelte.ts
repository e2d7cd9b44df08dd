// The typesetter as notes see it: it comes with the first formula that is drawn.
//
// Invariant: no note without a formula loads it. One that did not arrive is asked for again by the next formula.
import type { Typeset } from "./typesetter";

let typesetter = $state.raw<typeof import("./typesetter") | null>(null);
let isAsked = false;

/** A formula as it is drawn; null until the typesetter is here. */
export function typeset(tex: string, display: boolean): Typeset | null {
  if (!isAsked) {
    isAsked = true;
    void import("./typesetter").then(
      (module) => {
        typesetter = module;
      },
      () => {
        isAsked = false;
      },
    );
  }
  return typesetter?.typeset(tex, display) ?? null;
}
