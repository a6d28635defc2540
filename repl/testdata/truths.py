"""What is true of the manual's examples, by routes that share no code with the workbench.

Laws are written down from the definitions, and every output of every two neighbors is
visited, in fractions or to 60 digits (mpmath). It writes truths.txt:

    python3 truths.py > truths.txt

A line is an example's name, which of its numbers with evidence is meant (or ~ and which
of all its numbers), and what is true.
"""
from fractions import Fraction as F
from math import comb
from itertools import combinations, permutations, product
from mpmath import mp, mpf, exp, log, sqrt, pi, erfc, quad, cos, sin

mp.dps = 60


def say(name, at, value):
    text = str(value) if isinstance(value, (F, int, str)) else mp.nstr(mpf(value), 45, strip_zeros=False)
    print(f"{name}\t{at}\t{text}")


def num(x):
    return mpf(x.numerator) / x.denominator if isinstance(x, F) else mpf(x)


# The 11 graphs on 4 nodes, by edges, then by the least graph6 of the class.
PAIRS = [(i, j) for j in range(4) for i in range(j)]


def canonical(edges):
    def bits(p):
        moved = {tuple(sorted((p[i], p[j]))) for i, j in edges}
        return tuple(int(e in moved) for e in PAIRS)
    return min(bits(p) for p in permutations(range(4)))


classes = sorted({canonical(s) for k in range(7) for s in combinations(PAIRS, k)}, key=lambda c: (sum(c), c))
assert len(classes) == 11
edges_of = [[e for e, b in zip(PAIRS, c) if b] for c in classes]
triangles = [sum(all(e in g for e in ((i, j), (i, k), (j, k))) for i, j, k in combinations(range(4), 3)) for g in edges_of]
near = [[False] * 11 for _ in range(11)]
for x, g in enumerate(edges_of):
    for e in PAIRS:
        y = classes.index(canonical(set(g) ^ {e}))
        near[x][y] = near[x][y] or y != x


def distances(near):
    n = len(near)
    d = [[0 if i == j else 1 if near[i][j] else 99 for j in range(n)] for i in range(n)]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                d[i][j] = min(d[i][j], d[i][k] + d[k][j])
    return d


class Query:
    def __init__(self, values, near):
        self.values, self.near, self.dist = values, near, distances(near)
        self.range = sorted(set(values))
        self.n = len(values)
        self.neighbors = [(x, y) for x in range(self.n) for y in range(self.n) if near[x][y]]
        self.sensitivity = max(abs(values[x] - values[y]) for x, y in self.neighbors)
        self.local = [max([abs(values[x] - values[y]) for y in range(self.n) if near[x][y]], default=0) for x in range(self.n)]


def path(values, edges):
    return Query(values, [[(i, j) in edges or (j, i) in edges for j in range(len(values))] for i in range(len(values))])


q4 = Query(triangles, near)


def normalized(weights):
    total = sum(weights.values())
    return {r: w / total for r, w in weights.items()}


def layered(q, z, starts):
    """Layers by the distance to a dataset that starts with the value; z is what a layer weighs."""
    laws = []
    for x in range(q.n):
        laws.append(normalized({r: z ** min(q.dist[x][y] for y in range(q.n) if r in starts[y]) for r in q.range if any(r in s for s in starts)}))
    return laws


def purest(q, z):
    return layered(q, z, [{v} for v in q.values])


def neighborhood(q, z, radius):
    return layered(q, z, [{r for r in q.range if abs(r - v) <= radius(x)} for x, v in enumerate(q.values)])


def ladder(q, half):
    """half = e^{-eps/2}, a rung."""
    laws = []
    for x in range(q.n):
        weights = {}
        for r in q.range:
            gap, rung = abs(r - q.values[x]), 0
            if gap:
                rung, reach, t = 1, 0, 0
                while t < 50:
                    reach += max(q.local[y] for y in range(q.n) if q.dist[x][y] <= t)
                    if not reach < gap:
                        break
                    rung, t = rung + 1, t + 1
            weights[r] = half ** rung
        laws.append(normalized(weights))
    return laws


