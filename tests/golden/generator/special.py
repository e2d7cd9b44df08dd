"""Special functions: `torch.special`, and those of them that `torch` has.

Each op draws from a domain where PyTorch's own formula is good to twelve digits, then meets its edges. Left out are edges
where PyTorch's kernel gives NaN for a limit that exists (`i0` of infinity), or a large number for a pole.
"""

import torch

from .record import F64, I64, INF, NAN, Samples, Scalar, Tensor, case, rows, vector

special = torch.special

ENDS = [NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0]
# op: (function, domain, edges, dtypes of whole numbers it takes, attrs of its cases)
ONE = {
    "lgamma": (torch.lgamma, (0.2, 9.0), [NAN, INF, -INF, 0.0, -0.0, 1.0, 2.0, -1.0, 1e30, 1e-30, -1.5], [I64]),
    "digamma": (torch.digamma, (0.2, 9.0), [NAN, INF, 0.0, -0.0, -1.0, -2.0, 1e30, -1.5], [I64]),
    "erfinv": (torch.erfinv, (-0.95, 0.95), [*ENDS, 1.5, 1e-30, -1e-7, 0.99999], []),
    "erfcx": (special.erfcx, (-3.0, 6.0), [NAN, INF, -INF, 0.0, -0.0, 30.0, -20.0, 1e30], []),
    "ndtr": (special.ndtr, (-4.0, 4.0), [NAN, INF, -INF, 0.0, -0.0, 6.0, -5.0], []),
    "log_ndtr": (special.log_ndtr, (-6.0, 3.0), [NAN, INF, 0.0, -0.0, 3.0, -20.0], []),
    "ndtri": (special.ndtri, (0.05, 0.95), [NAN, 0.0, 1.0, 0.5, 1.5, -1.0, 1e-7, 0.999], []),
    "sinc": (torch.sinc, (0.1, 3.0), [NAN, 0.0, -0.0, 0.5, 1.5, -0.25], [I64]),
    "entr": (special.entr, (0.05, 4.0), [NAN, INF, 0.0, -0.0, 1.0, -1.0], []),
    "i0": (torch.i0, (-7.0, 7.0), [NAN, 0.0, -0.0, 1e-7, 20.0, -30.0], [I64]),
    "i0e": (special.i0e, (-7.0, 7.0), [NAN, 0.0, -0.0, 1e-7, 20.0, -300.0], []),
    "i1": (special.i1, (-7.0, 7.0), [NAN, 0.0, -0.0, 20.0, -30.0], []),
    "i1e": (special.i1e, (-7.0, 7.0), [NAN, 0.0, -0.0, 20.0, -300.0], []),
    "bessel_j0": (special.bessel_j0, (-20.0, 20.0), [NAN, 0.0, -0.0, 5.0, 50.0], [I64]),
    "bessel_j1": (special.bessel_j1, (0.1, 20.0), [NAN, 5.0, 50.0, -50.0], [I64]),
    "bessel_y0": (special.bessel_y0, (0.1, 20.0), [NAN, 5.0, 50.0], [I64]),
    "bessel_y1": (special.bessel_y1, (0.1, 20.0), [NAN, 5.0, 50.0], [I64]),
    "modified_bessel_i0": (special.modified_bessel_i0, (-7.0, 7.0), [NAN, 0.0, 20.0], []),
    "modified_bessel_i1": (special.modified_bessel_i1, (0.1, 7.0), [NAN, 20.0, -20.0], []),
    "modified_bessel_k0": (special.modified_bessel_k0, (0.1, 7.0), [NAN, 2.0, 20.0, 100.0], []),
    "modified_bessel_k1": (special.modified_bessel_k1, (0.1, 7.0), [NAN, 2.0, 20.0, 100.0], []),
    "scaled_modified_bessel_k0": (special.scaled_modified_bessel_k0, (0.1, 7.0), [NAN, 0.0, -1.0, 20.0, 1000.0], []),
    "scaled_modified_bessel_k1": (special.scaled_modified_bessel_k1, (0.1, 7.0), [NAN, 0.0, -1.0, 20.0, 1000.0], []),
    "spherical_bessel_j0": (special.spherical_bessel_j0, (-20.0, 20.0), [NAN, INF, -INF, 0.0, -0.0, 1e-7], [I64]),
    "airy_ai": (special.airy_ai, (-8.0, 8.0), [NAN, INF, -INF, 0.0, -0.0, 60.0, 200.0], [I64]),
}
# Of these PyTorch's own float64 is off by as much as 1e-7 near waves' roots and between its pieces.
# PyTorch has no derivatives of these.
FORWARD_ALONE = {"scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "spherical_bessel_j0", "airy_ai"}
# Its second derivative of lgamma is a short asymptotic series of nine digits: not asked for in float64.
TEN_DIGITS = {"lgamma", "digamma"}
SHORT = {"bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "airy_ai"}


def functions():
    for op, (function, domain, edges, integers) in ONE.items():
        s = Samples(op)

        def make(*shape, **more):
            wide = more.get("dtype") == F64 and op == "digamma"
            grad = False if wide or op in FORWARD_ALONE else None
            return s.tensor(*shape, low=domain[0], high=domain[1], requires_grad=grad, **more)

        double = "double" if op in TEN_DIGITS else "float64"
        table = [
            ("matrix", make(2, 3)),
            (double, make(3, 2, dtype=F64)),
            (f"{double}, one", make(1, dtype=F64)),
            ("0-d", make()),
            (f"0-d {double}", make(dtype=F64)),
            ("empty", make(0, 3)),
            ("transposed", make(3, 4, layout="transposed")),
            ("sliced", make(2, 5, layout="sliced")),
            ("longer than a SIMD vector", make(19)),
            ("edges", vector(edges, requires_grad=False)),
            ("edges, float64", vector(edges, F64, requires_grad=False)),
            *[(f"from {dtype}", s.tensor(2, 3, dtype=dtype, low=1)) for dtype in integers],
        ]
        yield from rows(op, function, [row for row in table if op not in SHORT or "float64" not in row[0]])


def with_numbers():
    s = Samples("logit")
    unit = lambda *shape, **more: s.tensor(*shape, low=0.05, high=0.95, **more)
    yield from rows(
        "logit",
        torch.logit,
        [
            ("matrix", unit(2, 3)),
            ("float64", unit(3, 2, dtype=F64)),
            ("0-d", unit()),
            ("empty", unit(0, 3)),
            ("eps", s.tensor(5, low=-0.5, high=1.5), {"eps": 0.1}),
            ("eps, float64", s.tensor(5, low=-0.5, high=1.5, dtype=F64), {"eps": 0.125}),
            ("edges", vector([NAN, 0.5, 0.25, -0.5, 1.5, 0.0, 1.0], requires_grad=False)),
            ("edges, eps", vector([0.0, 1.0, -1.0, 2.0, 0.5]), {"eps": 1e-3}),
            ("transposed", unit(3, 4, layout="transposed")),
        ],
    )
    s = Samples("polygamma")
    swapped = lambda input, n: torch.polygamma(n, input)
    positive = lambda *shape, **more: s.tensor(*shape, low=0.3, high=6.0, **more)
    yield from rows(
        "polygamma",
        swapped,
        [
            (f"{name}{n}", positive(2, 3, dtype=dtype), {"n": n})
            for n in range(5)
            for name, dtype in [("float32, ", "float32"), ("float64, ", F64)]
            # PyTorch's trigamma is a short asymptotic series: twelve digits are too many for it.
            if (n, dtype) not in [(0, F64), (1, F64)]
        ],
    )
    s = Samples("mvlgamma")
    large = lambda *shape, **more: s.tensor(*shape, low=2.1, high=6.0, **more)
    yield from rows(
        "mvlgamma",
        torch.mvlgamma,
        [
            ("two", large(2, 3), {"p": 2}),
            ("five", large(3), {"p": 5}),
            ("one", large(3), {"p": 1}),
            ("0-d", large(), {"p": 3}),
            ("empty", large(0), {"p": 3}),
        ],
    )


def of_two():
    for op, function in {"igamma": torch.igamma, "igammac": torch.igammac}.items():
        s = Samples(op)
        # Only the second operand has a derivative.
        a = lambda *shape, **more: s.tensor(*shape, low=0.2, high=8.0, requires_grad=False, **more)
        x = lambda *shape, **more: s.tensor(*shape, low=0.1, high=9.0, **more)
        # In float64 PyTorch's expansion for large numbers has ten digits.
        large = Tensor("float32", [4], [30.0, 50.0, 150.0, 300.0], requires_grad=False)
        yield from rows(
            op,
            function,
            [
                ("two", [a(2, 3), x(2, 3)]),
                ("broadcast", [a(2, 1), x(3)]),
                ("float64", [a(2, 3, dtype=F64), x(2, 3, dtype=F64)]),
                ("large", [large, vector([28.0, 55.0, 149.0, 310.0])]),
                ("0-d", [a(), x()]),
                ("empty", [a(0), x(0)]),
                ("edges", [
                    Tensor(F64, [8], [0.0, 0.0, 1.0, INF, INF, 2.0, -1.0, 1.0], requires_grad=False),
                    Tensor(F64, [8], [0.0, 1.0, 0.0, 1.0, INF, INF, 1.0, -1.0], requires_grad=False),
                ]),
            ],
        )
    s = Samples("zeta")
    q = lambda *shape, **more: s.tensor(*shape, low=0.3, high=9.0, **more)
    yield from rows(
        "zeta",
        special.zeta,
        [
            ("a number", [Scalar(2.5), q(2, 3)]),
            ("an integer", [Scalar(3), q(4)]),
            ("float64", [Scalar(2), q(3, dtype=F64)]),
            ("float64, higher", [Scalar(7.5), q(3, dtype=F64)]),
            ("two", [s.tensor(2, 1, low=1.5, high=6.0, requires_grad=False), q(3)]),
            ("edges", [
                Tensor(F64, [6], [1.0, 0.5, 2.0, 2.0, 2.5, 2.0], requires_grad=False),
                Tensor(F64, [6], [1.0, 1.0, 0.0, -1.0, -0.5, -0.5], requires_grad=False),
            ]),
        ],
    )
    s = Samples("xlog1py")
    one = lambda *shape, **more: s.tensor(*shape, low=0.1, high=4.0, **more)
    yield from rows(
        "xlog1py",
        special.xlog1py,
        [
            ("two", [one(2, 3), one(2, 3)]),
            ("broadcast", [one(2, 1), one(3)]),
            ("float64", [one(2, 2, dtype=F64), one(2, 2, dtype=F64)]),
            ("number first", [Scalar(2.0), one(3)]),
            ("edges", [
                vector([0.0, 0.0, 0.0, 1.0, 2.0, NAN], requires_grad=False),
                vector([-1.0, INF, NAN, -1.0, -2.0, 1.0], requires_grad=False),
            ]),
        ],
    )


def polynomials():
    for op in [
        *[f"{shifted}chebyshev_polynomial_{kind}" for shifted in ("", "shifted_") for kind in "tuvw"],
        "hermite_polynomial_h",
        "hermite_polynomial_he",
        "laguerre_polynomial_l",
        "legendre_polynomial_p",
    ]:
        s = Samples(op)
        x = lambda *shape, **more: s.tensor(*shape, low=-1.5, high=1.5, requires_grad=False, **more)
        degrees = Tensor(I64, [7], [-1, 0, 1, 2, 3, 5, 9])
        yield from rows(
            op,
            getattr(special, op),
            [
                ("degrees", [x(3, 1), degrees]),
                ("degrees, float64", [x(3, 1, dtype=F64), degrees]),
                ("a number", [x(4), Scalar(4)]),
                ("a fraction", [x(4), Tensor("float32", [1], [2.7], requires_grad=False)]),
                ("ends", [Tensor(F64, [5, 1], [-1.0, 1.0, 0.0, 0.5, 2.0], requires_grad=False), degrees]),
                ("0-d", [x(), Scalar(3)]),
                ("empty", [x(0), Scalar(3)]),
            ],
        )


FAMILIES = {"special": [functions, with_numbers, of_two, polynomials]}
