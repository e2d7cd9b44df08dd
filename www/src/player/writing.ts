// A text that the network goes on with, token by token.
import type { Input } from "./about";
import { type Model, run } from "./model";
import { empty } from "./tensor";

/** How much is written at one press, and how even the choice is. */
const TOKENS = 200;
const TEMPERATURE = 0.8;

function drawn(scores: number[]): number {
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp((score - most) / TEMPERATURE));
  let left = Math.random() * powers.reduce((sum, power) => sum + power, 0);
  return Math.max(
    0,
    powers.findIndex((power) => {
      left -= power;
      return left <= 0;
    }),
  );
}

/** Scores of what comes after these tokens; what stands behind them is not read by a network that reads forward. */
export function nextScores(model: Model, tokens: readonly number[], length: number): number[] {
  const seen = tokens.slice(-length);
  const [input] = model.inputs;
  if (!input) throw new Error("the network takes no input");
  const x = empty(input.dtype, input.shape);
  x.data.set(seen);
  const [scores] = run(model, [x]);
  if (!scores) throw new Error("the network gave nothing");
  const n = scores.shape.at(-1) as number;
  const row = scores.data.length === n ? 0 : Math.max(0, seen.length - 1);
  return Array.from(scores.data.subarray(row * n, (row + 1) * n), Number);
}

export function generator(
  model: Model,
  { length, vocabulary }: Extract<Input, { kind: "text" }>,
  failed: (error: unknown) => void,
  answer: HTMLElement,
): HTMLElement {
  const letters = vocabulary === null ? null : [...vocabulary];
  const begin = Object.assign(document.createElement("textarea"), {
    rows: 4,
    value: letters ? letters.slice(-5).join("") : "0",
  });
  const label = document.createElement("label");
  label.append(letters ? "It goes on from" : "Tokens, as numbers with commas between them", begin);
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Write on" });
  let isWriting = false;

  function tokensOf(text: string): number[] {
    const tokens = letters
      ? [...text].map((letter) => letters.indexOf(letter))
      : text
          .split(/[\s,]+/)
          .filter(Boolean)
          .map(Number);
    const unknown = tokens.findIndex((token) => !Number.isInteger(token) || token < 0);
    if (unknown >= 0)
      throw new Error(
        letters ? `the network knows no ${[...text][unknown]}` : "a token is a whole number from 0",
      );
    if (tokens.length === 0) throw new Error("the network needs something to go on from");
    return tokens;
  }

  async function write() {
    const tokens = tokensOf(begin.value);
    const shown = Object.assign(document.createElement("p"), { className: "text" });
    shown.dataset.testid = "answer";
    answer.replaceChildren(shown);
    for (let i = 0; i < TOKENS && isWriting; i++) {
      tokens.push(drawn(nextScores(model, tokens, length)));
      shown.textContent = letters ? tokens.map((token) => letters[token] ?? "?").join("") : tokens.join(", ");
      await new Promise((resolve) => setTimeout(resolve));
    }
  }

  button.addEventListener("click", async () => {
    isWriting = !isWriting;
    if (!isWriting) return;
    button.textContent = "Stop";
    try {
      await write();
    } catch (error) {
      failed(error);
    }
    isWriting = false;
    button.textContent = "Write on";
  });
  const place = document.createElement("div");
  place.append(label, button);
  return place;
}
