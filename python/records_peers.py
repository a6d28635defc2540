"""Compares the median of real records with diffprivlib's and OpenDP's: python python/records_peers.py FILE COLUMN LO HI

    pip install diffprivlib opendp

The workbench computes the expected errors of its mechanisms. Errors of peers are means of 2000 draws ± 3.29 standard
errors, a 99.9 % interval by the normal approximation. diffprivlib's median (neighbors by replacement) and OpenDP's
quantile (by addition or removal) are exponential mechanisms by rank. Compare each with the layered mechanism for the
same neighbors. A peer that is not installed is left out."""

import csv
import gzip
import math
import statistics
import sys

import dpworkbench as wb

DRAWS = 2000
BUDGETS = (0.01, 0.1, 1)


def column(path, k):
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path, encoding="utf-8")
    with opened as file:
        for row in csv.reader(file):
            try:
                yield float(row[k])
            except ValueError:  # a header, or a missing value
                continue


def sampled(draw, truth):
    errors = [abs(draw() - truth) for _ in range(DRAWS)]
    return statistics.fmean(errors), 3.29 * statistics.stdev(errors) / math.sqrt(DRAWS)


def main(path, k, lo, hi):
    x = list(column(path, int(k)))
    lo, hi = float(lo), float(hi)
    grid = 1 if all(v == int(v) for v in x) else None
    replace, moving = (wb.records(x, lo=lo, hi=hi, grid=grid, neighbors=n, clip=True).median() for n in ("replace", "add_remove"))
    truth = float(replace.value)
    print(f"{path}, column {k}: {len(x)} records in [{lo:g}, {hi:g}], median {truth:g}")
    for eps in BUDGETS:
        print(f"ε = {eps:g}")
        print(f"  layered, replace             {float(wb.purest(replace, eps / 2).distortion()):.6g}")
        print(f"  layered, add_remove          {float(wb.purest(moving, eps / 2).distortion()):.6g}")
        try:
            from diffprivlib.tools import median
        except ImportError:
            print("  diffprivlib                  not installed")
        else:
            mean, radius = sampled(lambda: float(median(x, epsilon=eps, bounds=(lo, hi))), truth)
            print(f"  diffprivlib, replace         {mean:.6g} ± {radius:.2g}")
        try:
            import opendp.prelude as dp
        except ImportError:
            print("  OpenDP                       not installed")
        else:
            dp.enable_features("contrib", "floating-point", "honest-but-curious")
            space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
            steps = int(hi - lo) if grid else 1000
            candidates = [lo + (hi - lo) * i / steps for i in range(steps + 1)]
            make = lambda scale: dp.m.make_private_quantile(*space, dp.max_divergence(), candidates, 0.5, scale)
            release = dp.binary_search_chain(make, d_in=1, d_out=float(eps))
            mean, radius = sampled(lambda: float(release(x)), truth)
            print(f"  OpenDP, add_remove           {mean:.6g} ± {radius:.2g}")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
