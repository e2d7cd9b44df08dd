// A running value along the middle of [outer, n, inner]: a thread for each line.

extern "C" __global__ void compute(
  const Element* __restrict__ source,
  Result* __restrict__ out,
  long long n,
  long long inner,
  long long n_lines
) {
  const long long line = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (line >= n_lines) { return; }
  const long long start = line / inner * n * inner + line % inner;
  State state = nothing();
  for (long long i = 0; i < n; i += 1) {
    const long long at = start + i * inner;
    state = join(state, one(source[at], i));
    out[at] = result(state);
  }
}
