"""Output laws of mechanisms, computed from their rules."""

from collections import Counter
from fractions import Fraction
from operator import sub

from query import MAX_CELLS, MAX_VISITS, Query
from real import PRECISIONS, Interval, decide
from written import Parameter, keys, listed, named, need, parameter, power, probabilities, short, string, whole, whole_multiples

MAX_EXACT = 1 << 18  # bits of a power that is computed exactly
MAX_SUM = 1 << 24  # bits of all powers in a sum
MAX_PRODUCT = 5_000_000  # pairs of terms in the product of two sums
MAX_WHOLE = 1 << 53


class Law:
    """Probabilities p^x(r) = N_x,r(v)/D_x(v) with v = e^(-unit); N and D are sums of coefficients times powers of v.

    D_x is a dict from exponent to coefficient. N_x,r is a tuple of pairs (exponent, coefficient),
    empty if the probability is 0. If all N are powers of v with coefficient 1, levels[x][r] is the
    exponent, or None for probability 0. If all N are constants, counts[x][r] is the constant.
    """

    def __init__(self, query, unit, numerators, denominators, levels=None, counts=None):
        self.query, self.unit = query, unit
        self.numerators, self.denominators, self.levels, self.counts = numerators, denominators, levels, counts
        self.known = {}  # cached enclosures
        small = max(0, -unit.enclosure(64).magnitude())  # with a small unit, probabilities are close together
        self.bits = min(64 + 2 * small, PRECISIONS[-1])

    def pairs(self):
        """Yields the pairs of neighbors in both orders, but only one pair of datasets for each pair of laws."""
        law, seen = {}, set()
        number = [law.setdefault((tuple(row), frozenset(d.items())), x) for x, (row, d) in enumerate(zip(self.numerators, self.denominators))]
        for x, y in self.query.ordered():
            if (number[x], number[y]) not in seen:
                seen.add((number[x], number[y]))
                yield x, y

    @staticmethod
    def leveled(query, unit, levels):
        """Returns the law p^x(r) ∝ e^(-unit·level), with probability 0 if the level is None."""
        term, denominators = {}, []
        for x, row in enumerate(levels):
            present = [k for k in row if k is not None]
            need(present, f"no value has weight at dataset {x}")
            least = min(present)  # only differences of levels matter
            row = levels[x] = [None if k is None else k - least for k in row]
            denominators.append(Counter(k for k in row if k is not None))
            for k in row:
                term.setdefault(k, () if k is None else ((k, 1),))
        return Law(query, unit, [[term[k] for k in row] for row in levels], denominators, levels)

    def value(self, terms, bits):
        """Returns an enclosure of a sum, given as a tuple of pairs or as a dict."""
        total = Interval.of(0, bits)
        for k, c in terms.items() if type(terms) is not tuple else terms:
            v_k = self.once((bits, k), lambda: power(self.unit.base, -self.unit.times * k, bits))
            total = total + (v_k if c == 1 else v_k * Interval.of(c, bits))
        return total

    def numerator(self, x, r, bits):
        terms = self.numerators[x][r]
        return self.once((bits, "N", terms), lambda: self.value(terms, bits))

    def denominator(self, x, bits):
        return self.once((bits, "D", x), lambda: self.value(self.denominators[x], bits))

    def scaled(self, h, bits):
        """Returns an enclosure of e^h."""
        return self.once((bits, "e", h), lambda: power(h.base, h.times, bits))

    def once(self, key, make):
        if key not in self.known:
            self.known[key] = make()
        return self.known[key]

    def exactly(self, terms):
        """Returns a sum as a rational number, or None if its powers of v are irrational or too long."""
        total, base, t, bits = Fraction(0), self.unit.base, self.unit.times, 0
        for k, c in terms.items():
            if k:
                if base is None or (t * k).denominator != 1:
                    return None
                size = abs(t * k) * max(base.numerator, base.denominator).bit_length()
                bits += size
                if size > MAX_EXACT or bits > MAX_SUM:
                    return None
                c = c * base ** int(-t * k)
            total += c
        return total

    def factor(self, h):
        """Returns (q, c, rest) with e^h = q·v^(-c)·base^times: q is rational; rest is (base, times), or None for 1."""
        if h.times == 0:
            return 1, 0, None
        if h.base == self.unit.base:
            return 1, h.times / self.unit.times, None
        if h.base is not None and h.times.denominator == 1 and abs(h.times) * max(h.base.numerator, h.base.denominator).bit_length() <= MAX_EXACT:
            return h.base ** int(h.times), 0, None
        return 1, 0, (h.base, h.times)

    def sign(self, a, b, h):
        """Returns the sign of a - e^h b for two sums a and b."""
        q, c, rest = self.factor(h)
        if rest and b:
            return decide(lambda bits: self.value(a, bits) - self.value(b, bits) * power(*rest, bits))
        total = Counter(a)
        for k, coefficient in b.items():
            total[k - c] -= q * coefficient
        total = {k: coefficient for k, coefficient in total.items() if coefficient}
        if not total:
            return 0
        least = min(total)  # v^least > 0 keeps the sign, and the quotient does not vanish as v → 0
        total = {k - least: coefficient for k, coefficient in total.items()}

        def exactly():
            value = self.exactly(total)
            return None if value is None else (value > 0) - (value < 0)

        return decide(lambda bits: self.value(total, bits), exactly)

    def compare(self, x, y, r, h):
        """Returns the sign of p^x(r) - e^h p^y(r)."""
        left = self.numerator(x, r, self.bits) * self.denominator(y, self.bits)
        right = self.numerator(y, r, self.bits) * self.denominator(x, self.bits) * self.scaled(h, self.bits)
        sign = (left - right).sign()
        if sign is None:
            a = product(dict(self.numerators[x][r]), self.denominators[y])
            b = product(dict(self.numerators[y][r]), self.denominators[x])
            sign = self.sign(a, b, h)
        return sign

    def worst(self, x, y):
        """Returns places that contain a maximum of p^x(r)/p^y(r), or the first place where the ratio is infinite."""
        a, b = (self.levels or self.counts or self.numerators)[x], (self.levels or self.counts or self.numerators)[y]
        for r, (above, below) in enumerate(zip(self.numerators[x], self.numerators[y])):
            if above and not below:
                return [r]
        places = [r for r, above in enumerate(self.numerators[x]) if above]
        if self.levels:
            return [max(places, key=lambda r: b[r] - a[r])]
        if self.counts:
            return [max(places, key=lambda r: Fraction(a[r], b[r]))]
        return places


