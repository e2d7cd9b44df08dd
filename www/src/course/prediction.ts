// What a learner predicts, read and judged.
//
// Invariant: pure. A prediction is kept as the learner wrote it, and a value as Python prints it.
import { t } from "../language/language.svelte";
import type { BlockOf } from "./course";
import { allowed, distance, heightsOf, pointsOf } from "./curve";

export type Answer = BlockOf<"predict">["answer"];
export type Drawing = Extract<Answer, { kind: "drawing" }>;
/** Between the nodes of an edge; no node's name has one. */
const ARROW = " → ";

/** Where nothing else is said, a number that is no count may be off by this share of the value. */
const SHARE = 0.01;

/** What is wrong with a text as an answer of that kind; null where nothing is. */
export function complaint(answer: Answer, text: string): string | null {
  if (answer.kind === "number") return numberOf(text) === null ? t("A number, such as 0.5") : null;
  if (answer.kind === "shape")
    return sizesOf(text) === null ? t("Sizes with commas between them, such as 3, 4") : null;
  return null;
}

/** Whether the value is what was said. */
export function isRight(answer: Answer, said: string, value: string): boolean {
  if (answer.kind === "number") {
    const [mine, its] = [numberOf(said), numberOf(value)];
    if (mine === null || its === null) return false;
    const within = answer.within ?? (isWhole(value) ? 0 : SHARE * Math.abs(its));
    return mine === its || Math.abs(mine - its) <= within;
  }
  if (answer.kind === "shape") return sizesOf(said)?.join() === sizesOf(value)?.join();
  if (answer.kind === "edge") return said === edgeOf(value)?.join(ARROW);
  if (answer.kind === "drawing") {
    const apart = apartBy(answer, said, value);
    return apart !== null && apart <= allowed(answer.within);
  }
  return said === value;
}

/** The mean distance of a drawing from a value, as a share of the axes' height; null where one of them is no curve. */
export function apartBy({ x, y }: Drawing, said: string, value: string): number | null {
  const [heights, points] = [heightsOf(said), pointsOf(value, x)];
  return heights && points && distance(heights, points, x, y);
}

/** The nodes of an edge that a learner drew. */
export function drawnEdge(said: string): [from: string, to: string] | null {
  const [from, to, ...others] = said.split(ARROW);
  return from && to && others.length === 0 ? [from, to] : null;
}

/** The edge from one node to another, as it is kept. */
export const edgeSaid = (from: string, to: string) => `${from}${ARROW}${to}`;

/** The nodes of an edge as Python prints a pair of texts. */
export function edgeOf(value: string): [from: string, to: string] | null {
  const [, from, to] = /^[([]'([^']+)', '([^']+)'[)\]]$/.exec(value.trim()) ?? [];
  return from && to ? [from, to] : null;
}

/** A value or a prediction as a sentence has it. */
export function shown(answer: Answer, text: string): string {
  if (answer.kind === "shape") {
    const sizes = sizesOf(text);
    return sizes ? `(${sizes.join(", ")}${sizes.length === 1 ? "," : ""})` : text;
  }
  const number = answer.kind === "number" ? numberOf(text) : null;
  // Six digits say what is meant; Python prints seventeen.
  return number !== null && text.length > 9 ? String(Number(number.toPrecision(6))) : text.trim();
}

const isWhole = (value: string) => /^-?\d+$/.test(value.trim());

function numberOf(text: string): number | null {
  const typed = text.trim().replace("−", "-").toLowerCase();
  // A comma stands before three digits of a thousand, and elsewhere is how some write the point.
  const plain = /^-?\d{1,3}(,\d{3})+$/.test(typed) ? typed.replaceAll(",", "") : typed.replace(",", ".");
  const named = { inf: Infinity, "-inf": -Infinity, nan: NaN }[plain];
  if (named !== undefined) return named;
  const number = plain === "" ? NaN : Number(plain);
  return Number.isNaN(number) ? null : number;
}

function sizesOf(text: string): number[] | null {
  const inner = text
    .trim()
    .replace(/^torch\.Size/, "")
    .replace(/^[([]+|[)\]]+$/g, "");
  const parts = inner.split(/[,×x\s]+/).filter(Boolean);
  return parts.every((part) => /^\d+$/.test(part)) ? parts.map(Number) : null;
}
