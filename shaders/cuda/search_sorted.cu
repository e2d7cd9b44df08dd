// out[r, j] is where values[r, j] goes into the ascending sorted[r, :], by halving: a thread for each value.
// With RIGHT it goes after elements that equal it. A comparison with NaN does not hold, so the search goes
// on to the right.

extern "C" __global__ void compute(
  const Element* __restrict__ sorted,
  const Element* __restrict__ values,
  long long* __restrict__ out,
  long long n,
  long long m,
  long long n_output
) {
  const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= n_output) { return; }
  const Element value = values[at];
  const long long row = at / m * n;
  long long start = 0;
  long long end = n;
  while (start < end) {
    const long long middle = start + (end - start) / 2;
    const Element seen = sorted[row + middle];
    if (value < seen || (!RIGHT && value == seen)) {
      end = middle;
    } else {
      start = middle + 1;
    }
  }
  out[at] = start;
}
