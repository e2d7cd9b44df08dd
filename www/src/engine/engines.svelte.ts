// The page's two engines, as reactive state: the small one that draws at once, and the one with Python.
//
// Invariant: one worker of each build at most. Python is asked for when a cell is run, or when the
// page has been idle after its first picture. Where `glow lab` serves the page, sessions of this computer
// stand in for the workers, until the learner goes on without them.
import type { Flow } from "../protocol/generated/Flow";
import { type Devices, EngineClient, type EngineLost, type Port, type Status } from "./client";
import { rememberedDevice } from "./device";
import { spawnWorker } from "./spawn";
import type { BuildName, CommandBody, FromWorker, ToWorker } from "./wire";

class Host {
  /** Whether this computer's engine computes, not the browser's own. */
  onComputer = $state(false);
}
export const host = new Host();
let connect: (() => Port) | null = null;

/** From now on sessions of this computer stand in for the workers. */
export function computeThere(open: () => Port): void {
  connect = open;
  host.onComputer = true;
}

function spawn(build: BuildName): Port {
  return connect?.() ?? spawnWorker(build);
}

/** Starts Python and imports the library, in a namespace that is left behind: the first cell finds both there. */
const WARM_UP: CommandBody = { type: "check", exercise: "", source: "import glowgrad", checks: "" };

class EngineState {
  status = $state.raw<Status>({ phase: "idle" });
  /** The command that runs now, if the page asked for it. */
  current = $state.raw<CommandBody | null>(null);
  /** The devices that can compute, and the one that does. */
  devices = $state.raw<Devices | null>(null);
  /** The last worker that was lost, until a component has dealt with the loss. */
  lost = $state.raw<EngineLost | null>(null);
  readonly client: EngineClient;

  constructor(build: BuildName) {
    this.client = new EngineClient(
      build,
      spawn,
      () => {
        const isNew = this.client.status.phase === "ready" && this.status.phase !== "ready";
        this.status = this.client.status;
        // A worker that no command waits for has the time.
        if (isNew && build === "python" && !connect && this.client.isIdle)
          this.client.run(WARM_UP).catch(() => {});
        // Nothing of the learner's.
        this.current = this.client.current === WARM_UP ? null : this.client.current;
        this.devices = this.client.devices;
      },
      (lost) => {
        this.lost = lost;
      },
      build === "python" ? rememberedDevice() : null,
    );
  }
}

export const engine = new EngineState("engine");
export const python = new EngineState("python");

/** Has every engine lay graphs out so. */
export function layOut(flow: Flow): void {
  engine.client.layOut(flow);
  python.client.layOut(flow);
}

/** Goes on without this computer's engine, in the browser's own. */
export function goOnHere(): void {
  connect = null;
  host.onComputer = false;
  engine.client.close();
  python.client.close();
  python.client.load();
}

/** Fetches the browser's own engine while the server that has it still answers, and starts nothing. */
function keepOwnEngine(): void {
  for (const [build, { client }] of [
    ["engine", engine],
    ["python", python],
  ] as const) {
    const keeper = spawnWorker(build);
    keeper.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.kind === "compiled") client.keep(data.module);
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
    python.client.load();
    if (host.onComputer) keepOwnEngine();
  };
  setTimeout(() => {
    if (typeof requestIdleCallback === "function") requestIdleCallback(load, { timeout: 5000 });
    else load();
  }, after);
}
