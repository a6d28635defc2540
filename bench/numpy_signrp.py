"""Seconds of NumPy's float64 matrix product, n x p by p x k: the best of seven.

The peer of BenchmarkProjectBytes and BenchmarkProjectFloats in signrp/.
"""

import sys
import time

import numpy as np

n, p, k = (int(a) for a in sys.argv[1:4])
rng = np.random.default_rng(1)
data = rng.uniform(-1, 1, (n, p))
signs = rng.choice([-1.0, 1.0], (p, k))
best = float("inf")
for _ in range(7):
    start = time.perf_counter()
    data @ signs
    best = min(best, time.perf_counter() - start)
print(best)
