// A box that scrolls sideways says at which edges it goes on: base.css fades them.

/** An attachment for the box; ends when the answer is called. */
export function edges(box: HTMLElement): () => void {
  const tell = () => {
    const left = box.scrollLeft > 1 ? "left" : "";
    const right = box.scrollWidth - box.clientWidth - box.scrollLeft > 1 ? "right" : "";
    if (left || right) box.dataset.more = `${left} ${right}`;
    else delete box.dataset.more;
  };
  // Tests have no layout.
  const sized = typeof ResizeObserver === "undefined" ? null : new ResizeObserver(tell);
  for (const each of [box, ...box.children]) sized?.observe(each);
  box.addEventListener("scroll", tell, { passive: true });
  return () => {
    sized?.disconnect();
    box.removeEventListener("scroll", tell);
  };
}
