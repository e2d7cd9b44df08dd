// What pointers do on the canvas: they move the view, nodes, a frame around nodes, and the end of a wire.
//
// Invariant: nothing of the network changes before a pointer is lifted. A press that moves less than a few pixels is a
// click, which is the button's own. Two fingers move and zoom, whatever the first one began.
import { t } from "../language/language.svelte";
import { isOutput, outputIndex } from "./cards";
import type { Point } from "./layout";
import { parseSource, sourceText } from "./model";
import type { Studio } from "./studio.svelte";
import type { View } from "./view.svelte";

const THRESHOLD = 4;

interface Drag {
  ids: ReadonlySet<string>;
  dx: number;
  dy: number;
}

interface Wire {
  from: string;
  result: number;
  /** The wire that was taken from its port. */
  taken: string | null;
  to: Point;
  onto: { id: string; port: number } | null;
  fault: string | null;
}

interface Frame {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

type Doing = "pan" | "node" | "frame" | "wire";

export class Hands {
  drag = $state.raw<Drag | null>(null);
  wire = $state.raw<Wire | null>(null);
  frame = $state.raw<Frame | null>(null);
  isPanning = $state(false);
  /** A pointer is down on the canvas. */
  isDown = false;
  /** The press that ends now was a drag, and no click. */
  hasDragged = false;
  private readonly pointers = new Map<number, Point>();
  private doing: Doing | null = null;
  private start: Point = { x: 0, y: 0 };
  private ids: ReadonlySet<string> = new Set();
  /** Of wires from this one, what was found about their ends. */
  private readonly told = new Map<string, string | null>();

  constructor(
    private readonly studio: Studio,
    private readonly view: View,
    private readonly ondrop: (source: string) => void,
  ) {}

  down(event: PointerEvent, host: HTMLElement): void {
    if (event.button !== 0 && event.button !== 1) return;
    this.isDown = true;
    this.hasDragged = false;
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.pointers.size > 1) {
      this.begin("pan");
      return;
    }
    this.start = { x: event.clientX, y: event.clientY };
    const target = event.target as Element;
    const port = target.closest<HTMLElement>("[data-out], [data-in]");
    const node = target.closest<HTMLElement>("[data-node]")?.dataset.node;
    if (port && event.button === 0) this.take(port, event, host);
    else if (node !== undefined && event.button === 0) {
      const { selected } = this.studio;
      this.ids = new Set(selected.includes(node) ? selected : [node]);
      this.begin("node");
    } else if (event.shiftKey) this.begin("frame");
    else this.begin("pan");
  }

  private begin(doing: Doing): void {
    this.doing = doing;
    this.drag = null;
    this.frame = null;
    if (doing !== "wire") this.wire = null;
  }

  /** Begins a wire at a port; a wire that ends there is taken off. */
  private take(port: HTMLElement, event: PointerEvent, host: HTMLElement): void {
    const { of = "", out, in: into } = port.dataset;
    const wires = this.studio.picture.wires;
    const taken =
      into === undefined ? undefined : wires.find((one) => one.target === of && one.port === Number(into));
    if (into !== undefined && !taken) {
      this.begin("pan");
      return;
    }
    this.told.clear();
    this.begin("wire");
    this.wire = {
      from: taken?.source ?? of,
      result: taken?.result ?? Number(out),
      taken: taken?.id ?? null,
      to: this.point(event, host),
      onto: null,
      fault: null,
    };
    event.preventDefault();
  }

  private point(event: { clientX: number; clientY: number }, host: HTMLElement): Point {
    const { left, top } = host.getBoundingClientRect();
    return this.view.toPicture(event.clientX, event.clientY, left, top);
  }

  move(event: PointerEvent, host: HTMLElement): void {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    if (this.pointers.size > 1) {
      this.pinch(event.pointerId, before, now, host);
      return;
    }
    const far = Math.hypot(now.x - this.start.x, now.y - this.start.y);
    if (!this.hasDragged && far < THRESHOLD) return;
    this.hasDragged = true;
    this.pointers.set(event.pointerId, now);
    const { scale } = this.view.view;
    if (this.doing === "pan") {
      this.isPanning = true;
      // The first movement makes up for the threshold.
      this.view.pan(now.x - before.x, now.y - before.y);
    } else if (this.doing === "node") {
      this.drag = { ids: this.ids, dx: (now.x - this.start.x) / scale, dy: (now.y - this.start.y) / scale };
    } else if (this.doing === "frame") {
      const { left, top } = host.getBoundingClientRect();
      const a = this.view.toPicture(this.start.x, this.start.y, left, top);
      const b = this.point(event, host);
      this.frame = {
        left: Math.min(a.x, b.x),
        right: Math.max(a.x, b.x),
        top: Math.min(a.y, b.y),
        bottom: Math.max(a.y, b.y),
      };
    } else if (this.doing === "wire" && this.wire) this.draw(event, host, this.wire);
  }

