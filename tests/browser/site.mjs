// A copy of the built site on a server of its own: one that can be stopped, and whose files a test
// may change. It stands below a path, as on a host that serves many sites.

import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
const PREFIX = "/below/a-path/";

export class Site {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), "glowgrad-site-"));
    cpSync(fileURLToPath(new URL("../../dist/", import.meta.url)), this.folder, { recursive: true });
    /** What was asked for, in order, and when each was first, in milliseconds since 1970. */
    this.asked = [];
    this.askedAt = new Map();
    this.port = 0;
  }

  get address() {
    return `http://127.0.0.1:${this.port}${PREFIX}`;
  }

  /** Starts to answer; at the same address when it was started before. */
  async start() {
    this.server = createServer((request, response) => this.respond(request, response));
    await new Promise((resolve) => this.server.listen(this.port, "127.0.0.1", resolve));
    this.port = this.server.address().port;
  }

  async stop() {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }

  respond(request, response) {
    const { pathname } = new URL(request.url, "http://site");
    const path = pathname.startsWith(PREFIX) ? decodeURIComponent(pathname.slice(PREFIX.length)) : null;
    this.asked.push(path);
    if (!this.askedAt.has(path)) this.askedAt.set(path, Date.now());
    const file = join(this.folder, path || "index.html");
    if (path === null || path.includes("..") || !statSync(file, { throwIfNoEntry: false })?.isFile()) {
      response.writeHead(404).end("not found");
      return;
    }
    const hashed = path.startsWith("assets/");
    const compressed = extname(file) !== ".woff2";
    const body = compressed ? gzipSync(readFileSync(file), { level: 6 }) : readFileSync(file);
    response.writeHead(200, {
      "content-type": TYPES[extname(file)] ?? "application/octet-stream",
      "cache-control": hashed ? "public, max-age=31536000, immutable" : "no-cache",
      "content-length": body.length,
      ...(compressed ? { "content-encoding": "gzip", vary: "Accept-Encoding" } : {}),
    });
    response.end(body);
  }

  /**
   * Another build of the same site: the page differs, and so do its hash and the version. When not
   * `whole`, the page comes with other bytes than the worker's list says.
   */
  publish(version, { whole = true } = {}) {
    const [page, worker] = ["index.html", "offline.js"].map((name) => join(this.folder, name));
    const hash = (bytes) => createHash("sha256").update(bytes).digest("base64");
    const before = readFileSync(page);
    const mark = `<meta name="build" content="${version}" />`;
    const after = Buffer.from(before.toString().replace(/<meta name="build"[^>]*>|(?=<\/head>)/, mark));
    writeFileSync(page, after);
    let code = readFileSync(worker, "utf8").replace(/PREFIX \+ "[^"]*"/, `PREFIX + "${version}"`);
    code = code.replace(hash(before), whole ? hash(after) : hash(Buffer.from("other bytes")));
    writeFileSync(worker, code);
  }
}
