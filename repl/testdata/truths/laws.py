"""Laws of finite mechanisms, of bits, of normal noise and of layers, written down from the definitions."""
from tools import *

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
say("type comparison.mean", 0, sum(ratios) / 11)
say("type comparison.min", 0, min(ratios))
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

one = dominating(near2)
say("type privacy.adaptive", 1, delta([times(one, one)], 2))
lad = pairs_of(q4, ladder(q4, half))
three = [times(times(p, p), p) for p in lad]
say("compose", 0, max(delta([times(a, b)], 4) for a, b in zip(near2, three)))
other = dominating(lad)

say("compose", 1, delta([times(one, merged(times(merged(times(other, other)), other)))], 4))

# Geometric noise, moved to the nearest value of the range, of graphs 0 without triangles.
g = geometric(q4, 0, exp(-log(mpf(3)) / q4.sensitivity))
say("geometric", 0, sum(p * r for r, p in g.items()))
ninth = {r: F(1, 3) ** (9 - r) * (1 if r == 0 else F(2, 3)) / F(4, 3) for r in (0, 1)}  # 9, whose noise is to end at 0 or below, or at 1
ninth[2] = 1 - ninth[0] - ninth[1]
every("geometric", *[v for r, p in ninth.items() for v in (r, p)])
say("geometric", 1, "ln(3)")  # the noise of 0 and of 1 differs by that much at 0
say("geometric", 2, sum(p * (9 - r) for r, p in ninth.items()))

# Randomized response on four values, at e^ε = 3.
krr = [[F(3 if r == x else 1, 6) for r in range(4)] for x in range(4)]
several("krr", "ln(%s)" % loss([(krr[0], krr[1])]), delta([(krr[0], krr[1])], 2), 1 - krr[0][0])

# Two laws that tell each other apart.
apart = ([F(1, 2), F(1, 4), F(1, 4), 0], [0, F(1, 2), F(1, 4), F(1, 4)])
ways = [apart, apart[::-1]]
several("two_laws", delta(ways, 2), delta(ways, 1), max(delta([times(w, w)], 2) for w in ways))

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
ppm = mpf("1e-5")
say("gaussian_delta", 0, gaussian(1, 1 / mpf("3.73")))
say("gaussian_epsilon", 0, bisect(lambda e: gaussian(e, 1 / mpf("3.73")) - ppm, mpf(0), mpf(9)))
say("gaussian_sigma", 0, bisect(lambda s: gaussian(1, 1 / s) - ppm, mpf("0.1"), mpf(99)))
say("gaussian", 0, gaussian(1, mpf(1) / 2))
say("gaussian", 1, bisect(lambda e: gaussian(e, mpf(1) / 2) - mpf("1e-6"), mpf(0), mpf(9)))
say("gaussian", 2, mpf(1) / 8)
least = lambda delta: bisect(lambda s: gaussian(1, 1 / s) - delta, mpf("0.1"), mpf(99))
say("gaussian", "3?", least(ppm))
say("type line_mechanism.sigma", "0?", least(mpf("1e-6")))
# One record in a hundred is drawn: the loss ln(1 + (e^l − 1)/100) exceeds 1 where that of the noise exceeds l, and is never below −1.
point = 2 * log(1 + 100 * (exp(mpf(1)) - 1)) + mpf(1) / 4
say("gaussian", 4, (tail(point - mpf(1) / 2) + 99 * tail(point)) / 100 - exp(mpf(1)) * tail(point))
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

# Counts of one type of record, by geometric noise at ln 2: a replaced record is two steps.
say("type privacy.under", 0, "ln(2)")
say("type privacy.under", "1^", 2 * log(mpf(2)))
