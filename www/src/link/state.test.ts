// Links: round trips, damage, bombs, versions. Whatever comes is answered with a state or a sentence.
import { deflateSync, strToU8 } from "fflate";
import { describe, expect, it } from "vitest";
import { parseRoute, sharedLink } from "./route";
import { decode, encode, LONGEST, MOST_CODE, type SharedState, VERSION } from "./state";

/** A generator with a seed, so that a failure comes again (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const plain: SharedState = {
  code: "import glowgrad as torch\nprint(torch.rand(2))  # ünïcode 🦀 −\u0000",
  from: { lesson: "a-neuron-lights-up", cell: "cell-2" },
  seed: 7,
  position: 3.25,
  folds: ["model.0", "model.1"],
  instrument: "plot",
};

function text(state: SharedState): string {
  const encoded = encode(state);
  if ("problem" in encoded) throw new Error(encoded.problem);
  return encoded.text;
}

/** Any bytes in the form of a link, with the sum that fits them. */
function forged(packed: Uint8Array): string {
  let hash = 0x811c9dc5;
  for (const byte of packed) hash = Math.imul(hash ^ byte, 0x01000193);
  const head = [hash >>> 24, (hash >>> 16) & 255, (hash >>> 8) & 255, hash & 255];
  let binary = "";
  for (const byte of [...head, ...packed]) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
const forgedJson = (value: unknown) => forged(deflateSync(strToU8(JSON.stringify(value))));

describe("a link", () => {
  it("brings back what was put in", () => {
    expect(decode(VERSION, text(plain))).toEqual({ state: plain });
    const bare: SharedState = {
      code: "",
      from: null,
      seed: 0,
      position: null,
      folds: [],
      instrument: "graph",
    };
    expect(decode(VERSION, text(bare))).toEqual({ state: bare });
  });

  it("brings back 200 states made by chance, through the route", () => {
    const next = random(1);
    for (let round = 0; round < 200; round++) {
      const letters = Array.from({ length: Math.floor(next() * 400) }, () =>
        String.fromCodePoint(
          next() < 0.8 ? 32 + Math.floor(next() * 95) : 0x100 + Math.floor(next() * 0xd000),
        ),
      );
      const state: SharedState = {
        code: letters.join(""),
        from: next() < 0.5 ? null : { lesson: "l/%?#&", cell: "c" },
        seed: Math.floor(next() * 2 ** 40),
        position: next() < 0.5 ? null : next() * 100,
        folds: next() < 0.5 ? [] : ["a.b"],
        instrument: "memory",
      };
      const route = parseRoute(sharedLink(VERSION, text(state)));
      expect(route.name).toBe("shared");
      if (route.name === "shared") expect(decode(route.version, route.text)).toEqual({ state });
    }
  });

  it("is refused in one sentence when it was changed: 1,000 mutated hashes", () => {
    const next = random(2);
    const hash = sharedLink(VERSION, text({ ...plain, code: "x = 1\n".repeat(30) + plain.code }));
    const pick = (n: number) => Math.floor(next() * n);
    const alphabet = "ABCxyz019-_#/?%&=. \u00e9\u{1f980}";
    let refused = 0;
    for (let round = 0; round < 1000; round++) {
      let mutant = hash;
      for (let times = 1 + pick(3); times > 0; times--) {
        const at = pick(mutant.length + 1);
        const letter = [...alphabet][pick([...alphabet].length)] ?? "";
        const how = pick(5);
        if (how === 0) mutant = mutant.slice(0, at) + letter + mutant.slice(at + 1);
        else if (how === 1) mutant = mutant.slice(0, at) + letter + mutant.slice(at);
        else if (how === 2) mutant = mutant.slice(0, at) + mutant.slice(at + 1 + pick(8));
        else if (how === 3) mutant = mutant.slice(0, at);
        else mutant = mutant.slice(0, at) + mutant.slice(at).split("").reverse().join("");
      }
      const route = parseRoute(mutant);
      if (route.name !== "shared") continue;
      const answer = decode(route.version, route.text);
      if ("problem" in answer) {
        refused += 1;
        expect(answer.problem).toMatch(/^This link .*\.$/);
      } else {
        // A change that the route takes away, such as a slash at the end.
        expect(route.text).toBe(parseRoute(hash).name === "shared" ? hash.split("/")[3] : "");
      }
    }
    expect(refused).toBeGreaterThan(600);
  });

  it("takes nothing that was forged with a sum that fits", () => {
    const next = random(3);
    for (let round = 0; round < 1000; round++) {
      const noise = Uint8Array.from({ length: Math.floor(next() * 60) }, () => Math.floor(next() * 256));
      expect(decode(VERSION, forged(noise))).toHaveProperty("problem");
    }
    const good = ["x", null, 0, null, [], "graph"];
    expect(decode(VERSION, forgedJson(good))).toHaveProperty("state");
    const wrong = [
      null,
      "x",
      { code: "x" },
      [],
      [...good, 1],
      [1, null, 0, null, [], "graph"],
      ["x", "lesson", 0, null, [], "graph"],
      ["x", ["a"], 0, null, [], "graph"],
      ["x", ["a", {}], 0, null, [], "graph"],
      ["x", null, 0.5, null, [], "graph"],
      ["x", null, "0); import", null, [], "graph"],
      ["x", null, 0, -1, [], "graph"],
      ["x", null, 0, "2", [], "graph"],
      ["x", null, 0, null, [1], "graph"],
      ["x", null, 0, null, ["f".repeat(201)], "graph"],
      ["x", null, 0, null, Array(201).fill("f"), "graph"],
      ["x", null, 0, null, [], "toString"],
      ["x".repeat(MOST_CODE + 1), null, 0, null, [], "graph"],
    ];
    for (const value of wrong) expect(decode(VERSION, forgedJson(value))).toHaveProperty("problem");
  });

  it("does not unpack a bomb", () => {
    const bomb = forged(deflateSync(new Uint8Array(15_000_000), { level: 9 }));
    expect(bomb.length).toBeLessThan(LONGEST);
    const start = performance.now();
    expect(decode(VERSION, bomb)).toHaveProperty("problem");
    expect(performance.now() - start).toBeLessThan(1000);
  });

  it("says which version it has and which is read", () => {
    const answer = decode("2", text(plain));
    expect(answer).toEqual({
      problem: expect.stringContaining("has version 2, and this page reads version 1"),
    });
    for (const version of ["", "0x1", "-1", "1.0", "٣", "9999999"]) {
      expect(decode(version, text(plain))).toHaveProperty("problem");
    }
  });

  it("says how long it may be, on both ends", () => {
    const next = random(4);
    const noise = Array.from({ length: 30_000 }, () =>
      String.fromCharCode(33 + Math.floor(next() * 90)),
    ).join("");
    expect(encode({ ...plain, code: noise })).toEqual({
      problem: expect.stringContaining("too long for a link"),
    });
    expect(encode({ ...plain, code: "x".repeat(MOST_CODE + 1) })).toHaveProperty("problem");
    expect(decode(VERSION, "A".repeat(LONGEST + 1))).toEqual({
      problem: expect.stringContaining("too long"),
    });
  });
});
