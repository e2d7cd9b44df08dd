// The learner's work as a file to keep or to carry to another computer.
//
// Invariant: what `write` makes, `read` takes back; a file that is not ours, is damaged or is too
// large is refused in one sentence and changes nothing. Of what it holds, only what is known here is
// taken, so that a file can bring in no more than texts and progress.
import { t } from "../language/language.svelte";
import { MOST_PROGRESS_BYTES, PROGRESS_FORMAT, PROGRESS_VERSION } from "../protocol/generated/progressFile";
import type { Progress, Saved, Text } from "./store";

const MOST_TEXTS = 5_000;
const MOST_LESSONS = 1_000;
const MOST_IDS = 1_000;
const LONGEST_TEXT = 256 * 1024;
const LONGEST_NAME = 200;

export function write({ texts, progress }: Saved): string {
  const plain = texts.map(({ lesson, block, source }) => ({ lesson, block, source }));
  return `${JSON.stringify({ format: PROGRESS_FORMAT, version: PROGRESS_VERSION, texts: plain, progress }, null, 2)}\n`;
}

/** Reads a file that the learner chose; its size is judged before its text is. */
export async function readFile(file: { size: number; text(): Promise<string> }): Promise<Saved> {
  if (file.size > MOST_PROGRESS_BYTES) {
    const size = (file.size / 1e6).toFixed(0);
    throw new Error(
      t("This file has {size} MB; a progress file has {most} at most. Choose one that this page saved.", {
        size,
        most: MOST_PROGRESS_BYTES / 1024 / 1024,
      }),
    );
  }
  let text: string;
  try {
    text = await file.text();
  } catch {
    throw new Error(t("This file cannot be read. It may have been moved or changed; choose it again."));
  }
  return read(text);
}

export function read(text: string): Saved {
  const file = parse(text);
  if (!isRecord(file) || file.format !== PROGRESS_FORMAT) {
    throw new Error(t("This is not a glowgrad progress file. Choose one that this page saved."));
  }
  if (file.version !== PROGRESS_VERSION) {
    throw new Error(
      t(
        "This file has version {version}; this page reads version {own}. Save it again with a page of this version.",
        { version: brief(file.version), own: PROGRESS_VERSION },
      ),
    );
  }
  const { texts, progress } = file;
  if (!Array.isArray(texts) || !isRecord(progress)) {
    throw new Error(t("This progress file is damaged: its texts or its progress are missing."));
  }
  const lessons = Object.entries(progress);
  if (texts.length > MOST_TEXTS || lessons.length > MOST_LESSONS) {
    throw new Error(
      t(
        "This progress file names {n} texts and {m} lessons; {texts} and {lessons} are the most that this page takes.",
        { n: texts.length, m: lessons.length, texts: MOST_TEXTS, lessons: MOST_LESSONS },
      ),
    );
  }
  return {
    texts: texts.map((value, index) => {
      if (!isText(value)) throw new Error(t("This progress file is damaged at text {n}.", { n: index + 1 }));
      const { lesson, block, source } = value;
      return { lesson, block, source };
    }),
    progress: Object.fromEntries(
      lessons.map(([lesson, value]) => {
        const found = isName(lesson) ? progressOf(value) : null;
        if (!found)
          throw new Error(t("This progress file is damaged at the lesson {name}.", { name: brief(lesson) }));
        return [lesson, found];
      }),
    ),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A foreign value in a sentence. */
function brief(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "none");
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= LONGEST_NAME;
}

function isText(value: unknown): value is Text {
  return (
    isRecord(value) &&
    isName(value.lesson) &&
    isName(value.block) &&
    typeof value.source === "string" &&
    value.source.length <= LONGEST_TEXT
  );
}

/** The parts of a lesson's progress that are known here; null when one of them is not sound. */
function progressOf(value: unknown): Progress | null {
  if (!isRecord(value)) return null;
  const { cells, exercises, quizzes, predictions = {}, tried = [], seen = [], last } = value;
  if (![cells, exercises, tried, seen].every(isNames) || !isRecord(quizzes)) return null;
  const answers = Object.entries(quizzes);
  if (answers.length > MOST_IDS || !answers.every(([id, choice]) => isName(id) && isCount(choice)))
    return null;
  if (!isRecord(predictions)) return null;
  const said = Object.entries(predictions);
  if (said.length > MOST_IDS || !said.every(([id, text]) => isName(id) && isName(text))) return null;
  if (last !== undefined && !(isRecord(last) && isName(last.block) && isCount(last.when))) return null;
  return {
    cells: cells as string[],
    exercises: exercises as string[],
    quizzes: Object.fromEntries(answers) as Record<string, number>,
    predictions: Object.fromEntries(said) as Record<string, string>,
    tried: tried as string[],
    seen: seen as string[],
    ...(last ? { last: { block: last.block as string, when: last.when as number } } : {}),
  };
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.length <= MOST_IDS && value.every(isName);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
