// Finding a sentence in the lessons, or an op, by the words of a query.
//
// Invariant: pure and fast enough for each key. A result holds every word of the query, counting the
// titles it stands under; a result that holds them in its own words comes first. The index is made at build
// time by www/build/lessonIndex.ts.
import { t } from "../language/language.svelte";
import type { OpEntry } from "../protocol";
import { distance } from "../reference/search";

export type Kind = "section" | "prose" | "exercise" | "question" | "code";

/** A sentence, a title or a line of code. */
export interface Entry {
  kind: Kind;
  /** The id of the element in the lesson that shows it. */
  at: string;
  text: string;
  /** Place of its section in the lesson's list; -1 before the first. */
  section: number;
  /** Terms that are explained here. */
  terms?: string[];
}

export interface LessonIndex {
  slug: string;
  number: number;
  title: string;
  part: string;
  outcome: string;
  sections: { id: string; title: string }[];
  entries: Entry[];
}

export interface OpIndex {
  kind: OpEntry["kind"];
  name: string;
  aliases: string[];
  doc: string;
}

export interface SearchIndex {
  lessons: LessonIndex[];
  ops: OpIndex[];
}

/** One result: its text, and where it leads. */
export interface Hit {
  kind: Kind | "lesson" | "op";
  /** A lesson's slug, or an op's name. */
  target: string;
  /** The element in the lesson; null is its beginning. */
  at: string | null;
  /** The title of its section. */
  under: string;
  text: string;
  /** Parts of the text that fit the query, in order, not overlapping. */
  marks: [from: number, to: number][];
  score: number;
}

export interface Group {
  title: string;
  /** The lesson's number; null for the op reference. */
  number: number | null;
  hits: Hit[];
  /** How many more there are than are listed. */
  more: number;
}

export interface Found {
  groups: Group[];
  /** All that fit, listed or not. */
  count: number;
}

const PER_LESSON = 4;
const OPS = 4;
const GROUPS = 8;
const WEIGHT: Record<Kind, number> = { section: 60, exercise: 55, prose: 30, question: 25, code: 18 };
const LESSON = 100;
const TERM = 40;

/** Words of a question that do not help to find its answer. */
const EMPTY = new Set(
  "a an and are do does how i in is it my of on or the to what when where why".split(" "),
);

/** The words of a query, in small letters, as names stand in code: without a call's arguments. */
export function wordsOf(query: string): string[] {
  const bare = (word: string) =>
    word
      .toLowerCase()
      .replace(/^[^\p{L}\p{N}_+*@/=-]+|[^\p{L}\p{N}_+*@/=-]+$/gu, "")
      .replace(/^(?:torch|tensor|x|f|nn|optim|lab)\.(?=\w)/, "")
      .replace(/(\w)\(.*/, "$1");
  const words = [...new Set(query.split(/\s+/).map(bare).filter(Boolean))].slice(0, 8);
  const telling = words.filter((word) => !EMPTY.has(word));
  return telling.length > 0 ? telling : words;
}

/** Where a word begins in a text of small letters, a whole word before a part of one; -1 if nowhere. */
function place(text: string, word: string): { at: number; fit: number } {
  let part = -1;
  let start = -1;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const before = at > 0 && /[\p{L}\p{N}]/u.test(text[at - 1] ?? "");
    const after = /[\p{L}\p{N}]/u.test(text[at + word.length] ?? "");
    if (!before && !after) return { at, fit: 1 };
    if (!before && start < 0) start = at;
    if (part < 0) part = at;
  }
  if (start >= 0) return { at: start, fit: 0.8 };
  // Inside a word, two letters fit almost anything.
  return part >= 0 && word.length > 2 ? { at: part, fit: 0.45 } : { at: -1, fit: 0 };
}

/** How well a text fits, with the titles above it to help; null where a word is in neither. */
function match(text: string, words: string[], context: string): { fit: number; marks: Hit["marks"] } | null {
  const small = text.toLowerCase();
  const marks: Hit["marks"] = [];
  let sum = 0;
  for (const word of words) {
    const here = place(small, word);
    if (here.fit > 0) {
      marks.push([here.at, here.at + word.length]);
      sum += here.fit;
    } else {
      const above = place(context, word).fit;
      if (above === 0) return null;
      sum += above * 0.3;
    }
  }
  // Titles alone do not make a sentence fit.
  if (marks.length === 0) return null;
  const phrase = words.length > 1 && small.includes(words.join(" ")) ? 0.5 : 0;
  return { fit: sum / words.length + phrase, marks: joined(marks) };
}

/** A part of a text. */
export interface Piece {
  text: string;
  marked: boolean;
}

/** The text cut where it fits the query; with its beginning left out where the first place would end beyond `room` letters. */
export function excerpt({ text, marks }: Pick<Hit, "text" | "marks">, room: number): Piece[] {
  const [begin, end] = marks[0] ?? [0, 0];
  // A word begins there, or the place itself.
  const from =
    end <= room ? 0 : Math.min(begin, text.indexOf(" ", begin - Math.round(room / 2)) + 1 || begin);
  const pieces: Piece[] = from > 0 ? [{ text: "… ", marked: false }] : [];
  let at = from;
  for (const [start, stop] of marks) {
    pieces.push(
      { text: text.slice(at, start), marked: false },
      { text: text.slice(start, stop), marked: true },
    );
    at = stop;
  }
  pieces.push({ text: text.slice(at), marked: false });
  return pieces.filter((piece) => piece.text !== "");
}

