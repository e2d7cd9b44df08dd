// The mean of each window on planes of three dimensions: a thread for each window.

extern "C" __global__ void compute(
  const float* __restrict__ source,
  float* __restrict__ out,
  const Sizes sizes
) {
  const long long index = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= sizes.n_output) { return; }
  const unsigned int at = (unsigned int)index;
  const unsigned int row = at / (unsigned int)sizes.count[2];
  const unsigned int slice = row / (unsigned int)sizes.count[1];
  const unsigned int plane = slice / (unsigned int)sizes.count[0];
  const int start[3] = {
    (int)(slice % (unsigned int)sizes.count[0]) * (int)sizes.step[0],
    (int)(row % (unsigned int)sizes.count[1]) * (int)sizes.step[1],
    (int)(at % (unsigned int)sizes.count[2]) * (int)sizes.step[2],
  };
  // What lies in the plane.
  int first[3];
  int end[3];
  for (int d = 0; d < 3; d += 1) {
    const int before = (int)sizes.before[d];
    first[d] = max(start[d], before) - before;
    end[d] = min(start[d] + (int)sizes.size[d], (int)sizes.n[d] + before) - before;
  }
  float total = 0.0f;
  for (int i = first[0]; i < end[0]; i += 1) {
    for (int j = first[1]; j < end[1]; j += 1) {
      for (int k = first[2]; k < end[2]; k += 1) {
        total += source[((plane * sizes.n[0] + i) * sizes.n[1] + j) * sizes.n[2] + k];
      }
    }
  }
  out[at] = total / divisor(sizes, start);
}
