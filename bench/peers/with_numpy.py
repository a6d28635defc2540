"""Times NumPy: noise, matrix products, copies and enumerations."""

import numpy as np

VERSION = np.__version__
rng = np.random.default_rng(1)
PIXELS, PROJECTED = 784, 512


def mvg_diagonal(n, _):
    sd = np.linspace(1, 2, n)[:, None]

    def run():
        z = rng.standard_normal((n, n))
        z *= sd
        return 0

    return run


def mvg_dense(n, _):
    b, c = rng.standard_normal((n, n)), rng.standard_normal((n, n))

    def run():
        b @ rng.standard_normal((n, n)) @ c.T
        return 0

    return run


def product(n, _):
    a, b = rng.standard_normal((n, n)), rng.standard_normal((n, n))
    return lambda: 0 * (a @ b)[0, 0]


def project(n, _):
    data, signs = rng.uniform(-1, 1, (n, PIXELS)), rng.choice([-1.0, 1.0], (PIXELS, PROJECTED))
    return lambda: 0 * (data @ signs)[0, 0]


def copy(n, _):
    data = rng.uniform(-1, 1, (n, (PIXELS + PROJECTED) // 2))
    return lambda: 0 * data.copy()[0, 0]


def bits(n, _):
    return lambda: 0 * (rng.random((n, n)) < 0.1)[0, 0]


def patterns(n):
    return ((np.arange(1 << n)[:, None] >> np.arange(n)) & 1).astype(float)


def enumerate_law(d, pi):
    """Sums over all states of d bits. Each block of patterns of the high bits is combined with all patterns of the low
    bits in one product, one exponential and two sums."""
    pi = np.array(pi)
    low = min(d, 12)
    a, b, c = pi[:low, :low], pi[low:, low:], 2 * pi[low:, :low]

    def run():
        lows = patterns(low)
        low_exponent = ((lows @ a) * lows).sum(axis=1)
        low_ones = lows.sum(axis=1)
        cross = c @ lows.T
        z = ones = 0.0
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
            ones += (exponent @ low_ones).sum() + row @ highs.sum(axis=1)
        return np.log(z)

    return run
