// @vitest-environment happy-dom
import { flushSync, mount, unmount } from "svelte";
import { afterEach, describe, expect, test } from "vitest";
import BitsWidget from "./BitsWidget.svelte";
import BroadcastWidget from "./BroadcastWidget.svelte";
import StridesWidget from "./StridesWidget.svelte";

let mounted: Record<string, unknown> | null = null;

function show<Props extends Record<string, unknown>>(
  widget: Parameters<typeof mount>[0],
  props: Props,
): HTMLElement {
  const target = document.createElement("div");
  document.body.append(target);
  mounted = mount(widget, { target, props });
  flushSync();
  return target;
}

function find<E extends Element>(root: Element, selector: string): E {
  const found = root.querySelector<E>(selector);
  if (!found) throw new Error(`nothing is ${selector}`);
  return found;
}

function type(input: HTMLInputElement, text: string) {
  input.value = text;
  input.dispatchEvent(new Event("input", { bubbles: true }));
  flushSync();
}

function press(element: Element) {
  (element as HTMLElement).click();
  flushSync();
}

function texts(root: Element, selector: string): string[] {
  return [...root.querySelectorAll(selector)].map(
    (each) => each.textContent?.replace(/\s+/g, " ").trim() ?? "",
  );
}

afterEach(() => {
  if (mounted) void unmount(mounted);
  mounted = null;
  document.body.replaceChildren();
});

describe("strides", () => {
  test("numbers the cells and shows the view that is written", () => {
    const root = show(StridesWidget, { shape: "3 4" });
    expect(texts(root, "[data-flat]")).toEqual(Array.from({ length: 12 }, (_, i) => `${i}.`));
    type(find(root, "[name=shape]"), "2, 2");
    type(find(root, "[name=strides]"), "1, 5");
    type(find(root, "[name=offset]"), "3");
    expect(texts(root, "[data-flat]")).toEqual(["3.", "8.", "4.", "9."]);
    type(find(root, "[name=offset]"), "9");
    expect(find(root, "[role=alert]").textContent).toContain("= 15. The storage has 12 cells");
    expect(texts(root, "[data-flat]")).toEqual(["3.", "8.", "4.", "9."]);
  });

  test("a bit that is switched changes the cell and every element that reads it", () => {
    const root = show(StridesWidget, { shape: "1 2", dtype: "int8" });
    type(find(root, "[name=strides]"), "0, 0");
    expect(texts(root, "[data-flat]")).toEqual(["0", "0"]);
    press(find(root, '[data-bit="7"]'));
    expect(texts(root, "[data-flat]")).toEqual(["-128", "-128"]);
    expect(texts(root, "[data-cell] .value")).toEqual(["-128", "1"]);
  });

  test.each([
    ["3 x", "float32"],
    ["1000 1000", "float32"],
    ["-1", "float32"],
    ["3", "complex64"],
  ])("says what it takes instead of %s %s", (shape, dtype) => {
    const root = show(StridesWidget, { shape, dtype });
    expect(find(root, "[role=note]").textContent).toContain("at most 512 elements");
  });
});

describe("bits", () => {
  const value = (root: Element) => find<HTMLInputElement>(root, "input").value;

  test("bits, value and formula follow each other", () => {
    const root = show(BitsWidget, { dtype: "float32", value: "0.1" });
    const bits = () =>
      [...root.querySelectorAll("[data-bit]")].map((each) => each.getAttribute("data-value")).join("");
    expect(bits()).toBe("00111101110011001100110011001101");
    expect(find(root, '[data-testid="exact"]').textContent).toBe("0.100000001490116119384765625");
    press(find(root, '[data-bit="31"]'));
    expect(value(root)).toBe("-0.1");
    type(find(root, "input"), "2.5");
    expect(bits()).toBe("01000000001000000000000000000000");
    expect(find(root, '[data-testid="bit-formula"]').textContent).toMatch(/\+1.*× 2.*1.*×.*1\.25/s);
    type(find(root, "input"), "two");
    expect(find(root, "[role=alert]").textContent).toContain("“two” is no number");
    expect(bits()).toBe("01000000001000000000000000000000");
  });

  test("another dtype keeps the value as far as it can", () => {
    const root = show(BitsWidget, { dtype: "float32", value: "300.7" });
    const cast = (to: string) => {
      const select = find<HTMLSelectElement>(root, "select");
      select.value = to;
      select.dispatchEvent(new Event("change", { bubbles: true }));
      flushSync();
    };
    cast("bfloat16");
    expect(value(root)).toBe("300.0");
    cast("int32");
    expect(value(root)).toBe("300");
    expect(texts(root, "[data-bit]").length).toBe(32);
    cast("bool");
    expect(value(root)).toBe("True");
  });

  test("an option that is no number begins at zero", () => {
    expect(value(show(BitsWidget, { dtype: "nothing", value: "x" }))).toBe("0.0");
  });
});

describe("broadcast", () => {
  test("aligns, stretches and says the shape", () => {
    const root = show(BroadcastWidget, { a: "3 1", b: "4" });
    expect(texts(root, ".result .size")).toEqual(["3", "4"]);
    expect(texts(root, ".stretched .stride")).toEqual(["stride 0", "stride 0"]);
    expect(find(root, "[role=status]").textContent).toContain("the shape [3, 4], 12 elements");
    type(find(root, "input"), "3, 2");
    expect(find(root, "[role=status]").textContent).toContain("2 against 4");
    type(find(root, "input"), "three");
    expect(find(root, "[role=status]").textContent).toContain("list of whole numbers");
    type(find(root, "input"), "");
    expect(find(root, "[role=status]").textContent).toContain("the shape [4]");
  });
});
