// The kernel list in numbers and texts.
import { describe, expect, it } from "vitest";
import type { GraphNode, KernelInfo, KernelList, StageGraph } from "../protocol";
import {
  chipName,
  computeFirst,
  connected,
  cutComment,
  formatBytes,
  formatNanos,
  formatRatio,
  formatTime,
  frameOf,
  kernelsOf,
  nodesOf,
  outline,
  timeInWords,
  totals,
  way,
} from "./kernels";

function kernel(number: number, nodes: (number | null)[], rest: Partial<KernelInfo> = {}): KernelInfo {
  return {
    number,
    name: "fused",
    nodes: nodes.map((node) => ({ node, symbol: "tanh", name: null, backward: false, steps: 1 })),
    reasons: [],
    bytesRead: 12,
    bytesWritten: 4,
    moves: false,
    nanos: null,
    runs: 1,
    shape: [],
    dtype: "float32",
    sources: [],
    ...rest,
  };
}

const list = (...kernels: KernelInfo[]): KernelList => ({ fusion: true, dropped: 0, kernels });

describe("totals", () => {
  it("add what each kernel moved and took", () => {
    const sum = totals(list(kernel(0, [1], { nanos: 1500 }), kernel(1, [2], { bytesRead: 8, nanos: 500 })));
    expect(sum).toEqual({ kernels: 2, read: 20, written: 8, bytes: 28, nanos: 2000, mean: false });
  });

  it("have no time where no clock told one", () => {
    expect(totals(list(kernel(0, [1]))).nanos).toBeNull();
    expect(totals(list())).toEqual({ kernels: 0, read: 0, written: 0, bytes: 0, nanos: null, mean: false });
  });
});

describe("times", () => {
  it.each([
    [null, 1, "–"],
    [0, 1, "< 100 µs"],
    [312, 2048, "≈ 312 ns (mean of 2,048 runs)"],
    [3140, 400, "≈ 3.1 µs (mean of 400 runs)"],
    [98_000, 24, "≈ 98.0 µs (mean of 24 runs)"],
    [240_400, 9, "≈ 240 µs (mean of 9 runs)"],
    [3_140_000, 1, "3.1 ms"],
  ])("writes %s ns of %d runs as %s", (nanos, runs, text) => expect(timeInWords({ nanos, runs })).toBe(text));

  it("of a list are a mean where one of them is", () => {
    const sum = totals(list(kernel(0, [1], { nanos: 1500, runs: 300 }), kernel(1, [2], { nanos: 2e6 })));
    expect(formatTime(sum.nanos, sum.mean)).toBe("≈ 2.0 ms");
  });
});

describe("the order", () => {
  it("has what computes before what copies or fills", () => {
    const copy = { name: "fused", moves: true };
    const { computes, moves } = computeFirst(
      list(kernel(0, [1], copy), kernel(1, [2]), kernel(2, [3], copy), kernel(3, [4])),
    );
    expect(computes.map(({ number }) => number)).toEqual([1, 3]);
    expect(moves.map(({ number }) => number)).toEqual([0, 2]);
  });
});

describe("numbers", () => {
  it.each([
    [0, "0 B"],
    [96, "96 B"],
    [1023, "1023 B"],
    [1024, "1 KiB"],
    [1536, "1.5 KiB"],
    [300 * 1024, "300 KiB"],
    [5 * 2 ** 20, "5 MiB"],
    [3 * 2 ** 40, "3072 GiB"],
  ])("writes %d bytes as %s", (bytes, text) => expect(formatBytes(bytes)).toBe(text));

  it.each([
    [null, "–"],
    [0, "< 100 µs"],
    [400, "< 1 µs"],
    [12_345, "12 µs"],
    [999_600, "1.0 ms"],
    [1_450_000, "1.4 ms"],
    [2_300_000_000, "2.3 s"],
  ])("writes %s nanoseconds as %s", (nanos, text) => expect(formatNanos(nanos)).toBe(text));

  it("compares only what can be compared", () => {
    expect(formatRatio(10, 4)).toBe("2.5×");
    expect(formatRatio(12, 4)).toBe("3×");
    expect(formatRatio(120, 4)).toBe("30×");
    expect(formatRatio(1, 0)).toBe("");
    expect(formatRatio(0, 1)).toBe("");
  });
});

describe("nodes and kernels", () => {
  const both = list(kernel(3, [1, 2, null]), kernel(4, [2]));
  it("find each other", () => {
    expect(nodesOf(both.kernels[0] as KernelInfo)).toEqual(new Set([1, 2]));
    expect(kernelsOf(both, 2)).toEqual(new Set([3, 4]));
    expect(kernelsOf(both, 1)).toEqual(new Set([3]));
  });

  it("are not found by a node that is not pointed at, nor by those off stage", () => {
    expect(kernelsOf(both, null)).toEqual(new Set());
    expect(kernelsOf(both, 9)).toEqual(new Set());
  });

  it("are said in words", () => {
    const node = { node: 1, symbol: "@", name: "h", backward: true, steps: 3 };
    expect(chipName(node)).toBe("gradient of @, h, 3 steps");
    expect(chipName({ ...node, name: null, backward: false, steps: 1 })).toBe("@");
  });
});

describe("groups", () => {
  const node = (id: number, x: number, y: number) => ({ id, x, y, symbol: "+" }) as GraphNode;
  const edge = (from: number, to: number, points: [number, number][] = []) => ({
    from,
    to,
    operand: 0,
    points,
  });
  const nodes = [node(0, 0, 0), node(1, 100, 0), node(2, 200, 50), node(3, 0, 90)];
  const edges = [edge(0, 1), edge(1, 2, [[150, 20]])];
  const places = new Map(nodes.map((each) => [each.id, each]));

  it("follow their nodes and the edges between them, and no other", () => {
    expect(outline(new Set([1, 2]), edges, places)).toBe("M88 0h24M188 50h24M100 0L150 20L200 50");
    expect(outline(new Set([0, 2]), edges, places)).toBe("M-12 0h24M188 50h24");
    expect(outline(new Set([7]), edges, places)).toBe("");
  });

  it("and the bends of edges fit into the map", () => {
    const wide = { ...node(4, 100, 0), symbol: "cross entropy" } as GraphNode;
    expect(frameOf([node(0, 0, 0), wide], [], [150])).toEqual({
      left: -52,
      top: -44,
      width: 207,
      height: 76,
    });
    expect(frameOf([node(0, 0, 0), wide], [], [348]).width).toBe(400);
    const around = edge(0, 4, [
      [180, 10],
      [180, 90],
    ]);
    expect(frameOf([node(0, 0, 0), wide], [around], [])).toEqual({
      left: -52,
      top: -44,
      width: 258,
      height: 160,
    });
  });

  it("leave out what stands alone", () => {
    const graph = { nodes, edges } as StageGraph;
    expect(connected(graph).map(({ id }) => id)).toEqual([0, 1, 2]);
    expect(way(edge(0, 9), places)).toBe("");
  });
});

describe("a line of source", () => {
  it.each([
    ["#", "# reads x", "", "# reads x"],
    ["#", "  h = tanh(x)", "  h = tanh(x)", ""],
    ["#", "q = a // b", "q = a // b", ""],
    ["//", "let at = id.x; // [3]", "let at = id.x; ", "// [3]"],
  ] as const)("%s in %s", (mark, text, code, comment) =>
    expect(cutComment(text, mark)).toEqual([code, comment]),
  );
});
