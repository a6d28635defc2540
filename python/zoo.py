"""Audits samplers of other packages, used correctly and incorrectly: python python/zoo.py

    pip install diffprivlib opendp dp-accounting "scikit-learn<1.7"

Each row draws from a package's sampler at two neighboring inputs, less than a million draws in all. At confidence 0.999
the audit must refute the claim of each incorrect use and of no correct one; otherwise the script ends with status 1.
dp_accounting has no samplers, so its noise is drawn with its distribution functions."""

import sys
import warnings
from importlib.metadata import version

import dpworkbench as wb
import numpy as np
from diffprivlib import mechanisms, tools
from dp_accounting.pld.common import DifferentialPrivacyParameters
from dp_accounting.pld.privacy_loss_mechanism import DiscreteGaussianPrivacyLoss, DiscreteLaplacePrivacyLoss

import opendp.prelude as dp

dp.enable_features("contrib")
warnings.simplefilter("ignore")  # diffprivlib warns if it takes bounds from the data
rng = np.random.default_rng(57)
rows, contradictions = [], []


def row(right, name, draw, eps, delta=0, n=20000, note="", bins=None):
    """Audits n draws at each of the inputs 0 and 1. draw(x, n) returns a list of draws."""
    result = wb.audit({x: list(draw(x, n)) for x in (0, 1)}, [(0, 1)], eps, delta, bins=bins)
    refuted = result.verdict == "refuted"
    event = result.witness["event"] if result.witness else ""
    rows.append(["right" if right else "wrong", name, eps, delta, 2 * n, result.verdict, result.epsilon.lo, str(event)[:45], note])
    if refuted == right:
        contradictions.append(name)


def each(sample):
    """Turns a sampler of one output into one of n outputs."""
    return lambda x, n: [plain(sample(x)) for _ in range(n)]


def plain(v):
    return v.item() if isinstance(v, np.generic) else v


def diffprivlib(name, **options):
    """Draws of a mechanism of diffprivlib at two values."""
    at = options.pop("at", (0, 1))
    mechanism = getattr(mechanisms, name)(random_state=np.random.RandomState(57), **options)
    return each(lambda x: mechanism.randomise(at[x]))


def selected(name, utilities, **options):
    """Draws of a choice by diffprivlib with utilities of sensitivity 1."""
    both = [getattr(mechanisms, name)(utility=u, sensitivity=1, random_state=np.random.RandomState(57 + i), **options)
            for i, u in enumerate(utilities)]
    return each(lambda x: both[x].randomise())


def vectors(make, T, at=(0, 1), **options):
    """Draws of noise by OpenDP, independent for the entries of a vector."""
    domain = dp.atom_domain(T=float, nan=False) if T is float else dp.atom_domain(T=T)
    measurement = make(dp.vector_domain(domain), dp.l1_distance(T=T) if make is dp.m.make_laplace else dp.l2_distance(T=float), **options)
    return lambda x, n: measurement([T(at[x])] * n)


def by_cdf(loss, sensitivity=1):
    """Draws of dp_accounting's noise on integers, added to 0 or to the sensitivity."""
    reach = np.arange(-200, 201)
    cdf = np.array([loss.noise_cdf(float(k)) for k in reach])
    return lambda x, n: (x * sensitivity + reach[np.searchsorted(cdf, rng.random(n)).clip(max=400)]).tolist()


params = DifferentialPrivacyParameters(1.0, 1e-3)
sigma = DiscreteGaussianPrivacyLoss.from_privacy_guarantee(params, 1)
unit = DiscreteLaplacePrivacyLoss(1.0, sensitivity=1)
ints = dp.atom_domain(T=int)
zcdp = dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(ints, dp.absolute_distance(T=int), scale=2.0)).map(1).epsilon(1e-3)
response = dp.m.make_randomized_response_bool(prob=0.75)
largest = dp.m.make_noisy_max(dp.vector_domain(ints), dp.linf_distance(T=int), dp.max_divergence(), scale=2.0)
counts = [[0, 0, 1], [1, 1, 0]]

