"""Noise on the line and in the plane: layers by their intervals, laws on cells between whole numbers."""
from laws import *

# δ-neighborhoods of radius 2, neighbors [−11, −10], [−1, 1] and [10, 11]: layers end at whole numbers.
cells = {}
for i, union in enumerate(unions):
    for a, b in union:
        for k in range(a, b):
            cells.setdefault(k, i)


def shifted(v):
    """What outputs of each ratio have at 0 and at v, cell by cell: the layer falls by one, stays or rises."""
    p, q = {}, {}
    for k in range(-1500, 1500):
        step = cells[k - v] - cells[k]
        p[step] = p.get(step, 0) + exp(mpf(-cells[k])) / length
        q[step] = q.get(step, 0) + exp(mpf(-cells[k - v])) / length
    assert sorted(p) == [-1, 0, 1]
    return [p[s] for s in (-1, 0, 1)], [q[s] for s in (-1, 0, 1)]


moves = [shifted(v) for v in (1, 10, 11)]  # a pair's overlap is linear between whole shifts
m = "type line_mechanism."
for name, value in {
    "claimed_epsilon": 1, "delta_at": delta(moves, mpf(2)), "epsilon_at": epsilon(moves, mpf(10) ** -6), "gdp": gdp(moves), "renyi": max(renyi(p, 2) for p in moves),
    "zcdp": zcdp(moves), "worst": 1,
}.items():
    say(m + name, 0, value)
several(m + "report", 1, 1, *[said[m + k, 0] for k in ("epsilon_at", "zcdp", "gdp")], *[delta(moves, exp(mpf(e))) for e in (0, 0.25, 0.5, 0.75)], 0, 1)
none("parameters, places in papers, and the ticks of a drawing", m + "report", "type knorm.report")
none("the parameters of its name", "type line_mechanism", m + "name", m + "release", "type knorm", "type knorm.release")
hull = tradeoff(moves)
every(m + "tradeoff", *[a for a, _ in hull])
for k, (_, b) in enumerate(hull):
    say(m + "tradeoff", f"{k}?" if k + 1 == len(hull) else k, b)


def weighted(unions, decay):
    z = exp(-mpf(decay))
    size = sum(z ** i * num(F(sum(b - a for a, b in u))) for i, u in enumerate(unions))
    return sum(z ** i * num(F(sum(b * abs(b) - a * abs(a) for a, b in u))) / 2 for i, u in enumerate(unions)) / size


every(m + "curve", *[weighted(unions, d) for d in (mpf("0.5"), 1, 2)])
ends = []
for i in range(3):
    inside = sorted(k for k, layer in cells.items() if layer == i)
    ends += [v for k in inside for v in ([] if k - 1 in inside else [k]) + ([] if k + 1 in inside else [k + 1])]
every(m + "layers", *ends)
sets = [{k for k, layer in cells.items() if layer <= i} for i in range(100)]
inherits = next(n for n in range(60) if all(sets[i + 1] == sets[i] | {k + 11 for k in sets[i]} | {k - 11 for k in sets[i]} for i in range(n, 90)))
outward = lambda s: {k + 11 for k in s if k >= 0} | {k - 11 for k in s if k < 0}
own = [sets[0]] + [sets[i] - sets[i - 1] for i in range(1, 100)]
again = next(n for n in range(60) if all(own[i + 1] == outward(own[i]) for i in range(n, 90)))
every(m + "periodicity", again, inherits, len(own[80]), 11)
for name in ["sample", "simulate"]:
    within(m + name, -24 * 11, 24 * 11)  # e^-21 lies outside
    within("type knorm." + name, -30, 30)
shown(m + "theorem1", 1, 1, 2, 1, 1, 1, mpf(1) / 2 + e1 / (1 - e1), 0)  # E_q of layers [i, i + 1)

for k, v in enumerate([-2, -2, F(-1, 2), F(-1, 3), 0, 0, F(1, 3), F(1, 2), 2, 2]):
    say("linear_query", f"~{k + 4}", v)
