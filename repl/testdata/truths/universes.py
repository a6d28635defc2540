"""Universes of graphs and histograms, queries on them, and the mechanisms that layers, tables and linear programs make."""
from laws import *


def edge_pairs(dist):
    return sum(d == 1 for row in dist for d in row) // 2


def layers_at(q, starts, x):
    """The values of every layer of x; starts are the values that stand in layer i of y, by (y, i)."""
    out = {}
    for r in q.range:
        at = [q.dist[x][y] + i for (y, i), values in starts.items() if r in values]
        if at:
            out.setdefault(min(at), []).append(r)
    return [out.get(i, []) for i in range(max(out) + 1)]


def flat(v):
    return [n for part in v for n in flat(part)] if isinstance(v, (list, tuple)) else [v]


# Graphs on 4 nodes.
sizes = [11, max(map(max, q4.dist)), edge_pairs(q4.dist)]
every("graphs", *sizes)
for kind in ["graphs", "query"]:
    for name, value in zip(["size", "diameter", "edge_pairs"], sizes):
        every(f"type {kind}.{name}", value)
    every(f"type {kind}.distance", q4.dist[0][1])
    every(f"type {kind}.neighbors", *[y for y in range(11) if near[0][y]])
    every(f"type {kind}.index", next(x for x, g in enumerate(edges_of) if len(g) == 6))  # C~ has all edges
every("type graphs.automorphisms", sum(set(map(frozenset, ((p[i], p[j]) for i, j in edges_of[0]))) == set(map(frozenset, edges_of[0])) for p in permutations(range(4))))
every("type graphs.count", *triangles)
every("type graphs.dataset", *flat(edges_of[5]))
every("type query.range", *q4.range)
every("type query.values", *map(len, edges_of))
every("type mechanism.query", 11)


# Histograms: vectors of counts by lexicographic order.
class Histograms:
    def __init__(self, types, records):
        self.data = [v for v in product(range(records + 1), repeat=types) if sum(v) <= records]
        self.dist = [[sum(abs(a - b) for a, b in zip(v, w)) for w in self.data] for v in self.data]