def product(a, b):
    need(len(a) * len(b) <= MAX_PRODUCT, f"sums of {len(a)} and {len(b)} terms are to be multiplied, more than {MAX_PRODUCT}")
    total = Counter()
    for i, c in a.items():
        for j, d in b.items():
            total[i + j] += c * d
    return total


def mechanism(value):
    """Returns the law of a mechanism, and its description in words."""
    name, query, law = keys(value, "the mechanism", "name query law")
    string(name, "the mechanism's name")
    query = Query(query)
    need(type(law) is dict, "the law is not an object")
    rule = law.get("rule")
    need(type(rule) is str and rule in RULES, f"the law's rule, {short(rule)}, is none of {', '.join(RULES)}")
    names, make = RULES[rule]
    result = make(query, *keys(law, "the law", "rule " + names)[1:])
    words = rule if rule in ("table", "levels") else f"{rule} with {names.split()[0]} {parameter(law[names.split()[0]], 'it').words()}"
    if rule == "levels":
        words += f" of unit {result.unit.words()}"
    return result, f"{named(name)} ({words}) on {query.name} ({query.words})"


def purest(query, decay):
    return layered(query, decay, [[[0, [r]]] for r in query.f])


def layered(query, decay, initial):
    """Returns the layered law: L^x(r) is the least ⌈d̄(x, y)⌉ + i over all (y, i) with r in layer i at y."""
    unit = parameter(decay, "decay")
    columns = [spread(query, sorted(start)) for start in read_initial(query, initial)]
    return Law.leveled(query, unit, [list(row) for row in zip(*columns)])


