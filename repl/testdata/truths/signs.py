"""Random projections, their signs and their releases, from the definitions of the estimators and of randomized response."""
from laws import *
import math


def sign_noise(eps):
    """How often two signs that agree come out apart, each flipped with 1/(e^ε + 1)."""
    q = 1 / (exp(mpf(eps)) + 1)
    return 2 * q * (1 - q)


s = sign_noise(mpf("0.5"))
d = (1 - 2 * s) / 3 + s  # the share of pairs apart, at π/3
say("angle_variance", 0, pi ** 2 * d * (1 - d) / 512 / (1 - 2 * s) ** 2)
s = sign_noise(2)
among("angle_estimate", *[pi * (mpf(m) / 64 - s) / (1 - 2 * s) for m in range(65)])


def inner(p, u, v, sigma, k=None, size=None):
    """The variance of ⟨x, y⟩ of releases x and y: raw, of k Rademacher projections, or of k bins of the given size among p."""
    uu, vv, uv, both2 = p * u * u, p * v * v, p * u * v, p * (u * v) ** 2
    own = 0 if k is None else (uu * vv + uv ** 2 - 2 * both2) / k
    if size:  # two coordinates share a bin with (size − 1)/(padded − 1)
        own = F(size - 1, size * k - 1) * F(p * (p - 1), 2) * (2 * u * v) ** 2
    return num(own) + sigma ** 2 * num(uu + vv) + (k or p) * sigma ** 4


say("inner_variance", 0, inner(6, F(1, 2), F(1, 4), mpf("0.1"), 2, 3))
best_sigma = bisect(lambda s: gaussian(1, 1 / s) - mpf("1e-6"), mpf("0.1"), mpf(99))
say("dp_oporp", "0~", inner(20, F(1, 5), F(1, 10), best_sigma, 4, 5))
say("raw_gaussian", "0~", inner(20, F(1, 5), F(1, 10), best_sigma))
# u and v differ in the sign of one of 20 coordinates ±1/2.
uu, uv = 5, F(18, 4)
say("type release.variance", "0~", num(F(uu * uu + uv ** 2 - F(2 * 20, 16), 4)) + best_sigma ** 2 * 10 + 4 * best_sigma ** 4)
unit = lambda p, k, sigma: (2 * sigma ** 2 + p * sigma ** 4) / (mpf(1) / k + 2 * sigma ** 2 + k * sigma ** 4)
every("variance_ratio", unit(1000, 10, mpf(1)), unit(1000, 10, mpf("0.1")))
for k in range(3, 7):
    say("dp_rp", f"~{k}", between(-5 - 7 * best_sigma, 5 + 7 * best_sigma))
say("type release.delta", "~0", mpf("1e-6"))

# The matrix of seed 1 has the first row 1, −1, 1, −1, and columns that sum to 4, 0, 2, 0, as projection.matrix and apply show.
row, sums = listed("type projection.matrix"), [4, 0, 2, 0]
dots = [F(n, 2) for n in sums]
for name, key in [("type projection.apply", "")]:
    every(name, *[x / 2 for x in dots])
say("projection", 0, 1)
for k, x in enumerate(dots):
    say("projection", f"~{k + 2}", x / 2)
