// A tensor as a small block of numbers and as a field of tints.
//
// Invariant: a pure function of a preview; only elements that the preview holds are shown, and what is
// left out is said. More than two dimensions show the first matrix.
import { t } from "../language/language.svelte";
import type { Preview } from "../protocol/generated/Preview";
import { elementCount, formatShape, formatTensor } from "./numbers";

export interface Cell {
  /** Row-major place in the tensor. */
  flat: number;
  text: string;
  /** −1 to 1: the value beside the largest of the tensor; NaN where it is not finite. */
  weight: number;
}

export interface NumberGrid {
  /** `null` stands for columns left out. */
  rows: (Cell | null)[][];
  /** Rows left out below the ones shown. */
  moreRows: number;
  /** A remark beside the numbers; may be empty. */
  note: string;
  /** The numbers are long and stand in fewer columns. */
  wide: boolean;
}

const MOST_ROWS = 6;
/** How many columns fit a card, and those kept before and after an ellipsis. */
const NARROW = { columns: 5, edge: [3, 1] } as const;
const WIDE = { columns: 3, edge: [2, 1] } as const;
/** Numbers longer than this, such as `-9.1383e-04`, are wide. */
const LONGEST_NARROW = 8;

/** The numbers of a preview, cut to fit a card. */
export function numberGrid(preview: Preview): NumberGrid {
  const count = elementCount(preview.shape);
  const weigh = weigher(preview);
  if (count === 0) return { rows: [], moreRows: 0, note: t("It holds no element."), wide: false };
  const sample = formatTensor(preview.values.slice(0, MOST_ROWS * NARROW.columns), preview.dtype);
  const wide = (sample[0]?.length ?? 0) > LONGEST_NARROW;
  const { columns: most, edge } = wide ? WIDE : NARROW;
  if (preview.shape.length < 2) {
    const shown = Math.min(preview.values.length, MOST_ROWS * most);
    const texts = formatTensor(preview.values.slice(0, shown), preview.dtype);
    const cells = texts.map((text, flat): Cell => ({ flat, text, weight: weigh(flat) }));
    const rows = Array.from({ length: Math.ceil(shown / most) }, (_, row) =>
      cells.slice(row * most, (row + 1) * most),
    );
    return {
      rows,
      moreRows: 0,
      note: shown < count ? t("The first {n} of {m}.", { n: shown, m: count }) : "",
      wide,
    };
  }
  const [height = 1, width = 1] = preview.shape.slice(-2);
  const columns: (number | null)[] =
    width <= most
      ? Array.from({ length: width }, (_, column) => column)
      : [...Array(edge[0]).keys(), null, ...Array.from({ length: edge[1] }, (_, at) => width - edge[1] + at)];
  const places: (number | null)[][] = [];
  for (let row = 0; row < Math.min(height, MOST_ROWS); row++) {
    const line = columns.map((column) => (column === null ? null : row * width + column));
    if (line.some((flat) => flat !== null && flat >= preview.values.length)) break;
    places.push(line);
  }
  const flats = places.flat().filter((flat): flat is number => flat !== null);
  const texts = formatTensor(
    flats.map((flat) => preview.values[flat]),
    preview.dtype,
  );
  const textOf = new Map(flats.map((flat, index) => [flat, texts[index] ?? ""]));
  const rows = places.map((line) =>
    line.map((flat) => (flat === null ? null : { flat, text: textOf.get(flat) ?? "", weight: weigh(flat) })),
  );
  const matrices = count / (height * width);
  return {
    rows,
    moreRows: height - rows.length,
    note:
      matrices > 1
        ? t("The first of {n} matrices of {shape}.", { n: matrices, shape: formatShape([height, width]) })
        : "",
    wide,
  };
}

export interface HeatMap {
  rows: number;
  columns: number;
  cells: { row: number; column: number; weight: number }[];
}

/** The tints of a preview: one square an element, thinned out beyond `most` a side. */
export function heatMap(preview: Preview, most = 32): HeatMap {
  const count = elementCount(preview.shape);
  const weigh = weigher(preview);
  const width = preview.shape.length < 2 ? count : (preview.shape.at(-1) ?? 1);
  const height = preview.shape.length < 2 ? 1 : (preview.shape.at(-2) ?? 1);
  const columns = Math.min(width, most);
  const rows = Math.min(height, most);
  const cells: HeatMap["cells"] = [];
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const flat = Math.floor((row * height) / rows) * width + Math.floor((column * width) / columns);
      if (flat < preview.values.length) cells.push({ row, column, weight: weigh(flat) });
    }
  return { rows, columns, cells };
}

function weigher(preview: Preview): (flat: number) => number {
  const finite = preview.values.filter((value) => Number.isFinite(value));
  const largest = finite.reduce((top, value) => Math.max(top, Math.abs(value)), 0);
  return (flat) => {
    const value = preview.values[flat] as number | null;
    if (value === null || !Number.isFinite(value)) return Number.NaN;
    return largest === 0 ? 0 : value / largest;
  };
}