def read_initial(query, initial):
    """Returns for every value its pairs (i, y): the value is in layer i at dataset y."""
    starts, count = [[] for _ in range(query.m)], 0
    for y, at in enumerate(listed(initial, "initial", query.n)):
        last = -1
        for entry in listed(at, f"the layers of dataset {y}"):
            i, places = listed(entry, "a layer", 2)
            last = whole(i, "a layer", MAX_WHOLE, last + 1)
            for r in listed(places, "a layer's values"):
                starts[whole(r, "a place", query.m)].append((last, y))
                count += 1
    need(count <= MAX_CELLS, f"initial has more than {MAX_CELLS} values")
    need(query.steps is None or count * query.n <= MAX_VISITS, f"datasets times values of initial are more than {MAX_VISITS}")
    return starts


def spread(query, starts):
    """Returns for every dataset x the least ⌈d̄(x, y)⌉ + i over ascending starts (i, y), None if infinite."""
    if query.steps is not None:
        sums = ([query.steps[x][y] + i for i, y in starts if query.steps[x][y] is not None] for x in range(query.n))
        return [min(s, default=None) for s in sums]
    level = [None] * query.n
    frontier, at, next_start = [], 0, 0
    while frontier or next_start < len(starts):
        if not frontier:
            at = starts[next_start][0]
        while next_start < len(starts) and starts[next_start][0] == at:
            y = starts[next_start][1]
            next_start += 1
            if level[y] is None:
                level[y] = at
                frontier.append(y)
        at += 1
        reached = []
        for x in frontier:
            for y in query.beside[x]:
                if level[y] is None:
                    level[y] = at
                    reached.append(y)
        frontier = reached
    return level


def levels(query, unit, value):
    unit, seen = parameter(unit, "unit"), []
    for x, row in enumerate(listed(value, "levels", query.n)):
        listed(row, f"levels {x}", query.m)
        seen.append([None if k is None else whole(k, "a level", MAX_WHOLE) for k in row])
    return Law.leveled(query, unit, seen)


def ladder(query, eps):
    """Returns the Ladder mechanism's law: rungs from I_t^x, the largest change of f at datasets within t of x."""
    eps = parameter(eps, "eps")
    unit = Parameter(eps.times / 2, eps.base)
    change = [max((query.gap(query.f[x], query.f[y]) for y in query.beside[x]), default=0) for x in range(query.n)]
    # reach[x] lists the steps of t ↦ I_t^x: pairs (t, I) such that I_t^x rises to I at t.
    reach = [[(0, c)] for c in change]
    if query.steps is None:
        t, moved = 0, True
        while moved:
            need(t * (query.n + len(query.pairs)) <= 2 * MAX_VISITS, "the changes of f spread over too many steps")
            t, moved, old = t + 1, False, change
            change = [max([old[x]] + [old[y] for y in query.beside[x]]) for x in range(query.n)]
            for x in range(query.n):
                if change[x] > old[x]:
                    reach[x].append((t, change[x]))
                    moved = True
    else:
        for x in range(query.n):
            for t, y in sorted((t, y) for y, t in enumerate(query.steps[x]) if t is not None):
                if change[y] > reach[x][-1][1]:
                    reach[x].append((t, change[y]))
    rows = []
    for x in range(query.n):
        rung = {}
        row = []
        for r in range(query.m):
            d = query.gap(query.f[x], r)
            if d not in rung:
                rung[d] = rung_of(reach[x], d)
            row.append(0 if r == query.f[x] else rung[d])
        rows.append(row)
    return Law.leveled(query, unit, rows)


