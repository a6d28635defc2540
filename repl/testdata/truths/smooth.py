"""Noise scaled by smooth sensitivity, extensions, products, losses and searches over initial values."""
from laws import *
from universes import Histograms, flat
from mpmath import atan, quad, inf

# Noise ∝ 1/(1 + z⁴) at ε = 1: β = 1/10, scale 10.
ten = mpf(10)


def bound(x, beta):
    return max(exp(-beta * t) * max(q4.local[y] for y in range(11) if q4.dist[x][y] <= t) for t in range(7))


S = [bound(x, mpf(1) / 10) for x in range(11)]
mean = 1 / sqrt(mpf(2))  # E|Z|


def above(z):
    """Pr[Z > z] for z ≥ 0, by the antiderivative."""
    r = sqrt(mpf(2))
    f = lambda t: log((t * t + r * t + 1) / (t * t - r * t + 1)) / (4 * r) + (atan(r * t + 1) + atan(r * t - 1)) / (2 * r)
    whole = 2 * (pi / (2 * r))
    return (pi / (2 * r) - f(z)) / whole


def below(z):
    return 1 - above(z) if z >= 0 else above(-z)


name = "type noise_mechanism"
for k in (name, f"{name}.distortion"):
    if k != name:
        say(k, 0, 10 * S[10] * mean)
every(f"{name}.distortions", 10 * S[10] * mean)
say(f"{name}.expected_distortion", 0, sum(S) * 10 * mean / 11)
say(f"{name}.squared_error", 0, (10 * S[10]) ** 2)  # E Z² = sin(π/4)/sin(3π/4)
say(f"{name}.scale", 0, 10 * S[10])
say(f"{name}.smooth_bound", 0, S[10])
say(f"{name}.beta", 0, F(1, 10))
say(f"{name}.claimed_epsilon", 0, 1)
say(f"{name}.claimed_delta", 0, 0)
u = mpf(4) / (10 * S[10])
say(f"{name}.density", 0, 1 / (1 + u ** 4) / (pi / sqrt(mpf(2))) / (10 * S[10]))
say(f"{name}.quantile", 0, 10 * S[10] * bisect(lambda t: above(t) - mpf("0.05"), mpf(0), mpf(100)))
every(f"{name}.query", 11)
every(name, 1, 4, 4, 1)
for k in ("name", "release"):
    every(f"{name}.{k}", 1, 4)
none("drawn from laws on the whole line", f"{name}.sample", f"{name}.simulate")


def supremum(shift, s, t, g):
    """The largest log-ratio of densities e^{-g(z/s)}/s about 0 and e^{-g((z - shift)/t)}/t about shift, at points of the line."""
    loss = lambda z: log(mpf(t) / s) + g((z - shift) / t) - g(z / s)
    grid = [mpf(0)] + [sign * mpf(10) ** (mpf(k) / 20) for k in range(-60, 121) for sign in (1, -1)]
    best = max(grid, key=loss)
    lo, hi = best - abs(best) / 6 - mpf(1) / 1000, best + abs(best) / 6 + mpf(1) / 1000
    for _ in range(120):
        a, b = lo + (hi - lo) / 3, hi - (hi - lo) / 3
        lo, hi = (a, hi) if loss(a) < loss(b) else (lo, b)
    return max(loss(lo), loss(best))


mp.dps = 25
tried = {}
for x, y in q4.neighbors:
    case = (abs(q4.values[x] - q4.values[y]), mp.nstr(S[x], 20), mp.nstr(S[y], 20))
    if case not in tried:
        tried[case] = supremum(mpf(case[0]), 10 * S[x], 10 * S[y], lambda z: log(1 + z ** 4)), []
    tried[case][1].append((x, y))
mp.dps = 60
top = max(v for v, _ in tried.values())
assert any((7, 4) in pairs for v, pairs in tried.values() if v == top)
say(f"{name}.smallest_epsilon", "0?", top)
say(f"{name}.worst", "0?", top)
say(f"{name}.worst", "~3", 7)
say(f"{name}.worst", "~4", 4)