def exponential(q, eps):
    return [normalized({r: exp(-eps * abs(r - v) / (2 * mpf(q.sensitivity))) for r in q.range}) for v in q.values]


def distortion(q, laws, x):
    return sum(p * abs(r - q.values[x]) for r, p in laws[x].items())


def pairs_of(q, laws):
    out = sorted({r for l in laws for r in l})
    return [([laws[x].get(r, 0) for r in out], [laws[y].get(r, 0) for r in out]) for x, y in q.neighbors]


def both(p, q):
    return [(p, q), (q, p)]


def delta(pairs, w):
    if isinstance(w, mpf):
        pairs = [([num(p) for p in ps], [num(q) for q in qs]) for ps, qs in pairs]
    return max(sum(max(p - w * q, 0) for p, q in zip(*pair)) for pair in pairs)


def loss(pairs):
    """e to the smallest eps."""
    return max(F(p) / q if isinstance(p, (F, int)) else p / q for pair in pairs for p, q in zip(*pair) if p)


def bisect(f, lo, hi):
    """Where a falling f crosses 0."""
    for _ in range(190):
        mid = (lo + hi) / 2
        lo, hi = (mid, hi) if f(mid) > 0 else (lo, mid)
    return (lo + hi) / 2


def epsilon(pairs, d):
    return bisect(lambda e: delta(pairs, exp(e)) - d, mpf(0), mpf(50))


def renyi(pair, a):
    return log(sum(num(p) ** a * num(q) ** (1 - a) for p, q in zip(*pair) if p)) / (a - 1)


def zcdp(pairs):
    best = mpf(0)
    for pair in pairs:
        f = lambda t: renyi(pair, 1 + exp(t)) / (1 + exp(t))
        grid = max((mpf(k) / 4 for k in range(-80, 30)), key=f)
        lo, hi = grid - mpf(1) / 4, grid + mpf(1) / 4
        for _ in range(120):
            a, b = lo + (hi - lo) / 3, hi - (hi - lo) / 3
            lo, hi = (a, hi) if f(a) < f(b) else (lo, b)
        kl = sum(num(p) * log(num(p) / num(q)) for p, q in zip(*pair) if p)
        best = max(best, f(lo), kl)
    return best


def tail(x):
    return erfc(x / sqrt(mpf(2))) / 2


def quantile(p):
    """Where the normal tail is p."""
    p = num(p)
    return bisect(lambda x: tail(x) - p, mpf(-40), mpf(40))


def gdp(pairs):
    best = mpf(0)
    for ps, qs in pairs:
        order = sorted(range(len(ps)), key=lambda i: num(ps[i]) / num(qs[i]), reverse=True)
        p = q = 0
        for i in order[:-1]:
            p, q = p + ps[i], q + qs[i]
            best = max(best, quantile(q) - quantile(p))
    return best


def times(a, b):
    return ([x * y for x in a[0] for y in b[0]], [x * y for x in a[1] for y in b[1]])


# Triangles of graphs on 4 nodes: the purest mechanism and its rivals.
e1, half = exp(mpf(-1)), F(1, 2)
pure = purest(q4, e1)
near4 = pairs_of(q4, pure)
two = purest(q4, half)
near2 = pairs_of(q4, two)
worst = log(loss(near4))
for name in ["purest", "type mechanism.smallest_epsilon", "type mechanism.worst", "type released.record"]:
    say(name, 0, worst)
say("type mechanism.distortion", 0, distortion(q4, pure, 10))
say("inverse_sensitivity", 0, distortion(q4, pure, 10))
say("inverse_sensitivity", 1, distortion(q4, pure, 10))
say("type mechanism.expected_distortion", 0, sum(distortion(q4, pure, x) for x in range(11)) / 11)
say("type mechanism.delta", 0, delta(near4, exp(mpf("0.5"))))
say("type mechanism.delta_at", 0, delta(near4, mpf(2)))
say("type mechanism.epsilon_at", 0, epsilon(near4, mpf(10) ** -6))
say("type mechanism.renyi", 0, max(renyi(p, 2) for p in near4))
say("type mechanism.zcdp", 0, zcdp(near4))
say("type mechanism.gdp", 0, gdp(near4))
for i, r in enumerate(sorted(pure[10])):
    say("type mechanism.prob", f"~{2 * i + 1}", pure[10][r])
