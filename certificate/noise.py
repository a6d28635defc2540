"""Noise on bits in the lines of refutations: Pr[b] ∝ exp(bᵀΠb), where b lists an n × p matrix of 0 and 1 row by row."""

from functools import cached_property
from itertools import product

from written import need

MAX_STATES = 1 << 12
MAX_SIZE = 1 << 8  # bits of noise


class Bernoulli:
    """The law whose Π has the n diagonal blocks Θ, and Λ_ij in the blocks (i, j) and (j, i), i < j, 0 if missing."""

    def __init__(self, theta, lam, n, arithmetic):
        self.theta, self.lam, self.n, self.p = theta, lam, n, len(theta)
        self.size, self.do = n * self.p, arithmetic
        need(self.p > 0 and type(n) is int and 0 < self.size <= MAX_SIZE, f"not from 1 to {MAX_SIZE} bits")
        need(all(type(at) is tuple and len(at) == 2 and all(type(i) is int for i in at) and 0 <= at[0] < at[1] < n for at in lam), "a block of Λ that is at no i < j")
        blocks = [theta, *lam.values()]
        need(all(len(b) == self.p and all(len(row) == self.p for row in b) for b in blocks), "a block of another shape than Θ")
        need(all(self.do.same(b[i][j], b[j][i]) for b in blocks for i in range(self.p) for j in range(i)), "a block that is not symmetric")

    @cached_property
    def pi(self):
        zero = [[0] * self.p for _ in range(self.p)]

        def block(i, j):
            return self.theta if i == j else self.lam.get((min(i, j), max(i, j)), zero)

        return [[x for j in range(self.n) for x in block(i, j)[k]] for i in range(self.n) for k in range(self.p)]

    def exponent(self, matrix):
        bits = [bit for row in matrix for bit in row]
        need(len(bits) == self.size and all(b in (0, 1) for b in bits), "a matrix of bits of another shape")
        ones = [k for k, bit in enumerate(bits) if bit]
        pi = self.pi
        return self.do.total([pi[k][j] for k in ones for j in ones])

    def scaled(self, factor):
        def times(block):
            return [[self.do.multiply(factor, x) for x in row] for row in block]

        return Bernoulli(times(self.theta), {at: times(b) for at, b in self.lam.items()}, self.n, self.do)

    def marginals(self):
        """Returns Pr[bit k = 1] for every k, by enumeration of the states."""
        need(1 << self.size <= MAX_STATES, "too many states")
        sums, total = [0] * self.size, 0
        for state in product((0, 1), repeat=self.size):
            weight = self.do.exponential(self.exponent([state]))
            total = self.do.add(total, weight)
            sums = [self.do.add(s, weight) if bit else s for s, bit in zip(sums, state)]
        return [self.do.divide(s, total) for s in sums]

    def error_rate(self, complement=False):
        """Returns the mean over all bits of Pr[bit = 1], or of Pr[bit = 0] for the complement."""
        ones = self.do.divide(self.do.total(self.marginals()), self.size)
        return self.do.add(1, self.do.multiply(-1, ones)) if complement else ones

    def claimed_epsilon(self, sensitivity=1):
        """Returns the ε of Theorem 1 of the XOR paper: s(‖λ(Θ)‖₂ + Σ ‖λ(Λ_ij)‖₂). ‖λ(·)‖₂ is the Frobenius norm."""
        need(type(sensitivity) is int and sensitivity >= 1, "a sensitivity that is not a whole number from 1 on")

        def norm(block):
            return self.do.square_root(self.do.total([self.do.multiply(x, x) for row in block for x in row]))

        return self.do.multiply(sensitivity, self.do.total([norm(self.theta), *map(norm, self.lam.values())]))

    def smallest_epsilon(self, sensitivity=1):
        """Returns the smallest ε for one changed bit: the largest |Π_kk + 2 Σ Π_jk b_j| over k and the other bits."""
        need(type(sensitivity) is int and sensitivity == 1, "the smallest ε of several bits")
        sides = []
        for k, row in enumerate(self.pi):
            for sign in 1, -1:
                side = self.do.multiply(sign, row[k])
                for j, x in enumerate(row):
                    if j != k:
                        side = self.do.add(side, self.do.largest(0, self.do.multiply(2 * sign, x)))
                sides.append(side)
        return self.do.largest(*sides)
