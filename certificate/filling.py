"""Checks statements about water-filling: the maximum of Σ ln(1 + λ_i p_i) over p ≥ 0 within a budget.

The Karush-Kuhn-Tucker conditions suffice, as the sum is concave in p and the constraint convex.
So p is optimal for the budget that it spends if, for one price ν > 0,

    norm l1:  λ_i/(1 + λ_i p_i) ≤ ν w_i,   with equality where p_i > 0,
              so p_i = max(0, c/w_i - 1/λ_i) for the level c = 1/ν,
    norm l2:  λ_i/(1 + λ_i p_i) = 2 ν p_i,
              so p_i = λ_i/(ν + √(ν² + 2 ν λ_i²)).

The spending and the sum increase in c and decrease in ν. So the optimum lies between the sums
of a level that spends at most the budget and of one that spends at least the budget.
"""

from fractions import Fraction
from math import gcd

from gaussian import ends_of, positive, sqrt
from real import Interval, decide, log
from written import decimal, keys, listed, need, number, numbers

MAX_COUNT = 100_000
MAX_EXACT = 2_000  # terms up to which a sum is computed exactly if enclosures do not decide


class Linear:
    """The constraint Σ w_i p_i ≤ budget. Levels are reduced by the lowest floor w_i/λ_i."""

    def __init__(self, eigenvalues, weights, budget):
        floors = sorted(w / v for v, w in zip(eigenvalues, weights) if v)
        self.least, self.budget = floors[0], budget
        self.floors = [(f, f - floors[0]) for f in floors]

    def depths(self, level):
        """Yields each floor below a level, and the level's height above it."""
        for floor, above in self.floors:
            if above >= level:
                break
            yield floor, level - above

    def spends(self, level):
        """Returns the sign of the spending of a level minus the budget."""
        terms = [depth for _, depth in self.depths(level)] + [-self.budget]

        def exactly():
            total = tidy_sum(terms) if len(terms) <= MAX_EXACT else None
            return None if total is None else (total > 0) - (total < 0)

        return decide(lambda bits: total(Interval.of(t, bits) for t in terms), exactly)

    def value(self, level, bits):
        return total(log1p(Interval.of(depth / floor, 2 * bits + spread(depth / floor)), bits) for floor, depth in self.depths(level))


class Squares:
    """The constraint Σ p_i² ≤ budget. Its levels are prices ν."""

    def __init__(self, eigenvalues, budget):
        self.eigenvalues, self.budget = [v for v in eigenvalues if v], budget

    def precisions(self, price, bits):
        for v in self.eigenvalues:
            # With t = ν/λ², p = 1/(λ(t + √(t² + 2t))), without cancellation.
            t = Interval.of(price / v**2, bits)
            yield v, Interval.of(1 / v, bits) / (t + sqrt(t * t + t.shifted(1)))

    def spends(self, price):
        def excess(bits):
            return total(p * p for _, p in self.precisions(price, bits)) - Interval.of(self.budget, bits)

        return decide(excess)

    def value(self, price, bits):
        return total(log1p(p * Interval.of(v, bits), bits) for v, p in self.precisions(price, bits + 32))


def spread(q):
    """Returns about -log2 q for a rational number q below 1, and 0 for any other."""
    return max(0, q.denominator.bit_length() - q.numerator.bit_length())


def tidy_sum(terms):
    """Returns a sum of rational numbers, computed over one common denominator."""
    scale = 1
    for t in terms:
        scale *= t.denominator // gcd(scale, t.denominator)
    return sum(t.numerator * (scale // t.denominator) for t in terms)


def total(terms):
    result = None
    for term in terms:
        result = term if result is None else result + term
    return result if result is not None else Interval(0, 0, 0, 64)


def log1p(x, bits):
    """Returns an enclosure of ln(1 + x) for x > 0, to about `bits` bits of relative precision."""
    work = bits + 16 + max(0, -x.magnitude())
    return log(Interval.of(1, work) + x.with_bits(work), work)


def water_filling(statement, proof):
    _, asked, eigenvalues, budget, norm, value, weights = keys(statement, "the statement", "kind number eigenvalues budget norm is", "weights")
    count = len(listed(eigenvalues, "eigenvalues"))
    need(count <= MAX_COUNT, f"there are more than {MAX_COUNT} eigenvalues")
    eigenvalues, budget = numbers(eigenvalues, "eigenvalue", count, 0), positive(budget, "the budget")
    need(any(eigenvalues), "no eigenvalue is positive")
    need(norm in ("l1", "l2"), "norm is neither l1 nor l2")
    if norm == "l1":
        weights = ["1"] * count if weights is None else listed(weights, "weights", count)
        problem = Linear(eigenvalues, [positive(w, "a weight") for w in weights], budget)
    else:
        need(weights is None, "norm l2 has no weights")
        problem = Squares(eigenvalues, budget)
    lo, hi, says = ends_of(value)
    need(lo is not None, "the number is finite")
    if asked == "level":
        keys(proof, "the proof", "")
        check_level(problem, lo, hi)
    else:
        need(asked in ("optimum", "information"), "number is none of optimum, information and level")
        (level,) = keys(proof, "the proof", "level")
        check_value(problem, [number(v, "a level", 0) for v in listed(level, "level", 2)], lo, hi, 1 if asked == "optimum" else 2)
    words = {"optimum": "the most of sum ln(1 + lambda p)", "information": "half the most of sum ln(1 + lambda p)", "level": "the level of the most of sum ln(1 + lambda p)"}[asked]
    return f"{words} over {count} eigenvalues within the budget {decimal(budget)} in norm {norm} {says}"


def check_level(problem, lo, hi):
    """Raises Rejected unless the level, or the price, of the optimum lies between lo and hi."""
    if isinstance(problem, Linear):
        lo, hi = lo - problem.least, None if hi is None else hi - problem.least
        need(lo <= 0 or problem.spends(lo) <= 0, "the level is below lo")
        need(hi is None or (hi > 0 and problem.spends(hi) >= 0), "the level is above hi")
    else:
        need(lo <= 0 or problem.spends(lo) >= 0, "the price is below lo")
        need(hi is None or (hi > 0 and problem.spends(hi) <= 0), "the price is above hi")


def check_value(problem, levels, lo, hi, parts):
    """Raises Rejected unless the optimum divided by `parts` lies between lo and hi.

    One of the two levels spends at most the budget, and its sum is a lower bound. The other spends at least the budget.
    """
    poor, rich = levels if isinstance(problem, Linear) else levels[::-1]
    need(min(levels) > 0, "a level is not positive")
    need(problem.spends(poor) <= 0, "the level spends more than the budget")
    need(problem.spends(rich) >= 0, "the level spends less than the budget")
    need(lo <= 0 or decide(lambda bits: problem.value(poor, bits) - Interval.of(parts * lo, bits)) >= 0, "the optimum is below lo")
    need(hi is None or decide(lambda bits: problem.value(rich, bits) - Interval.of(parts * hi, bits)) <= 0, "the optimum is above hi")


KINDS = {"water-filling": water_filling}
