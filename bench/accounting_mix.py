"""Composes Gaussian, Laplace and staircase noise with dp_accounting and prints seconds, the version and δ at each
ε. Arguments: uses of each, σ of the Gaussian noise, ε of the two others, the chance of the staircase's largest loss, the
discretisation, and the ε."""
import math
import sys
import time
from importlib.metadata import version

from dp_accounting.pld import privacy_loss_distribution as pld

n, sigma, eps, grows, interval = int(sys.argv[1]), *map(float, sys.argv[2:6])
start = time.perf_counter()
falls = grows * math.exp(-eps)
rest = 1 - grows - falls
masses = [grows, rest, falls]
lower = {i: math.log(m) for i, m in enumerate(masses)}
upper = {i: math.log(m) for i, m in enumerate(reversed(masses))}
every = pld.from_gaussian_mechanism(sigma, value_discretization_interval=interval).self_compose(n)
every = every.compose(pld.from_laplace_mechanism(1 / eps, value_discretization_interval=interval).self_compose(n))
every = every.compose(pld.from_two_probability_mass_functions(upper, lower, value_discretization_interval=interval).self_compose(n))
deltas = [every.get_delta_for_epsilon(float(e)) for e in sys.argv[6:]]
print(time.perf_counter() - start, version("dp-accounting"), *deltas)
