// A box of a note that is wider than the page: it scrolls sideways, and takes focus for as long as it does.
import { edges } from "../code/edges";

/** An attachment for the box; ends when the answer is called. */
export function sideways(box: HTMLElement): () => void {
  const tell = () => {
    if (box.scrollWidth - box.clientWidth > 1) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  };
  // Tests have no layout.
  const sized = typeof ResizeObserver === "undefined" ? null : new ResizeObserver(tell);
  for (const each of [box, ...box.children]) sized?.observe(each);
  const end = edges(box);
  return () => {
    sized?.disconnect();
    end();
  };
}
