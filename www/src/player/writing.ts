// A text that the network goes on with, token by token.
import type { Field } from "./about";
import { button, element } from "./elements";
import { type Model, run } from "./model";
import { softmax } from "./outputs";
import { empty } from "./tensor";

/** How much is written at one press, and how even the choice is. */
const TOKENS = 200;
const TEMPERATURE = 0.8;
/** Where a text begins, if the network knows the letters. */
const BEGINNINGS = ["The ", "the ", "\n"];

function drawn(scores: number[]): number {
  let left = Math.random();
  const shares = softmax(scores.map((score) => score / TEMPERATURE));
  const found = shares.findIndex((share) => {
    left -= share;
    return left <= 0;
  });
  return Math.max(0, found);
}

/**
 * Scores of what comes after these tokens. A network that scores after each token reads them from the left, and what stands
 * behind them is not read by one that reads forward; where it scores after the last alone, they stand at the right.
 */
export function nextScores(
  model: Model,
  tokens: readonly number[],
  length: number,
  isLast: boolean,
): number[] {
  const seen = tokens.slice(-length);
  const [input] = model.inputs;
  if (!input) throw new Error("the network takes no input");
  const x = empty(input.dtype, input.shape);
  x.data.set(seen, isLast ? length - seen.length : 0);
  const [scores] = run(model, [x]);
  if (!scores) throw new Error("the network gave nothing");
  const n = scores.shape.at(-1) as number;
  const row = isLast ? 0 : seen.length - 1;
  return Array.from(scores.data.subarray(row * n, (row + 1) * n), Number);
}

export function generator(
  model: Model,
  { length, vocabulary }: Extract<Field, { kind: "text" }>,
  isLast: boolean,
  failed: (error: unknown) => void,
  place: HTMLElement,
): HTMLElement {
  const letters = vocabulary === null ? null : [...vocabulary];
  const known = (text: string) => [...text].every((letter) => letters?.includes(letter));
  const begin = element("textarea", {
    rows: 4,
    spellcheck: false,
    value: letters ? (BEGINNINGS.find(known) ?? letters[0] ?? "") : "0",
  });
  const label = element(
    "label",
    {},
    letters ? "It goes on from" : "Tokens, as numbers with commas between them",
    begin,
  );
  let isWriting = false;

  function tokensOf(text: string): number[] {
    const parts = letters ? [...text] : text.split(/[\s,]+/).filter(Boolean);
    const tokens = parts.map((part) => (letters ? letters.indexOf(part) : Number(part)));
    const unknown = tokens.findIndex((token) => !Number.isInteger(token) || token < 0);
    if (unknown >= 0)
      throw new Error(
        letters
          ? `the network knows no ${JSON.stringify(parts[unknown])}`
          : `a token is a whole number from 0, and ${parts[unknown]} is none`,
      );
    if (tokens.length === 0) throw new Error("the network needs something to go on from");
    return tokens;
  }

  async function write() {
    const tokens = tokensOf(begin.value);
    failed("");
    for (let i = 0; i < TOKENS && isWriting; i++) {
      const scores = nextScores(model, tokens, length, isLast);
      tokens.push(drawn(letters ? scores.slice(0, letters.length) : scores));
      place.textContent = letters ? tokens.map((token) => letters[token]).join("") : tokens.join(", ");
      await new Promise((resolve) => setTimeout(resolve));
    }
  }

  const press = button("Write on", async () => {
    isWriting = !isWriting;
    if (!isWriting) return;
    press.textContent = "Stop";
    // What is being written is read out when it stands.
    place.ariaBusy = "true";
    try {
      await write();
    } catch (error) {
      failed(error);
    }
    place.ariaBusy = "false";
    isWriting = false;
    press.textContent = "Write on";
  });
  return element("div", { className: "field" }, label, element("div", { className: "tools" }, press));
}
