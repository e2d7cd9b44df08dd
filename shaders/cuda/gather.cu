// out[i, j] = source[index[i], j]. The indices are known to be rows of the source.

extern "C" __global__ void compute(
  const Element* __restrict__ source,
  const long long* __restrict__ index,
  Element* __restrict__ out,
  long long inner,
  long long n_output
) {
  const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= n_output) { return; }
  out[at] = source[index[at / inner] * inner + at % inner];
}
