// Where the largest (or, with SMALLEST, the smallest) element so far stands, along the middle of
// [outer, n, inner]: the last one on ties, and NaN wins. A thread for each line.

extern "C" __global__ void compute(
  const Element* __restrict__ source,
  long long* __restrict__ out,
  long long n,
  long long inner,
  long long n_lines
) {
  const long long line = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (line >= n_lines) { return; }
  const long long start = line / inner * n * inner + line % inner;
  Element best = source[start];
  long long best_at = 0;
  out[start] = 0;
  for (long long i = 1; i < n; i += 1) {
    const long long at = start + i * inner;
    const Element x = source[at];
    const bool wins = SMALLEST ? x <= best : x >= best;
    if (x != x || (wins && best == best)) {
      best = x;
      best_at = i;
    }
    out[at] = best_at;
  }
}