  private draw(event: PointerEvent, host: HTMLElement, wire: Wire): void {
    const to = this.point(event, host);
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const port = under?.closest<HTMLElement>("[data-in]");
    const id = port?.dataset.of ?? under?.closest<HTMLElement>("[data-node]")?.dataset.node;
    let onto: Wire["onto"] = null;
    if (id !== undefined && id !== wire.from) {
      const free = this.freePort(id);
      if (port) onto = { id, port: Number(port.dataset.in) };
      else if (free !== null) onto = { id, port: free };
    }
    this.wire = { ...wire, to, onto, fault: onto ? this.faultOf(wire, onto) : null };
  }

  /** What the module says of the wire, asked once an end. */
  private faultOf({ from, result }: Wire, { id, port }: { id: string; port: number }): string | null {
    const key = `${id} ${port}`;
    const known = this.told.get(key);
    if (known !== undefined) return known;
    const fault = this.studio.wouldSay(sourceText(from, result), id, port);
    this.told.set(key, fault);
    return fault;
  }

  /** The first port of a node that takes a wire; the last where all have one. */
  private freePort(id: string): number | null {
    const { cards, wires } = this.studio.picture;
    const ports = cards.find((card) => card.id === id)?.ports ?? 0;
    if (ports === 0) return null;
    return Math.min(wires.filter(({ target }) => target === id).length, ports - 1);
  }

  private pinch(id: number, before: Point, now: Point, host: HTMLElement): void {
    const other = [...this.pointers].find(([each]) => each !== id)?.[1];
    this.pointers.set(id, now);
    this.hasDragged = true;
    if (!other) return;
    const { left, top } = host.getBoundingClientRect();
    const apart = (a: Point) => Math.hypot(a.x - other.x, a.y - other.y);
    this.view.pan((now.x - before.x) / 2, (now.y - before.y) / 2);
    const factor = apart(now) / Math.max(1, apart(before));
    this.view.zoom(factor, (now.x + other.x) / 2 - left, (now.y + other.y) / 2 - top);
  }

  up(event: PointerEvent, isOff = false): void {
    if (!this.pointers.delete(event.pointerId)) return;
    const { doing, drag, frame, wire, studio } = this;
    if (this.pointers.size > 0) return;
    this.doing = null;
    this.drag = this.wire = this.frame = null;
    this.isPanning = false;
    this.isDown = false;
    if (isOff) return;
    if (doing === "node" && drag) {
      const { places } = studio.placed;
      const moved = [...drag.ids].map((id) => {
        const { x, y } = places.get(id) ?? { x: 0, y: 0 };
        return [id, { x: x + drag.dx, y: y + drag.dy }] as const;
      });
      if (![...drag.ids].every((id) => studio.selected.includes(id))) studio.select([...drag.ids]);
      studio.move(new Map(moved));
    } else if (doing === "frame" && frame) this.catchIn(frame);
    else if (doing === "wire" && wire) this.end(wire);
    else if (doing === "pan" && !this.hasDragged) this.click(event);
  }

  private catchIn({ left, top, right, bottom }: Frame): void {
    const { picture, placed } = this.studio;
    const inside = picture.cards.filter(({ id, width, height }) => {
      const at = placed.places.get(id);
      return at && at.x < right && at.x + width > left && at.y < bottom && at.y + height > top;
    });
    this.studio.select(inside.map(({ id }) => id));
  }

  private end({ from, result, taken, onto }: Wire): void {
    const source = sourceText(from, result);
    const { studio } = this;
    if (!this.hasDragged) {
      if (taken !== null) this.choose(taken);
      return;
    }
    if (!onto) {
      if (taken !== null) studio.cutWire(taken);
      else this.ondrop(source);
      return;
    }
    const old = taken === null ? undefined : studio.picture.wires.find(({ id }) => id === taken);
    if (old && old.target === onto.id && old.port === onto.port) return;
    studio.connect(source, onto.id, onto.port, old && !isOutput(old.target) ? old : null);
  }

  /** A press beside all nodes: a wire, or nothing. */
  private click(event: PointerEvent): void {
    const wire = (event.target as Element).closest<SVGElement>("[data-wire]")?.dataset.wire;
    if (wire !== undefined) this.choose(wire);
    else if ((event.target as Element).closest(".canvas")) {
      this.studio.select([]);
      this.studio.wire = null;
    }
  }

  private choose(wire: string): void {
    this.studio.select([]);
    this.studio.wire = wire;
    const found = this.studio.picture.wires.find(({ id }) => id === wire);
    if (!found) return;
    const to = isOutput(found.target) ? t("output {n}", { n: outputIndex(found.target) + 1 }) : found.target;
    this.studio.say(
      t("The wire from {name} to {to}. Delete cuts it.", { name: parseSource(found.source).name, to }),
    );
  }

  wheel(event: WheelEvent, host: HTMLElement): void {
    event.preventDefault();
    const { deltaX, deltaY, deltaMode, shiftKey } = event;
    const unit = deltaMode === 1 ? 16 : 1;
    if (shiftKey || (deltaX !== 0 && !event.ctrlKey)) {
      const dx = shiftKey && deltaX === 0 ? deltaY : deltaX;
      this.view.pan(-dx * unit, shiftKey ? 0 : -deltaY * unit);
      return;
    }
    const { left, top } = host.getBoundingClientRect();
    this.view.zoom(
      Math.exp(-deltaY * unit * (event.ctrlKey ? 0.01 : 0.0016)),
      event.clientX - left,
      event.clientY - top,
    );
  }
}
