// The largest element of each window on planes of three dimensions, the last NaN if there is one: a thread for each
// window. Elements are bits: they are compared as integers, and none is changed.

extern "C" __global__ void compute(
  const int* __restrict__ source,
  int* __restrict__ out,
  const Sizes sizes
) {
  const long long index = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= sizes.n_output) { return; }
  const unsigned int at = (unsigned int)index;
  const unsigned int row = at / (unsigned int)sizes.count[2];
  const unsigned int slice = row / (unsigned int)sizes.count[1];
  const unsigned int plane = slice / (unsigned int)sizes.count[0];
  const int start[3] = {
    (int)(slice % (unsigned int)sizes.count[0]) * (int)sizes.step[0],
    (int)(row % (unsigned int)sizes.count[1]) * (int)sizes.step[1],
    (int)(at % (unsigned int)sizes.count[2]) * (int)sizes.step[2],
  };
  // Minus infinity, if a window has nothing else.
  int largest = (int)0xff800000u;
  int largest_key = key(largest);
  for (int i = 0; i < (int)sizes.size[0]; i += 1) {
    for (int j = 0; j < (int)sizes.size[1]; j += 1) {
      for (int k = 0; k < (int)sizes.size[2]; k += 1) {
        const int element[3] = {i, j, k};
        int p[3];
        if (!is_inside(sizes, start, element, p)) { continue; }
        const int bits = source[place(sizes.n, plane, p)];
        const int bits_key = key(bits);
        if (bits_key > largest_key || bits_key == NOT_A_NUMBER) {
          largest = bits;
          largest_key = bits_key;
        }
      }
    }
  }
  out[at] = largest;
}
