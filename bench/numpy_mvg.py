"""Median seconds of one draw of matrix-variate normal noise with NumPy.

usage: numpy_mvg.py {diagonal|dense} M N REPEATS

Prints the median, NumPy's version and the BLAS library that the process has
loaded. diagonal: standard deviations times standard normals. dense: B N C' with
given factors of both covariances, their factorization not counted.
"""
import sys
import time

import numpy as np


def blas():
    names = set()
    with open("/proc/self/maps") as maps:
        for line in maps:
            name = line.split("/")[-1].strip()
            if "blas" in name.lower():
                names.add(name)
    return ",".join(sorted(names)) or "unknown"


kind, m, n, repeats = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
rng = np.random.default_rng(1)
times = []
if kind == "diagonal":
    sd = np.linspace(1, 2, m)[:, None]
    for _ in range(repeats + 1):
        start = time.perf_counter()
        z = rng.standard_normal((m, n))
        z *= sd
        times.append(time.perf_counter() - start)
else:
    b, c = rng.standard_normal((m, m)), rng.standard_normal((n, n))
    for _ in range(repeats + 1):
        start = time.perf_counter()
        z = b @ rng.standard_normal((m, n)) @ c.T
        times.append(time.perf_counter() - start)
times = sorted(times[1:])
print(times[len(times) // 2], np.__version__, blas())
