// h[i] = a[i] · h[i − 1] + b[i] along the middle of [outer, n, inner], from h[0] = b[0]: a thread for each
// line. h is carried in double.

extern "C" __global__ void compute(
  const Element* __restrict__ a,
  const Element* __restrict__ b,
  Element* __restrict__ out,
  long long n,
  long long inner,
  long long n_lines
) {
  const long long line = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (line >= n_lines) { return; }
  const long long start = line / inner * n * inner + line % inner;
  double h = b[start];
  out[start] = Element(h);
  for (long long i = 1; i < n; i += 1) {
    const long long at = start + i * inner;
    h = a[at] * h + b[at];
    out[at] = Element(h);
  }
}
