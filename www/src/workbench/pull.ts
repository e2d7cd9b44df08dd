// Pulling the sheet: a press on its row that moves up or down takes the sheet along.
//
// Invariant: a press that stays where it is remains a click on what it met; one that pulled is no click.
import { type Height, resting, type Sheet } from "./sheet.svelte";

/** A press that moves less is a click. */
const THRESHOLD = 6;
/** The speed is that of the last movement, and forgotten while the finger rests. */
const REST_MILLIS = 80;

/** An attachment for the sheet. `handles` selects what it is pulled by, `heights` measures. */
export function pullable(sheet: Sheet, handles: string, heights: () => Record<Height, number>) {
  return (root: HTMLElement) => {
    const ended = new AbortController();
    const options = { signal: ended.signal };
    let from: { y: number; height: number; id: number } | null = null;
    let last = { y: 0, time: 0, speed: 0 };
    let pulled = false;

    const down = (event: PointerEvent) => {
      pulled = false;
      if (event.button !== 0 || !event.isPrimary || !(event.target as Element).closest(handles)) return;
      from = { y: event.clientY, height: heights()[sheet.height], id: event.pointerId };
      last = { y: event.clientY, time: event.timeStamp, speed: 0 };
    };
    const move = (event: PointerEvent) => {
      if (!from || event.pointerId !== from.id) return;
      const by = event.clientY - from.y;
      if (!pulled && Math.abs(by) < THRESHOLD) return;
      if (!pulled) root.setPointerCapture(event.pointerId);
      pulled = true;
      const { strip, full } = heights();
      sheet.pulled = Math.min(full, Math.max(strip, from.height + by));
      const millis = Math.max(1, event.timeStamp - last.time);
      last = { y: event.clientY, time: event.timeStamp, speed: (event.clientY - last.y) / millis };
    };
    const up = (event: PointerEvent) => {
      if (!from || event.pointerId !== from.id) return;
      from = null;
      if (sheet.pulled === null) return;
      const speed = event.timeStamp - last.time > REST_MILLIS ? 0 : last.speed;
      const height = event.type === "pointercancel" ? sheet.height : resting(sheet.pulled, speed, heights());
      sheet.pulled = null;
      sheet.put(height);
    };
    const click = (event: MouseEvent) => {
      if (!pulled) return;
      pulled = false;
      event.stopPropagation();
      event.preventDefault();
    };
    root.addEventListener("pointerdown", down, options);
    root.addEventListener("pointermove", move, options);
    root.addEventListener("pointerup", up, options);
    root.addEventListener("pointercancel", up, options);
    root.addEventListener("click", click, { ...options, capture: true });
    return () => ended.abort();
  };
}
