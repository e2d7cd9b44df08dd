// The code of an element: its attribute `code`, a script in it that the browser does not run, or its text.
//
// Invariant: pure. Lines keep their indentation relative to each other; blank lines around the code go.

/** The code that an author wrote between an element's tags. */
export function codeOf(element: Element): string {
  const given = element.getAttribute("code");
  if (given !== null) return dedent(given);
  const script = element.querySelector("script[type^='text/'], template");
  if (script instanceof HTMLTemplateElement) return dedent(script.content.textContent ?? "");
  return dedent((script ?? element).textContent ?? "");
}

/** Takes away what all lines are indented by, and blank lines at both ends. */
export function dedent(text: string): string {
  const lines = text.replaceAll("\r\n", "\n").replaceAll("\u00a0", " ").split("\n");
  const written = lines.filter((line) => line.trim() !== "");
  const common = written.reduce<string | null>((before, line) => {
    const own = /^[ \t]*/.exec(line)?.[0] ?? "";
    if (before === null) return own;
    let length = 0;
    while (length < before.length && before[length] === own[length]) length++;
    return before.slice(0, length);
  }, null);
  return lines
    .map((line) => (line.trim() === "" ? "" : line.slice(common?.length ?? 0).trimEnd()))
    .join("\n")
    .replace(/^\n+|\n+$/g, "");
}
