"""Times diffprivlib: noise scales, draws and a median."""

import warnings
from importlib.metadata import version

import numpy as np
from diffprivlib.mechanisms import GaussianAnalytic, GaussianDiscrete, Geometric
from diffprivlib.tools import median as private_median

VERSION = version("diffprivlib")
warnings.simplefilter("ignore")


def sigma(n, _):
    return lambda: sum(GaussianAnalytic(epsilon=0.5 + i / n, delta=1e-5, sensitivity=1)._scale for i in range(n))


def geometric(n, _):
    mechanism = Geometric(epsilon=0.1)
    return lambda: 0 * sum(mechanism.randomise(0) for _ in range(n))


def discrete_gaussian(n, _):
    mechanism = GaussianDiscrete(epsilon=0.5, delta=1e-5)
    mechanism._scale = 10.0
    return lambda: 0 * sum(mechanism.randomise(0) for _ in range(n))


def median(n, _):
    x = np.random.default_rng(1).random(n)
    return lambda: 0 * private_median(x, epsilon=1, bounds=(0, 1))
