"""Checks refutations: a line computes both sides of a statement and prints False, because the statement fails.

The checker evaluates the line in real numbers. Rational numbers are exact. Others have
enclosures, which are refined until a comparison is decided. Mechanisms on finite queries
are made by the rules of law.py. The value of any other call must be one of the facts. Each
fact is a statement that is checked like a certificate of its own. Its number may lie anywhere
between its ends, so a comparison that does not hold for all of them is undecided.

A line has at most MAX_LINE characters, and its rational numbers at most MAX_LONG bits. All work
(steps, bits of enclosures, entries of lists) is counted, up to MAX_WORK.
"""

import ast
import json
import operator
import re
from collections import ChainMap
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from math import ceil, floor, isqrt

import law
from calls import agree, in_place
from composition import larger, raised
from gaussian import density, mills
from kinds import proved
from law import Law
from mvg import between
from noise import MAX_SIZE, Bernoulli
from query import Query
from real import Interval, Undecided, decide, exp, log
from written import Parameter, Rejected, keys, listed, need, short, shown, string
from written import number as written_number

MAX_LINE = 20_000
MAX_LONG = 1 << 14
MAX_WORK = 20_000_000


class Work:
    """Counts the work that the current line may still do."""

    left = MAX_WORK

    @staticmethod
    def spend(amount):
        Work.left -= amount
        need(Work.left >= 0, f"the line takes more than {MAX_WORK} steps")


def not_long(x):
    """Returns a rational number, or raises Rejected if it has more than MAX_LONG bits."""
    bits = max(x.numerator.bit_length(), x.denominator.bit_length())
    need(bits <= MAX_LONG, f"a number of the line takes more than {MAX_LONG} bits")
    Work.spend(4 + (bits >> 8) ** 2)
    return x


def items(x):
    """Returns a list of the entries of a value that a line may iterate over."""
    need(type(x) in (list, tuple, range, dict), f"a {type(x).__name__} has no entries")
    Work.spend(16 * len(x))
    return list(x)


class Real:
    """A real number: `exact` is its rational value, or None; enclosure(bits) encloses it."""

    def __init__(self, exact, enclosure=None):
        self.exact, self.known = exact, {}
        self.enclosure = enclosure or (lambda bits: Interval.of(exact, bits))
        Work.spend(4)
        if exact is not None:
            not_long(exact)

    def at(self, bits):
        if bits not in self.known:
            Work.spend(bits)
            self.known[bits] = self.enclosure(bits)
        return self.known[bits]

    def apply(self, rational, enclosed, other=None):
        if other is None:
            return Real(None, lambda bits: enclosed(self.at(bits), bits))
        if self.exact is not None and other.exact is not None:
            return Real(rational(self.exact, other.exact))
        return Real(None, lambda bits: enclosed(self.at(bits), other.at(bits)))

    def sign(self):
        return decide(lambda bits: self.at(bits), lambda: None if self.exact is None else (self.exact > 0) - (self.exact < 0))

    def whole(self, rounding):
        """Returns ⌊x⌋ or ⌈x⌉, or another monotonic rounding to whole numbers."""
        if self.exact is not None:
            return rounding(self.exact)
        for bits in 64, 256, 1024:
            lo, hi = map(rounding, self.at(bits).ends())
            if lo == hi:
                return lo
        raise Undecided


def real(x):
    if type(x) is bool or not isinstance(x, (int, Fraction, Real, Asked)):
        raise Rejected(f"a {type(x).__name__} is no number")
    if isinstance(x, Asked):
        return x.number()
    return x if isinstance(x, Real) else Real(Fraction(x))


