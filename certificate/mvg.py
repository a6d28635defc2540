"""Checks statements about matrix-variate Gaussian noise: its largest whitened difference μ, δ and ε.

Noise with row covariance Σ and column covariance Ψ is as private as Gaussian noise
(gaussian.py) with

    μ² = max tr(Σ⁻¹ D Ψ⁻¹ Dᵀ) over the differences D.

μ² has a lower and an upper bound. Each is a Fraction, or a function from a number of
bits to an Interval. Matrices (covariance.py) are exact: whole numbers times one rational
number.
"""

from fractions import Fraction
from functools import lru_cache
from operator import mul

from covariance import Covariance, common
from gaussian import check_delta, check_epsilon, ends_of, of_parameter, positive, sqrt, unit
from real import Interval, decide
from written import decimal, keys, listed, need, number, numbers, parameter

MAX_WORK = 20_000_000  # multiplications that whitening a list may take
MAX_VERTEX = 21  # rows up to which the vertices of a box are searched


# ---- Sets of differences. Each function returns both bounds of μ², and words.


def ball(radius, sigma, psi, proof):
    rows, columns = keys(proof, "the proof", "", "sigma psi")
    s = positive(radius, "the radius")
    (p,), (q,) = sigma.largest(rows, 1), psi.largest(columns, 1)
    return s**2 * p[0] * q[0], s**2 * p[1] * q[1], f"differences of norm at most {decimal(s)}"


def gram(value, sigma, psi, proof):
    """Bounds μ² over the differences s x xᵀ or s(x xᵀ - y yᵀ), s = scale and ‖x‖, ‖y‖ ≤ row_norm.

    docs/certificates.md derives the maximum.
    """
    norm, scale, neighbors = keys(value, "gram", "row_norm scale neighbors")
    k = positive(scale, "scale") * positive(norm, "row_norm") ** 2
    need(neighbors in ("unbounded", "bounded"), "neighbors are neither bounded nor unbounded")
    need(sigma.order == psi.order, "a Gram matrix is square")
    rank = 2 if neighbors == "bounded" and sigma.order > 1 else 1
    aligned = sigma.isotropic() or psi.isotropic() or sigma.same(psi) or (rank == 2 and sigma.order == 2)
    need(aligned, "the covariances of the Gram matrix differ, and neither is a multiple of I")
    rows, columns = keys(proof, "the proof", "", "sigma psi")
    both = list(zip(sigma.largest(rows, rank), psi.largest(columns, rank)))
    low, high = (k**2 * sum(p[end] * q[end] for p, q in both) for end in (0, 1))
    return low, high, f"differences of a Gram matrix, {neighbors} neighbors"


def differences(values, sigma, psi, proof):
    keys(proof, "the proof", "")
    m, n = sigma.order, psi.order
    work = len(listed(values, "the list")) * m * n * ((n if psi.rows else 1) + (m if sigma.rows else 1))
    need(0 < work <= MAX_WORK, f"to whiten the list takes more than {MAX_WORK} products, or it is empty")
    matrices = [Matrix([numbers(row, "a row of a difference", n) for row in listed(d, "a difference", m)]) for d in values]
    square = lru_cache(maxsize=None)(lambda bits: largest([d.whitened(sigma, psi, bits) for d in matrices], bits))
    if not sigma.rows and not psi.rows:
        square = max(d.divided(sigma.diagonal, psi.diagonal) for d in matrices)
    return square, square, f"a list of {len(matrices)} differences"


def box(values, sigma, psi, proof):
    """Bounds μ² over the differences v e_jᵀ with |v_i| ≤ 2h_i: max vᵀΣ⁻¹v (at a vertex) times max_j (Ψ⁻¹)_jj."""
    signs, dominating = keys(proof, "the proof", "", "signs diagonal")
    h = [2 * positive(v, "a half-width") for v in listed(values, "the box", sigma.order)]
    if sigma.rows is None:
        low = high = sum(v * v / s for v, s in zip(h, sigma.diagonal))
    elif signs is None and dominating is None:
        need(sigma.order <= MAX_VERTEX, f"the box has more than {MAX_VERTEX} rows")
        low = high = lru_cache(maxsize=None)(lambda bits: largest_vertex(sigma, h, bits))
    else:
        low, high = dominated(sigma, h, signs, dominating)
    column = psi.largest(None, 1)[0][0] if psi.rows is None else lru_cache(maxsize=None)(lambda bits: largest_entry(psi, bits))
    return product(low, column), product(high, column), f"a record that moves in a box of {len(h)} half-widths"


