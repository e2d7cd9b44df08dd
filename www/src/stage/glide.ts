// A view that moves to another in steps of the screen, fast at first.
//
// Invariant: ends at the goal; a new goal replaces the old one, and where motion is to be reduced the view is
// at its goal at once.
import type { View } from "./geometry";

/** How long until half of the way is gone. */
const HALF_MILLIS = 55;
/** Nearer than this it is there, in pixels. */
const NEAR = 0.5;

export interface Glide {
  /** Where it moves to; null at rest. */
  readonly goal: View | null;
  to: (goal: View) => void;
  stop: () => void;
}

export function glide(now: () => View, show: (view: View) => void): Glide {
  let goal: View | null = null;
  let before = 0;
  let asked = 0;
  const step = (time: number) => {
    if (!goal) return;
    const share = 1 - 0.5 ** ((time - before) / HALF_MILLIS);
    before = time;
    const { x, y } = now();
    const isThere = Math.hypot(goal.x - x, goal.y - y) < NEAR;
    show(isThere ? goal : { ...goal, x: x + (goal.x - x) * share, y: y + (goal.y - y) * share });
    if (isThere) goal = null;
    else asked = requestAnimationFrame(step);
  };
  return {
    get goal() {
      return goal;
    },
    to(next) {
      const isNew = goal === null;
      goal = next;
      if (isStill()) {
        goal = null;
        show(next);
      } else if (isNew) {
        before = performance.now();
        asked = requestAnimationFrame(step);
      }
    },
    stop() {
      goal = null;
      cancelAnimationFrame(asked);
    },
  };
}

function isStill(): boolean {
  return typeof matchMedia !== "function" || matchMedia("(prefers-reduced-motion: reduce)").matches;
}
