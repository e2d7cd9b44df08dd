// A step of a run, computed again: the run's program, its rates and its steps up to this one, from the nearest checkpoint
// if there is one, and this one recorded.
//
// Invariant: it runs in a session of its own, which `close` ends at any time. What came out otherwise than in the run is
// told, not shown. Where a long curve was thinned, a step that is between two kept points is checked at the one before it.
import { type EngineClient, EngineLost } from "../../engine/client";
import type { CommandBody } from "../../engine/wire";
import { inspectWith } from "../../notebook/inspect";
import type { Event, Preview, StageGraph } from "../../protocol";
import { isRefused } from "../module";
import { session, writing } from "../session.svelte";
import type { Studio } from "../studio.svelte";
import { checkpoints, GO_ON, PATH } from "./checkpoints";
import type { LiveRun } from "./runs.svelte";
import { DASHBOARD, PROGRAM, SLICES } from "./trainer.svelte";

/** Steps between two looks at how far it is. */
const SLICE = 32;

/** The step as one writes it; its lines are what the nodes of the graph point to. */
const ONE_STEP = (learner: string) => `inputs, answers = next(_dashboard.batches)
optimizer.zero_grad()
output = ${learner}(inputs)
loss_now = loss(output, answers)
loss_now.backward()
print(loss_now.item())
`;
/** Of a GAN it is the generator's, after that of the discriminator. */
const BEFORE_GAME = `(real,) = next(_dashboard.batches)
discriminator_step(real)
`;
const GAME = `optimizer.zero_grad()
loss_now = generator_loss(len(real))
loss_now.backward()
print(loss_now.item())
`;

export class Replay {
  graph = $state.raw<StageGraph | null>(null);
  loss = $state<number | null>(null);
  problem = $state("");
  doing = $state("The network's program runs again.");
  done = $state(0);
  #client: EngineClient | null = null;

  constructor(
    private readonly studio: Studio,
    private readonly run: LiveRun,
    readonly step: number,
  ) {}

  readonly inspect = async (node: number): Promise<Preview> => {
    const client = this.#client;
    if (!client)
      throw new Error("The session of this step has ended. Open the step again to read whole values.");
    return await inspectWith((body, onEvent) => client.run(body, onEvent), node);
  };

  async start(): Promise<void> {
    const { record } = this.run;
    const told = this.studio.ask("training", { net: { ...record.net, training: record.training } });
    if (isRefused(told)) {
      this.problem = told.error;
      return;
    }
    const client = session.another();
    this.#client = client;
    try {
      await session.bringShelf(client);
      await this.#cell(told.setup, PROGRAM);
      await this.#cell(DASHBOARD, SLICES);
      this.doing = "The steps before it are computed again.";
      const from = checkpoints.before(record.id, this.step);
      if (from) {
        await this.#asked(writing(PATH, from.bytes));
        await this.#cell(GO_ON, SLICES);
        this.done = from.step;
        this.doing = `The steps after ${from.step}, where there is a checkpoint, are computed again.`;
      }
      const batches = record.about?.batches ?? 1;
      const rates = new Map(record.changes.map(({ step, rate }) => [step, rate]));
      const stops = [...rates.keys(), this.step].sort((a, b) => a - b);
      while (this.done < this.step - 1) {
        await this.#setRate(rates.get(this.done + 1));
        // Up to the next rate, the end of the epoch, or the step itself.
        const until = stops.find((stop) => stop > this.done + 1) ?? this.step;
        const inEpoch = batches - (this.done % batches);
        const taken = await this.#advance(Math.min(SLICE, until - 1 - this.done, inEpoch));
        if (this.#client !== client) return;
        if (taken === 0) throw new Error(`Step ${this.done + 1} could not be computed again.`);
        this.done += taken;
        if (this.done % batches === 0) await this.#endEpoch();
      }
      await this.#setRate(rates.get(this.step));
      await this.#record();
    } catch (error) {
      if (this.#client !== client) return;
      this.problem =
        error instanceof EngineLost
          ? `Step ${this.step} could not be computed again: ${error.message}`
          : error instanceof Error
            ? error.message
            : String(error);
    }
  }

  /** Ends the session. */
  close(): void {
    this.#client?.close();
    this.#client = null;
  }

  async #record(): Promise<void> {
    let graph: StageGraph | null = null;
    // An epoch that begins here has no batches yet.
    await this.#cell("_dashboard.begin()", SLICES);
    const objective = this.run.record.training.objective;
    if (objective === "gan") await this.#cell(BEFORE_GAME, SLICES);
    const step = objective === "gan" ? GAME : ONE_STEP(objective === "noise" ? "learner" : "model");
    const text = await this.#cell(step, "step", (event) => {
      if (event.type === "graph") graph = event.graph;
    });
    const loss = Number(text.trim());
    const kept = this.run.series.loss.list.find(({ name }) => name === "training");
    const at = kept?.xs.indexOf(this.step) ?? -1;
    const before = kept?.ys[at];
    if (at >= 0 && before !== undefined && Math.fround(loss) !== Math.fround(before)) {
      this.problem = `Step ${this.step} cannot be had again: its loss came out as ${loss}, and was ${before}. The run was computed on another device, or by an earlier version.`;
      return;
    }
    this.loss = loss;
    this.graph = graph;
    if (!graph) this.problem = `Step ${this.step} left no graph.`;
  }

  async #setRate(rate: number | undefined): Promise<void> {
    if (rate !== undefined) await this.#cell(`_dashboard.set_rate(${rate})`, SLICES);
  }

  async #advance(steps: number): Promise<number> {
    let taken = 0;
    await this.#asked({ type: "call", function: "_advance", values: [steps], shape: [1] }, (event) => {
      if (event.type === "called") taken = event.values.length - 2;
    });
    return taken;
  }

  /** Validation comes before the next epoch, and may draw random numbers. */
  async #endEpoch(): Promise<void> {
    await this.#advance(1);
    const { about } = this.run.record;
    if (!about?.draws) return;
    await this.#asked({ type: "call", function: "_validate", values: [about.checks], shape: [1] });
    await this.#asked({ type: "call", function: "_confusion", values: [], shape: [0] });
  }

  async #cell(source: string, cell: string, onEvent?: (event: Event) => void): Promise<string> {
    return await this.#asked({ type: "runCell", cell, source }, onEvent);
  }

  /** Gives what was printed; what was raised is an error here too. */
  async #asked(body: CommandBody, onEvent?: (event: Event) => void): Promise<string> {
    let text = "";
    let problem = "";
    await this.#client?.run(body, (event) => {
      if (event.type === "stdout") text += event.text;
      else if (event.type === "error") problem = `${event.error.kind}: ${event.error.message}`;
      onEvent?.(event);
    });
    if (problem) throw new Error(problem);
    return text;
  }
}
