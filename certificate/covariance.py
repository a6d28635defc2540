"""Exact covariances: symmetric positive definite matrices of rational numbers.

The number of eigenvalues below a bound is read off a factorization. Let L be lower triangular with 1 on its
diagonal. Then L diag(d) Lᵀ has as many negative eigenvalues as d has negative entries (Sylvester's law of inertia).
So L and d need not be exact. They are computed for A + r I or A - r I, r small, in whole multiples of 2^-places. The
difference between L diag(d) Lᵀ and that matrix is computed without error. If its norm is at most r,

    A ⪯ L diag(d) Lᵀ   or   L diag(d) Lᵀ ⪯ A.

A is the matrix with row and column i divided by a power of two near the square root of diagonal entry i. This
congruence preserves the signs of eigenvalues; a diagonal that is subtracted from the matrix is divided alike.
"""

from fractions import Fraction
from functools import lru_cache
from operator import mul

from gaussian import MAX_LENGTH, positive
from real import PRECISIONS
from written import decimal, keys, listed, need, numbers, whole, whole_multiples

MAX_ORDER = 1 << 20
MAX_FULL = 256  # largest order of a covariance that is not diagonal
PLACES = PRECISIONS[1:]


class Covariance:
    """`diagonal` has the variances; if it is None, `rows` has the entries as whole numbers over `scale`."""

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
        """Returns a positive lower bound on the least eigenvalue. It proves that the matrix is positive definite."""
        if self.rows is None:
            return variance
        for places in PLACES:
            guess = variance / (1 << places // 4)
            if self._negative([guess] * self.order, -1, places) == 0:
                return guess
        need(False, f"{self.what} is not positive definite, or hardly")

    def at_most(self, shifts, count):
        """Reports whether the matrix minus diag(shifts) is proved to have at most `count` negative eigenvalues."""
        return any((found := self._negative(shifts, -1, places)) is not None and found <= count for places in PLACES)

    def at_least(self, shifts, count):
        """Reports whether the matrix minus diag(shifts) is proved to have at least `count` negative eigenvalues."""
        return any((found := self._negative(shifts, 1, places)) is not None and found >= count for places in PLACES)

    def _negative(self, shifts, side, places):
        """Counts negative eigenvalues of a matrix ⪰ (side 1) or ⪯ (-1) this minus diag(shifts); None if unproved."""
        r = 1 << (places - places // 2)
        a = self._scaled(shifts, places)
        for i, row in enumerate(a):
            row[i] += side * r
        lower, d = factors(a, places)
        if difference(a, lower, d, places) + self.order > r:  # self.order bounds the rounding errors of a
            return None
        return sum(v < 0 for v in d)

    def _scaled(self, shifts, places):
        """Returns the lower triangle of A, minus the shifts if given, in multiples of 2^-places, rounded down."""
        result = []
        for i, row in enumerate(self.rows):
            up = places - self.halves[i]
            result.append([shifted(v, up - half) // self.scale for v, half in zip(row[: i + 1], self.halves)])
            if shifts:
                exact = (Fraction(row[i], self.scale) - shifts[i]) * Fraction(2) ** (places - 2 * self.halves[i])
                result[i][i] = exact.numerator // exact.denominator
        return result

    def largest(self, proof, count):
        """Returns bounds on the `count` largest eigenvalues of the inverse, descending, as pairs of Fractions."""
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
        """Returns the matrix times columns of whole numbers, times `scale`."""
        if self.rows is None:
            return [list(map(mul, self.whole, column)) for column in columns]
        return [[sum(map(mul, row, column)) for row in self.rows] for column in columns]

    def solved(self, columns, bits):
        """Returns approximate columns of the inverse times these columns, in multiples of 2^-u, and u ≥ 0."""
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
        """Returns columns near those of the inverse in multiples of 2^-u, u, and an error bound in the spectral norm.

        For this matrix M and the columns X, M⁻¹ - X = M⁻¹ (I - M X). The bound is the Frobenius norm of I - M X over the
        least eigenvalue.
        """
        columns = [[int(i == j) for i in range(self.order)] for j in range(self.order)]
        x, u = self.solved(columns, bits)
        one = self.scale << u
        rest = sum((one * e - v) ** 2 for column, product in zip(columns, self.times(x)) for e, v in zip(column, product))
        return x, u, root_above(Fraction(rest, one**2)) / self.least


def common(values, what):
    """Returns rational numbers as whole numbers and their common denominator. Neither may be long."""
    result, scale = whole_multiples(values, what)
    longest = max(scale, max(result), -min(result))
    need(longest.bit_length() <= MAX_LENGTH, f"the entries of {what} take more than {MAX_LENGTH} bits over a common denominator")
    return result, scale


def shifted(n, places):
    """Returns n·2^places, rounded down."""
    return n << places if places >= 0 else n >> -places


def factors(a, places):
    """Returns L below its diagonal, and d, of an approximate factorization L diag(d) Lᵀ of a symmetric matrix.

    The matrix is given by its lower triangle. All entries are whole multiples of 2^-places.
    """
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
    """Bounds the norm of L diag(d) Lᵀ minus a matrix, in multiples of 2^-places, by the largest absolute row sum."""
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
    """Returns a power of two above √q and below 3√q, or 0 if q = 0."""
    return Fraction(2) ** ((q.numerator.bit_length() - q.denominator.bit_length() + 2) // 2) if q else Fraction(0)
