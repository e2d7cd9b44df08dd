// The learner's work as a file to keep or to carry to another computer.
//
// Invariant: what `write` makes, `read` takes back; a file that is not ours is refused in one
// sentence and changes nothing.
import type { Progress, Saved, Text } from "./store";

const FORMAT = "glowgrad-progress";
const VERSION = 1;

export function write(saved: Saved): string {
  return `${JSON.stringify({ format: FORMAT, version: VERSION, ...saved }, null, 2)}\n`;
}

export function read(text: string): Saved {
  const file = parse(text);
  if (!isRecord(file) || file.format !== FORMAT) {
    throw new Error("This is not a glowgrad progress file. Choose one that this page saved.");
  }
  if (file.version !== VERSION) {
    throw new Error(`This file has version ${String(file.version)}; this page reads version ${VERSION}.`);
  }
  const { texts, progress } = file;
  if (!Array.isArray(texts) || !texts.every(isText) || !isRecord(progress)) {
    throw new Error("This progress file is damaged: its texts or its progress cannot be read.");
  }
  const entries = Object.entries(progress);
  for (const [lesson, value] of entries) {
    if (!isProgress(value)) throw new Error(`This progress file is damaged at the lesson ${lesson}.`);
  }
  return {
    texts: texts.map(({ lesson, block, source }) => ({ lesson, block, source })),
    progress: Object.fromEntries(entries as [string, Progress][]),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is Text {
  return (
    isRecord(value) && [value.lesson, value.block, value.source].every((part) => typeof part === "string")
  );
}

function isProgress(value: unknown): value is Progress {
  return (
    isRecord(value) &&
    isStrings(value.cells) &&
    isStrings(value.exercises) &&
    isRecord(value.quizzes) &&
    Object.values(value.quizzes).every((choice) => Number.isInteger(choice))
  );
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
