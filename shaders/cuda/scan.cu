// A running value along the middle of [outer, n, inner]: a thread for each line. float is carried in
// double, integers wrap around.

__device__ double carried(float x) { return x; }
__device__ double carried(double x) { return x; }
__device__ unsigned long long carried(unsigned long long x) { return x; }

// ln(eˣ + eʸ), where equal infinities stay what they are.
__device__ double log_add_exp(double x, double y) {
  if (x == y && isinf(x)) { return x; }
  const double low = x > y ? y : x;
  const double high = x > y ? x : y;
  return log1p(exp(low - high)) + high;
}

// 0 adds, 1 multiplies, 2 is the logarithm of the summed exponentials: OP.
template <typename T> __device__ T join(T total, T x) {
  switch (OP) {
    case 0: return total + x;
    case 1: return total * x;
    default: return T(log_add_exp(total, x));
  }
}

extern "C" __global__ void compute(
  const Element* __restrict__ source,
  Element* __restrict__ out,
  long long n,
  long long inner,
  long long n_lines
) {
  const long long line = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (line >= n_lines) { return; }
  const long long start = line / inner * n * inner + line % inner;
  auto total = carried(OP == 0 ? Element(0) : OP == 1 ? Element(1) : Element(-__int_as_float(0x7f800000)));
  for (long long i = 0; i < n; i += 1) {
    const long long at = start + i * inner;
    total = join(total, carried(source[at]));
    out[at] = Element(total);
  }
}