cuts = [F(a + b, 2) for a, b in zip(q4.range, q4.range[1:])]
moved = []
for x in range(11):
    at = [below((num(c) - q4.values[x]) / (10 * S[x])) for c in cuts]
    moved.append(dict(zip(q4.range, [b - a for a, b in zip([mpf(0)] + at, at + [mpf(1)])])))
say(f"{name}.on_range", 0, distortion(q4, moved, 10))
say(f"{name}.on_range", 1, log(loss(pairs_of(q4, moved))))


def laplace_delta(d, eps):
    """delta(eps) of Laplace noise of scale 2/eps0 = 2 times the bound, eps0 = 1."""
    beta = 1 / (2 * log(2 / num(d)))
    bounds = [bound(x, beta) for x in range(11)]
    best = mpf(0)
    seen = set()
    for x, y in q4.neighbors:
        gap, s, t = mpf(abs(q4.values[x] - q4.values[y])), 2 * bounds[x], 2 * bounds[y]
        if (gap, s, t) in seen:
            continue
        seen.add((gap, s, t))
        f = lambda z: exp(-abs(z) / s) / (2 * s) - exp(eps - abs(z - gap) / t) / (2 * t)
        steps = [mpf(k) / 4 for k in range(-1600, 1601)]
        roots = [mpf(0), gap]
        for a, b in zip(steps, steps[1:]):
            if f(a) * f(b) < 0:
                roots.append(bisect(f, a, b) if f(a) > 0 else bisect(lambda z: -f(z), a, b))
        ends = [-inf] + sorted(set(roots)) + [inf]
        best = max(best, sum(max(quad(f, [a, b]), 0) for a, b in zip(ends, ends[1:])))
    return best


mp.dps = 25
hundredth, thousandth = laplace_delta(F(1, 100), mpf(1)), laplace_delta(F(1, 1000), mpf(1))
mp.dps = 60
say(f"{name}.delta_at", 0, 0)  # the smallest ε is below ln 2
none("upper bounds by the smallest ε, as those of type knorm", *[f"{name}.{k}" for k in ("epsilon_at", "renyi", "zcdp", "gdp", "tradeoff", "plot", "report")])
say("smooth_sensitivity", 0, 10 * S[10] * mean)
say("smooth_sensitivity", "1?", top)
say("smooth_sensitivity", 2, 16 / pi)  # scale 4/√3, S = 2, E|T| = 2√3/π
say("smooth_sensitivity", "3~", thousandth)

# Extensions.
held = [x for x in range(11) if triangles[x] <= 1]
extended = [min(triangles[y] + q4.dist[x][y] for y in held) for x in range(11)]
say("lipschitz_extension", 0, q4.sensitivity)
say("lipschitz_extension", 1, max(abs(extended[x] - extended[y]) for x, y in q4.neighbors))
every("lipschitz_extension", *extended)
g = Query([min(triangles[y] + q4.dist[x][y] for y in (0, 1, 2)) for x in range(11)], near)
say("type mechanism.answering", 0, sum(p * abs(r - 4) for r, p in purest(g, e1)[10].items()))

# Products.
edges4 = Query([len(g) for g in edges_of], near)
w = exp(mpf(-1))


def geometric(v):
    weight = lambda k: w ** abs(k) * (1 - w) / (1 + w)
    far = lambda k: w ** k / (1 + w)  # noise ≥ k > 0
    end = {0: far(v) if v else 1 / (1 + w), 6: far(6 - v) if v < 6 else 1 / (1 + w)}
    return {r: end[r] if r in end else weight(r - v) for r in range(7)}


rungs, steps = ladder(q4, exp(mpf(-1) / 2)), [geometric(v) for v in edges4.values]
both_laws = [{(a, b): p * q for a, p in rungs[x].items() for b, q in steps[x].items()} for x in range(11)]
largest = log(loss(pairs_of(q4, both_laws)))
say("product", 0, max(abs(triangles[x] - triangles[y]) + 1 for x, y in q4.neighbors))
say("product", 1, 2)
say("product", 2, largest)
say("product", 3, largest)
every("product", 4, 4, 11, len(q4.range) * 7, 4, 6)

