"""Networks that are released, the communities of networks, and laws of their degrees."""
import math
from matrices import *

tailed = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)]
joined = [sum(v in e for e in tailed) for v in range(6)]  # degrees
drawn = between(0, comb(6, 2))  # edges of what is drawn


# A number from 0 to most with noise of weight z^|k|, moved to its ends: the law, and the largest losses.
def moved(value, most, z):
    return [sum(z ** abs(k - value) for k in ks) * (1 - z) / (1 + z) for ks in ([*range(-400, 1)], *[[k] for k in range(1, most)], [*range(most, 400 + most)])]


def worst_of(before, after, most, z):
    return max(log(p / q) for p, q in zip(moved(before, most, z), moved(after, most, z)))


# A list of neighbors: a bit moves one count of each round by 1, at half of eps; an edge is in two lists.
for eps in (1, mpf(1) / 2):
    z = exp(-mpf(eps) / 2)
    one_list = 2 * max(worst_of(a, b, 5, z) for a in range(6) for b in (a - 1, a + 1) if 0 <= b <= 5)
    assert abs(one_list - eps) < mpf(10) ** -50
several("ldpgen", 2 * 1, 1)
several("type graph_rival.measured", 2 * 1, 1)
say("type graph_rival.release", 0, 2)
say("equal_privacy", 0, 1)
every("equal_privacy", F(1, 2))  # of which an edge loses twice that
every("ldpgen", 1, 2, 2, 6, drawn)
for name in ["type graph_rival", "type graph_rival.name"]:
    every(name, 1, 2, 2)
every("type graph_rival.law", 1, 2, 2, 1)
every("type graph_rival.simulate", 6, drawn)
every("type graph_rival.truncated", sum(d > 2 for d in (3, 1, 1, 1)))
every("pbcn", 1, 2, 6, drawn)
every("pygmalion", 1, 6, drawn)
every("type community_rival", 2, 2)
every("type community_rival.name", 2, 2)
for name in ["dpcd", "type community_rival.simulate"]:
    among(name, *range(6))

# Degrees up to the root of 4, rounded up, of all graphs with 4 nodes: how many nodes have each, with noise for 4.
def histogram(edges):
    have = [min(2, sum(v in e for e in edges)) for v in range(4)]
    return [have.count(d) for d in range(3)]


half = exp(-mpf(2) / 4)
losses = {}
for code in product((0, 1), repeat=6):
    for k in range(6):
        x, y = (histogram([e for e, b in zip(PAIRS, c) if b]) for c in (code, [b ^ (i == k) for i, b in enumerate(code)]))
        for a, b in zip(x, y):
            if (a, b) not in losses:
                losses[a, b] = worst_of(a, b, 4, half) if a != b else mpf(0)
        losses[tuple(x), tuple(y)] = sum(losses[a, b] for a, b in zip(x, y))
say("type degree_rival.measured", 0, max(losses.values()))

# What comes out on two nodes has an edge where both noisy degrees are 1; each is what it was with the chance 1/(1 + e^(-eps/2)).
keeps = F(2, 3)
say("type graph_rival.released_epsilon", 0, max(log(a / b) for x, y in [(keeps ** 2, (1 - keeps) ** 2)] for a, b in [(mpf(x.numerator) / x.denominator, mpf(y.numerator) / y.denominator), (1 - mpf(y.numerator) / y.denominator, 1 - mpf(x.numerator) / x.denominator)]))


# What comes out on three nodes, degrees up to 2: the noisy histogram, scaled to three nodes by rounding its partial sums.
def dealt(histogram):
    out = []
    for d in range(3):
        while sum(histogram) and len(out) + F(1, 2) <= 3 * F(sum(histogram[:d + 1]), sum(histogram)):
            out.append(d)
    return tuple((out + [0] * 3)[:3] if sum(histogram) == 0 else out)


def chances(counts):
    rows, out = [moved(v, 3, half) for v in counts], {}
    for k in product(range(4), repeat=3):
        out[dealt(k)] = out.get(dealt(k), 0) + rows[0][k[0]] * rows[1][k[1]] * rows[2][k[2]]
    return out


