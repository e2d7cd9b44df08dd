// Where the tensors lie, as the engine tells it.
//
// Invariant: its map was read after the last command; it asks again when another has ended, and an
// answer that comes after that is passed over.
import type { Notebook } from "../notebook/notebook.svelte";
import type { MemoryMap } from "../protocol";

/** Made while a component is. */
export class MemoryReading {
  map = $state.raw<MemoryMap | null>(null);
  /** Why there is none. */
  failure = $state("");

  constructor(of: () => Notebook) {
    $effect(() => {
      const notebook = of();
      if (notebook.commandsEnded === 0) return;
      let current = true;
      notebook.ask({ type: "memory" }, "memory").then(
        (answer) => {
          if (current) [this.map, this.failure] = [answer.memory, ""];
        },
        (reason: unknown) => {
          if (current) this.failure = reason instanceof Error ? reason.message : String(reason);
        },
      );
      return () => {
        current = false;
      };
    });
  }
}
