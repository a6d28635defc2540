"""Checks statements about many uses of finite mechanisms on the same dataset, with independent noise.

At neighbors x, y the privacy losses ln p^x(r)/p^y(r) of all uses add up to L, under the law at x. The excess is
the hockey-stick divergence, the mean of max(0, 1 - e^(eps - L)), where an infinite loss counts 1. Losses of
leveled laws lie on a lattice. Their masses are whole numbers over 2^bits, rounded down when multiplied; the mass
lost in rounding is added to the upper end. Given an order s, the excess is at most
P[L = inf] + M s^s/(1+s)^(1+s) e^(-s eps), where M is the mean of e^(s L) over finite L, a product over uses.
For (1 - e^-t) e^(-s t), t > 0, is largest at e^-t = s/(1+s).
"""

from fractions import Fraction
from math import gcd

from finite import above, witness
from law import mechanism, product
from real import PRECISIONS, Interval, Undecided, decide, exp, log
from written import Ends, Parameter, decimal, keys, listed, need, number, parameter, power, short, whole

MAX_USES = 1 << 16
MAX_PARTS = 64
MAX_RUNGS = 1 << 13  # lattice points that a sum of losses may take
MAX_RATIOS = 1 << 12  # distinct sums of losses that lie on no lattice
MAX_WORDS = 1 << 26  # bits of all masses of a pair, computed exactly
MAX_ORDER = 1 << 20
MAX_POWER = 1 << 22  # bits of a power that is computed exactly


class Composition:
    def __init__(self, parts):
        need(0 < len(listed(parts, "parts")) <= MAX_PARTS, f"parts are none or more than {MAX_PARTS}")
        self.parts, words, uses = [], [], 0
        for part in parts:
            given, times = keys(part, "a part", "mechanism times")
            law, said = mechanism(given)
            self.parts.append((law, whole(times, "times", MAX_USES + 1, 1)))
            uses += times
            words.append(f"{times} x {said}")
        need(uses <= MAX_USES, f"more than {MAX_USES} uses")
        self.words = " and ".join(words)
        self.query = self.parts[0][0].query
        for law, _ in self.parts:
            need(law.query.n == self.query.n and set(law.query.pairs) == set(self.query.pairs), "the mechanisms have different neighbors")
        self.unit = self._common_unit()
        self.known = {}  # cached sums of losses

    def _common_unit(self):
        """Returns the largest parameter of which the units of all laws are whole multiples, or None if none exists."""
        units = [law.unit for law, _ in self.parts]
        if any(law.levels is None for law, _ in self.parts) or len({u.base for u in units}) > 1:
            return None
        top, under = 0, 1
        for u in units:
            under *= u.times.denominator // gcd(under, u.times.denominator)
        for u in units:
            top = gcd(top, int(u.times * under))
        return Parameter(Fraction(top, under), units[0].base)

    def losses(self, x, y):
        """Returns the sum of losses at a pair. On a lattice, pairs of datasets with equal masses share one result."""
        factors, where = [], []
        for law, times in self.parts:
            atoms, alone = {}, {}
            for r, terms in enumerate(law.numerators[x]):
                if terms and not law.numerators[y][r]:
                    add(alone, terms)
                elif terms and self.unit:
                    step = (law.levels[y][r] - law.levels[x][r]) * int(law.unit.times / self.unit.times)
                    add(atoms.setdefault(step, {}), terms)
                elif terms:
                    atoms.setdefault(("r", r), {}).update(terms)
            factors.append((law, times, atoms, alone))
            where.append((frozenset((k, frozenset(t.items())) for k, t in atoms.items()), frozenset(alone.items()),
                          frozenset(law.denominators[x].items()), frozenset(law.denominators[y].items()), () if self.unit else (x, y)))
        where = tuple(where)
        if where not in self.known:
            self.known[where] = Lattice(self, factors, x, y) if self.unit else Ratios(self, x, y)
        return self.known[where]


def add(total, terms):
    for k, c in terms:
        total[k] = total.get(k, 0) + c