steps = [(0, 0, 0), (1, 1, 0), (2, 1, 1), (2, 2, 2)]  # degrees with 0 to 3 edges
laws = [chances([d.count(k) for k in range(3)]) for d in steps]
say("type degree_rival.released_epsilon", 0, max(abs(log(a[k] / b[k])) for a, b in zip(laws, laws[1:]) for k in a))
every("type degree_rival", 2)
every("type degree_rival.name", 2)
most = math.isqrt(6 - 1) + 1
every("type degree_rival.truncated", sum(d > most for d in joined))
for name in ["approx_deg", "type degree_rival.simulate"]:
    among(name, *range(most + 1))
chance = lambda k: comb(comb(100, 2), k) * F(1, 10) ** k * F(9, 10) ** (comb(100, 2) - k)
low = next(k for k in range(495, 0, -1) if chance(k) < F(1, 10 ** 12))
every("random_network", 6, 4, 100, between(low, 2 * 495 - low))


# Two cliques of six nodes: every node is joined within its own with the chance 1 - e^-(background + F F'), with the others by the background alone.
clique = 6
background = -log(1 - mpf(1) / (2 * clique))
own = [mpf(1)] * clique  # a neighborhood to begin with


def likelihood(own):
    edges = sum(log(1 - exp(-background - own[i] * own[k])) for i, k in combinations(range(clique), 2))
    return 2 * edges - clique ** 2 * background


now, sweeps = likelihood(own), 0
while True:
    for u in range(clique):  # Newton's step on one node, whose likelihood has no other terms
        odds = [1 / (exp(background + own[u] * own[v]) - 1) for v in range(clique) if v != u]
        rest = [own[v] for v in range(clique) if v != u]
        own[u] += sum(f * w for f, w in zip(rest, odds)) / sum(f * f * w * (1 + w) for f, w in zip(rest, odds))
    before, now, sweeps = now, likelihood(own), sweeps + 1
    if now - before <= abs(before) / 10 ** 4:
        break
every("type bigclam.sweeps", sweeps)
every("type bigclam", 2, 2 * clique, sweeps)
say("type bigclam.log_likelihood", "~0?", now)
rows = [(f, 0) for f in own] + [(0, f) for f in own]
shown("type bigclam.affiliations", 2 * clique, 2, *[f for row in rows[:8] for f in row])
every("type bigclam.threshold", sqrt(-log(1 - F(2 * comb(6, 2), comb(12, 2)))))
text("type bigclam.communities", [list(range(6)), list(range(6, 12))])
text("bigclam", [list(range(7)), list(range(7, 13))])


# Power laws: where the derivative of the likelihood vanishes, by Hurwitz's zeta function.
def fitted(values, least):
    tail = [v for v in values if v >= least]
    total = sum(log(mpf(v)) for v in tail)
    value = lambda s: -len(tail) * log(mp.zeta(s, least)) - s * total
    slope = lambda s: -len(tail) * mp.zeta(s, least, 1) / mp.zeta(s, least) - total
    lo, hi = mpf("1.05"), mpf(99)
    for _ in range(100):
        mid = (lo + hi) / 2
        lo, hi = (mid, hi) if slope(mid) > 0 else (lo, mid)
    s = (lo + hi) / 2
    assert all(value(s) > value(s + d) for d in (mpf("-0.01"), mpf("0.01")))
    upto = lambda k: 1 - mp.zeta(s, k + 1) / mp.zeta(s, least)
    distance = max(abs(upto(k) - mpf(sum(v <= k for v in tail)) / len(tail)) for k in range(least, max(tail) + 1))
    return distance, s, least, len(tail), value(s), 1 / sqrt(-diff(value, s, 2))


def best_fit(values):
    return min(fitted(values, least) for least in sorted(set(values))[:-1])


mp.dps = 30  # of sums without end
distance, exponent, least, _, _, _ = best_fit([2, 2, 4, 1, 2, 1])
for k, v in enumerate([exponent, least, distance]):
    say("power_law", f"~{k}?", v)
distance, exponent, least, tail_size, value, deviation = best_fit([1, 1, 1, 2, 2, 3, 5, 1, 2, 9])
for name, v in {"distance": distance, "exponent": exponent, "log_likelihood": value, "standard_error": deviation, "tail": tail_size, "x_min": least}.items():
    say("type power_law." + name, "~0?", v)
shown("type power_law", exponent, least, tail_size)
mp.dps = 60
