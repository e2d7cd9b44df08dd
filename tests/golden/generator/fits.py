"""Writes crates/tensor/src/numeric/special/tables.rs: Chebyshev series of special functions, and the coefficients of
Temme's expansion of the incomplete gamma function. Every number is computed here with mpmath, to fifty digits.

    python -m tests.golden.generator.fits   # from the root of the repository
"""

from pathlib import Path

from mpmath import mp, mpf

mp.dps = 50
OUT = Path(__file__).parents[3] / "crates/tensor/src/numeric/special/tables.rs"
ENOUGH = mpf(2) ** -58


def series(f, low=-1, high=1):
    """Chebyshev coefficients of f on [low, high], the first halved, without those that change no float64."""
    n = 96
    nodes = [mp.cos(mp.pi * (k + mpf(1) / 2) / n) for k in range(n)]
    values = [f((high - low) / mpf(2) * t + (high + low) / mpf(2)) for t in nodes]
    out = []
    for j in range(n):
        terms = [values[k] * mp.cos(mp.pi * j * (k + mpf(1) / 2) / n) for k in range(n)]
        out.append(mp.fsum(terms) * 2 / n)
    out[0] /= 2
    largest = max(map(abs, out))
    last = max(j for j, c in enumerate(out) if abs(c) > largest * ENOUGH)
    assert last < n - 16, "does not converge"
    return out[: last + 1]


def inverse(f, least):
    """f of x from `least` to infinity, by t = 2 least / x - 1."""
    return series(lambda t: f(2 * least / (t + 1)) if t > -1 else f(mp.inf))


ROOT = mp.findroot(mp.digamma, mpf("1.4616"))


def airy_wave(which):
    """What multiplies the waves of Ai(-z), as a function of 1 / zeta**2; z from 5 on."""
    least = mpf(2) / 3 * mpf(5) ** mpf("1.5")

    def f(s):
        zeta = least / mp.sqrt(s)
        z = (zeta * 3 / 2) ** (mpf(2) / 3)
        angle, scale = zeta + mp.pi / 4, mp.sqrt(mp.pi) * z ** mpf("0.25")
        a, b = mp.airyai(-z) * scale, mp.airybi(-z) * scale
        if which == 0:
            return a * mp.sin(angle) + b * mp.cos(angle)
        return (b * mp.sin(angle) - a * mp.cos(angle)) * zeta

    return series(f, mpf(0), mpf(1))


def temme(orders, terms):
    """Coefficients d[k][n] of c_k(eta) = sum d[k][n] eta**n (DLMF 8.12.12 and on)."""
    total = terms + 2 * orders + 4
    # mu = sum alpha[n] eta**n with eta (1 + mu) = mu mu'.
    alpha = [mpf(0), mpf(1)]
    for n in range(2, total + 2):
        known = mp.fsum(alpha[i] * alpha[n - i + 1] * (n - i + 1) for i in range(2, n))
        # eta**n: alpha[n - 1] = sum_i alpha[i] (n + 1 - i) alpha[n + 1 - i], i = 1 … n.
        alpha.append((alpha[n - 1] - known) / (n + 1))
    gamma = stirling(orders)
    first = [-mpf(1) / 3] + [(n + 2) * alpha[n + 2] for n in range(1, total - 1)]
    rows = [first]
    for k in range(1, orders):
        before = rows[-1]
        rows.append(
            [(-1) ** k * gamma[k] * first[n] + (n + 2) * before[n + 2] for n in range(len(before) - 2)]
        )
    return [row[:terms] for row in rows]


