// The state of a `<glow-graph>`: its code, how its run goes, and the graph that came of it.
import { t } from "../language/language.svelte";
import type { StageGraph } from "../protocol";
import type { RunResult } from "./api";
import type { Session } from "./session";

export class Drawing {
  code = $state("");
  graph = $state.raw<StageGraph | null>(null);
  busy = $state(false);
  /** Bytes of Python that have arrived, and all; null when it is there. */
  loading = $state.raw<{ done: number; total: number } | null>(null);
  problem = $state("");
  private stopping = new AbortController();

  constructor(private readonly session: () => Session) {}

  async run(): Promise<RunResult> {
    const stopping = new AbortController();
    this.stopping = stopping;
    this.busy = true;
    this.problem = "";
    try {
      const result = await this.session().run(this.code, {
        signal: stopping.signal,
        onLoading: (done, total) => {
          this.loading = done < total ? { done, total } : null;
        },
      });
      const { error } = result;
      if (error?.kind === "KeyboardInterrupt") this.problem = `${t("Stopped")}.`;
      else if (error)
        this.problem = `${error.line ? `${t("Line {line}.", { line: error.line })} ` : ""}${error.kind}: ${error.message}`;
      else if (!result.graph)
        this.problem = t("The script ran and drew no graph: call backward() on a tensor with one element.");
      if (result.graph) this.graph = result.graph;
      return result;
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
      throw error;
    } finally {
      this.busy = false;
      this.loading = null;
    }
  }

  stop(): void {
    this.stopping.abort();
  }
}
