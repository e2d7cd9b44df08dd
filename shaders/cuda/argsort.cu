// out[o, k, i] is where the k-th smallest (or, with DESCENDING, largest) element of source[o, :, i] stands,
// equal ones in the order they came. A thread for each element counts those that stand before it: its place.

// NaN is larger than any number, and zeros are equal whatever their sign.
__device__ bool less(Element x, Element y) { return y != y ? x == x : x < y; }

extern "C" __global__ void compute(
  const Element* __restrict__ source,
  long long* __restrict__ out,
  long long n,
  long long inner,
  long long n_output
) {
  const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= n_output) { return; }
  const long long mine = at / inner % n;
  const long long start = at - mine * inner;
  const Element value = source[at];
  long long place = 0;
  for (long long i = 0; i < n; i += 1) {
    const Element other = source[start + i * inner];
    const bool before = DESCENDING ? less(value, other) : less(other, value);
    const bool after = DESCENDING ? less(other, value) : less(value, other);
    if (before || (!after && i < mine)) { place += 1; }
  }
  out[start + place * inner] = mine;
}
