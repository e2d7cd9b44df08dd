// The Python that a run of the bench sends to its session.
import text from "./bench.py?raw";
import type { Row } from "./rows";

/** What stands in `bench.py`, behind the devices and the rows. */
export const TEXT = text.trimEnd();

export function program(devices: readonly string[], rows: readonly Row[]): string {
  const list = (values: readonly string[]) =>
    `[\n${values.map((value) => `    ${JSON.stringify(value)},\n`).join("")}]`;
  return `DEVICES = ${list(devices)}\nROWS = ${list(rows.map(({ code }) => code))}\n\n${TEXT}\n`;
}