say("ladder", 0, distortion(q4, ladder(q4, e1), 10))
say("exponential", 0, log(loss(pairs_of(q4, exponential(q4, 1)))))
say("delta_neighborhood", 0, distortion(q4, neighborhood(q4, e1, lambda x: 1), 10))
say("delta_neighborhood", 1, distortion(q4, neighborhood(q4, e1, lambda x: 1 if x < 3 else 0), 10))
ratios = [1 if not a and not b else a / b for a, b in ((distortion(q4, pure, x), distortion(q4, ladder(q4, e1), x)) for x in range(11))]
say("compare", "~1", sum(ratios) / 11)
say("type comparison.mean", "~0", sum(ratios) / 11)
say("type comparison.min", "~0", min(ratios))
for i, r in enumerate(ratios):
    say("type comparison.ratios", f"~{i}", r)

# Its relatives at decay ln 2, in fractions.
top = loss(near2)
for name in ["type privacy.smallest_epsilon", "type privacy.worst", "type worst", "type worst.loss"]:
    say(name, 0, f"ln({top})")
say("type privacy.delta_at", 0, delta(near2, 2))
say("type privacy.epsilon_at", 0, epsilon([([num(x) for x in p], [num(x) for x in q]) for p, q in near2], mpf(10) ** -6))
say("type privacy.renyi", 0, "ln(%s)" % max(sum(F(p) ** 2 / q for p, q in zip(*pair)) for pair in near2))
say("type privacy.gdp", 0, gdp(near2))
say("type privacy.zcdp", 0, zcdp(near2))
say("type privacy.adaptive", 0, max(delta([times(p, p)], 2) for p in near2))


def dominating(pairs):
    """The laws of one pair whose delta is the largest of all pairs' at every order t: its output {t} is where the slope of that convex polygon changes."""
    ends = sorted({F(p) / q for pair in pairs for p, q in zip(*pair) if q})
    ts, f = [F(0)] + ends, lambda t: delta(pairs, t)
    # kinks of the maximum lie at kinks of one, or where two lines cross
    lines = set()
    for ps, qs in pairs:
        for t in ends:
            inside = [i for i in range(len(ps)) if ps[i] >= t * qs[i]]
            lines.add((sum(ps[i] for i in inside), sum(qs[i] for i in inside)))
    lines = sorted(lines)
    for (a, b), (c, d) in combinations(lines, 2):
        if b != d and (a - c) / (b - d) > 0:
            ts.append((a - c) / (b - d))
    ts = sorted(set(ts))
    values = [f(t) for t in ts]
    slopes = [(values[i + 1] - values[i]) / (ts[i + 1] - ts[i]) for i in range(len(ts) - 1)] + [F(0)]
    p, q = [], []
    for i in range(1, len(ts)):
        mass = slopes[i] - slopes[i - 1]
        assert mass >= 0
        if mass:
            q.append(mass)
            p.append(mass * ts[i])
    assert sum(p) == 1 and sum(q) <= 1, (sum(p), sum(q))
    p.append(F(0))
    q.append(1 - sum(q))
    return p, q


one = dominating(near2)
say("type privacy.adaptive", 1, delta([times(one, one)], 2))
lad = pairs_of(q4, ladder(q4, half))
three = [times(times(p, p), p) for p in lad]
say("compose", 0, max(delta([times(a, b)], 4) for a, b in zip(near2, three)))
other = dominating(lad)


def merged(pair):
    """Outputs of one ratio are one."""
    by = {}
    for p, q in zip(*pair):
        key = F(p) / q if q else "inf"
        a, b = by.get(key, (F(0), F(0)))
        by[key] = a + p, b + q
    return [a for a, _ in by.values()], [b for _, b in by.values()]


say("compose", 1, delta([times(one, merged(times(merged(times(other, other)), other)))], 4))

# Geometric noise, moved to the nearest value of the range, of graphs 0 without triangles.
def geometric(q, v, z):
    """z to the power |k|, z = e^{-eps/sensitivity}; ties go to the smaller."""
    unit = (1 - z) / (1 + z)
    out = {}
    for k in range(-700, 701):
        r = min(q.range, key=lambda r: (abs(r - v - k), r))
        out[r] = out.get(r, 0) + unit * z ** abs(k)
    return out


