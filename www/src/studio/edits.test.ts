import { describe, expect, it } from "vitest";
import {
  clipOf,
  connect,
  disconnect,
  dropOutput,
  encase,
  group,
  insert,
  paste,
  remove,
  rename,
  renameBlock,
  setArgument,
  setOutput,
  unfold,
  ungroup,
  withoutPlaces,
  withPlaces,
} from "./edits";
import type { Net } from "./model";

/** x → a → b → c, and a → c. */
function net(): Net {
  return {
    format: "glowgrad.architecture",
    version: 1,
    name: "Net",
    inputs: [{ name: "x", shape: ["N", 4] }],
    nodes: [
      { id: "a", type: "Linear", args: { in_features: 4, out_features: 4 }, inputs: ["x"] },
      { id: "b", type: "relu", inputs: ["a"] },
      { id: "c", type: "add", inputs: ["b", "a"] },
    ],
    outputs: ["c"],
  };
}

const wires = ({ nodes, outputs }: Net) => [
  ...nodes.map(({ id, inputs = [] }) => `${inputs.join("+")}>${id}`),
  `>${outputs.join()}`,
];

describe("changes of a network", () => {
  it("leave the one that they take as it was", () => {
    const before = net();
    remove(before, null, ["a"]);
    rename(before, null, "a", "z");
    expect(before).toEqual(net());
  });

  it("put a node between, or begin a branch", () => {
    const between = insert(net(), null, { type: "Dropout" }, "a", "a", true);
    expect(between.id).toBe("a_2");
    expect(wires(between.net)).toEqual(["x>a", "a>a_2", "a_2>b", "b+a_2>c", ">c"]);
    expect(wires(insert(net(), null, { type: "relu" }, "d", "a", false).net)).toContain("a>d");
    expect(insert(net(), null, { type: "relu" }, "d", "c", false).net.outputs).toEqual(["d"]);
  });

  it("join what a removed node stood between", () => {
    expect(wires(remove(net(), null, ["b"]))).toEqual(["x>a", "a+a>c", ">c"]);
    expect(wires(remove(net(), null, ["a"]))).toEqual(["x>b", "b+x>c", ">c"]);
    expect(wires(remove(net(), null, ["c"]))).toEqual(["x>a", "a>b", ">"]);
  });

  it("keep a layer that another node uses once more", () => {
    const shared = net();
    shared.nodes.push({ id: "again", same: "a", inputs: ["b"] });
    const left = remove(shared, null, ["a"]).nodes.find(({ id }) => id === "again");
    expect(left).toMatchObject({ type: "Linear", args: { in_features: 4 } });
    expect(left).not.toHaveProperty("same");
  });

  it("rename a node wherever it is named", () => {
    const several = net();
    several.nodes.push({ id: "d", type: "relu", inputs: ["b.1"] });
    expect(wires(rename(several, null, "b", "z"))).toEqual(["x>a", "a>z", "z+a>c", "z.1>d", ">c"]);
  });

  it("draw, cut and turn wires", () => {
    expect(connect(net(), null, "x", "c", 1).nodes[2]?.inputs).toEqual(["b", "x"]);
    expect(connect(net(), null, "x", "c", 2).nodes[2]?.inputs).toEqual(["b", "a", "x"]);
    expect(disconnect(net(), null, "c", 0).nodes[2]?.inputs).toEqual(["a"]);
    expect(setOutput(net(), null, "b", 0).outputs).toEqual(["b"]);
    expect(dropOutput(setOutput(net(), null, "b", 1), null, 0).outputs).toEqual(["b"]);
  });

  it("set an argument, and give it its default back", () => {
    expect(setArgument(net(), null, "a", "bias", false).nodes[0]?.args).toMatchObject({ bias: false });
    expect(setArgument(net(), null, "a", "in_features", undefined).nodes[0]?.args).toEqual({
      out_features: 4,
    });
  });

  it("paste copies with the wires among them", () => {
    const { net: next, ids } = paste(net(), null, clipOf(net(), null, ["a", "b"]));
    expect(ids).toEqual(["a_2", "b_2"]);
    expect(wires(next)).toContain("a_2>b_2");
    expect(wires(next)).toContain("x>a_2");
  });

  it("make a block of nodes, and take it apart to the same graph", () => {
    const made = group(net(), null, ["a", "b"], "Block");
    if (!made) throw new Error("nothing was grouped");
    expect(made.net.blocks?.[0]).toMatchObject({ name: "Block", inputs: ["x"], outputs: ["b", "a"] });
    expect(wires(made.net)).toEqual(["x>block", "block+block.1>c", ">c"]);
    const apart = ungroup(made.net, null, "block");
    expect(apart && wires(apart.net)).toEqual(wires(net()));
    expect(apart?.net.blocks).toEqual([]);
  });

  it("define a block before the block that uses it", () => {
    const outer = group(net(), null, ["a", "b"], "Outer");
    if (!outer) throw new Error("nothing was grouped");
    const inner = group(outer.net, "Outer", ["b"], "Inner");
    expect(inner?.net.blocks?.map(({ name }) => name)).toEqual(["Inner", "Outer"]);
    expect(inner && renameBlock(inner.net, "Inner", "Core").blocks?.[1]?.nodes[1]?.type).toBe("Core");
  });

  it("unfold a Sequential into a chain", () => {
    const layers: Net = {
      ...net(),
      nodes: [
        { id: "layers", type: "Sequential", children: [{ type: "Conv2d" }, { type: "ReLU" }], inputs: ["x"] },
      ],
      outputs: ["layers"],
    };
    const made = unfold(layers, null, "layers");
    expect(made && wires(made.net)).toEqual(["x>conv", "conv>re_lu", ">re_lu"]);
  });

  it("make a Sequential a block, with the sizes that are its user's", () => {
    const children = [
      { type: "Linear", args: { in_features: "=width", out_features: 8 } },
      { type: "ReLU" },
      { type: "Linear", args: { in_features: 8, out_features: "=2 * width" } },
    ];
    const outer = {
      name: "Outer",
      parameters: [
        { name: "width", default: 4 },
        { name: "wid", default: 4 },
      ],
      inputs: ["x"],
      nodes: [{ id: "to_code", type: "Sequential", children, inputs: ["x"], repeat: 2 }],
      outputs: ["to_code"],
    };
    const made = encase({ ...net(), blocks: [outer] }, "Outer", "to_code");
    expect(made?.name).toBe("ToCode");
    const [inner, user] = made?.net.blocks ?? [];
    expect(inner).toEqual({
      name: "ToCode",
      parameters: [{ name: "width", default: 4 }],
      inputs: ["x"],
      nodes: [
        { ...children[0], id: "linear", inputs: ["x"] },
        { ...children[1], id: "re_lu", inputs: ["linear"] },
        { ...children[2], id: "linear_2", inputs: ["re_lu"] },
      ],
      outputs: ["linear_2"],
    });
    expect(user?.nodes).toEqual([
      { id: "to_code", type: "ToCode", args: { width: "=width" }, inputs: ["x"], repeat: 2 },
    ]);
    expect(encase(net(), null, "a")).toBe(null);
  });

  it("note places, and forget them", () => {
    const put = withPlaces(
      net(),
      null,
      new Map([
        ["a", { x: 1.4, y: 2.6 }],
        ["x", { x: 0, y: 0 }],
      ]),
    );
    expect(put.nodes[0]?.at).toEqual([1, 3]);
    expect(put.inputs[0]?.at).toEqual([0, 0]);
    expect(withoutPlaces(put, null)).toEqual(net());
  });
});
