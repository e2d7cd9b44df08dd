// What a cell gave, as the outputs of a notebook file (nbformat 4.5), and back.
//
// Invariant: pure. Of a file's outputs, text, errors and pictures are read; a picture is bytes of an image or the text of
// an SVG, to be shown as an image, where nothing of it runs. What is left out is named in `left`.

/** An image: base64, or, of an SVG, its text. */
export interface Picture {
  type: "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "image/svg+xml";
  data: string;
  /** What it shows, in words. */
  text: string;
  width?: number;
  height?: number;
}

/** A cell's last run, for a file that can hold it, or from one. */
export interface PieceRun {
  order: number | null;
  text: string;
  error: { kind: string; message: string; traceback: string } | null;
  pictures: readonly Picture[];
  /** The kinds of outputs that are not shown here. */
  left?: readonly string[];
}

const IMAGES: readonly Picture["type"][] = [
  "image/png",
  "image/svg+xml",
  "image/jpeg",
  "image/webp",
  "image/gif",
];
const MOST_LEFT = 6;
/** What colours text in a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const ESCAPES = /\u001b\[[0-9;?]*[A-Za-z]/g;

export function outputsOf({ text, error, pictures }: PieceRun): object[] {
  const printed = text ? [{ name: "stdout", output_type: "stream", text: lines(text) }] : [];
  const shown = pictures.map(({ type, data, text, width, height }) => ({
    data: { [type]: type === "image/svg+xml" ? lines(data) : data, "text/plain": lines(text) },
    metadata: width && height ? { [type]: { height, width } } : {},
    output_type: "display_data",
  }));
  const raised = error && {
    ename: error.kind,
    evalue: error.message,
    output_type: "error",
    traceback: error.traceback.split("\n"),
  };
  return [...printed, ...shown, ...(raised ? [raised] : [])];
}

/** What a code cell of a file gave; null where it holds nothing. */
export function runOf(order: unknown, outputs: unknown): PieceRun | null {
  const run = { text: "", error: null as PieceRun["error"], pictures: [] as Picture[] };
  const left = new Set<string>();
  for (const output of Array.isArray(outputs) ? outputs : []) {
    const kind = isRecord(output) ? output.output_type : null;
    if (!isRecord(output)) left.add("output");
    else if (kind === "stream") run.text += plain(joined(output.text) ?? "");
    else if (kind === "error") run.error = errorOf(output);
    else if (kind === "display_data" || kind === "execute_result") take(output, run, left);
    else left.add(typeof kind === "string" ? kind : "output");
  }
  const count = Number.isSafeInteger(order) ? (order as number) : null;
  const { text, error, pictures } = run;
  if (!text && !error && pictures.length === 0 && left.size === 0) return null;
  const rest = left.size > 0 ? { left: [...left].slice(0, MOST_LEFT) } : {};
  return { order: count, text, error, pictures, ...rest };
}

/** Takes the best of the forms in which one thing is there. */
function take(
  output: Record<string, unknown>,
  run: { text: string; pictures: Picture[] },
  left: Set<string>,
): void {
  const data = isRecord(output.data) ? output.data : {};
  const words = joined(data["text/plain"]);
  const picture = pictureOf(data, output.metadata, words ?? "");
  if (picture) run.pictures.push(picture);
  else if (words !== null) {
    if (run.text && !run.text.endsWith("\n")) run.text += "\n";
    run.text += `${plain(words)}\n`;
  } else for (const type of Object.keys(data)) left.add(type);
}

function pictureOf(data: Record<string, unknown>, metadata: unknown, text: string): Picture | null {
  for (const type of IMAGES) {
    const given = joined(data[type]);
    if (given === null) continue;
    const isText = type === "image/svg+xml";
    const content = isText ? given : given.replace(/\s/g, "");
    if (!isText && !/^[A-Za-z0-9+/]+=*$/.test(content)) continue;
    const about = isRecord(metadata) && isRecord(metadata[type]) ? metadata[type] : {};
    const [width, height] = [size(about.width), size(about.height)];
    return { type, data: content, text, ...(width && height ? { width, height } : {}) };
  }
  return null;
}

const size = (value: unknown) =>
  typeof value === "number" && value > 0 && value < 10_000 ? value : undefined;

function errorOf(output: Record<string, unknown>): PieceRun["error"] {
  const text = (value: unknown) => (typeof value === "string" ? plain(value) : "");
  const trace = Array.isArray(output.traceback) ? output.traceback.map(text).join("\n") : "";
  return { kind: text(output.ename) || "Error", message: text(output.evalue), traceback: trace };
}

/** Without what colours it in a terminal. */
const plain = (text: string) => text.replace(ESCAPES, "");

/** Where a picture can be shown from. */
export function addressOf({ type, data }: Picture): string {
  return type === "image/svg+xml"
    ? `data:${type},${encodeURIComponent(data.replace(/\p{Surrogate}/gu, "\ufffd"))}`
    : `data:${type};base64,${data}`;
}

/** Lines with their ends, as nbformat writes a text. */
export function lines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

export function joined(source: unknown): string | null {
  if (typeof source === "string") return source;
  const all = Array.isArray(source) && source.every((each) => typeof each === "string");
  return all ? (source as string[]).join("") : null;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
