// A lesson as a SCORM 1.2 zip, made in the page of the site's own files.
//
// Invariant: the zip has every file of this build and nothing of the learner's. The page in it differs from this one in a
// line that names the lesson. A file that does not arrive ends it with a sentence.
import { strToU8, Zip, ZipDeflate, ZipPassThrough } from "fflate";
import type { LessonSummary } from "../protocol";
import { manifest } from "./manifest";

/** Where the platform begins: it goes on to the page, at the lesson. */
const ENTRY = "lesson.html";
const PAGE = "index.html";
/** Files that are asked for at a time. */
const AT_ONCE = 6;
/** Are small already. */
const PACKED = /\.(woff2?|png|jpe?g)$/;

export interface Source {
  /** The bytes of a file of this site. */
  fetch(path: string): Promise<Uint8Array>;
}

const site: Source = {
  async fetch(path) {
    const response = await fetch(new URL(path, document.baseURI)).catch(() => null);
    if (!response?.ok) {
      throw new Error(
        `${path} could not be fetched${response ? `: the server answered ${response.status}` : ""}. Check the connection and try again.`,
      );
    }
    return new Uint8Array(await response.arrayBuffer());
  },
};

/** The bytes of the zip; `onprogress` is told how many of the files are in it. */
export async function packLesson(
  lesson: Pick<LessonSummary, "slug" | "title">,
  onprogress: (done: number, all: number) => void = () => {},
  source: Source = site,
): Promise<Uint8Array<ArrayBuffer>> {
  const worker = new TextDecoder().decode(await source.fetch("offline.js"));
  const paths = listed(worker);
  const pieces: Uint8Array[] = [];
  const zip = new Zip();
  const zipped = new Promise<void>((resolve, reject) => {
    zip.ondata = (error, piece, isLast) => {
      if (error) reject(error);
      else pieces.push(piece);
      if (isLast) resolve();
    };
  });
  const put = (path: string, bytes: Uint8Array) => {
    const entry = PACKED.test(path) ? new ZipPassThrough(path) : new ZipDeflate(path, { level: 6 });
    // The same lesson of the same build is the same zip.
    entry.mtime = "2026-01-01T12:00:00";
    zip.add(entry);
    entry.push(bytes, true);
  };
  put("imsmanifest.xml", strToU8(manifest({ ...lesson, entry: ENTRY, files: [ENTRY, ...paths] })));
  put(ENTRY, strToU8(entryPage(lesson)));
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const some = paths.slice(at, at + AT_ONCE);
    const files = await Promise.all(some.map((path) => source.fetch(path)));
    some.forEach((path, index) => {
      const bytes = files[index] ?? new Uint8Array();
      put(path, path === PAGE ? marked(bytes, lesson.slug) : bytes);
    });
    onprogress(Math.min(at + AT_ONCE, paths.length), paths.length);
  }
  zip.end();
  await zipped;
  return joined(pieces);
}

/** The files of this build, as its service worker lists them. */
export function listed(worker: string): string[] {
  const found = /const FILES = (\[\[.*?\]\]);/s.exec(worker)?.[1];
  const rows: unknown = found === undefined ? null : JSON.parse(found);
  if (!Array.isArray(rows)) {
    throw new Error("This copy of the page has no list of its files: build it with `cargo lab build`.");
  }
  return rows.map((row: unknown) => {
    const path: unknown = Array.isArray(row) ? row[0] : null;
    if (typeof path !== "string" || !/^[\w./-]+$/.test(path) || path.includes("..")) {
      throw new Error("The list of this page's files is damaged: reload the page.");
    }
    return path;
  });
}

/** The page with the line that has it report; without that of a `glow lab` that served it. */
export function marked(page: Uint8Array, slug: string): Uint8Array {
  const html = new TextDecoder().decode(page).replace(/<meta name="glow-lab"[^>]*>/, "");
  const mark = `<meta name="glow-scorm" content="${slug.replace(/[^\w-]/g, "")}" />`;
  if (!html.includes("</head>")) throw new Error("The page's HTML has no head: reload the page.");
  return strToU8(html.replace("</head>", `${mark}</head>`));
}

/** A platform may take a name after `#` for a part of the file's name, so the entry has none. */
function entryPage({ slug, title }: Pick<LessonSummary, "slug" | "title">): string {
  const address = `${PAGE}#/lesson/${encodeURIComponent(slug)}`;
  const words = title.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>${words}</title>
    <meta http-equiv="refresh" content="0; url=${address}" />
  </head>
  <body><p><a href="${address}">${words}</a></p></body>
</html>
`;
}

function joined(pieces: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
