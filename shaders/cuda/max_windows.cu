// The windows of a maximum, and how its elements compare. It stands before both programs of max pools.

// By dimension: elements of a plane, windows, elements of a window, from one window to the next, padding in
// front of a plane, from one element of a window to the next.
struct Sizes {
  long long n[3];
  long long count[3];
  long long size[3];
  long long step[3];
  long long before[3];
  long long dilation[3];
  long long n_output;
};

constexpr int NOT_A_NUMBER = 0x7fffffff;

// An integer that is larger where the number is: the same for 0 and -0, and for every NaN.
static __device__ int key(int bits) {
  const int magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) { return NOT_A_NUMBER; }
  return bits < 0 ? -magnitude : magnitude;
}

// Whether an element of a window lies in the plane; `at` is where, by dimension.
static __device__ bool is_inside(const Sizes& sizes, const int* start, const int* element, int* at) {
  for (int d = 0; d < 3; d += 1) {
    at[d] = start[d] + element[d] * (int)sizes.dilation[d] - (int)sizes.before[d];
    if (at[d] < 0 || at[d] >= (int)sizes.n[d]) { return false; }
  }
  return true;
}

// Where an element of a plane lies in all of them.
static __device__ long long place(const long long* n, long long plane, const int* at) {
  return ((plane * n[0] + at[0]) * n[1] + at[1]) * n[2] + at[2];
}
