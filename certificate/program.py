"""Checks the statement that says for which eps the outputs of a program are private.

Probabilities are quotients of polynomials in z = e^(-eps/denominator), 0 < z < 1. An output consists of independent
numbers, with one law each. The program is eps'-private, eps' = times*eps, if z^k p(x) <= p(y) for all neighbors x, y in
both directions and all outputs, where k = times*denominator. Then certain polynomials are nowhere negative.
"""

from fractions import Fraction

from roots import MAX_DEGREE, common, negative, never_negative, plus, primitive, quotient, sign_inside, times as product
from written import decimal, keys, listed, need, number, string, whole

MAX_DATASETS, MAX_CELLS, MAX_DENOMINATOR = 4096, 1 << 18, 1 << 12


def polynomial(value, what):
    out = []
    for term in listed(value, what):
        power, text = listed(term, "a term", 2)
        need(whole(power, "a power", MAX_DEGREE + 1) >= len(out), f"the powers of {what} do not ascend")
        c = number(text, "a coefficient")
        need(c.denominator == 1 and c, "a coefficient is 0 or not whole")
        out += [0] * (power - len(out)) + [int(c)]
    return out


class Law:
    """The law of one number of the output, at every dataset."""

    def __init__(self, value, datasets):
        outputs, rows, of = keys(value, "a table", "outputs rows datasets")
        names = [string(v, "an output") for v in listed(outputs, "outputs")]
        need(names and len(set(names)) == len(names), "an output comes twice, or there is none")
        need(len(names) * len(listed(rows, "rows")) <= MAX_CELLS, f"more than {MAX_CELLS} probabilities")
        self.rows, self.ratios = [], {}
        for row in rows:
            over, under = keys(row, "a row", "over under")
            under = polynomial(under, "under")
            over = [polynomial(p, "over") for p in listed(over, "over", len(names))]
            total = []
            for p in over:
                total = plus(total, p)
                need(never_negative(p, Fraction(0), Fraction(1)), "a probability is negative")
            need(under and total == under, "probabilities do not have the sum 1")
            need(never_negative(under, Fraction(0), Fraction(1)), "what probabilities are divided by is negative")
            self.rows.append((over, under))
        self.of = [whole(v, "a row", len(self.rows)) for v in listed(of, "datasets", datasets)]
        self.names = names

    def chances(self, x):
        return self.rows[self.of[x]]

    def different(self, x, y):
        """Returns the distinct ratios of an output's probabilities at x and y, each as two coprime polynomials."""
        pair = self.of[x], self.of[y]
        if pair not in self.ratios:
            (p, under), (q, bottom) = self.chances(x), self.chances(y)
            self.ratios[pair] = {reduced(product(a, bottom), product(b, under)) for a, b in zip(p, q) if a}
        return self.ratios[pair]


def reduced(p, q):
    """Returns the quotient p/q without a common polynomial or whole divisor, as two tuples of coefficients."""
    if not q:
        return (1,), ()
    g = common(p, q)
    if len(g) > 1:
        p, q = quotient(p, g), quotient(q, g)
        if sign_inside(p, Fraction(0), Fraction(1)) < 0:
            p, q = [-c for c in p], [-c for c in q]
    both = primitive(p + q)
    return tuple(both[: len(p)]), tuple(both[len(p) :])


def ratios(laws, pairs):
    """Returns all distinct ratios of the probabilities of whole outputs at neighbors."""
    out, seen = set(), set()
    for x, y in pairs:
        parts = [law.different(x, y) for law in laws]
        key = tuple(sorted(map(lambda part: tuple(sorted(part)), parts)))
        if key in seen:
            continue
        seen.add(key)
        now = {((1,), (1,))}
        for part in parts:
            now = {reduced(product(a, p), product(b, q)) for a, b in now for p, q in part}
            need(len(now) <= MAX_CELLS, f"more than {MAX_CELLS} ratios")
        out |= now
    return out


def program(statement, proof):
    _, tables, neighbors, denominator, multiple, fails = keys(statement, "the statement", "kind tables neighbors denominator times fails")
    need(0 < len(listed(tables, "tables")) <= 64, "tables are none, or more than 64")
    need(type(tables[0]) is dict and type(tables[0].get("datasets")) is list, "datasets is not a list")
    datasets = len(tables[0]["datasets"])
    need(0 < datasets <= MAX_DATASETS, f"datasets are none, or more than {MAX_DATASETS}")
    pairs = []
    for pair in listed(neighbors, "neighbors"):
        x, y = (whole(v, "a dataset", datasets) for v in listed(pair, "a pair of neighbors", 2))
        need(x != y, "a dataset is its own neighbor")
        pairs += [(x, y), (y, x)]
    whole(denominator, "denominator", MAX_DENOMINATOR + 1, 1)
    multiple = number(multiple, "times")
    k = multiple * denominator
    need(k > 0 and k.denominator == 1 and k <= MAX_DEGREE, f"times*denominator is not a whole number from 1 to {MAX_DEGREE}")
    laws = [Law(value, datasets) for value in tables]
    raised = [0] * int(k) + [1]
    gaps = [Fraction(0)]
    spans = []
    for span in listed(fails, "fails"):
        a, b, c, d = (number(v, "an end", 0) for v in listed(span, "a range", 4))
        need(a <= b < c <= d <= 1, "the ends of a range do not ascend")
        need(a >= gaps[-1] or (spans and a == spans[-1][2] and b == gaps[-1]), "ranges do not ascend")
        gaps += [a, d]
        spans.append((a, b, c, d))
    gaps.append(Fraction(1))

    for p, q in ratios(laws, pairs):
        excess = plus(list(q), product(list(p), raised), -1)
        for lo, hi in zip(gaps[::2], gaps[1::2]):
            need(never_negative(excess, lo, hi), f"an output is too likely for a z between {decimal(lo)} and {decimal(hi)}")

    (covers,) = keys(proof, "the proof", "covers")
    for (_, start, end, _), cover in zip(spans, listed(covers, "covers", len(spans))):
        reached = start
        for i, part in enumerate(listed(cover, "a cover")):
            pair, output, lo, hi = keys(part, "a part", "neighbors output from to")
            pair = tuple(whole(v, "a dataset", datasets) for v in listed(pair, "neighbors", 2))
            need(pair in pairs, f"{pair} are no neighbors")
            cells = [whole(v, "an output", len(law.names)) for law, v in zip(laws, listed(output, "output", len(laws)))]
            lo, hi = number(lo, "from", 0), number(hi, "to", 0)
            need(lo <= reached and lo < hi <= 1, "the parts of a cover leave a gap")
            p, q = [1], [1]
            for law, cell in zip(laws, cells):
                (over, under), (other, bottom) = law.chances(pair[0]), law.chances(pair[1])
                p, q = product(p, product(over[cell], bottom)), product(q, product(other[cell], under))
            need(negative(plus(q, product(p, raised), -1), lo, hi), "an output of a cover is not too likely")
            reached = max(reached, hi)
        need(reached >= end and cover, "a cover does not reach the end of its range")
    eps = "" if multiple == 1 else decimal(multiple) + "*"
    what = f"laws of a program at {datasets} datasets are {eps}eps-private"
    if not spans:
        return f"{what} for every eps > 0"
    return f"{what} for every eps > 0 but where e^(-eps/{denominator}) lies in {len(spans)} ranges, and nowhere inside of these"


KINDS = {"program": program}
