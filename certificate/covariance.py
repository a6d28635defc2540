"""Covariances of certificates, exactly: symmetric positive definite matrices of rational numbers.

How many eigenvalues lie below a number is read off a factorization. For any L, lower triangular
with 1 on its diagonal, and d, the matrix L diag(d) Lᵀ has as many negative eigenvalues as d has negative
entries (Sylvester). So L and d need not be exact: they are computed for A + r I or A - r I, r small, in whole
multiples of 2^-places, and what L diag(d) Lᵀ differs from that by is computed without error. Where it has norm at most r,

    A ⪯ L diag(d) Lᵀ   or   L diag(d) Lᵀ ⪯ A.

A is the matrix with row and column i divided by a power of two near the root of its
diagonal entry, which leaves the signs of eigenvalues (of A - λ, with λ divided too) as they are.
"""

from fractions import Fraction
from functools import lru_cache
from operator import mul

from gaussian import MAX_LENGTH, positive
from real import PRECISIONS
from written import decimal, keys, listed, need, numbers, whole, whole_multiples

MAX_ORDER = 1 << 20
MAX_FULL = 256  # the order of a covariance that is not diagonal
PLACES = PRECISIONS[1:]


class Covariance:
    """`diagonal` has its variances, or is None; then `rows` has its entries as whole numbers over `scale`."""

    def __init__(self, value, what):
        need(type(value) is dict, f"{what} is not an object")
        self.what, self.diagonal, self.rows = what, None, None
        if "matrix" in value:
            (rows,) = keys(value, what, "matrix")
            self.order = len(listed(rows, what))
            need(0 < self.order <= MAX_FULL, f"{what} is not of an order from 1 to {MAX_FULL}")
            flat = [v for i, row in enumerate(rows) for v in numbers(row, f"{what} {i}", self.order)]
            flat, self.scale = common(flat, what)
            self.rows = [flat[i : i + self.order] for i in range(0, len(flat), self.order)]
            need(all(self.rows[i][j] == self.rows[j][i] for i in range(self.order) for j in range(i)), f"{what} is not symmetric")
            own = [Fraction(self.rows[i][i], self.scale) for i in range(self.order)]
            need(min(own) > 0, f"{what} is not positive definite")
        elif "order" in value:
            order, variance = keys(value, what, "order variance")
            own = self.diagonal = [positive(variance, f"the variance of {what}")] * whole(order, f"the order of {what}", MAX_ORDER + 1, 1)
        else:
            (entries,) = keys(value, what, "diagonal")
            own = self.diagonal = [positive(v, f"a variance of {what}") for v in listed(entries, what)]
            need(0 < len(own) <= MAX_ORDER, f"{what} is not of an order from 1 to {MAX_ORDER}")
        self.order = len(own)
        if self.rows is None:
            self.whole, self.scale = common(own, what)
        self.halves = [(v.numerator.bit_length() - v.denominator.bit_length() + 2) // 2 for v in own]  # own < 4^half
        self.least = self._least(min(own))

    def isotropic(self):
        return self.diagonal is not None and min(self.diagonal) == max(self.diagonal)

    def same(self, other):
        return self.diagonal == other.diagonal and self.rows == other.rows and self.scale == other.scale

    # ---- Eigenvalues

    def _least(self, variance):
        """A number below the least eigenvalue, or equal to it; and so the matrix is positive definite."""
        if self.rows is None:
            return variance
        for places in PLACES:
            guess = variance / (1 << places // 4)
            if self._negative([guess] * self.order, -1, places) == 0:
                return guess
        need(False, f"{self.what} is not positive definite, or hardly")

    def at_most(self, shifts, count):
        """Whether the matrix less a diagonal is known to have at most so many eigenvalues below 0."""
        return any((found := self._negative(shifts, -1, places)) is not None and found <= count for places in PLACES)

    def at_least(self, shifts, count):
        """Whether it is known to have at least so many."""
        return any((found := self._negative(shifts, 1, places)) is not None and found >= count for places in PLACES)

    def _negative(self, shifts, side, places):
        """The negative eigenvalues of a matrix above (side 1) or below (-1) this less a diagonal; None where r is too small."""
        r = 1 << (places - places // 2)
        a = self._scaled(shifts, places)
        for i, row in enumerate(a):
            row[i] += side * r
        lower, d = factors(a, places)
        if difference(a, lower, d, places) + self.order > r:  # order, for rounding a itself
            return None
        return sum(v < 0 for v in d)

    def _scaled(self, shifts, places):
        """The lower half of A in multiples of 2^-places, rounded down."""
        result = []
        for i, row in enumerate(self.rows):
            up = places - self.halves[i]
            result.append([shifted(v, up - half) // self.scale for v, half in zip(row[: i + 1], self.halves)])
            if shifts:
                exact = (Fraction(row[i], self.scale) - shifts[i]) * Fraction(2) ** (places - 2 * self.halves[i])
                result[i][i] = exact.numerator // exact.denominator
        return result

    def largest(self, proof, count):
        """Bounds on the `count` largest eigenvalues of the inverse, falling: pairs of Fractions."""
        if self.rows is None:
            need(proof is None, f"there is a proof for {self.what}, which is diagonal")
            return [(1 / v, 1 / v) for v in sorted(self.diagonal)[:count]]
        need(proof is not None, f"there is no proof for {self.what}")
        pairs = [numbers(pair, f"a bound for {self.what}", 2, 0) for pair in listed(proof, "bounds", count)]
        for k, (low, high) in enumerate(pairs):
            above = high > 0 and self.at_most([1 / high] * self.order, k)
            need(above, f"eigenvalue {k} of the inverse of {self.what} is not at most {decimal(high)}")
            below = low == 0 or self.at_least([1 / low] * self.order, k + 1)
            need(below, f"eigenvalue {k} of the inverse of {self.what} is not at least {decimal(low)}")
        return pairs

    # ---- Products

    def times(self, columns):
        """The matrix times columns of whole numbers, times `scale`."""
        if self.rows is None:
            return [list(map(mul, self.whole, column)) for column in columns]
        return [[sum(map(mul, row, column)) for row in self.rows] for column in columns]

    def solved(self, columns, bits):
        """Columns near those that the matrix takes to these, in multiples of 2^-u, and u ≥ 0."""
        places = bits + 64
        top = max(max(self.halves), -places // 2 + 1)
        u = places + 2 * top
        if self.rows is None:
            return [[((v * self.scale) << u) // w for v, w in zip(column, self.whole)] for column in columns], u
        lower, upper, d = self._factors(places)
        result = []
        for column in columns:
            y = []
            for i, v in enumerate(column):
                y.append((v << (places + top - self.halves[i])) - (sum(map(mul, lower[i], y)) >> places))
            y = [(v << places) // w for v, w in zip(y, d)]
            for i in range(self.order - 1, -1, -1):
                y[i] -= sum(map(mul, upper[i], y[i + 1 :])) >> places
            result.append([v << (top - half) for v, half in zip(y, self.halves)])
        return result, u

    @lru_cache(maxsize=None)
    def _factors(self, places):
        lower, d = factors(self._scaled(None, places), places)
        return lower, [[lower[k][i] for k in range(i + 1, self.order)] for i in range(self.order)], d

    @lru_cache(maxsize=None)
    def inverse(self, bits):
        """Columns near those of the inverse in multiples of 2^-u, u, and how far off they are at most in the spectral norm.

        For X near A⁻¹, A⁻¹ - X = A⁻¹ (I - A X).
        """
        columns = [[int(i == j) for i in range(self.order)] for j in range(self.order)]
        x, u = self.solved(columns, bits)
        one = self.scale << u
        rest = sum((one * e - v) ** 2 for column, product in zip(columns, self.times(x)) for e, v in zip(column, product))
        return x, u, root_above(Fraction(rest, one**2)) / self.least


def common(values, what):
    """Whole numbers and the scale they are to be divided by, neither of them long."""
    result, scale = whole_multiples(values, what)
    longest = max(scale, max(result), -min(result))
    need(longest.bit_length() <= MAX_LENGTH, f"the entries of {what} take more than {MAX_LENGTH} bits over a common denominator")
    return result, scale


def shifted(n, places):
    """n·2^places, rounded down."""
    return n << places if places >= 0 else n >> -places


def factors(a, places):
    """L below its diagonal, and d, near those of the lower half of a symmetric matrix, in multiples of 2^-places."""
    lower, d = [], []
    for i, row in enumerate(a):
        scaled = []  # L[i][j] d[j]
        for j in range(i):
            scaled.append(row[j] - (sum(map(mul, scaled, lower[j])) >> places))
        line = [(v << places) // w for v, w in zip(scaled, d)]
        lower.append(line)
        d.append(row[i] - (sum(map(mul, scaled, line)) >> places) or 1)
    return lower, d


def difference(a, lower, d, places):
    """A bound on the norm of L diag(d) Lᵀ less a matrix, in multiples of 2^-places: the largest sum of a row."""
    sums = [0] * len(a)
    for i, (row, line) in enumerate(zip(a, lower)):
        scaled = list(map(mul, line, d))
        for j in range(i):
            rest = abs((row[j] << 2 * places) - sum(map(mul, scaled, lower[j])) - (scaled[j] << places))
            sums[i] += rest
            sums[j] += rest
        sums[i] += abs((row[i] << 2 * places) - sum(map(mul, scaled, line)) - (d[i] << 2 * places))
    return (max(sums) >> 2 * places) + 1


def root_above(q):
    """A number above the root of a rational one, by a factor of at most 4 or so."""
    return Fraction(2) ** ((q.numerator.bit_length() - q.denominator.bit_length() + 2) // 2) if q else Fraction(0)
