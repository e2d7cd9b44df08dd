// out[to[i]] = source[origin[i]] for every index i of a shape of up to eight dimensions, through strides
// of any sign: one part of a write, a cat or a stack.

struct Sizes {
  long long shape[8];
  long long to[8];
  long long origin[8];
  long long to_offset;
  long long origin_offset;
  long long n;
};

extern "C" __global__ void compute(
  const Element* __restrict__ source,
  Element* __restrict__ out,
  const Sizes sizes
) {
  const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= sizes.n) { return; }
  long long left = at;
  long long to = sizes.to_offset;
  long long origin = sizes.origin_offset;
  for (int dim = 7; dim >= 0; dim -= 1) {
    const long long i = left % sizes.shape[dim];
    left /= sizes.shape[dim];
    to += i * sizes.to[dim];
    origin += i * sizes.origin[dim];
  }
  out[to] = source[origin];
}
