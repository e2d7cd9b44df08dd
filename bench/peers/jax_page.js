// The benchmark `page` in jax-js, on its wasm backend, each row but that of small ops compiled with `jit`: the rows of ../page.py.
//
// A function there consumes its arguments: `.ref` keeps one for another use.

import { defaultDevice, init, jit, lax, nn, numpy as np } from "@jax-js/jax";
import { adam, linear } from "./jax.js";

const numel = (shape) => shape.reduce((a, b) => a * b, 1);

function filled(shape, scale = 1) {
  const values = Float32Array.from(
    { length: numel(shape) },
    (_, i) => (((i * 7919) % 1009) / 504 - 1) * scale,
  );
  return np.array(values).reshape(shape);
}

const sum = (x) => np.abs(x).sum();
/** A row: the compiled function of its inputs. */
const row = (of, ...inputs) => {
  const compiled = jit(of);
  return () => compiled(...inputs.map((input) => input.ref));
};

function product(m, k, n, times) {
  const others = Array.from({ length: times }, (_, i) => filled([k, n]).add(i));
  const one = jit((a, b) => sum(np.matmul(a, b)));
  const a = filled([m, k]);
  return () => others.map((b) => one(a.ref, b.ref)).reduce((x, y) => x.add(y));
}

function step(batch, shapes, apply) {
  const x = filled(batch);
  const labels = nn.oneHot(np.array(Int32Array.from({ length: batch[0] }, (_, i) => i % 10)), 10);
  const weights = shapes.map((shape) =>
    shape.length > 1 ? filled(shape, numel(shape.slice(1)) ** -0.5) : np.zeros(shape),
  );
  return adam(jit, apply, weights, x, labels);
}

function mlp([w1, b1, w2, b2, w3, b3], x) {
  const first = nn.relu(linear(x, w1, b1));
  return linear(nn.relu(linear(first, w2, b2)), w3, b3);
}

const pool = (x) => lax.reduceWindow(x, np.max, [2, 2], [2, 2]);
const conv = (x, w, b) => lax.conv(x, w, [1, 1], "VALID").add(b.reshape([-1, 1, 1]));

function cnn([w1, b1, w2, b2, w3, b3, w4, b4], x) {
  const first = pool(nn.relu(conv(x, w1, b1)));
  const second = pool(nn.relu(conv(first, w2, b2)));
  return linear(nn.relu(linear(second.reshape([-1, 800]), w3, b3)), w4, b4);
}

function adamOfLarge() {
  let state = [filled([1_000_000]), np.zeros([1_000_000]), np.zeros([1_000_000]), np.zeros([])];
  const gradient = filled([1_000_000]).add(0.1);
  const next = jit((p, m, v, n, g) => {
    n = n.add(1);
    const [unbias1, unbias2] = [0.9, 0.999].map((beta) => np.power(beta, n.ref).neg().add(1));
    m = m.mul(0.9).add(g.ref.mul(0.1));
    v = v.mul(0.999).add(np.square(g).mul(0.001));
    const root = np.sqrt(v.ref.div(unbias2)).add(1e-8);
    return [p.sub(m.ref.div(unbias1).div(root).mul(0.001)), m, v, n];
  });
  return () => {
    state = next(...state, gradient.ref);
    return sum(state[0].ref);
  };
}

function all() {
  const [x, scale] = [filled([1000, 1000]), filled([1000, 1000]).add(1.5)];
  const [weight, bias] = [filled([1000]).add(1.5), filled([1000])];
  const [small, other] = [filled([8]), filled([8])];
  const perceptron = [[256, 784], [256], [128, 256], [128], [10, 128], [10]];
  const convolutions = [[24, 1, 5, 5], [24], [32, 24, 3, 3], [32], [128, 800], [128], [10, 128], [10]];
  return {
    "product of 64²": product(64, 64, 64, 50),
    "product of 128²": product(128, 128, 128, 10),
    "product of 256²": product(256, 256, 256, 2),
    "product of 512²": product(512, 512, 512, 1),
    "product of 1024²": product(1024, 1024, 1024, 1),
    "product of 1000 x 784 x 256": product(1000, 784, 256, 1),
    "8 ops with tanh and sigmoid, 1 M": row(
      (x, scale) => {
        const y = np.tanh(x.ref.mul(0.5).add(1));
        return sum(nn.sigmoid(y.ref.mul(scale)).mul(y).sub(x));
      },
      x,
      scale,
    ),
    "softmax, 1000 x 1000": row((x, scale) => nn.softmax(x, 1).mul(scale).sum(), x, scale),
    "layer norm, 1000 x 1000": row(
      (x, weight, bias, scale) => {
        const centred = x.ref.sub(np.mean(x, 1, { keepdims: true }));
        const variance = np.mean(np.square(centred.ref), 1, { keepdims: true });
        const normal = centred.div(np.sqrt(variance.add(1e-5)));
        return sum(normal.mul(weight).add(bias).mul(scale));
      },
      x,
      weight,
      bias,
      scale,
    ),
    "Adam, 1 M": adamOfLarge(),
    // One after the other, as they are written.
    "200 ops on 8 elements": () => {
      let y = small.ref;
      for (let i = 0; i < 100; i++) y = y.add(other.ref).mul(0.5);
      return y.sum();
    },
    "step of an MLP, batch 1000": step([1000, 784], perceptron, mlp),
    "step of an MLP, batch 128": step([128, 784], perceptron, mlp),
    "step of a CNN, batch 250": step([250, 1, 28, 28], convolutions, cnn),
  };
}

/** A function that runs each row once, and gives its milliseconds and its value by name. */
export async function start() {
  await init("wasm");
  defaultDevice("wasm");
  const rows = all();
  return async () => {
    const told = {};
    for (const [name, run] of Object.entries(rows)) {
      const runs = [];
      for (let i = 0; i < 2; i++) {
        const began = performance.now();
        const [value] = await run().data();
        runs.push([performance.now() - began, value]);
      }
      told[name] = [Math.min(runs[0][0], runs[1][0]), runs[1][1]];
    }
    return told;
  };
}
