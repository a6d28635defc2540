"""Checks statements about finite mechanisms: smallest epsilon, delta, distortion, optimum."""

from collections import Counter
from fractions import Fraction
from operator import le

from law import MAX_EXACT, mechanism, product
from query import MAX_VISITS, Query
from real import PRECISIONS, Interval, Undecided, decide
from written import Ends, decimal, keys, listed, need, number, parameter, power, probabilities, short, whole, whole_multiples


def witness(proof, query, names):
    """Returns the values of a proof's witness under the given names, or None. Its x and y must be neighbors."""
    (given,) = keys(proof, "the proof", "", "witness")
    if given is None:
        return None
    places = keys(given, "the witness", names)
    for name, place in zip(names.split(), places):
        whole(place, f"the witness {name}", query.m if name == "r" else query.n)
    x, y = places[:2]
    need(y in query.beside[x], f"the witness {x}, {y} is no pair of neighbors")
    return places


def above(end):
    """Reports whether a lower end is positive or infinite (None), and so needs a proof."""
    return end is None or end.sign() > 0


def smallest_epsilon(statement, proof):
    given, ends = keys(statement, "the statement", "kind mechanism is")[1:]
    law, words = mechanism(given)
    ends = Ends(ends, logarithms=True)
    seen = witness(proof, law.query, "x y r")
    if ends.hi is not None:
        need(ends.hi.sign() >= 0, "the upper end is negative")
        for x, y in law.pairs():
            for r in law.worst(x, y):
                at = f"at datasets {x}, {y} and the value in place {r}"
                need(law.numerators[y][r], f"the loss is infinite {at}")
                need(law.compare(x, y, r, ends.hi) <= 0, f"the loss is above the upper end {at}")
    if above(ends.lo):
        need(seen, "the lower end has no witness")
        x, y, r = seen
        a, b = law.numerators[x][r], law.numerators[y][r]
        need(a, "the witness has probability 0")
        need(not b or (ends.lo is not None and law.compare(x, y, r, ends.lo) >= 0), "the loss at the witness is below the lower end")
    return f"the smallest epsilon of {words} {ends.words}"


def delta(statement, proof):
    given, eps, ends = keys(statement, "the statement", "kind mechanism eps is")[1:]
    law, words = mechanism(given)
    eps, ends = parameter(eps, "eps", zero=True), Ends(ends)
    seen = witness(proof, law.query, "x y")
    need(ends.hi.sign() >= 0, "the upper end is negative")
    measure = Excess(law, eps)
    for x, y in law.pairs():
        need(measure.sign(x, y, ends.hi.times) <= 0, f"delta is above the upper end at datasets {x}, {y}")
    if above(ends.lo):
        need(seen, "the lower end has no witness")
        need(measure.sign(*seen, ends.lo.times) >= 0, "delta at the witness is below the lower end")
    return f"delta at epsilon {eps.words()} of {words} {ends.words}"


