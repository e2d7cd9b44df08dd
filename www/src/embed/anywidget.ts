// A cell or a graph in Jupyter and marimo: the module that `anywidget` loads.
//
// Invariant: the model's traits are the state; what it gets back is `code`, and after each run `result`, as JSON has it.
// See docs/embed.md for the class on Python's side.
import "./index";
import type { RunResult } from "./api";

interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  on(event: string, listener: () => void): void;
  off(event: string, listener: () => void): void;
  save_changes(): void;
}

function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const kind = model.get("kind") === "graph" ? "glow-graph" : "glow-cell";
  const element = document.createElement(kind);
  element.code = String(model.get("code") ?? "");
  const theme = model.get("theme");
  if (theme === "dark" || theme === "light") element.setAttribute("theme", theme);
  const take = () => {
    const code = String(model.get("code") ?? "");
    if (code !== element.code) element.code = code;
  };
  model.on("change:code", take);
  element.addEventListener("glow-change", (event) => {
    model.set("code", event.detail.code);
    model.save_changes();
  });
  element.addEventListener("glow-result", (event) => {
    const { ok, text, error, series, millis } = event.detail satisfies RunResult;
    model.set("result", { ok, text, error, series, millis });
    model.save_changes();
  });
  el.append(element);
  return () => {
    model.off("change:code", take);
    element.remove();
  };
}

export default { render };