SETS = {"ball": ball, "gram": gram, "list": differences, "box": box}


def enclosed(bound, bits):
    return Interval.of(bound, bits) if isinstance(bound, Fraction) else bound(bits)


def product(a, b):
    """Returns the product of two bounds."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a * b
    return lambda bits: enclosed(a, bits) * enclosed(b, bits)


def between(low, high, bits):
    """Returns an interval that contains all numbers from low to high."""
    return Interval.of(low, bits) + Interval(0, 1, 0, bits) * Interval.of(high - low, bits)


def largest(pairs, bits):
    """Returns an enclosure of the largest of some numbers, given a lower and an upper bound of each."""
    return between(max(low for low, _ in pairs), max(high for _, high in pairs), bits)


# ---- Quadratic forms


class Matrix:
    """A difference D, as columns of whole numbers over a scale."""

    def __init__(self, rows):
        flat, self.scale = common([v for row in rows for v in row], "a difference")
        width = len(rows[0])
        self.columns = [flat[j::width] for j in range(width)]

    def divided(self, sigma, psi):
        """Returns tr(Σ⁻¹ D Ψ⁻¹ Dᵀ), exactly, for diagonal Σ and Ψ."""
        return sum(Fraction(v * v) / (s * p) for column, p in zip(self.columns, psi) for v, s in zip(column, sigma)) / self.scale**2

    def whitened(self, sigma, psi, bits):
        """Returns a lower and an upper bound of tr(Σ⁻¹ D Ψ⁻¹ Dᵀ).

        With W ≈ Σ⁻¹ D Ψ⁻¹ and R = D - Σ W Ψ the trace is 2⟨D, W⟩ - ⟨W, Σ W Ψ⟩ + tr(Σ⁻¹ R Ψ⁻¹ Rᵀ). The last
        term is at least 0, and at most ‖R‖² over the product of the least eigenvalues of Σ and Ψ.
        """
        half, u = sigma.solved(self.columns, bits)
        w, v = psi.solved(transposed(half), bits)
        back = psi.times(transposed(sigma.times(transposed(w))))  # Σ W Ψ by rows, in units of 1/(2^(u + v) scales)
        units, scales = u + v, sigma.scale * psi.scale
        d = transposed(self.columns)
        rest = sum(((x << units) * scales - y) ** 2 for row, other in zip(d, back) for x, y in zip(row, other))
        form = (2 * inner(d, w) * scales << units) - inner(w, back)
        low = Fraction(form, (scales << 2 * units) * self.scale**2)
        return low, low + Fraction(rest, ((scales << units) * self.scale) ** 2) / (sigma.least * psi.least)


def transposed(rows):
    return [list(column) for column in zip(*rows)]


def inner(a, b):
    return sum(sum(map(mul, row, other)) for row, other in zip(a, b))


def largest_entry(psi, bits):
    """Returns an enclosure of the largest diagonal entry of Ψ⁻¹."""
    inverse, u, error = psi.inverse(bits)
    best = Fraction(max(column[j] for j, column in enumerate(inverse)), 1 << u)
    return between(best - error, best + error, bits)


def largest_vertex(sigma, h, bits):
    """Returns an enclosure of the largest vᵀΣ⁻¹v over v = ±h, by branch and bound.

    Signs are fixed one after another. The form is then `value`, plus twice the product of the
    free signs with `pull`, plus the form of the free signs alone, which is at most `rest`.
    """
    inverse, u, error = sigma.inverse(bits)
    whole, scale = common(h, "the box")
    order = sorted(range(len(h)), key=lambda i: -inverse[i][i] * whole[i] ** 2)
    form = [[(inverse[i][j] + inverse[j][i]) * whole[i] * whole[j] for j in order] for i in order]
    rest = [sum(abs(v) for row in form[k:] for v in row[k:]) for k in range(len(h) + 1)]
    best = None

    def walk(k, value, pull):
        nonlocal best
        if k == len(h):
            best = value if best is None else max(best, value)
        elif best is None or value + 2 * sum(map(abs, pull)) + rest[k] > best:
            own, first, row = form[k][k], pull[0], form[k][k + 1 :]
            plus = value + own + 2 * first, [p + v for p, v in zip(pull[1:], row)]
            minus = value + own - 2 * first, [p - v for p, v in zip(pull[1:], row)]
            for value, pull in (plus, minus) if first >= 0 else (minus, plus):
                walk(k + 1, value, pull)

    walk(1, form[0][0], form[0][1:])
    found = Fraction(best, (2 * scale**2) << u)
    error *= sum(v * v for v in h)
    return between(found - error, found + error, bits)


def dominated(sigma, h, signs, diagonal):
    """Returns bounds of the largest vᵀΣ⁻¹v: a vertex's value, and Σ D_i for D ⪰ HΣ⁻¹H. That is Σ - H D⁻¹ H ⪰ 0."""
    need(signs is not None and diagonal is not None, "the proof lacks signs or the diagonal")
    d = [positive(v, "an entry of the diagonal") for v in listed(diagonal, "diagonal", sigma.order)]
    for s in listed(signs, "signs", sigma.order):
        need(type(s) is int and s in (-1, 1), "a sign is neither 1 nor -1")
    need(sigma.at_most([v * v / w for v, w in zip(h, d)], 0), "the diagonal does not dominate")
    one, vertex = Covariance({"diagonal": ["1"]}, "one"), Matrix([[s * v] for s, v in zip(signs, h)])
    return lru_cache(maxsize=None)(lambda bits: between(*vertex.whitened(sigma, one, bits), bits)), sum(d)


