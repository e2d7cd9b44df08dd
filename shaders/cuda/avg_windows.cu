// The windows of a mean, and what its sums are divided by. It stands before both programs of average pools.

// By dimension: elements of a plane, windows, elements of a window, from one window to the next, padding on both
// sides of a plane. The divisor is the one that was given.
struct Sizes {
  long long n[3];
  long long count[3];
  long long size[3];
  long long step[3];
  long long before[3];
  long long divisor;
  long long n_output;
};

// A sum is divided by 0 the divisor that was given, 1 how many elements of the window lie in the plane or its
// padding, 2 how many lie in the plane.
static __device__ float divisor(const Sizes& sizes, const int* start) {
  if (DIVISOR == 0) { return (float)sizes.divisor; }
  float product = 1.0f;
  for (int d = 0; d < 3; d += 1) {
    const int before = (int)sizes.before[d];
    int first = start[d];
    int end = min(start[d] + (int)sizes.size[d], (int)sizes.n[d] + 2 * before);
    if (DIVISOR == 2) {
      first = max(first, before);
      end = min(end, (int)sizes.n[d] + before);
    }
    product *= (float)(end - first);
  }
  return product;
}
