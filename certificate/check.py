#!/usr/bin/env python3
"""Accepts or rejects certificates of dpworkbench, as docs/certificates.md defines them.

    python3 check.py FILE...

prints one line a file and exits with 0 if all are accepted, with 1 if not, and
with 2 without a file. It needs Python 3.8 and its standard library, and shares
nothing with the program that writes certificates. The problem is made anew from
the statement: distances by breadth-first search, laws by their rule, programs
from query and ε. No float takes part: what is not rational is a sum of powers of
one number v = e^(-unit), and signs of such sums are found exactly, or from
enclosures (real.py) of up to 4096 bits. What those cannot decide is rejected.

Limits, beyond which a file is rejected: see the constants below.
"""

import gzip
import hashlib
import importlib
import json
import re
import sys
import zlib
from collections import Counter
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, permutations
from math import gcd
from operator import le, sub

if __name__ == "__main__":  # modules of further kinds import this one
    sys.modules["check"] = sys.modules[__name__]

from real import PRECISIONS, Interval, Undecided, decide, exp, log

MAX_BYTES = 64 << 20  # of a file, decompressed
MAX_DIGITS = 50_000  # of a numerator or a denominator
MAX_POWER = 1 << 20  # of |e| in m*2^e
MAX_BITS = 1 << 28  # of all numbers in a file together
MAX_COMMON = 1 << 21  # bits of a common denominator
MAX_CELLS = 5_000_000  # datasets × values
MAX_VISITS = 20_000_000  # neighbors × values, and pairs of datasets with given distances
MAX_WHOLE = 1 << 53
MAX_EXACT = 1 << 18  # bits of a power of v that is written out

if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)  # MAX_DIGITS is the limit

FORMAT = "dpworkbench certificate 1"
KINDS = {}  # the name of a kind → function of (statement, proof) that returns words
ELSEWHERE = {}  # the name of a kind → the module beside this one that defines it


class Rejected(Exception):
    """Why a certificate is not accepted."""


def need(condition, reason):
    if not condition:
        raise Rejected(reason)


def kind(name):
    """Marks the function that checks statements of a kind."""

    def put(function):
        KINDS[name] = function
        return function

    return put


# ---- Files and numbers


def read(path):
    """The JSON object in a file."""
    try:
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise Rejected(f"cannot be read: {error}")
    need(len(data) <= MAX_BYTES, f"longer than {MAX_BYTES} bytes")
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError as error:
        raise Rejected(f"not ASCII: byte {error.start}")
    try:
        return json.loads(text, object_pairs_hook=_object, parse_int=_integer, parse_float=_no_number, parse_constant=_no_number)
    except RecursionError:
        raise Rejected("nested too deeply")
    except json.JSONDecodeError as error:
        raise Rejected(f"not JSON: {error}")


def _object(pairs):
    result = dict(pairs)
    need(len(result) == len(pairs), "a key comes twice in an object")
    return result


def _integer(text):
    need(len(text) <= 16 and text != "-0", f"{short(text)} is no whole number from -2^53 to 2^53")
    return int(text)


def _no_number(text):
    raise Rejected(f"the number {short(text)} is not whole")


def short(value):
    """A value in a message, in one line."""
    text = json.dumps(value) if not isinstance(value, str) else json.dumps(value)[1:-1]
    return text if len(text) <= 60 else f"{text[:40]}… ({len(text)} characters)"


def keys(value, what, required, optional=""):
    """The values of an object under its required and optional keys, in that order."""
    need(type(value) is dict, f"{what} is not an object")
    required, optional = required.split(), optional.split()
    for key in required:
        need(key in value, f"{what} lacks the key {key}")
    for key in value:
        need(key in required or key in optional, f"{what} has the unknown key {short(key)}")
    return [value.get(key) for key in required + optional]


def whole(value, what, below, least=0):
    need(type(value) is int and least <= value < below, f"{what}, {short(value)}, is not a whole number from {least} to {below - 1}")
    return value


def string(value, what):
    need(type(value) is str, f"{what} is not a string")
    return value


def listed(value, what, length=None):
    need(type(value) is list, f"{what} is not a list")
    need(length is None or len(value) == length, f"{what} has {len(value)} entries, not {length}")
    return value


RATIONAL = re.compile(r"(-?)(0|[1-9][0-9]*)(?:/([1-9][0-9]*))?")
DYADIC = re.compile(r"(-?[1-9][0-9]*)\*2\^(0|-?[1-9][0-9]*)")


