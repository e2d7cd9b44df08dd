// Finding ops by the words of a query: a filter that puts the best name first, and the nearest names
// to one that does not exist.
//
// Invariant: the empty query keeps everything in its order; a result holds every word of the query,
// in its name, an alias, its `grad_fn` or its sentence. Both are pure, and fast enough for each key.
import { allOps, bareName, type OpEntry, type OpFamily, type Reference } from "./reference";

/** How well a word of the query fits an op; 0 where it does not. */
function match(op: OpEntry, word: string): number {
  const name = op.name.toLowerCase();
  const aliases = op.aliases.map((alias) => alias.toLowerCase());
  if (name === word) return 100;
  if (aliases.includes(word)) return 90;
  if (name.startsWith(word)) return 70;
  if (aliases.some((alias) => alias.startsWith(word))) return 60;
  if (name.split("_").some((part) => part.startsWith(word))) return 55;
  if (name.includes(word)) return 45;
  if (aliases.some((alias) => alias.includes(word))) return 35;
  if (op.in_place && `${name}_` === word) return 90;
  if (op.grad_fn?.toLowerCase().includes(word.replace(/[<>]/g, "")) && word.length > 3) return 30;
  const doc = op.doc.toLowerCase();
  if (doc.split(/[^\p{L}\p{N}]+/u).some((each) => each.startsWith(word))) return 20;
  return doc.includes(word) ? 10 : 0;
}

function score(op: OpEntry, words: string[]): number {
  let sum = 0;
  for (const word of words) {
    const here = match(op, word);
    if (here === 0) return 0;
    sum += here;
  }
  return sum / words.length;
}

/** The words of a query; what surrounds a name in code is taken off. */
export function words(query: string): string[] {
  return query
    .split(/\s+/)
    .map(bareName)
    .filter((word) => word !== "");
}

/** The families with the ops that fit, best first in each, the family with the best first. */
export function filterFamilies(families: OpFamily[], query: string): OpFamily[] {
  const wanted = words(query);
  if (wanted.length === 0) return families;
  return families
    .map((family) => {
      const ranked = family.ops
        .map((op) => ({ op, score: score(op, wanted) }))
        .filter((each) => each.score > 0)
        .sort((a, b) => b.score - a.score);
      return { family: { ...family, ops: ranked.map(({ op }) => op) }, best: ranked[0]?.score ?? 0 };
    })
    .filter(({ best }) => best > 0)
    .sort((a, b) => b.best - a.best)
    .map(({ family }) => family);
}

/** The ops whose names come nearest to `wanted`, nearest first; none where all are far off. */
export function nearest(reference: Reference, wanted: string, most = 4): OpEntry[] {
  const name = bareName(wanted);
  if (name === "") return [];
  const ranked = allOps(reference)
    .map((op) => ({ op, away: Math.min(...[op.name, ...op.aliases].map((each) => away(name, each))) }))
    .filter((each) => each.away <= 0.5)
    .sort((a, b) => a.away - b.away || a.op.name.length - b.op.name.length);
  // Beside a slip of one letter, what shares half of its letters is noise.
  const limit = (ranked[0]?.away ?? 0) + 0.25;
  return ranked
    .filter((each) => each.away <= limit)
    .slice(0, most)
    .map(({ op }) => op);
}

/** From 0 for the same name to 1 for nothing in common. A name inside the other is near. */
function away(wanted: string, name: string): number {
  const known = name.toLowerCase();
  const whole = distance(wanted, known) / Math.max(wanted.length, known.length);
  const [short, long] = wanted.length < known.length ? [wanted, known] : [known, wanted];
  const inside = short.length >= 3 && long.includes(short) ? 0.5 - (0.4 * short.length) / long.length : 1;
  return Math.min(whole, inside);
}

/** Letters to add, drop, change or swap with their neighbour to come from one word to the other. */
export function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let least = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, at(before, j - 2) + 1);
      }
      row.push(least);
    }
    before = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
