"""Times the analytic Gaussian mechanism (Balle and Wang 2018) by SciPy's normal distribution and root finder."""

from math import exp

import scipy
from scipy.optimize import brentq
from scipy.special import ndtr

VERSION = scipy.__version__


def delta_of(eps, sigma):
    return ndtr(0.5 / sigma - eps * sigma) - exp(eps) * ndtr(-0.5 / sigma - eps * sigma)


def between(n):
    return [0.5 + i / n for i in range(n)]


def sigma(n, _):
    return lambda: sum(brentq(lambda s: delta_of(x, s) - 1e-5, 0.1, 100) for x in between(n))


def delta(n, _):
    return lambda: sum(delta_of(1, x) for x in between(n))


def epsilon(n, _):
    return lambda: sum(brentq(lambda e: delta_of(e, x) - 1e-5, 0, 100) for x in between(n))