class Budget:
    """The bits that numbers of this file may still take."""

    left = MAX_BITS


def number(text, what, least=None):
    """The rational number that a string means."""
    string(text, what)
    need(len(text) <= 2 * MAX_DIGITS + 2, f"{what} is longer than {MAX_DIGITS} digits")
    match = RATIONAL.fullmatch(text)
    if match:
        sign, over, under = match.groups()
        need(max(len(over), len(under or "")) <= MAX_DIGITS, f"{what} is longer than {MAX_DIGITS} digits")
        n, d = int(over), int(under or 1)
        need((under is None or d > 1) and gcd(n, d) == 1, f"{what}, {short(text)}, is not in lowest terms")
        need(n or not sign, f"{what} is minus zero")
        value = Fraction(-n if sign else n, d)
    else:
        match = DYADIC.fullmatch(text)
        need(match, f"{what}, {short(text)}, is not a number")
        need(len(match[1]) <= MAX_DIGITS, f"{what} is longer than {MAX_DIGITS} digits")
        need(len(match[2]) <= 8 and abs(int(match[2])) <= MAX_POWER, f"{what}, {short(text)}, has an exponent beyond {MAX_POWER}")
        m, e = int(match[1]), int(match[2])
        need(m % 2, f"{what}, {short(text)}, is not an odd number times a power of two")
        value = Fraction(m << e) if e >= 0 else Fraction(m, 1 << -e)
    Budget.left -= value.numerator.bit_length() + value.denominator.bit_length()
    need(Budget.left >= 0, f"the numbers of the file take more than {MAX_BITS} bits")
    need(least is None or value >= least, f"{what}, {short(text)}, is below {least}")
    return value


def numbers(values, what, length, least=None):
    return [number(v, f"{what} {i}", least) for i, v in enumerate(listed(values, what, length))]


def probabilities(values, what, length):
    result = numbers(values, what, length, 0)
    ints, scale = whole_multiples(result, what)
    need(sum(ints) == scale, f"{what} does not have the sum 1")
    return result


