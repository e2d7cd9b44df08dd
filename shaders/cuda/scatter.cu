// out[rows[r], j] = how(out[rows[r], j], values[i, j]) for every i that goes to row number r, in order:
// order[starts[r]] and what follows, up to starts[r + 1]. A thread for each element that changes, so that
// no two write the same place, and sums do not depend on who comes first. `out` holds what it starts from.
// There are as many row numbers as indices: those that nothing goes to are left.

// 0 sets, 1 adds, 2 multiplies, 3 takes the larger, 4 the smaller; 5 is "or" of bools: HOW.
__device__ Element join(Element x, Element y) {
  switch (HOW) {
    case 1: return x + y;
    case 2: return x * y;
    case 3: return x != x || x > y ? x : y;
    case 4: return x != x || x < y ? x : y;
    case 5: return x || y;
    default: return y;
  }
}

extern "C" __global__ void compute(
  const Element* __restrict__ values,
  const long long* __restrict__ rows,
  const long long* __restrict__ starts,
  const long long* __restrict__ order,
  Element* __restrict__ out,
  long long inner,
  long long n_values
) {
  const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= n_values) { return; }
  const long long row = at / inner;
  if (starts[row] == starts[row + 1]) { return; }
  const long long column = at % inner;
  const long long place = rows[row] * inner + column;
  Element value = out[place];
  for (long long i = starts[row]; i < starts[row + 1]; i += 1) {
    value = join(value, values[order[i] * inner + column]);
  }
  out[place] = value;
}
