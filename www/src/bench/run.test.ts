import { describe, expect, test } from "vitest";
import type { Status } from "../engine/client";
import type { CommandBody } from "../engine/wire";
import type { Event } from "../protocol";
import type { Row } from "./rows";
import { Bench, type BenchSession } from "./run.svelte";

const row = (id: string, more: Partial<Row> = {}): Row => ({
  id,
  title: () => id,
  code: id,
  unit: "GB/s",
  amount: 8e6,
  ...more,
});
const error = (kind: string, message: string) => ({
  type: "error",
  error: { kind, message, traceback: "", cell: null, line: null, exitCode: null },
});
const called = (...values: number[]) => ({ type: "called", values, shape: [values.length] });

/** A session with two devices whose rows take `millis` and give `value`; `answer` may answer otherwise. */
class FakeSession implements BenchSession {
  status: Status = { phase: "ready", device: "cpu", suspends: true };
  devices: BenchSession["devices"] = {
    type: "devices",
    current: "cpu",
    devices: [
      { name: "cpu", label: "cpu (a fake)", note: null },
      { name: "webgpu", label: "webgpu (a fake)", note: null },
    ],
  };
  readonly asked: CommandBody[] = [];
  stops = 0;
  closes = 0;
  millis = 10;
  answer: (body: CommandBody) => object[] | undefined = () => undefined;

  async run(body: CommandBody, onEvent: (event: Event) => void): Promise<void> {
    this.asked.push(body);
    const usual =
      body.type !== "call" ? [] : [body.function === "measure" ? called(this.millis, 5) : called(1, 3)];
    for (const event of this.answer(body) ?? usual) onEvent({ id: 1, ...event } as Event);
  }

  stop(): void {
    this.stops += 1;
  }

  close(): void {
    this.closes += 1;
  }

  /** The measurements that were asked for: device, row and times. */
  get measured(): number[][] {
    return this.asked.flatMap((body) =>
      body.type === "call" && body.function === "measure" ? [body.values] : [],
    );
  }
}

const isMeasure = (body: CommandBody, device: number, row: number) =>
  body.type === "call" && body.function === "measure" && body.values[0] === device && body.values[1] === row;

describe("a run of the bench", () => {
  test("warms every row up on every device, and then times them in turns", async () => {
    const session = new FakeSession();
    const rows = [row("a"), row("b")];
    const bench = new Bench(rows, session);
    await bench.run(2);
    expect(bench.phase).toBe("done");
    expect(bench.share).toBe(1);
    expect(bench.threads).toBe(3);
    const pairs = [0, 1].flatMap((row) => [0, 1].map((device) => [device, row]));
    const timed = (order: number[][]) => order.map((pair) => [...pair, 4]);
    expect(session.measured).toEqual([
      ...pairs.flatMap((pair) => [
        [...pair, 1],
        [...pair, 1],
      ]),
      ...timed(pairs),
      ...timed(pairs.toReversed()),
    ]);
    for (const each of rows)
      for (const device of ["cpu", "webgpu"]) expect(bench.millis(each, device)).toEqual([10, 10]);
    expect(session.closes).toBe(1);
  });

  test("first goes to the CPU, and sends the rows and the devices as Python", async () => {
    const session = new FakeSession();
    await new Bench([row("a", { code: "x + 1" })], session).run(1);
    expect(session.asked[0]).toEqual({ type: "setDevice", device: "cpu" });
    const [, cell] = session.asked;
    expect(cell?.type === "runCell" && cell.source).toContain('DEVICES = [\n    "cpu",\n    "webgpu",\n]');
    expect(cell?.type === "runCell" && cell.source).toContain('ROWS = [\n    "x + 1",\n]');
  });

  test("switches fusion off for one row alone", async () => {
    const session = new FakeSession();
    await new Bench([row("a"), row("b", { isUnfused: true })], session).run(1);
    let isOn = true;
    for (const body of session.asked) {
      if (body.type === "setFusion") isOn = body.on;
      if (isMeasure(body, 0, 0) || isMeasure(body, 1, 0)) expect(isOn).toBe(true);
      if (isMeasure(body, 0, 1) || isMeasure(body, 1, 1)) expect(isOn).toBe(false);
    }
    expect(isOn).toBe(true);
  });

  test("a slow row has fewer timed runs, and at least one; a long one is warmed up once", async () => {
    const session = new FakeSession();
    session.millis = 1500;
    const slow = row("a");
    const bench = new Bench([slow], session);
    await bench.run(7);
    expect(bench.millis(slow, "cpu")).toEqual([1500]);
    expect(session.measured).toEqual([0, 1, 0, 1].map((device) => [device, 0, 1]));
  });

  test("a row is left out where another is too slow", async () => {
    const session = new FakeSession();
    session.answer = (body) => (isMeasure(body, 1, 0) ? [called(200, 5)] : undefined);
    const large = row("b", { unless: { row: "a", millis: 100 } });
    const bench = new Bench([row("a"), large], session);
    await bench.run(1);
    expect(bench.millis(large, "cpu")).toHaveLength(1);
    expect(bench.millis(large, "webgpu")).toEqual([]);
    expect(bench.result(large, "webgpu")?.problem).toMatch(/^Left out/);
  });
});

