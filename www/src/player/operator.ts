// What an operator is, and how it reads its operands and attributes.
import { dimension, type Tensor } from "./tensor";

export type Attribute = number | string | number[] | Tensor;

export type Operator = (
  inputs: (Tensor | undefined)[],
  attributes: Record<string, Attribute>,
  nOutputs: number,
) => Tensor[];

/** An operand that has to be there. */
export function needed(input: Tensor | undefined): Tensor {
  if (!input) throw new Error("an operand is missing");
  return input;
}

export function numberOf(attributes: Record<string, Attribute>, name: string, usual: number): number {
  const value = attributes[name];
  return typeof value === "number" ? value : usual;
}

export function listOf(attributes: Record<string, Attribute>, name: string): number[] | undefined {
  const value = attributes[name];
  return Array.isArray(value) ? value : undefined;
}

/** A dimension that an attribute names. */
export function axisOf(attributes: Record<string, Attribute>, usual: number, n: number): number {
  return dimension(numberOf(attributes, "axis", usual), n);
}
