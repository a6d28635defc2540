"""What the files beside this one say truths with, and the definitions that they share."""
import json
import pathlib
import re
from fractions import Fraction as F
from math import comb
from itertools import combinations, permutations, product
from mpmath import mp, mpf, exp, log, sqrt, pi, erfc, quad, cos, sin

mp.dps = 60


def written(value):
    return str(value) if isinstance(value, (F, int, str)) else mp.nstr(mpf(value), 45, strip_zeros=False)


said = {}  # what was said already, by name and place


def say(name, at, value):
    """One number: at is its place among those with evidence, "~3" that among all, "3^" a bound, "3?" a wide enclosure."""
    said[name, at] = value
    print(f"{name}\t{at}\t{written(value)}")


def several(name, *values):
    """The numbers with evidence, from the first on."""
    for k, value in enumerate(values):
        say(name, k, value)


def every(name, *values):
    """All numbers without evidence."""
    print(f"{name}\t*\t{' '.join(map(written, values))}")


def shown(name, *values):
    """All numbers without evidence, to the digits that are shown."""
    print(f"{name}\t%\t{' '.join(map(written, values))}")


def between(lo, hi):
    """A truth that is not one number."""
    return f"{written(lo)}..{written(hi)}"


def within(name, lo, hi):
    """All numbers without evidence lie between lo and hi."""
    print(f"{name}\tof\t{between(lo, hi)}")


def among(name, *values):
    """All numbers without evidence are among these."""
    print(f"{name}\tof\t{' '.join(map(written, values))}")


def text(name, value):
    """The whole text."""
    print(f"{name}\t=\t{json.dumps(str(value), ensure_ascii=False)}")


def none(reason, *names):
    """Why what is left of these examples has no truth."""
    for name in names:
        print(f"{name}\t-\t{reason}")


def output(name):
    return (pathlib.Path(__file__).parent.parent / "examples.txt").read_text().split(f"== {name}\n")[1].split("\n== ")[0]


def arguments(name):
    """The first numbers of the pairs that an example prints: where it answers, which is no answer."""
    return [float(a) for a in re.findall(r"\(([-+0-9.e]+), ", output(name))]


def listed(name):
    """The list of floats that an example prints, of which another one asks."""
    return json.loads(output(name))


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


def tradeoff(pairs):
    """The lower convex hull of what all likelihood ratio tests of all neighbors reach."""
    points = {(mpf(0), mpf(1)), (mpf(1), mpf(0))}
    for ps, qs in pairs:
        ps, qs = [num(p) for p in ps], [num(q) for q in qs]
        a, b = mpf(0), mpf(1)
        for i in sorted(range(len(ps)), key=lambda i: -qs[i] / ps[i]):
            a, b = a + ps[i], b - qs[i]
            points.add((a, abs(b)))
    tiny, hull = mpf(10) ** -45, []
    for p in sorted(points):
        while len(hull) > 1 and (hull[-1][1] - hull[-2][1]) * (p[0] - hull[-2][0]) >= (p[1] - hull[-2][1]) * (hull[-1][0] - hull[-2][0]) - tiny:
            hull.pop()
        if not hull or p[1] < hull[-1][1] - tiny:
            hull.append(p)
    return hull


def times(a, b):
    return ([x * y for x in a[0] for y in b[0]], [x * y for x in a[1] for y in b[1]])


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


def merged(pair):
    """Outputs of one ratio are one."""
    by = {}
    for p, q in zip(*pair):
        key = F(p) / q if q else "inf"
        a, b = by.get(key, (F(0), F(0)))
        by[key] = a + p, b + q
    return [a for a, _ in by.values()], [b for _, b in by.values()]


def geometric(q, v, z):
    """z to the power |k|, z = e^{-eps/sensitivity}; ties go to the smaller."""
    unit = (1 - z) / (1 + z)
    out = {}
    for k in range(-700, 701):
        r = min(q.range, key=lambda r: (abs(r - v - k), r))
        out[r] = out.get(r, 0) + unit * z ** abs(k)
    return out


def known(ratio, sure=F(0)):
    """A sure event of chance sure, else randomized response."""
    rest = 1 - sure
    return ([sure, rest * ratio / (1 + ratio), rest / (1 + ratio), 0], [0, rest / (1 + ratio), rest * ratio / (1 + ratio), sure])


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


def gaussian(eps, mu):
    eps, mu = mpf(eps), mpf(mu)
    return tail(eps / mu - mu / 2) - exp(eps) * tail(eps / mu + mu / 2)


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


def maximum(gain, rows, bounds):
    """max gain·x for x ≥ 0 and rows·x ≤ bounds ≥ 0 by the simplex method with Bland's rule: rows are dicts by column."""
    n, m = len(gain), len(rows)
    table = [dict(r) for r in rows]
    for i, r in enumerate(table):
        r[n + i] = type(bounds[i])(1)
    bounds, cost, basis = list(bounds), dict(enumerate(gain)), [n + i for i in range(m)]
    tiny = 0 if isinstance(gain[0], F) else mpf(10) ** -40
    value = gain[0] * 0
    while True:
        column = min((j for j, c in cost.items() if c > tiny), default=None)
        if column is None:
            return value
        leave, best = None, None
        for i, r in enumerate(table):
            if r.get(column, 0) > tiny:
                ratio = (bounds[i] / r[column], basis[i])
                if leave is None or ratio < best:
                    leave, best = i, ratio
        pivot, row = table[leave][column], table[leave]
        row = table[leave] = {j: a / pivot for j, a in row.items()}
        bounds[leave] /= pivot
        basis[leave] = column
        for i, r in enumerate(table):
            if i != leave and column in r:
                by = r[column]
                for j, a in row.items():
                    a = r.get(j, 0) - by * a
                    if abs(a) > tiny:
                        r[j] = a
                    else:
                        r.pop(j, None)
                bounds[i] -= by * bounds[leave]
                if abs(bounds[i]) <= tiny:
                    bounds[i] *= 0
        by = cost[column]
        for j, a in row.items():
            cost[j] = cost.get(j, 0) - by * a
        cost[column] *= 0
        value += by * bounds[leave]


def least_distortion(q, w, slack=None, most=None, cost=lambda r, v: abs(r - v)):
    """The least mean distortion of the mechanisms on q's range with p^x(r) ≤ w p^y(r) at neighbors, but for slack in all; most bounds every
    dataset's own. Mass may be missing, at so high a price that none is."""
    one = F(1) if isinstance(w, F) else mpf(1)
    price, at = 100 * one, {(x, r): i for i, (x, r) in enumerate(product(range(q.n), q.range))}
    gain = [(price - cost(r, q.values[x])) / q.n for x, r in at]
    rows, bounds = [{at[x, r]: one for r in q.range} for x in range(q.n)], [one] * q.n
    for x, y in q.neighbors:
        over = {}
        for r in q.range:
            row = {at[x, r]: one, at[y, r]: -w}
            if slack is not None:
                row[len(gain)], over[len(gain)] = -one, one
                gain.append(0 * one)
            rows.append(row)
            bounds.append(0 * one)
        if slack is not None:
            rows.append(over)
            bounds.append(slack)
    for x, d in enumerate(most or []):
        rows.append({at[x, r]: one * abs(r - q.values[x]) for r in q.range})
        bounds.append(d)
    return price - maximum(gain, rows, bounds)