# Losses and definitions.
squares = sum(sum(p * (r - v) ** 2 for r, p in law.items()) for law, v in zip(purest(q4, e1), q4.values)) / 11
say("type mechanism.expected_loss", 0, squares)
say("type query.with_loss", 0, squares)
say("type query.with_loss", 1, least_distortion(q4, exp(mpf(1)), cost=lambda r, v: (r - v) ** 2))
fails = [(x, y, z) for x in range(11) for y in range(11) for z in range(11) if q4.dist[x][y] > q4.dist[x][z] and abs(triangles[x] - triangles[y]) < abs(triangles[x] - triangles[z])]
assert (0, 8, 5) in fails
every("type query.monotonic_witness", 0, 8, 5)

# Examples 4 to 6.
small = Histograms(3, 2)
functions = []
for v in small.data:
    f = tuple(F(sum(v[:i + 1]), sum(v)) if sum(v) else F(0) for i in range(3))
    functions.append(f)
first4 = list(dict.fromkeys(functions))[:4]
every("type histograms.cumulative", *flat(first4))
say("type histograms.cumulative", 0, max(max(abs(a - b) for a, b in zip(functions[i], functions[j])) for i in range(len(functions)) for j in range(len(functions)) if small.dist[i][j] == 1))
rules = [(0, 0, 0, 0), (0, 1, 0, 1), (1, 1, 1, 1)]
records = Histograms(4, 3)
chosen = [min(rules, key=lambda c: sum(n for n, l, a in zip(v, (0, 1, 0, 1), c) if l != a)) for v in records.data]
every("type histograms.classifier", *flat(rules))
say("type histograms.classifier", 0, max(F(sum(a != b for a, b in zip(chosen[i], chosen[j])), 4) for i in range(len(chosen)) for j in range(len(chosen)) if records.dist[i][j] == 1))
every("type histograms.principal_component", 2)  # along (1, 1) or (1, −1)
entry = F(round(2 ** 20 / 2 ** 0.5), 2 ** 20)
say("type histograms.principal_component", 0, 2 * entry)

# Initial values on a path of four, by dynamic programming from one end.
z = [mpf(1), e1, e1 ** 2, e1 ** 3]


def cost_of(x, row):
    top = min(row)
    weights = [z[l - top] for l in row]
    return sum(p * abs(r - x) for r, p in enumerate(weights)) / sum(weights) / 4


rows = [r for r in product(range(4), repeat=4) if min(r) == 0]
known = {}


def from_here(x, row):
    if x == 3:
        return cost_of(x, row)
    shift = min(row)
    key = x, tuple(l - shift for l in row)
    if key not in known:
        known[key] = cost_of(x, row) + min(from_here(x + 1, n) for n in (tuple(a + b for a, b in zip(key[1], step)) for step in product((-1, 0, 1), repeat=4)) if max(n) - min(n) <= 3)
    return known[key]


mp.dps = 25
least_cost = min(from_here(0, r) for r in rows)
mp.dps = 60
line4 = path([0, 1, 2, 3], [(0, 1), (1, 2), (2, 3)])
exact_cost = sum(distortion(line4, purest(line4, e1), x) for x in range(4)) / 4
assert abs(exact_cost - least_cost) < mpf(10) ** -20  # the purest mechanism is the best
ratio = exact_cost / least_distortion(line4, exp(mpf(2)))
for k in ("best_initial", "type initial_values.value"):
    say(k, 0, exact_cost)
say("best_initial", "1?", ratio)
say("best_initial", "2?", exact_cost)
say("type initial_values.least", "0?", exact_cost)
say("type initial_values.ratio_to_optimum", "0?", ratio)
shown("type initial_values", exact_cost, 3)
every("type initial_values.mechanism", 0, 1, 2, 3)
every("type initial_values.found_from", 1)
none("how many rows the search looks at is its own affair", "type initial_values.visited")
none("how many boxes the search looks at is its own affair", "type initial_values.boxes")
