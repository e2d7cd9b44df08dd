// The gradient of the largest element of each window on planes of three dimensions: a thread for each element of a
// plane adds up the gradients of the windows in which it is the largest, the first of equals, the last NaN. Elements
// and results are bits: they are compared as integers.

// Whether an element of a window, one of the largest, is the one that counts: none before it is as large, or, of
// NaNs, none after it.
static __device__ bool counts(
  const Sizes& sizes,
  const int* __restrict__ source,
  unsigned int plane,
  const int* start,
  const int* own,
  int own_key
) {
  const int size[3] = {(int)sizes.size[0], (int)sizes.size[1], (int)sizes.size[2]};
  const int own_at = (own[0] * size[1] + own[1]) * size[2] + own[2];
  const bool is_nan = own_key == NOT_A_NUMBER;
  const int end = is_nan ? size[0] * size[1] * size[2] : own_at;
  for (int i = is_nan ? own_at + 1 : 0; i < end; i += 1) {
    const int row = i / size[2];
    const int other[3] = {row / size[1], row % size[1], i % size[2]};
    int p[3];
    if (is_inside(sizes, start, other, p) && key(source[place(sizes.n, plane, p)]) == own_key) {
      return false;
    }
  }
  return true;
}

extern "C" __global__ void compute(
  const float* __restrict__ gradient,
  const int* __restrict__ source,
  const int* __restrict__ result,
  float* __restrict__ out,
  const Sizes sizes
) {
  const long long index = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= sizes.n_output) { return; }
  const unsigned int at = (unsigned int)index;
  const unsigned int row = at / (unsigned int)sizes.n[2];
  const unsigned int slice = row / (unsigned int)sizes.n[1];
  const unsigned int plane = slice / (unsigned int)sizes.n[0];
  const int own_key = key(source[at]);

  // The windows that reach over this place.
  const int here[3] = {
    (int)(slice % (unsigned int)sizes.n[0]) + (int)sizes.before[0],
    (int)(row % (unsigned int)sizes.n[1]) + (int)sizes.before[1],
    (int)(at % (unsigned int)sizes.n[2]) + (int)sizes.before[2],
  };
  int first[3];
  int last[3];
  for (int d = 0; d < 3; d += 1) {
    const int reach = ((int)sizes.size[d] - 1) * (int)sizes.dilation[d];
    const int step = (int)sizes.step[d];
    first[d] = (max(here[d], reach) - reach + step - 1) / step;
    last[d] = min(here[d] / step, (int)sizes.count[d] - 1);
  }
  float total = 0.0f;
  for (int i = first[0]; i <= last[0]; i += 1) {
    for (int j = first[1]; j <= last[1]; j += 1) {
      for (int k = first[2]; k <= last[2]; k += 1) {
        const int which[3] = {i, j, k};
        const long long window = place(sizes.count, plane, which);
        if (key(result[window]) != own_key) { continue; }
        int start[3];
        int own[3];
        bool has_it = true;
        for (int d = 0; d < 3; d += 1) {
          start[d] = which[d] * (int)sizes.step[d];
          own[d] = (here[d] - start[d]) / (int)sizes.dilation[d];
          has_it = has_it && own[d] * (int)sizes.dilation[d] == here[d] - start[d];
        }
        if (has_it && counts(sizes, source, plane, start, own, own_key)) {
          total += gradient[window];
        }
      }
    }
  }
  out[at] = total;
}
