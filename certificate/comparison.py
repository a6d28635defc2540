"""Checks the statement that compares the distortions of two mechanisms."""

from collections import Counter
from fractions import Fraction
from math import gcd

from law import mechanism, product
from real import Interval, decide
from written import keys, listed, need, number, whole


def comparison(statement, proof):
    first, second, signs, margin, better = keys(statement, "the statement", "kind first second signs margin better")[1:]
    keys(proof, "the proof", "")
    (a, words_a), (b, words_b) = mechanism(first), mechanism(second)
    need(a.query.n == b.query.n and set(a.query.pairs) == set(b.query.pairs), "the mechanisms are on different universes")
    listed(signs, "signs", a.query.n)
    margin = number(margin, "margin", 0)
    need(margin < 1, "margin is not below 1")
    whole(better, "better", a.query.n + 1)
    pair, count = Pair(a, b), 0
    for x, sign in enumerate(signs):
        need(type(sign) is int and pair.sign(x, Fraction(1)) == sign, f"the sign at dataset {x} is not right")
        count += pair.sign(x, 1 - margin) < 0
    need(count == better, f"the first is better at {count} datasets, not {better}")
    return f"{words_a} has less distortion than {words_b} at {signs.count(-1)} of {a.query.n} datasets, more at {signs.count(1)}, and is clearly better at {better}"


class Pair:
    """The distortions of two laws, each a quotient of sums of powers of v = e^(-unit)."""

    def __init__(self, a, b):
        self.laws = a, b
        self.steps = None  # both units as multiples of a common unit, or None
        if a.unit.base == b.unit.base:
            s, t = a.unit.times, b.unit.times
            common = Fraction(gcd(s.numerator * t.denominator, t.numerator * s.denominator), s.denominator * t.denominator)
            self.steps = int(s / common), int(t / common)

    def weighted(self, law, x):
        total = Counter()
        for r, terms in enumerate(law.numerators[x]):
            d = law.query.gap(law.query.f[x], r)
            for k, c in terms if d else ():
                total[k] += c * d
        return total

    def sign(self, x, share):
        """Returns the sign of the first distortion minus `share` times the second."""
        sums = [self.weighted(law, x) for law in self.laws]
        shares = [1 / Fraction(self.laws[0].query.scale), share / self.laws[1].query.scale]

        def difference(bits):
            p, q = (law.value(s, bits) / law.denominator(x, bits) * Interval.of(c, bits) for law, s, c in zip(self.laws, sums, shares))
            return p - q

        def exactly():
            if self.steps:
                apart = Counter()
                tops = [self.scaled(s, i) for i, s in enumerate(sums)]
                unders = [self.scaled(law.denominators[x], i) for i, law in enumerate(self.laws)]
                for k, c in product(tops[0], unders[1]).items():
                    apart[k] += c * shares[0]
                for k, c in product(tops[1], unders[0]).items():
                    apart[k] -= c * shares[1]
                if not any(apart.values()):
                    return 0
            values = [(law.exactly(s), law.exactly(law.denominators[x])) for law, s in zip(self.laws, sums)]
            if any(v is None for pair in values for v in pair):
                return None
            p, q = (top / under * c for (top, under), c in zip(values, shares))
            return (p > q) - (p < q)

        if not any(sums[1].values()) or not any(sums[0].values()):
            return any(sums[0].values()) - any(sums[1].values())
        return decide(difference, exactly)

    def scaled(self, terms, which):
        return Counter({k * self.steps[which]: c for k, c in terms.items()})


KINDS = {"comparison": comparison}