function joined(marks: Hit["marks"]): Hit["marks"] {
  const result: Hit["marks"] = [];
  for (const [from, to] of [...marks].sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

export function search(index: SearchIndex, query: string): Found {
  const words = wordsOf(query);
  if (words.length === 0) return { groups: [], count: 0 };
  const groups: (Group & { best: number })[] = [];
  let count = 0;
  const add = (title: string, number: number | null, found: Hit[], most: number) => {
    if (found.length === 0) return;
    count += found.length;
    found.sort((a, b) => b.score - a.score);
    const hits = found.slice(0, most);
    groups.push({ title, number, hits, more: found.length - hits.length, best: found[0]?.score ?? 0 });
  };
  for (const lesson of index.lessons) add(lesson.title, lesson.number, inLesson(lesson, words), PER_LESSON);
  add(t("Reference"), null, inOps(index.ops, words), OPS);
  groups.sort((a, b) => b.best - a.best);
  return { groups: groups.slice(0, GROUPS).map(({ best: _best, ...group }) => group), count };
}

function inLesson(lesson: LessonIndex, words: string[]): Hit[] {
  const hits: Hit[] = [];
  const title = match(lesson.title, words, lesson.part.toLowerCase());
  const outcome = title ? null : match(lesson.outcome, words, lesson.title.toLowerCase());
  if (title || outcome) {
    const { marks, fit: value } = (title ?? outcome) as NonNullable<typeof title>;
    const text = title ? lesson.title : lesson.outcome;
    const score = value * (title ? LESSON : WEIGHT.prose);
    hits.push({ kind: "lesson", target: lesson.slug, at: null, under: lesson.part, text, marks, score });
  }
  const lines = new Set<string>();
  for (const entry of lesson.entries) {
    const under = lesson.sections[entry.section]?.title ?? "";
    const found = match(entry.text, words, `${lesson.title} ${under}`.toLowerCase());
    if (!found) continue;
    // The same line of code in several cells says nothing new.
    if (entry.kind === "code" && lines.has(entry.text)) continue;
    lines.add(entry.text);
    const explains = entry.terms?.some((term) =>
      words.some((word) => place(term.toLowerCase(), word).fit >= 0.8),
    );
    const score = found.fit * (WEIGHT[entry.kind] + (explains ? TERM : 0));
    const { kind, at, text } = entry;
    hits.push({ kind, target: lesson.slug, at, under, text, marks: found.marks, score });
  }
  return hits;
}

function inOps(ops: OpIndex[], words: string[]): Hit[] {
  const kinds: Record<OpEntry["kind"], string> = {
    op: t("Op"),
    class: t("Class"),
    function: t("Function"),
    property: t("Property"),
  };
  const hits: Hit[] = [];
  for (const { kind, name, aliases, doc } of ops) {
    const text = `${name}: ${doc}`;
    const found = match(text, words, aliases.join(" ").toLowerCase());
    if (!found && !words.every((word) => aliases.some((alias) => alias.toLowerCase().startsWith(word))))
      continue;
    const [word = ""] = words;
    const named = [name, ...aliases].some((each) => each.toLowerCase() === word);
    const begins = [name, ...aliases].some((each) => each.toLowerCase().startsWith(word));
    const weight = words.length === 1 && named ? 110 : begins ? 45 : 12;
    const marks = found?.marks ?? [];
    hits.push({
      kind: "op",
      target: name,
      at: null,
      under: kinds[kind],
      text,
      marks,
      score: (found?.fit ?? 1) * weight,
    });
  }
  return hits;
}

/** Words of the course that come near to a query that found nothing; nearest first. */
export function suggestions(index: SearchIndex, query: string, most = 3): string[] {
  const words = wordsOf(query).filter((word) => word.length > 2);
  const known = vocabulary(index);
  const near: { word: string; away: number }[] = [];
  for (const wanted of words) {
    if (known.has(wanted)) {
      near.push({ word: wanted, away: 0 });
      continue;
    }
    for (const word of known) {
      if (Math.abs(word.length - wanted.length) > 3) continue;
      const away = distance(wanted, word) / Math.max(wanted.length, word.length);
      if (away <= 0.34) near.push({ word, away });
    }
  }
  near.sort((a, b) => a.away - b.away || a.word.length - b.word.length);
  return [...new Set(near.map(({ word }) => word))].filter((word) => word !== query.trim()).slice(0, most);
}

function vocabulary(index: SearchIndex): Set<string> {
  const words = new Set<string>(index.ops.map(({ name }) => name.toLowerCase()));
  for (const lesson of index.lessons) {
    const texts = [
      lesson.title,
      ...lesson.entries.filter(({ kind }) => kind !== "code").map(({ text }) => text),
    ];
    for (const text of texts)
      for (const word of text.toLowerCase().match(/\p{L}[\p{L}_]{3,}/gu) ?? []) words.add(word);
  }
  return words;
}
