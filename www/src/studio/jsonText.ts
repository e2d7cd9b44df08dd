// A network's JSON as a person reads it: a node a line, as `Architecture::to_json` writes it.
//
// Invariant: the text is JSON of the same value; members stand in one order, whatever order they came in.

const ORDER = [
  "format",
  "version",
  "name",
  "note",
  "id",
  "type",
  "same",
  "parameters",
  "args",
  "inputs",
  "children",
  "nodes",
  "outputs",
  "blocks",
  "training",
];
const WIDTH = 110;

export function jsonText(value: unknown): string {
  return `${laidOut(value, "")}\n`;
}

function laidOut(value: unknown, indent: string): string {
  const line = inLine(value);
  if (indent.length + line.length <= WIDTH || typeof value !== "object" || value === null) return line;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    return `[\n${value.map((item) => inner + laidOut(item, inner)).join(",\n")}\n${indent}]`;
  }
  const parts = members(value).map(
    ([name, member]) => `${inner}${JSON.stringify(name)}: ${laidOut(member, inner)}`,
  );
  return `{\n${parts.join(",\n")}\n${indent}}`;
}

function inLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${members(value)
    .map(([name, member]) => `${JSON.stringify(name)}: ${inLine(member)}`)
    .join(", ")}}`;
}

function members(value: object): [string, unknown][] {
  const rank = (name: string) => (ORDER.indexOf(name) + 1 || ORDER.length + 1) - 1;
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

/** The line of a network's JSON text on which a node stands, counted from 1. */
export function lineOf(text: string, id: string): number | null {
  const at = text.split("\n").findIndex((line) => line.includes(`"id": ${JSON.stringify(id)},`));
  return at < 0 ? null : at + 1;
}
