// A running value along the middle of [outer, n, inner]: a block for each line, which it goes through in
// pieces of 2,048. A thread runs over eight elements; what the threads before it have found is joined in
// steps of 1, 2, 4, …, and carried on to the next piece.

constexpr int LANES = 256;
constexpr int EACH = 8;

extern "C" __global__ void compute(
  const Element* __restrict__ source,
  Result* __restrict__ out,
  long long n,
  long long inner,
  long long n_lines
) {
  __shared__ State found[LANES];
  const int lane = threadIdx.x;
  const long long line = blockIdx.x;
  if (line >= n_lines) { return; }
  const long long start = line / inner * n * inner + line % inner;
  State before = nothing();
  for (long long piece = 0; piece < n; piece += LANES * EACH) {
    const long long first = piece + lane * EACH;
    State mine[EACH];
    State state = nothing();
    for (int i = 0; i < EACH; i += 1) {
      if (first + i < n) { state = join(state, one(source[start + (first + i) * inner], first + i)); }
      mine[i] = state;
    }
    found[lane] = state;
    __syncthreads();
    for (int step = 1; step < LANES; step *= 2) {
      if (lane >= step) { state = join(found[lane - step], state); }
      __syncthreads();
      found[lane] = state;
      __syncthreads();
    }
    const State left = lane > 0 ? join(before, found[lane - 1]) : before;
    for (int i = 0; i < EACH; i += 1) {
      if (first + i < n) { out[start + (first + i) * inner] = result(join(left, mine[i])); }
    }
    before = join(before, found[LANES - 1]);
    __syncthreads();
  }
}
