"""Statements about the losses of finite mechanisms: epsilon at a delta."""

from fractions import Fraction

from finite import Excess, above, witness
from law import mechanism
from real import Interval, decide
from written import Ends, decimal, keys, need, number


def epsilon(statement, proof):
    given, slack, ends = keys(statement, "the statement", "kind mechanism delta is")[1:]
    law, words = mechanism(given)
    slack = number(slack, "delta")
    need(0 < slack < 1, "delta is not between 0 and 1")
    ends = Ends(ends, logarithms=True)
    seen = witness(proof, law.query, "x y")
    if ends.hi is not None:
        need(ends.hi.sign() >= 0, "the upper end is negative")
        measure = Excess(law, ends.hi)
        for x, y in law.query.ordered():
            need(measure.sign(x, y, slack) <= 0, f"delta at the upper end is above {decimal(slack)} at datasets {x}, {y}")
    if above(ends.lo):
        need(seen, "the lower end has no witness")
        need(beyond(law, *seen, ends.lo, slack), "delta at the lower end is not above the given one at the witness")
    return f"the least epsilon at delta {decimal(slack)} of {words} {ends.words}"


def beyond(law, x, y, low, slack):
    """Whether the excess at low, None for infinity, is above slack: then it is for every smaller epsilon, too."""
    alone = [r for r in range(law.query.m) if law.numerators[x][r] and not law.numerators[y][r]]

    def surplus(bits):
        total = Interval.of(0, bits)
        for r in alone:
            total = total + law.numerator(x, r, bits)
        return total / law.denominator(x, bits) - Interval.of(slack, bits)

    def exactly():
        terms = {}
        for r in alone:
            for k, c in law.numerators[x][r]:
                terms[k] = terms.get(k, Fraction(0)) + c
        for k, c in law.denominators[x].items():
            terms[k] = terms.get(k, Fraction(0)) - slack * c
        value = law.exactly(terms)
        return None if value is None else (value > 0) - (value < 0)

    if alone and decide(surplus, exactly) > 0:
        return True
    return low is not None and Excess(law, low).sign(x, y, slack) > 0


KINDS = {"epsilon": epsilon}
