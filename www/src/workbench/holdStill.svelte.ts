// The text stays where it is on the screen while the sheet opens and closes over it.
//
// Invariant: the room that the sheet takes in the page comes and goes above the text, so the page is scrolled by as
// much at once; what the page cannot scroll is moved, eased. Reduced motion moves at once.

import { tick } from "svelte";

const MILLIS = 280;
/** Kept free below the code that ran: what it prints first. */
const BELOW = 76;
/** The air between the sheet and the code that ran. */
const AIR = 10;

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * Made while a component is. `open` is whether the sheet takes room, `text` what has to stay. The answer notes where the
 * text stands: it is called before the sheet changes, because a page that became shorter has scrolled by itself.
 */
export function holdStill(open: () => boolean, text: () => HTMLElement | undefined): () => void {
  let was = false;
  let before: number | null = null;
  $effect(() => {
    const now = open();
    if (now === was) return;
    was = now;
    // Once all of the page is drawn anew, and before it is painted.
    void tick().then(() => {
      const shown = text();
      if (!shown || before === null) return;
      const stood = before;
      const moved = () => shown.getBoundingClientRect().top - stood;
      window.scrollBy({ top: moved(), behavior: "instant" });
      const left = moved();
      if (Math.abs(left) < 1 || still()) return;
      shown.animate([{ transform: `translateY(${-left}px)` }, { transform: "none" }], {
        duration: MILLIS,
        easing: "cubic-bezier(0.2, 0.7, 0.2, 1)",
      });
    });
  });
  return () => {
    before = text()?.getBoundingClientRect().top ?? null;
  };
}

/** Brings the beginning of what a run gave onto the screen, where the cell's bar is at its foot and hides that anything came. */
export async function showResult(text: HTMLElement, cell: string, drawer: HTMLElement): Promise<void> {
  await tick();
  const section = text.querySelector<HTMLElement>(`[id="${CSS.escape(cell)}"]`);
  const bar = section?.querySelector(".runbar")?.getBoundingClientRect();
  const result = [...(section?.querySelectorAll<HTMLElement>(".report, .output") ?? [])]
    .map((each) => each.getBoundingClientRect())
    .find(({ height }) => height > 0);
  // What was scrolled away meanwhile is left alone.
  if (!bar || !result || bar.top > window.innerHeight || bar.top < 0) return;
  const below = Math.min(result.bottom, result.top + BELOW) - window.innerHeight;
  // Never under the sheet.
  const by = Math.min(below, result.top - drawer.getBoundingClientRect().bottom - AIR);
  if (by > 1) window.scrollBy({ top: by, behavior: still() ? "instant" : "smooth" });
}

/** Brings the code of a cell out from under the sheet that its run opened, as far as its bar stays on the screen. */
export async function showCode(text: HTMLElement, cell: string, drawer: HTMLElement): Promise<void> {
  await tick();
  const section = text.querySelector<HTMLElement>(`[id="${CSS.escape(cell)}"]`);
  const bar = section?.querySelector(".runbar");
  if (!section || !bar) return;
  const top = (section.querySelector(".code") ?? section).getBoundingClientRect().top;
  const sheet = Number.parseFloat(getComputedStyle(drawer).getPropertyValue("--half"));
  const edge = (drawer.parentElement?.getBoundingClientRect().top ?? 0) + sheet + AIR;
  const { top: barTop, bottom } = bar.getBoundingClientRect();
  const room = window.innerHeight - BELOW - bottom;
  // Where both have no room, the bar has it.
  const by = Math.max(Math.min(edge - top, room), edge - barTop);
  if (by > 1) window.scrollBy({ top: -by, behavior: still() ? "instant" : "smooth" });
}