row(True, "opendp make_laplace, float", vectors(dp.m.make_laplace, float, scale=1.0), 1)
row(True, "opendp make_laplace, int", vectors(dp.m.make_laplace, int, scale=1.0), 1)
row(True, "opendp make_gaussian, int", vectors(dp.m.make_gaussian, int, scale=2.0), zcdp, 1e-3)
row(True, "opendp make_randomized_response_bool", each(lambda x: response(x == 1)), wb.ln(3), n=5000)
row(True, "opendp make_noisy_max", each(lambda x: largest(counts[x])), largest.map(1), n=5000)
row(True, "diffprivlib Geometric", diffprivlib("Geometric", epsilon=1), 1)
row(True, "diffprivlib GeometricTruncated", diffprivlib("GeometricTruncated", epsilon=1, lower=0, upper=3), 1)
row(True, "diffprivlib GaussianDiscrete", diffprivlib("GaussianDiscrete", epsilon=1, delta=1e-3), 1, 1e-3)
row(True, "diffprivlib Snapping", diffprivlib("Snapping", epsilon=1, sensitivity=1, lower=-10, upper=10), 1)
row(True, "diffprivlib PermuteAndFlip", selected("PermuteAndFlip", counts, epsilon=1), 1)
row(True, "diffprivlib Exponential", selected("Exponential", counts, epsilon=1), 1)
row(True, "diffprivlib Laplace in bins", diffprivlib("Laplace", epsilon=1, sensitivity=1), 1, bins=20, note="its law, without its bits")
row(True, "diffprivlib LaplaceBoundedDomain in bins", diffprivlib("LaplaceBoundedDomain", epsilon=1, sensitivity=.25, lower=0, upper=1, at=(0, .25)), 1, bins=20, note="its law, without its bits")
row(True, "dp_accounting DiscreteGaussianPrivacyLoss", by_cdf(sigma), 1, 1e-3)
row(True, "dp_accounting DiscreteLaplacePrivacyLoss", by_cdf(unit), 1)

row(False, "numpy laplace", lambda x, n: (x + rng.laplace(size=n)).tolist(), 1, note="low bits")
row(False, "diffprivlib Laplace", diffprivlib("Laplace", epsilon=1, sensitivity=1), 1, note="low bits: its issues 19 and 94")
row(False, "diffprivlib GaussianAnalytic", diffprivlib("GaussianAnalytic", epsilon=1, delta=1e-3, sensitivity=1), 1, 1e-3, note="low bits: its issue 94")
keys = dp.m.make_laplace_threshold(dp.map_domain(dp.atom_domain(T=str), ints), dp.l01inf_distance(dp.absolute_distance(T=int)), scale=1.0, threshold=5)
eps, delta = keys.map((1, 1, 1))
row(False, "opendp make_laplace_threshold", each(lambda x: keys({"key": 1} if x else {}).get("key", "nothing")), eps, delta, note="counts at the threshold: its issue 2922")
row(False, "diffprivlib tools.mean", each(lambda x: tools.mean(np.array([0.0, 0, 0, x]), epsilon=1, random_state=np.random.RandomState(rng.integers(2**32)))), 1, n=3000, note="bounds from the data; it warns")
row(False, "diffprivlib Laplace(random_state=0)", each(lambda x: mechanisms.Laplace(epsilon=1, sensitivity=1, random_state=0).randomise(x)), 1, n=3000, note="the same seed each time")
row(False, "diffprivlib Exponential(monotonic=True)", selected("Exponential", counts, epsilon=1, monotonic=True), 1, note="utilities that rise and fall")
row(False, "opendp make_laplace, scale of √½", vectors(dp.m.make_laplace, int, scale=.5 ** .5), 1, note="a standard deviation of 1 for a scale")
row(False, "dp_accounting Gaussian, sensitivity 2", by_cdf(sigma, 2), 1, 1e-3, note="calibrated for 1")
noise = by_cdf(DiscreteLaplacePrivacyLoss(.5, sensitivity=1))
row(False, "dp_accounting Laplace, reused", lambda x, n: [(z, z + x) for z in noise(0, n)], 1, note="one draw for two counts")

versions = ", ".join(f"{name} {version(name)}" for name in ("diffprivlib", "opendp", "dp-accounting", "numpy"))
print(wb.table(rows, header=["use", "sampler", "ε", "δ", "draws", "verdict", "ε at least", "event", "note"], title=f"Audits of {versions}: {sum(r[4] for r in rows)} draws", digits=4))
if contradictions:
    sys.exit("against what was expected: " + "; ".join(contradictions))
