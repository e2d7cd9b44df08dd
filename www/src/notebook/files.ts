// A notebook as a file: `.ipynb` (nbformat 4.5, nbformat.readthedocs.io) and `.py` in the percent format that Jupytext,
// VS Code and Spyder read.
//
// Invariant: pure. What `toNotebookFile` writes, `fromNotebookFile` reads back, and nothing of a file runs or becomes
// HTML. A file that is damaged, too large or something else is refused in one sentence. In the percent format a line
// of code that looks like a mark (`# %%`) begins a cell when it is read back.
import { type BlockKind, MOST_BLOCKS } from "./document";

/** A cell or a note, without a name. */
export interface Piece {
  kind: BlockKind;
  source: string;
}

/** A cell's last run, for a file that can hold it. */
export interface PieceRun {
  order: number | null;
  text: string;
  error: { kind: string; message: string; traceback: string } | null;
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

export function toNotebookFile(pieces: readonly (Piece & { run?: PieceRun })[]): string {
  const cells = pieces.map(({ kind, source, run }, index) => {
    const id = `${kind}-${index + 1}`;
    if (kind === "note") return { cell_type: "markdown", id, metadata: {}, source: lines(source) };
    const printed = run?.text ? [{ name: "stdout", output_type: "stream", text: lines(run.text) }] : [];
    const raised = run?.error
      ? [
          {
            ename: run.error.kind,
            evalue: run.error.message,
            output_type: "error",
            traceback: run.error.traceback.split("\n"),
          },
        ]
      : [];
    return {
      cell_type: "code",
      execution_count: run?.order ?? null,
      id,
      metadata: {},
      outputs: [...printed, ...raised],
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
    throw new Error("This is not a notebook: it has no nbformat.");
  if (file.nbformat !== 4 || !Array.isArray(file.cells)) {
    throw new Error(
      "This notebook is not of nbformat 4, which is read here. Open it in Jupyter and save it again.",
    );
  }
  return bounded(
    file.cells.map((cell: unknown, index) => {
      const source = isRecord(cell) ? joined(cell.source) : null;
      if (!isRecord(cell) || source === null)
        throw new Error(`This notebook is damaged at cell ${index + 1}.`);
      return { kind: cell.cell_type === "code" ? "cell" : "note", source };
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
  if (!/\.(py|ipynb)$/.test(name)) throw new Error("Choose a file that ends in .py or .ipynb.");
  if (file.size > MOST_FILE_BYTES) {
    const most = MOST_FILE_BYTES / 1024 / 1024;
    throw new Error(
      `This file has ${(file.size / 1024 / 1024).toFixed(0)} MB; ${most} is the most that is read here.`,
    );
  }
  const text = await file.text().catch(() => {
    throw new Error("This file cannot be read. It may have been moved or changed; choose it again.");
  });
  return name.endsWith(".py") ? fromPython(text) : fromNotebookFile(text);
}

function bounded(pieces: Piece[]): Piece[] {
  if (pieces.length > MOST_BLOCKS) {
    throw new Error(
      `This file has ${pieces.length} cells; ${MOST_BLOCKS} is the most that a notebook has here.`,
    );
  }
  return pieces.map(({ kind, source }, index) => {
    if (source.length > LONGEST_SOURCE) {
      throw new Error(
        `Cell ${index + 1} of this file has ${source.length} characters; ${LONGEST_SOURCE} is the most.`,
      );
    }
    return { kind, source };
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

/** Lines with their ends, as nbformat writes a text. */
function lines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function joined(source: unknown): string | null {
  if (typeof source === "string") return source;
  const all = Array.isArray(source) && source.every((each) => typeof each === "string");
  return all ? (source as string[]).join("") : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    throw new Error("This is not a notebook: it is not JSON.");
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
