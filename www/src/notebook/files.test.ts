import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arranged, freshName, inserted, kindOf, MOST_BLOCKS, moved, orderText } from "./document";
import { addressOf } from "./fileOutputs";
import {
  fromNotebookFile,
  fromPython,
  MOST_FILE_BYTES,
  type Piece,
  readNotebook,
  toNotebookFile,
  toPython,
} from "./files";

const line = fc.string({ maxLength: 20 }).map((text) => text.replace(/[\r\n\u2028\u2029]/g, ""));
const kind = fc.constantFrom<Piece["kind"]>("cell", "note");

describe("a notebook file", () => {
  it("gives back what was written, whatever stands in it", () => {
    const piece = fc.record({ kind, source: fc.string({ unit: "binary", maxLength: 40 }) });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        expect(fromNotebookFile(toNotebookFile(pieces))).toEqual(pieces);
      }),
    );
  });

  it("holds outputs where other programs look for them", () => {
    const error = { kind: "NameError", message: "name 'x' is not defined", traceback: "a\nb" };
    const pictures = [
      { type: "image/png" as const, data: "aGk=", text: "Plot", width: 40, height: 30 },
      { type: "image/svg+xml" as const, data: "<svg>\n</svg>", text: "Chart" },
    ];
    const [cell] = JSON.parse(
      toNotebookFile([
        { kind: "cell", source: "print(1)\nx", run: { order: 3, text: "1\n", error, pictures } },
      ]),
    ).cells;
    expect(cell).toMatchObject({ cell_type: "code", execution_count: 3, source: ["print(1)\n", "x"] });
    expect(cell.outputs).toEqual([
      { name: "stdout", output_type: "stream", text: ["1\n"] },
      {
        data: { "image/png": "aGk=", "text/plain": ["Plot"] },
        metadata: { "image/png": { height: 30, width: 40 } },
        output_type: "display_data",
      },
      {
        data: { "image/svg+xml": ["<svg>\n", "</svg>"], "text/plain": ["Chart"] },
        metadata: {},
        output_type: "display_data",
      },
      { ename: "NameError", evalue: error.message, output_type: "error", traceback: ["a", "b"] },
    ]);
  });

  it("gives back what its cells gave", () => {
    const text = fc.string({ unit: "binary", maxLength: 20 });
    // A colour of a terminal is not kept.
    const words = text.filter((each) => !each.includes("\u001b"));
    const base64 = fc
      .uint8Array({ minLength: 1, maxLength: 9 })
      .map((bytes) => btoa(String.fromCharCode(...bytes)));
    const sizes = fc.constantFrom({}, { width: 4, height: 3.5 });
    const picture = fc.oneof(
      fc.record({
        type: fc.constantFrom("image/png" as const, "image/gif" as const),
        data: base64,
        text: words,
      }),
      fc.record({ type: fc.constant("image/svg+xml" as const), data: text, text: words }),
    );
    const pictures = fc.array(
      fc.tuple(picture, sizes).map(([each, size]) => ({ ...each, ...size })),
      {
        minLength: 1,
        maxLength: 3,
      },
    );
    const kind = words.filter((each) => each !== "");
    const error = fc.option(fc.record({ kind, message: words, traceback: words }));
    const order = fc.option(fc.nat());
    fc.assert(
      fc.property(fc.record({ order, text: words, error, pictures }), (run) => {
        const pieces = [{ kind: "cell" as const, source: "a", run }];
        expect(fromNotebookFile(toNotebookFile(pieces))).toEqual(pieces);
      }),
    );
  });

  it("of Jupyter gives its outputs: printed text, results, pictures, errors; other kinds are named", () => {
    const outputs = [
      { output_type: "stream", name: "stderr", text: ["\u001b[31mwarn\u001b[0m"] },
      { output_type: "execute_result", data: { "text/plain": "42", "text/html": "<b>42</b>" } },
      { output_type: "display_data", data: { "image/png": "aG\nk=\n", "image/svg+xml": "<svg/>" } },
      { output_type: "display_data", data: { "image/png": "<script>", "text/plain": "fig" } },
      { output_type: "display_data", data: { "application/vnd.plotly.v1+json": {} } },
      { output_type: "error", ename: "E", evalue: "why", traceback: ["\u001b[0;31mE\u001b[0m: why"] },
      7,
    ];
    const file = { nbformat: 4, cells: [{ cell_type: "code", execution_count: 9, source: "a", outputs }] };
    expect(fromNotebookFile(JSON.stringify(file))[0]?.run).toEqual({
      order: 9,
      text: "warn\n42\nfig\n",
      error: { kind: "E", message: "why", traceback: "E: why" },
      pictures: [{ type: "image/png", data: "aGk=", text: "" }],
      left: ["application/vnd.plotly.v1+json", "output"],
    });
  });

  it("has pictures as addresses of data, whatever stands in them", () => {
    expect(addressOf({ type: "image/png", data: "aGk=", text: "" })).toBe("data:image/png;base64,aGk=");
    const address = addressOf({ type: "image/svg+xml", data: "<svg>#\ud800é</svg>", text: "" });
    expect(address).toBe("data:image/svg+xml,%3Csvg%3E%23%EF%BF%BD%C3%A9%3C%2Fsvg%3E");
  });

  it("of Jupyter is read: texts in one piece or in lines, raw cells as notes, strange outputs named", () => {
    const file = {
      nbformat: 4,
      nbformat_minor: 2,
      metadata: {},
      cells: [
        { cell_type: "markdown", metadata: {}, source: "# Title" },
        { cell_type: "code", metadata: {}, outputs: [{ output_type: "x" }], source: ["a = 1\n", "b = 2"] },
        { cell_type: "raw", source: [] },
      ],
    };
    expect(fromNotebookFile(`\uFEFF${JSON.stringify(file)}`)).toEqual([
      { kind: "note", source: "# Title" },
      {
        kind: "cell",
        source: "a = 1\nb = 2",
        run: { order: null, text: "", error: null, pictures: [], left: ["x"] },
      },
      { kind: "note", source: "" },
    ]);
  });

  const good = { nbformat: 4, cells: [] };
  it.each([
    ["nonsense", "{", "it is not JSON"],
    ["nothing", "", "it is not JSON"],
    ["a very deep file", "[".repeat(200_000), "it is not JSON"],
    ["a list", "[]", "it has no nbformat"],
    ["another file", '{"format":"glowgrad-progress"}', "it has no nbformat"],
    ["an old notebook", JSON.stringify({ nbformat: 3, worksheets: [] }), "not of nbformat 4"],
    ["no cells", JSON.stringify({ nbformat: 4 }), "not of nbformat 4"],
    ["a cell that is null", JSON.stringify({ ...good, cells: [null] }), "damaged at cell 1"],
    ["a source of numbers", JSON.stringify({ ...good, cells: [{ source: [1] }] }), "damaged at cell 1"],
    ["too many cells", JSON.stringify({ ...good, cells: Array(501).fill({ source: "" }) }), "501 cells"],
    [
      "an endless cell",
      JSON.stringify({ ...good, cells: [{ source: "x".repeat(300_000) }] }),
      "Cell 1 of this file",
    ],
  ])("that is %s is refused in a sentence", (_kind, text, message) => {
    expect(() => fromNotebookFile(text)).toThrow(message);
  });
});

