"""Checks statements about sign projections: P₊ of Rademacher signs, and the exact ε of flipped signs.

The checker recounts both in whole numbers: the data and the projection are rational numbers
over common denominators.
"""

from collections import Counter
from fractions import Fraction
from functools import lru_cache, reduce
from math import gcd

from gaussian import of_parameter, positive
from real import Interval, decide, exp, log
from written import Ends, Parameter, decimal, keys, listed, need, numbers, parameter, string, whole, whole_multiples

MAX_HALVES = 40  # summands up to which meet-in-the-middle counts the signs
FEW_HALVES = 24  # summands up to which meet-in-the-middle is tried first
MAX_LATTICE = 1 << 28  # bits of the counts of all sums
MAX_WORK = 1 << 36  # bits that the computation of these counts touches
MAX_ENTRIES = 1 << 20  # entries of a projection
MAX_LEVEL = 1 << 40
MAX_EXACT = 1 << 20  # bits of e^loss


# ---- P₊: the probability that |Σ ±u_i| ≤ beta


def rademacher(statement, proof):
    _, u, beta, value = keys(statement, "the statement", "kind u beta is")
    keys(proof, "the proof", "")
    u = numbers(u, "u", len(listed(u, "u")))
    beta, ends = positive(beta, "beta"), Ends(value)
    need(u, "u is empty")
    sizes, scale = whole_multiples([abs(v) for v in u if v], "u")
    common = reduce(gcd, sizes) if sizes else 1
    sizes, limit = [n // common for n in sizes], beta.numerator * scale // (beta.denominator * common)
    chance = within(sizes, limit)
    need(ends.lo.base is None and ends.lo.times <= chance, f"it is {decimal(chance)}, below lo")
    need(ends.hi.base is None and ends.hi.times >= chance, f"it is {decimal(chance)}, above hi")
    return f"the chance that a Rademacher sum of {len(u)} numbers is within {decimal(beta)} of 0 {ends.words}"


def within(sizes, limit):
    """Returns the probability that a sum of positive whole numbers with random signs is at most limit in size."""
    total = sum(sizes)
    if total <= limit:
        return Fraction(1)
    if 2 * max(sizes) - total > limit:
        return Fraction(0)
    if len(sizes) <= FEW_HALVES:
        return halves(sizes, limit)
    groups = sorted(Counter(sizes).items(), key=lambda group: group[0] * group[1])
    size, count = groups.pop()
    others = [s for s, n in groups for _ in range(n)]
    slot = len(others) + 2
    bits = (sum(others) + 1) * slot
    if bits <= MAX_LATTICE and bits * (len(others) + count) <= MAX_WORK and count**2 <= MAX_WORK:
        return lattice(others, slot, size, count, limit)
    need(len(sizes) <= MAX_HALVES, f"u has more than {MAX_HALVES} numbers that are not 0, and their sums are too many")
    return halves(sizes, limit)


def lattice(others, slot, size, count, limit):
    """Returns the probability of within for the numbers `others` and `count` further numbers of one size.

    One whole number holds the count of every sum s of those others that have the sign +, in `slot` bits
    from bit s·slot on. The further numbers are summed over how many of them have the sign +.
    """
    counts, total = 1, sum(others)
    for n in others:
        counts += counts << (n * slot)
    inside, ways = 0, 1
    for plus in range(count + 1):
        rest = size * (2 * plus - count)  # |2 s - total + rest| ≤ limit
        low, high = max(0, -((limit + rest - total) // 2)), min(total, (limit - rest + total) // 2)
        if low <= high:
            window = (counts >> (low * slot)) & ((1 << (high - low + 1) * slot) - 1)
            inside += ways * (window % ((1 << slot) - 1))  # the sum of its counts, which is at most 2^(slot - 2)
        ways = ways * (count - plus) // (plus + 1)
    return Fraction(inside, 1 << (len(others) + count))


def halves(sizes, limit):
    """Returns the probability of within by meet-in-the-middle: (T - limit)/2 ≤ A + B ≤ (T + limit)/2, T = Σ sizes.

    A and B are the sums of the numbers with sign + in either half.
    """
    total = sum(sizes)
    low, high = -((limit - total) // 2), (total + limit) // 2
    a, b = subset_sums(sizes[::2]), subset_sums(sizes[1::2])
    first = end = len(b)
    inside = 0
    for v in a:  # as A increases, the window for B moves down
        while end and v + b[end - 1] > high:
            end -= 1
        while first and v + b[first - 1] >= low:
            first -= 1
        inside += end - first if end > first else 0
    return Fraction(inside, 1 << len(sizes))


def subset_sums(sizes):
    sums = [0]
    for n in sizes:
        sums = sorted(sums + [s + n for s in sums])
    return sums


# ---- The smallest ε of flipped signs


class Signs:
    """W, the vectors and β as whole numbers: columns[j] is column j of W, `data` and `reach` (β) are times `unit`."""

    def __init__(self, projection, beta, vectors):
        need(type(projection) is dict, "the projection is not an object")
        if "signs" in projection:
            (rows,) = keys(projection, "the projection", "signs")
            width = len(string(rows[0], "a row")) if listed(rows, "signs") else 0
            need(len(rows) * width <= MAX_ENTRIES, f"the projection has more than {MAX_ENTRIES} entries")
            entry = {"+": 1, "-": -1, "0": 0}
            for row in rows:
                need(len(string(row, "a row")) == width and all(c in entry for c in row), "a row is not of +, - and 0, as long as the first")
            flat, scale = [entry[c] for row in rows for c in row], 1
        else:
            (rows,) = keys(projection, "the projection", "rows")
            width = len(listed(rows[0], "a row")) if listed(rows, "rows") else 0
            need(len(rows) * width <= MAX_ENTRIES, f"the projection has more than {MAX_ENTRIES} entries")
            flat, scale = whole_multiples([v for row in rows for v in numbers(row, "a row", width)], "the projection")
        need(rows and width, "the projection is empty")
        self.p, self.k = len(rows), width
        self.columns = [flat[j::width] for j in range(width)]
        self.largest = [max(map(abs, column)) for column in self.columns]
        self.most = max(sum(v != 0 for v in flat[i : i + width]) for i in range(0, len(flat), width))
        data = [numbers(v, "a vector", self.p) for v in vectors]
        for v in data:
            need(all(-1 <= x <= 1 for x in v), "a vector leaves [-1, 1]")
        self.beta, self.unit = beta, 1
        ints, self.unit = whole_multiples([beta] + [x for v in data for x in v], "the data")
        self.reach = ints[0]  # β in units
        self.data = [ints[1 + n * self.p : 1 + (n + 1) * self.p] for n in range(len(data))]

    def products(self, vector):
        return [sum(a * b for a, b in zip(column, vector)) for column in self.columns]

    def level(self, j, d):
        """Returns the level sign(d)·⌈|d|/(β max_i |W_ij|)⌉ of sign j."""
        if not d:
            return 0
        steps = -(-abs(d) // (self.reach * self.largest[j]))
        return steps if d > 0 else -steps

    def ends(self, vector):
        """Yields each coordinate with its largest moves up and down that stay within β and in [-1, 1]."""
        for i, v in enumerate(vector):
            for move in min(self.reach, self.unit - v), -min(self.reach, self.unit + v):
                if move:
                    yield i, move


class Loss:
    """The privacy loss n ε' + Σ_m c_m ln(1 + e^(-m ε')) of a pair of vectors, where n is `linear`."""

    def __init__(self, linear, terms):
        self.linear, self.terms = linear, tuple(sorted((m, c) for m, c in terms.items() if c))

    def key(self):
        return self.linear, self.terms


def losses(pairs):
    """Returns Σ max_s ln(P(s)/Q(s)) for pairs of levels, in both directions; Pr[+] = 1/(1 + e^(-level ε'))."""
    result = []
    for direction in (1, -1):
        linear, terms = 0, Counter()
        for (a, b), count in pairs.items():
            a, b = (a, b) if direction == 1 else (b, a)
            if a != b:
                # a > b: the loss at + is ln(1 + e^(-b ε')) - ln(1 + e^(-a ε')). a < b: at -, it is that of -a and -b.
                a, b = (a, b) if a > b else (-a, -b)
                for m, sign in (b, count), (a, -count):
                    linear += sign * max(-m, 0)  # ln(1 + e^x) = x + ln(1 + e^-x)
                    terms[abs(m)] += sign
        result.append(Loss(linear, terms))
    return result


def signs_epsilon(statement, proof):
    words = "kind projection rule beta eps is"
    _, projection, rule, beta, eps, value, shared, u, v = keys(statement, "the statement", words, "shared u v")
    keys(proof, "the proof", "")
    need(rule in ("flips", "levels", "within"), "rule is none of flips, levels and within")
    need((shared is None) == (rule == "within"), "shared does not belong to the rule, or is missing")
    need(u is not None or v is None, "there is v without u")
    beta, eps, ends = positive(beta, "beta"), parameter(eps, "eps"), Ends(value, True)
    signs = Signs(projection, beta, [x for x in (u, v) if x is not None])
    if shared is not None:
        whole(shared, "shared", signs.k + 1, 1)
    found = {"flips": flipped, "levels": leveled, "within": reached}[rule](signs)
    if found is None:
        need(ends.lo is None, "it is infinite")
    else:
        found, count = found
        unit = Parameter(eps.times / (shared or max(count, 1)), eps.base)
        judge(found, unit, ends)
    where = "all neighbors" if u is None else "a vector and its neighbors" if v is None else "two vectors"
    return f"the smallest epsilon of {signs.k} signs of {signs.p} numbers, flipped by the rule {rule}, over {where} {ends.words}"


def others(signs):
    """Returns the products at u; and for v, or each extreme neighbor of u, a dict from sign j to its product."""
    at = signs.products(signs.data[0])
    if len(signs.data) == 2:
        return at, [dict(enumerate(signs.products(signs.data[1])))]
    return at, ({j: at[j] + column[i] * move for j, column in enumerate(signs.columns) if column[i]} for i, move in signs.ends(signs.data[0]))


def flipped(signs):
    """Returns the loss of the most signs that change, where 0 has the sign +, and the number of signs."""
    if not signs.data:
        return [Loss(signs.most, {})], signs.k
    at, moved = others(signs)
    return [Loss(max((sum((d < 0) != (at[j] < 0) for j, d in to.items()) for to in moved), default=0), {})], signs.k


def leveled(signs):
    """Returns the losses for all changes of levels, and the number of signs."""
    if not signs.data:
        return [Loss(signs.most, {})], signs.k
    at, moved = others(signs)
    own = [signs.level(j, d) if signs.largest[j] else 0 for j, d in enumerate(at)]
    found = {}
    for to in moved:
        pairs = Counter((own[j], signs.level(j, d) if signs.largest[j] else 0) for j, d in to.items())
        for loss in losses(pairs):
            found[loss.key()] = loss
    return list(found.values()) or [Loss(0, {})], signs.k


def reached(signs):
    """Returns what flipped does, for the signs that one move can flip; None if another sign may differ."""
    reach = [signs.reach * v for v in signs.largest]
    if not signs.data:
        leaves = any(sum(map(abs, column)) * signs.unit > r for column, r in zip(signs.columns, reach))
        return None if leaves else ([Loss(signs.most, {})], signs.k)
    at, moved = others(signs)
    most = 0
    for to in moved:
        flips = 0
        for j, d in to.items():
            drawn, changed = abs(at[j]) <= reach[j], (d < 0) != (at[j] < 0)
            if drawn != (abs(d) <= reach[j]) or (changed and not drawn):
                return None
            flips += changed
        most = max(most, flips)
    return [Loss(most, {})], sum(abs(d) <= r for d, r in zip(at, reach))


def judge(found, unit, ends):
    """Raises Rejected unless the largest of some losses lies between the ends."""
    need(ends.lo is not None, "it is finite")
    need(all(m <= MAX_LEVEL for loss in found for m, _ in loss.terms), f"a level is above {MAX_LEVEL}")
    of_unit = of_parameter(unit)

    @lru_cache(maxsize=None)
    def tail(m, bits):
        """Returns an enclosure of ln(1 + e^(-m ε'))."""
        one, x = Interval.of(1, bits), of_unit(bits + 64) * Interval.of(m, bits + 64)
        if x.lo > 0 and x.lo.bit_length() + x.exp > 40:  # x ≥ 2^40, so below 2^-2^39
            return Interval(0, 1, -(1 << 39), bits)
        return log(one + exp(-x, bits), bits)

    def value(loss, bits):
        result = of_unit(bits) * Interval.of(loss.linear, bits)
        for m, c in loss.terms:
            result = result + tail(m, bits) * Interval.of(c, bits)
        return result

    def compare(loss, end):
        if not loss.terms:
            same = Parameter(unit.times * loss.linear, unit.base)
            if same.base == end.base:
                return (same.times > end.times) - (same.times < end.times)
        of_end = of_parameter(end)
        return decide(lambda bits: value(loss, bits) - of_end(bits), lambda: exactly(loss, unit, end))

    near = sorted(found, key=lambda loss: value(loss, 128).ends()[1], reverse=True)
    need(any(compare(loss, ends.lo) >= 0 for loss in near[:64]), "it is below lo")
    if ends.hi is not None:
        need(all(compare(loss, ends.hi) <= 0 for loss in near), "it is above hi")


def exactly(loss, unit, end):
    """Returns the sign of a loss minus an end if e^loss and e^end are rational and short, else None."""
    if unit.base is None or end.base is None or unit.times.denominator != 1 or end.times.denominator != 1:
        return None
    step = unit.base ** int(unit.times) if abs(unit.times) < 64 else None
    length = sum((1 + m) * abs(c) for m, c in loss.terms) + abs(loss.linear)
    if step is None or length * (step.numerator.bit_length() + step.denominator.bit_length()) > MAX_EXACT:
        return None
    q = step**loss.linear
    for m, c in loss.terms:
        q *= (1 + step**-m) ** c
    other = end.base ** int(end.times)
    return (q > other) - (q < other)


KINDS = {"rademacher": rademacher, "signs epsilon": signs_epsilon}