# ---- Statements


def whitening(statement, proof, others):
    """Returns the values of the other keys, the bounds of μ², and words."""
    _, differences, sigma, psi, *values = keys(statement, "the statement", "kind differences sigma psi " + others)
    sigma, psi = Covariance(sigma, "sigma"), Covariance(psi, "psi")
    need(type(differences) is dict and len(differences) == 1, "differences are not an object of one key")
    ((name, value),) = differences.items()
    need(name in SETS, "differences are neither a ball, a box, a list nor those of a Gram matrix")
    low, high, words = SETS[name](value, sigma, psi, proof)
    return values, low, high, f"matrix-variate Gaussian noise on a {sigma.order}x{psi.order} query with {words}"


def root(bound):
    """Returns the root of a bound of μ², as a function of bits, or None for 0."""
    if isinstance(bound, Fraction) and bound == 0:
        return None
    return lambda bits: sqrt(enclosed(bound, bits))


def against(bound, q):
    """Returns the sign of a bound of μ² minus q."""
    if isinstance(bound, Fraction):
        return (bound > q) - (bound < q)
    return decide(lambda bits: bound(bits) - Interval.of(q, bits))


def mvg_sensitivity(statement, proof):
    (value,), low, high, noise = whitening(statement, proof, "is")
    lo, hi, says = ends_of(value)
    need(lo is not None, "the number is finite")
    need(lo <= 0 or against(low, lo * lo) >= 0, "it is below lo")
    need(hi is None or (hi >= 0 and against(high, hi * hi) <= 0), "it is above hi")
    return f"the largest whitened difference of {noise} {says}"


def mvg_delta(statement, proof):
    (eps, value), low, high, noise = whitening(statement, proof, "eps is")
    eps = parameter(eps, "eps", zero=True)
    lo, hi, says = ends_of(value)
    check_delta(of_parameter(eps), root(low), root(high), lo, hi)
    return f"the least delta at epsilon {eps.words()} of {noise} {says}"


def mvg_epsilon(statement, proof):
    (delta, value), low, high, noise = whitening(statement, proof, "delta is")
    delta = unit(delta, zero=True)
    lo, hi, says = ends_of(value)
    check_epsilon(delta, root(low), root(high), lo, hi)
    return f"the least epsilon at delta {decimal(delta)} of {noise} {says}"


KINDS = {
    "mvg sensitivity": mvg_sensitivity,
    "mvg delta": mvg_delta,
    "mvg epsilon": mvg_epsilon,
}
