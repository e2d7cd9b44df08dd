// Whether the reader writes: an editor in the text has the focus, or was typed in since the last run.
//
// Invariant: an end of writing is told only after the press that caused it, so that nothing comes to lie between a
// finger and the button under it.

/** Text fields, and editors of code. */
const EDITORS = ".cm-content, textarea, input:not([type=radio], [type=checkbox], [type=range], [type=file])";
const AFTER_PRESS_MILLIS = 220;

/** An attachment for the text: `tell` hears when writing begins and ends. */
export function whileWriting(tell: (writing: boolean) => void) {
  return (text: HTMLElement) => {
    const ended = new AbortController();
    const options = { signal: ended.signal, passive: true };
    let pressed = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const begin = (event: Event) => {
      if (!(event.target as Element).matches(EDITORS)) return;
      clearTimeout(timer);
      tell(true);
    };
    const settle = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const active = document.activeElement;
        if (!pressed && !(active?.matches(EDITORS) && text.contains(active))) tell(false);
      }, AFTER_PRESS_MILLIS);
    };
    const press = (event: PointerEvent) => {
      pressed = event.type === "pointerdown";
      if (!pressed) settle();
    };
    text.addEventListener("focusin", begin, options);
    text.addEventListener("input", begin, options);
    text.addEventListener("focusout", settle, options);
    for (const type of ["pointerdown", "pointerup", "pointercancel"] as const) {
      window.addEventListener(type, press, { ...options, capture: true });
    }
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  };
}

/** Leaves the editor in the text, and with it the keyboard on the screen. */
export function stopWriting(text: HTMLElement | undefined): void {
  const active = document.activeElement;
  if (active instanceof HTMLElement && active.matches(EDITORS) && text?.contains(active)) active.blur();
}
