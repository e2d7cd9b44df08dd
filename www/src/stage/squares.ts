// Rooms on a grid, so that those at a place are found without looking at all of them.
//
// Invariant: `near` visits each room that meets the one asked for, once: in the square where the two
// begin to meet. Leaves what a room is to the caller.
import type { Rect } from "./labels";

export class Squares<Room extends Rect> {
  readonly #side: number;
  readonly #rooms = new Map<number, Room[]>();

  constructor(side: number, rooms: Iterable<Room> = []) {
    this.#side = side;
    for (const room of rooms) this.add(room);
  }

  add(room: Room): void {
    const [right, bottom] = [this.#at(room.right), this.#at(room.bottom)];
    for (let column = this.#at(room.left); column <= right; column++) {
      for (let row = this.#at(room.top); row <= bottom; row++) {
        const key = keyOf(column, row);
        const known = this.#rooms.get(key);
        if (known) known.push(room);
        else this.#rooms.set(key, [room]);
      }
    }
  }

  /** Calls `visit` with each room that meets this one, edges included. */
  near(area: Rect, visit: (room: Room) => void): void {
    const [right, bottom] = [this.#at(area.right), this.#at(area.bottom)];
    for (let column = this.#at(area.left); column <= right; column++) {
      for (let row = this.#at(area.top); row <= bottom; row++) {
        for (const room of this.#rooms.get(keyOf(column, row)) ?? []) {
          const [left, top] = [Math.max(room.left, area.left), Math.max(room.top, area.top)];
          if (left > room.right || left > area.right || top > room.bottom || top > area.bottom) continue;
          if (this.#at(left) === column && this.#at(top) === row) visit(room);
        }
      }
    }
  }

  #at(place: number): number {
    return Math.floor(place / this.#side);
  }
}

/** Rows stay far below this, so no two squares share a number. */
const MOST_ROWS = 2 ** 21;

function keyOf(column: number, row: number): number {
  return column * MOST_ROWS + row;
}
