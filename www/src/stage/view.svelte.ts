// Pan and zoom of the graph: one transform, moved by drag, wheel, pinch and buttons.
//
// Invariant: until the learner moves it, the view fits the whole graph and follows the size of the
// stage. A plain wheel over a graph that fits scrolls the page, never the graph; with Ctrl (or the
// pinch of a trackpad, which browsers report so) it zooms.
import { fitBelowButtons, fitView, type Layout, type View } from "./geometry";
import type { Rect } from "./labels";

const SMALLEST = 0.12;
const LARGEST = 4;
/** The room shown around a node that was zoomed to. */
const SURROUNDINGS = 70;
/** A press that moves less is a click. */
const DRAG_THRESHOLD = 5;

export class Viewport {
  view: View = $state.raw({ x: 0, y: 0, scale: 1 });
  /** Whether the learner has left the view as it was fitted. */
  fitted = $state(true);
  dragging = $state(false);
  /** No buttons lie over the graph. */
  bare = false;
  #layout: Layout | null = null;
  /** The node that stays in the middle while the stage gets another size, and its layout with it. */
  #middle: (() => { x: number; y: number } | undefined) | null = null;
  #width = 1;
  #height = 1;

  /** Takes the graph's layout and the stage's size; fits unless the view was moved by hand. */
  frame(layout: Layout, width: number, height: number): void {
    const another = layout !== this.#layout;
    this.#layout = layout;
    this.#width = Math.max(1, width);
    this.#height = Math.max(1, height);
    if (this.#middle?.()) this.keep(this.#middle);
    else if (another || this.fitted) this.fit();
  }

  fit(): void {
    const [layout, width, height] = [this.#layout, this.#width, this.#height];
    if (layout)
      this.view = this.bare ? fitView(layout.bounds, width, height) : fitBelowButtons(layout, width, height);
    this.fitted = true;
    this.#middle = null;
  }

  /** Zooms about a point of the stage, the middle by default. */
  zoom(factor: number, x = this.#width / 2, y = this.#height / 2): void {
    // A graph too large for the smallest scale is fitted below it.
    const smallest = Math.min(SMALLEST, this.view.scale);
    const scale = Math.min(LARGEST, Math.max(smallest, this.view.scale * factor));
    const ratio = scale / this.view.scale;
    this.#show({ scale, x: x - (x - this.view.x) * ratio, y: y - (y - this.view.y) * ratio });
  }

  /** Shows these rooms of the layout, with some air around them, as large as they fit. */
  show(rooms: readonly Rect[]): void {
    const left = Math.min(...rooms.map((room) => room.left)) - SURROUNDINGS;
    const top = Math.min(...rooms.map((room) => room.top)) - SURROUNDINGS;
    const right = Math.max(...rooms.map((room) => room.right)) + SURROUNDINGS;
    const bottom = Math.max(...rooms.map((room) => room.bottom)) + SURROUNDINGS;
    const bounds = { x: left, y: top, width: right - left, height: bottom - top };
    this.#show(fitView(bounds, this.#width, this.#height));
  }

  /** Moves a point of the layout to the middle. */
  centre(x: number, y: number, scale = this.view.scale): void {
    this.#show({ scale, x: this.#width / 2 - x * scale, y: this.#height / 2 - y * scale });
  }

  /** Keeps something in the middle, at this scale at least, until the view is moved or it is gone. */
  keep(place: () => { x: number; y: number } | undefined, least = 0): void {
    const now = place();
    if (!now) return;
    this.centre(now.x, now.y, Math.max(this.view.scale, least));
    this.#middle = place;
  }

  pan(dx: number, dy: number): void {
    this.#show({ ...this.view, x: this.view.x + dx, y: this.view.y + dy });
  }

  /** Moves as little as needed for a point of the layout to be on the stage. */
  reveal(x: number, y: number): void {
    const margin = 60;
    const [atX, atY] = [x * this.view.scale + this.view.x, y * this.view.scale + this.view.y];
    const dx = atX < margin ? margin - atX : Math.min(0, this.#width - margin - atX);
    const dy = atY < margin ? margin - atY : Math.min(0, this.#height - margin - atY);
    if (!this.fitted && (dx || dy)) this.pan(dx, dy);
  }

  /** Attaches drag, wheel and pinch to the element that shows the view. */
  gestures = (element: Element & GlobalEventHandlers): (() => void) => {
    const pointers = new Map<number, { x: number; y: number }>();
    let travelled = 0;

    const down = (event: PointerEvent) => {
      if (event.button !== 0) return;
      pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      if (pointers.size === 1) travelled = 0;
    };
    const move = (event: PointerEvent) => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const now = { x: event.clientX, y: event.clientY };
      const [dx, dy] = [now.x - before.x, now.y - before.y];
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const spread = (point: { x: number; y: number }) => Math.hypot(point.x - other.x, point.y - other.y);
        const area = element.getBoundingClientRect();
        this.pan(dx / 2, dy / 2);
        this.zoom(
          spread(now) / Math.max(1, spread(before)),
          (now.x + other.x) / 2 - area.left,
          (now.y + other.y) / 2 - area.top,
        );
        travelled = Infinity;
      } else {
        travelled += Math.hypot(dx, dy);
        if (travelled < DRAG_THRESHOLD) return;
        if (!this.dragging) element.setPointerCapture(event.pointerId);
        this.pan(dx, dy);
      }
      this.dragging = true;
      pointers.set(event.pointerId, now);
    };
    const up = (event: PointerEvent) => {
      pointers.delete(event.pointerId);
      if (pointers.size === 0) this.dragging = false;
    };
    // The click that ends a drag is not a click on the node under it.
    const click = (event: MouseEvent) => {
      if (travelled >= DRAG_THRESHOLD) event.stopImmediatePropagation();
      travelled = 0;
    };
    const wheel = (event: WheelEvent) => {
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      if (event.ctrlKey || event.metaKey) {
        const area = element.getBoundingClientRect();
        this.zoom(
          Math.exp(-event.deltaY * unit * 0.006),
          event.clientX - area.left,
          event.clientY - area.top,
        );
      } else if (!this.fitted && this.#reaches(-event.deltaX * unit, -event.deltaY * unit)) {
        this.pan(-event.deltaX * unit, -event.deltaY * unit);
      } else return;
      event.preventDefault();
    };

    element.addEventListener("pointerdown", down);
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", up);
    element.addEventListener("pointercancel", up);
    element.addEventListener("click", click, { capture: true });
    element.addEventListener("wheel", wheel, { passive: false });
    return () => {
      element.removeEventListener("pointerdown", down);
      element.removeEventListener("pointermove", move);
      element.removeEventListener("pointerup", up);
      element.removeEventListener("pointercancel", up);
      element.removeEventListener("click", click, { capture: true });
      element.removeEventListener("wheel", wheel);
    };
  };

  /** A view that the learner chose. */
  #show(view: View): void {
    this.view = view;
    this.fitted = false;
    this.#middle = null;
  }

  /** Whether there is graph beyond the stage in the direction of a pan. */
  #reaches(dx: number, dy: number): boolean {
    if (!this.#layout) return false;
    const { x, y, width, height } = this.#layout.bounds;
    const { scale } = this.view;
    const left = x * scale + this.view.x;
    const top = y * scale + this.view.y;
    return (
      (dy > 0 && top < 0) ||
      (dy < 0 && top + height * scale > this.#height) ||
      (dx > 0 && left < 0) ||
      (dx < 0 && left + width * scale > this.#width)
    );
  }
}
