"""Normaliser and mean number of ones of a quadratic law by NumPy.

States are split into low and high bits; blocks of high patterns against all low
patterns are one matrix product, one exponential and two sums, all vectorised.
Reads the order and the rows of Π, prints ln Z, E|b| and seconds.
"""
import sys
import time

import numpy as np


def patterns(n):
    return ((np.arange(1 << n)[:, None] >> np.arange(n)) & 1).astype(float)


def enumerate_law(pi):
    d = len(pi)
    low = min(d, 12)
    a, b, c = pi[:low, :low], pi[low:, low:], 2 * pi[low:, :low]
    lows = patterns(low)
    low_exponent = ((lows @ a) * lows).sum(axis=1)
    low_ones = lows.sum(axis=1)
    cross = c @ lows.T
    z = m = 0.0
    block = 1 << 10
    for start in range(0, 1 << (d - low), block):
        count = min(block, (1 << (d - low)) - start)
        highs = ((np.arange(start, start + count)[:, None] >> np.arange(d - low)) & 1).astype(float)
        exponent = highs @ cross
        exponent += low_exponent
        exponent += ((highs @ b) * highs).sum(axis=1)[:, None]
        np.exp(exponent, out=exponent)
        row = exponent.sum(axis=1)
        z += row.sum()
        m += (exponent @ low_ones).sum() + row @ highs.sum(axis=1)
    return np.log(z), m / z


def main():
    numbers = [float(v) for v in sys.stdin.read().split()]
    d = int(numbers[0])
    pi = np.array(numbers[1:]).reshape(d, d)
    start = time.perf_counter()
    log_z, mean = enumerate_law(pi)
    print(repr(float(log_z)), repr(float(mean)), time.perf_counter() - start)


main()
