// Pan and zoom of the graph: one transform, moved by drag, wheel, pinch and buttons.
//
// Invariant: until the learner moves it, the view shows the whole graph where its labels can be read so, and
// otherwise the part of it that playback has come to, at reading size. It moves for nothing else, but that a stage of another
// size leaves no side empty and, where it changes much, keeps its middle. The wheel
// zooms, with Shift it moves the graph. What is moved under the buttons is not drawn there: they have the top of the stage.

import {
  atStart,
  BUTTONS,
  fitBelowButtons,
  fitView,
  type Layout,
  overviewMap,
  READING_SCALE,
  type View,
} from "./geometry";
import { glide } from "./glide";
import type { Rect } from "./labels";

const SMALLEST = 0.12;
const LARGEST = 4;
/** The room shown around a node that was zoomed to. */
const SURROUNDINGS = 70;
/** A stage that changes by more, in pixels, keeps what was in its middle there: it goes to the full screen, or comes back. */
const LARGE_CHANGE = 150;
/** A press that moves less is a click. */
const DRAG_THRESHOLD = 5;

/** Whether a layout takes the same room: that of another step of the same graph. */
function isSame(a: Layout["bounds"], b: Layout["bounds"]): boolean {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
}

/** A point of a layout, and where it is to stand on the stage. */
export interface Anchor {
  x: number;
  y: number;
  onStage: readonly [number, number];
  /** The rooms of what was unfolded there, which come into sight. */
  opened: readonly Rect[];
}

