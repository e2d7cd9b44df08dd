// What a learning platform is told of a lesson: status, score, place, time, and the progress itself.
//
// Invariant: a value is written when it has changed, and committed with it. A status never goes back; a platform that
// shows the lesson for review or browsing is told the time alone. What comes back from a platform is checked.
import { type Completion, completionOf, type Work } from "../course/completion";
import type { LessonSummary } from "../protocol";
import type { Progress } from "../store/merge";
import type { Platform } from "./platform";

/** Characters of `cmi.suspend_data`. */
const MOST_SUSPENDED = 4096;
/** How an exercise counts beside a question. */
const EXERCISE = 4;

/** From 0 to 100: exercises passed and questions answered right; of a lesson without either, cells run. */
export function scoreOf({ cells, exercises, questions }: Completion): number {
  const all = EXERCISE * exercises.all + questions.all;
  const done = EXERCISE * exercises.done + questions.done;
  const share = all > 0 ? done / all : cells.all > 0 ? cells.done / cells.all : 0;
  return Math.round(100 * share);
}

/** `0001:02:03`, as a CMITimespan. */
export function timespan(millis: number): string {
  const seconds = Math.max(0, Math.floor(millis / 1000));
  const pad = (value: number, length: number) => String(value).padStart(length, "0");
  const hours = Math.min(9999, Math.floor(seconds / 3600));
  return `${pad(hours, 4)}:${pad(Math.floor(seconds / 60) % 60, 2)}:${pad(seconds % 60, 2)}`;
}

/** Progress as a text that a platform keeps; without the cells where it is too long. */
export function suspended({ cells, exercises, quizzes, tried = [], seen = [] }: Progress): string {
  const whole = JSON.stringify([1, cells, exercises, quizzes, tried, seen]);
  if (whole.length <= MOST_SUSPENDED) return whole;
  const short = JSON.stringify([1, [], exercises, quizzes, tried, seen]);
  return short.length <= MOST_SUSPENDED ? short : "";
}

/** What a platform kept; null for anything else. */
export function resumed(text: string): Progress | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value) || value[0] !== 1 || value.length !== 6) return null;
    const [, cells, exercises, quizzes, tried, seen] = value as unknown[];
    const lists = [cells, exercises, tried, seen];
    const areTexts = (list: unknown) => Array.isArray(list) && list.every((each) => typeof each === "string");
    if (!lists.every(areTexts) || typeof quizzes !== "object" || quizzes === null) return null;
    const answers = Object.entries(quizzes as Record<string, unknown>);
    if (!answers.every(([, option]) => Number.isSafeInteger(option))) return null;
    return {
      cells: cells as string[],
      exercises: exercises as string[],
      quizzes: Object.fromEntries(answers) as Record<string, number>,
      tried: tried as string[],
      seen: seen as string[],
    };
  } catch {
    return null;
  }
}

const DONE = ["completed", "passed", "failed"];

export class Report {
  private readonly told = new Map<string, string>();
  private status = "";
  private finished = false;
  private isWatched = true;
  private readonly begun: number;

  constructor(
    private readonly platform: Platform,
    private readonly lesson: LessonSummary,
    private readonly work: Work | undefined,
    private readonly now: () => number = Date.now,
  ) {
    this.begun = now();
  }

  /** Opens the session; gives the progress that the platform kept, null where it has none. */
  begin(): Progress | null {
    if (!this.platform.begin()) return null;
    this.isWatched = !["review", "browse"].includes(this.platform.read("cmi.core.lesson_mode"));
    this.status = this.platform.read("cmi.core.lesson_status");
    return resumed(this.platform.read("cmi.suspend_data"));
  }

  update(progress: Progress): void {
    if (!this.platform.isOpen || !this.isWatched) return;
    const completion = completionOf(this.lesson, this.work, progress);
    this.finished = completion.finished;
    const changed = [
      this.tell("cmi.core.score.min", "0"),
      this.tell("cmi.core.score.max", "100"),
      this.tell("cmi.core.score.raw", String(scoreOf(completion))),
      this.tell("cmi.core.lesson_location", (progress.last?.block ?? "").slice(0, 255)),
      this.tell("cmi.suspend_data", suspended(progress)),
      !DONE.includes(this.status) && this.tellStatus(completion.finished ? "completed" : "incomplete"),
    ];
    if (changed.includes(true)) this.platform.commit();
  }

  /** The page is left: the platform is told for how long it was open. */
  end(): void {
    if (!this.platform.isOpen) return;
    this.tell("cmi.core.session_time", timespan(this.now() - this.begun));
    this.tell("cmi.core.exit", this.finished ? "" : "suspend");
    this.platform.commit();
    this.platform.finish();
    this.told.clear();
  }

  private tellStatus(status: string): boolean {
    this.status = status;
    return this.tell("cmi.core.lesson_status", status);
  }

  private tell(name: string, value: string): boolean {
    if (this.told.get(name) === value) return false;
    this.told.set(name, value);
    this.platform.write(name, value);
    return true;
  }
}
