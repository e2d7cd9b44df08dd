// Gathers what Python prints before it is sent to the page.
//
// Invariant: text and other events arrive in the order they were made; the first print after a pause
// is sent at once, and a loop that prints sends one message a frame instead of thousands, so that the
// page's own queue, with the click on Stop in it, stays short.
import type { Event } from "../protocol";
import { BETWEEN_PRINTS_MILLIS } from "../protocol/generated/printing";

/** A sender of events that joins printed text; `now` is the clock. */
export function joinPrints(
  send: (event: Event) => void,
  now: () => number = () => performance.now(),
): (event: Event) => void {
  let held: (Event & { type: "stdout" }) | null = null;
  let sentAt = -Infinity;
  let timer: ReturnType<typeof setTimeout> | null = null;

  const flush = () => {
    if (timer) clearTimeout(timer);
    timer = null;
    if (!held) return;
    const event = held;
    held = null;
    sentAt = now();
    send(event);
  };
  return (event) => {
    if (event.type !== "stdout") {
      flush();
      send(event);
      return;
    }
    if (held && held.id !== event.id) flush();
    held = held ? { ...held, text: held.text + event.text } : event;
    if (now() - sentAt >= BETWEEN_PRINTS_MILLIS) flush();
    else timer ??= setTimeout(flush, BETWEEN_PRINTS_MILLIS);
  };
}
