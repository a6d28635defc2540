"""Interval arithmetic: enclosures of real numbers between whole-number bounds.

An Interval holds the real numbers from lo·2^exp to hi·2^exp. Every operation rounds the
lower end down and the upper end up. So the result contains the exact result for all
numbers in the operands. No bound is computed in floating point.
"""

from fractions import Fraction
from functools import lru_cache

PRECISIONS = [64 << i for i in range(7)]  # bits, up to 4096
EXACTLY_AFTER = 256  # precision in bits beyond which equality is decided exactly, if possible
LARGEST_MAGNITUDE = 1 << 12  # bits of the integer part of the argument of exp
LONGEST = 1 << 26  # bits by which an end of an interval is shifted to make it an exact number


class Undecided(Exception):
    """Raised if a comparison stays undecided, or an operation undefined, at the precision in use."""


class Interval:
    """The real numbers from lo·2^exp to hi·2^exp; ends are rounded outward to `bits` bits."""

    __slots__ = ("lo", "hi", "exp", "bits")

    def __init__(self, lo, hi, exp, bits):
        excess = max(lo.bit_length(), hi.bit_length()) - bits
        if excess > 0:  # >> rounds down, also for negative numbers
            lo, hi, exp = lo >> excess, -(-hi >> excess), exp + excess
        self.lo, self.hi, self.exp, self.bits = lo, hi, exp, bits

    @staticmethod
    def of(number, bits):
        """Returns an enclosure of a rational or whole number."""
        n, d = number.numerator, number.denominator
        if d == 1:
            return Interval(n, n, 0, bits)
        shift = bits + 1 + d.bit_length() - n.bit_length()
        n, d = (n << shift, d) if shift >= 0 else (n, d << -shift)
        return Interval(n // d, -(-n // d), -shift, bits)

    def __add__(self, other):
        a, b = (self, other) if self.exp >= other.exp else (other, self)
        if a.lo == a.hi == 0:
            return b
        gap = a.exp - b.exp
        down = min(gap, a.bits + 2)  # b is rounded outward to a's places if it has many more
        lo, hi = b.lo >> (gap - down), -(-b.hi >> (gap - down))
        return Interval((a.lo << down) + lo, (a.hi << down) + hi, a.exp - down, a.bits)

    def __neg__(self):
        return Interval(-self.hi, -self.lo, self.exp, self.bits)

    def __sub__(self, other):
        return self + -other

    def __mul__(self, other):
        if self.lo >= 0 and other.lo >= 0:
            lo, hi = self.lo * other.lo, self.hi * other.hi
        else:
            ends = [a * b for a in (self.lo, self.hi) for b in (other.lo, other.hi)]
            lo, hi = min(ends), max(ends)
        return Interval(lo, hi, self.exp + other.exp, self.bits)

    def __truediv__(self, other):
        if other.hi < 0:
            return -self / -other
        if other.lo <= 0:
            raise Undecided
        places = self.bits + other.hi.bit_length() + 1
        one = 1 << places
        return self * Interval(one // other.hi, -(-one // other.lo), -places - other.exp, self.bits)

    def over(self, n):
        """Returns the interval divided by a whole number n ≥ 1."""
        places = n.bit_length() + max(0, self.bits - max(self.lo.bit_length(), self.hi.bit_length()))
        return Interval((self.lo << places) // n, -((-self.hi << places) // n), self.exp - places, self.bits)

    def shifted(self, places):
        """Returns the interval times 2^places."""
        return Interval(self.lo, self.hi, self.exp + places, self.bits)

    def with_bits(self, bits):
        return Interval(self.lo, self.hi, self.exp, bits)

    def widened(self, error):
        """Returns the interval widened on both sides by the upper end of `error`."""
        return self + Interval(-error.hi, error.hi, error.exp, self.bits)

    def magnitude(self):
        """Returns a whole number n with |x| < 2^n for all x in the interval."""
        return max(self.lo.bit_length(), self.hi.bit_length()) + self.exp

    def sign(self):
        """Returns the sign -1, 0 or 1 of the enclosed number, or None if the interval does not determine it."""
        if self.lo > 0:
            return 1
        if self.hi < 0:
            return -1
        return 0 if self.lo == self.hi == 0 else None

    def fixed(self, bits):
        """Returns whole numbers that enclose the interval times 2^bits."""
        shift = self.exp + bits
        if shift > LONGEST:
            raise Undecided
        if shift >= 0:
            return self.lo << shift, self.hi << shift
        return self.lo >> -shift, -(-self.hi >> -shift)

    def ends(self):
        """Returns both ends as rational numbers."""
        if abs(self.exp) > LONGEST:
            raise Undecided
        if self.exp >= 0:
            return Fraction(self.lo << self.exp), Fraction(self.hi << self.exp)
        return Fraction(self.lo, 1 << -self.exp), Fraction(self.hi, 1 << -self.exp)


def decide(difference, exactly=None):
    """Returns the sign of a real number, given difference(bits), an enclosure of it.

    An enclosure rarely shows that the number is 0. The function exactly, if given, returns the
    sign, or None if it is unknown. Raises Undecided if neither decides.
    """
    for bits in PRECISIONS:
        try:
            sign = difference(bits).sign()
        except Undecided:  # a division by an interval that contains 0
            sign = None
        if sign is None and exactly and bits == EXACTLY_AFTER:
            sign = exactly()
        if sign is not None:
            return sign
    raise Undecided


@lru_cache(maxsize=64)
def ln2(bits):
    """Returns an enclosure of ln 2 = Σ 2/(j 3^j) over odd j; each term and the rest are at most 2 units too low."""
    total, power, j = 0, (2 << (bits + 16)) // 3, 1
    while power:
        total, power, j = total + power // j, power // 9, j + 2
    return Interval(total, total + j + 2, -bits - 16, bits)


def exp(x, bits):
    """Returns an enclosure of e^x = 2^n e^t with t = x - n ln 2, and e^t = (e^(t/2^k))^(2^k)."""
    magnitude = max(x.magnitude(), 0)
    if magnitude > LARGEST_MAGNITUDE:
        raise Undecided
    halvings = 4 + int(bits**0.5) // 2
    work = bits + magnitude + halvings + 16
    x = x.with_bits(work)
    n = 0
    if magnitude:  # n is the whole number nearest to x/ln 2, or one beside it
        middle = (x / ln2(work)).shifted(1)
        n = (middle.fixed(0)[0] + 1) >> 1
    t = (x - ln2(work) * Interval.of(n, work)).shifted(-halvings)
    term = total = Interval.of(1, work)
    j = 0
    # |t|^j/j! < 1 implies |t| < (j + 1)/2, so the remainder of the series is at most its last term.
    while term.magnitude() > -work:
        j += 1
        term = (term * t).over(j)
        total = total + term
    total = total.widened(Interval(0, max(abs(term.lo), abs(term.hi)), term.exp + 1, work))
    for _ in range(halvings):
        total = total * total
    return total.shifted(n).with_bits(bits)


def log(x, bits):
    """Returns an enclosure of ln x for an interval of positive numbers.

    Up to 128 bits it is n ln 2 + 2 atanh((m - 1)/(m + 1)) with x = 2^n m. Beyond, it is
    y + ln(x e^-y), where y is ln x to half as many bits.
    """
    work = bits + 32
    n = 0
    if bits > 128:
        y = log(x, bits // 2)
        base = Interval(y.lo, y.lo, y.exp, work)
        m = x.with_bits(work) * exp(-base, work)
    else:
        n = x.magnitude()
        if (x.hi << 2) < (3 << (n - x.exp)):  # brings the upper end of m into [3/4, 3/2)
            n -= 1
        m, base = x.with_bits(work).shifted(-n), ln2(work) * Interval.of(n, work)
    one = Interval.of(1, work)
    return (base + _atanh((m - one) / (m + one)).shifted(1)).with_bits(bits)


def _atanh(z):
    """Returns an enclosure of z + z³/3 + z⁵/5 + …, or raises Undecided unless |z| ≤ 1/2 throughout the interval."""
    if z.magnitude() > -1 and max(abs(z.lo), abs(z.hi)) << 1 > 1 << max(-z.exp, 0):
        raise Undecided
    square, power, total, j = z * z, z, z, 1
    start = z.magnitude()
    while power.magnitude() > start - z.bits:
        power, j = power * square, j + 2
        total = total + power.over(j)
    # The remainder is at most |z|^(j+2)/(1 - z²) ≤ |z|^j/3.
    return total.widened(Interval(0, max(abs(power.lo), abs(power.hi)), power.exp, z.bits))
