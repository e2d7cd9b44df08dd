// A node's card, or the outline, as a sheet at the bottom of a narrow screen: a swipe down, Escape, its button or a tap
// beside it closes it.
//
// Invariant: in the top layer, so that no part of the page cuts it off; a swipe counts on its header, and where the card
// is at its top, otherwise it scrolls. A tap on the graph or on its controls is not beside it: they go on with it open.
// On a wide screen the card is left as it is.

const NARROW = "(max-width: 799px)";
/** A pull of this many pixels, or this many a millisecond, closes. */
const FAR = 90;
const FLICK = 0.5;
const THRESHOLD = 8;

/** What of its stage is worked with while it is open. */
const CONTROLS = ".canvas, button, input, select, [role=slider], [role=listbox], [role=menu]";

/** An attachment for the card. `onaway` closes it where the focus is to stay with what was tapped. */
export function asSheet(onclose: () => void, onaway = onclose) {
  return (card: HTMLElement) => {
    if (typeof matchMedia !== "function") return;
    const media = matchMedia(NARROW);
    const adapt = () => {
      if (media.matches === card.hasAttribute("popover")) return;
      if (media.matches) {
        card.setAttribute("popover", "manual");
        card.showPopover?.();
      } else card.removeAttribute("popover");
    };
    adapt();
    media.addEventListener("change", adapt);
    const ended = swipe(card, () => media.matches, onclose);
    const onEscape = (event: KeyboardEvent) => {
      // In the stage, the stage hears it.
      if (event.key !== "Escape" || event.defaultPrevented || !media.matches) return;
      if (((event.composedPath()[0] ?? event.target) as Element).closest("section.stage")) return;
      onclose();
    };
    document.addEventListener("keydown", onEscape);
    const opened = performance.now();
    const onTap = (event: MouseEvent) => {
      // The tap that opened it is still on its way.
      if (!media.matches || event.timeStamp <= opened) return;
      const target = (event.composedPath()[0] ?? event.target) as Element;
      // What a press takes off the page was on it.
      if (!target.isConnected || card.contains(target)) return;
      const isOurs = card.closest("section.stage")?.contains(target) && target.closest(CONTROLS);
      if (!isOurs) onaway();
    };
    document.addEventListener("click", onTap);
    return () => {
      media.removeEventListener("change", adapt);
      document.removeEventListener("keydown", onEscape);
      document.removeEventListener("click", onTap);
      ended();
    };
  };
}

function swipe(card: HTMLElement, narrow: () => boolean, onclose: () => void): () => void {
  const ended = new AbortController();
  let from: { x: number; y: number; time: number } | null = null;
  let by = 0;
  const start = (event: TouchEvent) => {
    const touch = event.touches[0];
    from =
      narrow() &&
      touch &&
      event.touches.length === 1 &&
      (card.scrollTop <= 0 || (event.target as Element).closest("header"))
        ? { x: touch.clientX, y: touch.clientY, time: event.timeStamp }
        : null;
    by = 0;
  };
  const move = (event: TouchEvent) => {
    const touch = event.touches[0];
    if (!from || !touch) return;
    by = touch.clientY - from.y;
    if (by < -THRESHOLD || Math.abs(touch.clientX - from.x) > Math.max(THRESHOLD, Math.abs(by))) {
      // Up or to the side: it scrolls.
      from = null;
      by = 0;
    }
    if (by > THRESHOLD && event.cancelable) event.preventDefault();
    card.style.transition = "none";
    card.style.transform = by > THRESHOLD ? `translateY(${by}px)` : "";
  };
  const end = (event: TouchEvent) => {
    if (!from) return;
    const speed = by / Math.max(1, event.timeStamp - from.time);
    from = null;
    card.style.transition = "";
    // One that closes goes on from where it was let go of.
    if (event.type === "touchend" && (by > FAR || (by > 24 && speed > FLICK))) onclose();
    else card.style.transform = "";
  };
  const options = { signal: ended.signal };
  card.addEventListener("touchstart", start, { ...options, passive: true });
  card.addEventListener("touchmove", move, { ...options, passive: false });
  card.addEventListener("touchend", end, options);
  card.addEventListener("touchcancel", end, options);
  return () => ended.abort();
}
