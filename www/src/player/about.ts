// What a page of one network is told besides its model: what goes in and comes out, and how that is shown.

/** Numbers that stand for a picture's brightness from 0 to 1: less the mean, divided by the spread, of each channel. */
export interface Brightness {
  mean: number[];
  spread: number[];
}

export type Input =
  /** A drawing of one channel; `counts` are those of the digits of 8 by 8. */
  | ({ kind: "draw"; side: number; isCounts: boolean } & Brightness)
  | ({ kind: "picture"; height: number; width: number } & Brightness)
  /** Characters of a vocabulary, or numbers of tokens where there is none. */
  | { kind: "text"; length: number; vocabulary: string | null }
  | { kind: "numbers"; names: string[] };

export type Output =
  | { kind: "classes"; names: string[] | null }
  /** The next token after each. */
  | { kind: "next" }
  | { kind: "picture"; channels: number; height: number; width: number }
  | { kind: "numbers" };

export interface About {
  name: string;
  note: string;
  parameters: number;
  isTrained: boolean;
  input: Input;
  output: Output;
}
