// Training in the studio: a network's program runs in the studio's session, slice after slice, and a record grows.
//
// Invariant: one run at a time. Between two slices it can be paused, its rate changed, or its end come; what it computes is
// what the same program computes as a cell, whatever happens between slices. A run that ends early says why. Nothing runs
// before `train` is called.

import { t } from "../../language/language.svelte";
import { weightsOf } from "../away/weights.svelte";
import { isRefused } from "../module";
import { type Answer, session } from "../session.svelte";
import type { Studio } from "../studio.svelte";
import { trainingOf } from "../training";
import { Keeping } from "./checkpoints";
import DASHBOARD from "./dashboard.py?raw";
import { type About, FORM, type GridCell, METRICS, type Run, usualName } from "./record";
import { type LiveRun, runs } from "./runs.svelte";
import { firstNorms, guessesOf, madeOf, norms, picturesOf } from "./shown";

/** How long a slice is to take: how soon a pause comes, and how often curves grow. */
const SLICE_MILLIS = 350;
const MOST_STEPS = 512;
/** How often norms are looked at. */
const LOOK_MILLIS = 1000;
/** Points of the data, beside those that a network makes. */
const REAL_POINTS = 200;

/** What a run says when it was ended, not when it failed. */
class Ended extends Error {}

/** Names of a program's two parts in a traceback. */
export const PROGRAM = "program";
export const SLICES = "dashboard";
export { DASHBOARD };

/** Names that some programs have and others lack, and that the program before may have left in the session. */
const FORGET = `for _name in ("accuracy", "scheduler", "test", "learner", "sample", "train_step", "discriminator", "discriminator_loss",
              "discriminator_optimizer", "discriminator_scheduler"):
    globals().pop(_name, None)
`;

type Net = Run["net"];
/** What a run of a sweep has beside its network. */
type Beside = { name?: string; place?: GridCell };

class Trainer {
  /** The run that goes on. */
  run = $state.raw<LiveRun | null>(null);
  /** What is being done now, in a word or two. */
  doing = $state("");
  /** Of the current epoch's validation how much is done; null outside of one. */
  checked = $state<number | null>(null);
  /** Samples a second, of the last slices. */
  speed = $state(0);
  secondsLeft = $state(Number.POSITIVE_INFINITY);
  /** Where the rate stands. */
  rate = $state<number | null>(null);
  /** Whether a run goes on, or is being put among the runs. */
  isGoing = $state(false);
  #rateWanted: number | null = null;
  #isCancelled = false;
  #goOn: (() => void) | null = null;

  pause(): void {
    if (this.run?.record.state === "running") this.run.change({ state: "paused" });
  }

  resume(): void {
    if (this.run?.record.state !== "paused") return;
    this.run.change({ state: "running" });
    this.#goOn?.();
  }

  cancel(): void {
    if (!this.isGoing) return;
    this.#isCancelled = true;
    this.#goOn?.();
    session.stop();
  }

  /** From the next slice on. */
  setRate(rate: number): void {
    this.#rateWanted = rate;
  }

  /** Trains a network; gives its run when that is over, and null where another one goes on. */
  async train(studio: Studio, net: Net, beside: Beside = {}): Promise<LiveRun | null> {
    if (this.isGoing) return null;
    this.isGoing = true;
    this.#isCancelled = false;
    try {
      return await this.#train(studio, net, beside);
    } finally {
      this.isGoing = false;
    }
  }

