// Prose that a keyboard reaches: code and formulas that scroll sideways take the focus.
//
// Invariant: only an element that scrolls is a stop of the Tab key, at any width of the page.

/** An attachment for an element with prose in it. */
export function reachable(prose: HTMLElement) {
  const wide = prose.querySelectorAll<HTMLElement>("pre, div.math");
  if (wide.length === 0) return;
  const watch = new ResizeObserver(() => {
    for (const each of wide) {
      if (each.scrollWidth > each.clientWidth) each.tabIndex = 0;
      else each.removeAttribute("tabindex");
    }
  });
  for (const each of [prose, ...wide]) watch.observe(each);
  return () => watch.disconnect();
}