export class Viewport {
  view: View = $state.raw({ x: 0, y: 0, scale: 1 });
  /** Whether the learner has left the view as it was. */
  fitted = $state(true);
  /** Whether all of the graph is shown, however small. */
  whole = $state(false);
  /** Whether all of the graph can be read at once. */
  roomy = $state(true);
  dragging = $state(false);
  /** Told of every turn of the wheel that zooms. */
  onwheel: (() => void) | null = null;
  /** No buttons lie over the graph. */
  bare = $state(false);
  #layout: Layout | null = $state.raw(null);
  /** The scale at which the whole layout fits. */
  #fits = $state(1);
  /** The node that stays in the middle while the stage gets another size, and its layout with it. */
  #middle: (() => { x: number; y: number } | undefined) | null = null;
  #width = 1;
  #height = 1;
  /** How much of the top of the stage the buttons have. */
  readonly #above = $derived(this.bare ? 0 : BUTTONS.height);
  /** How much of it is kept clear: of a graph that is shown larger than it fits, what would come under them. */
  readonly clear: number = $derived.by(() => {
    const { bounds } = this.#layout ?? {};
    const { scale, y } = this.view;
    return bounds && scale > this.#fits && bounds.y * scale + y < this.#above ? this.#above : 0;
  });
  /** Where playback is, in the units of the layout. */
  #followed: Rect | null = null;
  readonly #glide = glide(
    () => this.view,
    (view) => {
      this.view = view;
    },
  );

  /**
   * Takes the graph's layout and the stage's size. Of another layout the whole is shown, or at reading size its
   * beginning, or `room`, where playback is; `anchor` keeps a point of it where it was on the stage.
   */
  frame(
    layout: Layout,
    width: number,
    height: number,
    anchor: Anchor | null = null,
    room: Rect | null = null,
  ): void {
    const another = !this.#layout || !isSame(layout.bounds, this.#layout.bounds);
    const wasWhole = this.whole || this.roomy;
    const [wider, higher] = [width - this.#width, height - this.#height];
    this.#layout = layout;
    this.#width = Math.max(1, width);
    this.#height = Math.max(1, height);
    const fitting = this.#fitting(layout);
    this.#fits = fitting.scale;
    this.roomy = fitting.scale >= READING_SCALE;
    if (this.#middle?.()) this.keep(this.#middle);
    else if (another || this.fitted) {
      const anew = another || wasWhole;
      this.#rest(fitting, anew, anchor);
      if (anew && !anchor) this.follow(room, true);
      else if (!anew && !this.roomy && (wider || higher)) {
        this.#glide.stop();
        this.view = this.#filled(this.view);
        this.follow(this.#followed, true);
      }
    } else if (Math.hypot(wider, higher) > LARGE_CHANGE) this.pan(wider / 2, higher / 2);
  }

  /** Shows the whole graph, however small. */
  fit(): void {
    this.whole = !this.roomy;
    if (this.#layout) this.#rest(this.#fitting(this.#layout), true);
  }

  /** Goes back to reading size, where playback is. */
  read(): void {
    this.whole = false;
    if (!this.#layout) return;
    this.#rest(this.#fitting(this.#layout), true);
    this.follow(this.#followed, true);
  }

  /** Shows what is shown until the learner moves it; `anew` where the view at reading size is to change. */
  #rest(fitting: View, anew: boolean, anchor: Anchor | null = null): void {
    const isReadable = this.whole || this.roomy;
    this.fitted = true;
    this.#middle = null;
    if (!this.#layout || !(isReadable || anew)) return;
    this.#glide.stop();
    this.view = isReadable ? fitting : atStart(this.#layout, this.#width, this.#height, this.#above);
    if (anchor && !isReadable) {
      const { scale } = this.view;
      const [x, y] = anchor.onStage;
      const kept = { scale, x: x - anchor.x * scale, y: y - anchor.y * scale };
      this.view = this.#filled(this.#including(anchor.opened, this.#filled(kept)));
    }
  }

  /** What the overview map takes of the lower right corner. */
  get #map(): { width: number; height: number } {
    const map = this.#layout && overviewMap(this.#layout.bounds, this.#width, this.#height);
    return map?.onStage ?? { width: 0, height: 0 };
  }

  /** The view that shows all of a layout. */
  #fitting(layout: Layout): View {
    const [width, height] = [this.#width, this.#height];
    return this.bare ? fitView(layout.bounds, width, height) : fitBelowButtons(layout, width, height);
  }

  /** The nearest view that shows these rooms, or their beginning where they need more than the stage. */
  #including(rooms: readonly Rect[], view: View): View {
    if (rooms.length === 0) return view;
    const [left, top, right, bottom] = ends(rooms);
    const { scale, x, y } = view;
    return {
      scale,
      x: x + into(left * scale + x, right * scale + x, this.#width),
      y: y + into(top * scale + y, bottom * scale + y, this.#height, this.#above),
    };
  }

  /** A view at reading size, moved so that no side of the stage is left empty, but for `below` at the lower one. */
  #filled({ scale, x, y }: View, below = 0): View {
    const layout = this.#layout as Layout;
    const { bounds } = layout;
    const start = atStart(layout, this.#width, this.#height, this.#above);
    const across = this.#width - bounds.width * scale;
    const down = this.#height - below - bounds.height * scale;
    const [left, top] = [bounds.x * scale, bounds.y * scale];
    const clamp = (wanted: number, least: number, most: number) => Math.min(most, Math.max(least, wanted));
    return {
      scale,
      x: across >= 0 ? start.x : clamp(x, across - left, -left),
      y: down >= 0 && below === 0 ? start.y : clamp(y, down - top, start.y),
    };
  }

  /** Notes where playback is, and moves nothing. */
  note(room: Rect | null): void {
    this.#followed = room;
  }

  /** Brings a room of the layout that playback has come to into sight, unless the learner has moved the view. */
  follow(room: Rect | null, still = false): void {
    this.#followed = room;
    if (!room || !this.fitted || this.whole || this.roomy) return;
    const { x, y, scale } = this.#glide.goal ?? this.view;
    const across = x + within(room.left * scale + x, room.right * scale + x, this.#width);
    const beside = this.#filled({ scale, x: across, y });
    const below = room.right * scale + beside.x > this.#width - this.#map.width ? this.#map.height : 0;
    const up = within(room.top * scale + y, room.bottom * scale + y, this.#height - below, this.#above);
    const to = this.#filled({ scale, x: across, y: y + up }, below);
    if (to.x === x && to.y === y) return;
    if (still) this.view = to;
    else this.#glide.to(to);
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
    const [left, top, right, bottom] = ends(rooms);
    const [x, y] = [left - SURROUNDINGS, top - SURROUNDINGS];
    const bounds = { x, y, width: right + SURROUNDINGS - x, height: bottom + SURROUNDINGS - y };
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
    const least = margin + this.#above;
    const dy = atY < least ? least - atY : Math.min(0, this.#height - margin - atY);
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
      event.preventDefault();
      if (event.shiftKey) {
        // Most systems turn a wheel with Shift on its side already.
        const along = event.deltaX || event.deltaY;
        this.pan(-along * unit, 0);
        return;
      }
      const area = element.getBoundingClientRect();
      // A trackpad's pinch comes as a wheel with Ctrl, in small steps.
      const speed = event.ctrlKey || event.metaKey ? 0.006 : 0.0016;
      this.zoom(Math.exp(-event.deltaY * unit * speed), event.clientX - area.left, event.clientY - area.top);
      this.onwheel?.();
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
    this.#glide.stop();
    this.view = view;
    this.fitted = false;
    this.#middle = null;
  }
}

/** Left, top, right and bottom of what holds these rooms. */
function ends(rooms: readonly Rect[]): [number, number, number, number] {
  return [
    Math.min(...rooms.map((room) => room.left)),
    Math.min(...rooms.map((room) => room.top)),
    Math.max(...rooms.map((room) => room.right)),
    Math.max(...rooms.map((room) => room.bottom)),
  ];
}

/** Air at the edge of the stage beside what was unfolded. */
const AIR = 24;

/** How far to move for `from` to `to` to lie on the stage from `start` on; where it is longer, for its beginning to. */
function into(from: number, to: number, size: number, start = 0): number {
  const [least, most] = [start + AIR, size - AIR];
  return from < least || to - from > most - least ? least - from : Math.min(0, most - to);
}

/** The part of the stage at either end that playback keeps clear of. */
const EDGE = 0.16;

/** How far to move for `from` to `to` to lie on the stage from `start` on, clear of its ends: none where they do. */
function within(from: number, to: number, size: number, start = 0): number {
  const edge = (size - start) * EDGE;
  if (from >= start + edge && to <= size - edge) return 0;
  return (size + start) / 2 - (from + to) / 2;
}
