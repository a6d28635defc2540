"""Composes a pair of laws with dp_accounting, as often as told, and prints the median
seconds, ε at δ, and the version. Standard input: two lists of masses as JSON."""
import json
import math
import statistics
import sys
import time
from importlib.metadata import version

from dp_accounting.pld import privacy_loss_distribution as pld

uses, delta, interval, repeats = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
lower, upper = json.load(sys.stdin)


def logs(masses):
    return {i: math.log(m) for i, m in enumerate(masses) if m > 0}


seconds, epsilon = [], 0.0
for _ in range(repeats):
    start = time.perf_counter()
    one = pld.from_two_probability_mass_functions(logs(lower), logs(upper), value_discretization_interval=interval)
    epsilon = one.self_compose(uses).get_epsilon_for_delta(delta)
    seconds.append(time.perf_counter() - start)
print(statistics.median(seconds), epsilon, version("dp-accounting"))
