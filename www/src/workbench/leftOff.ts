// Where a lesson was left: noted while it is read, and gone to when it is opened again.
//
// Invariant: the place is a block and its height on the screen, so that it is found again when blocks above have
// become longer. The page goes there at once and stays there while it settles, until the reader moves it. Meanwhile the
// browser's own scroll anchoring is off: it would hold the page by what it sees, as by an editor that is just taking the
// place of the code that stood in for it.
import type { Notebook } from "../notebook/notebook.svelte";
import { type Place, placeOf, setPlace } from "../store/place";

const NOTE_MILLIS = 200;
/** How long a page may grow after it was opened, on a slow computer too: editors, outputs, widgets, faces. */
const SETTLE_MILLIS = 15_000;
/** The part of the window's height at which a reader is taken to read. */
const READING = 0.6;

/** Whether the page was read at this entry of the browser's history: it was reloaded, or come back to. */
export function wasRead(): boolean {
  return (history.state as { read?: boolean } | null)?.read === true;
}

const blocks = (article: HTMLElement) => [...article.querySelectorAll<HTMLElement>(":scope > [id]")];

/** Notes the place while the article is on the page; ends when the answer is called. */
export function notePlace(article: HTMLElement, notebook: Notebook): () => void {
  const { lesson } = notebook;
  if (lesson === null) return () => {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  const note = () => {
    clearTimeout(timer);
    timer = undefined;
    if (!article.isConnected) return;
    if (!wasRead()) history.replaceState({ read: true }, "");
    const { graph, graphs, stage, instrument } = notebook;
    const cell = [...graphs].find(([, each]) => each === graph)?.[0] ?? null;
    setPlace(lesson, {
      ...placeIn(article),
      instrument,
      cell,
      position: stage.position,
      folds: [...stage.folds],
    });
  };
  const soon = () => {
    timer ??= setTimeout(note, NOTE_MILLIS);
  };
  window.addEventListener("scroll", soon, { passive: true });
  window.addEventListener("pagehide", note);
  document.addEventListener("visibilitychange", note);
  return () => {
    window.removeEventListener("scroll", soon);
    window.removeEventListener("pagehide", note);
    document.removeEventListener("visibilitychange", note);
    clearTimeout(timer);
  };
}

function placeIn(article: HTMLElement): Pick<Place, "block" | "top"> {
  if (window.scrollY === 0) return { block: null, top: 0 };
  const height = window.innerHeight * READING;
  const read = blocks(article).findLast((block) => block.getBoundingClientRect().top <= height);
  return { block: read?.id ?? null, top: read?.getBoundingClientRect().top ?? 0 };
}

/** Keeps the block in reading height where it is while its text changes: what is answered is called afterwards. */
export function holdPlace(article: HTMLElement): () => void {
  const { block, top } = placeIn(article);
  return () => {
    const now = blocks(article).find(({ id }) => id === block);
    if (now) window.scrollBy({ top: now.getBoundingClientRect().top - top, behavior: "instant" });
  };
}

/** Goes to where the lesson was left; false when no place is known. Ends when the answer's function is called. */
export function goToPlace(article: HTMLElement, lesson: string): (() => void) | null {
  const place = placeOf(lesson);
  const block = place && blocks(article).find(({ id }) => id === place.block);
  if (!place || !block) return null;
  // Of a window that was higher, the block may have been further down than this one reaches.
  const top = Math.min(place.top, window.innerHeight * READING);
  const go = () => window.scrollBy({ top: block.getBoundingClientRect().top - top, behavior: "instant" });
  const growing = new ResizeObserver(go);
  const readers = ["wheel", "touchmove", "pointerdown", "keydown"] as const;
  const { style } = document.documentElement;
  style.overflowAnchor = "none";
  const end = () => {
    growing.disconnect();
    style.overflowAnchor = "";
    clearTimeout(timer);
    for (const each of readers) window.removeEventListener(each, end);
  };
  const timer = setTimeout(end, SETTLE_MILLIS);
  growing.observe(article);
  for (const each of readers) window.addEventListener(each, end, { passive: true });
  go();
  return end;
}
