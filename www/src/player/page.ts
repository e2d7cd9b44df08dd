// The page of one network: something goes in, the model runs, and what it gives is shown.
//
// Invariant: everything stands in the file; nothing is asked of any network. What the file tells is text, never markup.
import type { About } from "./about";
import { element, quiet, words } from "./elements";
import { field, type Read } from "./inputs";
import { type Model, run } from "./model";
import { answer, softmax } from "./outputs";
import { type Packed, unpack } from "./pack";
import { plane } from "./point";
import { empty, type Tensor } from "./tensor";
import { generator } from "./writing";

function told<Some>(id: string): Some {
  return JSON.parse(document.getElementById(id)?.textContent ?? "null") as Some;
}

/** One input of the model with these numbers. */
function tensorOf({ name, dtype, shape }: Model["inputs"][number], values: readonly number[]): Tensor {
  const made = empty(dtype, shape);
  if (values.length !== made.data.length)
    throw new Error(`${name}: ${made.data.length} numbers are expected, and ${values.length} came`);
  made.data.set(values);
  return made;
}

const results = (model: Model, values: readonly (readonly number[])[]) =>
  run(
    model,
    model.inputs.map((input, i) => tensorOf(input, values[i] ?? [])),
  );

/** What goes in and what comes out, each as elements. */
function parts(about: About, model: Model): { asked: HTMLElement[]; answered: HTMLElement[] } {
  const [only] = about.inputs;
  const problem = element("p", { className: "problem", role: "alert" });
  const failed = (error: unknown) => {
    problem.textContent = words(error);
  };
  if (only?.kind === "text") {
    const written = element("p", { className: "text", role: "status" });
    written.dataset.testid = "answer";
    const isLast = about.outputs[0]?.kind === "next" && about.outputs[0].isLast;
    const asked = generator(model, only, isLast, failed, written);
    return { asked: [asked], answered: [problem, written] };
  }

  const answers = about.outputs.map((of) => answer(of.name, of));
  const waits = quiet(
    only?.kind === "draw"
      ? "Draw, and the answer stands here."
      : "Choose a picture, and the answer stands here.",
  );
  const place = element("div", {}, waits);
  const took = quiet("");
  const reads: (Read | null)[] = about.inputs.map(() => null);
  let [waiting, turn] = [0, 0];

  async function compute() {
    const own = ++turn;
    try {
      const values = await Promise.all(reads.map((read) => (read ? read() : null)));
      // A picture may take its time; what came after it counts.
      if (own !== turn) return;
      problem.textContent = "";
      if (!values.every((each) => each !== null)) {
        place.replaceChildren(waits);
        took.textContent = "";
        return;
      }
      const began = performance.now();
      const made = results(model, values);
      answers.forEach(({ show }, i) => {
        const result = made[i];
        if (result) show(result);
      });
      if (place.firstChild === waits) place.replaceChildren(...answers.map((each) => each.place));
      const millis = performance.now() - began;
      took.textContent = `Computed here in ${millis < 1 ? "less than 1" : millis.toFixed(0)} ms.`;
    } catch (error) {
      if (own === turn) failed(error);
    }
  }

  const changed = (i: number) => (read: Read) => {
    reads[i] = read;
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => void compute());
  };
  const classAt = (values: number[]) => {
    const shares = softmax(results(model, [values])[0]?.data ?? []);
    return shares.indexOf(Math.max(...shares));
  };
  const asked = about.inputs.map((of, i) =>
    of.kind === "point" ? plane(of, classAt, changed(i)) : field(of.name, of, changed(i)),
  );
  return { asked, answered: [problem, place, took] };
}

function start() {
  const about = told<About>("about");
  const packed = told<Packed>("graph");
  const model = unpack(packed, (document.getElementById("elements")?.textContent ?? "").trim());
  const { asked, answered } = parts(about, model);
  const trained = about.isTrained ? "" : " They are not trained: what it says is chance.";
  const facts = [
    `${about.parameters.toLocaleString("en")} weights of ${packed.bits} bits.${trained}`,
    "The network runs in this page; nothing that you put in leaves it.",
  ].join(" ");
  const drawing = element("pre", { textContent: JSON.stringify(told("network"), null, 1), tabIndex: 0 });
  const both = element(
    "div",
    { className: "both" },
    element("section", { ariaLabel: "What goes in" }, ...asked),
    element("section", { ariaLabel: "What the network says" }, ...answered),
  );
  const foot = element(
    "footer",
    {},
    quiet(facts),
    element("details", {}, element("summary", { textContent: "The network as JSON" }), drawing),
    quiet("Made with glowgrad."),
  );
  const note = about.note ? [element("p", { textContent: about.note })] : [];
  const head = element("header", {}, element("h1", { textContent: about.name }), ...note);
  document.body.append(element("main", {}, head, both, foot));
}

start();