def rung_of(reach, d):
    """Returns 1 + the number of t with I_0 + … + I_t < d, or None if it is infinite."""
    if d == 0:
        return 1
    total = 0
    for (t, step), after in zip(reach, [*reach[1:], (None, None)]):
        if step:
            steps = -(-(d - total) // step)  # I_t, …, I_(t+steps-1) bring the sum to d
            if after[0] is None or steps <= after[0] - t:
                return t + steps
        if after[0] is not None:
            total += step * (after[0] - t)
    return None


def exponential(query, eps):
    unit, most = parameter(eps, "eps"), query.sensitivity()
    if most == 0:
        return Law.leveled(query, unit, [[0 if r == f else None for r in range(query.m)] for f in query.f])
    unit = Parameter(unit.times / (2 * most), unit.base)
    return Law.leveled(query, unit, [[query.gap(f, r) for r in range(query.m)] for f in query.f])


def noise(query, eps, whole_noise):
    """Returns the law of f(x) plus Laplace or two-sided geometric noise, rounded to the nearest value of the range.

    The value in place r is the output for noise t with low < t ≤ high. These ends lie halfway between adjacent values,
    relative to f(x), in units of 1/(2 scale). A tie is rounded to the smaller value.
    """
    unit, most = parameter(eps, "eps"), query.sensitivity()
    need(query.numbers is not None, "noise needs numbers as values")
    if most == 0:
        return exponential(query, eps)
    order = sorted(range(query.m), key=lambda r: query.numbers[r])
    halves = [query.numbers[a] + query.numbers[b] for a, b in zip(order, order[1:])]
    rows = {}
    for f in set(query.f):
        center = 2 * query.numbers[f]
        ends = [h - center for h in halves]
        if whole_noise:  # whole noise k with low < k·2·scale ≤ high
            need(query.numbers[f] % query.scale == 0, "geometric noise needs whole values at datasets")
            ends = [e // (2 * query.scale) for e in ends]
        row = [()] * query.m
        for r, low, high in zip(order, [None, *ends], [*ends, None]):
            row[r] = (whole_mass if whole_noise else mass)(low, high)
        rows[f] = row
    numerators = [rows[f] for f in query.f]
    if whole_noise:
        unit = Parameter(unit.times * query.scale / most, unit.base)
        return Law(query, unit, numerators, [{0: 1, 1: 1}] * query.n)
    unit = Parameter(unit.times / (2 * most), unit.base)
    return Law(query, unit, numerators, [{0: 2}] * query.n)


def mass(low, high):
    """Returns 2P(low < t ≤ high) for a density ∝ v^|t|; None is an infinite end. For a ≥ 0, 2P(t > a) = v^a."""
    if high is not None and high <= 0:  # the mirror image
        return mass(-high, None if low is None else -low)
    if low is not None and low >= 0:  # P(t > low) - P(t > high)
        return ((low, 1),) if high is None else ((low, 1), (high, -1)) if low < high else ()
    total = Counter({0: 2})
    for end in low, high:
        if end is not None:
            total[abs(end)] -= 1
    return tuple(total.items())


def whole_mass(low, high):
    """Returns (1 + v)P(low < k ≤ high) for integers k with weight v^|k|. For a ≥ 0, (1 + v)P(k > a) = v^(a+1)."""
    if high is not None and high < 0:  # -high ≤ -k < -low
        return whole_mass(-high - 1, None if low is None else -low - 1)
    if low is not None and low >= 0:
        return ((low + 1, 1),) if high is None else ((low + 1, 1), (high + 1, -1)) if low < high else ()
    total = Counter({0: 1, 1: 1})  # low < 0 ≤ high
    if high is not None:
        total[high + 1] -= 1
    if low is not None:
        total[-low] -= 1  # (1 + v)P(k ≤ low) = v^(-low)
    return tuple((k, c) for k, c in total.items() if c)


def table(query, rows):
    numerators, denominators, counts = [], [], []
    for x, row in enumerate(listed(rows, "rows", query.n)):
        ints, scale = whole_multiples(probabilities(row, f"row {x}", query.m), f"row {x}")
        counts.append(ints)
        numerators.append([((0, c),) if c else () for c in ints])
        denominators.append({0: scale})
    return Law(query, Parameter(1), numerators, denominators, counts=counts)


RULES = {  # the keys of each rule, and the function that makes the law from the query and the keys' values
    "purest": ("decay", purest),
    "layered": ("decay initial", layered),
    "levels": ("unit levels", levels),
    "ladder": ("eps", ladder),
    "exponential": ("eps", exponential),
    "laplace": ("eps", lambda query, eps: noise(query, eps, False)),
    "geometric": ("eps", lambda query, eps: noise(query, eps, True)),
    "table": ("rows", table),
}
