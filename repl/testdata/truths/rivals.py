"""Rivals: noise on matrices, projections, nets and components; networks that are released, their communities and degrees."""
from matrices import *

strict = analytic(1, mpf("0.001"))
say("symmetric_gauss", "0~", mpf("0.001"))
every("symmetric_gauss", strict / 100)
shown("type symmetric gauss", 2, strict)
every("type symmetric gauss.sigma", strict)
say("type symmetric gauss.delta_at", "0~", mpf("0.001"))
say("type symmetric gauss.sensitivity", 0, 1)
within("type symmetric gauss.simulate", -8 * strict, 8 * strict)
every("type laplace rival", 22)
every("type laplace rival.scale", 22)
say("type laplace rival.l1", 0, 22)
say("type laplace rival.element_sd", 0, 22 * sqrt(mpf(2)))
say("laplace_rival", "~0", 22)
say("type laplace rival.claimed_epsilon", 0, 1)
within("type laplace rival.simulate", -22 * log(mpf(10) ** 10), 22 * log(mpf(10) ** 10))
shown("type net rival", 4 * log(mpf(2)), 2, 2, 2)
say("type net rival.log_size", 0, 4 * log(mpf(2)))
say("net_rival", 0, 6 * log(mpf(5)))
for name, value in {"net rival": 1, "ppca": 1, "degree_rival": 2, "graph_rival": 1, "community_rival": 2}.items():
    say(f"type {name}.claimed_epsilon", 0, value)
large, small = 1 + sqrt(mpf(5)) / 2, 1 - sqrt(mpf(5)) / 2
shown("type bingham", 2, small, large)
for k, v in enumerate([large, small]):
    say("type bingham.values", f"~{k}?", v)
say("mean_interval", 0, F(12, 5))
say("mean_interval", 1, F(1, 2))

# Networks of a triangle with a tail, and of a longer one.
law = degree_law(degrees)
chance = [comb(3, k) * F(2, 3) ** k * F(1, 3) ** (3 - k) for k in range(4)]
every("type network.degree_law", *law)
every("type network.random_law", *chance)
say("type network.random_divergence", "~0?", divergence(law, chance))
every("type network.names", 7, 9, 12)
every("average_f1", F(4, 5))
every("node_groups", 0, 1, 2)


# Vectors on the unit circle of density e^(vAv): integrals over the angle.
def circle(a, f=lambda q: mpf(1)):
    """E f(vAv) e^(vAv) for a uniform v."""
    q = lambda t: a[0][0] * cos(t) ** 2 + (a[0][1] + a[1][0]) * cos(t) * sin(t) + a[1][1] * sin(t) ** 2
    return quad(lambda t: f(q(t)) * exp(q(t)), [k * pi / 4 for k in range(5)]) / pi


def mean(a):
    return circle(a, lambda q: q) / circle(a)


def kept(top, least):
    """The chance that a proposal of the angular central Gaussian law with 1 + 2(top - a)/b is kept: mean ratio over largest, both to the proposals' density."""
    b = bisect(lambda b: 1 / b + 1 / (b + 2 * (top - least)) - 1, mpf(1), mpf(2))
    stretch = lambda u: 1 + 2 * u / b  # of a v that loses u
    ratio = lambda t: exp(-(top - least) * sin(t) ** 2) * stretch((top - least) * sin(t) ** 2)
    density = lambda t: sqrt(stretch(top - least)) / stretch((top - least) * sin(t) ** 2)
    angles = [k * pi / 16 for k in range(9)]
    start = max(angles, key=ratio)
    lo, hi = max(mpf(0), start - pi / 16), min(pi / 2, start + pi / 16)
    for _ in range(180):
        c, d = lo + (hi - lo) / 3, hi - (hi - lo) / 3
        lo, hi = (c, hi) if ratio(c) < ratio(d) else (lo, d)
    return quad(lambda t: ratio(t) * density(t), angles) / (pi / 2) / ratio((lo + hi) / 2)