def root(x, bits):
    """Returns an enclosure of √x for an interval of numbers x ≥ 0."""
    if x.lo < 0:
        raise Undecided
    places = 2 * bits + (x.exp & 1)
    lo, hi = isqrt(x.lo << places), isqrt(x.hi << places) + 1
    return Interval(lo, hi, (x.exp - places) // 2, bits)


def arctangent(x, bits):
    """Returns an enclosure of atan x = 2 atan(x/(1 + √(1 + x²))), thrice, then by the alternating series."""
    one, work = Interval.of(1, bits + 32), bits + 32
    x = x.with_bits(work)
    for _ in range(3):
        x = x / (one + root(one + x * x, work))
    square, power, total, j = x * x, x, x, 1
    while power.magnitude() > -work:
        power, j = -(power * square), j + 2
        total = total + power.over(j)
    size = max(abs(power.lo), abs(power.hi))
    return total.widened(Interval(0, size, power.exp, work)).shifted(3).with_bits(bits)


def pi(bits):
    """Returns an enclosure of π = 16 atan(1/5) - 4 atan(1/239)."""
    def part(n):
        return arctangent(Interval.of(Fraction(1, n), bits + 16), bits + 16)

    return (part(5).shifted(4) - part(239).shifted(2)).with_bits(bits)


def sine(x, bits):
    """Returns an enclosure of sin x = Im (e^(ix/2^k))^(2^k), by the Taylor series at x/2^k."""
    return turned(x, bits)[1]


def cosine(x, bits):
    return turned(x, bits)[0]


def turned(x, bits):
    halvings = max(x.magnitude(), 0) + 8
    if halvings > 64:
        raise Undecided
    work = bits + 2 * halvings + 32
    x = x.with_bits(work).shifted(-halvings)
    sums, term, j = [Interval.of(1, work), Interval.of(0, work)], Interval.of(1, work), 0
    while term.magnitude() > -work:
        j += 1
        term = (term * x).over(j)
        sums[j % 2] = sums[j % 2] + (term if j % 4 < 2 else -term)
    rest = Interval(0, max(abs(term.lo), abs(term.hi)), term.exp, work)
    c, s = (v.widened(rest) for v in sums)
    for _ in range(halvings):
        c, s = c * c - s * s, (c * s).shifted(1)
    return c.with_bits(bits), s.with_bits(bits)


def undecided(bits):
    raise Undecided


INFINITE = Real(None, undecided)  # the infinite number of a fact; it may only be compared


def add(a, b):
    if type(a) is list and type(b) is list:
        Work.spend(16 * (len(a) + len(b)))
        return a + b
    return real(a).apply(operator.add, operator.add, real(b))


def multiply(a, b):
    for x, y in (a, b), (b, a):
        if type(x) is list and type(y) is int:
            Work.spend(16 * len(x) * max(y, 0))
            return x * y
    return real(a).apply(operator.mul, operator.mul, real(b))


def divide(a, b):
    a, b = real(a), real(b)
    need(b.sign() != 0, "the line divides by 0")
    return a.apply(operator.truediv, operator.truediv, b)


def power(a, b):
    a, b = real(a), real(b)
    if b.exact is not None and b.exact.denominator == 1 and abs(b.exact) < 10_000:
        n = int(b.exact)
        need(n >= 0 or a.sign() != 0, "the line divides by 0")
        if a.exact is not None:
            need(abs(n) * max(a.exact.numerator.bit_length(), a.exact.denominator.bit_length()) <= MAX_LONG, f"a power takes more than {MAX_LONG} bits")
            return Real(a.exact**n)
        return a.apply(None, lambda x, bits: raised(x, n, bits))
    need(a.sign() > 0, "a power that is not whole of a number that is not positive")
    return Real(None, lambda bits: exp(b.at(bits + 64) * log(a.at(bits + 64), bits + 64), bits))


def logarithm(x):
    x = real(x)
    need(x.sign() > 0, "the logarithm of a number that is not positive")
    return Real(Fraction(0)) if x.exact == 1 else x.apply(None, log)


def square_root(x):
    x = real(x)
    need(x.sign() >= 0, "the root of a negative number")
    if x.exact is not None:
        n, d = isqrt(x.exact.numerator), isqrt(x.exact.denominator)
        if (n * n, d * d) == (x.exact.numerator, x.exact.denominator):
            return Real(Fraction(n, d))
    return x.apply(None, root)


def order(a, b):
    """Returns the sign of a - b, or the order of two strings."""
    if isinstance(a, str) and isinstance(b, str):
        return (a > b) - (a < b)
    a, b = real(a), real(b)
    if a is INFINITE or b is INFINITE:
        return (a is INFINITE) - (b is INFINITE)
    return a.apply(operator.sub, operator.sub, b).sign()


def same(a, b):
    Work.spend(1)
    if a is None or b is None:
        return a is b
    if type(a) is type(b) and type(a) in (list, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if type(a) is type(b) is dict:
        return a.keys() == b.keys() and all(same(v, b[k]) for k, v in a.items())
    if str in (type(a), type(b)) or type(a) is type(b) is bool:
        return type(a) is type(b) and a == b
    if {type(a), type(b)} & {list, tuple, dict} and Asked not in (type(a), type(b)):
        return False
    return order(a, b) == 0


COMPARE = {
    ast.Lt: lambda a, b: order(a, b) < 0,
    ast.LtE: lambda a, b: order(a, b) <= 0,
    ast.Gt: lambda a, b: order(a, b) > 0,
    ast.GtE: lambda a, b: order(a, b) >= 0,
    ast.Eq: same,
    ast.NotEq: lambda a, b: not same(a, b),
    ast.In: lambda a, b: any([same(a, x) for x in items(b)]),
}
BINARY = {
    ast.Add: add,
    ast.Sub: lambda a, b: real(a).apply(operator.sub, operator.sub, real(b)),
    ast.Mult: multiply,
    ast.Div: divide,
    ast.Pow: power,
}


def extreme(wanted):
    """Returns the function max, or min if wanted is -1. It returns an enclosure if a number is known by enclosures."""
    def of(*args):
        some = items(args[0]) if len(args) == 1 else list(args)
        need(some, "the least of nothing")
        values = [x if isinstance(x, str) else real(x) for x in some]
        if any(isinstance(x, Real) and x.exact is None for x in values) and INFINITE not in values:
            numbers = [real(x) for x in values]
            side = (lambda v: v) if wanted > 0 else operator.neg
            return Real(None, lambda bits: side(reduce(larger, [side(x.at(bits)) for x in numbers])))
        best = 0
        for i, x in enumerate(values):
            if order(x, values[best]) * wanted > 0:
                best = i
        return some[best]

    return of


def absolute(x):
    x = real(x)
    if x.exact is not None:
        return Real(abs(x.exact))

    def enclosed(v, bits):
        if v.lo >= 0:
            return v
        return -v if v.hi <= 0 else Interval(0, max(-v.lo, v.hi), v.exp, bits)

    return x.apply(None, enclosed)


def total(some):
    return reduce(add, some, 0)


# ---- Mechanisms on finite queries


def text(value):
    """Returns a rational number of the line in the notation of certificates."""
    value = real(value)
    need(value.exact is not None, "a query's number is not rational")
    return str(value.exact)


QUOTIENT = re.compile(r"(-?[0-9]{1,1000})(?:/([1-9][0-9]{0,999}))?")


def quotient(text):
    """Returns the rational number that a string of the line denotes."""
    match = QUOTIENT.fullmatch(text)
    need(match, f"{short(text)} is no fraction")
    return Fraction(int(match[1]), int(match[2] or 1))


def parameter(value):
    if isinstance(value, Log):
        return value.parameter
    value = real(value)
    need(value.exact is not None and value.exact > 0, "ε is not positive and rational")
    return Parameter(value.exact)


class Log(Real):
    """ln q for a rational number q > 1. It may be used as an ε."""

    def __init__(self, q):
        q = quotient(q) if isinstance(q, str) else real(q).exact
        need(q is not None and q > 1, "ln of what is not a rational number above 1")
        self.parameter = Parameter(Fraction(1), q)
        super().__init__(None, lambda bits: log(Interval.of(q, bits), bits))


class FiniteQuery:
    """A finite query with the attributes that scripts use."""

    def __init__(self, values, edges=None, distances=None, range=None):
        need(edges is None or distances is None, "a query has edges and distances")
        numbers = [text(v) for v in items(values)]
        span = numbers if range is None else [text(v) for v in items(range)]
        form = {"values": numbers, "range": sorted(set(span), key=Fraction) if range is None else span, "metric": "abs"}
        if distances is not None:
            form["distances"] = [[text(d) for d in items(row)] for row in items(distances)]
            self.apart = [[Fraction(d) for d in row] for row in form["distances"]]
        else:
            form["neighbors"] = [sorted(items(pair)) for pair in items(edges or [])]
            self.apart = None
        self.query = Query(form)
        self.span = [Fraction(v) for v in form["range"]]
        self.size = self.query.n

    def place(self, value):
        value = real(value).exact
        Work.spend(len(self.span))
        need(value in self.span, "a value that the range lacks")
        return self.span.index(value)

    def dataset(self, x):
        need(type(x) is int and 0 <= x < self.size, "a dataset that the query lacks")
        return x

    def between(self, x, y):
        """Returns d̄(x, y), or None if it is infinite."""
        if self.apart is not None:
            return self.apart[x][y]
        Work.spend(self.size + 2 * len(self.query.pairs))
        return law.spread(self.query, [(0, y)])[x]

    def distance(self, x, y):
        d = self.between(self.dataset(x), self.dataset(y))
        need(d is not None, "an infinite distance")
        return Real(Fraction(d)) if self.apart is not None else d

    def neighbors(self, x):
        return sorted(self.query.beside[self.dataset(x)])


class Mechanism:
    def __init__(self, query, law):
        self.of, self.law = query, law

    @property
    def smallest_epsilon(self):
        """The logarithm of the largest ratio of probabilities at neighbors; all probabilities must be rational."""
        law, most = self.law, Fraction(1)
        for x, y in self.of.query.ordered():
            for r in range(self.of.query.m):
                p, q = self.probability(x, r), self.probability(y, r)
                need(q or not p, "an infinite ε")
                if q:
                    most = max(most, p / q)
        return Log(most) if most > 1 else Real(Fraction(0))

    def probability(self, x, r):
        Work.spend(64 + 16 * len(self.law.denominators[x]))
        parts = [self.law.exactly(dict(terms)) for terms in (self.law.numerators[x][r], self.law.denominators[x])]
        need(None not in parts, "probabilities that are not rational")
        return parts[0] / parts[1]

    def level(self, x, r):
        return self.law.given[x][r]

    def layer(self, x, value):
        return self.level(self.of.dataset(x), self.of.place(value))

    def layers(self, x):
        row = self.law.given[self.of.dataset(x)]
        deepest = max(k for k in row if k is not None)
        Work.spend(16 * (deepest + 1) * len(row))
        return [[Real(v) for v, k in zip(self.of.span, row) if k == i] for i in range(deepest + 1)]

    def __eq__(self, other):
        return self is other


def leveled(query, unit, levels):
    law = Law.leveled(query.query, unit, [list(row) for row in levels])
    law.given = [list(row) for row in levels]
    return Mechanism(query, law)


def general(query, decay, initial, extra, rule="closure"):
    """Returns the mechanism whose layers are min ⌈d̄⌉ + i over all values of R_0 and R̃_I.

    By the rule "printed", as (34) is printed, values of R̃_I stay at their dataset.
    """
    need(rule in ("closure", "printed"), f"the rule {rule}")
    need(len(items(initial)) == len(items(extra)) == query.size, "initial values of more or fewer datasets than there are")
    need(all(type(i) is int and i > 0 for sets in extra for i in items(sets)), "a layer of extra that is not a whole number from 1 on")
    starts = [[] for _ in query.span]
    stays = [{} for _ in range(query.size)]
    for y in range(query.size):
        sets = {0: initial[y], **extra[y]}
        for i, values in sets.items():
            for value in items(values):
                r = query.place(value)
                if i and rule == "printed":
                    stays[y][r] = min(i, stays[y].get(r, i))
                else:
                    starts[r].append((i, y))
    columns = [law.spread(query.query, sorted(start)) for start in starts]
    levels = [[least(columns[r][x], stays[x].get(r)) for r in range(query.query.m)] for x in range(query.size)]
    return leveled(query, parameter(decay), levels)


def least(*levels):
    return min((k for k in levels if k is not None), default=None)


def finite_mechanism(query, table):
    rows = [[quotient(p) if isinstance(p, str) else real(p).exact for p in items(row)] for row in items(table)]
    need(all(p is not None for row in rows for p in row), "a probability that is not rational")
    return Mechanism(query, law.table(query.query, [[str(p) for p in row] for row in rows]))


class Discretization(Mechanism):
    """Definition 13: r is in layer i of x if e^-(i+1)ε < p^x(r)/M ≤ e^-iε, M the largest probability of all."""

    def __init__(self, m, eps):
        q, eps = m.of, parameter(eps)
        law = [[m.probability(x, r) for r in range(q.query.m)] for x in range(q.size)]
        most = max(map(max, law))
        levels = [[None if not p else self.steps(most / p, eps) for p in row] for row in law]
        made = leveled(q, eps, levels)
        super().__init__(q, made.law)
        self.eps = eps

    @staticmethod
    def steps(ratio, eps):
        """Returns the largest i with e^iε ≤ ratio."""
        need(eps.base is not None and eps.times.denominator == 1, "ε is not the logarithm of a rational number")
        i, step = 0, eps.base ** int(eps.times)
        power = step
        while power <= ratio:
            i, power = i + 1, not_long(power * step)
        return i

    def initial(self):
        """Returns R_0^x and R̃_i^x for every x. By (33), R̃_i^x, i ≥ 1, has the values in layer i of x that are
        in no R_0^y with ⌈d̄(x, y)⌉ = i."""
        q, levels, out = self.of, self.law.given, []
        for x in range(q.size):
            given = {}
            for y in range(q.size):
                d = q.between(x, y)
                Work.spend(q.query.m)
                for r, k in enumerate(levels[y]):
                    if k == 0 and d is not None:
                        given.setdefault(ceil(d), set()).add(r)
            sets = {0: []}
            for r, k in enumerate(levels[x]):
                if k is not None and (k == 0 or r not in given.get(k, ())):
                    sets.setdefault(k, []).append(Real(q.span[r]))
            out.append(sets)
        return out

    def initial_values(self, x):
        return self.initial()[self.of.dataset(x)]

    @property
    def is_basic(self):
        return all(set(sets) == {0} for sets in self.initial())

    def reconstruct(self, rule="printed"):
        """Returns where the initial values do not reproduce the layers: triples of dataset, value and their layer."""
        q, sets = self.of, self.initial()
        again = general(q, Log(self.eps.base ** int(self.eps.times)), [s[0] for s in sets], [{i: v for i, v in s.items() if i} for s in sets], rule)
        return [
            (x, Real(q.span[r]), again.level(x, r))
            for x in range(q.size)
            for r in range(q.query.m)
            if again.level(x, r) != self.level(x, r)
        ]


class Arithmetic:
    """The operations that noise.py needs."""

    add, multiply, divide, square_root = map(staticmethod, (add, multiply, divide, square_root))
    same, total, largest = staticmethod(same), staticmethod(total), staticmethod(extreme(1))
    exponential = staticmethod(lambda x: real(x).apply(None, exp))


def diagonal(x, p):
    need(type(p) is int and 0 < p <= MAX_SIZE, "a block of too many bits, or of none")
    return [[x if i == j else 0 for j in range(p)] for i in range(p)]


def uniform(n, p, theta, lam):
    need(all(type(v) is int and 0 < v <= MAX_SIZE for v in (n, p)), "noise on too many bits, or on none")
    return Bernoulli(diagonal(theta, p), {(i, j): diagonal(lam, p) for j in range(n) for i in range(j)}, n, Arithmetic)


def shares(p, eps, alpha, sensitivity):
    """Returns Θ of Algorithm 1, with αε/(s√p) on its diagonal."""
    return diagonal(divide(multiply(alpha, eps), multiply(sensitivity, square_root(p))), p)


def p_plus_printed(ratio, p, kind="rademacher"):
    """Returns 2Φ(ratio) - 1, as (10) is printed, for any p."""
    need(kind == "rademacher", "the printed P₊ of another law")
    ratio = real(ratio)
    need(ratio.sign() > 0, "a ratio that is not positive")
    return ratio.apply(None, lambda x, bits: Interval.of(1, bits) - (density(x, bits) * mills(x, bits)).shifted(1))


class GramSensitivity:
    """The largest ‖xxᵀ - yyᵀ‖ = √(‖x‖⁴ + ‖y‖⁴ - 2(xᵀy)²) over vectors of d ≥ 2 numbers with norm at most c.

    It is √2 c², at vectors x ⟂ y of norm c.
    """

    def __init__(self, d, row_norm, neighbors):
        need(type(d) is int and d >= 2 and neighbors == "bounded", "another sensitivity of a Gram matrix")
        need(real(row_norm).sign() > 0, "a norm that is not positive")
        self.s2 = multiply(square_root(2), multiply(row_norm, row_norm))


VOCABULARY = {
    "finite_query": FiniteQuery,
    "finite_mechanism": finite_mechanism,
    "general": general,
    "basic": lambda q, decay, initial: general(q, decay, initial, [{}] * q.size),
    "discretize": Discretization,
    "ln": Log,
    "p_plus_printed": p_plus_printed,
    "gram_sensitivity": GramSensitivity,
    "bernoulli": lambda theta, lam, n: Bernoulli(theta, lam, n, Arithmetic),
    "bernoulli_uniform": uniform,
    "len": lambda x: len(x) if type(x) is str else len(items(x)),
    "range": range,
    "sum": lambda some: total(items(some)),
    "min": extreme(-1),
    "max": extreme(1),
    "abs": absolute,
    "zip": lambda *lists: list(zip(*map(items, lists))),
    "all": lambda some: all([truth(x) for x in items(some)]),
    "any": lambda some: any([truth(x) for x in items(some)]),
    "sorted": lambda some: sorted(items(some), key=lambda x: real(x).exact),
    "int": lambda x: real(x).whole(lambda v: floor(v) if v >= 0 else ceil(v)),
    "float": real,
}
MATH = {
    "pi": Real(None, pi),
    "e": Real(None, lambda bits: exp(Interval.of(1, bits), bits)),
    "sqrt": square_root,
    "log": logarithm,
    "exp": lambda x: real(x).apply(None, lambda v, bits: exp(v, bits)),
    "pow": power,
    "atan": lambda x: real(x).apply(None, arctangent),
    "sin": lambda x: real(x).apply(None, sine),
    "cos": lambda x: real(x).apply(None, cosine),
    "ceil": lambda x: real(x).whole(ceil),
    "floor": lambda x: real(x).whole(floor),
}
SEEN = {  # the attributes of each type of object that a line may use
    FiniteQuery: "size distance neighbors",
    Mechanism: "smallest_epsilon layer layers",
    GramSensitivity: "s2",
    Bernoulli: "theta pi size exponent scaled marginals claimed_epsilon smallest_epsilon error_rate",
    Discretization: "smallest_epsilon layer layers is_basic initial_values reconstruct",
}


RESERVED = {"print", "math", *VOCABULARY}  # names that a line may not assign
UNBOUND = object()  # the value of a comprehension's name before it is bound


def truth(x):
    need(type(x) is bool, "a condition is neither true nor false")
    return x


class Asked:
    """A value that only a fact can give, with the expression that the line writes for it."""

    theta = None  # a function that returns an allocation's Θ, known from its definition

    def __init__(self, line, spelling):
        self.line, self.spelling = line, spelling

    def number(self):
        return self.line.fact(self.spelling)


def spelled(x):
    """Returns a value as the expression that a fact's call writes; numbers as the nearest float64."""
    text = unlimited(x)
    Work.spend(len(text))
    return text


def unlimited(x):
    if isinstance(x, Asked):
        return x.spelling
    if isinstance(x, Log):
        return f"ln({x.parameter.base ** int(x.parameter.times)})"
    if isinstance(x, Real):
        need(x.exact is not None, "an argument that is not rational")
        return repr(float(x.exact))
    if isinstance(x, (list, tuple)):
        return "[" + ", ".join(map(spelled, x)) + "]"
    if isinstance(x, dict):
        return "{" + ", ".join(f"{spelled(k)}: {spelled(v)}" for k, v in x.items()) + "}"
    need(x is None or type(x) in (str, int, bool), f"a {type(x).__name__} as the argument of a fact")
    return json.dumps(x) if isinstance(x, str) else repr(x)


class Line:
    """A line, the facts that it may use, and the names that it has assigned."""

    def __init__(self, source, facts):
        self.source, self.facts, self.used, self.named = source, facts, set(), {}
        self.names = ChainMap(dict(VOCABULARY))
        Work.left = MAX_WORK
        need(len(source) <= MAX_LINE, f"the line is longer than {MAX_LINE} characters")
        need(source.isascii() and source.isprintable(), "the line is not one of printable ASCII")
        try:
            self.body = ast.parse(source).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise Rejected("the line is no program")

    def fact(self, spelling):
        need(spelling in self.facts, f"no fact says what {short(spelling)} is")
        self.used.add(spelling)
        return self.facts[spelling]

    def printed(self):
        """Returns the last value that the line prints."""
        last = None
        for statement in self.body:
            if type(statement) is ast.Assign and len(statement.targets) == 1:
                self.assign(statement.targets[0], self.value(statement.value, self.names), self.names)
                continue
            need(type(statement) is ast.Expr and type(statement.value) is ast.Call, "the line does more than name and print")
            call = statement.value
            need(type(call.func) is ast.Name and call.func.id == "print" and call.args, "the line does more than name and print")
            last = self.value(call.args[-1], self.names)
        return last

    def assign(self, target, value, names):
        if type(target) in (ast.Tuple, ast.List):
            need(isinstance(value, (list, tuple)) and len(value) == len(target.elts), "names and values that do not match")
            for t, v in zip(target.elts, value):
                self.assign(t, v, names)
            return
        need(type(target) is ast.Name, "an assignment to what is no name")
        names[self.own(target.id)] = value

    def own(self, name):
        need(name not in RESERVED, f"the line gives {name} another meaning")
        return name

    def value(self, node, names):
        Work.spend(4)
        method = getattr(self, "_" + type(node).__name__, None)
        need(method, f"the line has a {type(node).__name__}, which is not known")
        return method(node, names)

    def _Constant(self, node, names):
        need(type(node.value) in (int, float, str, bool, type(None)), "an unknown constant")
        if type(node.value) is float:  # the decimal must be the shortest decimal of its float
            written = Decimal(self.source[node.col_offset : node.end_col_offset].replace("_", ""))
            near = Decimal(repr(node.value))
            need(near.is_finite() and near == written, f"{written} has more digits than a float keeps")
            return Real(Fraction(near))
        return not_long(node.value) if type(node.value) is int else node.value

    def _Name(self, node, names):
        if node.id in names:
            need(names[node.id] is not UNBOUND, f"{node.id} has no value yet")
            return names[node.id]
        return Asked(self, node.id)

    def _List(self, node, names):
        return [self.value(x, names) for x in node.elts]

    def _Tuple(self, node, names):
        return tuple(self.value(x, names) for x in node.elts)

    def _Dict(self, node, names):
        keys = [self.value(k, names) for k in node.keys]
        plain = [type(x) in (int, str) for k in keys for x in (k if type(k) is tuple else [k])]
        need(all(plain), "a key is neither a whole number nor a string, nor a tuple of these")
        return dict(zip(keys, [self.value(v, names) for v in node.values]))

    def _Attribute(self, node, names):
        if type(node.value) is ast.Name and node.value.id == "math":
            need(node.attr in MATH, f"math.{node.attr} is not known")
            return MATH[node.attr]
        owner = self.value(node.value, names)
        if isinstance(owner, Asked):
            if node.attr == "theta" and owner.theta:
                return owner.theta()
            if node.attr in ("lo", "hi", "value"):
                return owner.number()
            return Asked(self, f"{owner.spelling}.{node.attr}")
        if isinstance(owner, Real) and node.attr in ("lo", "hi", "value"):  # a number is its own lower and upper end
            return owner
        need(node.attr in SEEN.get(type(owner), "").split(), f"{node.attr} is not known")
        return getattr(owner, node.attr)

    def _Call(self, node, names):
        function = self.value(node.func, names)
        args = [self.argument(a, names) for a in node.args]
        args = [x for a in args for x in a]
        named = {k.arg: self.value(k.value, names) for k in node.keywords}
        need(None not in named, "an unknown argument")
        if isinstance(function, Asked):
            words = [spelled(a) for a in args] + [spelled(v) for v in named.values()]
            made = Asked(self, f"{function.spelling}({', '.join(words)})")
            placed = in_place(function.spelling.rpartition(".")[2], list(named), len(args))
            need(placed and self.named.setdefault(made.spelling, list(named)) == list(named), f"{short(made.spelling)} may stand for another call")
            if function.spelling == "xor_allocation":
                made.theta = lambda: shares(*args[1:])
            return made
        need(callable(function), "a call of what is no function")
        try:
            return function(*args, **named)
        except (TypeError, ValueError, IndexError, KeyError, AttributeError) as error:
            raise Rejected(f"the line cannot be computed: {short(str(error))}")

    def argument(self, node, names):
        if type(node) is ast.Starred:
            return items(self.value(node.value, names))
        return [self.value(node, names)]

    def _Lambda(self, node, names):
        a = node.args
        need(not (a.posonlyargs or a.kwonlyargs or a.vararg or a.kwarg), "a lambda of parameters that are not plain")
        parameters = [self.own(p.arg) for p in a.args]
        defaults = [self.value(d, names) for d in node.args.defaults]

        def call(*args):
            missing = len(parameters) - len(args)
            need(0 <= missing <= len(defaults), "a call with the wrong number of arguments")
            values = list(args) + (defaults[-missing:] if missing else [])
            return self.value(node.body, names.new_child(dict(zip(parameters, values))))

        return call

    def _ListComp(self, node, names):
        bound = [t.id for g in node.generators for t in ast.walk(g.target) if type(t) is ast.Name]
        inner = names.new_child(dict.fromkeys(bound, UNBOUND))
        return list(self.each(node.elt, node.generators, inner, names))

    def each(self, element, generators, names, outer):
        """Yields the elements. As in Python, the first list uses the names outside of the comprehension."""
        if not generators:
            yield self.value(element, names)
            return
        first, *rest = generators
        need(not first.is_async, "an unknown comprehension")
        for item in items(self.value(first.iter, outer)):
            self.assign(first.target, item, names)
            if all(truth(self.value(test, names)) for test in first.ifs):
                yield from self.each(element, rest, names, names)

    def _BinOp(self, node, names):
        a, b = self.value(node.left, names), self.value(node.right, names)
        kind = type(node.op)
        if type(a) is int and type(b) is int:
            if kind in (ast.Add, ast.Sub, ast.Mult):
                return not_long({ast.Add: a + b, ast.Sub: a - b, ast.Mult: a * b}[kind])
            if kind in (ast.Mod, ast.FloorDiv):
                need(b, "the line divides by 0")
                return a % b if kind is ast.Mod else a // b
        need(kind in BINARY, "an unknown operation")
        return BINARY[kind](a, b)

    def _UnaryOp(self, node, names):
        x = self.value(node.operand, names)
        if type(node.op) is ast.Not:
            return not truth(x)
        need(type(node.op) is ast.USub, "an unknown operation")
        return -x if type(x) is int else BINARY[ast.Sub](0, x)

    def _BoolOp(self, node, names):
        values = (truth(self.value(v, names)) for v in node.values)
        return all(values) if type(node.op) is ast.And else any(values)

    def _Compare(self, node, names):
        values = [self.value(v, names) for v in (node.left, *node.comparators)]
        for op, a, b in zip(node.ops, values, values[1:]):
            test = COMPARE.get(type(op))
            need(test is not None, "an unknown comparison")
            if not test(a, b):
                return False
        return True

    def _IfExp(self, node, names):
        return self.value(node.body if truth(self.value(node.test, names)) else node.orelse, names)

    def _Subscript(self, node, names):
        owner = self.value(node.value, names)
        index = node.slice.value if type(node.slice).__name__ == "Index" else node.slice  # before Python 3.9
        if type(index) is ast.Slice:
            ends = [None if e is None else self.value(e, names) for e in (index.lower, index.upper, index.step)]
            need(type(owner) in (list, tuple, range, str), "a part of what is no list")
            need(all(e is None or type(e) is int for e in ends) and ends[2] != 0, "a part between what are no places")
            Work.spend(16 * len(owner))
            return owner[slice(*ends)]
        index = self.value(index, names)
        if isinstance(owner, Asked):
            return Asked(self, f"{owner.spelling}[{spelled(index)}]")
        try:
            return owner[index]
        except (TypeError, IndexError, KeyError):
            raise Rejected("the line has an index beyond the end")


def refutation(statement, proof):
    claim, says, source, facts = keys(statement, "the statement", "claim says line facts", "kind")[:4]
    proofs = listed(keys(proof, "the proof", "facts")[0], "the proofs of facts", len(listed(facts, "facts")))
    known, words = {}, []
    for i, (fact, why) in enumerate(zip(facts, proofs)):
        call, what = keys(fact, f"fact {i}", "call statement")
        need(type(what) is dict and what.get("kind") != "refutation" and "is" in what, f"fact {i} is no statement of a number")
        need(agree(string(call, "a call"), what), f"{short(call)} is not what its statement is about")
        words.append(f"{shown(call)} is {proved(what, why)}")
        need(call not in known, "a fact comes twice")
        known[call] = between_ends(what["is"])
    line = Line(string(source, "line"), known)
    try:
        value = line.printed()
    except RecursionError:
        raise Rejected("the line calls itself too often")
    need(value is False, f"the line says {value if type(value) is bool else f'a {type(value).__name__}'}, not that the statement fails")
    for call in known:
        need(call in line.used, f"the line does not ask for {short(call)}")
    given = f", given that {'; '.join(words)}" if words else ""
    return f"{shown(string(claim, 'claim'))} fails, by {shown(source)}{given}: {shown(string(says, 'says'))}"


def between_ends(value):
    """Returns the number of a fact, which may be any between its ends."""
    if "equal" in value:
        return Real(written_number(value["equal"], "is"))
    if "ln" in value:
        return logarithm(Real(written_number(value["ln"], "is")))
    if value["hi"] == "inf":  # infinite, or with a lower end only, which decides no comparison
        return INFINITE if value["lo"] == "inf" else Real(None, undecided)
    lo, hi = (written_number(value[end], end) for end in ("lo", "hi"))
    return Real(lo) if lo == hi else Real(None, lambda bits: between(lo, hi, bits))


KINDS = {"refutation": refutation}
