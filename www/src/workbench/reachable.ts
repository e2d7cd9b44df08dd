// Prose that a keyboard reaches: code and formulas that scroll sideways take the focus.
//
// Invariant: only an element that scrolls is a stop of the Tab key, at any width of the page and in any font.

/** An attachment for an element with prose in it. */
export function reachable(prose: HTMLElement) {
  const wide = prose.querySelectorAll<HTMLElement>("pre, div.math");
  if (wide.length === 0) return;
  const measure = () => {
    for (const each of wide) {
      if (each.scrollWidth > each.clientWidth) each.tabIndex = 0;
      else each.removeAttribute("tabindex");
    }
  };
  const watch = new ResizeObserver(measure);
  for (const each of [prose, ...wide]) watch.observe(each);
  // A font that arrives changes what is inside, and not the element's own size.
  document.fonts?.addEventListener("loadingdone", measure);
  return () => {
    watch.disconnect();
    document.fonts?.removeEventListener("loadingdone", measure);
  };
}
