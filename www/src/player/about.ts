// What a page of one network is told besides its model: what goes in and comes out, and how that is shown.

/** Numbers that stand for a picture's brightness from 0 to 1: less the mean, divided by the spread, of each channel. */
export interface Brightness {
  mean: number[];
  spread: number[];
}

export type Field =
  /** A drawing of one channel; `isCounts` where its elements are those of the digits of 8 by 8. */
  | ({ kind: "draw"; side: number; isCounts: boolean } & Brightness)
  | ({ kind: "picture"; height: number; width: number } & Brightness)
  /** A point of a plane: its left and lower edge, and its side. */
  | { kind: "point"; left: number; bottom: number; side: number; nClasses: number }
  /** Characters of a vocabulary, or numbers of tokens where there is none. */
  | { kind: "text"; length: number; vocabulary: string | null }
  | { kind: "numbers"; n: number; isWhole: boolean };

export type Shown =
  | { kind: "classes"; names: string[] }
  /** Scores of the next token, after each or after the last alone. */
  | { kind: "next"; isLast: boolean }
  | { kind: "picture"; channels: number; height: number; width: number }
  | { kind: "numbers" };

export interface About {
  name: string;
  note: string;
  parameters: number;
  isTrained: boolean;
  inputs: (Field & { name: string })[];
  outputs: (Shown & { name: string })[];
}
