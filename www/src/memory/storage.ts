// The engine's memory map, ready to draw: storages with their bytes, views, and what they are
// called.
//
// Invariant: an element is known only where its bytes were sent; beyond them it is null. Holds no
// state and draws nothing.
import { t } from "../language/language.svelte";
import type { GraphNode, MemoryMap, MemoryView } from "../protocol";
import { bitsAt, formatOf, show } from "./bits";
import { count, type Layout } from "./layout";

/** A row of cells. */
export interface StorageCells {
  dtype: string;
  /** Bytes of one cell. */
  size: number;
  /** In cells. */
  length: number;
  /** The first bytes of it. */
  bytes: Uint8Array;
}

/** A tensor as a view of a storage. */
export interface View {
  /** Its name, which no other has. */
  key: string;
  name: string;
  /** Whether a variable holds it. */
  variable: boolean;
  layout: Layout;
  node: number | null;
  cell: string | null;
  line: number | null;
}

/** A storage and all that view it. */
export interface Shared {
  /** The engine's number of the buffer; null while there is none. */
  id: number | null;
  storage: StorageCells;
  views: View[];
}

/** The storages of a map, in the order in which their first view comes. */
export function shared(map: MemoryMap, nodes: readonly GraphNode[]): Shared[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const groups = new Map<number, Shared>();
  const called = new Map<string, number>();
  map.views.forEach((view, at) => {
    let group = groups.get(view.buffer);
    const buffer = map.buffers[view.buffer];
    if (!buffer) return;
    if (!group) {
      const { size } = formatOf(buffer.dtype);
      group = {
        id: buffer.id,
        storage: {
          dtype: buffer.dtype,
          size,
          length: buffer.bytes / size,
          bytes: fromBase64(buffer.head),
        },
        views: [],
      };
      groups.set(view.buffer, group);
    }
    group.views.push({
      key: `${at}`,
      name: unique(title(view, byId), called),
      variable: view.name !== null,
      layout: { shape: view.shape, strides: view.strides, offset: view.offset },
      node: view.node,
      cell: view.cell,
      line: view.line,
    });
  });
  return [...groups.values()];
}

/** Two values of one line are told apart by a number. */
function unique(name: string, called: Map<string, number>): string {
  const before = called.get(name) ?? 0;
  called.set(name, before + 1);
  return before === 0 ? name : `${name} (${before + 1})`;
}

function title(view: MemoryView, nodes: Map<number, GraphNode>): string {
  if (view.name !== null) return view.name;
  const node = view.node === null ? undefined : nodes.get(view.node);
  if (!node) return t("a value");
  return `${node.op === "leaf" ? t("data") : node.op}${node.line === null ? "" : `, ${t("line {n}", { n: node.line })}`}`;
}

function fromBase64(text: string): Uint8Array {
  const letters = atob(text);
  return Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
}

/** A storage of one's own. */
export function storageOf(dtype: string, bytes: Uint8Array): StorageCells {
  const { size } = formatOf(dtype);
  return { dtype, size, length: Math.floor(bytes.length / size), bytes };
}

/** The bits of a cell; null where its bytes are not known. */
export function bitsOf(storage: StorageCells, cell: number): bigint | null {
  if (cell < 0 || (cell + 1) * storage.size > storage.bytes.length) return null;
  return bitsAt(storage.bytes, cell * storage.size, storage.size);
}

/** A cell's value as text, short enough to stand in it; `·` where it is not known. */
export function cellText(storage: StorageCells, cell: number): string {
  const bits = bitsOf(storage, cell);
  if (bits === null) return "·";
  const text = show(formatOf(storage.dtype), bits);
  return text.length <= 7 ? shortened(text) : clipped(text);
}

/** As PyTorch prints whole floats: `3.`. */
function shortened(text: string): string {
  return text.endsWith(".0") ? text.slice(0, -1) : text;
}

function clipped(text: string): string {
  const value = Number(text);
  if (Number.isNaN(value) || !/[.e]/.test(text)) return text.length > 9 ? `${text.slice(0, 8)}…` : text;
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-3 || size >= 1e5)
    ? value.toExponential(1)
    : String(Number(value.toPrecision(4)));
}

/** `24 B`, `4 KiB`, `1.5 MiB`: a size in bytes, in powers of 1,024. */
export function byteText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB"];
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${Number(value.toFixed(value < 10 && unit > 0 ? 1 : 0))} ${units[unit]}`;
}

/** A view in one line of text. */
export function summary(view: View, storage: StorageCells): string {
  const elements = count(view.layout.shape);
  return `[${view.layout.shape.join(", ")}] ${storage.dtype}, ${elements === 1 ? t("1 element") : t("{n} elements", { n: elements.toLocaleString("en") })}`;
}
