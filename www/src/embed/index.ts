// The npm package `glowgrad`: two elements, and Python for a page's own code.
//
// Invariant: this file is all that is loaded at first; what runs and what draws comes when it is asked for. It can be
// imported where there is no page.
import type * as api from "./api";
import { GlowElement } from "./element";
import type { GraphView, View } from "./mounted";
import { codeOf } from "./source";

class GlowCell extends GlowElement<View> implements api.GlowCellElement {
  protected readonly properties = ["code"];
  protected readonly startsByItself = false;
  /** Under the code stands its bar. */
  protected readonly room = "calc(3lh + 60px)";

  protected async mount(root: ShadowRoot): Promise<View> {
    const { mountCell } = await mounting();
    return mountCell({
      root,
      code: this.code,
      label: this.getAttribute("label"),
      drawn: this.getAttribute("graph") !== "none",
      onchange: (code) => this.tell("glow-change", { code }),
      onresult: (result) => this.tell("glow-result", result),
    });
  }
}

class GlowGraph extends GlowElement<GraphView> implements api.GlowGraphElement {
  protected readonly properties = ["code", "graph"];
  protected readonly room = "var(--glow-graph-height, 380px)";
  private given: api.StageGraph | null = null;

  protected get startsByItself(): boolean {
    return this.graph === null;
  }

  get graph(): api.StageGraph | null {
    return this.shown ? this.shown.graph : this.given;
  }

  set graph(graph: api.StageGraph | null) {
    this.given = graph;
    if (this.shown) this.shown.graph = graph;
  }

  play(): void {
    this.shown?.play();
  }

  seek(position: number): void {
    this.shown?.seek(position);
  }

  protected async mount(root: ShadowRoot): Promise<GraphView> {
    const { mountGraph } = await mounting();
    return mountGraph({
      root,
      code: this.code,
      graph: this.given,
      label: this.getAttribute("label"),
      onresult: (result) => this.tell("glow-result", result),
    });
  }
}

/** Loads what runs Python; a program without a page is told so. */
async function sessions(): Promise<typeof import("./session")> {
  if (typeof Worker === "undefined" || typeof location === "undefined") {
    throw new Error("glowgrad runs Python in a browser's page, and there is none here: call it in the page");
  }
  return import("./session");
}

let views: Promise<typeof import("./mounted")> | null = null;

/** Loads what elements become. */
function mounting(): Promise<typeof import("./mounted")> {
  views = import("./mounted");
  return views;
}

/** What could not be loaded has nothing to end, and each use of it says why. */
const ignore = () => {};

const run = async (code: string, options: api.RunOptions = {}): Promise<api.RunResult> =>
  (await sessions()).sharedSession().run(code, options);

const graph = async (source: string | Element, options: api.GraphOptions = {}): Promise<api.StageGraph> => {
  const { into, ...rest } = options;
  const code = typeof source === "string" ? source : codeOf(source);
  const { graph: found, error } = await run(code, rest);
  if (error) throw Object.assign(new Error(`${error.kind}: ${error.message}`), { info: error });
  if (!found)
    throw new Error("the script ran and drew no graph: call backward() on a tensor with one element");
  if (into) {
    const element = document.createElement("glow-graph");
    element.code = code;
    element.graph = found;
    into.append(element);
  }
  return found;
};

const createSession = (): api.PythonSession => {
  const made = sessions().then(({ Session }) => new Session());
  made.catch(ignore);
  let ended = false;
  return {
    run: async (code, options) => (await made).run(code, options),
    call: async (name, values, shape) => (await made).call(name, values, shape),
    stop: () => void made.then((session) => session.stop(), ignore),
    reset: async () => (await made).reset(),
    dispose: () => {
      if (!ended) void made.then((session) => session.dispose(), ignore);
      ended = true;
    },
  };
};

const dispose = (): void => {
  void views?.then(({ endCells }) => endCells(), ignore);
  void sessions().then(({ endShared }) => endShared(), ignore);
};

if (typeof customElements !== "undefined") {
  if (!customElements.get("glow-cell")) customElements.define("glow-cell", GlowCell);
  if (!customElements.get("glow-graph")) customElements.define("glow-graph", GlowGraph);
}

const all = { run, graph, createSession, dispose } satisfies {
  [Name in "run" | "graph" | "createSession" | "dispose"]: (typeof api)[Name];
};

export { all as default, createSession, dispose, graph, run };
