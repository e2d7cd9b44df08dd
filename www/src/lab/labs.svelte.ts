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

let idle: number | null = null;

/** Loads Python when the page has nothing else to do. */
export function loadPythonWhenIdle(): void {
  if (idle !== null) return;
  const load = () => python.lab.load();
  if (typeof requestIdleCallback === "function") idle = requestIdleCallback(load, { timeout: 8000 });
  else idle = window.setTimeout(load, 2500);
}
