"""Parses the values in certificates: keys, whole numbers, rational numbers, privacy parameters, ends of an interval.

Functions that parse a JSON value also take its name for messages. They raise
Rejected if docs/certificates.md does not allow the value.
"""

import json
import re
import sys
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import gcd

from real import Interval, exp, log

MAX_DIGITS = 50_000  # digits of a numerator or a denominator
MAX_POWER = 1 << 20  # largest |e| in m*2^e
MAX_BITS = 1 << 28  # bits of all numbers in a file together
MAX_COMMON = 1 << 21  # bits of one common denominator
MAX_SCALED = 1 << 31  # bits of the common denominators in a file, counted once for each number

if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)  # MAX_DIGITS replaces Python's limit


class Rejected(Exception):
    """The reason why a certificate is rejected."""


def need(condition, reason):
    if not condition:
        raise Rejected(reason)


def pairs_once(pairs):
    result = dict(pairs)
    need(len(result) == len(pairs), "a key comes twice in an object")
    return result


def small_whole(text):
    need(len(text) <= 17 and text != "-0" and abs(int(text)) <= 1 << 53, f"{short(text)} is no whole number from -2^53 to 2^53")
    return int(text)


def not_whole(text):
    raise Rejected(f"the number {short(text)} is not whole")


def short(value):
    """Returns a value as JSON in one line for a message, abbreviated beyond 60 characters."""
    text = json.dumps(value) if not isinstance(value, str) else json.dumps(value)[1:-1]
    return text if len(text) <= 60 else f"{text[:40]}... ({len(text)} characters)"


def shown(text):
    """Returns a text in one line, with characters that are not printable escaped as in JSON."""
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def named(text):
    """Returns a name for a sentence, in quotes if it could be read as a part of the sentence."""
    if re.fullmatch(r"[^\s\"\\\[\]:;]+", text) and text.isprintable():
        return text
    return '"' + shown(text.replace("\\", "\\\\").replace('"', '\\"')) + '"'


def keys(value, what, required, optional=""):
    """Returns an object's values under the required keys, then the optional ones; None for one that is absent."""
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
    """Counts the bits that the numbers of the current file may still take."""

    left, scaled = MAX_BITS, MAX_SCALED


def number(text, what, least=None):
    """Returns the rational number that a string denotes. It must be at least `least`, if given."""
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
    """Returns the rational numbers times their least common denominator, as whole numbers, and the denominator."""
    scale = 1
    for q in rationals:
        if scale % q.denominator:
            scale *= q.denominator // gcd(scale, q.denominator)
            need(scale.bit_length() <= MAX_COMMON, f"the common denominator of {what} has more than {MAX_COMMON} bits")
    Budget.scaled -= len(rationals) * scale.bit_length()
    need(Budget.scaled >= 0, f"the numbers of the file over common denominators take more than {MAX_SCALED} bits")
    return [q.numerator * (scale // q.denominator) for q in rationals], scale


class Parameter:
    """The real number times·ln(base), or times if base is None. The constructor reduces base to its primitive root."""

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
        return value if self.times == 1 else f"{decimal(self.times)}*{value}"

    def enclosure(self, bits):
        value = Interval.of(self.times, bits)
        return value if self.base is None else value * log(Interval.of(self.base, bits), bits)

    def sign(self):
        return (self.times > 0) - (self.times < 0)


@lru_cache(maxsize=None)
def primitive(q):
    """Returns (b, k) with q = b^k for a rational number q above 1, where b is not itself a power.

    So two logarithms are commensurable exactly if their bases are equal. A number of more than
    1024 bits is returned as it is: a tie may then stay undecided, but no verdict is wrong.
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
    """Returns the k-th root of n, rounded down, by Newton's method from above."""
    x = 1 << -(-n.bit_length() // k)
    while True:
        y = ((k - 1) * x + n // x ** (k - 1)) // k
        if y >= x:
            return x
        x = y


def parameter(value, what, zero=False):
    """Returns a privacy parameter. It must be positive, or may be 0 if `zero`."""
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
    """Returns an enclosure of base^times, or of e^times if base is None."""
    size = 1 if base is None else max(base.numerator, base.denominator).bit_length()
    if base is not None and times.denominator == 1 and abs(times) * size <= 4 * bits:
        return Interval.of(base ** int(times), bits)
    magnitude = times.numerator.bit_length() - times.denominator.bit_length() + size.bit_length()
    return exp(Parameter(times, base).enclosure(bits + 32 + max(0, magnitude)), bits)


def decimal(q, direction=None):
    """Returns a rational number as text: exact if short, else about 12 digits, or 12 digits rounded in a direction."""
    text = str(q) if max(abs(q.numerator), q.denominator) < 10**24 else None
    if text and (direction is None or q.denominator == 1):
        return text
    context = Context(prec=12, Emax=MAX_EMAX, Emin=MIN_EMIN, rounding=direction)
    value = context.divide(Decimal(q.numerator), Decimal(q.denominator))
    return f"{value}" if direction else f"about {value}"


class Ends:
    """Bounds lo and hi of a number, as Parameters. If `logarithms`, they may be ln(q), or None for infinity."""

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
