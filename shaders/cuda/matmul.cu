// out[b, m, n] = Σk a[b, m, k] · b[b, k, n], through strides of any sign: integers, and what cuBLASLt has no
// layout or algorithm for.
//
// A block computes a tile of 32 × 32, each of its 64 threads 4 × 4 of it. Sixteen columns of a and as many
// rows of b lie in shared memory at a time.

struct Sizes {
  long long m;
  long long n;
  long long k;
  long long a_offset;
  long long a_batch;
  long long a_row;
  long long a_column;
  long long b_offset;
  long long b_batch;
  long long b_row;
  long long b_column;
};

constexpr int TILE = 32;
constexpr int DEPTH = 16;

extern "C" __global__ void compute(
  const Element* __restrict__ a,
  const Element* __restrict__ b,
  Element* __restrict__ out,
  const Sizes sizes
) {
  __shared__ Element a_tile[DEPTH][TILE];
  __shared__ Element b_tile[DEPTH][TILE];
  const int lane = threadIdx.x;
  const long long batch = blockIdx.z;
  const long long row0 = (long long)blockIdx.y * TILE;
  const long long column0 = (long long)blockIdx.x * TILE;
  const int my_row = lane / 8 * 4;
  const int my_column = lane % 8 * 4;
  Element total[4][4] = {};

  for (long long k0 = 0; k0 < sizes.k; k0 += DEPTH) {
    for (int i = lane; i < TILE * DEPTH; i += 64) {
      const int along = i % TILE;
      const int deep = i / TILE;
      const long long k = k0 + deep;
      const long long row = row0 + along;
      const long long column = column0 + along;
      const bool in_a = row < sizes.m && k < sizes.k;
      const bool in_b = column < sizes.n && k < sizes.k;
      const long long a_at = sizes.a_offset + batch * sizes.a_batch + row * sizes.a_row + k * sizes.a_column;
      const long long b_at = sizes.b_offset + batch * sizes.b_batch + k * sizes.b_row + column * sizes.b_column;
      a_tile[deep][along] = in_a ? a[a_at] : Element(0);
      b_tile[deep][along] = in_b ? b[b_at] : Element(0);
    }
    __syncthreads();
    // What lies beyond k is not added: 0 · ∞ would be NaN.
    const long long left = sizes.k - k0;
    const int deepest = left < DEPTH ? left : DEPTH;
    for (int deep = 0; deep < deepest; deep += 1) {
      for (int i = 0; i < 4; i += 1) {
        for (int j = 0; j < 4; j += 1) {
          total[i][j] += a_tile[deep][my_row + i] * b_tile[deep][my_column + j];
        }
      }
    }
    __syncthreads();
  }

  for (int i = 0; i < 4; i += 1) {
    const long long row = row0 + my_row + i;
    for (int j = 0; j < 4; j += 1) {
      const long long column = column0 + my_column + j;
      if (row < sizes.m && column < sizes.n) {
        out[(batch * sizes.m + row) * sizes.n + column] = total[i][j];
      }
    }
  }
}
