"""Checks statements about the privacy losses of finite mechanisms: epsilon at a delta, the trade-off function."""

from fractions import Fraction

from finite import Excess, above, witness
from law import mechanism
from real import Interval, decide
from written import Ends, decimal, keys, listed, need, number, whole


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
    """Reports whether the hockey-stick divergence exceeds slack at low, and so at every smaller ε (None: at all ε)."""
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


def tradeoff(statement, proof):
    """Checks at alpha the trade-off function: the largest convex function below the pairs (Q(S), 1 - P(S)).

    S runs over all events, P and Q over the laws of neighbors. P(S) ≤ t Q(S) + the hockey-stick divergence at factor
    t gives a line below all pairs. The function falls, and lies at or below the chord from (0, 1) to (1, 0).
    """
    given, alpha, ends = keys(statement, "the statement", "kind mechanism alpha is")[1:]
    slope, event = keys(proof, "the proof", "slope", "event")
    law, words = mechanism(given)
    query, ends = law.query, Ends(ends)
    alpha, slope = number(alpha, "alpha", 0), number(slope, "the slope", 0)
    need(alpha <= 1, "alpha is above 1")
    rows = []
    for x in range(query.n):
        under = law.exactly(law.denominators[x])
        over = [law.exactly(dict(terms)) for terms in law.numerators[x]]
        need(under is not None and None not in over, "the law is not rational")
        rows.append([p / under for p in over])
    low = 1 - slope * alpha
    for x, y in query.ordered():
        low = min(low, 1 - slope * alpha - sum(max(0, p - slope * q) for p, q in zip(rows[x], rows[y])))
    if slope < 1:  # the line must not lie above the pair (1, 0) of the event of all values
        low = min(low, slope * (1 - alpha))
    need(ends.lo.times <= max(low, 0), "the line is below the lower end")
    high = 1 - alpha
    if event is not None:
        x, y, values = keys(event, "the event", "x y values")
        whole(x, "a dataset", query.n), whole(y, "a dataset", query.n)
        need(y in query.beside[x], f"the event is at {x}, {y}, which are no neighbors")
        for r in listed(values, "values of the event"):
            whole(r, "a place", query.m)
        need(len(set(values)) == len(values), "a value comes twice in the event")
        need(sum(rows[y][r] for r in values) <= alpha, "the event has more than alpha")
        high = min(high, 1 - sum(rows[x][r] for r in values))
    need(ends.hi.times >= high, "the event is above the upper end")
    return f"the trade-off function at {decimal(alpha)} of {words} {ends.words}"


KINDS = {"epsilon": epsilon, "trade-off": tradeoff}
