"""Noise of whole numbers and shuffled answers."""
from tools import *

# Sums of fair bits, Skellam noise by Bessel functions, and twenty shuffled answers of which 0 … 19 others are 1.
def bits_law(n):
    return {k: F(comb(n, k), 2**n) for k in range(n + 1)}


def moved(law):
    over = range(min(law), max(law) + 2)
    return [law.get(k, 0) for k in over], [law.get(k - 1, 0) for k in over]


several("binomial_noise", epsilon([moved(bits_law(100))], mpf(10) ** -6), delta([moved(bits_law(4))], 1))
difference = moved({k: exp(mpf(-4)) * mp.besseli(abs(k), 4) for k in range(-120, 121)})
several("skellam", delta([difference], exp(mpf(1))), epsilon([difference], mpf(10) ** -6))


def coin(n, p):
    return [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]


def added(a, b):
    return [sum(a[j] * b[i - j] for j in range(len(a)) if 0 <= i - j < len(b)) for i in range(len(a) + len(b) - 1)]


honest = exp(mpf(1)) / (1 + exp(mpf(1)))
answers = []
for ones in range(20):
    rest = added(coin(ones, honest), coin(19 - ones, 1 - honest))
    answers += [(added(rest, coin(1, honest)), added(rest, coin(1, 1 - honest)))]
several("shuffled", delta([(coin(1, honest), coin(1, 1 - honest))], exp(mpf("0.5"))), delta(answers + [w[::-1] for w in answers], exp(mpf("0.5"))))
