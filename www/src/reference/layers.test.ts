import { describe, expect, it } from "vitest";
import { defaultText, layerRow } from "./layers";

const argument = (more: object) => ({
  name: "x",
  type: "number",
  words: ["number"],
  choices: [],
  none: false,
  keyword: false,
  required: false,
  default: null,
  ...more,
});

describe("defaults of arguments", () => {
  it("are written as in Python", () => {
    expect(defaultText(argument({}))).toBe("None");
    expect(defaultText(argument({ default: true }))).toBe("True");
    expect(defaultText(argument({ default: 0.5 }))).toBe("0.5");
    expect(defaultText(argument({ default: "mean" }))).toBe('"mean"');
    expect(defaultText(argument({ default: [null, 0.001] }))).toBe("(None, 0.001)");
  });

  it("are empty where the argument must be given", () => {
    expect(defaultText(argument({ required: true }))).toBe("");
  });
});

describe("the rows that cargo lab wrote", () => {
  it("are none of an op or a name that is no class", async () => {
    expect(await layerRow("tanh")).toBeNull();
    expect(await layerRow("nn.init.zeros_")).toBeNull();
    expect(await layerRow("nn.NoSuchLayer")).toBeNull();
  });

  it("say what a layer takes", async () => {
    const row = await layerRow("nn.Linear");
    if (!row) return;
    expect(row.rules).toEqual(["[*, in_features] -> [*, out_features]"]);
    expect(row.arguments[0]).toMatchObject({ name: "in_features", type: "size", required: true });
  });
});
