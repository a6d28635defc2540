"""Audits, claims, studies, and what is drawn from a seed."""
import math
import pathlib
import re
from laws import *

# Audits.
loss1 = delta(ask, exp(mpf(1)))
say("audit", 1, log(mpf(3)))
say("audit", 2, loss1)
say("audit", 3, F(3, 4))
say("audit", 4, F(1, 4))
say("type finding", 1, loss1)
say("type finding", 2, F(3, 4))
say("type finding", 3, F(1, 4))
every("type finding.claimed_delta", 0)
say("type finding.claimed_epsilon", 0, 1)
several("type finding.evidence", 1, loss1, "ln(3)")
none("the line that replays it", "audit", "type finding", "type finding.witness")
every("type finding.scope", 1)
every("type zoo_mechanism.claimed_delta", 0)
say("type zoo_mechanism.claimed_epsilon", 0, 1)
every("type zoo_mechanism.draws", 10000)
among("type zoo_mechanism.samples", *range(-40, 41))
every("type zoo_mechanism.neighbors", 0, 0, 0, 0, 1, 1, 1, 1)
none("its numbers are a year and a name's", "type zoo_mechanism.source")
say("edge_leakage", 0, F(99 * 2, 99 * 2 + 1))
every("sampler_delta", (1 + exp(mpf(1))) / 1000)


def convolved(a, b):
    """The law of a sum, in units of 2^-200, by one product of long integers."""
    pack = lambda law: int.from_bytes(b"".join(p.to_bytes(64, "little") for p in law), "little")
    size = len(a) + len(b) - 1
    whole = (pack(a) * pack(b)).to_bytes(64 * size + 64, "little")
    return [int.from_bytes(whole[64 * i:64 * i + 64], "little") >> 200 for i in range(size)]


# Fifty discrete Gaussians: k in place of k − 1 has the loss (1 − 2k)/200, so that all fifty depend on their sum alone.
def added(square, n, uses, most):
    """The chances of so many discrete Gaussians of reach n with their losses' weights, for sums up to most."""
    step = [int(p * 2 ** 200) for p in discrete(square, n)]
    sums, rest, power = None, uses, step
    while rest:
        if rest % 2:
            sums = convolved(sums, power) if sums else power
        power, rest = convolved(power, power), rest // 2
    return [(mpf(p) / 2 ** 200, exp((mpf(2 * (i - uses * n) - uses) / 2) / square)) for i, p in enumerate(sums) if abs(i - uses * n) < most]


def lost(total, e):
    return sum(max(p - exp(e) * p * w, 0) for p, w in total) - mpf("1e-6")


total = added(mpf(100), 200, 50, 1200)
say("discrete_gaussian", 3, bisect(lambda e: lost(total, e), mpf(2), mpf(5)))
# Sixteen of them at ε = 1: δ falls in σ.
total = added(mpf("16.898861496779567") ** 2, 300, 16, 900)
say("calibrate", 1, bisect(lambda e: lost(total, e), mpf("0.9"), mpf("1.1")))
low, high = mpf("16.89886"), mpf("16.89887")
for _ in range(18):
    mid = (low + high) / 2
    low, high = (mid, high) if lost(added(mid ** 2, 300, 16, 900), mpf(1)) > 0 else (low, mid)
say("calibrate", "~4?", high)
for k, v in [(3, log(mpf(7) / 2)), (4, 7), (5, 2)]:
    say("ln", f"~{k}", v)


# How many draws: Clopper and Pearson's ends at counts that fall short of their means with chance 1/20.
def binomial_tail(n, c, p):
    """Pr[Bin(n, p) ≥ c]."""
    logs = lambda k: math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(p) + (n - k) * math.log1p(-p)
    return math.fsum(math.exp(logs(k)) for k in range(c, min(n, max(c, int(n * p)) + 400) + 1)) if c > n * p else 1 - math.fsum(math.exp(logs(k)) for k in range(max(0, c - 1500), c))


def clopper(n, c, level):
    lo, hi = 1e-9, 1 - 1e-9
    for _ in range(50):
        mid = (lo + hi) / 2
        lo, hi = (mid, hi) if binomial_tail(n, c, mid) < level else (lo, mid)
    return lo


def refutes(n, p, level):
    low = next(c for c in range(int(n * p), 0, -1) if 1 - binomial_tail(n, c, p) <= 0.05)
    return clopper(n, low, level) > math.e * (1 - clopper(n, low, level))  # q is 1 − p, and its end the mirror image


p = 1 / (1 + math.exp(-1.2))
needed = []
for tests, parts in ((2, 2), (4, 1)):
    lo, hi = 100, 20000
    while hi - lo > 1:
        mid = (lo + hi) // 2
        lo, hi = (lo, mid) if refutes(mid, p, 0.001 / (2 * tests)) else (mid, hi)
    needed.append(parts * hi)
every("audit_draws", *[between(F(n) * F("0.995"), F(n) * F("1.005")) for n in needed])  # a count is no monotone function: what is found is near the least

