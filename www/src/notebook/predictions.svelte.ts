// What runs say to the predictions of a lesson.
//
// Invariant: the value of a prediction is that right after its cell's run, whatever runs next: the question to the
// engine is queued behind the run.

import type { BlockOf } from "../course/course";

type Predicted = Pick<BlockOf<"predict">, "id" | "cell" | "value">;
type Ask = (body: { type: "evaluate"; expression: string }) => Promise<{ text: string }>;

export class Predictions {
  private readonly blocks: Predicted[] = [];
  /** What the last runs gave, by the id of the prediction. */
  given = $state.raw<Readonly<Record<string, string>>>({});

  add(block: Predicted): void {
    this.blocks.push(block);
  }

  /** A run of a cell was sent: asks for what it answers. */
  async sent(cell: string, ask: Ask): Promise<void> {
    const of = this.blocks.filter((block) => block.cell === cell);
    await Promise.all(
      of.map(async ({ id, value }) => {
        // A run that failed answers nothing.
        const text = await ask({ type: "evaluate", expression: value }).then(
          (answer) => answer.text,
          () => null,
        );
        const { [id]: _, ...others } = this.given;
        this.given = text === null ? others : { ...others, [id]: text };
      }),
    );
  }
}
