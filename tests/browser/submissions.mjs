// The wrong submissions of the exercises, which the page is not given: read where they are written.

import { readdirSync, readFileSync } from "node:fs";

const folder = new URL("../../lessons/", import.meta.url);

/** The submissions of an exercise, each with the words that it must be answered with. */
export function wrongSubmissions(slug, { id, solution }) {
  const lesson = readdirSync(folder).find((name) => name.replace(/^\d+-/, "") === slug);
  const exercise = new URL(`${lesson}/exercises/${id}/`, folder);
  return readdirSync(exercise)
    .filter((name) => name.startsWith("wrong-"))
    .map((name) => {
      const [first, ...lines] = readFileSync(new URL(name, exercise), "utf8").split("\n");
      const text = lines.join("\n");
      return {
        name,
        mustSay: first.replace("# must say:", "").trim(),
        source: name.endsWith(".diff") ? edited(text, solution) : text,
      };
    });
}

/** A text after an edit in the form that lessons/README.md tells; crates/lesson/src/edit.rs says what is wrong with one. */
function edited(edit, text) {
  const whole = `\n${text}`;
  const hunks = edit.trim().length > 0 ? edit.replace(/^\n+|\n+$/g, "").split(/\n\n+/) : [];
  const places = hunks.map((hunk) => {
    const part = (marks) => {
      const lines = hunk.split("\n").filter((line) => marks.includes(line[0]));
      return ["", ...lines.map((line) => line.slice(1)), ""].join("\n");
    };
    const old = part(" -");
    // Every hunk is looked for in the text as it was.
    const at = whole.indexOf(old);
    if (at < 0) throw new Error(`no such lines in the solution:\n${old}`);
    return { at, end: at + old.length, lines: part(" +") };
  });
  const result = places
    .sort((a, b) => b.at - a.at)
    .reduce((rest, { at, end, lines }) => rest.slice(0, at) + lines + rest.slice(end), whole);
  return result.slice(1);
}