  async #train(studio: Studio, net: Net, beside: Beside): Promise<LiveRun> {
    const training = trainingOf(studio.ask, net);
    const told = studio.ask("training", { net: { ...net, training } });
    await runs.load();
    const others = runs.list.map(({ record }) => record.name);
    const run = await runs.add({
      form: FORM,
      id: crypto.randomUUID(),
      number: 0,
      name: beside.name ?? usualName({ net, training }, others),
      when: Date.now(),
      net,
      training,
      device: session.devices?.current ?? "",
      state: "running",
      problem: "",
      step: 0,
      steps: 0,
      seconds: 0,
      about: null,
      changes: [],
      columns: Object.fromEntries(METRICS.map((metric) => [metric, []])) as never,
      epochs: [],
      norms: [],
      confusion: [],
      guesses: [],
      pictures: null,
      copies: null,
      made: null,
      peakBytes: 0,
      place: beside.place ?? null,
    });
    this.#begin(run);
    try {
      if (isRefused(told)) throw new Error(told.error);
      await this.#prepare(run, told.setup, studio);
      await this.#epochs(run);
      run.change({ state: "finished" });
    } catch (error) {
      if (error instanceof Ended) run.change({ state: "cancelled" });
      else run.change({ state: "failed", problem: error instanceof Error ? error.message : String(error) });
    } finally {
      run.points += 1;
      this.run = null;
      this.doing = "";
      this.checked = null;
      runs.failing = !(await run.keep());
    }
    return run;
  }

  #begin(run: LiveRun): void {
    this.run = run;
    const sweep = run.record.place?.sweep;
    const isBeside = ({ place }: Run) => sweep !== undefined && place?.sweep === sweep;
    for (const each of runs.list) each.shown = each === run || isBeside(each.record);
    this.#rateWanted = null;
    this.rate = null;
    this.speed = 0;
    this.secondsLeft = Number.POSITIVE_INFINITY;
  }

  /** Runs the network's program up to its first step. */
  async #prepare(run: LiveRun, setup: string, studio: Studio): Promise<void> {
    this.doing = t("Python is being opened");
    await session.putShelf();
    this.#goesOn();
    this.doing = t("The data is being made ready");
    const weights = weightsOf(run.record.net);
    session.trained = null;
    this.#taken(await session.run(FORGET, { cell: SLICES }));
    this.#taken(await session.run(setup, { cell: PROGRAM }));
    // A file that was opened has the weights to begin with.
    if (weights.from === "file") {
      const { make } = await import("../away/asking");
      await make(studio, run.record.net, weights);
      this.#taken(await session.run("model.load_state_dict(_network.net.state_dict())", { cell: SLICES }));
    }
    const told = this.#taken(await session.run(DASHBOARD, { cell: SLICES }));
    const about = JSON.parse(told.text.trim().split("\n").at(-1) ?? "") as About;
    session.trained = { net: run.record.net, run: run.record.id };
    const steps = about.batches * run.record.training.epochs;
    run.change({ about, steps, norms: firstNorms(about), device: session.devices?.current ?? "" });
    this.doing = t("The first step is being computed");
  }

  async #epochs(run: LiveRun): Promise<void> {
    const { about, training } = run.record;
    if (!about) return;
    const pace = { steps: new Pace(MOST_STEPS), checks: new Pace(MOST_STEPS), checkSeconds: 0, looked: 0 };
    const keeping = new Keeping(run.record.id, run.record.steps);
    for (let epoch = 1; epoch <= training.epochs; epoch++) {
      let inEpoch = 0;
      while (inEpoch < about.batches) {
        await this.#between(run);
        const left = about.batches - inEpoch;
        const taken = await this.#slice(run, about, pace.steps, left, inEpoch);
        inEpoch += taken;
        const toCheck = (training.epochs - epoch + 1) * pace.checkSeconds;
        this.secondsLeft = (run.record.steps - run.record.step) * pace.steps.each + toCheck;
        if (performance.now() - pace.looked > LOOK_MILLIS || inEpoch === about.batches) {
          run.change({ norms: norms(run.record.norms, this.#taken(await session.call("_norms")).values) });
          pace.looked = performance.now();
        }
        if (inEpoch < about.batches && keeping.isDue(run.record.step)) await keeping.keep(run.record.step);
        if (taken === 0)
          throw new Error(`The data gave ${inEpoch} batches, and ${about.batches} were expected.`);
      }
      // The end of the epoch is a question of its own: the batches are used up.
      this.#taken(await session.call("_advance", [1]));
      pace.checkSeconds = await this.#validate(run, about, epoch, pace.checks);
      await this.#look(run, about, epoch);
      if (epoch < training.epochs && keeping.isDue(run.record.step)) await keeping.keep(run.record.step);
      void run.keep();
    }
    this.secondsLeft = 0;
  }

  /** Some steps; gives how many there were. */
  async #slice(run: LiveRun, about: About, pace: Pace, left: number, inEpoch: number): Promise<number> {
    const began = performance.now();
    const answer = this.#taken(await session.call("_advance", [Math.min(pace.next, left)]));
    this.doing = "";
    const [rate = 0, hits = 0, ...losses] = answer.values;
    const seconds = (performance.now() - began) / 1000;
    pace.note(losses.length, seconds);
    const { batch_size } = run.record.training;
    const before = run.record.step;
    losses.forEach((loss, index) => {
      run.add("loss", "training", before + index + 1, loss);
    });
    const seen = (batches: number) => Math.min(batches * batch_size, about.samples);
    const samples = seen(inEpoch + losses.length) - seen(inEpoch);
    const step = before + losses.length;
    if (about.classes > 0 && samples > 0)
      run.add("accuracy", "training", step, hits / (samples * about.places));
    if (about.opponent && losses.length > 0) run.add("loss", "discriminator", step, hits / losses.length);
    run.add("learning rate", "learning rate", before + 1, rate);
    if (seconds > 0) {
      this.speed = this.speed === 0 ? samples / seconds : 0.7 * this.speed + 0.3 * (samples / seconds);
      run.add("samples/s", "samples/s", step, samples / seconds);
    }
    this.rate = rate;
    run.points += losses.length;
    const { peakBytes } = answer;
    run.change({ step, seconds: run.record.seconds + seconds, peakBytes });
    return losses.length;
  }

  /** Goes through the validation data; gives how many seconds that took. */
  async #validate(run: LiveRun, about: About, epoch: number, pace: Pace): Promise<number> {
    const { step } = run.record;
    if (about.tests === 0) return 0;
    const began = performance.now();
    let paused = 0;
    let [loss, accuracy, n] = [0, 0, 0];
    this.doing = t("Validation");
    while (n < about.tests) {
      this.checked = n / about.tests;
      const stood = performance.now();
      await this.#between(run);
      paused += performance.now() - stood;
      const slice = performance.now();
      [loss = 0, accuracy = 0, n = about.tests] = this.#taken(
        await session.call("_validate", [pace.next]),
      ).values;
      pace.note(pace.next, (performance.now() - slice) / 1000);
    }
    this.doing = "";
    this.checked = null;
    const seconds = (performance.now() - began - paused) / 1000;
    run.add("loss", "validation", step, loss);
    if (about.classes > 0) run.add("accuracy", "validation", step, accuracy);
    const row = { epoch, step, loss, accuracy: about.classes > 0 ? accuracy : null };
    run.points += 1;
    run.change({ epochs: [...run.record.epochs, row], seconds: run.record.seconds + seconds });
    return seconds;
  }

  /** What the network now makes of some samples. */
  async #look(run: LiveRun, about: About, epoch: number): Promise<void> {
    if (about.made) {
      const real = about.shape.length === 1 ? Math.min(REAL_POINTS, about.samples) : 0;
      const values = this.#taken(await session.call("_made", [real]));
      run.change({ made: madeOf(about, values, { epoch, real }) });
    }
    if (about.tests === 0) return;
    const confusion = this.#taken(await session.call("_confusion")).values;
    run.change({ confusion });
    const isOne = about.classes > 0 && about.places === 1;
    if (!isOne && !about.copy) return;
    const pictures = picturesOf(about, this.#taken(await session.call("_pictures")));
    const copies = about.copy ? picturesOf(about, this.#taken(await session.call("_copies"))) : null;
    const guesses = isOne ? guessesOf(this.#taken(await session.call("_guesses")).values) : [];
    run.change({ pictures, copies, guesses });
  }

  /** Between two slices: a pause lasts here, and a rate is set. */
  async #between(run: LiveRun): Promise<void> {
    this.#goesOn();
    if (run.record.state === "paused") {
      void run.keep();
      await new Promise<void>((resolve) => {
        this.#goOn = resolve;
      });
      this.#goOn = null;
      this.#goesOn();
    }
    const rate = this.#rateWanted;
    if (rate === null) return;
    this.#rateWanted = null;
    this.#taken(await session.run(`_dashboard.set_rate(${rate})`, { cell: SLICES }));
    this.rate = rate;
    run.change({ changes: [...run.record.changes, { step: run.record.step + 1, rate }] });
  }

  #goesOn(): void {
    if (this.#isCancelled) throw new Ended();
  }

  /** The answer, where it is one. */
  #taken<Some extends Answer>(answer: Some): Some {
    this.#goesOn();
    const { error } = answer;
    if (error)
      throw new Error(error.kind === "EngineLost" ? error.message : `${error.kind}: ${error.message}`);
    return answer;
  }
}

/** How many steps make a slice. */
class Pace {
  next = 1;
  /** Seconds of one. */
  each = 0;

  constructor(readonly most: number) {}

  note(steps: number, seconds: number): void {
    if (steps === 0) return;
    const each = seconds / steps;
    this.each = this.each === 0 ? each : 0.6 * this.each + 0.4 * each;
    const fits = Math.floor(SLICE_MILLIS / 1000 / Math.max(each, 1e-6));
    // Fast beginnings are no promise.
    this.next = Math.max(1, Math.min(fits, this.next * 4, this.most));
  }
}

export const trainer = new Trainer();