g = geometric(q4, 0, exp(-log(mpf(3)) / q4.sensitivity))
say("geometric", 0, sum(p * r for r, p in g.items()))

# Small queries.
f = path([0, 1, 5], [(0, 1), (1, 2)])
say("finite_query", 0, F(f.sensitivity))
names = ["none", "ann", "ann, bob"]
h = path([F(0), F(1), F(7, 3)], [(0, 1), (1, 2), (0, 2)])
say("finite_query", 1, distortion(h, purest(h, half), 2))
say("finite_query", 2, max(log(loss([pair])) for pair in pairs_of(h, purest(h, e1))))
say("finite_mechanism", 0, "ln(%s)" % loss(both([F(2, 3), F(1, 3)], [F(1, 4), F(3, 4)])))
say("finite_mechanism", 1, F(1, 3))
r4 = path([11, 12, 1, 10], [(0, 1), (1, 2), (2, 3)])
z3 = F(1, 3)
cost = lambda radii: sum(distortion(r4, neighborhood(r4, z3, lambda x: radii[x]), x) for x in range(4)) / 4
say("best_radii", 1, min(cost(radii) for radii in product(sorted({abs(a - b) for a in r4.range for b in r4.range}), repeat=4)))
for name in ("best_radii", "type radii.value"):
    say(name, 0, cost((1, 0, 0, 0)))

# An audit, randomized response, and what is known of it.
ask = both([F(3, 4), F(1, 4)], [F(1, 4), F(3, 4)])
for name in ["audit", "type finding", "type finding.epsilon"]:
    say(name, 0, "ln(%s)" % loss(ask))
say("type finding.delta", 0, delta(ask, exp(mpf(1))))
say("type finding.witness", 0, F(3, 4))
say("type finding.witness", 1, F(1, 4))


def known(ratio, sure=F(0)):
    """A sure event of chance sure, else randomized response."""
    rest = 1 - sure
    return ([sure, rest * ratio / (1 + ratio), rest / (1 + ratio), 0], [0, rest / (1 + ratio), rest * ratio / (1 + ratio), sure])


say("known", 0, delta([times(known(F(3)), known(F(2), F(1, 1000)))], 2))
binomial = []
for k in range(11):
    binomial.append((comb(10, k) * F(3) ** (10 - k) / F(4) ** 10, comb(10, k) * F(3) ** k / F(4) ** 10))
ten = ([num(p) for p, _ in binomial], [num(q) for _, q in binomial])
say("compose", 2, epsilon([ten], mpf(10) ** -6))
blend = ([F(1, 10) * F(3, 4) + F(9, 10) * F(1, 4), F(1, 10) * F(1, 4) + F(9, 10) * F(3, 4)], [F(1, 4), F(3, 4)])
say("subsample", 0, delta(both(*blend), 2))
ten = []
for k in range(11):
    ten.append((comb(10, k) * blend[0][0] ** k * blend[0][1] ** (10 - k), comb(10, k) * blend[1][0] ** k * blend[1][1] ** (10 - k)))
ten = ([num(p) for p, _ in ten], [num(q) for _, q in ten])
say("subsample", 1, epsilon(both(*ten), mpf(10) ** -6))
w3 = exp(mpf(3))
high, low = w3 / (1 + w3), 1 / (1 + w3)
g = mpf(1) / 10
say("subsample", 2, max(delta(both([g * high + (1 - g) * low, g * low + (1 - g) * high], [low, high]), exp(g)),
                        delta(both([g * high + (1 - g) * low, g * low + (1 - g) * high], [high, low]), 0 * g + 10 ** 9),
                        g * delta(both([high, low], [low, high]), 1 + (exp(g) - 1) / g)))

# Two layers that are given, as printed and as they close: b lies in layers 5 and 1, or 2 and 1.
for k, (i, j) in enumerate([(5, 1), (2, 1)]):
    say("general", 2 * k + 1, i - j + log((1 + exp(mpf(-i))) / (1 + exp(mpf(-j)))))
