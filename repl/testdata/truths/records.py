"""Records: every dataset of the examples' universes, listed, and what changes reach from each."""
from itertools import combinations_with_replacement as multisets
from mpmath import inf
from tools import *

here = [2, 3, 5, 8, 8]
median = lambda y: sorted(y)[(len(y) + 1) // 2 - 1]


def changed(x, y):
    """How many records of x are replaced to reach y."""
    left = list(x)
    for v in y:
        if v in left:
            left.remove(v)
    return len(left)


def distances_from(x, values, f):
    out = {}
    for y in multisets(values, len(x)):
        out[f(y)] = min(out.get(f(y), 99), changed(x, y))
    return out


def law(layers, z):
    total = sum(z ** t for t in layers.values())
    return {r: z ** t / total for r, t in layers.items()}


reach = distances_from(here, range(11), median)
one = law(reach, exp(mpf(-1)))
third = law(reach, F(1, 3))
error = lambda p, f: sum(w * abs(r - f) for r, w in p.items())
say("records", 0, error(third, 5))
for name in ("records", "type records"):
    for k, v in enumerate([5, 0, 10, 1] + ([5, 0, 10, 1, 5] if name == "records" else [])):
        say(name, f"~{k}", v)
mean, trimmed = F(sum(here), 5), F(sum(sorted(here)[1:4]), 3)
values = {"median": 5, "minimum": 2, "maximum": 8, "total": 26, "mean": mean, "trimmed_mean": trimmed, "variance": sum((v - mean) ** 2 for v in here) / F(5), "count": 3, "quantile": 8, "quantile_range": 8 - 3}
for name, value in values.items():
    front = {"trimmed_mean": [1], "quantile": [F(9, 10)], "quantile_range": [F(1, 4), F(3, 4)]}.get(name, [])
    every("type records." + name, *front, 5, 0, 10, 1, value)
every("type records.mode", 3, 3)
every("type records.size", 5)
say("type record_mechanism.distortion", 0, error(one, 5))
say("type record_mechanism.claimed_epsilon", 0, 2)
say("type record_mechanism.probability", 0, sum(w for r, w in one.items() if 4 <= r <= 6))
say("type record_mechanism.error_quantile", 0, min(e for e in range(11) if sum(w for r, w in one.items() if abs(r - 5) <= e) >= mpf("0.9")))
say("type record_mechanism.query", 0, 5)
every("type record_mechanism.layer", reach[9])
every("type record_mechanism", 1, 5, 0, 10, 1, 2)
every("type record_mechanism.name", 1)
pieces, start = [], 0
for r in range(11):  # runs of one layer on a side of the median
    if r == 10 or reach[r + 1] != reach[r] or r in (4, 5):
        pieces += [start, r, reach[r], sum(one[s] for s in range(start, r + 1))]
        start = r + 1
every("type record_mechanism.pieces", *pieces)
among("type record_mechanism.sample", *range(11))
among("type record_mechanism.simulate", *range(11))
none("what a terminal draws", "type record_mechanism.plot")
every("type record_query", 5, 0, 10, 1, 5)
every("type record_query.name", 5, 0, 10, 1)
say("type record_query.value", 0, 5)
every("type record_query.layer", reach[9])
say("type record_query.stands_for", 0, 1)  # all three edges are at the center, which holds 1
say("type record_query.stands_for", 1, 3)
every("type record_query.moves", max(r for r in reach if reach[r] <= 1) - 5, 5 - min(r for r in reach if reach[r] <= 1))
every("type record_query.range", 0, 10, 1)
say("type record_query.global_sensitivity", 0, 10)
within_one = [y for y in multisets(range(11), 5) if changed(here, y) <= 1]
say("type record_query.local_sensitivity", 0, max(abs(median(y) - median(y[:i] + (v,) + y[i + 1:])) for y in within_one for i in range(5) for v in range(11)))

names = ["a", "b", "b"]
mode = lambda y: max("abc", key=lambda c: (y.count(c), -ord(c)))
half = law(distances_from(names, "abc", mode), F(1, 2))
every("type record_mechanism.prob", *[half[c] for c in "abc"])


def flips(counts, z):
    """Permute and flip: all orders, each with its coin tosses."""
    out = {c: F(0) for c in counts}
    for order in permutations(counts):
        left = F(1, 6)
        for c in order:
            p = z ** (max(counts.values()) - counts[c])
            out[c] += left * p
            left *= 1 - p
    return out


counts = {"a": 1, "b": 2, "c": 0}
say("permute_and_flip", 0, 1 - flips(counts, F(1, 2))["b"])
score = law({c: 2 - n for c, n in counts.items()}, F(1, 2))
say("permute_and_flip", 1, 1 - score["b"])
say("noisy_max", 0, law({c: 2 - n for c, n in counts.items()}, exp(mpf(-1) / 2))["b"])
below = lambda d: exp(d / 2) / 2 if d < 0 else 1 - exp(-d / 2) / 2  # Laplace noise of scale 2
say("noisy_max", 1, quad(lambda r: exp(-abs(r - 2) / 2) / 4 * below(r - 1) * below(r), [-inf, 0, 1, 2, inf]))

# A noisy mean: every noise of the sum and of the count, but for some that weigh less than e^-45 together.
hundred = [3, 8, 8, 2, 5] * 20


def geometric(rate):
    far, z = int(46 / rate), exp(-rate)
    return {k: (1 - z) / (1 + z) * z ** abs(k) for k in range(-far, far + 1)}


ratio = {}
for s, p in geometric(mpf(1) / 10).items():
    for n, w in geometric(mpf(1) / 2).items():
        r = min(max(5 + F(sum(v - 5 for v in hundred) + s, max(1, 100 + n)), 0), 10)
        ratio[r] = ratio.get(r, 0) + p * w
average = F(sum(hundred), 100)
say("noisy_mean", 0, sum(p * abs(mpf((r - average).numerator) / (r - average).denominator) for r, p in ratio.items()))
so_far, e = mpf(0), None
for r in sorted(ratio, key=lambda r: abs(r - average)):
    if so_far < mpf(9) / 10:
        so_far, e = so_far + ratio[r], abs(r - average)
say("noisy_mean", 1, e)
say("noisy_mean", 2, sum(p for r, p in ratio.items() if 5 <= r <= 6))
say("noisy_mean", 3, mpf(5) / 2 * (2 - exp(mpf("-0.96")) - exp(mpf("-1.04"))))

# The universe of verify's examples: 20 multisets of 3 of 4 values.
small = list(multisets(range(4), 3))
pairs_of_small = [(x, y) for x in small for y in small if changed(x, y) == 1]


def loss(laws):
    return max(log(laws[x][r] / laws[y][r]) for x, y in pairs_of_small for r in range(4) if r in laws[x])


laws = {x: law(distances_from(x, range(4), median), exp(mpf(-1))) for x in small}
top = loss(laws)
maxima = {x: law(distances_from(x, range(4), max), exp(mpf(-1))) for x in small}
none("how many numbers were recomputed", "verify", "type recomputation", "type recomputation.cases", "type recomputation.table", "type verification.cases")
none("a line of script", "type verification.line")
every("type recomputation.attained", 6, 0)  # the corners of the box, 2·3 apart
said_of = ["type verification", "verify", "record_query"]
for name, value in zip(said_of, [top, top, loss(maxima)]):
    for k, v in enumerate([1, between(value - mpf(10) ** -5, value + mpf(10) ** -5), 2, 20, 3, 4]):
        print(f"{name}\t~{k + 2 * (name == 'verify')}\t{v}")  # after the numbers that were recomputed
for k, v in enumerate([2, 2, 2, 1, 0, 3]):  # to replace one of 2, 2, 2 by 3 is a change
    say("record_query", f"~{6 + k}", v)
say("type verification.smallest_epsilon", 0, top)
say("verify", 0, log(mpf(2)))  # means of 0 and 3, moved by 1, at Δ = 1: the noise's whole ratio beyond both
say("type verification.claimed_epsilon", 0, 2)
every("type verification.datasets", len(small))
every("type verification.pairs", len(pairs_of_small) // 2)
every("type verification.below", 0, len(small) * 4)
every("type verification.scope", 20, 3, 4)

# Graphs: a triangle with a tail, and a node apart. The layers of triangles are bounds: what has a truth are values.
for name, value in {"edges": 4, "triangles": 1, "maximum_degree": 3, "components": 2}.items():
    every("type network_records." + name, 5, 4, value)
every("type network_records.k_star", 2, 5, 4, 5)
every("type network_records.nodes", 5)
every("type network_records", 5, 4)
for k, v in enumerate([5, 4, 5, 4, 1]):
    say("network_records", f"~{k}", v)
none("layers that are bounds: verify tests them, and records/verify_test.go does on all graphs of up to 7 nodes", "network_records")

# A mechanism of which its claim is known alone, 2-differential privacy: randomized response at 2.
few = 1 / (1 + exp(mpf(2)))
rr = both([1 - few, few], [few, 1 - few])
m = "type record_mechanism."
at = {"delta_at": delta(rr, mpf(2)), "epsilon_at": epsilon(rr, mpf(10) ** -6), "zcdp": zcdp(rr), "gdp": gdp(rr), "renyi": max(renyi(p, 2) for p in rr), "smallest_epsilon": 2, "worst": 2}
for k, value in at.items():
    if k != "zcdp":
        say(m + k, 0, value)
for k, value in enumerate([2, 2, at["epsilon_at"], at["zcdp"], at["gdp"]] + [delta(rr, exp(mpf(e))) for e in (0, 0.5, 1, 1.5)] + [0, 2]):
    if k != 3:
        say(m + "report", k, value)
none("the upper end of a search to 12 digits, places in papers, and the ticks of a drawing", m + "report", m + "zcdp")
for k, value in enumerate([1, few, 0]):
    say(m + "tradeoff", k, value)
every(m + "tradeoff", 0, few, 1)