class Lattice:
    """The sum of losses at a pair, if each loss of one use is a whole multiple of a unit plus an offset."""

    def __init__(self, whole_of, factors, x, y):
        self.unit, self.factors, self.x, self.y = whole_of.unit, factors, x, y
        self.signs = {}
        steps = [k for _, _, atoms, _ in factors for k in atoms]
        self.first = [min(atoms, default=0) for _, _, atoms, _ in factors]
        self.stride = 0  # distance of lattice points, in units
        for (_, _, atoms, _), least in zip(factors, self.first):
            for k in atoms:
                self.stride = gcd(self.stride, k - least)
        self.stride = self.stride or 1
        self.finite = all(atoms for _, _, atoms, _ in factors)
        self.start = sum(least * times for least, (_, times, _, _) in zip(self.first, factors))
        rungs = 1 + sum(times * (max(atoms) - least) for (_, times, atoms, _), least in zip(factors, self.first) if atoms) // self.stride
        need(rungs <= MAX_RUNGS and len(steps) <= MAX_RUNGS, f"sums of losses on {rungs} rungs, more than {MAX_RUNGS}")

    # ---- enclosures

    def offset_power(self, s, bits):
        """Returns an enclosure of e^(s·offset) for the total offset and rational s: Π (D_y/D_x)^(s·times)."""
        total = Interval.of(1, bits)
        for law, times, _, _ in self.factors:
            ratio = law.denominator(self.y, bits) / law.denominator(self.x, bits)
            total = total * (raised(ratio, times * s, bits) if s.denominator == 1 else exp(log(ratio, bits) * Interval.of(times * s, bits), bits))
        return total

    def surely(self, bits):
        """Returns enclosures of the probabilities of an infinite and of a finite loss."""
        none = Interval.of(1, bits)
        for law, times, _, alone in self.factors:
            if alone:
                share = Interval.of(1, bits) - law.value(alone, bits) / law.denominator(self.x, bits)
                none = none * raised(share, times, bits) if self.finite else Interval.of(0, bits)
        return Interval.of(1, bits) - none, none

    def masses(self, law, atoms, least, bits):
        """Returns lower bounds on the masses of one use's losses, times 2^bits, as a list over the lattice."""
        out = [0] * (1 + (max(atoms) - least) // self.stride)
        for k, terms in atoms.items():
            out[(k - least) // self.stride] = (law.value(terms, bits + 32) / law.denominator(self.x, bits + 32)).fixed(bits)[0]
        return out

    def excess(self, eps, bits):
        """Returns an enclosure of the excess at eps."""
        infinite, finite = self.surely(bits)
        if not self.finite:
            return infinite
        total = None
        for (law, times, atoms, _), least in zip(self.factors, self.first):
            powers = raised_law(self.masses(law, atoms, least, bits), times, bits)
            total = powers if total is None else multiply(total, powers, bits)
        lost = finite.fixed(bits)[1] - sum(total)
        work = bits + 32
        decay = power(self.unit.base, -self.unit.times * self.stride, work)
        # e^(eps - loss) at the smallest loss
        under = power(eps.base, eps.times, work) * power(self.unit.base, -self.unit.times * self.start, work) * self.offset_power(Fraction(-1), work)
        low = high = 0
        one = 1 << bits
        for mass in total:
            if (under - Interval.of(1, bits)).sign() != 1:
                a, b = under.fixed(bits)
                low += mass * max(0, one - b)
                high += mass * max(0, one - a)
            under = under * decay
        return Interval(low, high + max(0, lost) * one, -2 * bits, 4 * bits) + infinite

    def excess_sign(self, eps, end):
        """Returns the sign of the excess at eps minus a rational number."""
        more = max(0, end.denominator.bit_length() - end.numerator.bit_length()) if end else 0
        if (eps, end) not in self.signs:
            self.signs[eps, end] = decide(
                lambda bits: self.excess(eps, 64 + bits + more) - Interval.of(end, 64 + bits + more), lambda: self.exact_sign(eps, end))
        return self.signs[eps, end]

    def bounded(self, eps, s, end):
        """Reports whether the moment of order s proves that the excess at eps is below end."""
        bits = 96
        factor = Interval.of(1, bits)
        for law, times, atoms, _ in self.factors:
            mean = Interval.of(0, bits)
            for k, terms in atoms.items():
                mean = mean + law.value(terms, bits) * power(self.unit.base, self.unit.times * k * s, bits)
            factor = factor * raised(mean / law.denominator(self.x, bits), times, bits)
        one = Interval.of(1, bits)
        best = log(Interval.of(s / (1 + s), bits), bits) * Interval.of(s, bits) - log(Interval.of(1 + s, bits), bits)
        best = exp(best - eps.enclosure(bits) * Interval.of(s, bits), bits) * one
        total = factor * self.offset_power(s, bits) * best + self.surely(bits)[0] if self.finite else self.surely(bits)[0]
        return (total - Interval.of(end, bits)).sign() == -1

    # ---- exactly

    def exact_sign(self, eps, end):
        """Returns the sign of the excess minus end, computed exactly, or None if a number is irrational or too long."""
        rung = rational_power(self.unit, self.unit.times * self.stride)
        ratio = rational_power(eps, eps.times)
        if rung is None or ratio is None:
            return None
        infinite, finite, scale, total, offset, bits = Fraction(0), Fraction(1), 1, [1], Fraction(1), 0
        for (law, times, atoms, alone), least in zip(self.factors, self.first):
            under, other = law.exactly(law.denominators[self.x]), law.exactly(law.denominators[self.y])
            shares = {k: law.exactly(terms) for k, terms in atoms.items()}
            if under is None or other is None or any(v is None for v in shares.values()):
                return None
            sure = law.exactly(alone)
            if sure is None:
                return None
            if times * max(under.numerator, under.denominator, other.numerator, other.denominator).bit_length() > MAX_POWER:
                return None
            finite *= (1 - sure / under) ** times
            row = [Fraction(0)] * (1 + (max(atoms, default=0) - least) // self.stride)
            for k, v in shares.items():
                row[(k - least) // self.stride] = v / under
            common = 1
            for v in row:
                common *= v.denominator // gcd(common, v.denominator)
            bits += times * common.bit_length()
            if bits * (len(total) + times * len(row)) > MAX_WORDS:
                return None
            total = multiply(total, exact_power([int(v * common) for v in row], times, common.bit_length() + len(row).bit_length()), None, bits + 64)
            scale *= common**times
            offset *= (under / other) ** times  # e^-offset
        infinite = 1 - finite
        start = rational_power(self.unit, -self.unit.times * self.start)
        if start is None:
            return None
        under, sum_p, sum_q = ratio * start * offset, 0, Fraction(0)
        for j, mass in enumerate(total):
            if under >= 1:
                under /= rung
                continue
            # From j on, Σ_i mass_i (1 - under rung^-(i - j)) by Horner's rule.
            rest = total[j:]
            sum_p = sum(rest)
            top, low = rung.numerator, rung.denominator  # under falls by the factor low/top
            value, weight = 0, 1
            for m in rest:
                value = value * top + m * weight
                weight *= low
            sum_q = under * Fraction(value, top ** (len(rest) - 1))
            break
        value = (sum_p - sum_q) / scale + infinite if self.finite else infinite
        return (value > end) - (value < end)


def rational_power(of, times):
    """Returns base^times for the base of a parameter, or None if it is irrational or too long."""
    if times == 0:
        return Fraction(1)
    if of.base is None or times.denominator != 1 or abs(times) * max(of.base.numerator, of.base.denominator).bit_length() > MAX_POWER:
        return None
    return of.base ** int(times)


def raised(value, times, bits):
    """Returns an enclosure of value^times for a whole number times; if times < 0, value must not contain 0."""
    if times < 0:
        return Interval.of(1, bits) / raised(value, -times, bits)
    result, times = Interval.of(1, bits), int(times)
    value = value.with_bits(bits)
    while times:
        if times & 1:
            result = result * value
        value, times = value * value, times >> 1
    return result


def multiply(a, b, bits, slot=None):
    """Returns the convolution of two lists of masses times 2^bits, rounded down; of whole numbers if bits is None."""
    if len(a) == 1 or len(b) == 1:
        a, b = (a, b) if len(a) == 1 else (b, a)
        return [a[0] * v if bits is None else a[0] * v >> bits for v in b]
    slot = (slot or 2 * bits) + min(len(a), len(b)).bit_length() + 8 >> 3
    packed = [int.from_bytes(b"".join(v.to_bytes(slot, "little") for v in row), "little") for row in (a, b)]
    size = len(a) + len(b) - 1
    data = (packed[0] * packed[1]).to_bytes(slot * size, "little")
    out = [int.from_bytes(data[i * slot : (i + 1) * slot], "little") for i in range(size)]
    return out if bits is None else [v >> bits for v in out]


def raised_law(row, times, bits):
    """Returns the masses of the sum of `times` losses, given those of one, times 2^bits and rounded down."""
    result = None
    while True:
        if times & 1:
            result = row if result is None else multiply(result, row, bits)
        times >>= 1
        if not times:
            return result
        row = multiply(row, row, bits)


def exact_power(row, times, each):
    """Returns the exact `times`-fold convolution of a list of whole numbers with a sum below 2^each."""
    result, size, has = [1], each, 0
    while True:
        if times & 1:
            result, has = multiply(result, row, None, size + has), size + has
        times >>= 1
        if not times:
            return result
        row, size = multiply(row, row, None, 2 * size), 2 * size


class Ratios:
    """The sum of losses at a pair of rational laws: products of the ratios p/q of all uses, with their masses."""

    def __init__(self, whole_of, x, y):
        self.law, finite = {Fraction(1): Fraction(1)}, Fraction(1)
        for law, times in whole_of.parts:
            under, other = law.exactly(law.denominators[x]), law.exactly(law.denominators[y])
            need(under is not None and other is not None, "losses on no common lattice, of a law that is not rational")
            one, share = {}, Fraction(0)
            for a, b in zip(law.numerators[x], law.numerators[y]):
                a, b = law.exactly(dict(a)), law.exactly(dict(b))
                need(a is not None and b is not None, "losses on no common lattice, of a law that is not rational")
                if a and b:
                    ratio = a * other / (b * under)
                    one[ratio] = one.get(ratio, 0) + a / under
                elif a:
                    share += a / under
            finite *= (1 - share) ** times
            for _ in range(times):
                product = {}
                for u, p in self.law.items():
                    for v, q in one.items():
                        product[u * v] = product.get(u * v, 0) + p * q
                    need(len(product) <= MAX_RATIOS, f"more than {MAX_RATIOS} sums of losses on no common lattice")
                self.law = product
        self.infinite = 1 - finite
        self.signs = {}

    def excess_sign(self, eps, end):
        if (eps, end) in self.signs:
            return self.signs[eps, end]
        ratio = rational_power(eps, eps.times)

        def value(w, clip):
            return [(p, w / u) for u, p in self.law.items() if clip(u)]

        if ratio is not None:
            excess = self.infinite + sum(p * (1 - v) for p, v in value(ratio, lambda u: u > ratio))
            sign = (excess > end) - (excess < end)
        else:

            def difference(bits):
                w = power(eps.base, eps.times, bits)
                low, high = w.ends()
                p = self.infinite + sum(p for u, p in self.law.items() if u > high)
                q = sum(p / u for u, p in self.law.items() if u > high)
                near = sum(p * (1 - low / u) for u, p in self.law.items() if low < u <= high)
                sure = Interval.of(p, bits) - w * Interval.of(q, bits) - Interval.of(end, bits)
                return sure + Interval(0, 1, 0, bits) * Interval.of(near, bits)

            def exactly():
                if any(u > 1 for u in self.law):
                    return None  # the excess may be irrational, as e^eps is
                return (self.infinite > end) - (self.infinite < end)

            sign = decide(difference, exactly)
        self.signs[eps, end] = sign
        return sign

    def bounded(self, eps, s, end):
        return False


def largest_sign(whole_of, x, y, end):
    """Returns the sign of the largest loss at a pair minus a parameter; 1 if the loss is infinite."""
    tops = []
    for law, times in whole_of.parts:
        places = law.worst(x, y)
        if any(not law.numerators[y][r] for r in places):
            return 1
        tops.append((law, times, places))
    exact = []
    for law, times, places in tops:  # exact ratios, if all are rational
        under, other = law.exactly(law.denominators[x]), law.exactly(law.denominators[y])
        ratios = [(law.exactly(dict(law.numerators[x][r])), law.exactly(dict(law.numerators[y][r]))) for r in places]
        if under is None or other is None or any(a is None or b is None for a, b in ratios):
            exact = None
            break
        exact.append((max(a / b for a, b in ratios) * other / under, times))

    def difference(bits):
        total = -end.enclosure(bits)
        for law, times, places in tops:
            factor = law.denominator(y, bits) / law.denominator(x, bits)
            logs = [log(law.numerator(x, r, bits) / law.numerator(y, r, bits) * factor, bits) for r in places]
            best = logs[0]
            for v in logs[1:]:
                best = larger(best, v)
            total = total + best * Interval.of(times, bits)
        return total

    def exactly():
        ratio = rational_power(end, end.times) if end.times else Fraction(1)
        if exact is None or ratio is None:
            return whole_steps(tops, x, y, end)
        value = Fraction(1)
        for of, times in exact:
            value *= of**times
        return (value > ratio) - (value < ratio)

    return decide(difference, exactly)


def whole_steps(tops, x, y, end):
    """Returns 0 if the largest loss equals end and the largest p^x(r)/p^y(r) are powers of v, else None."""
    total = Fraction(0)
    for law, times, places in tops:
        if law.unit.base != end.base and end.times:
            return None
        steps, others = [], []
        for r in places:
            a = product(dict(law.numerators[x][r]), law.denominators[y])
            b = product(dict(law.numerators[y][r]), law.denominators[x])
            a, b = ({k: c for k, c in terms.items() if c} for terms in (a, b))
            down = min(b) - min(a)
            if {k + down: c for k, c in a.items()} == b:
                steps.append(down)
            else:
                others.append(r)
        if not steps or any(law.compare(x, y, r, Parameter(law.unit.times * max(steps), law.unit.base)) > 0 for r in others):
            return None
        total += law.unit.times * times * max(steps)
    return 0 if total == end.times else None


def larger(a, b):
    """Returns an enclosure of the maximum of two enclosed numbers."""
    if (a - b).sign() == 1:
        return a
    if (a - b).sign() in (0, -1):
        return b
    (p, q), (r, s) = a.ends(), b.ends()
    low, high = Interval.of(max(p, r), a.bits), Interval.of(max(q, s), a.bits)
    shift = min(low.exp, high.exp)
    return Interval(low.lo << (low.exp - shift), high.hi << (high.exp - shift), shift, a.bits)


def read_orders(orders, query):
    """Returns the order s of every pair of neighbors that has one."""
    out = {}
    for entry in listed(orders, "orders"):
        x, y, s = listed(entry, "an order", 3)
        whole(x, "a dataset", query.n), whole(y, "a dataset", query.n)
        need(y in query.beside[x], f"the order of {x}, {y}, which are no neighbors")
        need((x, y) not in out, f"the order of {x}, {y} comes twice")
        out[x, y] = number(s, "an order")
        need(0 < out[x, y] <= MAX_ORDER, f"an order is not positive, or above {MAX_ORDER}")
    return out


def composition(statement, proof):
    parts, ends, eps, slack = keys(statement, "the statement", "kind parts is", "eps delta")[1:]
    need((eps is None) != (slack is None), "the statement has neither or both of eps and delta")
    orders, seen = keys(proof, "the proof", "", "orders witness")
    whole_of = Composition(parts)
    seen = witness({} if seen is None else {"witness": seen}, whole_of.query, "x y")
    orders = read_orders(orders or [], whole_of.query)
    if eps is not None:
        eps, ends = parameter(eps, "eps", zero=True), Ends(ends)
        need(ends.hi.sign() >= 0, "the upper end is negative")
        at_most(whole_of, orders, eps, ends.hi.times)
        if above(ends.lo):
            need(seen, "the lower end has no witness")
            need(whole_of.losses(*seen).excess_sign(eps, ends.lo.times) >= 0, "delta at the witness is below the lower end")
        return f"delta at epsilon {eps.words()} of {whole_of.words} {ends.words}"
    slack, ends = number(slack, "delta", 0), Ends(ends, logarithms=True)
    need(slack < 1, "delta is not below 1")
    need(ends.hi is None or ends.hi.sign() >= 0, "the upper end is negative")
    if slack:
        if ends.hi is not None:
            at_most(whole_of, orders, ends.hi, slack)
        if above(ends.lo):
            need(seen, "the lower end has no witness")
            low = whole_of.losses(*seen)
            need(beyond(low, slack) or (ends.lo is not None and low.excess_sign(ends.lo, slack) > 0), "delta at the lower end is not above the given one at the witness")
        return f"the least epsilon at delta {decimal(slack)} of {whole_of.words} {ends.words}"
    if ends.hi is not None:
        for x, y in whole_of.query.ordered():
            need(largest_sign(whole_of, x, y, ends.hi) <= 0, f"the largest loss is above the upper end at datasets {x}, {y}")
    if above(ends.lo):
        need(seen, "the lower end has no witness")
        infinite = any(a and not b for law, _ in whole_of.parts for a, b in zip(law.numerators[seen[0]], law.numerators[seen[1]]))
        need(infinite or (ends.lo is not None and largest_sign(whole_of, *seen, ends.lo) >= 0), "the largest loss at the witness is below the lower end")
    return f"the smallest epsilon of {whole_of.words} {ends.words}"


def at_most(whole_of, orders, eps, end):
    """Checks that the excess at eps is at most end for all pairs of neighbors."""
    for x, y in whole_of.query.ordered():
        if end == 0:  # then no loss may exceed eps
            need(largest_sign(whole_of, x, y, eps) <= 0, f"delta is not 0 at datasets {x}, {y}")
            continue
        at = whole_of.losses(x, y)
        if (x, y) in orders and at.bounded(eps, orders[x, y], end):
            continue
        need(at.excess_sign(eps, end) <= 0, f"delta is above {decimal(end)} at datasets {x}, {y}")


def beyond(at, slack):
    """Reports whether the probability of an infinite loss is above slack."""
    if isinstance(at, Ratios):
        return at.infinite > slack
    if not any(alone for _, _, _, alone in at.factors):
        return False
    for bits in PRECISIONS:
        sign = (at.surely(bits)[0] - Interval.of(slack, bits)).sign()
        if sign is not None:
            return sign > 0
    raise Undecided


KINDS = {"composition": composition}
