// @vitest-environment happy-dom
import { flushSync, mount, unmount } from "svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import sampleJson from "../reference/fixtures/sample.json";
import Reference from "./Reference.svelte";

const loaded = vi.hoisted(() => ({ answer: null as unknown }));
vi.mock("../reference/reference", async (original) => ({
  ...(await original<typeof import("../reference/reference")>()),
  loadReference: async () => {
    if (loaded.answer instanceof Error) throw loaded.answer;
    return loaded.answer;
  },
}));

let mounted: ReturnType<typeof mount> | null = null;

async function open(hash: string): Promise<HTMLElement> {
  history.replaceState(null, "", hash);
  const root = document.body.appendChild(document.createElement("div"));
  mounted = mount(Reference, { target: root });
  await vi.waitFor(() => expect(root.querySelector('[data-phase="loading"]')).toBeNull());
  // The op that the address names is opened after that.
  await new Promise((resolve) => setTimeout(resolve));
  flushSync();
  return root;
}

function field(root: HTMLElement): HTMLInputElement {
  return root.querySelector("input") as HTMLInputElement;
}
function type(root: HTMLElement, text: string) {
  field(root).value = text;
  field(root).dispatchEvent(new Event("input", { bubbles: true }));
  flushSync();
}
function press(target: EventTarget, key: string) {
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  flushSync();
}
const names = (root: HTMLElement) => [...root.querySelectorAll("h3")].map((each) => each.textContent);
/** What families list that are folded. */
const listed = (root: HTMLElement) => [...root.querySelectorAll(".names a")].map((each) => each.textContent);
const title = (root: HTMLElement, family: string) =>
  root.querySelector(`[data-family="${family}"] .title`) as HTMLButtonElement;
const opened = (root: HTMLElement) =>
  [...root.querySelectorAll<HTMLDetailsElement>(".op")].filter((each) => each.open).map((each) => each.id);

beforeEach(() => {
  loaded.answer = sampleJson;
});
afterEach(() => {
  if (mounted) unmount(mounted);
  mounted = null;
  document.body.replaceChildren();
});

describe("the reference", () => {
  it("lists every op by family, all folded", async () => {
    const root = await open("#/reference");
    expect(listed(root)).toHaveLength(16);
    expect(names(root)).toEqual([]);
    expect(opened(root)).toEqual([]);
    expect(root.querySelector(".count")?.textContent?.trim()).toBe("16 ops in 5 families");
    expect(root.querySelector('nav a[href="#/reference/family/linalg"]')).not.toBeNull();
  });

  it("filters while one types, and says how many are left", async () => {
    const root = await open("#/reference");
    press(document.body, "/");
    expect(document.activeElement).toBe(field(root));
    type(root, "max");
    expect(names(root)[0]).toBe("maximum");
    expect(root.querySelector(".count")?.getAttribute("role")).toBe("status");
    expect(root.querySelector(".count")?.textContent?.trim()).toBe("3 of 16 ops");
    press(field(root), "Escape");
    expect(field(root).value).toBe("");
    expect(listed(root)).toHaveLength(16);
  });

  it("unfolds a family by its title and by its address, and folds it again", async () => {
    const root = await open("#/reference/family/linalg");
    const count = names(root).length;
    expect(count).toBeGreaterThan(0);
    expect(listed(root)).toHaveLength(16 - count);
    expect(title(root, "linalg").getAttribute("aria-expanded")).toBe("true");
    title(root, "linalg").click();
    flushSync();
    expect(listed(root)).toHaveLength(16);
    expect(title(root, "linalg").getAttribute("aria-expanded")).toBe("false");
  });

  it("opens the best with Enter, and the address says so", async () => {
    const root = await open("#/reference");
    type(root, "tan");
    press(field(root), "Enter");
    expect(opened(root)).toEqual(["op-tanh"]);
    expect(location.hash).toBe("#/reference/tanh");
    expect(document.activeElement?.textContent).toContain("tanh");
  });

  it("types a slash where one types", async () => {
    const root = await open("#/reference");
    field(root).focus();
    const slash = new KeyboardEvent("keydown", { key: "/", bubbles: true, cancelable: true });
    field(root).dispatchEvent(slash);
    expect(slash.defaultPrevented).toBe(false);
  });

  it("opens the op that the address names, also by its other name", async () => {
    const root = await open("#/reference/absolute");
    expect(opened(root)).toEqual(["op-abs"]);
    expect(document.activeElement?.closest("details")?.id).toBe("op-abs");
    expect(root.querySelector(".details")?.textContent).toContain("AbsBackward0");
    expect(root.querySelector(".details a")?.getAttribute("href")).toBe("#/play?op=abs");
  });

  it("comes to another op when the address changes, whatever was searched for", async () => {
    const root = await open("#/reference/abs");
    type(root, "abs");
    history.replaceState(null, "", "#/reference/matmul");
    window.dispatchEvent(new Event("hashchange"));
    await vi.waitFor(() => expect(opened(root)).toEqual(["op-abs", "op-matmul"]));
    expect(field(root).value).toBe("");
  });

  it("says that an op is unknown and offers the nearest", async () => {
    const root = await open("#/reference/sofmax");
    const notice = root.querySelector('[data-testid="unknown-op"]');
    expect(notice?.textContent).toContain("There is nothing named “sofmax”.");
    expect(notice?.querySelector("a")?.getAttribute("href")).toBe("#/reference/softmax");
    type(root, "tnah");
    expect(root.querySelector('[data-testid="no-result"] a')?.getAttribute("href")).toBe("#/reference/tanh");
  });

  it("says why an op has no gradient", async () => {
    const root = await open("#/reference/isnan");
    expect(root.querySelector(".rules")?.textContent).toContain("None: its result is a bool.");
  });

  it("says what to do where there is none, and where it did not arrive", async () => {
    loaded.answer = null;
    expect((await open("#/reference")).textContent).toContain("Run cargo lab");
    if (mounted) unmount(mounted);
    loaded.answer = new Error("offline");
    expect((await open("#/reference/abs")).querySelector('[role="alert"]')?.textContent).toContain(
      "did not arrive",
    );
  });
});
