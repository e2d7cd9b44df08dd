// The benchmark `dispatches` in TensorFlow.js: the networks of ../dispatches.py.
//
// The page has loaded the library as the global `tf`. Channels come last, as is usual there.

const { conv2d, dense, flatten, maxPooling2d } = tf.layers;

const networks = {
  mlp: {
    batch: [128, 784],
    layers: () => [
      dense({ units: 256, activation: "relu", inputShape: [784] }),
      dense({ units: 128, activation: "relu" }),
      dense({ units: 10 }),
    ],
  },
  cnn: {
    batch: [32, 28, 28, 1],
    layers: () => [
      conv2d({ filters: 8, kernelSize: 3, activation: "relu", inputShape: [28, 28, 1] }),
      maxPooling2d({ poolSize: 2 }),
      conv2d({ filters: 16, kernelSize: 3, activation: "relu" }),
      maxPooling2d({ poolSize: 2 }),
      flatten(),
      dense({ units: 10 }),
    ],
  },
};

/** A function that makes one step, always on the same batch, and gives its loss. */
export async function start(name) {
  await tf.setBackend("webgpu");
  const { batch, layers } = networks[name];
  const model = tf.sequential({ layers: layers() });
  const images = tf.randomUniform(batch);
  const labels = tf.oneHot(tf.randomUniform([batch[0]], 0, 10, "int32"), 10);
  const optimizer = tf.train.adam(0.001);
  const lossOf = () => tf.losses.softmaxCrossEntropy(labels, model.apply(images, { training: true }));
  return async () => {
    const loss = optimizer.minimize(lossOf, true);
    const [value] = await loss.data();
    loss.dispose();
    return value;
  };
}