say("calibrate", 0, log(loss(pairs_of(q4, purest(q4, exp(-mpf(0.7669786738642819)))))))
path4 = path([0, 1, 2, 3], [(0, 1), (1, 2), (2, 3)])
halves = [normalized({r: half ** abs(r - v) for r in range(4)}) for v in range(4)]
say("type theorem1.before", 0, distortion(path4, halves, 0))
say("type theorem1.source_epsilon", 0, "ln(%s)" % loss(pairs_of(path4, halves)))
p, q = one
order = sorted((i for i in range(len(p)) if p[i] or q[i]), key=lambda i: p[i] / q[i], reverse=True)
alpha, beta, at = F(0), F(1), 0
for i in [None] + order:
    if i is not None:
        alpha, beta = alpha + q[i], beta - p[i]
    say("type privacy.tradeoff", at, alpha)
    say("type privacy.tradeoff", at + 1, beta)
    at += 2


# Bits with interactions: every state is listed. Bit (i, j) of N × P has the place iP + j.
def states(pi):
    n = len(pi)
    w = {}
    for b in product((0, 1), repeat=n):
        w[b] = exp(sum(pi[i][k] for i in range(n) for k in range(n) if b[i] and b[k]))
    return log(sum(w.values())), normalized(w)


def rows_of(theta, between, n):
    p = len(theta)
    pi = [[mpf(0)] * (n * p) for _ in range(n * p)]
    for i in range(n):
        for j in range(p):
            for k in range(p):
                pi[i * p + j][i * p + k] = mpf(theta[j][k])
    for (i, l), block in between.items():
        for j in range(p):
            for k in range(p):
                pi[i * p + j][l * p + k] = pi[l * p + k][i * p + j] = mpf(block[j][k])
    return pi


def flips(law, sets):
    out = []
    for s in sets:
        other = {b: law[tuple(x ^ (i in s) for i, x in enumerate(b))] for b in law}
        out.append(([law[b] for b in law], [other[b] for b in law]))
    return out


def upto(n, k):
    return [set(s) for m in range(1, k + 1) for s in combinations(range(n), m)]


theta = [["0.5", "0.2"], ["0.2", "-1"]]
total, law = states(rows_of(theta, {(0, 1): [["0.3", "0"], ["0", "0"]]}, 2))
say("bernoulli", 0, total)
say("bernoulli", 1, log(loss(flips(law, upto(4, 1)))))
total, law = states(rows_of(theta, {(0, 1): [["0.3", "0"], ["0", "0.1"]]}, 2))
say("type bernoulli.log_normalizer", 0, total)
say("type bernoulli.smallest_epsilon", 0, log(loss(flips(law, upto(4, 2)))))
rows = [{0}, {1}, {0, 1}, {2}, {3}, {2, 3}]
say("type bernoulli.smallest_epsilon", 1, log(loss(flips(law, rows))))
say("type bernoulli.delta_at", 0, delta(flips(law, upto(4, 2)), exp(mpf("0.5"))))
say("type bernoulli.epsilon_at", 0, epsilon(flips(law, upto(4, 2)), mpf("0.1")))
ones = sum(p * sum(b) for b, p in law.items())
say("type bernoulli.error_rate", 0, ones / 4)
say("type bernoulli.error_rate", 1, ones / 2)
say("type bernoulli.scaled", 0, 1)
for k in range(5):
    say("type bernoulli.ones_law", f"~{k}", sum(p for b, p in law.items() if sum(b) == k))
for k in range(4):
    say("type bernoulli.marginals", f"~{k}", sum(p for b, p in law.items() if b[k]))
