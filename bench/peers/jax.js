// The benchmark `dispatches` in jax-js: the networks of ../dispatches.py.
//
// A function there consumes its arguments: `.ref` keeps one for another use. Adam is written out, in
// the step, so that `jit` sees all of it.

import { defaultDevice, init, jit, lax, nn, numpy as np, random, tree, valueAndGrad } from "@jax-js/jax";

let seed = 0;
const uniform = (shape, bound = 1) =>
  random.uniform(random.key(seed++), shape, { minval: -bound, maxval: bound });
const weight = (...shape) => uniform(shape, 1 / Math.sqrt(shape.slice(1).reduce((a, b) => a * b)));
export const linear = (x, w, b) => np.matmul(x, np.transpose(w)).add(b);

const mlp = {
  batch: [128, 784],
  make: () => [
    weight(256, 784),
    np.zeros([256]),
    weight(128, 256),
    np.zeros([128]),
    weight(10, 128),
    np.zeros([10]),
  ],
  apply: ([w1, b1, w2, b2, w3, b3], x) => {
    const first = nn.relu(linear(x, w1, b1));
    return linear(nn.relu(linear(first, w2, b2)), w3, b3);
  },
};

const pool = (x) => lax.reduceWindow(x, np.max, [2, 2], [2, 2]);
const conv = (x, w, b) => lax.conv(x, w, [1, 1], "VALID").add(b.reshape([-1, 1, 1]));

const cnn = {
  batch: [32, 1, 28, 28],
  make: () => [
    weight(8, 1, 3, 3),
    np.zeros([8]),
    weight(16, 8, 3, 3),
    np.zeros([16]),
    weight(10, 400),
    np.zeros([10]),
  ],
  apply: ([w1, b1, w2, b2, w3, b3], x) => {
    const first = pool(nn.relu(conv(x, w1, b1)));
    const second = pool(nn.relu(conv(first, w2, b2)));
    return linear(second.reshape([-1, 400]), w3, b3);
  },
};

/** One step of Adam with PyTorch's defaults; `n` counts the steps. */
function stepOf(apply) {
  const loss = (parameters, x, labels) =>
    nn.logSoftmax(apply(parameters, x)).mul(labels).sum(-1).mean().neg();
  return (parameters, first, second, n, x, labels) => {
    const [value, grads] = valueAndGrad(loss)(
      parameters.map((p) => p.ref),
      x,
      labels,
    );
    n = n.add(1);
    const [unbias1, unbias2] = [0.9, 0.999].map((beta) => np.power(beta, n.ref).neg().add(1));
    first = first.map((m, i) => m.mul(0.9).add(grads[i].ref.mul(0.1)));
    second = second.map((v, i) => v.mul(0.999).add(np.square(grads[i]).mul(0.001)));
    parameters = parameters.map((p, i) => {
      const root = np.sqrt(second[i].ref.div(unbias2.ref)).add(1e-8);
      return p.sub(first[i].ref.div(unbias1.ref).div(root).mul(0.001));
    });
    tree.dispose([unbias1, unbias2]);
    return { value, parameters, first, second, n };
  };
}

/** A function that makes one step on a batch with labels of one hot, and gives its loss; `compile` is `jit`, or does nothing. */
export function adam(compile, apply, parameters, x, labels) {
  const step = compile(stepOf(apply));
  let [first, second] = [parameters, parameters].map((all) => all.map((p) => np.zerosLike(p.ref)));
  let n = np.zeros([]);
  return () => {
    let value;
    ({ value, parameters, first, second, n } = step(parameters, first, second, n, x.ref, labels.ref));
    return value;
  };
}

/** A function that makes one step, always on the same batch, and gives its loss. */
export async function start(name, compiled) {
  await init("webgpu");
  defaultDevice("webgpu");
  const { batch, make, apply } = { mlp, cnn }[name];
  const x = uniform(batch);
  const labels = nn.oneHot(
    random.randint(random.key(seed++), { shape: [batch[0]], minval: 0, maxval: 10 }),
    10,
  );
  const step = adam(compiled ? jit : (step) => step, apply, make(), x, labels);
  return async () => (await step().data())[0];
}