several("bingham", kept(2, 0), mean([[2, 0], [0, 0]]))
tilted = [[2, mpf("0.5")], [mpf("0.5"), 0]]
say("type bingham.acceptance", 0, kept(large, small))
say("type bingham.log_constant", 0, log(circle(tilted)))
say("type bingham.moment", 0, mean(tilted))
first = [mpf(v) for v in output("type bingham.simulate").split(">")[1].split()]
shown("type bingham.simulate", 2, 2, sqrt(1 - first[2] ** 2), sqrt(1 - first[3] ** 2), between(-1, 1), between(-1, 1))  # columns of length 1

# The first component of records of norm at most 1, at parameter 1: density e^(vXXv/2).
records = [[mpf(0.9), mpf(0.1)], [mpf(-0.8), mpf(0.2)]]
spread = [[sum(r[i] * r[k] for r in records) / 2 for k in range(2)] for i in range(2)]
for name in ["ppca", "type ppca.captured"]:
    say(name, 1 if name == "ppca" else 0, mean(spread) * 2 / 2)  # of XX/n, n = 2
say("type ppca.law", 0, mean(spread))


def sphere(y, x):
    """E e^((y v1^2 + x v2^2)/2) of a uniform v in three dimensions: v1 is uniform, and v2 has the share cos of what is left."""
    return quad(lambda v: exp(y * v * v / 2) * exp(x * (1 - v * v) / 4) * mp.besseli(0, x * (1 - v * v) / 4), [-1, -mpf(3) / 4, 0, mpf(3) / 4, 1]) / 2


def told(n):
    """The loss at x of n - 1 records y and one x, at right angles, against n records y."""
    return mpf(1) / 2 + log(sphere(n, 0)) - log(sphere(n - 1, 1))


say("type ppca.witness", 0, told(100))
assert 1 - mpf(2) / 500 < told(500) < told(1000) < 1  # the range of the loss is 1, and it is approached
for name in ["ppca", "type ppca.smallest_epsilon", "type ppca.parameter", "type net rival.parameter"]:
    say(name, 0, 1)
every("type ppca", 1, 1)
point = listed("type ppca.simulate")
every("type ppca.simulate", sqrt(1 - mpf(point[1]) ** 2), between(-1, 1))


def ranged(eps):
    """The most that a loss within a range of 1 makes of delta: losses t and t - 1 alone, for the worst t."""
    def at(t):
        p = (1 - exp(1 - t)) / (exp(-t) - exp(1 - t))
        return p * (1 - exp(eps - t))
    lo, hi = eps, mpf(1)
    for _ in range(150):
        a, b = lo + (hi - lo) / 3, hi - (hi - lo) / 3
        lo, hi = (a, hi) if at(a) < at(b) else (lo, b)
    return at((lo + hi) / 2)


bound = bisect(lambda e: ranged(e) - mpf("0.01"), mpf(0), mpf(1))
for name in ["ppca", "net rival"]:
    say(f"type {name}.epsilon_at", "0^", bound)
for name in ["ppca", "net rival"]:
    say(f"type {name}.delta_at", 0, 0)
none("0, at the sum of the largest losses: a bound of 1e-76, by the rounding of that sum", "type laplace rival.delta_at")

# The exponential mechanism on the net of 2 x 2 matrices with rows of 1 and 2: its law, listed.
net = list(product((-1, 1), (-1, 1), (-2, 2), (-2, 2)))  # row by row
far_apart = lambda x, y: max(abs(a - b) for a, b in zip(x, y))
one_record = [(x, y) for x in net for y in net if x != y and any(all(x[i] == y[i] for i in kept) for kept in ((0, 2), (1, 3)))]
move = max(abs(far_apart(x, z) - far_apart(y, z)) for x, y in one_record for z in net)
say("type net rival.sensitivity", 0, move)
weights = {x: normalized({z: exp(-mpf(far_apart(x, z)) / (2 * move)) for z in net}) for x in net}
listed_loss = max(log(weights[x][z] / weights[y][z]) for x, y in one_record for z in net)
say("type net rival.mechanism", 0, listed_loss)
assert mpf("0.5") <= listed_loss + mpf(10) ** -40 <= 1
say("net_rival", 1, 2 * 1)  # corners of the box, 2 apart in every row
say("net_rival", "2^", 1)
say("type net rival.smallest_epsilon", "0^", 1)
among("type net rival.simulate", -1, 1, -2, 2)