odds = exp(mpf(-1))
bits = flips(states([[mpf(-1) if i == k else mpf(0) for k in range(4)] for i in range(4)])[1], upto(4, 2))
say("privacy", 0, delta(bits, exp(mpf("0.5"))))
say("privacy", 1, epsilon(bits, mpf("0.001")))
weights = [comb(100, m) * exp(-m + mpf(m * (m - 1)) / 100) for m in range(101)]
say("bernoulli_uniform", 0, sum(m * w for m, w in enumerate(weights)) / sum(weights) / 100)
say("bernoulli_uniform", 1, max(abs(-1 + mpf(2 * k) / 100) for k in range(100)))
flip = 1 / (1 + exp(mpf(1)))
answer = both([1 - flip, flip], [flip, 1 - flip])
say("type alpha_solution.delta_at", 0, delta(answer, exp(mpf("0.5"))))
say("type alpha_solution.epsilon_at", 0, epsilon(answer, mpf("0.1")))
for name in ["error_rate", "optimum", "response_rate"]:
    say("type alpha_solution." + name, 0, flip)
say("type alpha_solution.smallest_epsilon", 0, 1)
say("optimize_alpha", 0, 1 / (1 + exp(mpf(1) / 2)))
say("type noise law.mean_flips", 0, 4 * flip)
# A row of two bits keeps 1/2, and has each of three others with 1/6.
say("optimal_xor", 0, 2 * F(1, 6) * (1 + 1 + 2))


# Gaussian noise.
def gaussian(eps, mu):
    eps, mu = mpf(eps), mpf(mu)
    return tail(eps / mu - mu / 2) - exp(eps) * tail(eps / mu + mu / 2)


ppm = mpf("1e-5")
say("gaussian_delta", 0, gaussian(1, 1 / mpf("3.73")))
say("gaussian_epsilon", 0, bisect(lambda e: gaussian(e, 1 / mpf("3.73")) - ppm, mpf(0), mpf(9)))
say("gaussian_sigma", 0, bisect(lambda s: gaussian(1, 1 / s) - ppm, mpf("0.1"), mpf(99)))
say("classic_gaussian_sigma", 0, sqrt(2 * log(mpf("1.25") / ppm)) / mpf("0.5"))
say("type evidence", 0, "ln(3)")
for k, v in enumerate(["7/2", "9", "3"]):
    say("ln", k, f"ln({v})")

# The discrete Gaussian, and discrete Laplace noise.
def discrete(square, n, uses=1):
    one = [exp(-mpf(k) ** 2 / 2 / square) for k in range(-n, n + 1)]
    total = sum(one)
    return [p / total for p in one]


law = discrete(100, 260)
shift = ([mpf(0)] + law, law + [mpf(0)])
say("discrete_gaussian", 0, delta([shift], exp(mpf(1))))
say("discrete_gaussian", 1, epsilon([shift], mpf(10) ** -6))
say("discrete_gaussian", 2, mpf(1) / 200)
z = exp(mpf(-1) / 3)
steps = [z ** abs(k) * (1 - z) / (1 + z) for k in range(-450, 451)]
most = mpf(0)
for n in (1, 3):
    most = max(most, delta([([mpf(0)] * n + steps, steps + [mpf(0)] * n)], exp(mpf("0.5"))))
say("discrete_laplace", 0, most)

# Matrices of normal noise: Theorem 2 of its paper for 2 × 3 entries, sensitivity 1, bound 2, at ε = 1, δ = 1/1000, and directions .8 and .2.
harmonic, roots = 1 + mpf(1) / 2, 1 + 1 / sqrt(mpf(2))
alpha = (harmonic + roots) * 4 + 2 * harmonic * 2
few = -log(mpf("0.001"))
zeta = sqrt(2 * sqrt(6 * few) + 2 * few + 6)
beta = 2 * mpf(6) ** (mpf(1) / 4) * zeta * harmonic
budget = ((sqrt(beta ** 2 + 8 * alpha) - beta) ** 2 / (4 * alpha ** 2)) ** 2 / 3
precise = [sqrt(mpf("0.8") * budget), sqrt(mpf("0.2") * budget)]
mu = sqrt(precise[0])
say("type mvg design.alpha", 0, alpha)
say("type mvg design.beta", 0, beta)
say("type mvg design.zeta", 0, zeta)
say("type mvg design.precision_budget", 0, budget)
say("type mvg design.whitened_sensitivity", 0, mu)
say("type mvg design.gdp", 0, mu)
say("type mvg design.renyi", 0, mu ** 2)
say("type mvg design.zcdp", 0, mu ** 2 / 2)
say("type mvg design.element_sd", 0, sqrt((1 / precise[0] + 1 / precise[1]) / 2))
for k in range(2):
    say("type mvg design.row_variances", f"~{k}", 1 / precise[k])
