// The page's two labs, as reactive state: the small engine that draws at once, and Python.
//
// Invariant: one worker of each build at most. Python is asked for when a cell is run, or when the
// page has been idle after its first picture. Where `glow lab` serves the page, sessions of this computer
// stand in for the workers, until the learner goes on without them.
import { type Devices, Lab, type LabLost, type Port, type Status } from "./client";
import type { BuildName, FromWorker, Order, ToWorker } from "./wire";

class Place {
  /** Whether this computer's engine computes, not the browser's own. */
  onComputer = $state(false);
}
export const place = new Place();
let connect: (() => Port) | null = null;

/** From now on sessions of this computer stand in for the workers. */
export function computeThere(open: () => Port): void {
  connect = open;
  place.onComputer = true;
}

function worker(build: BuildName): Worker {
  return new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: `glowgrad ${build}` });
}

function spawn(build: BuildName): Port {
  return connect?.() ?? worker(build);
}

class LabState {
  status = $state.raw<Status>({ phase: "idle" });
  /** What runs now. */
  current = $state.raw<Order | null>(null);
  /** What can compute, and what does. */
  devices = $state.raw<Devices | null>(null);
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
        this.devices = this.lab.devices;
      },
      (lost) => {
        this.lost = lost;
      },
    );
  }
}

export const engine = new LabState("engine");
export const python = new LabState("python");

/** Goes on without this computer's engine, in the browser's own. */
export function goOnHere(): void {
  connect = null;
  place.onComputer = false;
  engine.lab.close();
  python.lab.close();
  python.lab.load();
}

/** Fetches the browser's own engine while there is somebody to ask for it, and starts nothing. */
function keepOwnEngine(): void {
  for (const [build, { lab }] of [
    ["engine", engine],
    ["python", python],
  ] as const) {
    const keeper = worker(build);
    keeper.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.kind === "compiled") lab.keep(data.module);
    };
    keeper.postMessage({ kind: "keep", build } satisfies ToWorker);
  }
}

/** How long a page is left to its first picture before it loads anything else. */
const SETTLE_MILLIS = 2500;
let asked = false;

/** Loads Python when the page has nothing else to do; not for those who save data. */
export function loadPythonWhenIdle(after = SETTLE_MILLIS): void {
  const { connection } = navigator as Navigator & { connection?: { saveData?: boolean } };
  if (asked || connection?.saveData) return;
  asked = true;
  const load = () => {
    python.lab.load();
    if (place.onComputer) keepOwnEngine();
  };
  setTimeout(() => {
    if (typeof requestIdleCallback === "function") requestIdleCallback(load, { timeout: 5000 });
    else load();
  }, after);
}
