// Marks in a piece of code, besides its own colours. Lines count from 1.

export interface LineError {
  line: number;
  text: string;
}

export interface Marks {
  /** Lines that made the node under the pointer, or the selected one. */
  lit: number[];
  /** Lines whose gradient is being computed now. */
  glowing: number[];
  error: LineError | null;
}

export const noMarks: Marks = { lit: [], glowing: [], error: null };