describe("a Python file", () => {
  it("gives back what was written, but for empty lines around it", () => {
    const source = fc.array(line, { maxLength: 5 }).map((all) =>
      all
        .filter((each) => !each.startsWith("#"))
        .join("\n")
        .replace(/^\s*\n/, "")
        .trim(),
    );
    fc.assert(
      fc.property(fc.array(fc.record({ kind, source }), { maxLength: 6 }), (pieces) => {
        expect(fromPython(toPython(pieces))).toEqual(pieces);
      }),
    );
  });

  it("keeps a note's lines that look like marks", () => {
    const pieces = ["%% a", "text\n%%", "\\%% b", "\\ c"].map((source) => ({
      kind: "note" as const,
      source,
    }));
    expect(toPython(pieces).split("\n")).toContain("# \\%% a");
    expect(fromPython(toPython(pieces))).toEqual(pieces);
  });

  it("without marks is one cell, and what stands before the first mark is one too", () => {
    expect(fromPython("a = 1\r\nb = 2\r\n")).toEqual([{ kind: "cell", source: "a = 1\nb = 2" }]);
    expect(fromPython("import x\n# %% [markdown]\n# # Title\n#\n# text\n#%% second\ny")).toEqual([
      { kind: "cell", source: "import x" },
      { kind: "note", source: "# Title\n\ntext" },
      { kind: "cell", source: "y" },
    ]);
    expect(fromPython("")).toEqual([]);
  });
});

