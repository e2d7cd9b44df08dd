// The figures of a run as JSON, with what is needed to read them elsewhere.
//
// Invariant: nothing in it names the visitor beyond what the browser tells every site. It goes nowhere but to the clipboard.
import { host } from "../engine/engines.svelte";
import type { Figure } from "./figures";
import type { Bench } from "./run.svelte";

/** Where the run took place. */
export interface Machine {
  /** Whose engine computed: the browser's own, or that of `glow lab`. */
  engine: "browser" | "computer";
  /** What the browser says of itself. */
  browser: string;
  processors: number;
  /** The GPU as the browser names it; empty where it names none, or another engine computed. */
  gpu: string;
}

export async function place(): Promise<Machine> {
  const { userAgent: browser, hardwareConcurrency: processors } = navigator;
  if (host.onComputer) return { engine: "computer", browser, processors, gpu: "" };
  return { engine: "browser", browser, processors, gpu: await gpu() };
}

async function gpu(): Promise<string> {
  // Not every browser has it, and one that has it may have no adapter.
  const adapter = await navigator.gpu?.requestAdapter().catch(() => null);
  const { vendor = "", architecture = "", description = "" } = adapter?.info ?? {};
  return [vendor, architecture, description].filter((part) => part !== "").join(" ");
}

const rounded = (value: number) => Number(value.toPrecision(5));

export function reportOf(bench: Bench, figures: readonly Figure[], where: Machine): string {
  const report = {
    what: "glowgrad bench",
    when: new Date().toISOString(),
    ended: bench.phase,
    ...where,
    threads: bench.threads,
    rounds: bench.rounds,
    devices: bench.devices,
    figures: figures.map(({ row, device, millis, median, low, high, rate, share }) => ({
      row: row.title(),
      code: row.code,
      device,
      median_ms: rounded(median),
      quartiles_ms: [rounded(low), rounded(high)],
      runs_ms: millis.map(rounded),
      rate: rounded(rate),
      unit: row.unit,
      of_limit: share === null ? null : rounded(share),
    })),
  };
  return JSON.stringify(report, null, 2);
}
