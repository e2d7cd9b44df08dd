// The page's two labs, as reactive state: the small engine that draws at once, and Python.
//
// Invariant: one worker of each build at most. Python is asked for when a cell is run, or when the
// page has been idle after its first picture.
import { Lab, type LabLost, type Port, type Status } from "./client";
import type { BuildName, Order } from "./wire";

function spawn(build: BuildName): Port {
  return new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: `glowgrad ${build}` });
}

class LabState {
  status = $state.raw<Status>({ phase: "idle" });
  /** What runs now. */
  current = $state.raw<Order | null>(null);
  /** The last worker that was lost, until someone has dealt with it. */
  lost = $state.raw<LabLost | null>(null);
  readonly lab: Lab;

  constructor(build: BuildName) {
    this.lab = new Lab(
      build,
      spawn,
      () => {
        this.status = this.lab.status;
        this.current = this.lab.current;
      },
      (lost) => {
        this.lost = lost;
      },
    );
  }
}

export const engine = new LabState("engine");
export const python = new LabState("python");

/** How long a page is left to its first picture before it loads anything else. */
const SETTLE_MILLIS = 2500;
let asked = false;

/** Loads Python when the page has nothing else to do; not for those who save data. */
export function loadPythonWhenIdle(after = SETTLE_MILLIS): void {
  const { connection } = navigator as Navigator & { connection?: { saveData?: boolean } };
  if (asked || connection?.saveData) return;
  asked = true;
  const load = () => python.lab.load();
  setTimeout(() => {
    if (typeof requestIdleCallback === "function") requestIdleCallback(load, { timeout: 5000 });
    else load();
  }, after);
}
