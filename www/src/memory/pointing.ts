// What points at cells and elements, by pointer and by focus alike.
//
// Invariant: a listener for each way is on the group, not on its hundreds of parts, and goes with it.

/** An attachment for a group of parts: `point` hears which part an event is of, null when none is. */
export function pointing<Part>(
  part: (event: Event) => Part | null,
  point: (part: Part | null) => void,
  keys: (event: KeyboardEvent) => void,
) {
  return (group: HTMLElement) => {
    const over = (event: Event) => point(part(event));
    const leave = () => point(null);
    const pairs = [
      ["pointerover", over],
      ["pointerleave", leave],
      ["focusin", over],
      ["focusout", leave],
      ["keydown", keys as (event: Event) => void],
    ] as const;
    for (const [name, listen] of pairs) group.addEventListener(name, listen);
    return () => {
      for (const [name, listen] of pairs) group.removeEventListener(name, listen);
    };
  };
}
