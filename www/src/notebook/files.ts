// A notebook as a file: `.ipynb` (nbformat 4.5, nbformat.readthedocs.io) and `.py` in the percent format that Jupytext,
// VS Code and Spyder read.
//
// Invariant: pure. What `toNotebookFile` writes, `fromNotebookFile` reads back, and nothing of a file runs or becomes
// HTML. A file that is damaged, too large or something else is refused in one sentence. In the percent format a line
// of code that looks like a mark (`# %%`) begins a cell when it is read back.
import { t } from "../language/language.svelte";
import { type BlockKind, MOST_BLOCKS } from "./document";
import { isRecord, joined, lines, outputsOf, type PieceRun, runOf } from "./fileOutputs";

/** A cell or a note, without a name. */
export interface Piece {
  kind: BlockKind;
  source: string;
  /** What a cell gave. */
  run?: PieceRun;
}

export const MOST_FILE_BYTES = 8 * 1024 * 1024;
const LONGEST_SOURCE = 256 * 1024;
const MARK = /^# ?%%(.*)$/;
/** A line that Jupyter alone runs, `!pip install` or `%matplotlib inline`, or such a line as a comment. In a `.py` it is a comment. */
const FOR_JUPYTER = /^(?:# )*(?:!|%[a-zA-Z])/;
/** A line of a note that would be a mark; Markdown shows `\%%` as `%%`. */
const LIKE_MARK = /^\\*%%/;

export function toPython(pieces: readonly Piece[]): string {
  const parts = pieces.map(({ kind, source }) =>
    kind === "cell"
      ? `# %%\n${source.replace(/^.*$/gm, (line) => (FOR_JUPYTER.test(line) ? `# ${line}` : line))}`
      : `# %% [markdown]\n${source
          .split("\n")
          .map((line) => (line ? `# ${LIKE_MARK.test(line) ? "\\" : ""}${line}` : "#"))
          .join("\n")}`,
  );
  return `${parts.join("\n\n")}\n`;
}

export function fromPython(text: string): Piece[] {
  const pieces: { kind: BlockKind; lines: string[] }[] = [{ kind: "cell", lines: [] }];
  for (const line of text.replace(/^\uFEFF/, "").split(/\r?\n/)) {
    const mark = MARK.exec(line);
    if (!mark) pieces.at(-1)?.lines.push(line);
    else pieces.push({ kind: /\[(markdown|md)\]/.test(mark[1] ?? "") ? "note" : "cell", lines: [] });
  }
  const read = pieces.map(({ kind, lines }, index) => {
    const plain = lines.map(kind === "note" ? noteLine : codeLine);
    return { kind, source: trimmed(plain), first: index === 0 };
  });
  // What stands before the first mark is a cell if there is anything.
  return bounded(read.filter(({ first, source }) => !first || source !== ""));
}

export function toNotebookFile(pieces: readonly Piece[]): string {
  const cells = pieces.map(({ kind, source, run }, index) => {
    const id = `${kind}-${index + 1}`;
    if (kind === "note") return { cell_type: "markdown", id, metadata: {}, source: lines(source) };
    return {
      cell_type: "code",
      execution_count: run?.order ?? null,
      id,
      metadata: {},
      outputs: run ? outputsOf(run) : [],
      source: lines(source),
    };
  });
  const metadata = {
    kernelspec: { display_name: "Python 3", language: "python", name: "python3" },
    language_info: { name: "python" },
  };
  return `${JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`;
}

export function fromNotebookFile(text: string): Piece[] {
  const file = parsed(text);
  if (!isRecord(file) || !("nbformat" in file))
    throw new Error(t("This is not a notebook: it has no nbformat."));
  if (file.nbformat !== 4 || !Array.isArray(file.cells)) {
    throw new Error(
      t("This notebook is not of nbformat 4, which is read here. Open it in Jupyter and save it again."),
    );
  }
  return bounded(
    file.cells.map((cell: unknown, index) => {
      const source = isRecord(cell) ? joined(cell.source) : null;
      if (!isRecord(cell) || source === null)
        throw new Error(t("This notebook is damaged at cell {n}.", { n: index + 1 }));
      if (cell.cell_type !== "code") return { kind: "note", source };
      const run = runOf(cell.execution_count, cell.outputs);
      return { kind: "cell", source, ...(run ? { run } : {}) };
    }),
  );
}

/** Reads a file that was chosen or dropped; its size is judged before its text is. */
export async function readNotebook(file: {
  name: string;
  size: number;
  text(): Promise<string>;
}): Promise<Piece[]> {
  const name = file.name.toLowerCase();
  if (!/\.(py|ipynb)$/.test(name)) throw new Error(t("Choose a file that ends in .py or .ipynb."));
  if (file.size > MOST_FILE_BYTES) {
    const most = MOST_FILE_BYTES / 1024 / 1024;
    throw new Error(
      t("This file has {size} MB; {most} is the most that is read here.", {
        size: (file.size / 1024 / 1024).toFixed(0),
        most,
      }),
    );
  }
  const text = await file.text().catch(() => {
    throw new Error(t("This file cannot be read. It may have been moved or changed; choose it again."));
  });
  return name.endsWith(".py") ? fromPython(text) : fromNotebookFile(text);
}

function bounded(pieces: Piece[]): Piece[] {
  if (pieces.length > MOST_BLOCKS) {
    throw new Error(
      t("This file has {n} cells; {m} is the most that a notebook has here.", {
        n: pieces.length,
        m: MOST_BLOCKS,
      }),
    );
  }
  return pieces.map(({ kind, source, run }, index) => {
    if (source.length > LONGEST_SOURCE) {
      throw new Error(
        t("Cell {n} of this file has {length} characters; {m} is the most.", {
          n: index + 1,
          length: source.length,
          m: LONGEST_SOURCE,
        }),
      );
    }
    return { kind, source, ...(run ? { run } : {}) };
  });
}

/** A line of code, from the comment that stands for it where Jupyter alone runs it. */
function codeLine(line: string): string {
  return line.startsWith("# ") && FOR_JUPYTER.test(line) ? line.slice(2) : line;
}

/** A line of a note, from its comment. */
function noteLine(comment: string): string {
  const line = comment.replace(/^# ?/, "");
  return line.startsWith("\\") && LIKE_MARK.test(line) ? line.slice(1) : line;
}

/** Without the empty lines around it. */
function trimmed(all: string[]): string {
  return all
    .join("\n")
    .replace(/^(?:[ \t]*\n)+/, "")
    .trimEnd();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    throw new Error(t("This is not a notebook: it is not JSON."));
  }
}
