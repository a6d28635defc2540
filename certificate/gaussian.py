"""Checks statements about Gaussian noise: δ, ε, σ and μ of the analytic Gaussian mechanism.

With μ = sensitivity/σ and Φ the standard normal distribution function,

    δ(ε, μ) = Φ(μ/2 - ε/μ) - e^ε Φ(-μ/2 - ε/μ).

Let a = ε/μ - μ/2, b = ε/μ + μ/2, φ the density and R(x) = Φ(-x)/φ(x) the Mills ratio.
As b² - a² = 2ε, e^ε φ(b) = φ(a). Hence δ = φ(a) (R(a) - R(b)), which needs neither e^ε
nor a difference of tails. δ increases in μ and decreases in ε, so a bound on an inverse
is checked by the value of δ at the bound.
"""

from fractions import Fraction
from functools import lru_cache
from math import isqrt

from real import Interval, Undecided, decide, exp, log
from written import Ends, decimal, keys, need, number, parameter

FAR = 11  # for |a| > 2^FAR, δ is within 2^-NEGLIGIBLE of 0 or 1
NEGLIGIBLE = 1 << 20
MAX_LENGTH = 1 << 13  # bits of the numerator and of the denominator of a number


# ---- The normal law


@lru_cache(maxsize=64)
def pi(bits):
    """Returns an enclosure of π = 16 arctan 1/5 - 4 arctan 1/239. Each term has an error below 3 units of 2^-places."""
    places, total, error = bits + 16, 0, 0
    for times, n in (16, 5), (-4, 239):
        power, j = (times << places) // n, 1
        while power not in (0, -1):
            total, error = total + (power // j if j % 4 == 1 else -(power // j)), error + 3
            power, j = power // (n * n), j + 2
    return Interval(total - error - 16, total + error + 16, -places, bits)


def sqrt(x):
    """Returns an enclosure of √x for an interval of numbers x ≥ 0."""
    if x.lo < 0:
        raise Undecided
    shift = max(0, 2 * x.bits + 2 - x.hi.bit_length())
    shift += (x.exp - shift) % 2
    return Interval(isqrt(x.lo << shift), isqrt(x.hi << shift) + 1, (x.exp - shift) // 2, x.bits)


def density(x, bits):
    """Returns an enclosure of φ(x) = e^(-x²/2)/√(2π)."""
    return exp(-(x * x).shifted(-1), bits) / sqrt(pi(bits).shifted(1))


def is_small(x, bits):
    """Reports whether R(x) is computed by its power series, else by its continued fraction."""
    return (x * x).magnitude() <= (bits // 4).bit_length() - 1


def mills(x, bits):
    """Returns an enclosure of the Mills ratio R(x) = Φ(-x)/φ(x)."""
    return mills_series(x, bits) if is_small(x, bits) else mills_fraction(x, bits)


def mills_series(x, bits):
    """Returns an enclosure of R(x) = √(π/2) e^(x²/2) - Σ x^(2k+1)/(1·3·5…(2k+1)).

    The remainder is at most the last term, since each later term is at most half of the one before.
    """
    square = x * x
    work = bits + 16 + 2 * max(0, square.fixed(0)[1])
    x, square = x.with_bits(work), square.with_bits(work)
    term = total = x
    k = 0
    while term.magnitude() > -work or 2 * k + 3 < 2 * square.fixed(0)[1]:
        k += 1
        term = (term * square).over(2 * k + 1)
        total = total + term
    total = total.widened(Interval(0, max(abs(term.lo), abs(term.hi)), term.exp, work))
    whole = sqrt(pi(work).shifted(-1)) * exp(square.shifted(-1), work)
    return (whole - total).with_bits(bits)


def mills_fraction(x, bits):
    """Returns an enclosure of R(x) = 1/(x + 1/(x + 2/(x + 3/(x + …)))) for x > 0.

    The n-th denominator x + n/(x + …) lies between x and x + n/x; from there the fraction is
    evaluated backward. n is chosen for about `bits` bits; the result is an enclosure for every n.
    """
    low = x.fixed(0)[0]
    if low <= 0:
        raise Undecided
    n = 8 + bits * bits // (8 * low * low)
    t = x + Interval(0, n, 0, bits) / x
    for k in range(n - 1, 0, -1):
        t = x + Interval(k, k, 0, bits) / t
    return Interval(1, 1, 0, bits) / t


# ---- The privacy profile. ε and μ are functions from a number of bits to an enclosure.


def of_number(q):
    return lambda bits: Interval.of(q, bits)


def of_parameter(eps):
    if eps.base is None:
        return of_number(eps.times)
    return lambda bits: log(Interval.of(eps.base, bits + 32), bits + 32) * Interval.of(eps.times, bits)


def curve(eps, mu, bits):
    """Returns an enclosure of δ(ε, μ) for ε ≥ 0 and μ > 0."""
    e, m = eps(64), mu(64)
    b = e / m + m.shifted(-1)
    work = bits + 32 + max(0, -m.magnitude()) + 2 * max(0, b.magnitude())
    e, m = eps(work), mu(work)
    a, b = e / m - m.shifted(-1), e / m + m.shifted(-1)
    least, most = a.fixed(0)
    if least > 1 << FAR:  # 0 ≤ δ ≤ Φ(-a)
        return Interval(0, 1, -NEGLIGIBLE, bits)
    if most < -1 << FAR:  # 0 ≤ 1 - δ ≤ 2Φ(a)
        return Interval.of(1, bits) + Interval(-1, 0, -NEGLIGIBLE, bits)
    if most > 1 << (FAR + 1) or least < -1 << (FAR + 1):
        raise Undecided
    if least >= 0 or is_small(a, work):
        return (density(a, work) * (mills(a, work) - mills(b, work))).with_bits(bits)
    return (Interval.of(1, work) - density(a, work) * (mills(-a, work) + mills(b, work))).with_bits(bits)


def against(eps, mu, value):
    """Returns the sign of δ(ε, μ) - value for a rational value."""
    if value <= 0 or value >= 1:  # 0 < δ < 1 where μ > 0
        return 1 if value <= 0 else -1
    return decide(lambda bits: curve(eps, mu, bits) - Interval.of(value, bits))


def check_delta(eps, least, most, lo, hi):
    """Raises Rejected unless lo ≤ δ(ε, μ) ≤ hi for all μ from `least` to `most`, functions as above or None for 0."""
    need(lo is not None, "delta is not infinite")
    need(lo <= 0 or (least and against(eps, least, lo) >= 0), "delta is below lo")
    need(hi is None or hi >= 0, "hi is below 0")
    need(hi is None or most is None or against(eps, most, hi) <= 0, "delta is above hi")


def check_epsilon(delta, least, most, lo, hi):
    """Raises Rejected unless, for all such μ, the least ε ≥ 0 with δ(ε, μ) ≤ delta lies between lo and hi."""
    if lo is None:
        need(delta == 0 and least, "epsilon is finite")
    elif lo > 0:
        need(least and against(of_number(lo), least, delta) >= 0, "epsilon is below lo")
    if hi is not None:
        need(hi >= 0, "hi is below 0")
        need(most is None or (delta > 0 and against(of_number(hi), most, delta) <= 0), "epsilon is above hi")


# ---- Statements


def positive(text, what):
    q = number(text, what)
    need(q > 0, f"{what} is not positive")
    need(max(q.numerator, q.denominator).bit_length() <= MAX_LENGTH, f"{what} takes more than {MAX_LENGTH} bits")
    return q


def unit(text, zero=False):
    """Returns a δ below 1. It must be positive, or may be 0 if `zero`."""
    q = number(text, "delta")
    need((0 <= q if zero else 0 < q) and q < 1, "delta is not between 0 and 1")
    return q


def ends_of(value):
    """Returns lo and hi, None if infinite, and the words for them."""
    ends = Ends(value, True)
    for end in ends.lo, ends.hi:
        need(end is None or end.base is None, "the number is no logarithm")
    lo, hi = (None if end is None else Fraction(end.times) for end in (ends.lo, ends.hi))
    need(lo is None or hi is None or lo <= hi, "lo is above hi")
    return lo, hi, ends.words


def noise(sigma, sensitivity):
    """Returns μ = sensitivity/sigma of Gaussian noise as a function of bits, and words."""
    s, d = positive(sigma, "sigma"), positive(sensitivity, "sensitivity")
    return of_number(d / s), f"Gaussian noise of standard deviation {decimal(s)} on a query of L2 sensitivity {decimal(d)}"


def gaussian_delta(statement, proof):
    _, eps, sigma, sensitivity, value = keys(statement, "the statement", "kind eps sigma sensitivity is")
    keys(proof, "the proof", "")
    eps, (mu, words) = parameter(eps, "eps", zero=True), noise(sigma, sensitivity)
    lo, hi, says = ends_of(value)
    check_delta(of_parameter(eps), mu, mu, lo, hi)
    return f"the least delta at epsilon {eps.words()} of {words} {says}"


def gaussian_epsilon(statement, proof):
    _, delta, sigma, sensitivity, value = keys(statement, "the statement", "kind delta sigma sensitivity is")
    keys(proof, "the proof", "")
    delta, (mu, words) = unit(delta, zero=True), noise(sigma, sensitivity)
    lo, hi, says = ends_of(value)
    check_epsilon(delta, mu, mu, lo, hi)
    return f"the least epsilon at delta {decimal(delta)} of {words} {says}"


def gaussian_sigma(statement, proof):
    _, eps, delta, sensitivity, value = keys(statement, "the statement", "kind eps delta sensitivity is")
    keys(proof, "the proof", "")
    eps, delta, sensitivity = parameter(eps, "eps", zero=True), unit(delta), positive(sensitivity, "sensitivity")
    lo, hi, says = ends_of(value)
    need(lo is not None, "sigma is finite")
    need(lo <= 0 or against(of_parameter(eps), of_number(sensitivity / lo), delta) >= 0, "sigma is below lo")
    need(hi is None or hi > 0, "hi is not positive")
    need(hi is None or against(of_parameter(eps), of_number(sensitivity / hi), delta) <= 0, "sigma is above hi")
    return (
        f"the least standard deviation of Gaussian noise that is private at epsilon {eps.words()} and delta {decimal(delta)}"
        f" on a query of L2 sensitivity {decimal(sensitivity)} {says}"
    )


def gaussian_mu(statement, proof):
    _, eps, delta, value = keys(statement, "the statement", "kind eps delta is")
    keys(proof, "the proof", "")
    eps, delta = parameter(eps, "eps", zero=True), unit(delta)
    lo, hi, says = ends_of(value)
    need(lo is not None, "mu is finite")
    need(lo <= 0 or against(of_parameter(eps), of_number(lo), delta) <= 0, "mu is below lo")
    need(hi is None or hi > 0, "hi is not positive")
    need(hi is None or against(of_parameter(eps), of_number(hi), delta) >= 0, "mu is above hi")
    return (
        f"the largest ratio of L2 sensitivity to standard deviation of Gaussian noise that is private at epsilon {eps.words()}"
        f" and delta {decimal(delta)} {says}"
    )


KINDS = {
    "gaussian delta": gaussian_delta,
    "gaussian epsilon": gaussian_epsilon,
    "gaussian sigma": gaussian_sigma,
    "gaussian mu": gaussian_mu,
}
