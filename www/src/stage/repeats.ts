// Subgraphs that repeat: the turns of a loop, or blocks of one kind one after another.
//
// Invariant: pure. The turns of a repeat are runs of calls next to one another in the order they were made, of
// equal ops and shapes, wired alike: what a turn reads is its own, the same of the turn before, a leaf of the same
// kind, or one node that all of them read. Two repeats share no node. A loss may be the last call of the last turn, and
// none before it. Leaves folding to fold.ts.
import type { DrawnNode } from "./fold";

export interface Repeat {
  /** By which it is known from step to step; no module has such a path. */
  key: string;
  /** The calls of each turn, in the order they were made. */
  turns: DrawnNode[][];
}

/** Both read one node; each its own leaf; each the same of its turn or of the one before; or that, from outside. */
type Wiring = "shared" | "leaves" | "turn" | "beginning";

/** What a repeat's key begins with. */
const SIGN = "×";
/** What stands between a key and its open turn: no op has such a symbol. */
const TURN = " turn ";
/** Fewer turns are no repeat. */
const FEWEST_TURNS = 3;
/** Lengths of a turn that are tried: to the next calls of the same kind. */
const MOST_TRIED = 8;

/** Whether a path among the folds is a repeat's, and which of its turns is open. */
export function readKey(path: string): { key: string; turn: number | null } | null {
  if (!path.startsWith(SIGN)) return null;
  const at = path.lastIndexOf(TURN);
  if (at < 0) return { key: path, turn: null };
  return { key: path.slice(0, at), turn: Number(path.slice(at + TURN.length)) };
}

/** The path that keeps a repeat folded but for one of its turns. */
export function withTurn(key: string, turn: number): string {
  return `${key}${TURN}${turn}`;
}

/** The repeats of a graph. */
export function repeatsOf(nodes: readonly DrawnNode[]): Repeat[] {
  const calls = nodes.filter((node) => node.src.length > 0);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const place = new Map(calls.map((node, at) => [node.id, at]));
  const kinds = calls.map(kindOf);
  const later = followers(kinds);

  /** How what call `at` reads is to what the call a turn later reads; null where they are not alike. */
  const wiring = (at: number, length: number, operand: number, start: number): Wiring | null => {
    const [a, b] = [calls[at]?.src[operand] ?? -1, calls[at + length]?.src[operand] ?? -1];
    if (a === b) return "shared";
    const [from, to] = [place.get(a), place.get(b)];
    if (to === undefined) {
      return from === undefined && leafKind(byId.get(a)) === leafKind(byId.get(b)) ? "leaves" : null;
    }
    if (from !== undefined && to - from === length) return "turn";
    // The first turn reads its beginning from outside.
    return at < start + length && to >= start && (from === undefined || from < start) ? "beginning" : null;
  };
  /** Whether call `at + length` is to its turn what call `at` is to the one before. */
  const matches = (at: number, length: number, start: number): boolean => {
    const next = calls[at + length];
    if (!next || kinds[at] !== kinds[at + length]) return false;
    // What comes after a loss may read it.
    if (calls[at]?.kind === "loss") return false;
    if (next.kind === "loss" && (at + length - start) % length !== length - 1) return false;
    return next.src.every((_, operand) => {
      const now = wiring(at, length, operand, start);
      if (now === null || at < start + length) return now !== null;
      const before = wiring(at - length, length, operand, start);
      return before === now || (before === "beginning" && now === "turn");
    });
  };

  const repeats: Repeat[] = [];
  const known = new Map<string, number>();
  for (let start = 0; start < calls.length; ) {
    let best = { length: 0, turns: 0 };
    for (
      let next = later[start] ?? -1, tried = 0;
      next > 0 && tried < MOST_TRIED;
      next = later[next] ?? -1, tried++
    ) {
      const length = next - start;
      let end = start;
      while (end + length < calls.length && matches(end, length, start)) end++;
      const turns = Math.floor((end - start) / length) + 1;
      if (turns >= FEWEST_TURNS && turns * length > best.turns * best.length) best = { length, turns };
    }
    const { length, turns } = best;
    if (turns === 0) {
      start++;
      continue;
    }
    const first = calls[start];
    const name = `${SIGN}${first?.symbol ?? ""}${length}`;
    const same = (known.get(name) ?? 0) + 1;
    known.set(name, same);
    repeats.push({
      key: `${name}#${same}`,
      turns: Array.from({ length: turns }, (_, turn) =>
        calls.slice(start + turn * length, start + (turn + 1) * length),
      ),
    });
    start += turns * length;
  }
  return repeats;
}

/** The next call of the same kind, for each; none is -1. */
function followers(kinds: readonly string[]): number[] {
  const next = new Map<string, number>();
  const found = kinds.map(() => -1);
  for (let at = kinds.length - 1; at >= 0; at--) {
    const kind = kinds[at] ?? "";
    found[at] = next.get(kind) ?? -1;
    next.set(kind, at);
  }
  return found;
}

function kindOf(node: DrawnNode): string {
  const path = node.module?.path.replace(/\d+/g, "#") ?? "";
  return [
    node.kind === "loss" ? "op" : node.kind,
    node.op,
    node.module ? path : node.symbol,
    node.shape,
    node.src.length,
    node.module?.members.length,
  ].join(" ");
}

function leafKind(node: DrawnNode | undefined): string {
  return node ? `${node.kind} ${node.shape}` : "";
}
