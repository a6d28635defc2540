"""Roots and signs on an interval of polynomials with whole coefficients, listed by ascending
powers. Sturm chains count roots; Bernstein coefficients, if all have one sign, decide at once.
"""

from fractions import Fraction
from math import gcd

MAX_DEGREE = 4_000


def trimmed(p):
    end = len(p)
    while end and not p[end - 1]:
        end -= 1
    return p[:end]


def plus(p, q, sign=1):
    if len(p) < len(q):
        p, q, flip = q, p, sign < 0
    else:
        flip = False
    out = [-c for c in p] if flip else list(p)
    for i, c in enumerate(q):
        out[i] += c if flip else sign * c
    return trimmed(out)


def times(p, q):
    """Returns the product, by one multiplication of long whole numbers (Kronecker substitution)."""
    if not p or not q:
        return []
    bits = max(c.bit_length() for c in p) + max(c.bit_length() for c in q) + min(len(p), len(q)).bit_length() + 2
    return unpack(pack(p, bits) * pack(q, bits), bits)


def pack(p, bits):
    if len(p) <= 8:
        return sum(c << i * bits for i, c in enumerate(p))
    half = len(p) // 2
    return pack(p[:half], bits) + (pack(p[half:], bits) << half * bits)


def unpack(n, bits):
    sign, n = (-1, -n) if n < 0 else (1, n)
    out, mask, half, carry = [], (1 << bits) - 1, 1 << bits - 1, 0
    while n or carry:
        c = (n & mask) + carry
        carry = int(c >= half)
        out.append(sign * (c - (carry << bits)))
        n >>= bits
    return trimmed(out)


def primitive(p):
    g = 0
    for c in p:
        g = gcd(g, c)
        if g == 1:
            return p
    return [c // g for c in p]


def derivative(p):
    return trimmed([i * c for i, c in enumerate(p)][1:])


def remainder(p, q):
    """Returns a positive multiple of the remainder of p divided by q, made primitive."""
    p, lead, size = list(p), q[-1], abs(q[-1])
    while len(p) >= len(q):
        c, at = p[-1] if lead > 0 else -p[-1], len(p) - len(q)
        g = gcd(c, size)
        by, c = size // g, c // g
        if by != 1:
            p = [by * v for v in p]
        for i, v in enumerate(q):
            p[at + i] -= c * v
        p = trimmed(p)
    return primitive(p)


def common(p, q):
    """Returns the primitive greatest common divisor, up to sign."""
    p, q = primitive(p), primitive(q)
    while q:
        p, q = q, (remainder(p, q) if len(p) >= len(q) else p)
    return p


def quotient(p, q):
    """Returns p/q for a primitive divisor q of p."""
    p, out = list(p), [0] * (len(p) - len(q) + 1)
    for at in reversed(range(len(out))):
        out[at] = p[at + len(q) - 1] // q[-1]
        for i, v in enumerate(q):
            p[at + i] -= out[at] * v
    if any(p):
        raise ArithmeticError("no divisor")
    return out


def sign_at(p, z):
    """Returns the sign of p at a rational number."""
    total, under = 0, 1
    for c in reversed(p):
        total = total * z.numerator + c * under
        under *= z.denominator
    return (total > 0) - (total < 0)


def odd_part(p):
    """Returns a polynomial whose simple roots are the roots of p of odd order, by Yun's algorithm."""
    out = [1]
    a = common(p, derivative(p))
    b, c = quotient(p, a), quotient(derivative(p), a)
    order = 1
    while len(b) > 1:
        d = plus(c, derivative(b), -1)
        factor = common(b, d) if d else primitive(b)
        if order % 2:
            out = times(out, factor)
        b, c = quotient(b, factor), quotient(d, factor) if d else []
        order += 1
    return out


def count(p, a, b):
    """Returns the number of roots in a < z < b of p, which has simple roots only, by a Sturm chain."""
    chain = [p, derivative(p)]
    while len(chain[-1]) > 1:
        chain.append([-c for c in remainder(chain[-2], chain[-1])])
    def changes(z):
        signs = [s for s in (sign_at(q, z) for q in chain) if s]
        return sum(s != t for s, t in zip(signs, signs[1:]))
    return changes(a) - changes(b) - (sign_at(p, b) == 0)


def bernstein(p, a, b):
    """Returns positive multiples of the Bernstein coefficients of p on a < z < b."""
    n, width = len(p) - 1, b - a
    # p(a + width t), times a positive number
    u, v = a.numerator * width.denominator, width.numerator * a.denominator
    d = a.denominator * width.denominator
    out = []  # by Horner: out(t) = out(t)·(u + v t)/d + c
    scale = 1
    for c in reversed(p):
        scaled = [0] * (len(out) + 1)
        for i, w in enumerate(out):
            scaled[i] += u * w
            scaled[i + 1] += v * w
        scale *= d if out else 1
        scaled[0] += c * scale
        out = scaled
    # The coefficients of (1 + s)^n p(1/(1 + s)) are Bernstein coefficients times binomials.
    out = out[::-1]
    for i in range(n):
        for j in range(n - 1, i - 1, -1):
            out[j] += out[j + 1]
    return out


def plain(p):
    """Returns p without its factors z and 1 - z, which are positive for 0 < z < 1, made primitive."""
    p = trimmed(p)
    while p and not p[0]:
        p = p[1:]
    while len(p) > 1 and not sum(p):
        out, total = [], 0
        for c in p[:-1]:
            total += c
            out.append(total)
        p = trimmed(out)
    return primitive(p)


def never_negative(p, a, b):
    """Reports whether p >= 0 on a < z < b, where 0 <= a and b <= 1."""
    p = plain(p)
    if a >= b or all(c >= 0 for c in p):
        return True
    if all(c >= 0 for c in bernstein(p, a, b)):
        return True
    odd = odd_part(p)
    if len(odd) > 1 and count(odd, a, b):
        return False
    return sign_inside(p, a, b) > 0


def sign_inside(p, a, b):
    """Returns the sign of a nonzero polynomial at some number between a and b that is not a root."""
    part = 2
    while True:
        for i in range(1, part):
            sign = sign_at(p, a + (b - a) * Fraction(i, part))
            if sign:
                return sign
        part += 1


def negative(p, a, b):
    """Reports whether p < 0 on a <= z <= b, except at 0 and 1."""
    p = plain(p)
    if not p or a > b:
        return False
    if a == b:
        return sign_at(p, a) < 0
    if any(0 < z < 1 and sign_at(p, z) >= 0 for z in (a, b)):
        return False
    if all(c <= 0 for c in bernstein(p, a, b)) and sign_at(p, (a + b) / 2) < 0:
        return True
    once = quotient(p, common(p, derivative(p))) if len(p) > 1 else p
    return (len(once) < 2 or not count(once, a, b)) and sign_at(p, (a + b) / 2) < 0
