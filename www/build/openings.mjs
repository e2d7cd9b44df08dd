// Writes what each lesson's stage shows before the learner has run anything: the graph, the memory and the kernels
// of a run of the lesson's own cells, made here by the engine that the page loads.
//
// Invariant: every number is one that the page's module computed in this build; nothing is committed. Times are left
// out: they would be this computer's. `cargo lab build` runs it after the lessons are written, and hands it the module
// in a form that Node can compile; which cell is run is the lesson's `stage:` line. Leaves reading the files to
// www/src/course/opening.ts.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

const source = new URL("../src/", import.meta.url);
const lessons = new URL("course/generated/", source);
const target = new URL("course/openings/", source);

// The glue wraps functions in what Node does not have; without it nothing is suspended.
function passThrough(wrapped) {
  return wrapped;
}
if (typeof WebAssembly.Suspending !== "function" || typeof WebAssembly.promising !== "function") {
  WebAssembly.Suspending = passThrough;
  WebAssembly.promising = passThrough;
}

const bytes = readFileSync(process.argv[2]);

const glue = await import(new URL("wasm/python/glowgrad_web.js", source));
await glue.default({ module_or_path: await WebAssembly.compile(bytes) });
let events = [];
const library = () => readFileSync(new URL("wasm/python/library.txt", source), "utf8");
const codec = () => {
  throw new Error("an opening reads no files");
};
glue.start((event) => events.push(event), false, library, codec);

let id = 0;
function command(body) {
  events = [];
  id += 1;
  glue.handle_sync({ ...body, id });
  return events;
}
const answer = (body, type) => command(body).find((event) => event.type === type);

/** The runs of an opening, in order: its own source, or the cells of the lesson down to its cell. */
function runsOf({ blocks, opening }) {
  if (opening.source !== undefined) return [{ cell: opening.cell, source: opening.source }];
  const cells = blocks.filter(({ type }) => type === "cell");
  const last = cells.findIndex((cell) => cell.id === opening.cell);
  return cells.slice(0, last + 1).map((cell) => ({ cell: cell.id, source: cell.source.trimEnd() }));
}

function openingOf(lesson) {
  command({ type: "reset" });
  let graph = null;
  for (const { cell, source } of runsOf(lesson)) {
    const told = command({ type: "runCell", cell, source });
    const error = told.find(({ type }) => type === "error");
    if (error) throw new Error(`${lesson.slug}: ${cell} does not run: ${error.error.traceback}`);
    graph = told.findLast(({ type }) => type === "graph")?.graph ?? graph;
  }
  const { list } = answer({ type: "kernels" }, "kernels");
  const { memory } = answer({ type: "memory" }, "memory");
  const kernels = { ...list, kernels: list.kernels.map((kernel) => ({ ...kernel, nanos: null })) };
  const { cell, instrument, source } = lesson.opening;
  const shown = { graph: graph?.nodes.length, memory: memory.views.length, kernels: kernels.kernels.length };
  if (!shown[instrument]) throw new Error(`${lesson.slug}: ${cell} leaves nothing for ${instrument} to show`);
  return { cell, own: source !== undefined, graph, memory, kernels };
}

/** JSON has no such number, and the page would read another. */
function finite(slug) {
  return (key, value) => {
    if (typeof value === "number" && !Number.isFinite(value)) {
      throw new Error(`${slug}: ${key} is ${value}, which JSON cannot say: open with another cell`);
    }
    return value;
  };
}

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
for (const name of readdirSync(lessons)) {
  const lesson = JSON.parse(readFileSync(new URL(name, lessons), "utf8"));
  if (!lesson.opening) continue;
  const text = JSON.stringify(openingOf(lesson), finite(lesson.slug));
  writeFileSync(new URL(name, target), text);
}