h = Histograms(3, 4)
every("histograms", len(h.data), max(map(max, h.dist)), *h.data[5])
every("type histograms.counting", *[v[0] + v[2] for v in Histograms(3, 2).data])
h = Histograms(2, 3)
every("type histograms.dataset", *h.data[4])
every("type histograms.diameter", max(map(max, h.dist)))
every("type histograms.distance", h.dist[0][1])
every("type histograms.edge_pairs", edge_pairs(h.dist))
every("type histograms.index", h.data.index((1, 2)))
every("type histograms.neighbors", *[i for i, d in enumerate(h.dist[0]) if d == 1])
every("type histograms.size", len(h.data))
every("type histograms.identity", *flat(Histograms(2, 1).data))
every("type histograms.linear", *sorted({a + b * F(1, 10) for a, b in Histograms(2, 2).data}))
every("type histograms.median", *[([i for i, n in enumerate(v) for _ in range(n)] or [0, 0])[max(sum(v) - 1, 0) // 2] for v in Histograms(3, 2).data])

# Layers.
three = path([0, 1, 2], [(0, 1), (1, 2)])
every("atomic", *flat(layers_at(three, {(0, 0): [0], (1, 0): [2], (2, 0): [2]}, 0)))
every("basic", *flat(layers_at(three, {(0, 0): [0], (1, 0): [0, 1], (2, 0): [2]}, 2)))
own = {(x, 0): [v] for x, v in enumerate(q4.values)}
for name in ["purest", "type mechanism.layers"]:
    every(name, *flat(layers_at(q4, own, 10)))
every("type mechanism.layer", next(i for i, layer in enumerate(layers_at(q4, own, 10)) if 0 in layer))
moved = {**own, (0, 0): [0, 4]}
every("type mechanism.migrate", *flat(layers_at(q4, moved, 0)))
after = layered(q4, e1, [set(moved[x, 0]) for x in range(11)])
every("type mechanism.migration_gains", *[distortion(q4, pure, x) - distortion(q4, after, x) for x in range(11)])
every("type mechanism.distortions", distortion(q4, pure, 10))
for i, r in enumerate(q4.range):
    say("type mechanism.prob", f"~{2 * i}", r)
every("finite_query", 0, 1, 5)
none("what is shown with exact: 1/3, as 1/0.3333… is", "finite_mechanism")
say("general", 0, 2)
say("general", 2, 2)
say("calibrate", "~0?", bisect(lambda d: 1 - log(loss(pairs_of(q4, purest(q4, exp(-d))))), mpf("0.1"), mpf(2)))
thirds = path([F(0), F(1, 3), F(5)], [(0, 1), (1, 2)])
every("read_query", 0, 1, 3, 5, *[int(s) for s in str(distortion(thirds, purest(thirds, half), 0)).split("/")])
e2 = exp(mpf(-1) / 2)
edges4 = Query([len(g) for g in edges_of], near)
every("sweep", *[log(loss(pairs_of(q, purest(q, z)))) for z in (e2, e1) for q in (edges4, q4)])
noise = lambda a: exp(-a / 2) / 2  # the tail of Laplace noise of scale 2, moved to 0, 1, 2 or 4
every("laplace", 0, 1 - noise(mpf("0.5")), 1, noise(mpf("0.5")) - noise(mpf("1.5")), 2, noise(mpf("1.5")) - noise(mpf(3)), 4, noise(mpf(3)))
say("laplace", 0, 2)
among("type mechanism.sample", 0, 1, 2, 4)
among("type mechanism.simulate", 0, 1, 2, 4)
none("the call it was made with", "type mechanism.name", "type mechanism.source", "type privacy.name", "type privacy", "type released")
say("type mechanism.claimed_epsilon", 0, 2)
every("type mechanism", 1, 4, 2)
every("type mechanism.decay", 1)
every("type mechanism.release", 1)
every("type worst.output", next(r for r in q4.range for x, y in q4.neighbors if F(two[x][r]) / two[y][r] == top))

# Comparisons.
share = F(sum(r < 1 for r in ratios), 11)
lad = ladder(q4, e1)
means, worsts = ([of(distortion(q4, laws, x) for x in range(11)) for laws in (pure, lad)] for of in (lambda d: sum(d) / 11, max))
rows = [1, 2, worst, means[0], 1, worsts[0], 1, 2, 2, log(loss(pairs_of(q4, lad))), means[1], means[1] / means[0], worsts[1], worsts[1] / worsts[0]]
shown("type comparison.table", *rows)


# On the line at ε = 1: moves are the numbers of (0, 1) and (10, 11), and their negatives; a layer is constant between two whole numbers.
def layer(i):
    """The least number of moves that reach i … i + 1: p up and m down by 10 to 11, n by less than 1."""
    return min(p + m + n for p in range(60) for m in range(3) for n in range(12) if 10 * (p - m) - m - n <= i and i + 1 <= 10 * (p - m) + p + n)


weights = [exp(mpf(-layer(i))) for i in range(500)]
pure_error = sum(w * (i + mpf(1) / 2) for i, w in enumerate(weights)) / sum(weights)
step = 11 * exp(mpf(1) / 2) / (exp(mpf(1)) - 1)  # Geng and Viswanath 2016, the least mean error
gamma = 1 / (1 + exp(mpf(1) / 2))
pieces = [(11 * (k + lo), 11 * (k + hi), exp(mpf(-k - below))) for k in range(90) for lo, hi, below in ((0, gamma, 0), (gamma, 1, 1))]
square = sum(w * (hi ** 3 - lo ** 3) / 3 for lo, hi, w in pieces) / sum(w * (hi - lo) for lo, hi, w in pieces)
say("compare", "~0", share)
say("compare", 0, sum(ratios) / 11)
for k, v in enumerate([*rows, 1, 1, pure_error, 1, 1, 1, 1, step, step / pure_error, square, gamma, 1, 1, 1, 11, 11 / pure_error, 242]):
    say("compare", f"~{4 + k}%", v)
say("type comparison.rows", 0, step / pure_error)
every("type comparison.better", share)
say("type comparison.max", 0, max(ratios))
shown("type comparison", 1, 2, share, 11, sum(ratios) / 11, min(ratios), max(ratios))
of_best = sum(distortion(q4, pure, x) for x in range(11)) / 11 / least_distortion(q4, exp(worst))
say("type comparison.ratio_to_optimum", 0, of_best)

# The optimum, by a simplex method in fractions or to 60 digits.
best = least_distortion(q4, exp(mpf(1)))
for name in ["optimal", "type mechanism.optimum"]:
    say(name, 0, best)
say("optimal", "1?", 1)
say("optimal", "2?", best)
weak = purest(q4, e2)
own_d = [distortion(q4, weak, x) for x in range(11)]
say("optimal", 3, 11 * least_distortion(q4, exp(mpf(1)), most=own_d))
at = 0
every("optimal", *flat([[f.numerator, f.denominator] for f in (least_distortion(q4, F(3)), least_distortion(q4, F(3), F(1, 100)))]), sum(own_d))
every("type mechanism.certificate", 1, len(q4.neighbors) * len(q4.range), 11)


def constants(z):
    from mpmath import lu_solve, matrix
    return list(lu_solve(matrix([[z ** d for d in row] for row in q4.dist]), matrix([1] * 11)))


c = constants(e1)
every("type mechanism.constants", *c)
every("tight_constants", min(constants(e2)), min(c))
strict = [{r: sum(c[y] * e1 ** q4.dist[x][y] for y in range(11) if q4.values[y] == r) for r in q4.range} for x in range(11)]
say("tight", 0, log(loss(pairs_of(q4, strict))))
say("tight", 1, sum(distortion(q4, strict, x) for x in range(11)) / 11 / best)

# Radii.
costs = [cost(radii) for radii in ((0, 0, 0, 0), (1, 0, 0, 0))]
for k, v in enumerate((1, 0, 0, 0)):
    say("best_radii", f"~{k}", v)
    say("type radii.radius", f"~{k}", v)
shown("type radii", costs[1], 2)
every("type radii.cases", 2)  # the purest, and the one that gains
every("type radii.mechanism", *flat(layers_at(r4, {(0, 0): [10, 11, 12], (1, 0): [12], (2, 0): [1], (3, 0): [10]}, 0)))
for k, v in enumerate((0, 1, costs[0] - costs[1], costs[0] - costs[1])):
    say("type radii.steps", f"~{k}?", v)

# The exponential mechanism on a path of 4, of which each law is 2^{-|r − x|} but for its sum, cut into layers at powers of 4.
peak, quarter = max(max(law.values()) for law in halves), F(1, 4)
layer_of = [{r: next(i for i in range(9) if quarter ** (i + 1) < p / peak) for r, p in law.items()} for law in halves]
cut = [normalized({r: quarter ** i for r, i in layer.items()}) for layer in layer_of]
extras = [(x, r, i) for x, layer in enumerate(layer_of) for r, i in layer.items() if i and i < min(layer_of[y][r] + path4.dist[x][y] for y in range(4) if y != x)]
here = {i: [r for r in range(4) if layer_of[0][r] == i and (not i or (0, r, i) in extras)] for i in range(2)}
every("type mechanism.extras", *flat(extras))
every("type mechanism.initial_values", *flat([[i, v] for i, v in here.items()]))
every("type mechanism.boundaries", sum(p / peak == quarter ** i for law in halves for p in law.values() for i in (1, 2, 3)))
far = max(range(4), key=lambda x: abs(log(num(distortion(path4, halves, x) / distortion(path4, cut, x)))))
every("type theorem1.dataset", far)
say("type theorem1.after", 0, distortion(path4, cut, far))
say("type theorem1.epsilon", 0, "ln(4)")
say("type theorem1.smallest_epsilon", 0, f"ln({loss(pairs_of(path4, cut))})")
theorem1 = [1, 4, 2, log(num(loss(pairs_of(path4, halves)))), log(num(loss(pairs_of(path4, cut)))), distortion(path4, halves, far), distortion(path4, cut, far), far]
shown("type theorem1", *theorem1)
shown("type mechanism.theorem1", *theorem1)
layers0 = [[r for r in range(4) if layer_of[0][r] == i] for i in range(2)]
shown("discretize", *flat(layers0), *flat(extras), *theorem1)


def say_tradeoff(name, hull):
    every(name, *[a for a, _ in hull])
    for k, (_, b) in enumerate(hull):
        say(name, f"{k}?" if k + 1 == len(hull) else k, b)


say_tradeoff("type mechanism.tradeoff", tradeoff(near4))

# Reports: the numbers in their order. A float as ε is that float, not its shortest decimal.
for name in ["type report", "type mechanism.report"]:
    several(name, 2, worst, *[said["type mechanism." + k, 0] for k in ("epsilon_at", "zcdp", "gdp")], *[delta(near4, exp(mpf(e))) for e in (0, 0.312, 0.625, 0.937, 1.25)],
            worst, sum(distortion(q4, pure, x) for x in range(11)) / 11, distortion(q4, pure, 10), 2, of_best)
several("type privacy.report", f"ln({top})", *[said["type privacy." + k, 0] for k in ("epsilon_at", "zcdp", "gdp")], delta(near2, 1),
        *[delta(near2, exp(mpf(e))) for e in (0.229, 0.458, 0.687, 0.916)], f"ln({top})")
none("parameters, places in papers, and the ticks of a drawing", "type report", "type mechanism.report", "type privacy.report")
