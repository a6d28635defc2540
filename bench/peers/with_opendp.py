"""Times OpenDP: draws and a median."""

import random
from importlib.metadata import version

import opendp.prelude as dp

VERSION = version("opendp")
dp.enable_features("contrib", "floating-point", "honest-but-curious")


def drawing(make, n):
    zeros = [0] * n
    return lambda: 0 * len(make(zeros))


def laplace(n, _):
    return drawing(dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int), scale=10.0), n)


def gaussian(n, _):
    return drawing(dp.m.make_gaussian(dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=float), scale=10.0), n)


def median(n, _):
    x = [random.random() for _ in range(n)]
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
    candidates = [i / 1000 for i in range(1001)]
    release = dp.binary_search_chain(lambda scale: dp.m.make_private_quantile(*space, dp.max_divergence(), candidates, 0.5, scale), d_in=1, d_out=1.0)
    return lambda: 0 * release(x)
