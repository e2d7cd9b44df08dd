// WebGPU in the page: tensors on `device="webgpu"`, and what happens when the GPU goes away.
//
// The software adapter stands for a GPU. Leaves the numbers of every op to every_op_on_webgpu.test.mjs.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { crashGpu, measured, useWholeBrowser, visiting } from "./harness.mjs";
import { freeCell } from "./parts.mjs";

// Without these Chromium takes WebGPU away from a page whose GPU process has crashed, and its shell does with them.
useWholeBrowser(["--disable-gpu-process-crash-limit", "--disable-domain-blocking-for-3d-apis"]);

async function ran(cell, source) {
  await cell.write(source);
  const result = await cell.run();
  const output = await cell.output();
  assert.equal(result, "ok", output);
  return output;
}

// A cell keeps what its last run printed until the next one begins in Python: a test that waits for a line waits for
// one that no earlier run has printed.

/** Trains a small network for so many steps and prints its last loss and the sum of its weights. */
const training = (device, steps) => `${network(device)}
for step in range(${steps}):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    if step % 25 == 0:
        print("STEP", step, "on ${device}", loss.item())
${result}`;

// The same by itself.
const trainingAlone = (device, steps) => `${network(device)}
def step():
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss
print("BEGUN", 1)
loss = torch.tensor(torch.lab.train(step, ${steps}, plot="alone"))[-1]
${result}`;

const network = (device) => `
import glowgrad as torch
torch.manual_seed(0)
x = torch.randn(64, 16).to("${device}")
y = torch.randint(0, 4, (64,)).to("${device}")
model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.Tanh(), torch.nn.Linear(32, 4)).to("${device}")
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)`;

const result = `
print("RESULT", loss.item(), sum(p.detach().abs().sum().item() for p in model.parameters()))
`;

function numbers(output) {
  const line = output.split("\n").find((text) => text.startsWith("RESULT"));
  assert.ok(line, output);
  return line.split(" ").slice(1).map(Number);
}

function near(got, expected) {
  got.forEach((number, i) => {
    assert.ok(Math.abs(number - expected[i]) <= 1e-3 * Math.abs(expected[i]), `${got}, not ${expected}`);
  });
}

describe("a cell computes on the GPU", () => {
  test("values, gradients and devices are as PyTorch has them", async () => {
    await visiting("#/play", {}, async (page) => {
      const output = await ran(
        freeCell(page),
        `import glowgrad as torch
w = torch.tensor([0.5, -0.25], device="webgpu", requires_grad=True)
loss = (w * torch.tensor([2.0, 4.0], device="webgpu")).tanh().sum()
loss.backward()
print(w.grad)
print(w.device, w.grad.device.type, loss.item() > -10)
print(w.cpu().device, torch.device("webgpu"))
try:
    w * torch.ones(2)
except RuntimeError as error:
    print(error)`,
      );
      assert.match(output, /tensor\(\[0\.8399, 1\.6799\], device='webgpu:0'\)/);
      assert.match(output, /^webgpu:0 webgpu True$/m);
      assert.match(output, /^cpu webgpu$/m);
      assert.match(output, /found at least two devices, webgpu and cpu!/);
      assert.match(output, /a program on the processor/, "the software adapter is told of");
      assert.equal(output.match(/a program on the processor/g)?.length, 1);
    });
  });

  test("a network learns what it learns on the CPU", async () => {
    await visiting("#/play", {}, async (page) => {
      const cell = freeCell(page);
      const expected = numbers(await ran(cell, training("cpu", 100)));
      near(numbers(await ran(cell, training("webgpu", 100))), expected);
    });
  });

  test("what the GPU cannot is computed by the CPU, said once, or refused", async () => {
    await visiting("#/play", {}, async (page) => {
      const output = await ran(
        freeCell(page),
        `import glowgrad as torch
from glowgrad import lab
x = torch.ones(3, dtype=torch.float64, device="webgpu")
for _ in range(3):
    x = x * 2
print(x.sum().item())
lab.fallback(False)
try:
    (x * 2).sum().item()
except NotImplementedError as error:
    print("refused:", error)`,
      );
      assert.match(output, /^24\.0$/m);
      assert.equal(output.match(/float64: the CPU computes it instead/g)?.length, 1, output);
      assert.match(output, /refused: .*float64/);
    });
  });

  test("training runs by itself, is stopped, and leaves what a loop leaves", async () => {
    await visiting("#/play", {}, async (page) => {
      const cell = freeCell(page);
      const alone = trainingAlone("webgpu", 80);
      near(numbers(await ran(cell, alone)), numbers(await ran(cell, training("webgpu", 80))));
      await cell.write(`${alone}\nprint("ENDLESS", 1)\ntorch.lab.train(step, 10**9)`);
      await cell.start();
      await cell.root.getByText("ENDLESS 1").waitFor();
      await cell.stop();
      await cell.ended();
      assert.equal(await cell.result(), "error", await cell.output());
      assert.match(await cell.output(), /Stopped\. Your variables are kept\./);
      const loss = Number.parseFloat(await ran(cell, "print(step().item())"));
      assert.ok(loss < 1, `a loss of ${loss} after Stop`);
    });
  });

  test("a shader of one's own runs, and a mistake in it names its line", async () => {
    await visiting("#/play", {}, async (page) => {
      const source = `
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&x)) { out[id.x] = 2.0 * x[id.x]; }
}`;
      const output = await ran(
        freeCell(page),
        `import glowgrad as torch
from glowgrad import lab
x = torch.tensor([1.0, 2.0, 3.0], device="webgpu")
source = """${source}"""
print(lab.shader(source)(x).tolist())
try:
    lab.shader(source.replace("* x[", "* z["))(x)
except ValueError as error:
    print(error)`,
      );
      assert.match(output, /\[2\.0, 4\.0, 6\.0\]/);
      assert.match(output, /shader: line 6, column \d+: /);
    });
  });
});