for name in ["type linear_query", "type linear_query.neighboring_set"]:
    every(name, -1001, -1000, -1, 1, 1000, 1001)
far = [(-1001, -1000), (-1, 1), (1000, 1001)]
every("type linear_query.distortions", *[weighted(layers((-r, r), far, 30), d) for d in (3, 4) for r in (0, 10, 20)])
near20 = [(-21, -20), (-1, 1), (20, 21)]
at_radius = lambda r, d: weighted(layers((-F(r), F(r)), near20, 25), d)
for k, (r, d) in enumerate(zip(arguments("type linear_query.best_radius"), (2, 4))):
    here = at_radius(r, d)
    assert all(here <= at_radius(r + F(i, 200), d) for i in (-1, 1)) and all(here <= at_radius(F(i, 2), d) for i in range(21))
    say("type linear_query.best_radius", f"~{2 * k}", F(r))
    say("type linear_query.best_radius", f"~{2 * k + 1}", here)

# K-norm noise in the plane, K with corners ±(1, 0) and ±(0, 1), at ε = 1: what holds of every 1-DP mechanism bounds it.
rr = both([flipped := 1 / (1 + e1), e1 * flipped], [e1 * flipped, flipped])
for name, value in {"delta_at": delta(rr, mpf(2)), "epsilon_at": epsilon(rr, mpf(10) ** -6), "gdp": gdp(rr), "renyi": max(renyi(p, 2) for p in rr), "zcdp": zcdp(rr)}.items():
    say("type knorm." + name, "0^", value)
for name in ["smallest_epsilon", "worst"]:
    say("type knorm." + name, 0, 1)
say("type knorm.report", 0, 1)
for k, v in enumerate([said["type knorm." + k, "0^"] for k in ("epsilon_at", "zcdp", "gdp")] + [delta(rr, exp(mpf(e))) for e in (0, 0.25, 0.5, 0.75)]):
    say("type knorm.report", f"{k + 1}^", v)
say("type knorm.report", 8, 0)
say("type knorm.report", 9, 1)
say("type knorm.tradeoff", 0, 1)
say("type knorm.tradeoff", "1^", flipped)
say("type knorm.tradeoff", "2?", 0)
every("type knorm.tradeoff", 0, 1 - flipped, 1)
every("type knorm.corners", -1, 0, 0, -1, 1, 0, 0, 1)
every("type knorm.layer", 1)  # ⌊0.9 + 0.9⌋
# (−1/2, 1/2) has norm 1, and lies farther than a unit from every whole point but 0: its layer is 1, R_0 of none of ℓ1 norm 1 has it.
for k, v in enumerate([F(-1, 2), F(1, 2), 1]):
    say("type knorm.lattice_gap", f"~{k}", v)
    say("knorm", f"~{k + 4}", v)
say("knorm", "~3", 1)

# Laplace noise of scale 1/ln 2 between −3 and 3: what lies beyond has the weight 1/8.
def truncated(r):
    half = (1 - mpf(2) ** -abs(mpf(r))) / (1 - mpf(1) / 8) / 2
    return mpf(1) / 2 + (half if r > 0 else -half)


def at_most(e):
    """The largest Pr[r <= s] - exp(e) Pr[r + 1 <= s], where the density is as much larger, for e up to ln 2."""
    s = (1 - e / log(mpf(2))) / 2
    return truncated(s) - exp(e) * truncated(s - 1)


center = 1 / log(mpf(2)) - mpf(3) / 7
several("truncated_laplace", 3, center, F(1, 14), at_most(mpf(0)), bisect(lambda e: at_most(e) - mpf(1) / 10, mpf(0), log(mpf(2))), 1 - F(13, 14) ** 2)
assert abs(at_most(log(mpf(2))) - mpf(1) / 14) < mpf(10) ** -50
assert abs(quad(lambda r: r * log(mpf(2)) * mpf(2) ** -r * 8 / 7, [0, 3]) - center) < mpf(10) ** -40
say(m + "truncation", 0, log(1 + 50 * (exp(mpf(1)) - 1)))
