// Any address: links that fuzzing has kept, and addresses made by chance, for a moment here and for as long as
// `FUZZ_SECONDS` says by hand (see fuzz/README.md).
//
// These hold: an address is a route; a shared one is a state or a sentence, in bounded time; a state that was
// read can be written, and is read again as the same.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { deflateSync, strToU8 } from "fflate";
import { describe, expect, it } from "vitest";
import { INSTRUMENTS } from "../instruments/registry";
import { parseRoute, sharedLink } from "./route";
import { decode, encode, MOST_CODE, type SharedState, VERSION } from "./state";

const CORPUS = "fuzz/corpus/links";
const SECONDS = Number(process.env.FUZZ_SECONDS ?? 0);
/** Of the processor: a busy computer changes nothing. */
const MOST_MICROS = 2_000_000;

/** What became of an address. */
function hold(hash: string): "no link" | "a state" | "a sentence" {
  const start = process.cpuUsage();
  const route = parseRoute(hash);
  if (route.name !== "shared") return "no link";
  const answer = decode(route.version, route.text);
  expect(process.cpuUsage(start).user).toBeLessThan(MOST_MICROS);
  if ("problem" in answer) {
    expect(Object.keys(answer)).toEqual(["problem"]);
    expect(answer.problem).toMatch(/^This link .*\.$/);
    return "a sentence";
  }
  expect(answer.state.code.length).toBeLessThanOrEqual(MOST_CODE);
  const encoded = encode(answer.state);
  if ("problem" in encoded) {
    expect(encoded.problem).toMatch(/^This cell is too long for a link: .*\.$/);
  } else {
    expect(decode(VERSION, encoded.text)).toEqual(answer);
  }
  return "a state";
}

/** Any bytes in the form of a link, with the sum that fits them. */
function forged(packed: Uint8Array): string {
  let hash = 0x811c9dc5;
  for (const byte of packed) hash = Math.imul(hash ^ byte, 0x01000193);
  const head = [hash >>> 24, (hash >>> 16) & 255, (hash >>> 8) & 255, hash & 255];
  const base64 = Buffer.from([...head, ...packed]).toString("base64url");
  return sharedLink(VERSION, base64);
}

const packed = (text: string) => deflateSync(strToU8(text), { level: 9 });
const short = fc.string({ unit: "grapheme", maxLength: 40 });
const word = fc.oneof(short, fc.string({ unit: "binary", maxLength: 300 }));
const number = fc.oneof(fc.maxSafeInteger(), fc.double(), fc.constantFrom(0, 1e308, 2 ** 53));

const state: fc.Arbitrary<SharedState> = fc.record({
  code: fc.string({ unit: "binary", maxLength: 2000 }),
  from: fc.option(fc.record({ lesson: short, cell: short })),
  seed: fc.maxSafeInteger(),
  position: fc.option(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true })),
  folds: fc.array(short, { maxLength: 20 }),
  instrument: fc.constantFrom(...INSTRUMENTS.map(({ name }) => name)),
});
const link = state.map((state) => {
  const encoded = encode(state);
  return "text" in encoded ? encoded.text : "";
});

/** A place in a text, and the letters that replace some there. */
const edits = fc.array(
  fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat({ max: 6 }), fc.string({ maxLength: 4 })),
  { minLength: 1, maxLength: 4 },
);
type Edits = [number, number, string][];
function edited(text: string, edits: Edits): string {
  for (const [place, length, letters] of edits) {
    const at = Math.floor(place * text.length);
    text = text.slice(0, at) + letters + text.slice(at + length);
  }
  return text;
}
const asText = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

const nearlyState = fc.oneof(
  fc.json(),
  fc
    .tuple(
      fc.oneof(
        word,
        fc.nat({ max: MOST_CODE + 5 }).map((n) => "x".repeat(n)),
        number,
      ),
      fc.oneof(fc.constant(null), fc.array(fc.oneof(short, number), { maxLength: 3 })),
      fc.oneof(fc.maxSafeInteger(), number, word),
      fc.oneof(number, fc.constant(null)),
      fc.oneof(fc.array(short, { maxLength: 3 }), fc.array(word, { maxLength: 210 }), word),
      fc.constantFrom("graph", "plot", "kernels", "toString", "__proto__", ""),
    )
    .map((state) => JSON.stringify(state).replaceAll(",0,", ",-0,")),
);

const address = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.tuple(word, word).map(([version, text]) => `#/shared/${version}/${text}`),
  link.map((text) => sharedLink(VERSION, text)),
  fc.tuple(link, edits).map(([text, edits]) => edited(sharedLink(VERSION, text), edits)),
  fc.uint8Array({ maxLength: 500 }).map(forged),
  nearlyState.map((json) => forged(packed(json))),
  fc.tuple(nearlyState, edits).map(([json, edits]) => forged(packed(edited(json, edits)))),
  fc
    .tuple(nearlyState, edits)
    .map(([json, edits]) => forged(Buffer.from(edited(asText(packed(json)), edits), "latin1"))),
);
const bomb = fc.nat({ max: 4_000_000 }).map((n) => forged(deflateSync(new Uint8Array(n), { level: 1 })));
const any = fc.oneof({ arbitrary: address, weight: 200 }, { arbitrary: bomb, weight: 1 });

describe("any address", () => {
  it("that fuzzing has kept is a state or a sentence", () => {
    const names = readdirSync(CORPUS);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) hold(readFileSync(join(CORPUS, name), "utf8"));
  });

  it("made by chance is a state or a sentence", { timeout: SECONDS * 1000 + 60_000 }, () => {
    const byHand = { interruptAfterTimeLimit: SECONDS * 1000, numRuns: 1e9 };
    const counts = { "no link": 0, "a state": 0, "a sentence": 0 };
    const holds = fc.property(any, (hash) => {
      counts[hold(hash)] += 1;
    });
    fc.assert(holds, SECONDS > 0 ? byHand : { seed: 1, numRuns: 500 });
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(20);
    if (SECONDS > 0) console.info(counts);
  });
});
