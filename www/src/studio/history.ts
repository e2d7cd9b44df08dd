// What was there before, step by step.
//
// Invariant: bounded. Changes that follow each other under one key, such as the letters of one field, are one step.

const MOST_STEPS = 120;

export class History<State> {
  private past: State[] = [];
  private future: State[] = [];
  private key: string | null = null;

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  /** Notes the state that a change leaves behind. */
  note(before: State, key: string | null = null): void {
    this.future = [];
    const goesOn = key !== null && key === this.key && this.past.length > 0;
    this.key = key;
    if (goesOn) return;
    this.past.push(before);
    if (this.past.length > MOST_STEPS) this.past.shift();
  }

  /** The next change is a step of its own. */
  seal(): void {
    this.key = null;
  }

  undo(now: State): State | null {
    const before = this.past.pop();
    if (before === undefined) return null;
    this.key = null;
    this.future.push(now);
    return before;
  }

  redo(now: State): State | null {
    const after = this.future.pop();
    if (after === undefined) return null;
    this.key = null;
    this.past.push(now);
    return after;
  }
}