# Claims: g(x) = x/(1 + x) at −2 and 0, and how many instances a grid has.
g = lambda x: F(x, 1 + x)
witness = [0, 1, 1, 1, -2, 0, g(-2), g(0), 0, 1, 1, 1, -2, 0, -2, 0, 0, 1, 1, 1]
every("type verdict.witness", *witness)
grid = len(list(product(range(3), repeat=2))) * len(list(product((1, 2), repeat=2))) * len(list(combinations(range(4), 2)))
corrected = [grid + 200, grid, 0, 2, 1, 2, 0, 3, 200]
every("type verdict.corrected", *corrected)
for name in ["type verdict", "type claim.check"]:
    for k, v in enumerate(witness):
        say(name, f"~{k + 1}", v)
    for k, v in enumerate(corrected):
        say(name, f"~{k + 22}", v)
for k, v in enumerate(witness):
    say("claim", f"~{k + 1}", v)
none("how long a search went on, of which claims/*/testdata/families.tsv has the least", "claim", "type verdict", "type claim.check", "type verdict.evidence", "type verdict.instances", "type verdict.scope")
none("the words of a statement", "type claim", "type claim.corrected", "type claim.hypotheses", "type claim.id", "type claim.place")
every("type ledger.size", len(set(re.findall(r"^\| <a id=\S+></a>`(\S+)` \|", (pathlib.Path(__file__).parents[3] / "docs" / "claims.md").read_text(), re.M))))

# Studies: a parabola's least value, and draws from [0, 1].
root = sqrt(mpf("1e-3"))
every("study", between(mpf("0.3") - root, mpf("0.3") + root))
every("type study.best_params", between(0, 1))
every("type study.best_value", between(0, 1))
assert output("type study.best_params") == output("type study.best_value")
among("type study.best_trial", *range(5))
every("type study.trials", 5, between(0, 1))


# The generator of math/rand/v2: 128 bits times a constant plus one, and DXSM.
def pcg(seed, stream):
    state = seed << 64 | stream
    while True:
        state = (state * 0x2360ED051FC65DA44385DF649FCCF645 + 0x5851F42D4C957F2D14057B7EF767814F) % 2 ** 128
        hi, lo = state >> 64, state % 2 ** 64
        hi ^= hi >> 32
        hi = hi * 0xDA942042E4DD58B5 % 2 ** 64
        hi ^= hi >> 48
        yield hi * (lo | 1) % 2 ** 64


draws = pcg(7, 0)
every("uniform", *[-1 + 2 * F(next(draws) % 2 ** 53, 2 ** 53) for _ in range(3)])
draws, order = pcg(1, 0), list(range(5))
for i in range(4, 0, -1):
    word = next(draws)
    j = word % 2 ** 32 % (i + 1) if i + 1 in (2, 4) else (word >> 32) * (i + 1) >> 32
    order[i], order[j] = order[j], order[i]
every("permutation", *order)
within("laplace_noise", 0, 1 + 2 * log(mpf(10) ** 9))
say("laplace_release", 0, F(1, 2))


# The rank-one mechanism in ten dimensions: its noise has length |N(0, V)| and any direction; its neighbor stands at distance 1.
def rank_one(dimension, delta):
    shape = (mpf(delta) * mp.gamma(mpf(dimension - 1) / 2) / sqrt(pi) / mp.gamma(mpf(dimension) / 2)) ** (mpf(2) / (dimension - 2))
    return 2 / shape


variance = rank_one(10, "1e-5")
V = float(variance)
below = lambda x: (35 * x - 28 * math.sin(2 * x) + 7 * math.sin(4 * x) - 4 / 3 * math.sin(6 * x) + math.sin(8 * x) / 8) / (35 * math.pi)  # the angle's law, sin⁸
cone = lambda c: 1 - below(math.acos(max(-1.0, min(1.0, c))))  # Pr(cos < c)


def solve(f, lo, hi):
    for _ in range(60):
        mid = (lo + hi) / 2
        lo, hi = (mid, hi) if f(mid) <= 0 else (lo, mid)
    return lo


def real_delta(eps):
    gain = lambda r, s: 9 * math.log(s / r) + (s * s - r * r) / (2 * V) - eps  # the loss at |z| = r, |z − s| = s, less ε
    first = second = 0.0
    ends = [0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4, 6, 9, 14, 20, 30, 45, 70]
    for a, b in zip(ends, ends[1:]):
        n = 60
        for i in range(n):
            r = a + (b - a) * (i + 0.5) / n
            weight = (b - a) / n * 2 * math.exp(-r * r / 2 / V) / math.sqrt(2 * math.pi * V)
            far = solve(lambda s: gain(r, s), r, r + 2 + 200 * r)
            first += weight * cone((r * r + 1 - far * far) / (2 * r))
            close = solve(lambda t: -gain(t, r), r * 1e-9, r)
            second += weight * cone((close * close - r * r - 1) / (2 * r))
    return first - math.exp(eps) * second


for name, at in [("r1smg", 2), ("type r1smg.delta_at", 0)]:
    say(name, f"{at}?", mpf(real_delta(1.0)))
lo, hi = 15.0, 30.0
for _ in range(24):
    mid = (lo + hi) / 2
    lo, hi = (mid, hi) if real_delta(mid) > 0.01 else (lo, mid)
say("type r1smg.epsilon_at", "0?", mpf(lo))
for name in ["r1smg", "type r1smg.claimed_error"]:
    say(name, 0, variance)
say("r1smg", 1, mpf("1e-5"))
say("type r1smg.claimed_delta", 0, mpf("1e-5"))
shown("type r1smg", 1, 10, mpf("1e-5"), variance)
every("type r1smg.release", 1, 4)
