// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from "vitest";

const one = "0123456789abcdef0123456789abcdef";
const other = "f".repeat(32);

/** The module as a page begins: with this address, from this server. */
async function begin(hash: string, server: "glow lab" | "a static host") {
  vi.resetModules();
  document.head.innerHTML = server === "glow lab" ? '<meta name="glow-lab" content="1" />' : "";
  history.replaceState(null, "", `/${hash}`);
  return await import("./computer");
}

beforeEach(() => sessionStorage.clear());
afterEach(() => history.replaceState(null, "", "/"));

it("takes the token out of the address, and has it after a reload", async () => {
  const page = await begin(`#token=${one}`, "glow lab");
  expect([page.served, page.token, location.hash]).toEqual([true, one, ""]);
  expect((await begin("#/play", "glow lab")).token).toBe(one);
  expect((await begin(`#token=${other}`, "glow lab")).token).toBe(other);
});

it("has no token without one, or with what is none", async () => {
  for (const hash of [
    "",
    "#/play",
    "#token=",
    `#token=${one}0`,
    `#token=${one.toUpperCase()}`,
    `#/token=${one}`,
  ]) {
    const page = await begin(hash, "glow lab");
    expect([page.served, page.token], hash).toEqual([true, null]);
  }
});

it("believes no link where the server does not say that it is `glow lab`", async () => {
  const page = await begin(`#token=${one}`, "a static host");
  expect([page.served, page.token, location.hash]).toEqual([false, null, `#token=${one}`]);
  expect(sessionStorage.length).toBe(0);
});
