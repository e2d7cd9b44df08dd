// Where the largest (or, with SMALLEST, the smallest) element so far stands: the last one on ties, and NaN
// wins. What a scan carries along, how a step is joined to it, and what is written.

using Result = long long;

// Before the first element, `at` is −1.
struct State {
  Element value;
  long long at;
};

__device__ State nothing() { return {Element(0), -1}; }

__device__ State one(Element x, long long at) { return {x, at}; }

__device__ Result result(State best) { return best.at; }

__device__ State join(State best, State x) {
  if (best.at < 0) { return x; }
  if (x.at < 0) { return best; }
  const bool wins = SMALLEST ? x.value <= best.value : x.value >= best.value;
  return x.value != x.value || (wins && best.value == best.value) ? x : best;
}

