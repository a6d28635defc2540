"""Real numbers between whole-number bounds, for certificates.

An Interval holds a real number between lo·2^exp and hi·2^exp. Every operation
rounds its lower end down and its upper end up, so what is derived from
intervals holds for the numbers themselves. No float takes part.
"""

from fractions import Fraction
from functools import lru_cache

PRECISIONS = [64 << i for i in range(7)]  # bits, up to 4096
EXACTLY_AFTER = 256  # bits, where equality can be decided exactly
LARGEST_MAGNITUDE = 1 << 12  # bits before the point of an exponent
LONGEST = 1 << 26  # bits of a number that is written out


class Undecided(Exception):
    """Two numbers could not be told apart with the last of PRECISIONS."""


class Interval:
    """The numbers from lo·2^exp to hi·2^exp, whose ends keep `bits` bits."""

    __slots__ = ("lo", "hi", "exp", "bits")

    def __init__(self, lo, hi, exp, bits):
        excess = max(lo.bit_length(), hi.bit_length()) - bits
        if excess > 0:  # >> rounds down, of negative numbers too
            lo, hi, exp = lo >> excess, -(-hi >> excess), exp + excess
        self.lo, self.hi, self.exp, self.bits = lo, hi, exp, bits

    @staticmethod
    def of(number, bits):
        """The interval about a rational or whole number."""
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
        down = min(gap, a.bits + 2)  # beyond, b is rounded outward to a's places
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
        """The interval divided by a whole n ≥ 1."""
        places = n.bit_length() + max(0, self.bits - max(self.lo.bit_length(), self.hi.bit_length()))
        return Interval((self.lo << places) // n, -((-self.hi << places) // n), self.exp - places, self.bits)

    def shifted(self, places):
        """The interval times 2^places."""
        return Interval(self.lo, self.hi, self.exp + places, self.bits)

    def with_bits(self, bits):
        return Interval(self.lo, self.hi, self.exp, bits)

    def widened(self, error):
        """All numbers within an error, an interval of magnitudes, of this."""
        return self + Interval(-error.hi, error.hi, error.exp, self.bits)

    def magnitude(self):
        """A whole n such that all of the interval is below 2^n in size."""
        return max(self.lo.bit_length(), self.hi.bit_length()) + self.exp

    def sign(self):
        """-1, 0 or 1, or None where the interval does not say."""
        if self.lo > 0:
            return 1
        if self.hi < 0:
            return -1
        return 0 if self.lo == self.hi == 0 else None

    def fixed(self, bits):
        """Whole numbers around the interval times 2^bits."""
        shift = self.exp + bits
        if shift > LONGEST:
            raise Undecided
        if shift >= 0:
            return self.lo << shift, self.hi << shift
        return self.lo >> -shift, -(-self.hi >> -shift)

    def ends(self):
        """Both ends as rational numbers."""
        if abs(self.exp) > LONGEST:
            raise Undecided
        if self.exp >= 0:
            return Fraction(self.lo << self.exp), Fraction(self.hi << self.exp)
        return Fraction(self.lo, 1 << -self.exp), Fraction(self.hi, 1 << -self.exp)


def decide(difference, exactly=None):
    """The sign of a real number, of which difference(bits) is an enclosure.

    Equal numbers can be told by exactly() alone, which may answer None. Where
    it does and the numbers are too near each other, Undecided is raised.
    """
    for bits in PRECISIONS:
        try:
            sign = difference(bits).sign()
        except Undecided:  # a division by what may be 0
            sign = None
        if sign is None and exactly and bits == EXACTLY_AFTER:
            sign = exactly()
        if sign is not None:
            return sign
    raise Undecided


@lru_cache(maxsize=64)
def ln2(bits):
    """ln 2 = Σ 2/(j 3^j) over odd j, each term and the rest at most 2 units too low."""
    total, power, j = 0, (2 << (bits + 16)) // 3, 1
    while power:
        total, power, j = total + power // j, power // 9, j + 2
    return Interval(total, total + j + 2, -bits - 16, bits)


def exp(x, bits):
    """e^x of an interval: 2^n e^t with t = x - n ln 2, and e^t = (e^(t/2^k))^(2^k)."""
    magnitude = max(x.magnitude(), 0)
    if magnitude > LARGEST_MAGNITUDE:
        raise Undecided
    halvings = 4 + int(bits**0.5) // 2
    work = bits + magnitude + halvings + 16
    x = x.with_bits(work)
    n = 0
    if magnitude:  # the nearest whole number to x/ln 2, or one beside it
        middle = (x / ln2(work)).shifted(1)
        n = (middle.fixed(0)[0] + 1) >> 1
    t = (x - ln2(work) * Interval.of(n, work)).shifted(-halvings)
    term = total = Interval.of(1, work)
    j = 0
    # |t| < 1/2 and below, so what the series leaves out is at most twice its next term.
    while term.magnitude() > -work:
        j += 1
        term = (term * t).over(j)
        total = total + term
    total = total.widened(Interval(0, max(abs(term.lo), abs(term.hi)), term.exp + 1, work))
    for _ in range(halvings):
        total = total * total
    return total.shifted(n).with_bits(bits)


def log(x, bits):
    """ln x of an interval of positive numbers.

    To few bits it is n ln 2 + 2 atanh((m - 1)/(m + 1)) with x = 2^n m; to more it is
    y + ln(x e^-y), with y the logarithm to half of them.
    """
    work = bits + 32
    n = 0
    if bits > 128:
        y = log(x, bits // 2)
        base = Interval(y.lo, y.lo, y.exp, work)
        m = x.with_bits(work) * exp(-base, work)
    else:
        n = x.magnitude()
        if (x.hi << 2) < (3 << (n - x.exp)):  # brings m near 1, into [2/3, 4/3) or so
            n -= 1
        m, base = x.with_bits(work).shifted(-n), ln2(work) * Interval.of(n, work)
    one = Interval.of(1, work)
    return (base + _atanh((m - one) / (m + one)).shifted(1)).with_bits(bits)


def _atanh(z):
    """z + z³/3 + z⁵/5 + … of an interval within 1/2 of 0."""
    if z.magnitude() > -1 and max(abs(z.lo), abs(z.hi)) << 1 > 1 << max(-z.exp, 0):
        raise Undecided
    square, power, total, j = z * z, z, z, 1
    start = z.magnitude()
    while power.magnitude() > start - z.bits:
        power, j = power * square, j + 2
        total = total + power.over(j)
    # The rest is at most z^(j+2)/(1 - z²) ≤ z^j/3 in size.
    return total.widened(Interval(0, max(abs(power.lo), abs(power.hi)), power.exp, z.bits))
