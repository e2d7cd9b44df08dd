// A value of a form's field as text, and back.
//
// Invariant: what `valueText` writes, `readValue` reads; a text that is no value is a sentence. An expression of a block's
// parameters begins with "=" and stays a text.
import type { Argument, Json } from "./model";

export function valueText(value: Json | undefined): string {
  if (value === undefined) return "";
  if (value === null) return "none";
  if (Array.isArray(value)) return value.map(valueText).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** `undefined` for an empty text: the argument has its default then. */
export function readValue(
  text: string,
  argument: Argument,
  inBlock: boolean,
): { value: Json | undefined } | { problem: string } {
  const plain = text.trim();
  if (plain === "") return { value: undefined };
  if (plain.startsWith("=")) {
    return inBlock
      ? { value: plain }
      : { problem: "An expression stands in a block, where it uses its parameters." };
  }
  if (/^none$/i.test(plain))
    return argument.none ? { value: null } : { problem: "This argument cannot be none." };
  if (argument.choices.includes(plain)) return { value: plain };
  if (/^(true|false)$/i.test(plain)) return { value: plain.toLowerCase() === "true" };
  const parts = plain
    .replace(/^[[(]|[\])]$/g, "")
    .split(/[\s,×x]+/)
    .filter(Boolean);
  const numbers = parts.map(Number);
  if (parts.length === 0 || numbers.some((n) => !Number.isFinite(n))) return { problem: expected(argument) };
  const isList = parts.length > 1 || /[,[(]/.test(plain);
  return { value: isList ? numbers : (numbers[0] as number) };
}

function expected({ choices, type }: Argument): string {
  const named = choices.length > 0 ? `, or ${choices.join(" or ")}` : "";
  return /sizes|shape|ints|numbers|pads|factors/.test(type)
    ? `Write a number such as 3, or several such as 3, 5${named}.`
    : `Write a number${named}.`;
}

/** Sizes of an input: numbers, and letters for open ones. */
export function readShape(text: string): { shape: (number | string)[] } | { problem: string } {
  const parts = text
    .trim()
    .replace(/^[[(]|[\])]$/g, "")
    .split(/[\s,×]+/)
    .filter(Boolean);
  if (parts.length === 0) return { problem: "Write sizes such as N, 1, 28, 28." };
  const shape = parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const wrong = shape.find((size) => typeof size === "string" && !/^[A-Za-z]\w*$/.test(size));
  return wrong === undefined
    ? { shape }
    : { problem: `${wrong} is no size: write a number, or a letter for an open one.` };
}