pnr = (1 + precise[0]) * (1 + precise[1])
say("type mvg design.pnr", 0, pnr)
say("type mvg design.log_pnr", 0, log(pnr))
say("type mvg design.mutual_information", 0, log(pnr) / 2)
say("type mvg design.delta_at", 0, gaussian("0.1", mu))
say("type mvg design.epsilon_at", 0, bisect(lambda e: gaussian(e, mu) - mpf("1e-6"), mpf(0), mpf(9)))
say("type mvg design.smallest_epsilon", 0, bisect(lambda e: gaussian(e, mu) - mpf("0.001"), mpf(0), mpf(9)))
mu = 1 / sqrt((7 - sqrt(mpf(5))) / 2)  # of [[4, 1], [1, 3]]
say("mvg_noise", 0, bisect(lambda e: gaussian(e, mu) - ppm, mpf(0), mpf(9)))
say("mvg_noise", 1, gaussian(1, mu))
for name in ["dp_rp", "type release.sigma"]:
    say(name, 0, bisect(lambda s: gaussian(1, 1 / s) - mpf("1e-6"), mpf("0.1"), mpf(99)))
say("type sensitivity.gamma", 0, 10 * sqrt(mpf(101)))
say("type sensitivity.s2", 0, 2 * sqrt(mpf(101)))

# Power by waterfilling over gains 1, 2 and next to nothing: 1/4 and 3/4.
fill = mpf(5) / 4 * mpf(5) / 2
for name, k in [("waterfill", 0), ("type waterfilling.level", 0)]:
    say(name, k, F(5, 4))
for name, k in [("waterfill", 1), ("type waterfilling.log_pnr", 0)]:
    say(name, k, log(fill))
say("type waterfilling.mutual_information", 0, log(fill) / 2)

# Noise on the line and in the plane.
def layers(start, steps, most):
    """The unions of start + i·steps, intervals, for i below most."""
    out, now = [], [start]
    for _ in range(most):
        out.append(now)
        grown = sorted((a + c, b + d) for a, b in now for c, d in steps)
        now = []
        for a, b in grown:
            if now and a <= now[-1][1]:
                now[-1] = (now[-1][0], max(now[-1][1], b))
            else:
                now.append((a, b))
    return out


unions = layers((-2, 2), [(-11, -10), (-1, 1), (10, 11)], 160)
# Σ e^{−i} of what layer i adds is (1 − 1/e) Σ e^{−i} of the union, of lengths and of ∫|x|.
length = sum(exp(mpf(-i)) * sum(b - a for a, b in u) for i, u in enumerate(unions)) * (1 - e1)
first = sum(exp(mpf(-i)) * sum(mpf(b * abs(b) - a * abs(a)) / 2 for a, b in u) for i, u in enumerate(unions)) * (1 - e1)
say("type line_mechanism.density", 0, 1 / length)
say("type line_mechanism.density", 1, e1 / length)
say("type line_mechanism.distortion", 0, first / length)
say("type line_mechanism.smallest_epsilon", 0, 1)
say("type line_mechanism.query", 0, 11)
say("type line_mechanism.second_moment", 0, 2)
for name in ["staircase", "type line_mechanism.gamma"]:
    say(name, 0, F(1, 4))  # 1/(1 + e^{ε/2})
say("staircase", 1, F(1001) * 3 / 8)  # Δ e^{ε/2}/(e^ε − 1)
for name in ["linear_query", "type linear_query.sensitivity"]:
    say(name, 0, 1001)
say("linear_query", 1, 2)
say("type linear_query.volume", 0, 2)
say("type knorm.density", 0, exp(mpf(-1) / 2) / 4)
for name in ["knorm", "type knorm.distortion"]:
    say(name, 0, quad(lambda a: 2 / (cos(a) + sin(a)) ** 3, [0, pi / 4, pi / 2]))
say("p_plus", 0, F(1, 2))
say("type query.sensitivity", 0, q4.sensitivity)
say("type query.local_sensitivity", 0, q4.local[10])