def whole_multiples(rationals, what):
    """Whole numbers and the least scale they are to be divided by."""
    scale = 1
    for q in rationals:
        if scale % q.denominator:
            scale *= q.denominator // gcd(scale, q.denominator)
            need(scale.bit_length() <= MAX_COMMON, f"the common denominator of {what} has more than {MAX_COMMON} bits")
    return [q.numerator * (scale // q.denominator) for q in rationals], scale


# ---- Privacy parameters: times · ln base, where base None stands for e


class Parameter:
    """A real number times·ln(base), or times where base is None."""

    def __init__(self, times, base=None):
        if base is not None and base < 1:
            times, base = -times, 1 / base
        if base == 1:
            times, base = Fraction(0), None
        if base is not None:
            root, power = primitive(base)
            times, base = times * power, root
        self.times, self.base = Fraction(times), base

    def words(self):
        if self.base is None:
            return decimal(self.times)
        value = f"ln({decimal(self.base)})"
        return value if self.times == 1 else f"{decimal(self.times)}·{value}"

    def sign(self):
        return (self.times > 0) - (self.times < 0)


@lru_cache(maxsize=None)
def primitive(q):
    """A rational number above 1 as a power of one that is no power itself.

    So two logarithms are commensurable just where their bases are the same. A
    long number is left as it is: then a tie may stay undecided, nothing worse.
    """
    power, prime = 1, 2
    if max(q.numerator, q.denominator).bit_length() > 1024:
        return q, 1
    while q.numerator.bit_length() > prime:
        n, d = root(q.numerator, prime), root(q.denominator, prime)
        if n**prime == q.numerator and d**prime == q.denominator:
            q, power = Fraction(n, d), power * prime
        else:
            prime += 1
    return q, power


def root(n, k):
    """The k-th root of n, rounded down, by Newton's method from above."""
    x = 1 << -(-n.bit_length() // k)
    while True:
        y = ((k - 1) * x + n // x ** (k - 1)) // k
        if y >= x:
            return x
        x = y


def parameter(value, what, zero=False):
    """A privacy parameter."""
    need(type(value) is dict, f"{what} is not an object")
    if "rational" in value:
        (text,) = keys(value, what, "rational")
        result = Parameter(number(text, what, 0))
    else:
        text, times = keys(value, what, "ln", "times")
        q = number(text, what)
        need(q > 1, f"{what} is the logarithm of {short(text)}, not of a number above 1")
        result = Parameter(Fraction(1) if times is None else number(times, f"{what} times"), q)
    need(result.times > 0 or (zero and result.base is None and result.times == 0), f"{what} is not positive")
    return result


def power(base, times, bits):
    """base^times, e^times where base is None, as an interval."""
    if base is None:
        return exp(Interval.of(times, bits + 32 + times.numerator.bit_length()), bits)
    size = max(base.numerator, base.denominator).bit_length()
    if times.denominator == 1 and abs(times) * size <= 4 * bits:
        return Interval.of(base ** int(times), bits)
    work = bits + 32 + times.numerator.bit_length() + size.bit_length()
    return exp(log(Interval.of(base, work), work) * Interval.of(times, work), bits)


def decimal(q, direction=None):
    """A rational number in words: exact where short, else about, or rounded in a direction."""
    text = str(q) if max(abs(q.numerator), q.denominator) < 10**24 else None
    if text and (direction is None or q.denominator == 1):
        return text
    context = Context(prec=12, Emax=MAX_EMAX, Emin=MIN_EMIN, rounding=direction)
    value = context.divide(Decimal(q.numerator), Decimal(q.denominator))
    return f"{value}" if direction else f"about {value}"


class Ends:
    """What a number is: lo and hi, Parameters where `logarithms` are allowed and None for infinity."""

    def __init__(self, value, logarithms=False):
        need(type(value) is dict, "is, what the number is, is not an object")
        self.words = None
        if "equal" in value:
            (text,) = keys(value, "is", "equal")
            self.lo = self.hi = Parameter(number(text, "is"))
            self.words = f"is {decimal(self.lo.times)}"
        elif "ln" in value:
            (text,) = keys(value, "is", "ln")
            need(logarithms, "the number is no logarithm")
            q = number(text, "is")
            need(q > 0, f"is the logarithm of {short(text)}")
            self.lo = self.hi = Parameter(Fraction(1), q)
            self.words = f"is ln({decimal(q)})"
        else:
            ends = keys(value, "is", "lo hi")
            self.lo, self.hi = (None if logarithms and e == "inf" else Parameter(number(e, "is")) for e in ends)
            if self.lo is None:
                need(self.hi is None, "lo is above hi")
                self.words = "is infinite"
            else:
                lo = decimal(self.lo.times, ROUND_FLOOR)
                hi = "inf" if self.hi is None else decimal(self.hi.times, ROUND_CEILING)
                self.words = f"lies in [{lo}, {hi}]"


# ---- Queries


class Query:
    """Datasets with values and neighbors. Distances of values are whole numbers over `scale`."""

    def __init__(self, value):
        values, span, metric, pairs, distances, graphs = keys(
            value, "the query", "values range metric", "neighbors distances graphs"
        )
        self.n, self.m = len(listed(values, "values")), len(listed(span, "range"))
        need(self.n > 0 and self.m > 0, "there is no dataset or no value in range")
        need(self.n * self.m <= MAX_CELLS, f"datasets × values are more than {MAX_CELLS}")
        self.numbers = self.matrix = None
        if metric == "abs":
            read = {}
            for v in values + span:
                string(v, "a value")
                if v not in read:
                    read[v] = number(v, "a value")
            values, span = [read[v] for v in values], [read[v] for v in span]
            self.numbers, self.scale = whole_multiples(span, "the range")
        else:
            for v in values + span:
                string(v, "a value")
            self.scale = 1
            if metric != "discrete":
                need(type(metric) is list, f"metric, {short(metric)}, is not abs, discrete or a matrix")
                self.matrix, self.scale = symmetric(metric, "metric", self.m)
        place = {v: i for i, v in enumerate(span)}
        need(len(place) == self.m, "a value comes twice in range")
        for x, v in enumerate(values):
            need(v in place, f"range lacks the value of dataset {x}")
        self.f = [place[v] for v in values]
        self._neighbors(pairs, distances)
        need(2 * len(self.pairs) * self.m <= 2 * MAX_VISITS, f"neighbors × values are more than {MAX_VISITS}")
        self.words = f"{self.n} datasets, {self.m} values, {len(self.pairs)} pairs of neighbors"
        self.words += ", " + ("a matrix of distances" if self.matrix else "metric " + metric)
        self.name = "a query"
        if graphs is not None:
            need(distances is None, "a query that counts subgraphs has neighbors, not distances")
            self.name = check_graphs(graphs, value["values"], self.pairs)

    def _neighbors(self, pairs, distances):
        need((pairs is None) != (distances is None), "the query has neither or both of neighbors and distances")
        self.steps = None  # ⌈d̄(x, y)⌉ where distances are given, None for infinity
        if distances is None:
            self.pairs = []
            for pair in listed(pairs, "neighbors"):
                x, y = listed(pair, "a pair of neighbors", 2)
                self.pairs.append((whole(x, "a dataset", self.n), whole(y, "a dataset", self.n)))
                need(x < y, f"the neighbors {x} and {y} do not stand in ascending order")
            need(len(set(self.pairs)) == len(self.pairs), "a pair of neighbors comes twice")
        else:
            need(self.n**2 <= MAX_VISITS, f"pairs of datasets are more than {MAX_VISITS}")
            rows, scale = symmetric(distances, "distances", self.n, infinite=True)
            need(all(d != 0 for x in range(self.n) for d in rows[x][:x]), "two datasets are 0 apart")
            self.steps = [[None if d is None else -(-d // scale) for d in row] for row in rows]
            self.pairs = [(x, y) for x in range(self.n) for y in range(x + 1, self.n) if self.steps[x][y] == 1]
        self.beside = [[] for _ in range(self.n)]
        for x, y in self.pairs:
            self.beside[x].append(y)
            self.beside[y].append(x)

    def ordered(self):
        """The pairs of neighbors in both orders."""
        for x, y in self.pairs:
            yield x, y
            yield y, x

    def gap(self, i, j):
        """The distance of the values in places i and j, times scale."""
        if self.numbers is not None:
            return abs(self.numbers[i] - self.numbers[j])
        return self.matrix[i][j] if self.matrix is not None else int(i != j)

    def sensitivity(self):
        """Δf times scale."""
        return max((self.gap(self.f[x], self.f[y]) for x, y in self.pairs), default=0)


def symmetric(value, what, size, infinite=False):
    """A symmetric matrix with a diagonal of 0: whole numbers, None for infinity, and their scale."""
    read = {}
    for i, row in enumerate(listed(value, what, size)):
        for j, entry in enumerate(listed(row, f"{what} {i}", size)):
            string(entry, f"an entry of {what}")
            if entry not in read:
                read[entry] = None if infinite and entry == "inf" else number(entry, f"an entry of {what}", 0)
    ints, scale = whole_multiples([q for q in read.values() if q is not None], what)
    ints = iter(ints)
    read = {entry: None if q is None else next(ints) for entry, q in read.items()}
    rows = [[read[entry] for entry in row] for row in value]
    need(all(row[i] == 0 for i, row in enumerate(rows)), f"{what} is not 0 on its diagonal")
    need(rows == [list(column) for column in zip(*rows)], f"{what} is not symmetric")
    return rows, scale


SUBGRAPHS = {  # the edges of one copy
    "edge": [(0, 1)],
    "triangle": [(0, 1), (0, 2), (1, 2)],
    "2-star": [(0, 1), (0, 2)],
    "3-star": [(0, 1), (0, 2), (0, 3)],
    "4-clique": [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)],
    "4-cycle": [(0, 1), (1, 2), (2, 3), (0, 3)],
}
MAX_NODES = 7


def check_graphs(value, counts, pairs):
    """Checks that a query counts subgraphs of all graphs on some nodes.

    A labelled graph is a whole number, a bit an edge. The graphs isomorphic to one
    are what two permutations that generate all reach from it; so classes are
    different where none is reached twice, and all where every number is reached.
    """
    nodes, classes, name = keys(value, "graphs", "nodes classes count")
    whole(nodes, "nodes", MAX_NODES + 1, 1)
    need(type(name) is str and name in SUBGRAPHS, f"count, {short(name)}, is none of {', '.join(SUBGRAPHS)}")
    listed(classes, "classes", len(counts))
    edges = [(i, j) for j in range(nodes) for i in range(j)]  # in the order of graph6
    bit = {edge: 1 << b for b, edge in enumerate(edges)}
    owner = [None] * (1 << len(edges))
    movers = [mover(edges, bit, p) for p in ([1, 0, *range(2, nodes)], [*range(1, nodes), 0]) if nodes > 1]
    graphs = [graph6(text, nodes, len(edges)) for text in classes]
    for x, graph in enumerate(graphs):
        need(owner[graph] is None, f"classes {owner[graph]} and {x} are isomorphic")
        owner[graph], reached = x, [graph]
        for g in reached:
            for move in movers:
                image = move(g)
                if owner[image] is None:
                    owner[image] = x
                    reached.append(image)
    need(None not in owner, f"classes are not all graphs on {nodes} nodes")
    flips = {tuple(sorted((x, owner[g ^ b]))) for x, g in enumerate(graphs) for b in bit.values()}
    need(flips == set(pairs), "neighbors are not the graphs that differ by one edge")
    copy = SUBGRAPHS[name]
    size = 1 + max(max(edge) for edge in copy)
    masks = {sum(bit[tuple(sorted((p[i], p[j])))] for i, j in copy) for p in permutations(range(nodes), size)}
    for x, graph in enumerate(graphs):
        count = sum(graph & mask == mask for mask in masks)
        need(number(counts[x], "a count") == count, f"class {x} has {count} copies of the {name}, not {short(counts[x])}")
    return f"the {name} count of all graphs on {nodes} nodes"


def graph6(text, nodes, edges):
    """The number of a graph6 string: a character of n + 63, then six bits a character, padded by 0."""
    codes = [ord(c) - 63 for c in string(text, "a class")]
    groups = -(-edges // 6)
    need(len(codes) == 1 + groups and codes[0] == nodes and all(0 <= c < 64 for c in codes), f"{short(text)} is no graph6 string of {nodes} nodes")
    bits = [c >> (5 - i) & 1 for c in codes[1:] for i in range(6)]
    need(not any(bits[edges:]), f"{short(text)} has bits beyond its edges")
    return sum(b << i for i, b in enumerate(bits[:edges]))


def mover(edges, bit, permutation):
    """The function that renames the nodes of a graph, by tables of 11 bits."""
    image = [bit[tuple(sorted((permutation[i], permutation[j])))] for i, j in edges]
    low, high = [0], [0]
    for table, images in (low, image[:11]), (high, image[11:]):
        for b in images:
            table += [t | b for t in table]
    return lambda g: low[g & 2047] | high[g >> 11]


# ---- Laws


class Law:
    """p^x(r) = N_x,r(v)/D_x(v) with v = e^(-unit): sums of coefficients times powers of v.

    A sum is a dict from exponent to coefficient; N_x,r is a tuple of such pairs,
    empty where the probability is 0. `levels[x][r]` is the exponent, or None for
    probability 0, where every N is a bare power of v.
    """

    def __init__(self, query, unit, numerators, denominators, levels=None):
        self.query, self.unit = query, unit
        self.numerators, self.denominators, self.levels = numerators, denominators, levels
        self.known = {}  # enclosures

    @staticmethod
    def leveled(query, unit, levels):
        """p^x(r) ∝ e^(-unit·level), 0 where the level is None."""
        term, denominators = {}, []
        for x, row in enumerate(levels):
            present = [k for k in row if k is not None]
            need(present, f"no value has weight at dataset {x}")
            least = min(present)  # only differences matter
            row = levels[x] = [None if k is None else k - least for k in row]
            denominators.append(Counter(k for k in row if k is not None))
            for k in row:
                term.setdefault(k, () if k is None else ((k, 1),))
        return Law(query, unit, [[term[k] for k in row] for row in levels], denominators, levels)

    def value(self, terms, bits):
        """An enclosure of a sum, given as pairs or as a dict."""
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
        """e^h."""
        return self.once((bits, "e", h), lambda: power(h.base, h.times, bits))

    def once(self, key, make):
        if key not in self.known:
            self.known[key] = make()
        return self.known[key]

    def exactly(self, terms):
        """A sum as a rational number, None where v has irrational powers or too long ones."""
        total, base, t = Fraction(0), self.unit.base, self.unit.times
        for k, c in terms.items():
            if k:
                if base is None or (t * k).denominator != 1:
                    return None
                if abs(t * k) * max(base.numerator, base.denominator).bit_length() > MAX_EXACT:
                    return None
                c = c * base ** int(-t * k)
            total += c
        return total

    def factor(self, h):
        """e^h = q·v^(-c)·base^rest: q rational, and the last two as (base, rest)."""
        if h.times == 0:
            return 1, 0, None
        if h.base == self.unit.base:
            return 1, h.times / self.unit.times, None
        if h.base is not None and h.times.denominator == 1 and abs(h.times) < 1000:
            return h.base ** int(h.times), 0, None
        return 1, 0, (h.base, h.times)

    def sign(self, a, b, h):
        """The sign of a - e^h b for two sums."""
        q, c, rest = self.factor(h)
        if rest and b:
            return decide(lambda bits: self.value(a, bits) - self.value(b, bits) * power(*rest, bits))
        total = Counter(a)
        for k, coefficient in b.items():
            total[k - c] -= q * coefficient
        total = {k: coefficient for k, coefficient in total.items() if coefficient}
        if not total:
            return 0
        least = min(total)  # v^least > 0, and what is left does not vanish however small v is
        total = {k - least: coefficient for k, coefficient in total.items()}

        def exactly():
            value = self.exactly(total)
            return None if value is None else (value > 0) - (value < 0)

        return decide(lambda bits: self.value(total, bits), exactly)

    def compare(self, x, y, r, h):
        """The sign of p^x(r) - e^h p^y(r)."""
        left = self.numerator(x, r, 64) * self.denominator(y, 64)
        right = self.numerator(y, r, 64) * self.denominator(x, 64) * self.scaled(h, 64)
        sign = (left - right).sign()
        if sign is None:
            a = product(dict(self.numerators[x][r]), self.denominators[y])
            b = product(dict(self.numerators[y][r]), self.denominators[x])
            sign = self.sign(a, b, h)
        return sign

    def worst(self, x, y):
        """Places among which p^x(r)/p^y(r) is largest, or the first where it is infinite."""
        if self.levels is None:
            for r, (a, b) in enumerate(zip(self.numerators[x], self.numerators[y])):
                if a and not b:
                    return [r]
            return [r for r, a in enumerate(self.numerators[x]) if a]
        a, b = self.levels[x], self.levels[y]
        if None in a or None in b:
            for r, k in enumerate(b):
                if k is None and a[r] is not None:
                    return [r]
            return [max((b[r] - k, -r) for r, k in enumerate(a) if k is not None)[1] * -1]
        differences = list(map(sub, b, a))
        return [differences.index(max(differences))]


def product(a, b):
    total = Counter()
    for i, c in a.items():
        for j, d in b.items():
            total[i + j] += c * d
    return total


def mechanism(value):
    """The law of a mechanism, and its name in words."""
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
    return result, f"{short(name)} ({words}) on {query.name} ({query.words})"


def purest(query, decay):
    return layered(query, decay, [[[0, [r]]] for r in query.f])


def layered(query, decay, initial):
    """L^x(r) = the least ⌈d̄(x, y)⌉ + i with r in layer i at y, by breadth-first search from those (y, i)."""
    unit = parameter(decay, "decay")
    starts, count = [[] for _ in range(query.m)], 0
    for y, layers in enumerate(listed(initial, "initial", query.n)):
        last = -1
        for entry in listed(layers, f"the layers of dataset {y}"):
            i, places = listed(entry, "a layer", 2)
            last = whole(i, "a layer", MAX_WHOLE, last + 1)
            for r in listed(places, "a layer's values"):
                starts[whole(r, "a place", query.m)].append((last, y))
                count += 1
    need(count <= MAX_CELLS, f"initial has more than {MAX_CELLS} values")
    need(query.steps is None or count * query.n <= MAX_VISITS, f"datasets × values of initial are more than {MAX_VISITS}")
    columns = [spread(query, sorted(start)) for start in starts]
    return Law.leveled(query, unit, [list(row) for row in zip(*columns)])


def spread(query, starts):
    """The least ⌈d̄(x, y)⌉ + i over starts (i, y) for every dataset x."""
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
    """Rungs, from I_t^x = the largest change of f at a dataset within t of x."""
    eps = parameter(eps, "eps")
    unit = Parameter(eps.times / 2, eps.base)
    change = [max((query.gap(query.f[x], query.f[y]) for y in query.beside[x]), default=0) for x in range(query.n)]
    # reach[x]: pairs (t, I) where I_t^x takes the value I first, from t on.
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
    """1 + the number of t with I_0 + … + I_t < d, None if infinite."""
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
    """Laplace noise or its whole kin, moved to the nearest value of the range.

    The value in place r takes the noise t from low to high, ends that lie halfway between neighboring values, in units
    of 1/(2 scale), relative to f(x); of two equally near the smaller.
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
    """2P(low < t ≤ high) of density ∝ v^|t|, None for infinite ends: 2 - 2P(t ≤ low) - 2P(t > high) where 0 is between."""
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
    """(1 + v)P(low < k ≤ high) of whole k with weight v^|k|: (1 + v)P(k > a) = v^(a+1) for a ≥ 0."""
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
    numerators, denominators = [], []
    for x, row in enumerate(listed(rows, "rows", query.n)):
        ints, scale = whole_multiples(probabilities(row, f"row {x}", query.m), f"row {x}")
        numerators.append([((0, c),) if c else () for c in ints])
        denominators.append({0: scale})
    return Law(query, Parameter(1), numerators, denominators)


RULES = {  # the keys of a rule, and the function of query and their values
    "purest": ("decay", purest),
    "layered": ("decay initial", layered),
    "levels": ("unit levels", levels),
    "ladder": ("eps", ladder),
    "exponential": ("eps", exponential),
    "laplace": ("eps", lambda query, eps: noise(query, eps, False)),
    "geometric": ("eps", lambda query, eps: noise(query, eps, True)),
    "table": ("rows", table),
}


# ---- Kinds


def witness(proof, query, names):
    """The places in a proof's witness, whose x and y are neighbors, or None."""
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
    """Whether a lower end says more than that the number is not negative."""
    return end is None or end.sign() > 0


@kind("smallest epsilon")
def smallest_epsilon(statement, proof):
    given, ends = keys(statement, "the statement", "kind mechanism is")[1:]
    law, words = mechanism(given)
    ends = Ends(ends, logarithms=True)
    seen = witness(proof, law.query, "x y r")
    if ends.hi is not None:
        need(ends.hi.sign() >= 0, "the upper end is negative")
        for x, y in law.query.ordered():
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


@kind("delta")
def delta(statement, proof):
    given, eps, ends = keys(statement, "the statement", "kind mechanism eps is")[1:]
    law, words = mechanism(given)
    eps, ends = parameter(eps, "eps", zero=True), Ends(ends)
    seen = witness(proof, law.query, "x y")
    need(ends.hi.sign() >= 0, "the upper end is negative")
    measure = Excess(law, eps)
    for x, y in law.query.ordered():
        need(measure.sign(x, y, ends.hi.times) <= 0, f"delta is above the upper end at datasets {x}, {y}")
    if above(ends.lo):
        need(seen, "the lower end has no witness")
        need(measure.sign(*seen, ends.lo.times) >= 0, "delta at the witness is below the lower end")
    return f"delta at epsilon {eps.words()} of {words} {ends.words}"


class Excess:
    """Σ_r max(0, p^x(r) - e^ε p^y(r))."""

    def __init__(self, law, eps):
        self.law, self.eps, self.known = law, eps, {}

    def sign(self, x, y, end):
        """The sign of the sum less a rational end, not negative."""
        law = self.law
        if end == 0:
            return max([0] + [law.compare(x, y, r, self.eps) for r in law.worst(x, y)])
        bits = 64 + max(0, end.denominator.bit_length() - end.numerator.bit_length())
        (low, high), scaled = self.rows(x, bits)[0], self.rows(y, bits)[1]
        if sum(a - b for a, b in zip(high, scaled[0]) if a > b) < (end.numerator << bits) // end.denominator:
            return -1
        if sum(a - b for a, b in zip(low, scaled[1]) if a > b) > -((-end.numerator << bits) // end.denominator):
            return 1
        # Too near to say: find where p^x(r) > e^ε p^y(r), then compare sums of powers of v.
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
        """Whole bounds of p^x(r) and of min(1, e^ε p^x(r)), times 2^bits: lists of lower and upper ones.

        The minimum changes nothing, since p^y(r) - e^ε p^x(r) counts where it is positive alone.
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


@kind("distortion")
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
        while len(parts) > 1:  # in pairs, so that long denominators meet late
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


@kind("optimum")
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
    for low, high in factors(eps):  # the larger e^ε, the weaker the constraints
        pairs = [(x, y) for x, y in pairs if not private(rows[x], rows[y], low, slack)]
        for x, y in pairs:
            need(private(rows[x], rows[y], high, slack), f"the laws of datasets {x}, {y} break the constraints")
        if not pairs:
            break
    else:
        raise Undecided

    places = usable(query, places)
    gains, costs, most = read_prices(query, prices, places)
    for low, high in factors(eps) if ends.lo.sign() > 0 else ():  # the larger e^ε, the lower the bound
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
    """Rational bounds of e^ε, ever closer, or e^ε itself where it is rational."""
    if eps.times == 0:
        yield Fraction(1), Fraction(1)
    elif eps.base is not None and eps.times.denominator == 1:
        need(eps.times * max(eps.base.numerator, eps.base.denominator).bit_length() < MAX_EXACT, "eps is too long")
        yield (eps.base ** int(eps.times),) * 2
    else:
        for bits in PRECISIONS:
            yield power(eps.base, eps.times, bits).ends()


def private(row, other, w, slack):
    """Whether Σ_r max(0, p(r) - w p′(r)) ≤ slack, for rows of whole numbers and their scale."""
    (row, scale), (other, scale2) = row, other
    left, right = scale2 * w.denominator, scale * w.numerator
    if slack == 0:
        return all(p * left <= q * right for p, q in zip(row, other))
    excess = sum(max(0, p * left - q * right) for p, q in zip(row, other))
    return excess * slack.denominator <= slack.numerator * scale * left


def usable(query, places):
    """The places that mechanisms need: for every other one of them is as near to each f(x)."""
    if places is None:
        return range(query.m)
    for r in listed(places, "values"):
        whole(r, "a place in values", query.m)
    need(len(set(places)) == len(places), "a place comes twice in values")
    others = sorted(set(range(query.m)) - set(places))
    need(len(others) * len(places) <= MAX_VISITS, f"places listed × left out are more than {MAX_VISITS}")
    truths = sorted(set(query.f))
    far = [[query.gap(f, r) for f in truths] for r in range(query.m)]
    for r in others:
        need(any(all(map(le, far[s], far[r])) for s in places), f"no place in values dominates the place {r}")
    return places


def read_prices(query, prices, places):
    """Σ_y u_yxr and Σ_y u_xyr for every x and r, and Σ_(x,y) max_r u_xyr."""
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
    """Σ_x min over places r of weight_x d(f(x), r) - w Σ_y u_yxr + Σ_y u_xyr."""
    total = 0
    for f, weight, gain, cost in zip(query.f, weights, gains, costs):
        weight /= query.scale
        total += min(weight * query.gap(f, r) - w * gain.get(r, 0) + cost.get(r, 0) for r in places)
    return total


# ---- The command


def check(path):
    """The words of an accepted certificate; raises Rejected."""
    Budget.left = MAX_BITS
    certificate = read(path)
    form, version, made, statement, digest, proof = keys(certificate, "the file", "format version made statement sha256 proof")
    need(form == FORMAT, f"format is not {FORMAT}")
    string(version, "version")
    said = [string(v, "made") for v in keys(made, "made", "", "call script") if v is not None]
    need(type(statement) is dict, "the statement is not an object")
    canonical = json.dumps(statement, sort_keys=True, separators=(",", ":"))
    need(digest == hashlib.sha256(canonical.encode()).hexdigest(), "sha256 is not that of the statement")
    name = statement.get("kind")
    need(type(name) is str, "the statement has no kind")
    if name not in KINDS and name in ELSEWHERE:
        importlib.import_module(ELSEWHERE[name])
    need(name in KINDS, f"the kind {short(name)} is unknown")
    words = KINDS[name](statement, proof)
    return words + f" [said to be made by {short(' at '.join(said) or 'nobody')}, version {short(version)}]"


def main(paths):
    if not paths:
        print("usage: check.py FILE...", file=sys.stderr)
        return 2
    failed = False
    for path in paths:
        try:
            result = "accepted: " + check(path)
        except Rejected as error:
            failed, result = True, f"rejected: {error}"
        except Undecided:
            failed, result = True, f"rejected: undecided with {PRECISIONS[-1]} bits"
        except RecursionError:
            failed, result = True, "rejected: nested too deeply"
        except (MemoryError, OverflowError):
            failed, result = True, "rejected: too large"
        except Exception as error:  # a fault of this program accepts nothing either
            failed, result = True, f"rejected: cannot be checked: {type(error).__name__}: {error}"
        print(" ".join(f"{path}: {result}".splitlines()), flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
