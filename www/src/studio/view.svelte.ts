// Which part of the picture is seen, and how large.
//
// Invariant: without being asked nothing is shown smaller than labels can be read. What is asked for comes into sight with
// the least movement.
import { glide } from "../stage/glide";
import type { Card } from "./cards";
import type { Point } from "./layout";

const MARGIN = 36;
const SMALLEST = 0.02;
const LARGEST = 2;

export class View {
  view = $state.raw({ x: 0, y: 0, scale: 1 });
  width = 0;
  height = 0;
  /** It was moved since it was shown anew. */
  isMoved = false;
  /** All of it is shown, however small. */
  private isWhole = false;
  readonly #glide = glide(
    () => this.view,
    (view) => {
      this.view = view;
    },
  );

  constructor(
    private readonly cards: () => readonly Card[],
    private readonly places: () => ReadonlyMap<string, Point>,
  ) {}

  /** A point of the window in the picture's own measures; `left` and `top` are the canvas's in the window. */
  toPicture(x: number, y: number, left: number, top: number): Point {
    return { x: (x - left - this.view.x) / this.view.scale, y: (y - top - this.view.y) / this.view.scale };
  }

  pan(dx: number, dy: number): void {
    this.#glide.stop();
    this.isMoved = true;
    this.isWhole = false;
    this.view = { ...this.view, x: this.view.x + dx, y: this.view.y + dy };
  }

  /** Zooms about a point of the canvas. */
  zoom(factor: number, x = this.width / 2, y = this.height / 2): void {
    this.#glide.stop();
    this.isMoved = true;
    this.isWhole = false;
    const scale = Math.min(LARGEST, Math.max(SMALLEST, this.view.scale * factor));
    const ratio = scale / this.view.scale;
    this.view = { scale, x: x - (x - this.view.x) * ratio, y: y - (y - this.view.y) * ratio };
  }

  #bounds() {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    const places = this.places();
    for (const { id, width, height } of this.cards()) {
      const at = places.get(id);
      if (!at) continue;
      left = Math.min(left, at.x);
      top = Math.min(top, at.y);
      right = Math.max(right, at.x + width);
      bottom = Math.max(bottom, at.y + height);
    }
    return Number.isFinite(left) ? { left, top, right, bottom } : { left: 0, top: 0, right: 1, bottom: 1 };
  }

  /** The graph as large as its labels are read: all of it where that fits, otherwise where it begins. */
  begin(): void {
    const { left, top, right, bottom } = this.#bounds();
    const [across, down] = [right - left, bottom - top];
    this.#glide.stop();
    this.isMoved = false;
    this.isWhole = false;
    this.view = {
      scale: 1,
      x: (across + 2 * MARGIN <= this.width ? (this.width - across) / 2 : MARGIN) - left,
      y: (down + 2 * MARGIN <= this.height ? Math.max(MARGIN, (this.height - down) / 2.6) : MARGIN) - top,
    };
    // What goes down and is wider than the canvas begins in its middle.
    if (across + 2 * MARGIN > this.width && down > across)
      this.view = { ...this.view, x: this.#middleOfFirst() };
  }

  #middleOfFirst(): number {
    const [first] = this.cards();
    const at = first && this.places().get(first.id);
    return first && at ? this.width / 2 - at.x - first.width / 2 : MARGIN;
  }

  /** All of the graph, however small; asked for again, its beginning at reading size. */
  whole(): void {
    if (this.isWhole) {
      this.begin();
      return;
    }
    const { left, top, right, bottom } = this.#bounds();
    const fits = Math.min(
      (this.width - 2 * MARGIN) / (right - left),
      (this.height - 2 * MARGIN) / (bottom - top),
    );
    const scale = Math.max(SMALLEST, Math.min(1, fits));
    this.#glide.stop();
    this.view = {
      scale,
      x: (this.width - (right - left) * scale) / 2 - left * scale,
      y: (this.height - (bottom - top) * scale) / 2 - top * scale,
    };
    this.isWhole = true;
    this.isMoved = true;
  }

  /** Brings a node into sight. */
  near(id: string): void {
    const card = this.cards().find((each) => each.id === id);
    const at = this.places().get(id);
    if (!card || !at) return;
    const { x, y, scale } = this.#glide.goal ?? this.view;
    const into = (start: number, length: number, room: number) =>
      start < MARGIN ? MARGIN - start : Math.min(0, room - MARGIN - start - length);
    const dx = into(at.x * scale + x, card.width * scale, this.width);
    const dy = into(at.y * scale + y, card.height * scale, this.height);
    if (dx === 0 && dy === 0) return;
    this.isMoved = true;
    this.#glide.to({ scale, x: x + dx, y: y + dy });
  }
}