it("judges a file by its name and size before it is read", async () => {
  const text = () => Promise.reject(new Error("was read"));
  await expect(readNotebook({ name: "a.png", size: 1, text })).rejects.toThrow("ends in .py or .ipynb");
  await expect(readNotebook({ name: "a.py", size: MOST_FILE_BYTES + 1, text })).rejects.toThrow(
    "8 is the most",
  );
  await expect(readNotebook({ name: "a.py", size: 1, text })).rejects.toThrow("cannot be read");
  const file = { name: "A.PY", size: 1, text: () => Promise.resolve("x") };
  await expect(readNotebook(file)).resolves.toEqual([{ kind: "cell", source: "x" }]);
});

describe("the order of cells and notes", () => {
  it("is a text, and takes in what it does not name", () => {
    const names = ["note-1", "cell-2", "cell-1"];
    expect(arranged(orderText(names), [])).toEqual(names);
    expect(arranged(orderText(names), ["cell-1", "cell-9"])).toEqual([...names, "cell-9"]);
    expect(arranged("cell-1\ncell-1\nrelu\n\n__proto__\ncell-0", ["order"])).toEqual(["cell-1"]);
    expect(arranged("", [])).toEqual([]);
    const endless = Array.from({ length: 2000 }, (_, index) => `cell-${index + 1}`);
    expect(arranged(orderText(endless), [])).toHaveLength(MOST_BLOCKS);
  });

  it("changes by inserting and moving", () => {
    const names = ["cell-1", "note-1", "cell-2"];
    expect(freshName("cell", names)).toBe("cell-3");
    expect(freshName("note", ["note-9"])).toBe("note-10");
    expect(inserted(names, "cell-3", "cell-1")).toEqual(["cell-1", "cell-3", "note-1", "cell-2"]);
    expect(inserted(names, "cell-3", null).at(-1)).toBe("cell-3");
    expect(moved(names, "cell-2", -1)).toEqual(["cell-1", "cell-2", "note-1"]);
    expect(moved(names, "cell-1", 1)).toEqual(["note-1", "cell-1", "cell-2"]);
    for (const [name, by] of [
      ["cell-1", -1],
      ["cell-2", 1],
      ["cell-9", 1],
    ] as const) {
      expect(moved(names, name, by)).toEqual(names);
    }
    expect(kindOf("cell-1x")).toBeNull();
  });

  it("writes a line that Jupyter alone runs as a comment, and reads it back", () => {
    const source = "!pip install torch\n%matplotlib inline\n# !important\nx = 7\nprint('%d' % x)";
    const pieces = [{ kind: "cell" as const, source }];
    const text = toPython(pieces);
    expect(text).toContain(
      "# !pip install torch\n# %matplotlib inline\n# # !important\nx = 7\nprint('%d' % x)",
    );
    expect(fromPython(text)).toEqual(pieces);
  });
});
