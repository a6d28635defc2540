"""Writes draws of a counting mechanism as a CSV file that dpworkbench audits.

    python3 geometric.py right|wrong|truncated DRAWS > draws.csv

It adds two-sided geometric noise to a count, with NumPy alone, as many programs do.
"right" has ratio exp(-eps). "wrong" mistakes the scale 1/eps of the noise for its
standard deviation, which makes the true privacy loss sqrt(2) eps. "truncated" draws
again until the noise is at most 8 in absolute value.
"""
import sys

import numpy as np

EPS = 1.0


def noise(rng, kind, n):
    eps = EPS * np.sqrt(2) if kind == "wrong" else EPS
    p = 1 - np.exp(-eps)
    if kind != "truncated":
        return rng.geometric(p, n) - rng.geometric(p, n)
    kept = np.empty(0, dtype=int)
    while len(kept) < n:
        x = rng.geometric(p, n) - rng.geometric(p, n)
        kept = np.concatenate([kept, x[abs(x) <= 8]])
    return kept[:n]


def main():
    kind, n = sys.argv[1], int(sys.argv[2])
    rng = np.random.default_rng(2026)
    out = sys.stdout
    out.write("dataset,output\n")
    for count in (10, 11):  # the true answers of two neighbors
        for x in count + noise(rng, kind, n):
            out.write(f"{count},{x}\n")


main()
