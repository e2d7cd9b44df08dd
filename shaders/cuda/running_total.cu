// A running total: what a scan carries along, how a step is joined to it, and what is written. float is
// carried in double, integers wrap around.

using Result = Element;

__device__ double carried(float x) { return x; }
__device__ double carried(double x) { return x; }
__device__ unsigned long long carried(unsigned long long x) { return x; }

using State = decltype(carried(Element()));

__device__ State nothing() {
  return carried(OP == 0 ? Element(0) : OP == 1 ? Element(1) : Element(-__int_as_float(0x7f800000)));
}

__device__ State one(Element x, long long) { return carried(x); }

__device__ Result result(State total) { return Element(total); }

// ln(eˣ + eʸ), where equal infinities stay what they are.
__device__ double log_add_exp(double x, double y) {
  if (x == y && isinf(x)) { return x; }
  const double low = x > y ? y : x;
  const double high = x > y ? x : y;
  return log1p(exp(low - high)) + high;
}

// 0 adds, 1 multiplies, 2 is the logarithm of the summed exponentials: OP.
__device__ State join(State total, State x) {
  switch (OP) {
    case 0: return total + x;
    case 1: return total * x;
    default: return State(log_add_exp(total, x));
  }
}