# Laplace noise on both rows of a box: the loss of the row that moves by a is a or -a, or between, where x lies between the two.
def shifted(t, a):
    return 0 if t >= a else 1 - exp((t - a) / 2) if t > -a else 1 - exp(t)


def two_rows(eps, a, b):
    turn = (b - eps + a) / 2  # from here on the other row has nothing to add
    inner = [mpf(0), min(a, max(mpf(0), turn)), a]
    return (shifted(eps - a, b) + exp(-a) * shifted(eps + a, b)) / 2 + sum(quad(lambda u: exp(-u) / 2 * shifted(eps - a + 2 * u, b), [l, h]) for l, h in zip(inner, inner[1:]) if h > l)


mp.dps = 30
scale = bisect(lambda s: two_rows(mpf(1), 2 / s, 20 / s) - mpf("0.001"), mpf(15), mpf(22))
say("laplace_rival", "~1", between(scale, scale * (1 + mpf(10) ** -4)))
say("type laplace rival.epsilon_at", 0, bisect(lambda e: two_rows(e, mpf(2) / 22, mpf(20) / 22) - mpf("0.01"), mpf("0.5"), mpf(1)))
mp.dps = 60
say("type symmetric gauss.epsilon_at", "0~", bisect(lambda e: gaussian(e, 1 / strict) - mpf("0.01"), mpf(0), mpf(2)))


# Projections: a normal mechanism whose ratio is the length of a standard normal vector over the width.
def projected(eps, rows, width):
    chi = lambda r: r ** (rows - 1) * exp(-r * r / 2) / (2 ** (mpf(rows) / 2 - 1) * mp.gamma(mpf(rows) / 2))
    top = sqrt(mpf(rows))
    return quad(lambda r: chi(r) * gaussian(eps, r / width), [max(mpf(0), top + k) for k in range(-8, 13, 2) if top + k > -2])


mp.dps = 20  # of what is an integral of integrals
width = bisect(lambda w: projected(1, 50, w) - mpf("0.001"), mpf(10), mpf(40))
say("jl_rival", "~0", between(width, width * mpf("1.002")))
say("jl_rival", "0?", projected(1, 50, mpf(40)))
say("type jl rival.delta_at", "0?", projected(1, 3, mpf(10)))
say("type jl rival.epsilon_at", "0?", bisect(lambda e: projected(e, 3, mpf(10)) - mpf("0.01"), mpf("0.1"), mpf("0.4")))
mp.dps = 60
say("jl_rival", "~1", 16 * sqrt(50 * log(mpf(2000))) * log(mpf(16 * 50 * 1000)))
every("type jl rival", 3, 10, 1)
every("type jl rival.rows", 3)
every("type jl rival.width", 10)
every("type jl rival.move", 1)
say("type jl rival.claimed_epsilon", 0, 1)
say("type jl rival.claimed_delta", 0, F(1, 1000))
reach = 8 * sqrt((2 * 6 + mpf(100)) / 3)  # 6 is the trace of XX, above its largest eigenvalue
within("type jl rival.simulate", -reach, reach)
mixed = [F(v) for v in output("type jl rival.simulate").split(">")[1].split()]
mixed = [mixed[:3], mixed[3:]]  # of the same seed
squares = [sum(a * b for a, b in zip(u, v)) - (100 if u is v else 0) for u in mixed for v in mixed]
slack = [F(1, 20000) * sum(abs(a) + abs(b) for a, b in zip(u, v)) + F(1, 1000) for u in mixed for v in mixed]  # of the digits that are shown
every("type jl rival.simulate_gram", 2, 2, *[between(a - s, a + s) for a, s in zip(squares, slack)])