every("type projection.levels", *[-(-x // 1) for x in dots])
among("type projection.matrix", -1, 1)
every("type projection", 20, 4, 1)
every("type projection.k", 4)
every("type projection.p", 20)
every("type projection.padded", 12)
say("type projection.sensitivity", 0, F(1, 2))
moved = [x - int(w) for x, w in zip(dots, row)]  # u with its first coordinate at −1/2
sign = lambda x: 1 if x >= 0 else -1
apart = sum(sign(a) != sign(b) for a, b in zip(dots, moved))
response = both([1 / (1 + exp(mpf(-1) / 2)), 1 / (1 + exp(mpf(1) / 2))], [1 / (1 + exp(mpf(1) / 2)), 1 / (1 + exp(mpf(-1) / 2))])
say("type release.smallest_epsilon", 0, F(apart, 2))
raised = [x + int(w) / F(2) for x, w in zip(dots, row)]  # at 1: both signs at 0 fall
say("type release.smallest_epsilon", 1, F(sum(sign(a) != sign(b) for a, b in zip(dots, raised)), 2))
every("type release.worst_neighbor", 0, 1)
say("type release.ball_epsilon", 0, 1)
say("type release.delta_at", 0, apart)
say("type release.epsilon_at", 0, apart)
pair = response[0]
say("type release.public_delta", 0, delta([times(times(pair, pair), times(pair, pair))], exp(mpf("0.5"))))
say("type release.public_epsilon", 0, 2)
say("type release.claimed_epsilon", 0, 2)
every("type release", 4, 20, 1, 2)
for name in ["type release.sample", "type release.simulate", "dp_signrp"]:
    among(name, -1, 1)
say("dp_signrp", 1, 2)
none("which signs a seed's matrix lets a move reach", "dp_signrp")
say("idp_signrp", 0, "inf")
every("idp_signrp", 1, 2, 1, 1)
every("oporp", 12, *[between(-0.3, 0.3)] * 4)

# Searches: one true neighbor of ten, and three vectors in all.
for name in ["retrieval", "type search.judge", "type search.judge_plain"]:
    every(name, F(1, 10), 1)
every("type search", 1, 3)

# Counts of signs within reach.
p, k, l = F(1, 20), 512, -log(mpf("1e-6"))


def above(n):
    return sum(comb(k, i) * p ** i * (1 - p) ** (k - i) for i in range(n + 1, k + 1))


mean = num(p * k)
every("n_plus", int(mean + (l + sqrt(l * l + 8 * mean * l)) / 2), next(n for n in range(k) if above(n) <= F(1, 10 ** 6)))
say("random_w_delta", "0~", num(above(60)))

# P₊ of three normals: a cone, by the solid angle of the part of the cube's surface where |⟨u, x⟩| ≤ 1.
u = [F(1, 2), F(1, 4), F(1)]


def face(i):
    a, b = [u[j] for j in range(3) if j != i]

    def slice(y):  # z between the planes and the cube, ∫ (1 + y² + z²)^{-3/2} dz
        if not b:
            return 0
        lo, hi = sorted(((sign - num(u[i]) - num(a) * y) / num(b) for sign in (-1, 1)))
        lo, hi = max(lo, mpf(-1)), min(hi, mpf(1))
        r = 1 + y * y
        return (hi / sqrt(r + hi * hi) - lo / sqrt(r + lo * lo)) / r if hi > lo else mpf(0)

    kinks = {mpf(-1), mpf(1)} | {num((s - u[i] - b * z) / a) for s in (-1, 1) for z in (-1, 1)}
    return quad(slice, sorted(y for y in kinks if -1 <= y <= 1))


say("p_plus", "1?", sum(face(i) for i in range(3)) * 2 / (4 * pi))
half_normal = lambda t: 1 - 2 * tail(t)
mp.dps = 25
printed_bound = quad(lambda t: 40 * half_normal(t) ** 19 * half_normal(mpf("0.9") * t) * exp(-t * t / 2) / sqrt(2 * pi), [0, 1, 2, 3, 4, 6, 10])
say("p_plus_printed", 0, printed_bound)
mp.dps = 60


def legendre(n):
    """Nodes and weights on [−1, 1], by Newton's method in float64."""
    out = []
    for i in range(n):
        x = math.cos(math.pi * (i + 0.75) / (n + 0.5))
        for _ in range(9):
            a, b = 1.0, x
            for j in range(2, n + 1):
                a, b = b, ((2 * j - 1) * x * b - (j - 1) * a) / j
            slope = n * (x * b - a) / (x * x - 1)
            x -= b / slope
        out.append((x, 2 / ((1 - x * x) * slope * slope)))
    return out



# P₊ of 20 normals w for u all alike: |Σ w|/√20 ≤ 0.9 max|w|. The density of S = Σ w/√20 at s where all |w| < m is a Fourier integral of φ cut at m.
rule, density = legendre(24), lambda x: math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def cut(m, t):
    """∫ cos(tx) φ(x) dx over |x| < m."""
    panels = 1 + int(m * (1 + t) / 6)
    h = m / panels / 2
    return 2 * sum(w * h * math.cos(t * x) * density(x) for i in range(panels) for z, w in rule for x in [(2 * i + 1 + z) * h])


def at(s):
    m, step, sum_ = s / 0.9, 0.25, 0.0
    for j in range(60):
        t = j * step
        term = cut(m, t / math.sqrt(20)) ** 20
        sum_ += term * math.cos(t * s) * (0.5 if j == 0 else 1)
        if abs(term) < 1e-18 and j > 8:
            break
    return sum_ * step / math.pi


beyond = 2 * sum(w * 0.5 * at(i + 0.5 + z * 0.5) for i in range(9) for z, w in rule)
say("p_plus_printed", "1?", 1 - mpf(beyond))

# Lemma E.1: for normals U = X/σ_x and V = ρU + √(1 − ρ²) Z the event |rU| > |V| is a cone of (U, Z).
r, rho = mpf("0.5"), mpf("0.3")
side = sqrt(1 - rho ** 2)
a, b = (-r - rho) / side, (r - rho) / side
chance = (mp.atan(b) - mp.atan(a)) / pi
mean = sqrt(pi / 2) * (sin(mp.atan(b)) - sin(mp.atan(a))) / pi / chance
mp.dps = 25
beyond = 2 * quad(lambda x: exp(-x * x / 2) / sqrt(2 * pi) * (tail(a * x) - tail(b * x)), [1, 2, 3, 4, 6, 10, 15]) / chance
mp.dps = 60
every("exceeds", exp(mpf(-1) / 2), mean, chance, beyond)
