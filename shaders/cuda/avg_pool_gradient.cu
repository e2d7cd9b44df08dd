// The gradient of the mean of each window on planes of three dimensions: a thread for each element of a plane adds
// up its shares of the gradients of the windows that have it.

extern "C" __global__ void compute(
  const float* __restrict__ gradient,
  float* __restrict__ out,
  const Sizes sizes
) {
  const long long index = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= sizes.n_output) { return; }
  const unsigned int at = (unsigned int)index;
  const unsigned int row = at / (unsigned int)sizes.n[2];
  const unsigned int slice = row / (unsigned int)sizes.n[1];
  const unsigned int plane = slice / (unsigned int)sizes.n[0];
  const int here[3] = {
    (int)(slice % (unsigned int)sizes.n[0]) + (int)sizes.before[0],
    (int)(row % (unsigned int)sizes.n[1]) + (int)sizes.before[1],
    (int)(at % (unsigned int)sizes.n[2]) + (int)sizes.before[2],
  };

  // The windows that have this place.
  int first[3];
  int last[3];
  for (int d = 0; d < 3; d += 1) {
    const int reach = (int)sizes.size[d] - 1;
    const int step = (int)sizes.step[d];
    first[d] = (max(here[d], reach) - reach + step - 1) / step;
    last[d] = min(here[d] / step, (int)sizes.count[d] - 1);
  }
  float total = 0.0f;
  for (int i = first[0]; i <= last[0]; i += 1) {
    for (int j = first[1]; j <= last[1]; j += 1) {
      for (int k = first[2]; k <= last[2]; k += 1) {
        const int start[3] = {i * (int)sizes.step[0], j * (int)sizes.step[1], k * (int)sizes.step[2]};
        const long long window = ((plane * sizes.count[0] + i) * sizes.count[1] + j) * sizes.count[2] + k;
        total += gradient[window] / divisor(sizes, start);
      }
    }
  }
  out[at] = total;
}