describe("what a row gives", () => {
  test("is compared with what the CPU gave before it is timed", async () => {
    const session = new FakeSession();
    session.answer = (body) => (isMeasure(body, 1, 0) ? [called(10, 5.1)] : undefined);
    const [wrong, right] = [row("a"), row("b")];
    const bench = new Bench([wrong, right], session);
    await bench.run(2);
    expect(bench.result(wrong, "webgpu")?.problem).toContain("5.1, and the CPU's to 5");
    expect(bench.millis(wrong, "webgpu")).toEqual([]);
    expect(bench.millis(wrong, "cpu")).toHaveLength(2);
    expect(bench.millis(right, "webgpu")).toHaveLength(2);
  });

  test("an error is told in its row, and the others go on", async () => {
    const session = new FakeSession();
    session.answer = (body) => (isMeasure(body, 1, 0) ? [error("MemoryError", "too much")] : undefined);
    const [broken, fine] = [row("a", { isUnfused: true }), row("b")];
    const bench = new Bench([broken, fine], session);
    await bench.run(1);
    expect(bench.phase).toBe("done");
    expect(bench.result(broken, "webgpu")?.problem).toBe("MemoryError: too much");
    expect(bench.millis(fine, "webgpu")).toHaveLength(1);
    expect(session.asked.filter(({ type }) => type === "setFusion").at(-1)).toEqual({
      type: "setFusion",
      on: true,
    });
  });

  test("a result that is not finite has no time", async () => {
    const session = new FakeSession();
    session.answer = (body) => (isMeasure(body, 0, 0) ? [called(10, Number.NaN)] : undefined);
    const bench = new Bench([row("a")], session);
    await bench.run(1);
    expect(bench.millis(bench.rows[0] as Row, "cpu")).toEqual([]);
    expect(bench.millis(bench.rows[0] as Row, "webgpu")).toHaveLength(1);
  });
});

describe("devices", () => {
  test("one that another stands in for is told of and not measured", async () => {
    const session = new FakeSession();
    session.answer = (body) =>
      body.type === "call" && body.function === "open_device" && body.values[0] === 1
        ? [{ type: "notice", text: "no adapter; computing on the cpu" }, called(0, 3)]
        : undefined;
    const bench = new Bench([row("a")], session);
    await bench.run(1);
    expect(bench.lanes.map(({ name }) => name)).toEqual(["cpu"]);
    expect(bench.devices[1]?.notes).toEqual(["no adapter; computing on the cpu"]);
    expect(session.measured.every(([device]) => device === 0)).toBe(true);
  });

  test("what a device says while it computes is kept once", async () => {
    const session = new FakeSession();
    session.answer = (body) =>
      isMeasure(body, 1, 0) ? [{ type: "notice", text: "the GPU was lost" }, called(10, 5)] : undefined;
    const bench = new Bench([row("a")], session);
    await bench.run(3);
    expect(bench.devices.map(({ notes }) => notes)).toEqual([[], ["the GPU was lost"]]);
  });
});

describe("the end of a run", () => {
  test("a stop ends it, what was measured stays, and the next run begins anew", async () => {
    const session = new FakeSession();
    const rows = [row("a"), row("b")];
    const bench = new Bench(rows, session);
    session.answer = (body) => {
      if (session.measured.length < 10 || !isMeasure(body, 0, 1)) return undefined;
      bench.stop();
      return [error("KeyboardInterrupt", "")];
    };
    await bench.run(5);
    expect(bench.phase).toBe("stopped");
    expect(bench.problem).toBe("");
    expect([session.stops, session.closes]).toEqual([1, 1]);
    expect(bench.millis(rows[0] as Row, "cpu")).toHaveLength(1);
    expect(bench.current).toBeNull();

    session.answer = () => undefined;
    await bench.run(1);
    expect(bench.phase).toBe("done");
  });

  test("while Python is still on its way a stop gives it up", async () => {
    const session = new FakeSession();
    session.status = { phase: "loading", done: 1, total: 2 };
    let giveUp = (_: Error) => {};
    session.run = () => new Promise((_, reject) => (giveUp = reject));
    session.close = () => giveUp(new Error("Closed."));
    const bench = new Bench([row("a")], session);
    const over = bench.run(1);
    bench.stop();
    await over;
    expect(bench.phase).toBe("stopped");
  });

  test("a lost session fails it with what was said", async () => {
    const session = new FakeSession();
    session.answer = (body) => {
      if (isMeasure(body, 1, 0)) throw new Error("Python ended unexpectedly.");
      return undefined;
    };
    const bench = new Bench([row("a")], session);
    await bench.run(1);
    expect([bench.phase, bench.problem]).toEqual(["failed", "Python ended unexpectedly."]);
    expect(session.closes).toBe(1);
  });

  test("without a device that computes it says why", async () => {
    const session = new FakeSession();
    session.answer = (body) => (body.type === "call" ? [error("MemoryError", "too much")] : undefined);
    const bench = new Bench([row("a")], session);
    await bench.run(1);
    expect([bench.phase, bench.problem]).toEqual(["failed", "MemoryError: too much"]);
  });
});
