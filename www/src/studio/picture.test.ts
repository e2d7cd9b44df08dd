// What is drawn of a network, where it stands, and where an arrow key leads.
import { describe, expect, it } from "vitest";
import { labelPlace, portPoint, wirePath } from "./canvas";
import { cardsOf, rowsOf } from "./cards";
import { type Analysis, type Catalog, graphOf, type Net } from "./model";
import { placesOf } from "./places";
import { toward } from "./toward";

const catalog: Catalog = {
  layers: [{ name: "Linear", family: "linear", doc: "", operands: 1, arguments: [] }],
  functions: [
    { name: "relu", family: "activation", doc: "", operands: ["x"], arguments: [] },
    { name: "add", family: "arithmetic", doc: "", operands: ["a", "b"], arguments: [] },
  ],
  losses: [],
  optimizers: [],
  schedules: [],
  objectives: [],
  data: [],
  presets: [],
};
const net: Net = {
  format: "glowgrad.architecture",
  version: 1,
  name: "Net",
  inputs: [{ name: "x", shape: ["N", 4] }],
  nodes: [
    { id: "fc", type: "Linear", args: { in_features: 4, out_features: 4 }, inputs: ["x"], repeat: 3 },
    { id: "relu", type: "relu", inputs: ["fc"] },
    { id: "sum", type: "add", inputs: ["relu", "fc"] },
    { id: "lost", type: "add", inputs: ["relu"] },
  ],
  outputs: ["sum"],
};
const flows = {
  results: [{ shape: ["N", 4], dtype: "float32" }],
  names: [],
  parameters: 0,
  fault: null,
  is_waiting: false,
};
const analysis: Analysis = {
  nodes: {
    fc: { ...flows, parameters: 61_706 },
    relu: flows,
    sum: flows,
    lost: { ...flows, results: [], fault: "add takes two tensors, and one came" },
  },
  inputs: { x: { shape: ["N", 4], dtype: "float32" } },
  outputs: [],
  parameters: 61_706,
  faults: [],
};
const { cards, wires } = cardsOf(net, analysis, rowsOf(catalog), graphOf(net, null));
const card = (id: string) => {
  const found = cards.find((each) => each.id === id);
  if (!found) throw new Error(id);
  return found;
};

describe("the picture of a network", () => {
  it("says each node in a sentence", () => {
    expect(card("fc").says).toBe("fc, Linear, 4 to 4, 3 times in a row, gives N, 4, 61,706 parameters");
    expect(card("lost").says).toContain("does not fit: add takes two tensors");
    expect(card("→0").says).toBe("output, from sum, N, 4");
  });

  it("has a port for each operand, and marks the wires of what does not fit", () => {
    expect(card("sum").ports).toBe(2);
    expect(card("lost").ports).toBe(2);
    expect(wires.filter(({ isFaulty }) => isFaulty).map(({ target }) => target)).toEqual(["lost"]);
    expect(wires.find(({ target }) => target === "relu")?.shape).toBe("N, 4");
  });

  const screen = { room: 4000, isNarrow: false, across: null };
  const { places, across } = placesOf(cards, wires, new Map(), screen);

  it("goes on from left to right, and down on a narrow screen", () => {
    expect(across).toBe(true);
    expect(placesOf(cards, wires, new Map(), { ...screen, isNarrow: true }).across).toBe(false);
    // Rows would cut the way around; a graph that has gone one way goes on so.
    expect(placesOf(cards, wires, new Map(), { ...screen, room: 300 }).across).toBe(false);
    expect(placesOf(cards, wires, new Map(), { ...screen, room: 300, across: true }).across).toBe(true);
  });

  it("moves nothing that was put somewhere, and puts the rest beside it", () => {
    const put = new Map(
      [...places].filter(([id]) => id !== "lost").map(([id, at]) => [id, { x: at.x + 7, y: at.y }]),
    );
    const again = placesOf(cards, wires, put, screen);
    for (const [id, at] of put) expect(again.places.get(id)).toEqual(at);
    const [lost, relu] = [again.places.get("lost"), again.places.get("relu")];
    expect(lost && relu && lost.x > relu.x).toBe(true);
  });

  it("is walked with arrow keys along its wires", () => {
    const go = (key: string, from: string) => toward(key, from, { cards, wires }, places, true);
    expect(go("right", "x")).toBe("fc");
    expect(go("right", "fc")).toBe("relu");
    expect(go("left", "relu")).toBe("fc");
    expect(go("right", "sum")).toBe("→0");
    expect(go("home", "sum")).toBe("x");
    expect(go("left", "x")).toBeNull();
    expect(go("down", "sum") ?? go("up", "sum")).toBe("lost");
  });
});

describe("a wire", () => {
  const data = {
    wire: { id: "", source: "", result: 0, target: "", port: 0, shape: "", isFaulty: false },
    across: true,
    bends: [],
    corners: [],
    ports: 1,
  };

  it("begins and ends at ports", () => {
    const at = { x: 10, y: 20 };
    expect(portPoint(card("sum"), at, "in", 0, true).x).toBe(10);
    expect(portPoint(card("sum"), at, "out", 0, true)).toEqual({
      x: 10 + card("sum").width,
      y: 20 + card("sum").height / 2,
    });
    expect(portPoint(card("sum"), at, "in", 1, false).y).toBe(20);
  });

  it("goes ahead in a bend, and back around corners", () => {
    expect(wirePath({ x: 0, y: 0 }, { x: 100, y: 50 }, data)).toMatch(/^M0 0C.* 100 50$/);
    expect(wirePath({ x: 100, y: 0 }, { x: 0, y: 90 }, data)).toMatch(/^M100 0L.*Q.*L0 90$/);
    const corners = [
      { x: 120, y: 40 },
      { x: -16, y: 40 },
    ];
    expect(wirePath({ x: 100, y: 0 }, { x: 0, y: 90 }, { ...data, corners })).toContain("Q120 40");
    expect(labelPlace({ x: 0, y: 90 }, { ...data, corners })).toEqual({ x: -6, y: 35, anchor: "start" });
  });
});
