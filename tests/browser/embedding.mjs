// A page of another host for the tests: it embeds the npm package, a frame of the site, or a lesson as a platform does.
//
// Invariant: it sends no headers but types and permission to be read from elsewhere, as a plain host does; a page on
// 127.0.0.1 that names the package's files on `localhost` has them from another origin.

import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".woff2": "font/woff2",
};
const PACKAGE = fileURLToPath(new URL("../../target/npm/", import.meta.url));

export class Host {
  /** What it answers, by path: texts or bytes. The package lies below `glowgrad/`. */
  constructor(pages = {}) {
    this.pages = new Map(Object.entries(pages));
    this.asked = [];
    if (!existsSync(join(PACKAGE, "glowgrad.js"))) {
      throw new Error("target/npm has no package: run `cargo lab package`");
    }
  }

  async start() {
    this.server = createServer((request, response) => this.respond(request, response));
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    this.port = this.server.address().port;
    this.address = `http://127.0.0.1:${this.port}/`;
    /** The same, for the browser another origin. */
    this.elsewhere = `http://localhost:${this.port}/`;
  }

  async stop() {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  respond(request, response) {
    const path = decodeURIComponent(new URL(request.url, "http://host").pathname.slice(1));
    const name = path || "index.html";
    this.asked.push(name);
    const found = this.find(name);
    if (found === undefined) {
      response.writeHead(404).end("not found");
      return;
    }
    response.writeHead(200, {
      "content-type": TYPES[extname(name)] ?? "application/octet-stream",
      "access-control-allow-origin": "*",
      "cache-control": "no-cache",
    });
    response.end(found);
  }

  find(name) {
    if (this.pages.has(name)) return this.pages.get(name);
    if (!name.startsWith("glowgrad/") || name.includes("..")) return undefined;
    const file = join(PACKAGE, name.slice("glowgrad/".length));
    return existsSync(file) ? readFileSync(file) : undefined;
  }
}