def stirling(n):
    """Coefficients of gamma(z) / (sqrt(2 pi / z) (z / e)**z) in 1 / z."""
    log = [mpf(0)] * (n + 1)
    for k in range(1, n // 2 + 2):
        if 2 * k - 1 <= n:
            log[2 * k - 1] = mp.bernoulli(2 * k) / (2 * k * (2 * k - 1))
    out = [mpf(1)]
    for m in range(1, n + 1):
        out.append(mp.fsum(j * log[j] * out[m - j] for j in range(1, m + 1)) / m)
    return out


def f64(x):
    return repr(float(x))


def rust(name, doc, numbers):
    lines = "".join(f"    {f64(x)},\n" for x in numbers)
    return f"\n/// {doc}\npub(super) const {name}: [f64; {len(numbers)}] = [\n{lines}];\n"


def tables():
    yield "DIGAMMA", "ψ(x) / (x − its root), x from 1 to 2.", series(
        lambda x: mp.digamma(x) / (x - ROOT), mpf(1), mpf(2)
    )
    yield "LGAMMA1P", "ln Γ(1 + x) / x, x from 0 to 1.", series(
        lambda x: mp.loggamma(1 + x) / x, mpf(0), mpf(1)
    )
    yield "ERFCX", "(1 + 2x) erfcx(x), of (x − 3.75) / (x + 3.75), x from 0 on.", series(
        lambda t: (lambda x: (1 + 2 * x) * (mp.exp(x * x) * mp.erfc(x) if x < 1e6 else 1 / (x * mp.sqrt(mp.pi))))(
            mpf("3.75") * (1 + t) / (1 - t)
        )
    )
    scaled = lambda f, sign: lambda x: f(x) * mp.exp(sign * x) * mp.sqrt(x)
    for order in (0, 1):
        i = scaled(lambda x: mp.besseli(order, x), -1)
        k = scaled(lambda x: mp.besselk(order, x), 1)
        yield f"I{order}_LARGE", f"√x e⁻ˣ I{order}(x), of 16/x − 1, x from 8 on.", inverse(i, mpf(8))
        yield f"K{order}_MIDDLE", f"√x eˣ K{order}(x), x from 1 to 2.", series(k, mpf(1), mpf(2))
        yield f"K{order}_LARGE", f"√x eˣ K{order}(x), of 4/x − 1, x from 2 on.", inverse(k, mpf(2))
    yield "AIRY_LEFT", "Ai(x), x from −5 to 0.", series(mp.airyai, mpf(-5), mpf(0))
    yield "AIRY_RIGHT", "Ai(x) exp(1.2 x), x from 0 to 2.", series(
        lambda x: mp.airyai(x) * mp.exp(mpf("1.2") * x), mpf(0), mpf(2)
    )
    zeta = lambda x: mpf(2) / 3 * x ** mpf("1.5")
    least = zeta(mpf(2))
    decay = lambda s: (lambda x: mp.airyai(x) * 2 * mp.sqrt(mp.pi) * x ** mpf("0.25") * mp.exp(zeta(x)))(
        (least / s * 3 / 2) ** (mpf(2) / 3)
    )
    yield "AIRY_DECAY", "2 √π x^¼ e^ζ Ai(x), of ζ(2) / ζ from 0 to 1, ζ = ⅔ x^1.5.", series(decay, mpf(0), mpf(1))
    for which, name in enumerate(("AIRY_SINE", "AIRY_COSINE")):
        yield name, f"What multiplies the {name[5:].lower()} in Ai(−z), of (ζ(5) / ζ)² from 0 to 1.", airy_wave(which)


def main():
    text = "//! Coefficients, written by tests/golden/generator/fits.py: not by hand.\n//!\n"
    text += "//! Long because: it is tables, and a program writes them.\n"
    text += "#![allow(clippy::excessive_precision, clippy::approx_constant, reason = \"written by a program\")]\n"
    text += "\n/// Where ψ is 0, and what of it does not fit a float64.\n"
    text += f"pub(super) const ROOT: (f64, f64) = ({f64(ROOT)}, {f64(ROOT - mpf(float(ROOT)))});\n"
    for name, doc, numbers in tables():
        print(name, len(numbers))
        text += rust(name, doc, numbers)
    rows = temme(12, 18)
    body = "".join("    [\n" + "".join(f"        {f64(x)},\n" for x in row) + "    ],\n" for row in rows)
    text += "\n/// c_k(η) of Temme's expansion, a row for each k.\n"
    text += f"pub(super) const TEMME: [[f64; 18]; 12] = [\n{body}];\n"
    numbers = [mp.bernoulli(2 * k) / mp.factorial(2 * k) for k in range(1, 13)]
    text += rust("BERNOULLI", "B₂ₖ / (2k)!, from k = 1.", numbers)
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(text)


if __name__ == "__main__":
    main()
