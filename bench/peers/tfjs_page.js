// The benchmark `page` in TensorFlow.js, on its wasm backend with SIMD and one thread: the rows of ../page.py.
//
// The page has loaded the library as the global `tf`. It has no gradient of a convolution in wasm: that row is not there.

const numel = (shape) => shape.reduce((a, b) => a * b, 1);

function filled(shape, scale = 1) {
  const values = Float32Array.from(
    { length: numel(shape) },
    (_, i) => (((i * 7919) % 1009) / 504 - 1) * scale,
  );
  return tf.tensor(values, shape);
}

const sum = (x) => tf.sum(tf.abs(x));

function product(m, k, n, times) {
  const a = filled([m, k]);
  const others = Array.from({ length: times }, (_, i) => tf.add(filled([k, n]), i));
  return () => others.map((b) => sum(tf.matMul(a, b))).reduce((x, y) => tf.add(x, y));
}

function step(batch, shapes, apply) {
  const images = filled(batch);
  const labels = tf.oneHot(
    tf.tensor1d(
      Array.from({ length: batch[0] }, (_, i) => i % 10),
      "int32",
    ),
    10,
  );
  const weights = shapes.map((shape) =>
    tf.variable(shape.length > 1 ? filled(shape, numel(shape.slice(1)) ** -0.5) : tf.zeros(shape)),
  );
  const optimizer = tf.train.adam(0.001, 0.9, 0.999, 1e-8);
  const loss = () => tf.losses.softmaxCrossEntropy(labels, apply(weights, images));
  return () => optimizer.minimize(loss, true, weights);
}

const linear = (x, w, b) => tf.add(tf.matMul(x, w, false, true), b);

function mlp([w1, b1, w2, b2, w3, b3], x) {
  const first = tf.relu(linear(x, w1, b1));
  return linear(tf.relu(linear(first, w2, b2)), w3, b3);
}

function all() {
  const [x, scale] = [filled([1000, 1000]), tf.add(filled([1000, 1000]), 1.5)];
  const [weight, bias] = [tf.add(filled([1000]), 1.5), filled([1000])];
  const large = tf.variable(filled([1_000_000]));
  const gradient = tf.add(filled([1_000_000]), 0.1);
  const adam = tf.train.adam(0.001, 0.9, 0.999, 1e-8);
  const [a, b] = [filled([8]), filled([8])];
  const perceptron = [[256, 784], [256], [128, 256], [128], [10, 128], [10]];
  return {
    "product of 64²": product(64, 64, 64, 50),
    "product of 128²": product(128, 128, 128, 10),
    "product of 256²": product(256, 256, 256, 2),
    "product of 512²": product(512, 512, 512, 1),
    "product of 1024²": product(1024, 1024, 1024, 1),
    "product of 1000 x 784 x 256": product(1000, 784, 256, 1),
    "8 ops with tanh and sigmoid, 1 M": () => {
      const y = tf.tanh(tf.add(tf.mul(x, 0.5), 1));
      return sum(tf.sub(tf.mul(tf.sigmoid(tf.mul(y, scale)), y), x));
    },
    "softmax, 1000 x 1000": () => tf.sum(tf.mul(tf.softmax(x, 1), scale)),
    "layer norm, 1000 x 1000": () => {
      const { mean, variance } = tf.moments(x, 1, true);
      const normal = tf.mul(tf.sub(x, mean), tf.rsqrt(tf.add(variance, 1e-5)));
      return sum(tf.mul(tf.add(tf.mul(normal, weight), bias), scale));
    },
    "Adam, 1 M": () => {
      adam.applyGradients({ [large.name]: gradient });
      return sum(large);
    },
    "200 ops on 8 elements": () => {
      let y = a;
      for (let i = 0; i < 100; i++) y = tf.mul(tf.add(y, b), 0.5);
      return tf.sum(y);
    },
    "step of an MLP, batch 1000": step([1000, 784], perceptron, mlp),
    "step of an MLP, batch 128": step([128, 784], perceptron, mlp),
  };
}

/** A function that runs each row once, and gives its milliseconds and its value by name. */
export async function start() {
  tf.wasm.setWasmPaths("./node_modules/@tensorflow/tfjs-backend-wasm/dist/");
  tf.env().set("WASM_HAS_MULTITHREAD_SUPPORT", false);
  await tf.setBackend("wasm");
  const rows = all();
  return async () => {
    const told = {};
    for (const [name, run] of Object.entries(rows)) {
      const runs = [];
      for (let i = 0; i < 2; i++) {
        const began = performance.now();
        const result = tf.tidy(run);
        const [value] = await result.data();
        runs.push([performance.now() - began, value]);
        result.dispose();
      }
      told[name] = [Math.min(runs[0][0], runs[1][0]), runs[1][1]];
    }
    return told;
  };
}
