import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { filled, list } from "./offline";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "offline-"));
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), "<title>a</title>");
  writeFileSync(join(folder, "assets/module-12345678.wasm"), "large");
  writeFileSync(join(folder, "offline.js"), "the worker of the build before");
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("the list of what is kept", () => {
  it("holds every file with its hash in order, and not the worker itself", () => {
    expect(list(folder, new Set())).toEqual([
      ["assets/module-12345678.wasm", "sha256-01xBaoW4B+m1OEkV1uu0qfc1JxPv2JhXtFokL0c3KKk=", 0],
      ["index.html", expect.stringMatching(/^sha256-.{44}$/), 0],
    ]);
  });

  it("marks what waits until it is asked for, by its bytes", () => {
    const [module] = list(folder, new Set());
    expect(list(folder, new Set([module?.[1] ?? ""])).map(([path, , later]) => [path, later])).toEqual([
      ["assets/module-12345678.wasm", 1],
      ["index.html", 0],
    ]);
  });
});

describe("the worker", () => {
  const code = "const name = __GLOWGRAD_VERSION__;\nconst files = __GLOWGRAD_FILES__;\nexport {};\n";
  const version = (text: string) => /name = "([^"]*)"/.exec(text)?.[1];

  it("is a classic script with version and list in it", () => {
    const text = filled(code, list(folder, new Set()));
    expect(text).not.toContain("export");
    expect(text).not.toContain("__GLOWGRAD");
    expect(text).toContain('["index.html","sha256-');
    expect(() => new Function(text)).not.toThrow();
  });

  it("is one version for the same files, another for any change", () => {
    const one = version(filled(code, list(folder, new Set())));
    expect(one).toMatch(/^[0-9a-f]{12}$/);
    expect(version(filled(code, list(folder, new Set())))).toBe(one);
    writeFileSync(join(folder, "index.html"), "<title>b</title>");
    expect(version(filled(code, list(folder, new Set())))).not.toBe(one);
  });
});