describe("a GPU that is not there, or goes", () => {
  test("no JSPI: the cell says once that it uses the CPU", async () => {
    await visiting("#/play", { withoutJspi: true }, async (page) => {
      const cell = freeCell(page);
      const source = `import glowgrad as torch
x = torch.ones(2, device="webgpu")
y = torch.ones(2).to("webgpu")
print((x + y).tolist(), x.device)`;
      const first = await ran(cell, source);
      assert.match(first, /\[2\.0, 2\.0\] cpu/);
      assert.equal(first.match(/computing on the cpu/g)?.length, 1, first);
      assert.doesNotMatch(await ran(cell, source), /computing on the cpu/);
    });
  });

  test("a browser without WebGPU: a sentence, and the CPU", async () => {
    const inWorkers = "Object.defineProperty(navigator, 'gpu', { value: undefined });";
    await visiting("#/play", { inWorkers }, async (page) => {
      const output = await ran(
        freeCell(page),
        'import glowgrad as torch\nprint(torch.ones(2, device="webgpu").sum().item())',
      );
      assert.match(output, /this browser offers no GPU.*computing on the cpu/);
      assert.match(output, /^2\.0$/m);
    });
  });

  /** A worker whose browser has no adapter when it is asked the first times. */
  const noAdapterAtFirst = (times) => `
    const request = GPU.prototype.requestAdapter;
    let left = ${times};
    GPU.prototype.requestAdapter = function (...options) {
      return left-- > 0 ? Promise.resolve(null) : request.apply(this, options);
    };`;
  const devices = `import glowgrad as torch
x = torch.ones(2, device="webgpu")
y = torch.ones(2).to("webgpu")
print((x + y).tolist(), x.device, y.device)`;

  test("an adapter that is not there at first is asked for again", async () => {
    await visiting("#/play", { inWorkers: noAdapterAtFirst(2) }, async (page) => {
      const output = await ran(freeCell(page), devices);
      assert.match(output, /\[2\.0, 2\.0\] webgpu:0 webgpu:0/);
      assert.doesNotMatch(output, /computing on the cpu/);
    });
  });

  test("an adapter that comes too late: the whole session stays on the CPU", async () => {
    await visiting("#/play", { inWorkers: noAdapterAtFirst(6) }, async (page) => {
      const cell = freeCell(page);
      assert.match(await ran(cell, devices), /\[2\.0, 2\.0\] cpu cpu/);
      assert.match(await ran(cell, `${devices}\nz = x + torch.ones(2, device="webgpu")`), /cpu cpu/);
    });
  });

  test("the GPU process crashes eight times during training: the run goes on, and nothing is lost", async () => {
    await visiting("#/play", {}, async (page, visit) => {
      visit.expect(/GPU|gpu|context|device/i);
      const cell = freeCell(page);
      const expected = numbers(await ran(cell, training("cpu", 225)));
      await cell.write(training("webgpu", 225));
      await cell.start();
      for (let crash = 0; crash < 8; crash += 1) {
        const step = cell.root.getByText(`STEP ${crash * 25} on webgpu`);
        await step.waitFor().catch(async (error) => {
          throw new Error(`${error.message}\n${await cell.output()}`);
        });
        await crashGpu();
      }
      await cell.root.getByText(/RESULT \d/).waitFor();
      const output = await cell.output();
      assert.equal(await cell.result(), "ok", output);
      near(numbers(output), expected);
      const losses = output.match(/the GPU was lost and opened again/g)?.length ?? 0;
      measured(`8 crashes of the GPU process in 225 steps, a device opened again ${losses} times`);
      assert.ok(losses > 0, output);
      assert.doesNotMatch(output, /not used any more/);
    });
  });

  test("the GPU process crashes while training runs by itself: nothing is lost", async () => {
    await visiting("#/play", {}, async (page, visit) => {
      visit.expect(/GPU|gpu|context|device/i);
      const cell = freeCell(page);
      const expected = numbers(await ran(cell, training("cpu", 2000)));
      await cell.write(trainingAlone("webgpu", 2000));
      await cell.start();
      await cell.root.getByText("BEGUN 1").waitFor();
      for (let crash = 0; crash < 3; crash += 1) {
        await page.waitForTimeout(400);
        await crashGpu();
      }
      await cell.ended();
      const output = await cell.output();
      assert.equal(await cell.result(), "ok", output);
      near(numbers(output), expected);
      assert.match(output, /the GPU was lost and opened again/);
    });
  });

  test("buffers beyond the adapter's cap are the CPU's, and the cell says so", async () => {
    // Every adapter has at most 1 MiB here, as the least capable ones have 256: the same way, sooner.
    const inWorkers = `
      const request = GPUAdapter.prototype.requestDevice;
      const limits = Object.getOwnPropertyDescriptor(GPUAdapter.prototype, "limits").get;
      Object.defineProperty(GPUAdapter.prototype, "limits", { get() {
        const small = { maxStorageBufferBindingSize: 1 << 20, maxBufferSize: 1 << 20 };
        return new Proxy(limits.call(this), { get: (all, name) => small[name] ?? all[name] });
      } });
      GPUAdapter.prototype.requestDevice = function (descriptor) {
        return request.call(this, { ...descriptor, requiredLimits: {} });
      };`;
    await visiting("#/play", { inWorkers }, async (page) => {
      const output = await ran(
        freeCell(page),
        `import glowgrad as torch
x = torch.ones(1000, 1000, device="webgpu")
small = torch.ones(10, device="webgpu")
print((x + 1).sum().item(), (small + 1).sum().item())`,
      );
      assert.match(output, /^2000000\.0 20\.0$/m);
      assert.equal(output.match(/more than 1 MiB: the CPU computes it instead/g)?.length, 1, output);
    });
  });

  test("a hidden tab trains on", async () => {
    await visiting("#/play", {}, async (page) => {
      const cell = freeCell(page);
      const expected = numbers(await ran(cell, training("cpu", 60)));
      await cell.write(training("webgpu", 60));
      await cell.start();
      const other = await page.context().newPage();
      await other.goto("about:blank");
      await other.bringToFront();
      await cell.ended();
      assert.equal(await cell.result(), "ok", await cell.output());
      near(numbers(await cell.output()), expected);
    });
  });
});
