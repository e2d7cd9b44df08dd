// A training run as data: what was trained how, what it came to, and how it is told apart from others.
//
// Invariant: pure. A record holds all that the panel shows of a run and all that computes one of its steps again; it holds
// no weights.
import type { Column } from "../../notebook/series";
import type { Args, Net, Training } from "../model";

export type State = "running" | "paused" | "finished" | "cancelled" | "failed" | "interrupted";

export const METRICS = ["loss", "accuracy", "learning rate", "samples/s"] as const;
export type Metric = (typeof METRICS)[number];

/** What the dashboard's program says of itself before the first step. */
export interface About {
  parameters: [name: string, count: number][];
  samples: number;
  tests: number;
  /** Batches of an epoch, and of a validation. */
  batches: number;
  checks: number;
  /** 0 where samples belong to no classes. */
  classes: number;
  /** Whether the network is to give its input. */
  copy: boolean;
  /** Of one sample. */
  shape: number[];
  /** Answers of one sample: characters of a text. */
  places: number;
  /** Whether the program makes samples of noise. */
  made?: boolean;
  /** Whether a discriminator is trained beside the network. */
  opponent?: boolean;
  /** Whether validation draws random numbers. */
  draws?: boolean;
}

export interface Epoch {
  epoch: number;
  step: number;
  loss: number;
  accuracy: number | null;
}

/** Of a sample that is shown. */
export interface Guess {
  index: number;
  target: number;
  guess: number;
  /** Probabilities of both. */
  ofTarget: number;
  ofGuess: number;
}

export interface Pictures {
  channels: number;
  height: number;
  width: number;
  /** One after another, 0 to 255. */
  bytes: Uint8Array;
}

/** Samples that the network made after an epoch: pictures, or points beside those of the data. */
export interface Made {
  epoch: number;
  pictures: Pictures | null;
  points: [x: number, y: number][];
  real: [x: number, y: number][];
}

export interface Norm {
  name: string;
  gradient: number;
  weight: number;
  /** Gradient norms so far, thinned. */
  past: number[];
}

/** A run as one of a grid. */
export interface GridCell {
  sweep: string;
  row: [setting: string, value: string];
  column: [setting: string, value: string];
}

/** Raised when a record has another form: those before are not read. */
export const FORM = 1;

export interface Run {
  form: typeof FORM;
  id: string;
  /** Counts up; tells its dash in a chart. */
  number: number;
  name: string;
  /** Milliseconds since the Unix epoch. */
  when: number;
  net: Net;
  training: Training;
  device: string;
  state: State;
  /** Why it failed. */
  problem: string;
  step: number;
  steps: number;
  /** Of training and validation; not of pauses. */
  seconds: number;
  about: About | null;
  /** Rates that were set by hand: from which step on. */
  changes: { step: number; rate: number }[];
  columns: Record<Metric, Column[]>;
  epochs: Epoch[];
  norms: Norm[];
  /** How often each class [row] was taken for each [column] after the last epoch. */
  confusion: number[];
  guesses: Guess[];
  pictures: Pictures | null;
  /** What the network made of the pictures, where it is to give its input. */
  copies: Pictures | null;
  made?: Made | null;
  peakBytes: number;
  place: GridCell | null;
}

export const isOver = ({ state }: Run) => state !== "running" && state !== "paused";

/** The least loss and the largest accuracy of any validation; of the steps where there was none. */
export function bestOf(run: Run): { loss: number | null; accuracy: number | null } {
  const losses = run.epochs.map(({ loss }) => loss).filter(Number.isFinite);
  const rates = run.epochs.flatMap(({ accuracy }) => (accuracy === null ? [] : [accuracy]));
  return {
    loss: losses.length > 0 ? Math.min(...losses) : null,
    accuracy: rates.length > 0 ? Math.max(...rates) : null,
  };
}

/** The settings of a run as texts, in the order of the form. */
export function settingsOf({ net, training, device }: Pick<Run, "net" | "training" | "device">) {
  const { optimizer_args, ...plain } = training;
  const settings: Record<string, string> = { network: net.name, data: plain.data, loss: plain.loss };
  if (plain.objective) settings.objective = plain.objective;
  settings.optimizer = plain.optimizer;
  for (const [name, value] of Object.entries(optimizer_args ?? ({} as Args)))
    settings[name] = typeof value === "string" ? value : JSON.stringify(value);
  settings.schedule = plain.schedule || "none";
  settings["batch size"] = String(plain.batch_size);
  settings.epochs = String(plain.epochs);
  settings.seed = String(plain.seed);
  settings.device = device;
  return settings;
}

/** Settings in which the runs differ, with each run's text; a setting that a run leaves to its default is empty. */
export function differing(runs: readonly Run[]): { name: string; texts: string[] }[] {
  const all = runs.map(settingsOf);
  const names = [...new Set(all.flatMap((each) => Object.keys(each)))];
  const rows = names.map((name) => ({ name, texts: all.map((each) => each[name] ?? "") }));
  return rows.filter(({ texts }) => new Set(texts).size > 1);
}

/** What a run is called before it is renamed. */
export function usualName(
  { net, training }: Pick<Run, "net" | "training">,
  others: readonly string[],
): string {
  const rate = training.optimizer_args?.lr;
  const base = `${net.name} ${training.optimizer}${typeof rate === "number" ? ` ${rate}` : ""}`;
  if (!others.includes(base)) return base;
  let count = 2;
  while (others.includes(`${base} (${count})`)) count++;
  return `${base} (${count})`;
}

/** Seconds in words. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–";
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 120) return `${whole} s`;
  const minutes = Math.round(whole / 60);
  return minutes < 120 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}

/** The settings of a run that is to be, one or two of them another. */
export function withSetting(training: Training, name: string, value: string): Training {
  const known: Record<string, "batch_size" | "epochs" | "seed"> = {
    "batch size": "batch_size",
    epochs: "epochs",
    seed: "seed",
  };
  const field = known[name];
  if (field) return { ...training, [field]: Number(value) };
  if (name === "optimizer") return { ...training, optimizer: value, optimizer_args: rateAlone(training) };
  if (name === "schedule") return { ...training, schedule: value === "none" ? "" : value };
  return { ...training, optimizer_args: { ...training.optimizer_args, [name]: Number(value) } };
}

/** Of an optimizer's settings the rate is one of any other's. */
function rateAlone({ optimizer_args }: Training): Args {
  const rate = optimizer_args?.lr;
  return rate === undefined ? {} : { lr: rate };
}

/** Bytes in words. */
export function amount(bytes: number): string {
  const [size, unit] =
    bytes < 1e6 ? [bytes / 1e3, "KB"] : bytes < 1e9 ? [bytes / 1e6, "MB"] : [bytes / 1e9, "GB"];
  return `${size < 100 ? size.toPrecision(3) : Math.round(size)} ${unit}`;
}
