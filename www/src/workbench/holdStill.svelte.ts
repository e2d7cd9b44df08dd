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

/** Made while a component is. `open` is whether the sheet takes room, `room` how much, `text` what has to stay. */
export function holdStill(
  open: () => boolean,
  room: () => number,
  text: () => HTMLElement | undefined,
): void {
  let was = false;
  $effect(() => {
    const now = open();
    if (now === was) return;
    was = now;
    // Once all of the page is drawn anew, and before it is painted.
    void tick().then(() => {
      const shown = text();
      const by = now ? room() : -room();
      const before = window.scrollY;
      window.scrollBy({ top: by, behavior: "instant" });
      const left = by - (window.scrollY - before);
      if (!shown || Math.abs(left) < 1 || still()) return;
      shown.animate([{ transform: `translateY(${-left}px)` }, { transform: "none" }], {
        duration: MILLIS,
        easing: "cubic-bezier(0.2, 0.7, 0.2, 1)",
      });
    });
  });
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
  const room = window.innerHeight - BELOW - bar.getBoundingClientRect().bottom;
  const by = Math.min(edge - top, room);
  if (by > 1) window.scrollBy({ top: -by, behavior: still() ? "instant" : "smooth" });
}