class Excess:
    """The hockey-stick divergence Σ_r max(0, p^x(r) - e^ε p^y(r))."""

    def __init__(self, law, eps):
        self.law, self.eps, self.known = law, eps, {}

    def sign(self, x, y, end):
        """Returns the sign of the divergence minus a rational number end ≥ 0."""
        law = self.law
        if end == 0:
            return max([0] + [law.compare(x, y, r, self.eps) for r in law.worst(x, y)])
        bits = min(64 + max(0, end.denominator.bit_length() - end.numerator.bit_length()), PRECISIONS[-1])
        (low, high), scaled = self.rows(x, bits)[0], self.rows(y, bits)[1]
        if sum(a - b for a, b in zip(high, scaled[0]) if a > b) < (end.numerator << bits) // end.denominator:
            return -1
        if sum(a - b for a, b in zip(low, scaled[1]) if a > b) > -((-end.numerator << bits) // end.denominator):
            return 1
        # These bounds do not decide: find the places with p^x(r) > e^ε p^y(r), then compare sums of powers of v.
        a, b = Counter(), Counter()
        for r in range(law.query.m):
            if low[r] > scaled[1][r] or (high[r] > scaled[0][r] and law.compare(x, y, r, self.eps) > 0):
                a.update(dict(law.numerators[x][r]))
                b.update(dict(law.numerators[y][r]))
        a = product(a, law.denominators[y])
        for k, c in product(law.denominators[x], law.denominators[y]).items():
            a[k] -= end * c
        return law.sign(a, product(b, law.denominators[x]), self.eps)

    def rows(self, x, bits):
        """Returns lists of lower and of upper bounds, times 2^bits, of p^x(r), and such lists of min(1, e^ε p^x(r)).

        The minimum does not change the divergence, since p^y(r) - e^ε p^x(r) counts only if it is positive.
        """
        if (x, bits) not in self.known:
            work, one = bits + 32, 1 << bits
            share = Interval.of(1, work) / self.law.denominator(x, work)
            p = [self.law.numerator(x, r, work) * share for r in range(self.law.query.m)]
            scaled = [q * self.law.scaled(self.eps, work) for q in p]
            scaled = [(one, one) if q.lo > 0 and q.lo.bit_length() + q.exp > 0 else q.fixed(bits) for q in scaled]
            low, high = zip(*(q.fixed(bits) for q in p))
            self.known[x, bits] = (low, high), tuple(zip(*((min(q, one), min(r, one)) for q, r in scaled)))
        return self.known[x, bits]


def distortion(statement, proof):
    given, ends, dataset, prior = keys(statement, "the statement", "kind mechanism is", "dataset prior")[1:]
    keys(proof, "the proof", "")
    law, words = mechanism(given)
    query, ends = law.query, Ends(ends)
    need((dataset is None) != (prior is None), "the statement has neither or both of dataset and prior")
    if prior is None:
        shares = {whole(dataset, "dataset", query.n): Fraction(1)}
    else:
        shares = {x: q for x, q in enumerate(probabilities(prior, "the prior", query.n)) if q}
    weighted = {}  # Σ_r N_x,r d(f(x), r), times scale
    for x in shares:
        total = weighted[x] = Counter()
        for r, terms in enumerate(law.numerators[x]):
            d = query.gap(query.f[x], r)
            for k, c in terms if d else ():
                total[k] += c * d

    def enclosure(bits):
        total = Interval.of(0, bits)
        for x, q in shares.items():
            total = total + law.value(weighted[x], bits) / law.denominator(x, bits) * Interval.of(q / query.scale, bits)
        return total

    def exactly():
        parts = []
        for x, q in shares.items():
            over, under = law.exactly(weighted[x]), law.exactly(law.denominators[x])
            if over is None or under is None:
                return None
            parts.append(q * over / under)
        while len(parts) > 1:  # add in pairs, which delays the growth of the denominators
            parts = [sum(parts[i : i + 2]) for i in range(0, len(parts), 2)]
        return parts[0] / query.scale

    value = []

    def against(end):
        def tie():
            value or value.append(exactly())
            return None if value[0] is None else (value[0] > end) - (value[0] < end)

        return decide(lambda bits: enclosure(bits) - Interval.of(end, bits), tie)

    need(against(ends.hi.times) <= 0, "the distortion is above the upper end")
    need(against(ends.lo.times) >= 0, "the distortion is below the lower end")
    where = f"at dataset {dataset}" if prior is None else "under the prior"
    return f"the distortion {where} of {words} {ends.words}"


def optimum(statement, proof):
    query, eps, slack, objective, ends, prior = keys(statement, "the statement", "kind query eps delta objective is", "prior")[1:]
    query, eps, ends = Query(query), parameter(eps, "eps", zero=True), Ends(ends)
    slack = number(slack, "delta", 0)
    need(slack <= 1, "delta is above 1")
    need(objective in ("mean", "worst"), f"objective, {short(objective)}, is not mean or worst")
    need((objective == "mean") == (prior is not None), "mean has a prior and worst has none")
    laws, prices, weights, places = keys(proof, "the proof", "laws prices", "weights values")
    need((objective == "worst") == (weights is not None), "the proof has weights where the objective is worst, and nowhere else")
    weights = probabilities(prior or weights, "the prior" if prior else "weights", query.n)

    rows = [whole_multiples(probabilities(row, f"law {x}", query.m), f"law {x}") for x, row in enumerate(listed(laws, "laws", query.n))]
    losses = []
    for f, (row, scale) in zip(query.f, rows):
        losses.append(Fraction(sum(p * query.gap(f, r) for r, p in enumerate(row) if p), scale * query.scale))
    loss = max(losses) if objective == "worst" else sum(q * cost for q, cost in zip(weights, losses))
    need(loss <= ends.hi.times, "the objective of the laws is above the upper end")
    pairs = list(query.ordered())
    for low, high in factors(eps):  # the constraints are weaker for a larger e^ε
        pairs = [(x, y) for x, y in pairs if not private(rows[x], rows[y], low, slack)]
        for x, y in pairs:
            need(private(rows[x], rows[y], high, slack), f"the laws of datasets {x}, {y} break the constraints")
        if not pairs:
            break
    else:
        raise Undecided

    places = usable(query, places)
    gains, costs, most = read_prices(query, prices, places)
    for low, high in factors(eps) if ends.lo.sign() > 0 else ():  # the dual bound is lower for a larger e^ε
        if bound(query, weights, places, gains, costs, high) - slack * most >= ends.lo.times:
            break
        need(bound(query, weights, places, gains, costs, low) - slack * most >= ends.lo.times, "the dual bound is below the lower end")
    else:
        if ends.lo.sign() > 0:
            raise Undecided
    which = "mean distortion under the prior" if prior else "distortion of the worst dataset"
    private_at = f"epsilon {eps.words()}" + (f" and delta {decimal(slack)}" if slack else "")
    return f"the least {which} of all mechanisms with {private_at} on {query.name} ({query.words}) {ends.words}"


def factors(eps):
    """Yields ever closer rational bounds of e^ε, or e^ε itself as both bounds if it is rational."""
    if eps.times == 0:
        yield Fraction(1), Fraction(1)
    elif eps.base is not None and eps.times.denominator == 1:
        need(eps.times * max(eps.base.numerator, eps.base.denominator).bit_length() < MAX_EXACT, "eps is too long")
        yield (eps.base ** int(eps.times),) * 2
    else:
        for bits in PRECISIONS:
            yield power(eps.base, eps.times, bits).ends()


def private(row, other, w, slack):
    """Reports whether Σ_r max(0, p(r) - w p′(r)) ≤ slack. Each row is a pair of whole numbers and their denominator."""
    (row, scale), (other, scale2) = row, other
    left, right = scale2 * w.denominator, scale * w.numerator
    if slack == 0:
        return all(p * left <= q * right for p, q in zip(row, other))
    excess = sum(max(0, p * left - q * right) for p, q in zip(row, other))
    return excess * slack.denominator <= slack.numerator * scale * left


def usable(query, places):
    """Returns places that suffice: for every other place, one of these is at least as near to each f(x)."""
    if places is None:
        return range(query.m)
    for r in listed(places, "values"):
        whole(r, "a place in values", query.m)
    need(len(set(places)) == len(places), "a place comes twice in values")
    others = sorted(set(range(query.m)) - set(places))
    need(len(others) * len(places) <= MAX_VISITS, f"places listed times left out are more than {MAX_VISITS}")
    truths = sorted(set(query.f))
    far = [[query.gap(f, r) for f in truths] for r in range(query.m)]
    for r in others:
        need(any(all(map(le, far[s], far[r])) for s in places), f"no place in values dominates the place {r}")
    return places


def read_prices(query, prices, places):
    """Reads prices u_xyr; returns Σ_y u_yxr and Σ_y u_xyr for every x and r, and Σ_(x,y) max_r u_xyr."""
    gains, costs = ([{} for _ in range(query.n)] for _ in range(2))
    seen, largest, allowed = set(), {}, set(places)
    beside = [set(ys) for ys in query.beside]
    for price in listed(prices, "prices"):
        x, y, r, u = listed(price, "a price", 4)
        whole(x, "a dataset", query.n), whole(y, "a dataset", query.n), whole(r, "a place", query.m)
        need(y in beside[x], f"a price stands at {x}, {y}, which are no neighbors")
        need(r in allowed, f"a price stands at the place {r}, which is not in values")
        need((x, y, r) not in seen, f"the price at {x}, {y}, {r} comes twice")
        seen.add((x, y, r))
        u = number(u, "a price", 0)
        costs[x][r] = costs[x].get(r, 0) + u
        gains[y][r] = gains[y].get(r, 0) + u
        largest[x, y] = max(largest.get((x, y), 0), u)
    return gains, costs, sum(largest.values())


def bound(query, weights, places, gains, costs, w):
    """Returns the dual bound Σ_x min over places r of (weight_x d(f(x), r) - w Σ_y u_yxr + Σ_y u_xyr), w = e^ε."""
    total = 0
    for f, weight, gain, cost in zip(query.f, weights, gains, costs):
        weight /= query.scale
        total += min(weight * query.gap(f, r) - w * gain.get(r, 0) + cost.get(r, 0) for r in places)
    return total


KINDS = {"smallest epsilon": smallest_epsilon, "delta": delta, "distortion": distortion, "optimum": optimum}
