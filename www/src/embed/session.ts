// Python for a page's own code: a worker of its own, runs one after another, and their results as plain data.
//
// Invariant: every run settles. It resolves when the code raised, was stopped or lost its worker, and rejects when Python
// could not be loaded or the session was ended. A stop reaches the run that was meant, not one that is before it.
import { EngineClient, EngineLost } from "../engine/client";
import { spawnWorker } from "../engine/spawn";
import { Output } from "../notebook/output.svelte";
import type { ErrorInfo, StageGraph } from "../protocol";
import type { PythonSession, RunOptions, RunResult } from "./api";
import { cutOff, finite, resultOf } from "./result";

/** The line before a value, which no print of a program's makes by accident. */
const MARK = "\u0000glowgrad value\u0000";

/** Prints an expression's value as JSON: what JSON has no word for becomes its list, its number or its text. */
function printValue(expression: string): string {
  const plain =
    "lambda v: v.tolist() if hasattr(v, 'tolist') else list(v) if isinstance(v, (set, tuple)) else str(v)";
  return `print(${JSON.stringify(MARK)} + __import__("json").dumps((\n${expression}\n), default=${plain}))`;
}

export class Session implements PythonSession {
  private readonly client: EngineClient;
  private last: Promise<unknown> = Promise.resolve();
  private ended = false;
  private used = false;
  private loading: RunOptions["onLoading"];

  /** One that is `forgetful` begins each run without variables. */
  constructor(private readonly forgetful = false) {
    this.client = new EngineClient("python", spawnWorker, () => {
      const { status } = this.client;
      if (status.phase === "loading" && status.total > 0) this.loading?.(status.done, status.total);
    });
  }

  run(code: string, options: RunOptions = {}): Promise<RunResult> {
    return this.after(() => this.begin(code, options));
  }

  call(name: string, values: number[], shape: number[]): Promise<number[]> {
    return this.after(async () => {
      let answer: number[] | null = null;
      let problem = "";
      await this.client.run({ type: "call", function: name, values, shape }, (event) => {
        if (event.type === "called") answer = event.values;
        if (event.type === "error") problem = `${event.error.kind}: ${event.error.message}`;
      });
      if (answer === null) throw new Error(problem || `${name} returned nothing`);
      return answer;
    });
  }

  stop(): void {
    this.client.stop();
  }

  reset(): Promise<void> {
    return this.after(async () => {
      if (this.used) await this.client.run({ type: "reset" });
      this.used = false;
    });
  }

  dispose(): void {
    this.ended = true;
    this.client.close();
  }

  private after<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const answer = this.last.then(() => {
      if (this.ended) throw new Error("this session was ended by dispose(): make another");
      return work();
    });
    this.last = answer.catch(() => {});
    return answer;
  }

  private async begin(code: string, options: RunOptions): Promise<RunResult> {
    const { name = "script", value, signal, timeout, onText } = options;
    const output = new Output();
    let graph: StageGraph | null = null;
    const result = (error: ErrorInfo | null): RunResult => {
      output.flush();
      return { ...resultOf(output, graph), ok: error === null, error };
    };
    if (signal?.aborted) return result(cutOff("stopped before it began"));
    this.loading = options.onLoading;
    const stop = () => this.client.stop();
    signal?.addEventListener("abort", stop);
    const timer = timeout === undefined ? undefined : setTimeout(stop, timeout);
    try {
      if (this.forgetful && this.used) await this.client.run({ type: "reset" });
      this.used = true;
      await this.client.run({ type: "runCell", cell: name, source: code }, (event) => {
        if (event.type === "graph") graph = event.graph;
        if (event.type === "stdout") onText?.(event.text);
        output.take(event);
      });
      if (output.error || value === undefined) return result(output.error);
      const found = await this.evaluate(value);
      return "error" in found ? result(found.error) : { ...result(null), value: found.value };
    } catch (error) {
      if (!(error instanceof EngineLost)) throw error;
      if (this.ended || (!error.stopped && this.client.status.phase === "failed")) throw error;
      this.used = false;
      return result(error.stopped ? cutOff(error.message) : cutOff(error.message, "EngineLost"));
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      this.loading = undefined;
    }
  }

  private async evaluate(expression: string): Promise<{ value: unknown } | { error: ErrorInfo }> {
    let text = "";
    let error: ErrorInfo | null = null;
    await this.client.run({ type: "runCell", cell: "value", source: printValue(expression) }, (event) => {
      if (event.type === "stdout") text += event.text;
      if (event.type === "error") error = event.error;
    });
    if (error) return { error };
    return { value: JSON.parse(finite(text.slice(text.lastIndexOf(MARK) + MARK.length))) };
  }
}

let shared: Session | null = null;

/** The session in which no variable stays: of `run`, `graph` and all graphs of the page. */
export function sharedSession(): Session {
  shared ??= new Session(true);
  return shared;
}

export function endShared(): void {
  shared?.dispose();
  shared = null;
}
